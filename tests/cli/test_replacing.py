"""Commands never replace what they did not write, and write all files or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from peergauge.cli import app
from peergauge.core.errors import ParameterError, PeergaugeError, TableError
from peergauge.exports.open import open_class

NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana"]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A class in which everybody grades three others, with a rubric of two criteria."""
    rows = ["submission,author,grader,grade"]
    for author, name in enumerate(NAMES):
        for step in (1, 2, 3):
            grader = NAMES[(author + step) % len(NAMES)]
            rows.append(f"{name}'s essay,{name},{grader},{(3 * author + 5 * step) % 11}")
    path = tmp_path / "export.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def refused(why: str, *arguments: object, error: type[PeergaugeError] = ParameterError) -> None:
    with pytest.raises(error, match=why):
        CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


def contents(folder: Path) -> dict[str, bytes]:
    every = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in every}


def test_a_real_class_is_not_replaced_by_a_twin_or_a_simulated_class(
    export: Path, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    run("read", export, "-o", real, "--scale", "0..10")
    before = contents(real)
    refused("real has reports.csv.*'peergauge twin' did not write", "twin", real, "-o", real)
    refused("'peergauge simulate' did not write", "simulate", "-o", real, "--students", 8)
    assert contents(real) == before
    # The class itself may be read again, unless somebody has changed it.
    run("read", export, "-o", real, "--scale", "0..10")
    (real / "reports.csv").write_text((real / "reports.csv").read_text() + "\n")
    refused("was changed since", "read", export, "-o", real, "--scale", "0..10")
    run("read", export, "-o", real, "--scale", "0..10", "--force")
    assert contents(real) == before


def test_simulated_classes_may_be_simulated_again_and_plain_tables_stay(tmp_path: Path) -> None:
    out = tmp_path / "class"
    for seed in (1, 2):
        run("simulate", "-o", out, "--students", 8, "--graders", 2, "--seed", seed)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "reports.csv").write_text("submission,grader,grade\na,b,1\n")
    refused("did not write", "simulate", "-o", mine, "--students", 8, "--graders", 2)
    assert list(contents(mine)) == ["reports.csv"]


def truth_and_class(export: Path, folder: Path) -> tuple[Path, Path]:
    """An export with staff grades, and another class without any."""
    rows = export.read_text().splitlines()
    staff = [f"{name}'s essay,{name},staff,{place}" for place, name in enumerate(NAMES)]
    first = folder / "first.csv"
    header, *others = (
        f"{row},{'role' if place == 0 else 'student'}" for place, row in enumerate(rows)
    )
    first.write_text("\n".join([header, *others, *(f"{row},staff" for row in staff)]) + "\n")
    second = folder / "second.csv"
    without = [",".join([row.split(",")[0], *row.split(",")[2:]]) for row in rows]
    second.write_text("\n".join(without) + "\n")
    return first, second


def test_tables_of_an_earlier_class_are_not_read_with_a_new_one(
    export: Path, tmp_path: Path
) -> None:
    first, second = truth_and_class(export, tmp_path)
    out = tmp_path / "out"
    run("read", first, "-o", out, "--scale", "0..10")
    assert {"truth.csv", "authors.csv"} < set(contents(out))
    assert open_class(out).truth is not None
    run("read", second, "-o", out, "--scale", "0..10")
    assert list(contents(out)) == ["class.json", "reports.csv"]
    opened = open_class(out)
    assert (opened.truth, opened.submissions.height) == (None, 0)


def test_a_table_of_somebody_else_beside_a_new_class_is_refused(
    export: Path, tmp_path: Path
) -> None:
    first, second = truth_and_class(export, tmp_path)
    for name in ("truth.csv", "truth.parquet", "authors.csv", "reports.parquet"):
        out = tmp_path / name
        out.mkdir()
        (out / name).write_text("submission,score\nAda's essay,3\n")
        refused(name, "read", second, "-o", out, "--scale", "0..10")
        assert list(contents(out)) == [name]
        run("read", second, "-o", out, "--scale", "0..10", "--force")
        assert list(contents(out)) == ["class.json", "reports.csv"]
    changed = tmp_path / "changed"
    run("read", first, "-o", changed, "--scale", "0..10")
    (changed / "truth.csv").write_text("submission,score\nAda's essay,3\n")
    refused("truth.csv", "read", second, "-o", changed, "--scale", "0..10")


def test_a_simulated_class_in_another_format_replaces_the_first(tmp_path: Path) -> None:
    out = tmp_path / "class"
    for kind in ("csv", "parquet"):
        run("simulate", "-o", out, "--students", 8, "--graders", 2, "--format", kind)
    assert {Path(name).suffix for name in contents(out)} == {".parquet", ".json"}


def test_the_key_is_never_an_input_an_output_or_an_older_key(export: Path, tmp_path: Path) -> None:
    out, key = tmp_path / "class", tmp_path / "key.csv"
    options = ("-o", out, "--scale", "0..10", "--pseudonymize")
    before = export.read_bytes()
    refused("is read by this command", "read", export, *options, export, "--force")
    refused("in the folder of the class", "read", export, *options, out / "key.csv", "--force")
    refused("in the folder of the class", "read", export, *options, out / "reports.csv")
    assert export.read_bytes() == before
    assert not out.exists()
    run("read", export, *options, key)
    first = key.read_bytes()
    refused(r"key\.csv exists", "read", export, *options, key)
    assert key.read_bytes() == first


def test_other_files_do_not_stay_beside_a_class_under_pseudonyms(
    export: Path, tmp_path: Path
) -> None:
    out = tmp_path / "class"
    out.mkdir()
    (out / "truth.csv").write_text("submission,score\nAda's essay,3\n")
    options = ("-o", out, "--scale", "0..10", "--pseudonymize", tmp_path / "key.csv", "--force")
    refused(r"truth\.csv, which may name people", "read", export, *options)
    assert list(contents(out)) == ["truth.csv"]
    assert not (tmp_path / "key.csv").exists()


def test_pseudonymized_output_and_messages_name_nobody(export: Path, tmp_path: Path) -> None:
    options = ("--scale", "0..10", "--pseudonymize", tmp_path / "key.csv")
    done = run("read", export, "-o", tmp_path / "class", *options)
    written = b"".join(contents(tmp_path / "class").values()).decode()
    for name in NAMES:
        assert name not in written
        assert name not in done.output
    rows = (tmp_path / "class" / "authors.csv").read_text().splitlines()[1:]
    assert len(rows) == len(NAMES)
    assert rows == sorted(rows)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_keys_and_graded_folders_are_private(export: Path, tmp_path: Path) -> None:
    options = ("--scale", "0..10", "--pseudonymize", tmp_path / "key.csv")
    mask = os.umask(0o022)
    try:
        run("read", export, "-o", tmp_path / "class", *options)
        out = tmp_path / "out"
        run("grade", export, "-o", out, "--scale", "0..10", "--handouts")
    finally:
        os.umask(mask)
    assert (tmp_path / "key.csv").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "class" / "reports.csv").stat().st_mode & 0o777 == 0o644
    for path in (out, *out.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_two_criteria_never_share_a_folder(tmp_path: Path) -> None:
    rows = ["submission,grader,Style?,style"]
    rows += [
        f"s{s},g{g},{1 + (3 * s + g) % 5},{1 + (s + 2 * g) % 4}" for s in range(6) for g in range(4)
    ]
    table = tmp_path / "rubric.csv"
    table.write_text("\n".join(rows) + "\n")
    run("read", table, "-o", tmp_path / "each", "--criterion", "each", "--accept-defaults")
    folders = sorted(path.name for path in (tmp_path / "each").iterdir())
    assert len({name.casefold() for name in folders}) == 2
    means = [open_class(tmp_path / "each" / name).reports.grade.mean() for name in folders]
    assert len(set(means)) == 2


def rubric(path: Path, *criteria: str) -> Path:
    """A table of grades on some criteria."""
    rows = [",".join(["submission", "grader", *criteria])]
    rows += [
        ",".join(
            [f"s{s}", f"g{g}", *(str(1 + (k * s + g) % 5) for k in range(3, 3 + len(criteria)))]
        )
        for s in range(6)
        for g in range(4)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_criteria_of_an_earlier_class_are_not_read_with_new_ones(tmp_path: Path) -> None:
    out, each = tmp_path / "out", ("--criterion", "each", "--accept-defaults")
    one = rubric(tmp_path / "one.csv", "Style", "Depth")
    for _ in range(2):
        run("read", one, "-o", out, *each)
    before = contents(out)
    two = rubric(tmp_path / "two.csv", "Depth", "Clarity")
    refused("out has Style, which would be read together", "read", two, "-o", out, *each)
    refused("out has Style, which would be", "read", two, "-o", out, *each, "--force")
    assert contents(out) == before
    whole = tmp_path / "whole"
    run("read", two, "-o", whole, "--criterion", "Depth", "--accept-defaults")
    refused(r"whole has reports\.csv, which would be", "read", two, "-o", whole, *each)


def test_tables_of_pay_replace_only_each_other(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "rewards.csv"
    scored = ("score", export, "-m", "mse-p", "--scale", "0..10")
    for _ in range(2):
        run(*scored, "-o", out, "--parts", tmp_path / "parts.csv")
    before = export.read_bytes()
    refused("holds no rewards", *scored, "-o", export)
    refused("is read by this command", *scored, "-o", export, "--force")
    refused("for --out and for --parts", *scored, "-o", tmp_path / "x.csv", "--parts",
            tmp_path / "x.csv")  # fmt: skip
    assert export.read_bytes() == before


def test_designs_gradebooks_and_maps_do_not_replace_other_files(
    export: Path, tmp_path: Path
) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("student\n" + "\n".join(NAMES) + "\n")
    before = roster.read_bytes(), export.read_bytes()
    refused("is read by this command", "assign", roster, "-o", roster, "--force")
    refused("holds no design", "assign", roster, "-o", export)
    plan = tmp_path / "plan.csv"
    for seed in (1, 2):
        run("assign", roster, "-o", plan, "-k", 2, "--seed", seed)
    marks = tmp_path / "marks.csv"
    marks.write_text("person,Essay\nAda,3\n")
    refused("is read by this command", "gradebook", marks, "--to", "csv", "-o", marks)
    refused(r"roster\.csv exists", "gradebook", marks, "--to", "csv", "-o", roster)
    refused("exists", "columns", export, "--save", roster)
    refused("is read by this command", "check", export, "--save", export, "--force")
    assert (roster.read_bytes(), export.read_bytes()) == before


# ------------------------------------------------------------------------------- all or nothing


def test_grade_replaces_its_own_folder_and_nothing_else(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    graded = ("grade", export, "--scale", "0..10", "-o", out)
    run(*graded)
    settings = out / "settings.toml"
    settings.write_text(settings.read_text().replace("budget = 10", "budget = 3"))
    refused(r"settings\.toml.* changed since", *graded)
    # Settings are there to be changed and given again.
    run(*graded, "--settings", settings)
    assert "budget = 3" in settings.read_text()
    (out / "grades.csv").write_text("my own notes")
    before = contents(out)
    refused(r"grades\.csv, which 'peergauge grade' did not write", *graded)
    assert contents(out) == before
    run(*graded, "--force")
    assert (out / "grades.csv").read_text() != "my own notes"


def test_an_export_is_not_replaced_by_its_grades(export: Path, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    folder.mkdir()
    source = export.rename(folder / "grades.csv")
    before = source.read_bytes()
    refused("did not write", "grade", source, "--scale", "0..10", "-o", folder)
    refused("is read by this command", "grade", source, "--scale", "0..10", "-o", folder, "--force")
    assert contents(folder) == {"grades.csv": before}


def test_a_refused_gradebook_stops_before_anything_is_computed(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names match, but the platform's column for the points holds words."""
    book = tmp_path / "canvas.csv"
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section,Peer review quality (9)"]
    rows += ["    Points Possible,,,,,3"]
    rows += [f"{name},{number},{name},{name},S,splendid" for number, name in enumerate(NAMES)]
    book.write_text("\n".join(rows) + "\n")

    def compute(*_: object, **__: object) -> None:
        raise AssertionError("nothing should be computed")

    monkeypatch.setattr("peergauge.classroom.grade.grade", compute)
    out = tmp_path / "out"
    refused("Peer review quality", "grade", export, "--scale", "0..10", "-o", out, "--to",
            f"canvas={book}", error=PeergaugeError)  # fmt: skip
    assert not out.exists()


def test_a_full_or_read_only_disk_is_found_before_anything_is_computed(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compute(*_: object, **__: object) -> None:
        raise AssertionError("nothing should be computed")

    monkeypatch.setattr("peergauge.classroom.grade.grade", compute)
    graded = ("grade", export, "--scale", "0..10", "-o", tmp_path / "out")
    before = sorted(tmp_path.iterdir())

    class Usage:
        free = 1000

    with monkeypatch.context() as patched:
        patched.setattr("peergauge.core.files.disk_usage", lambda _: Usage())
        refused("no space left on device", *graded, error=TableError)
    opening = os.open

    def read_only(path: object, flags: int, *rest: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return opening(path, flags, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", read_only)
        refused("read-only file system", *graded, error=TableError)
    assert sorted(tmp_path.iterdir()) == before


def test_a_disk_that_fills_up_while_writing_leaves_the_folder_of_the_last_run(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    graded = ("grade", export, "--scale", "0..10", "-o", out, "--handouts")
    run(*graded)
    before = contents(out)
    writing, written = Path.write_bytes, 0

    def until_full(path: Path, data: bytes) -> int:
        nonlocal written
        if out in path.parents:
            written += 1
            if written > 8:
                raise OSError(28, "No space left on device")
        return writing(path, data)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    with pytest.raises(OSError, match="No space left"):
        CliRunner().invoke(app, [*map(str, graded), "--seed", "9"], catch_exceptions=False)
    assert contents(out) == before
