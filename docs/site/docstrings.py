"""Docstrings as Napoleon should read them, and types as they are written in the code."""

from __future__ import annotations

import typing
from typing import Any

import sphinx.util.inspect
import sphinx.util.typing
from sphinx.application import Sphinx

SECTION_UNDERLINE = "---"


class AsWritten:
    """The module `typing` for Sphinx, except that annotations stay as they are in the code.

    `Ints` and `NDArray[np.int32]` say more than `ndarray[tuple[Any, ...], dtype[int32]]`.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(typing, name)

    def get_type_hints(self, *_: Any, **__: Any) -> dict[str, Any]:
        """Refuse; Sphinx then shows the annotations themselves."""
        raise NameError("annotations are shown as they are written")


def prepare(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change *lines* in place, before Napoleon reads them.

    An example that follows a list of parameters gets a heading, so that it is not read as one of
    them. The first line of a property is a sentence: a colon in it does not end a type.
    """
    for place, line in enumerate(lines):
        if line.startswith(">>> ") and _in_section(lines[:place]):
            lines[place:place] = ["Examples", "--------"]
            break
    if what in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]


def _in_section(lines: list[str]) -> bool:
    """Whether a section other than examples is open at the end of *lines*."""
    titles = [
        title
        for title, underline in zip(lines, lines[1:], strict=False)
        if underline.startswith(SECTION_UNDERLINE)
    ]
    return bool(titles) and titles[-1] != "Examples"


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen for docstrings."""
    for module in (sphinx.util.inspect, sphinx.util.typing):
        vars(module)["typing"] = AsWritten()
    app.connect("autodoc-process-docstring", prepare, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
