"""Text that spreadsheets must not evaluate as a formula."""

from __future__ import annotations

import re

from peergauge.core.lazy import pl

# Characters that a spreadsheet skips at the start of a cell, and characters that start a formula.
_SKIPPED = "[\\s\x1c-\x1f'\"`‘’“”\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*"
_BEGINNING = _SKIPPED + "[=+\\-@\t\r＝＋－＠﹦﹢﹣﹫−]"
_FORMULA = re.compile(_BEGINNING)


def like_a_formula(text: str) -> bool:
    """Whether a spreadsheet might evaluate *text* as a formula."""
    return _FORMULA.match(text) is not None


def guarded(text: str) -> str:
    """Return *text* with a leading apostrophe if a spreadsheet might evaluate it.

    >>> guarded("=1+1"), guarded("Ada")
    ("'=1+1", 'Ada')
    """
    return f"'{text}" if like_a_formula(text) else text


def unguarded(text: str) -> str:
    """Return the text before :func:`guarded` was applied.

    Text that looks guarded is guarded too, so no other text loses its apostrophe.

    >>> unguarded(guarded("'=1+1")), unguarded("'t Hooft")
    ("'=1+1", "'t Hooft")
    """
    return text[1:] if text.startswith("'") and like_a_formula(text[1:]) else text


def guarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with :func:`guarded` column names and texts."""
    changed = [
        pl.when(text.str.contains(f"^{_BEGINNING}")).then(pl.lit("'") + text).otherwise(text)
        for text in _texts(frame)
    ]
    return _with(frame, changed).rename(guarded)


def unguarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The table before :func:`guarded_frame` was applied."""
    changed = [
        pl.when(text.str.contains(f"^'{_BEGINNING}")).then(text.str.slice(1)).otherwise(text)
        for text in _texts(frame)
    ]
    return _with(frame, changed).rename(unguarded)


def _texts(frame: pl.DataFrame) -> list[pl.Expr]:
    return [pl.col(name) for name, kind in frame.schema.items() if kind == pl.String]


def _with(frame: pl.DataFrame, texts: list[pl.Expr]) -> pl.DataFrame:
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(text.alias(name) for name, text in zip(names, texts, strict=True))
