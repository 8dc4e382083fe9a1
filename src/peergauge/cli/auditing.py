"""Commands for instructors: check a graded folder, and restore the names in one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from peergauge.cli._app import CLASS, AsJson, app, note, stop, working
from peergauge.core.errors import PeergaugeError

BAD_INPUT_CODE = 2
"""Exit code if a folder cannot be checked at all; 1 means that something differs."""

GradedFolder = Annotated[Path, typer.Argument(help="Folder that 'peergauge grade' wrote.")]


@app.command(rich_help_panel=CLASS)
def audit(
    folder: GradedFolder,
    export: Annotated[
        list[Path] | None,
        typer.Option(help="A file that was graded, to compare with its digest; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute the numbers of a graded folder again, and compare them with what its files show.

    Computes grades, rewards and points again from the reviews and weights in audit.json. Then
    compares them with the tables, the workbook, the gradebooks, the report and the pages for
    students, and finds files that were changed. Exits with 0 if nothing differs, with 1 if
    something differs, and with 2 if the folder cannot be checked.
    """
    try:
        with working("Checking", steps=1) as step:
            from peergauge.core.terminal import printable
            from peergauge.exports.open import class_files
            from peergauge.pages.folder_check import check_folder

            step(folder.name)
            found = check_folder(folder, class_files(export) if export else ())
    except PeergaugeError as error:
        stop(str(error), BAD_INPUT_CODE)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}.", BAD_INPUT_CODE)
    if as_json:
        import json

        view = {"compared": found.compared, "differences": found.differences, "notes": found.notes}
        typer.echo(json.dumps(view, ensure_ascii=False))
    else:
        for line in found.lines():
            typer.echo(printable(line))
    if found.differences:
        raise typer.Exit(1)


@app.command(rich_help_panel=CLASS)
def restore(
    folder: GradedFolder,
    key: Annotated[Path, typer.Option(help="The key that 'peergauge read --pseudonymize' wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="New folder to write into.")],
) -> None:
    """Write a folder that was graded under pseudonyms once more, with the names.

    Replaces whole pseudonyms in tables, workbooks, gradebooks, pages and their file names, and in
    the audit. No number changes: the restored folder is checked before it is written.
    """
    with working("Restoring", steps=1) as step:
        from peergauge.pages.restore import restore_folder

        step(folder.name)
        restored = restore_folder(folder, key, out)
    for sentence in restored.notes:
        note(sentence)
    for path in restored.files:
        if path.parent == out:
            typer.echo(path)
