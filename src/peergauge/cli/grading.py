"""The command for instructors: grades for submissions, and points for graders, from an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peergauge.cli._app import CLASS, Force, app, counting_steps, note
from peergauge.cli._door import AcceptDefaults, Answers, Door, MapFile
from peergauge.cli.classes import (
    ASSIGNED_HELP,
    Assignment,
    Criterion,
    ExportFiles,
    KnownScale,
    Using,
)
from peergauge.core.claims import claimed
from peergauge.core.errors import ParameterError
from peergauge.core.text import counted

if TYPE_CHECKING:
    from peergauge.classroom.grade import EarlierRun, Settings
    from peergauge.exports.validate import OpenedClass
    from peergauge.pages.grade_folder import GradebookRequest, WrittenFolder


RULES = "Grades and points"
WEEKS = "Final marks, decisions and weeks"
OUTPUT = "What to write"

FILE_WORDS = {
    "report.html": "the report; open it first",
    "grades.csv": "the grade of each submission",
    "graders.csv": "the points of each grader",
    "grades.xlsx": "both tables as sheets, with explanations",
    "marks.csv": "final marks",
    "semester.html": "every student and every week",
    "semester.csv": "the same as a table",
    "handouts.csv": "who gets which handout, for a mail merge",
    "decision-log.csv": "what became of each decision",
    "settings.toml": "all choices, to change and to run again",
    "import.txt": "how the export was read",
    "audit.json": "from which every number can be computed again",
}
"""What each file of the folder is, in the order in which a teacher needs them."""

GRADEBOOK_WORDS = "a gradebook to import"
"""What the other files of the folder are."""


@app.command(rich_help_panel=CLASS)
def grade(
    export: ExportFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write all files into.")],
    scale: KnownScale = None,
    criterion: Criterion = "",
    using: Using = None,
    assignment: Assignment = "",
    column_map: MapFile = None,
    answer: Answers = None,
    accept_defaults: AcceptDefaults = False,
    settings: Annotated[
        Path | None,
        typer.Option(
            help="Settings file; every run writes one. Other options win over it.",
            rich_help_panel=RULES,
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            help="model (default), mean, median, trimmed-mean or vancouver.", rich_help_panel=RULES
        ),
    ] = None,
    ignore_staff: Annotated[
        bool | None,
        typer.Option(
            "--ignore-staff/--use-staff",
            help="Ignore the export's staff grades, and estimate from peers alone.",
            rich_help_panel=RULES,
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(
            "--mechanism",
            "-m",
            help="Mechanism that pays graders; mse-p by default.",
            rich_help_panel=RULES,
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            help="Rule for points: 5..10 (default), or letters as A:20,B:50,C:30 or "
            "A>=-0.5,B>=-1.5,C.",
            rich_help_panel=RULES,
        ),
    ] = None,
    leniency: Annotated[
        str | None,
        typer.Option(
            help="Whether a grader's leniency counts as an error (counts), or is subtracted first "
            "(forgiven); by default the mechanism decides, and the recommended one counts it.",
            rich_help_panel=RULES,
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            help="Probability that an interval contains its value; 0.9 by default.",
            rich_help_panel=RULES,
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            help="Number of submissions and of graders to check; 10 by default.",
            rich_help_panel=RULES,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The same seed gives the same numbers; 0 by default.", rich_help_panel=RULES
        ),
    ] = None,
    final: Annotated[
        str | None,
        typer.Option(
            metavar="WORK/REVIEWING",
            help="Also compute a final mark, such as 80/20.",
            rich_help_panel=WEEKS,
        ),
    ] = None,
    assigned: Annotated[
        Path | None, typer.Option(help=ASSIGNED_HELP, rich_help_panel=WEEKS)
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            help="CSV or XLSX of exclusions, later staff grades and appeals.",
            rich_help_panel=WEEKS,
        ),
    ] = None,
    after: Annotated[
        Path | None,
        typer.Option(
            help="Folder of an earlier run of this course to continue.", rich_help_panel=WEEKS
        ),
    ] = None,
    points_over: Annotated[
        str | None,
        typer.Option(
            help="Reviews that points are for, with --after: week (those of this run; default) or "
            "semester (all weeks so far).",
            rich_help_panel=WEEKS,
        ),
    ] = None,
    handouts: Annotated[
        bool,
        typer.Option(
            "--handouts", help="Also write a page for each student.", rich_help_panel=OUTPUT
        ),
    ] = False,
    to: Annotated[
        list[str] | None,
        typer.Option(
            help="Gradebook to write: canvas, or canvas=EXPORT.csv to fill in; repeatable.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    game: Annotated[
        bool,
        typer.Option(
            "--game",
            help="Also test whether strategies pay off in this class (1 min).",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    force: Force = False,
) -> None:
    """Grade the submissions and the graders of a class, with intervals and explanations.

    The folder has report.html, grades.csv and graders.csv (also as sheets of grades.xlsx),
    settings.toml (all choices, to change and to run again), import.txt (how the export was read)
    and audit.json (from which 'peergauge audit' computes every number again).

    Some files need an option: --final writes marks.csv, --decisions writes decision-log.csv, --to
    writes a gradebook, and --handouts writes the folder students with a page for each student, and
    handouts.csv for a mail merge. With more than one assignment there are semester.html and
    semester.csv, too.

    If the export has staff grades, they are final. If it says which reviews were assigned,
    graders.csv, the marks and the handouts say who owes reviews.
    """
    with claimed(out, private=True), counting_steps("starting") as tell:
        from peergauge.classroom.grade import grade as run
        from peergauge.classroom.grade.audit import read_earlier
        from peergauge.classroom.grade.decisions_file import read_decisions
        from peergauge.core.acceleration import plain_numpy
        from peergauge.core.files import check_writable
        from peergauge.core.optional import GRADING_OUTPUTS, lacking
        from peergauge.exports.assigned_file import read_assigned
        from peergauge.exports.assigned_numbers import known_assigned
        from peergauge.exports.open import class_files
        from peergauge.pages.grade_folder import (
            MIN_FREE_BYTES,
            certain_files,
            check_grade_folder,
            check_gradebooks,
            estimated_bytes,
            write_graded,
        )

        options = {
            "estimator": estimator, "mechanism": mechanism, "points": points, "level": level,
            "budget": budget, "seed": seed, "ignore_staff": ignore_staff,
            "final": _final_shares(final), "points_over": points_over, "leniency": leniency,
        }  # fmt: skip
        earlier = None if after is None else read_earlier(after)
        choices = _settings(settings, earlier, options)
        decided = None if decisions is None else read_decisions(decisions)
        requests = _gradebook_requests(to or [])
        if out.exists() and not out.is_dir():
            raise ParameterError(f"{out} is a file; give a folder to write into.")
        if not out.is_dir() and not out.parent.is_dir():
            raise ParameterError(f"There is no folder {out.parent} to create {out.name} in.")
        changed = [] if settings is None else [settings]
        check_grade_folder(out, certain_files(out, requests), force=force, changed=changed)
        check_writable(out, MIN_FREE_BYTES)
        for sentence in lacking(GRADING_OUTPUTS):
            note(sentence)
        tell("reading", 0, 1)
        door = Door(column_map, tuple(answer or ()), accept_defaults)
        how = {
            "scale": scale, "criterion": criterion, "using": using, "assignment": assignment,
        }  # fmt: skip
        # Compiled functions would take longer to load than to run.
        with plain_numpy():
            if earlier is None:
                opened = door.open(export, **how)
            else:
                opened, earlier = door.open_after(export, earlier, **how)
        check_gradebooks(opened, requests, choices)
        check_writable(out, estimated_bytes(opened, handouts=handouts))
        listed = None if assigned is None else read_assigned(assigned, opened)
        owed = known_assigned(opened, listed)
        if game:
            _note_forecast(opened)
        graded = run(
            opened, choices, earlier=earlier, decisions=decided, assigned=owed, game=game,
            progress=tell,
        )  # fmt: skip
        tell("writing", 0, 1)
        files = class_files(export)
        written = write_graded(
            graded, out, files=files, to=requests, handouts=handouts, force=force, changed=changed
        )
    for sentence in (
        *graded.opened.report.lines(),
        *(() if listed is None else listed.notes),
        *graded.continued(),
        *graded.decided(),
        *graded.headlines(),
    ):
        note(sentence)
    _print_written(written)
    note(_folder_words(out, [path for path in written.files if path.parent == out]))
    for path in written.files:
        if path.parent == out:
            typer.echo(path)


def _note_forecast(opened: OpenedClass) -> None:
    """Print how long the gaming test will take."""
    from peergauge.classroom.grade.gaming import forecast
    from peergauge.engine.workers import cores

    note(forecast(opened.reports, cores()))


def _settings(
    path: Path | None, earlier: EarlierRun | None, options: Mapping[str, object]
) -> Settings:
    """Settings from the options, the settings file, the earlier run and defaults, in this order."""
    from peergauge.classroom.grade.settings_file import (
        Source,
        earlier_settings,
        merged_settings,
        read_settings,
    )

    sources = [] if earlier is None else [earlier_settings(earlier.settings)]
    if path is not None:
        sources.append(read_settings(path))
    given = {name: value for name, value in options.items() if value is not None}
    return merged_settings(*sources, Source("", given))


def _final_shares(text: str | None) -> dict[str, object] | None:
    """The shares of a final mark from ``WORK/REVIEWING``.

    >>> _final_shares("80/20")
    {'use': True, 'work': 80.0, 'reviewing': 20.0}
    """
    if text is None:
        return None
    work, slash, reviewing = text.partition("/")
    try:
        if not slash:
            raise ValueError
        return {"use": True, "work": float(work), "reviewing": float(reviewing)}
    except ValueError:
        raise ParameterError(
            f"'--final {text}' should give the percentages of work and reviewing, such as 80/20."
        ) from None


def _gradebook_requests(to: list[str]) -> list[GradebookRequest]:
    """Gradebooks to write; a kind or a file that does not exist is refused."""
    from peergauge.classroom.gradebooks import gradebooks
    from peergauge.pages.grade_folder import GradebookRequest

    requests: list[GradebookRequest] = []
    for request in to:
        kind, into = _kind_and_file(request)
        name = gradebooks.make(kind).facts.name
        if name in (gradebooks.make(one.kind).facts.name for one in requests):
            raise ParameterError(
                f"There are two requests for a gradebook of {name}, which would be the same file; "
                "give one of them."
            )
        if into and not Path(into).is_file():
            raise ParameterError(
                f"There is no file {into} to fill in; give {kind}=FILE with the gradebook that "
                "the platform exported."
            )
        requests.append(GradebookRequest(kind, Path(into) if into else None))
    return requests


def _kind_and_file(request: str) -> tuple[str, str]:
    """A kind of gradebook and the file to fill, from ``KIND=FILE``; parameters have ``=``, too.

    >>> _kind_and_file("canvas=export.csv"), _kind_and_file("moodle:email=Mail=export.csv")
    (('canvas', 'export.csv'), ('moodle:email=Mail', 'export.csv'))
    >>> _kind_and_file("moodle:email=Mail,id_number=No")
    ('moodle:email=Mail,id_number=No', '')
    """
    # The file may have commas and equals signs in its name, so that one that exists comes first.
    places = [place for place, letter in enumerate(request) if letter == "="]
    for place in places:
        kind, into = request[:place], request[place + 1 :]
        if Path(into).is_file() and (":" not in kind or "=" in kind):
            return kind, into
    name, colon, _ = request.partition(":")
    if not colon or "=" in name:
        kind, _, into = request.partition("=")
        return kind, into
    before, comma, last = request.rpartition(",")
    setting, _, into = last.partition("=")[2].partition("=")
    return f"{before}{comma}{last.partition('=')[0]}={setting}", into


def _folder_words(folder: Path, files: Sequence[Path]) -> str:
    """What a folder has, in one sentence.

    >>> _folder_words(Path("out"), [Path("out/marks.csv"), Path("out/report.html")])
    'The folder out has report.html (the report; open it first) and marks.csv (final marks).'
    """
    order = list(FILE_WORDS)
    names = sorted(
        (path.name for path in files),
        key=lambda name: order.index(name) if name in FILE_WORDS else len(order),
    )
    words = [f"{name} ({FILE_WORDS.get(name, GRADEBOOK_WORDS)})" for name in names]
    return f"The folder {folder} has {' and '.join([', '.join(words[:-1]), words[-1]])}."


def _print_written(written: WrittenFolder) -> None:
    """Print which students each gradebook has, and what was left out."""
    for book in written.gradebooks:
        note(f"{book.path.name}: marks for {counted(len(book.matched), 'student')}.")
        if book.unmatched_people:
            note(f"Not found in the gradebook: {', '.join(book.unmatched_people)}.")
        for sentence in book.notes:
            note(sentence)
    for sentence in written.notes:
        note(sentence)
