"""ZIP archives that can be written whatever the clock says."""

from __future__ import annotations

import time
import zipfile
from typing import IO, Any

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
