"""Small workbooks, written cell by cell."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | None

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write_workbook(
    path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]]], *, hidden: Sequence[str] = ()
) -> Path:
    """Write a workbook with these rows on each sheet."""
    numbered = list(enumerate(sheets.items(), 1))
    states = ("visible", "hidden")
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="r{i}" state="{states[name in hidden]}"/>'
        for i, (name, _) in numbered
    )
    related = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
        packed.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        packed.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
            "</workbook>",
        )
        packed.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{RELATIONS}">{related}</Relationships>',
        )
        for i, (_, rows) in numbered:
            packed.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{_rows(rows)}</sheetData>'
                "</worksheet>",
            )
    return path


def _rows(rows: Sequence[Sequence[Cell]]) -> str:
    return "".join(
        f'<row r="{i}">'
        + "".join(
            _cell(f"{chr(64 + j)}{i}", cell) for j, cell in enumerate(row, 1) if cell is not None
        )
        + "</row>"
        for i, row in enumerate(rows, 1)
    )


def _cell(where: str, cell: str | float) -> str:
    if isinstance(cell, str):
        return f'<c r="{where}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{where}"><v>{cell}</v></c>'
