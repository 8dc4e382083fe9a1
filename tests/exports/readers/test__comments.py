"""Comments in columns of a table belong to the reviews of their row, block or ratee."""

from __future__ import annotations

from pathlib import Path

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export


def read(folder: Path, text: str, columns: ColumnMap | None = None) -> Export:
    path = folder / "reviews.csv"
    path.write_text(text)
    return read_export(path, columns=columns)


def linked(export: Export) -> set[tuple[str, str, str, str, bool]]:
    both = export.reviews.join(
        export.comments, left_on="comments", right_on="review", suffix=" of comment"
    )
    columns = ["submission", "grader", "criterion of comment", "text", "visible"]
    return set(both.select(columns).iter_rows())


def test_each_comment_belongs_to_its_block(tmp_path: Path) -> None:
    export = read(
        tmp_path,
        "Email,Which project did you review first?,Score for the first project (1-10),"
        "Feedback for the first project,Which project did you review second?,"
        "Score for the second project (1-10),Feedback for the second project\n"
        "ann@x.org,P1,4,good one,P2,5,bad one\nbob@x.org,P2,3,longer please,P3,2,fine by me\n"
        "cy@x.org,P1,6,,P3,7,nice slides\n",
    )
    assert linked(export) == {
        ("P1", "ann@x.org", "", "good one", True),
        ("P2", "ann@x.org", "", "bad one", True),
        ("P2", "bob@x.org", "", "longer please", True),
        ("P3", "bob@x.org", "", "fine by me", True),
        ("P3", "cy@x.org", "", "nice slides", True),
    }


def test_each_comment_belongs_to_its_ratee(tmp_path: Path) -> None:
    export = read(
        tmp_path,
        "Your name,Rate each project (1-5) [Project 1],Rate each project (1-5) [Project 12],"
        "Feedback [Project 1],Feedback [Project 12]\n"
        "Ann Lee,3,4,nice talk here,too long\nBob Ray,2,5,,well done all\n"
        "Cy Dee,1,5,hm,good slides\n",
    )
    assert linked(export) == {
        ("Project 1", "Ann Lee", "", "nice talk here", True),
        ("Project 1", "Cy Dee", "", "hm", True),
        ("Project 12", "Ann Lee", "", "too long", True),
        ("Project 12", "Bob Ray", "", "well done all", True),
        ("Project 12", "Cy Dee", "", "good slides", True),
    }


def test_the_map_says_who_may_read_and_a_column_that_is_not_there_is_passed_over(
    tmp_path: Path,
) -> None:
    columns = ColumnMap(
        (
            Column("Reviewer", Part.GRADER),
            Column("Project", Part.SUBMISSION),
            Column("Score", Part.GRADE),
            Column("Comments", Part.COMMENT),
            Column("Notes", Part.PRIVATE_COMMENT, "To the teacher"),
            Column("Gone", Part.COMMENT),
        )
    )
    text = "Reviewer,Project,Score,Comments,Notes\nAnn,P1,4,good,hm\nBob,P1,3,<p>ok</p>,\n"
    export = read(tmp_path, text, columns)
    assert linked(export) == {
        ("P1", "Ann", "", "good", True),
        ("P1", "Ann", "To the teacher", "hm", False),
        ("P1", "Bob", "", "ok", True),
    }
    told = [note.text for note in export.notes]
    assert any(text.startswith("Only staff may read the comments in 'Notes'; if") for text in told)


def test_without_comments_reviews_have_no_numbers(tmp_path: Path) -> None:
    export = read(tmp_path, "Reviewer,Project,Score\nAnn,P1,4\nBob,P1,3\nAnn,P2,2\n")
    assert export.comments.is_empty()
    assert export.reviews["comments"].null_count() == export.reviews.height
