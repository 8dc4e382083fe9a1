"""The files that record the choices of a week, from which the command line grades as the page does.

A choice that its file cannot hold, or would hold as something else, is refused when it is made.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from peergauge.classroom.grade.decisions import Decision
from peergauge.classroom.grade.decisions_file import DECISION_COLUMNS, read_decisions
from peergauge.classroom.grade.settings_file import (
    SETTINGS_FILE,
    merged_settings,
    read_settings,
    settings_text,
)
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.core.formulas import guarded
from peergauge.exports.formats.columns import ColumnMap
from peergauge.web.state import WeekState
from peergauge.web.workbench import FOLDER_PREFIX, column_map_file, plain_names

MAP_FILE, DECISIONS_FILE = "columns.toml", "decisions.csv"

MAX_QUOTED_LETTERS = 60


def column_map_text(columns: ColumnMap) -> str:
    """A column map as TOML."""
    with _written(MAP_FILE, "") as path:
        columns.write(path)
        return path.read_text(encoding="utf-8")


def map_text(state: WeekState) -> str:
    """The column map of a week with its answers, as TOML."""
    return column_map_text(_column_map(state))


def _column_map(state: WeekState) -> ColumnMap:
    columns = ColumnMap(())
    with column_map_file(state.columns) as path:
        if path is not None:
            columns = ColumnMap.read(path)
    answers = {**columns.answers, **state.answers}
    return ColumnMap(columns.columns, columns.assignment, answers)


def decisions_csv(decisions: Sequence[Decision]) -> str:
    """Decisions as the table that ``peergauge grade --decisions`` reads.

    Texts that a spreadsheet might evaluate are guarded by an apostrophe, as in all our tables.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(DECISION_COLUMNS)
    for one in decisions:
        said = {name: guarded(str(value)) for name, value in one.as_json().items()}
        # All digits, without an exponent, which the readers of tables take for a text.
        said["grade"] = "" if one.grade is None else f"{Decimal(repr(float(one.grade))):f}"
        writer.writerow([said[name] for name in DECISION_COLUMNS])
    return text.getvalue()


# ------------------------------------------------------------------------------------------ checks


def refuse_unrecordable(before: WeekState, after: WeekState) -> None:
    """Raise an error if a change of a week could not be read from the files of its record.

    What the week had before is not checked again, so that an older version's choices stay.
    """
    if after.settings != before.settings:
        _check_settings(after)
    if after.answers != before.answers:
        _check_answers(after)
    if after.decisions != before.decisions:
        _check_decisions(before.decisions, after.decisions)


def _check_settings(state: WeekState) -> None:
    settings = state.checked_settings()
    try:
        with _written(SETTINGS_FILE, settings_text(settings)) as path:
            found = merged_settings(read_settings(path))
    except (PeergaugeError, ValueError) as error:
        raise ParameterError(
            f"These settings cannot be kept in a settings file: {error}"
        ) from error
    if found != settings:
        raise ParameterError(
            "A text of these settings has a character that a settings file cannot keep; type the "
            "text again."
        )


def _check_answers(state: WeekState) -> None:
    wanted = _column_map(state)
    try:
        with _written(MAP_FILE, map_text(state)) as path:
            found = ColumnMap.read(path).answers
    except (PeergaugeError, ValueError) as error:
        raise ParameterError(f"This answer cannot be kept in a column map: {error}") from error
    if found != wanted.answers:
        raise ParameterError(
            "An answer has a character that a column map cannot keep; type the answer again."
        )


def _check_decisions(before: Sequence[Decision], after: Sequence[Decision]) -> None:
    _check_table([one for one in after if one not in before])
    try:
        _check_table(before)
    except PeergaugeError:
        # An older version stored what the table cannot keep.
        return
    _check_table(after)


def _check_table(decisions: Sequence[Decision]) -> None:
    """Raise an error if decisions are not the same after they were written to their table."""
    if not decisions:
        return
    try:
        with plain_names(), _written(DECISIONS_FILE, decisions_csv(decisions)) as path:
            found = read_decisions(path).rows
    except PeergaugeError as error:
        raise ParameterError(
            f"This decision cannot be kept in the table of decisions: {error}"
        ) from error
    if len(found) != len(decisions):
        raise ParameterError(
            "A text of this decision has a character that the table of decisions cannot keep; "
            "type the text again."
        )
    for one, other in zip(decisions, found, strict=True):
        for name, value in one._asdict().items():
            if name != "row" and value != getattr(other, name):
                raise ParameterError(
                    f"The {name} '{_shortened(str(value))}' of this decision would be another one "
                    "in the table of decisions, because it begins, ends or continues with "
                    "characters that a table cannot keep; type it again without them."
                )


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_LETTERS else f"{text[:MAX_QUOTED_LETTERS]}…"


@contextmanager
def _written(name: str, text: str) -> Iterator[Path]:
    """A file of a record in a private folder."""
    with TemporaryDirectory(prefix=FOLDER_PREFIX) as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", newline="\n")
        yield path
