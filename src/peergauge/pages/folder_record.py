"""The record of a graded folder in its audit: what its tables show, and digests of its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peergauge.classroom.grade.audit import AUDIT_FILE, write_audit
from peergauge.core.files import as_bytes
from peergauge.core.lazy import pl
from peergauge.core.replacing import DIGESTS_KEY, digests_of
from peergauge.pages.gradebook_files import GradebookFiles, table_columns


def with_record(
    audit: Mapping[str, Any],
    folder: Path,
    content: Mapping[Path, pl.DataFrame | bytes],
    tables: Mapping[str, pl.DataFrame],
    books: GradebookFiles,
) -> dict[Path, bytes]:
    """The bytes of all files, the audit first, which records the others.

    Parameters
    ----------
    audit
        The numbers that the grades are made of.
    content
        All files but the audit and the gradebooks.
    tables
        The tables of submissions and graders; their explanations in words are not recorded.
    """
    every = {**content, **books.content}
    data = {path: as_bytes(one, path) for path, one in every.items()}
    record = {
        **audit,
        "tables": {name: table_columns(table) for name, table in tables.items()},
        "marks": books.marks,
        "gradebooks": books.about,
        DIGESTS_KEY: digests_of(data, folder),
    }
    return {folder / AUDIT_FILE: write_audit(record), **data}
