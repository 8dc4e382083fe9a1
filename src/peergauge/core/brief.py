"""Short representations of objects, as text and as HTML for notebooks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

MAX_VALUE_LETTERS = 60
"""Letters of a value that are shown in the representation of an object."""

MAX_PLAIN_VALUES = 6
"""Values of a tuple, a list or a mapping that are shown one by one."""

MAX_PREVIEW_ROWS = 10
"""Rows of a table that are shown in a notebook."""


def brief(self: Any) -> str:
    """The representation of a dataclass or named tuple: what differs from its defaults, in short.

    Arrays are shown by their shape, and long values by their length. Use it as
    ``__repr__ = brief`` in the body of a class.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Study:
    ...     classes: int = 10
    ...     scores: Any = None
    ...
    ...     __repr__ = brief
    >>> Study(scores=np.zeros((3, 20)))
    Study(scores=<3 x 20 numbers>)
    """
    shown = ", ".join(f"{name}={_value(value)}" for name, value in _changed(self))
    return f"{type(self).__name__}({shown})"


def concise(self: Any) -> str:
    """The representation of a dataclass: what differs from its defaults, in full.

    Unlike :func:`brief` it leaves nothing out, so that it identifies a setting.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Plan:
    ...     classes: int = 10
    ...     sizes: tuple[int, ...] = ()
    ...
    ...     __repr__ = concise
    >>> Plan(sizes=(1, 2, 3, 4, 5, 6, 7)), Plan()
    (Plan(sizes=(1, 2, 3, 4, 5, 6, 7)), Plan())
    """
    shown = ", ".join(f"{name}={value!r}" for name, value in _changed(self))
    return f"{type(self).__name__}({shown})"


def _changed(self: Any) -> Iterable[tuple[str, Any]]:
    """Fields with their values, without those that have their default value."""
    if dataclasses.is_dataclass(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            if field.repr and not _same(value, default):
                yield field.name, value
        return
    for name, value in zip(self._fields, self, strict=True):
        if not _same(value, self._field_defaults.get(name, dataclasses.MISSING)):
            yield name, value


def _same(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING or type(value) is not type(default):
        return False
    if isinstance(value, np.ndarray):
        return np.array_equal(value, default)
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(default)
    try:
        return bool(value == default)
    except (TypeError, ValueError):
        return False


def _value(value: Any) -> str:
    """A value in at most a few words."""
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape))} numbers>"
    if hasattr(value, "height") and hasattr(value, "columns"):
        return f"<{value.height} rows x {len(value.columns)} columns>"
    if isinstance(value, tuple | list | set | frozenset | Mapping):
        text = repr(value) if len(value) <= MAX_PLAIN_VALUES else ""
        if text and len(text) <= MAX_VALUE_LETTERS:
            return text
        return f"<{len(value)} values>"
    text = repr(value)
    if len(text) <= MAX_VALUE_LETTERS or text.startswith("<"):
        return text
    if isinstance(value, str):
        return f"{text[: MAX_VALUE_LETTERS - 2]}…'"
    return f"{type(value).__name__}(…)"


def html_table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[Any]], left_out: int = 0
) -> str:
    """A table in HTML for a notebook; all names in it are escaped.

    >>> html_table("Pay", ["grader", "reward"], [["<ann>", 0.5]])
    '<div><p>Pay</p><table><thead><tr><th>grader</th><th>reward</th></tr></thead><tbody>\
<tr><td>&lt;ann&gt;</td><td>0.5</td></tr></tbody></table></div>'

    Parameters
    ----------
    caption
        Text above the table.
    header
        Names of the columns.
    rows
        The rows that are shown.
    left_out
        Number of further rows, which are only counted.
    """
    head = "".join(f"<th>{escape(str(name))}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows
    )
    more = f"<p>… and {left_out} more rows</p>" if left_out > 0 else ""
    return (
        f"<div><p>{escape(caption)}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def html_frame(caption: str, frame: Any, rows: int | None = None) -> str:
    """The first rows of a Polars frame in HTML; *rows* is the number of all rows, if it differs."""
    first = frame.head(MAX_PREVIEW_ROWS)
    count = frame.height if rows is None else rows
    return html_table(caption, first.columns, first.rows(), count - first.height)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
