"""Classes as platforms export them, in and out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peergauge.exports.readers import Reader
    from peergauge.exports.validate import Classroom
    from peergauge.tables import Scale

__all__ = ["open_class"]


def open_class(
    paths: Path | str | Sequence[Path | str],
    *,
    scale: Scale | str | None = None,
    criterion: str = "",
    using: str | Reader | None = None,
) -> Classroom:
    """Read the files of one class, whatever they are, and check them.

    Parameters
    ----------
    paths
        The files, or the folder that holds them. A folder that :func:`write_class` or
        ``peergauge simulate`` wrote also tells the scale.
    scale
        The grades that could be given, if the files are not to be believed.
    criterion
        One criterion of the rubric, to be scored by itself.
    using
        The reader, or its spec; told from the files by default.
    """
    from peergauge.exports.readers import read_export
    from peergauge.exports.validate import validate

    return validate(read_export(paths, using=using), scale=scale, criterion=criterion)
