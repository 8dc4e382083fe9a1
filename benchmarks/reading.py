"""Time and memory of reading, validating and preprocessing exports.

Run ``python -m benchmarks.reading``. Every step is timed in a new process, which performs the
earlier steps first; peak memory is that of the whole process, including Python and its libraries.
For comparison, the same file is parsed without interpretation in the same run: by Polars, or by the
standard library for formats that Polars does not know.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

import peergauge

MAX_READ_SECONDS, MAX_READ_GIBIBYTES = 20.0, 2.0
"""Maximum time and memory for a million reviews, from the file to the preprocessed class."""

STEPS = ("bare", "read", "validate", "preprocess")


# ------------------------------------------------------------------------------- files to be read


def reviews(count: int) -> pl.DataFrame:
    """Reviews of ten assignments, four of each submission, on 0..10."""
    rng = np.random.default_rng(1)
    students = count // 40
    author = np.tile(np.repeat(np.arange(students), 4), 10)
    assignment = np.repeat(np.arange(1, 11), 4 * students)
    # Neighbours in a random circle grade each other, so nobody grades a submission twice.
    grader = (author + np.tile([1, 2, 3, 5], 10 * students)) % students
    order = rng.permutation(students)
    return pl.DataFrame(
        {
            "assignment": assignment,
            "author": order[author],
            "grader": order[grader],
            "score": rng.binomial(10, 0.7, len(author)),
        }
    )


def as_table(frame: pl.DataFrame) -> pl.DataFrame:
    """The same reviews with column names as on a platform."""
    return frame.select(
        pl.format("Homework {}", "assignment").alias("Assignment"),
        pl.format("essay-{}-{}", "assignment", "author").alias("Submission ID"),
        pl.format("student{}@example.edu", "grader").alias("Reviewer"),
        pl.col("score").alias("Score (0-10)"),
    )


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a CSV file."""
    as_table(frame).write_csv(path)


def write_xlsx(frame: pl.DataFrame, path: Path) -> None:
    """Write an XLSX workbook."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Reviews")
    table = as_table(frame)
    sheet.append(table.columns)
    for row in table.iter_rows():
        sheet.append(row)
    book.save(path)


def write_rubric(frame: pl.DataFrame, path: Path) -> None:
    """Write a Canvas rubric with two criteria and its assessments, as its API returns them."""
    criteria = [{"id": f"_{k}", "description": f"Part {k}", "points": 5} for k in (1, 2)]
    given = [
        {
            "id": number,
            "rubric_association_id": assignment,
            "artifact_id": 100_000 * assignment + author,
            "artifact_type": "Submission",
            "assessment_type": "peer_review",
            "assessor_id": grader,
            "score": score,
            "data": [
                {"criterion_id": "_1", "points": score // 2, "comments": "Clear and short."},
                {"criterion_id": "_2", "points": score - score // 2, "comments": ""},
            ],
        }
        for number, (assignment, author, grader, score) in enumerate(frame.iter_rows())
    ]
    rubric = {"id": 1, "points_possible": 10, "data": criteria, "assessments": given}
    path.write_text(json.dumps(rubric), encoding="utf-8")


def write_backup(frame: pl.DataFrame, path: Path) -> None:
    """Write a Moodle backup with a workshop for each assignment."""
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:

        def add(name: str, text: str) -> None:
            raw = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, BytesIO(raw))

        add("moodle_backup.xml", "<moodle_backup/>")
        for (number,), group in frame.group_by("assignment", maintain_order=True):
            add(
                f"activities/workshop_{number}/workshop.xml",
                f'<activity id="{number}"><workshop id="{number}"><name>Homework {number}</name>'
                f"<submissions>{''.join(_submissions(group))}</submissions></workshop></activity>",
            )


def _submissions(group: pl.DataFrame) -> Iterable[str]:
    for (author,), given in group.group_by("author", maintain_order=True):
        assessments = "".join(
            f'<assessment id="{row}"><reviewerid>{grader}</reviewerid><weight>1</weight>'
            f"<grade>{10 * score}.00000</grade></assessment>"
            for row, (_, _, grader, score) in enumerate(given.iter_rows())
        )
        yield (
            f'<submission id="{author}"><authorid>{author}</authorid><title>Essay</title>'
            f"<assessments>{assessments}</assessments></submission>"
        )


# ------------------------------------------------------------------------------------ bare readings


def bare_backup(path: Path) -> object:
    """Parse every XML file of an archive with the standard library."""
    from xml.etree import ElementTree

    with tarfile.open(path) as archive:
        return [ElementTree.parse(archive.extractfile(one) or BytesIO()) for one in archive]


@dataclass(frozen=True)
class Kind:
    """A format, its number of reviews, and functions that write it and parse it."""

    label: str
    suffix: str
    reviews: int
    write: Callable[[pl.DataFrame, Path], None]
    bare: Callable[[Path], object]
    by: str


KINDS = {
    "csv": Kind("CSV", ".csv", 1_000_000, write_csv, pl.read_csv, "`polars.read_csv`"),
    "xlsx": Kind("XLSX", ".xlsx", 50_000, write_xlsx, pl.read_excel, "`polars.read_excel`"),
    "rubric": Kind(
        "Canvas rubric (JSON)", ".json", 100_000, write_rubric, pl.read_json, "`polars.read_json`"
    ),
    "backup": Kind(
        "Moodle backup (.mbz)", ".mbz", 100_000, write_backup, bare_backup, "tarfile, ElementTree"
    ),
}


# ---------------------------------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Cost:
    """Cost of one step on one file."""

    seconds: float
    peak: float
    """Peak memory of the whole process, in GiB."""


def run_step(kind: str, path: Path, step: str) -> Cost:
    """Perform a step and all earlier steps in this process, and time the last."""
    from peergauge.exports.preprocess import preprocess
    from peergauge.exports.readers import read_export
    from peergauge.exports.validate import validate

    value: object = path
    seconds = 0.0
    doing: dict[str, Callable[..., object]] = {
        "read": read_export,
        "validate": validate,
        "preprocess": lambda classroom: preprocess(classroom.reports, classroom.truth),
    }
    if step == "bare":
        doing = {"bare": KINDS[kind].bare}
    for name, do in doing.items():
        begin = time.perf_counter()
        value = do(value)
        seconds = time.perf_counter() - begin
        if name == step:
            break
    return Cost(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def measure(kind: str, count: int, repeats: int) -> tuple[dict[str, Cost], float]:
    """Minimum cost of each step over several runs, and the size of the file in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"class{KINDS[kind].suffix}"
        # Another process writes the file, because child processes inherit the peak memory of this.
        here = [sys.executable, "-m", "benchmarks.reading"]
        subprocess.run([*here, "--write", kind, str(path), str(count)], check=True)
        found = {}
        for step in STEPS:
            costs = []
            for _ in range(repeats):
                done = subprocess.run(
                    [*here, "--step", kind, str(path), step], capture_output=True, check=True
                )
                costs.append(Cost(**json.loads(done.stdout)))
            found[step] = min(costs, key=lambda cost: cost.seconds)
            print(f"{kind:<8} {step:<12} {found[step]}", file=sys.stderr)
        return found, path.stat().st_size / 2**20


def report(found: dict[str, tuple[dict[str, Cost], float]]) -> str:
    """Format the results as a Markdown page."""
    steps, _ = found["csv"]
    whole = sum(steps[step].seconds for step in STEPS[1:])
    lines = [
        "# Reading",
        "",
        "Written by `python -m benchmarks.reading`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"Polars {pl.__version__}, {platform.machine()}. Ten assignments, four reviews of each "
        "submission. Every step ran in a new process, which performed the earlier steps first; the "
        "minimum of several runs. Memory is the peak of the whole process, including libraries.",
        "",
        f"A million reviews in a CSV file take {whole:.1f} s and {steps['preprocess'].peak:.1f} "
        f"GiB from the file to the preprocessed class; the limits are {MAX_READ_SECONDS:g} s and "
        f"{MAX_READ_GIBIBYTES:g} GiB.",
        "",
        "## Seconds",
        "",
        "| file | reviews | MiB | parse only | parser | read | validate | preprocess | "
        "total / parse only |",
        "|---|---:|---:|---:|---|---:|---:|---:|---:|",
    ]
    for name, (costs, size) in found.items():
        kind = KINDS[name]
        each = [costs[step].seconds for step in STEPS]
        lines.append(
            f"| {kind.label} | {kind.reviews:,} | {size:.1f} | {each[0]:.2f} | {kind.by} | "
            + " | ".join(f"{seconds:.2f}" for seconds in each[1:])
            + f" | {sum(each[1:]) / each[0]:.1f} |"
        )
    lines += [
        "",
        "## Peak memory, GiB",
        "",
        "| file | parse only | read | validate | preprocess | preprocess / parse only |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, (costs, _) in found.items():
        peaks = [costs[step].peak for step in STEPS]
        lines.append(
            f"| {KINDS[name].label} | "
            + " | ".join(f"{peak:.2f}" for peak in peaks)
            + f" | {peaks[-1] / peaks[0]:.1f} |"
        )
    lines += [
        "",
        "*Parse only* stops at cells or at a tree; reading also interprets them and notes "
        "irregularities.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run with 1 %% of the reviews")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    parser.add_argument(
        "--step", nargs=3, metavar=("KIND", "FILE", "STEP"), help="one step, as JSON"
    )
    parser.add_argument("--write", nargs=3, metavar=("KIND", "FILE", "REVIEWS"), help="one file")
    given = parser.parse_args()
    if given.write:
        kind, path, count = given.write
        KINDS[kind].write(reviews(int(count)), Path(path))
        return
    if given.step:
        kind, path, step = given.step
        print(json.dumps(vars(run_step(kind, Path(path), step))))
        return
    share, repeats = (100, 1) if given.quick else (1, 3)
    page = report({name: measure(name, KINDS[name].reviews // share, repeats) for name in KINDS})
    print(page)
    if not given.quick:
        given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
