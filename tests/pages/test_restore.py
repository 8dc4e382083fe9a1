"""Restoring names: everywhere, whole words only, all files or none."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from html import unescape
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import Settings, grade
from peergauge.classroom.grade.audit import AUDIT_FILE, read_earlier
from peergauge.core.errors import ConvergenceWarning, ParameterError, TableError
from peergauge.core.text import visible
from peergauge.exports import open_class
from peergauge.exports.people.pseudonyms import pseudonymize
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.folder_check import check_folder
from peergauge.pages.grade_folder import GradebookRequest, write_graded
from peergauge.pages.restore import PseudonymKey, restore_folder

QUICK = Settings(model=PG1Posterior(draws=60, warmup=20))
NAMES = [
    "=HYPERLINK(1)", "</script><b>Q", "Zoë O'Neill", 'Ann "A" Doe', "p3", "p12", "s1", "../etc",
    "con", "محمد", "Bob", "Robert", "x" * 90, "Li Wei", "\u202eadA",
]  # fmt: skip
"""Names that are hard to write into files; some of them are the pseudonyms of others."""


def export(path: Path, week: int = 1) -> Path:
    """A class in which everybody grades four others."""
    rows = ["submission,grader,grade,author"]
    count = len(NAMES)
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    for author in range(count):
        for step in range(1, 5):
            grader = (author + step * week) % count
            score = (3 * author + 5 * grader * step + week) % 11
            rows.append(f"work {author},{quoted[grader]},{score},{quoted[author]}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def graded_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder ``out`` that was graded under pseudonyms, and the key beside it."""
    folder = tmp_path_factory.mktemp("pseudonyms")
    opened, key = pseudonymize(open_class(export(folder / "week 1.csv"), scale="0..10"), seed=3)
    key.write_csv(folder / "key.csv")
    to = [GradebookRequest("csv"), GradebookRequest("xlsx")]
    with warnings.catch_warnings():
        # So few draws settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        write_graded(grade(opened, QUICK), folder / "out", to=to, handouts=True)
    return folder


@pytest.fixture(scope="module")
def restored(graded_folder: Path) -> Path:
    restore_folder(graded_folder / "out", graded_folder / "key.csv", graded_folder / "new")
    return graded_folder / "new"


@pytest.fixture(scope="module")
def key(graded_folder: Path) -> PseudonymKey:
    return PseudonymKey.read(graded_folder / "key.csv")


def test_the_restored_folder_has_the_same_numbers(graded_folder: Path, restored: Path) -> None:
    before, after = check_folder(graded_folder / "out"), check_folder(restored)
    assert after.differences == before.differences == []
    # Explanations of points name submissions, and "work 3" has a number where "s3" has none.
    del before.compared["graders.csv"], after.compared["graders.csv"]
    assert sum(after.compared.values()) == sum(before.compared.values())
    assert len(list((restored / "students").iterdir())) == len(NAMES)


def test_titles_of_assignments_are_restored_too(tmp_path: Path) -> None:
    rows = ["assignment,submission,grader,grade,author"]
    for week in (1, 2):
        for author in range(8):
            for step in (1, 2, 3):
                grader, score = (author + step * week) % 8, (3 * author + 5 * step + week) % 11
                title = f"Ms. Roe's essay {week}"
                rows.append(f"{title},work {author},g{grader},{score},g{author}")
    (tmp_path / "export.csv").write_text("\n".join(rows) + "\n")
    opened, key = pseudonymize(open_class(tmp_path / "export.csv", scale="0..10"), seed=1)
    assert opened.reports.assignment_names == ("a1", "a2")
    key.write_csv(tmp_path / "key.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        to = [GradebookRequest("csv")]
        write_graded(grade(opened, QUICK), tmp_path / "out", to=to, handouts=True)
    restore_folder(tmp_path / "out", tmp_path / "key.csv", tmp_path / "new")
    assert check_folder(tmp_path / "new").differences == []
    header = (tmp_path / "new" / "gradebook-csv.csv").read_text("utf-8-sig").splitlines()[0]
    assert "Ms. Roe's essay 1" in header
    assert "Ms. Roe&#x27;s essay 2" in (tmp_path / "new" / "semester.html").read_text().replace(
        "&#39;", "&#x27;"
    ).replace("Roe's", "Roe&#x27;s")
    assert not re.search(r"\ba[12]\b", (tmp_path / "new" / "semester.csv").read_text())


def test_nothing_in_a_folder_graded_under_pseudonyms_names_anybody(graded_folder: Path) -> None:
    parts: dict[str, bytes] = {}
    for path in (graded_folder / "out").rglob("*"):
        parts[path.name] = path.name.encode()
        if path.suffix == ".xlsx":
            with ZipFile(path) as book:
                parts |= {f"{path.name}/{one}": book.read(one) for one in book.namelist()}
        elif path.is_file():
            parts[path.name] += path.read_bytes()
    assert "grades.xlsx/docProps/core.xml" in parts
    words = ["HYPERLINK", "Zoë", "O'Neill", "Doe", "محمد", "Robert", "xxxxx", "Li Wei", "work 3"]
    for name, data in parts.items():
        text = unescape(data.decode("utf-8", errors="replace"))
        assert not [word for word in words if word in text], name


def test_tables_name_the_same_people(
    graded_folder: Path, restored: Path, key: PseudonymKey
) -> None:
    def graders(folder: Path) -> list[str]:
        sheet = openpyxl.load_workbook(folder / "grades.xlsx")["Graders"]
        return [str(row[0].value) for row in sheet.iter_rows(min_row=2)]

    shown = [visible(key.names[one]) for one in graders(graded_folder / "out")]
    assert shown == graders(restored)
    assert sorted(graders(restored)) == sorted(map(visible, NAMES))
    text = (restored / "graders.csv").read_text()
    # Spreadsheets must not take a name for a formula.
    assert "\n'=HYPERLINK(1)," in text
    assert '\n"Ann ""A"" Doe",' in text


def test_pages_escape_names_and_no_pseudonym_is_left(restored: Path, key: PseudonymKey) -> None:
    page = (restored / "report.html").read_text()
    assert "<b>Q" not in page
    assert "&lt;/script&gt;&lt;b&gt;Q" in page
    assert page.count("<script") == 4
    # Names that are pseudonyms of others stay; all other pseudonyms are gone.
    gone = {one for one in key.names if one not in NAMES}
    without_scripts = re.sub(r"(?s)<(script|style).*?</\1>", "", page)
    assert not gone & set(re.findall(r"\b[ps]\d+\b", unescape(without_scripts)))
    people = json.loads(re.findall(r"compare\((\[.*\])\);", page)[0])
    assert sorted(one[0] for one in people) == sorted(map(visible, NAMES))
    chart = re.search(r'vegaEmbed\("#intervals", (\{.*\}), options', page)
    assert chart is not None
    assert '"work 3"' in chart[1]
    assert not re.search(r'"submission": "s\d+"', chart[1])


def test_every_student_has_the_page_with_their_name(restored: Path) -> None:
    titles = [
        unescape(re.findall("<h1><bdi>(.*?)</bdi>", path.read_text())[0])
        for path in (restored / "students").iterdir()
    ]
    assert sorted(titles) == sorted(map(visible, NAMES))


def test_the_next_week_continues_from_the_restored_folder(restored: Path, tmp_path: Path) -> None:
    earlier = read_earlier(restored)
    assert sorted(one.id for one in earlier.people) == sorted(NAMES)
    again = open_class(export(tmp_path / "same.csv"), scale="0..10")
    with pytest.raises(TableError, match=r"already|again|earlier"):
        grade(again, QUICK, earlier=earlier)


def test_a_page_without_names_is_copied_letter_by_letter(graded_folder: Path) -> None:
    from peergauge.pages.restore import _page

    for path in (graded_folder / "out").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert _page(PseudonymKey({}, {}), text, {}) == text


def test_comments_styles_and_scripts_stay_as_they_are() -> None:
    from peergauge.pages.restore import _page

    names = PseudonymKey({"p1": "<Ann&>"}, {"p1": "person"})
    page = (
        "<!doctype html><!-- p1 --><style>p1{}</style><script>let p1 = 'p1'; compare([\"p1\"]);"
        '</script><p title="p1" class="p1" id=p1>p1, p12, xp1, p1@x, a/p1, p1.html &amp;p1&lt;p1'
        '<br/><a href="students/p1.html">p1</a>'
    )
    assert _page(names, page, {"students/p1.html": "students/Ann.html"}) == (
        "<!doctype html><!-- p1 --><style>p1{}</style><script>let p1 = 'p1'; "
        'compare(["\\u003cAnn&>"]);</script><p title="&lt;Ann&amp;&gt;" class="p1" id=p1>'
        "&lt;Ann&amp;&gt;, "
        "p12, xp1, p1@x, a/p1, p1.html &amp;&lt;Ann&amp;&gt;&lt;&lt;Ann&amp;&gt;"
        '<br/><a href="students/Ann.html">&lt;Ann&amp;&gt;</a>'
    )


@given(st.lists(st.integers(1, 120), min_size=1, max_size=20))
def test_only_whole_pseudonyms_are_replaced(numbers: list[int]) -> None:
    names = PseudonymKey({"p1": "Ann", "p11": "Bob"}, {"p1": "person", "p11": "person"})
    known = {1: "Ann", 11: "Bob"}
    text = ", ".join(f"p{number}" for number in numbers)
    expected = ", ".join(known.get(number, f"p{number}") for number in numbers)
    assert names.text(text) == expected


def test_a_key_of_another_class_is_refused(graded_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "key.csv"
    other.write_text("kind,name,pseudonym\nperson,Ann,p01\nsubmission,Work,s1\n")
    with pytest.raises(TableError, match=r"is not the key of .*: it has no person p\d+, .* more;"):
        restore_folder(graded_folder / "out", other, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_with_names_is_refused(graded_folder: Path, restored: Path) -> None:
    with pytest.raises(TableError, match="is not the key of"):
        restore_folder(restored, graded_folder / "key.csv", graded_folder / "twice")
    assert not (graded_folder / "twice").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "is not a key of pseudonyms: it has the columns a, b"),
        ("kind,name,pseudonym\nperson,Ann,p1\nperson,Bob,p1\n", "Row 3 .* p1 again.*ambiguous"),
        ("kind,name,pseudonym\nperson,Ann,p1\nperson,Ann,p2\n", "Row 3 .* second pseudonym"),
        ("kind,name,pseudonym\nperson,Ann,7\n", "'7', which may also be another word"),
        ("kind,name,pseudonym\nperson,Ann,mean\n", "'mean', which may also be another word"),
        ("kind,name,pseudonym\nteam,Ann,p1\n", r"Row 2 .* kind \(person, submission, section, "),
        ("kind,name,pseudonym\nperson,,p1\n", "Row 2 .* should have a kind"),
    ],
)
def test_a_key_that_is_none_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "key.csv").write_text(text)
    with pytest.raises(TableError, match=why):
        PseudonymKey.read(tmp_path / "key.csv")


def test_an_assignment_with_the_name_of_a_pseudonym_is_ambiguous(
    graded_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(graded_folder / "out", tmp_path / "copy"))
    content = json.loads((folder / AUDIT_FILE).read_text())
    pseudonym = content["graders"]["grader"][0]
    content["assignments"]["assignment"] = [f"Essay {pseudonym}"]
    (folder / AUDIT_FILE).write_text(json.dumps(content))
    with pytest.raises(TableError, match=f"The pseudonym {pseudonym} is ambiguous"):
        restore_folder(folder, graded_folder / "key.csv", tmp_path / "new")


def test_a_folder_that_was_changed_is_refused(graded_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(graded_folder / "out", tmp_path / "copy"))
    path = folder / "grades.csv"
    path.write_text(path.read_text() + "\n")
    with pytest.raises(TableError, match=r"grades.csv was changed .* See 'peergauge audit"):
        restore_folder(folder, graded_folder / "key.csv", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_other_files_are_left_out_and_listed(graded_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(graded_folder / "out", tmp_path / "copy"))
    (folder / "my notes.txt").write_text("p01")
    found = restore_folder(folder, graded_folder / "key.csv", tmp_path / "new")
    assert found.notes == (
        "1 file that peergauge did not write with this audit is left out: my notes.txt.",
    )
    assert not (tmp_path / "new" / "my notes.txt").exists()


def test_only_a_new_folder_is_written(graded_folder: Path, tmp_path: Path) -> None:
    key, folder = graded_folder / "key.csv", graded_folder / "out"
    (tmp_path / "file").write_text("x")
    for out in (folder, tmp_path, tmp_path / "file"):
        with pytest.raises(ParameterError, match="exists already"):
            restore_folder(folder, key, out)
    with pytest.raises(ParameterError, match="There is no folder"):
        restore_folder(folder, key, tmp_path / "a" / "b")
