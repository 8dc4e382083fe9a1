"""Times in files: ZIP archives that can be written whatever the clock says, and a given time."""

from __future__ import annotations

import os
import time
import zipfile
from datetime import UTC, datetime
from typing import IO, Any

from peergauge.core.errors import ParameterError

SOURCE_DATE_VARIABLE = "SOURCE_DATE_EPOCH"
"""The environment variable with the time that libraries write into files, for equal bytes."""

FIRST_ZIP_DATE, LAST_ZIP_DATE = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""The first and the last time that a ZIP archive can hold."""


class DatedArchive(zipfile.ZipFile):
    """A new archive, in which a time that ZIP cannot hold is replaced by the nearest that it can.

    The clock of a machine without a battery begins in 1970.
    """

    def __init__(self, file: IO[bytes]):
        super().__init__(file, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)

    def writestr(  # type: ignore[override]
        self, member: zipfile.ZipInfo | str, *data: Any, **how: Any
    ) -> None:
        """Add a member; its time is now, if only its name is given."""
        if isinstance(member, str):
            now = time.localtime(time.time())[:6]
            member = zipfile.ZipInfo(member, min(max(now, FIRST_ZIP_DATE), LAST_ZIP_DATE))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o600 << 16
        super().writestr(member, *data, **how)


def check_source_date() -> None:
    """Raise an error if the time that libraries should write into files is none."""
    given = os.environ.get(SOURCE_DATE_VARIABLE)
    if not given:
        return
    try:
        datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise ParameterError(
            f"The environment variable {SOURCE_DATE_VARIABLE} is '{given}', which is no time; give "
            "whole seconds since 1970, or remove it."
        ) from None
