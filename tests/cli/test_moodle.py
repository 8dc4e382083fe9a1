"""A Moodle course at the command line: what Moodle computes, and marks that go back."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from peergauge.cli.grading import _kind_and_file
from tests.cli.test_cli import refusal, run
from tests.exports.exports import zipped

WORKSHOP = """<activity modulename="workshop"><workshop id="1"><name>Essay</name><grade>80</grade>
<strategy>accumulative</strategy>
<workshopform_accumulative_dimension id="1"><sort>1</sort><description>Ideas</description>
<grade>10</grade><weight>1</weight></workshopform_accumulative_dimension>
<workshopform_accumulative_dimension id="2"><sort>2</sort><description>Words</description>
<grade>100</grade><weight>1</weight></workshopform_accumulative_dimension>
<submissions>{submissions}</submissions></workshop></activity>"""

SUBMISSION = """<submission id="{id}"><authorid>{author}</authorid>
<assessments>{assessments}</assessments></submission>"""

ASSESSMENT = """<assessment id="{id}"><reviewerid>{reviewer}</reviewerid><weight>{weight}</weight>
<grade>{grade}</grade><x><workshopform_accumulative_grade id="1"><dimensionid>1</dimensionid>
<grade>{ideas}</grade></workshopform_accumulative_grade><workshopform_accumulative_grade id="2">
<dimensionid>2</dimensionid><grade>{words}</grade></workshopform_accumulative_grade></x>
</assessment>"""

ROLES = """<roles><role_assignments><assignment id="1"><roleid>3</roleid><userid>9</userid>
</assignment>{students}</role_assignments></roles>"""


def backup(folder: Path) -> Path:
    """The first worked case: (50, 50), (50, 90) and, by a teacher, (50, 70); all three are graded.

    The work of 2 has a self-assessment and a review of weight 0: 10 by 1 and 100 by 2, and 55 by 4.
    """
    given: dict[tuple[int, int], list[tuple[float, ...]]] = {
        (31, 1): [(2, 1, 50, 5, 50), (3, 1, 70, 5, 90), (9, 1, 60, 5, 70)],
        (32, 2): [(1, 1, 10, 1, 10), (2, 1, 100, 10, 100), (4, 0, 55, 5.5, 55)],
    }
    submissions = "".join(
        SUBMISSION.format(
            id=own,
            author=author,
            assessments="".join(
                ASSESSMENT.format(
                    id=f"{own}{who}", reviewer=who, weight=weight, grade=grade, ideas=one, words=two
                )
                for who, weight, grade, one, two in reviews
            ),
        )
        for (own, author), reviews in given.items()
    )
    students = "".join(
        f'<assignment id="1{who}"><roleid>5</roleid><userid>{who}</userid></assignment>'
        for who in (1, 2, 3, 4)
    )
    roles = (
        '<roles_definition><role id="3"><archetype>teacher</archetype></role>'
        '<role id="5"><archetype>student</archetype></role></roles_definition>'
    )
    path = folder / "course.mbz"
    path.write_bytes(
        zipped(
            {
                "moodle_backup.xml": b"<moodle_backup/>",
                "activities/workshop_1/workshop.xml": WORKSHOP.format(
                    submissions=submissions
                ).encode(),
                "course/roles.xml": ROLES.format(students=students).encode(),
                "roles.xml": roles.encode(),
            }
        )
    )
    return path


@pytest.mark.slow
def test_score_pays_what_moodle_stores(tmp_path: Path) -> None:
    path = backup(tmp_path)
    done = run("score", str(path), "-m", "moodle", "--parts", "parts.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    parts = pl.read_csv(tmp_path / "parts.csv")
    assert parts.select("submission", "grader", "each").sort("submission", "grader").rows() == [
        (31, 2, 97.0),
        (31, 3, 97.0),
        (31, 9, 100.0),
        (32, 1, 91.0),
        (32, 2, 91.0),
        (32, 4, 100.0),
    ]
    assert "As on the platform, 2 reviews by staff or of one's own work count, too." in done.stderr
    # Graders earn the mean over their reviews, self-assessments included.
    assert "Essay,2,94.0" in done.stdout
    very_strict = run("score", str(path), "-m", "moodle:strictness=1", cwd=tmp_path)
    assert "Essay,1,55.0" in very_strict.stdout


@pytest.mark.slow
def test_score_agrees_with_every_row_of_a_running_moodle(
    real_classes: Path, tmp_path: Path
) -> None:
    folder = real_classes / "platform-exports" / "moodle-4.5"
    export = str(folder / "course-backup.mbz")
    done = run("score", export, "-m", "moodle", "--parts", "parts.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    key = {"name": "assignment", "sid": "submission", "reviewerid": "grader"}
    stored = pl.read_csv(folder / "grading-grades.csv").rename(key).drop("grade")
    ours = pl.read_csv(tmp_path / "parts.csv")
    both = stored.join(ours, on=list(key.values()), how="left")
    assert both.height == stored.height == 235
    assert both["gradinggrade"].is_null().equals(both["each"].is_null())
    assert both.filter((pl.col("gradinggrade") - pl.col("each")).abs() > 1e-9).height == 0


@pytest.mark.parametrize(
    ("request_", "kind", "file"),
    [
        ("moodle", "moodle", ""),
        ("canvas=export.csv", "canvas", "export.csv"),
        ("canvas=a=b.csv", "canvas", "a=b.csv"),
        ("moodle:email=E-Mail", "moodle:email=E-Mail", ""),
        ("moodle:email=E-Mail=gone.csv", "moodle:email=E-Mail", "gone.csv"),
        ("moodle:email=E,id_number=No", "moodle:email=E,id_number=No", ""),
        ("moodle:email=E,id_number=No=x.csv", "moodle:email=E,id_number=No", "x.csv"),
    ],
)
def test_a_request_for_a_gradebook_has_parameters_and_a_file(
    request_: str, kind: str, file: str
) -> None:
    assert _kind_and_file(request_) == (kind, file)


def test_a_file_that_exists_is_found_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("grades, a=1.csv").write_text("x")
    request = "moodle:email=E,id_number=No=grades, a=1.csv"
    assert _kind_and_file(request) == ("moodle:email=E,id_number=No", "grades, a=1.csv")
    absolute = tmp_path / "c:d.csv"
    absolute.write_text("x")
    assert _kind_and_file(f"canvas={absolute}") == ("canvas", str(absolute))


@pytest.mark.slow
def test_marks_go_into_the_export_of_a_course_in_another_language(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("person,email,Quiz\nada,ada@x.example,8.5\n")
    (tmp_path / "export.csv").write_text(
        "Imię:Nazwisko:Poczta:Quiz\nAda:L:ada@x.example:-\nBen:B:ben@x.example:3.00\n"
    )
    kind = "moodle:email=Poczta,id_number=Numer"
    done = run("gradebook", "marks.csv", "--to", kind, "-o", "filled.csv",
               "--into", "export.csv", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "filled.csv").read_text().splitlines()[1:] == ["Ada:L:ada@x.example:8.5"]
    (tmp_path / "reports.csv").write_text("submission,grader,grade\na,x,3\na,y,4\nb,x,5\n")
    words = ("grade", "reports.csv", "-o", "out", "--to", f"{kind}=gone.csv")
    assert "There is no file gone.csv to fill in" in refusal(*words, cwd=tmp_path)
