"""The command ``grade``: from an export to final grades, and to grades for the graders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peergauge.cli._app import CLASS, Seed, app, counting_steps, note
from peergauge.cli.classes import Criterion, ExportFiles, KnownScale, Using
from peergauge.core.errors import ParameterError

if TYPE_CHECKING:
    from peergauge.pages.grade_folder import Done, Wish


@app.command(rich_help_panel=CLASS)
def grade(
    export: ExportFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write everything into.")],
    mechanism: Annotated[
        str,
        typer.Option("--mechanism", "-m", help="Mechanism that pays graders; chosen if left out."),
    ] = "",
    points: Annotated[
        str,
        typer.Option(help="Points as 5..10, or letters as A:20,B:50,C:30 or A>=-0.5,B>=-1.5,C."),
    ] = "5..10",
    level: Annotated[float, typer.Option(help="Probability of the intervals.")] = 0.9,
    budget: Annotated[
        int, typer.Option(help="Number of submissions and graders that staff can review.")
    ] = 10,
    game: Annotated[
        bool,
        typer.Option(
            "--game", help="Also test whether this class could game the mechanism (a minute)."
        ),
    ] = False,
    after: Annotated[
        Path | None, typer.Option(help="Folder of the previous run for this course, to continue.")
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(help="Gradebook to write: canvas, or canvas=EXPORT.csv to fill; repeat."),
    ] = None,
    handouts: Annotated[
        bool, typer.Option("--handouts", help="Also write a page for each student.")
    ] = False,
    ignore_staff: Annotated[
        bool, typer.Option("--ignore-staff", help="Estimate as if staff had graded nothing.")
    ] = False,
    scale: KnownScale = None,
    criterion: Criterion = "",
    using: Using = None,
    seed: Seed = 0,
) -> None:
    """Grade a class and its graders, with intervals, reasons, and a list for a second look.

    Writes grades.csv, graders.csv, grades.xlsx, report.html, import.txt (the import report) and
    audit.json, from which every number can be computed again. Staff grades, where the export has
    any, are used as the true scores.
    """
    from dataclasses import replace

    from peergauge.classroom.grade import Settings
    from peergauge.classroom.grade import grade as run
    from peergauge.classroom.grade.audit import read_earlier
    from peergauge.exports.open import class_files, open_class
    from peergauge.pages.grade_folder import write_graded

    settings = Settings(mechanism=mechanism, points=points, level=level, budget=budget, seed=seed)
    wishes = _wishes(to or [])
    if not out.is_dir() and (out.exists() or not out.parent.is_dir()):
        raise ParameterError(f"There is no folder {out.parent} to write {out.name} into.")
    earlier = None if after is None else read_earlier(after)
    with counting_steps() as tell:
        tell("reading", 0, 1)
        opened = open_class(export, scale=scale, criterion=criterion, using=using)
        if ignore_staff:
            opened = replace(opened, truth=None)
        graded = run(opened, settings, earlier=earlier, game=game, progress=tell)
        tell("writing", 0, 1)
        done = write_graded(graded, out, files=class_files(export), to=wishes, handouts=handouts)
    for line in (*graded.room.report.lines(), *graded.headlines()):
        note(line)
    _print_gradebooks(done)
    for path in done.files:
        if path.parent == out:
            typer.echo(path)


def _wishes(to: list[str]) -> list[Wish]:
    """The gradebooks to write; refused if one is unknown or its file is missing."""
    from peergauge.classroom.gradebooks import gradebooks
    from peergauge.pages.grade_folder import Wish

    wishes = []
    for wish in to:
        kind, _, into = wish.partition("=")
        gradebooks.make(kind)
        if into and not Path(into).is_file():
            raise ParameterError(f"There is no file {into} to fill; give {kind}=EXPORT.csv.")
        wishes.append(Wish(kind, Path(into) if into else None))
    return wishes


def _print_gradebooks(done: Done) -> None:
    """Print who was found in each gradebook, and further notes."""
    for book in done.gradebooks:
        note(f"{book.path.name}: {len(book.matched)} people are in it.")
        if book.unmatched_people:
            note(f"Not in the gradebook: {', '.join(book.unmatched_people)}.")
        for sentence in book.notes:
            note(sentence)
    for sentence in done.notes:
        note(sentence)
