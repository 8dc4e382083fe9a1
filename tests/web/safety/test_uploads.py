"""Uploads: names that escape, sizes beyond the limit, broken forms, broken files and bombs."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from fastapi.testclient import TestClient

from peergauge.web.api.weeks import attachment
from tests.web.safety.attacks import class_table

Serve = Callable[..., TestClient]
CLASS = class_table(())
TOO_MANY_BYTES = 3 * 2**20

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def workbook(sheet: bytes) -> bytes:
    """A workbook whose only sheet is this XML."""
    types = (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{MAIN_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{MAIN_TYPE}.worksheet+xml"/>'
        "</Types>"
    )

    def related(kind: str, target: str) -> bytes:
        return (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>'
        ).encode()

    book = (
        f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    return zipped(
        {
            "[Content_Types].xml": types.encode(),
            "_rels/.rels": related("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": book.encode(),
            "xl/_rels/workbook.xml.rels": related("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": sheet,
        }
    )


def cell_sheet(cell: str, before: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{before}<worksheet xmlns="{SHEET}"><sheetData><row r="1">'
        f'<c r="A1" t="inlineStr"><is><t>{cell}</t></is></c></row></sheetData></worksheet>'
    ).encode()


def entity_bomb() -> bytes:
    more = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
    return workbook(cell_sheet("&a9;", f'<!DOCTYPE w [<!ENTITY a0 "zqxzqx">{more}]>'))


def outside_entity() -> bytes:
    return workbook(cell_sheet("&e;", '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>'))


def sheet_bomb() -> bytes:
    return workbook(cell_sheet(" " * (200 * 2**20)))


def tarred(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in members.items():
            one = tarfile.TarInfo(name)
            one.size = len(content)
            archive.addfile(one, io.BytesIO(content))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()


def parquet_bomb() -> bytes:
    rows, made = 8_000_000, io.BytesIO()
    same = {name: pl.repeat("a", rows, eager=True) for name in ("grader", "submission", "grade")}
    pl.DataFrame(same).write_parquet(made)
    return made.getvalue()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../x.csv", "x.csv"),
        ("/etc/x.csv", "x.csv"),
        ("C:\\exports\\x.csv", "x.csv"),
        ("a/../../x.csv", "x.csv"),
        ("%2e%2e%2fx.csv", "%2e%2e%2fx.csv"),
        (".x.csv", "x.csv"),
        ("\u202ex.csv", "x.csv"),
        ("x" * 2000 + ".csv", None),
    ],
)
def test_the_name_of_a_file_never_escapes_its_folder(
    serve: Serve, tmp_path: Path, given: str, kept: str | None
) -> None:
    client = serve(raises=False)
    made = client.post("/api/courses", files={"files": (given, CLASS)}, data={"title": "T"})
    assert made.status_code == 201
    week = made.json()["weeks"][0]["id"]
    assert client.get(f"/api/weeks/{week}/import").json()["error"] == ""
    record = client.get(f"/api/weeks/{week}/record.zip").content
    (name,) = [
        one for one in zipfile.ZipFile(io.BytesIO(record)).namelist() if "/export/" in one
    ]  # fmt: skip
    last = name.partition("/export/")[2]
    assert not {"/", "\\"} & set(last)
    assert len(last) <= 200
    assert kept is None or last == kept
    assert list(tmp_path.rglob("x.csv")) == []


@pytest.mark.parametrize("name", ["..", ".", "x.csv/", "...", "\u202e"])
def test_a_file_without_a_name_is_refused(serve: Serve, name: str) -> None:
    said = serve(raises=False).post("/api/courses", files={"files": (name, CLASS)})
    assert said.status_code == 400
    assert "no name" in said.json()["message"]


def test_a_file_name_does_not_add_headers_to_a_download() -> None:
    said = attachment('a"\r\nX-Evil: 1;ü.csv', b"", "text/csv").headers
    assert said["content-disposition"] == 'attachment; filename="a---X-Evil--1--.csv"'
    assert "x-evil" not in said


# ------------------------------------------------------------------------------------------ sizes


def parts(many: int) -> Iterator[bytes]:
    yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="x.csv"\r\n\r\n'
    for _ in range(many // 2**16):
        yield b"0" * 2**16
    yield b"\r\n--b--\r\n"


@pytest.mark.parametrize("path", ["/api/courses", "/courses"])
def test_an_oversized_upload_is_refused_announced_or_not(serve: Serve, path: str) -> None:
    client = serve(raises=False, max_upload_bytes=2**20)
    form = {"content-type": "multipart/form-data; boundary=b"}
    announced = b"".join(parts(TOO_MANY_BYTES))
    assert client.post(path, content=announced, headers=form).status_code == 413
    # Without a length, in pieces.
    assert client.post(path, content=parts(TOO_MANY_BYTES), headers=form).status_code == 413
    lying = {**form, "content-length": "10"}
    assert client.post(path, content=announced, headers=lying).status_code == 413
    assert client.get("/api/courses").json() == []


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "0x10", "²"])
def test_a_length_that_is_no_number_is_refused(serve: Serve, length: str) -> None:
    client = serve(raises=False)
    headers = {b"content-length": length.encode()}
    assert client.post("/api/courses", headers=headers).status_code == 400


def test_a_body_that_is_no_upload_has_a_smaller_limit(serve: Serve) -> None:
    client = serve(raises=False)
    json = {"content-type": "application/json"}
    large = (b"[" * 2**16 for _ in range(65))
    said = client.post("/api/laboratory/runs", content=large, headers=json)
    assert (said.status_code, set(said.json())) == (413, {"message"})
    form = {"content-type": "application/x-www-form-urlencoded"}
    fields = "&".join(["a=1"] * 20_000)
    assert client.post("/laboratory/runs", content=fields, headers=form).status_code == 413


FIELD = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'
FILE = b'--b\r\nContent-Disposition: form-data; name="files"; filename="x"\r\n\r\n1\r\n'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"x"),
        ("multipart/form-data; boundary=b", b"--other--"),
        ("multipart/form-data; boundary=b", FILE[:-3]),
        ("multipart/form-data; boundary=b", b"--b\r\n" + b"X: y\r\n" * 50_000 + b"\r\n"),
        ("multipart/form-data; boundary=b", FIELD * 5000 + b"--b--"),
        ("multipart/form-data; boundary=b", FILE * 5000 + b"--b--"),
        ("multipart/form-data; boundary=b; charset=zqx", FIELD + b"--b--"),
        ("application/json", b"\xff"),
        ("application/x-www-form-urlencoded; charset=zqx", b"a=%ff"),
    ],
)
@pytest.mark.parametrize("path", ["/api/courses", "/courses", "/laboratory/runs"])
# The reader of forms leaves the file of a truncated form to the garbage collector.
@pytest.mark.filterwarnings("ignore:Unclosed file:ResourceWarning")
def test_a_broken_form_is_refused(serve: Serve, kind: str, body: bytes, path: str) -> None:
    client = serve(raises=False)
    said = client.post(path, content=body, headers={"content-type": kind})
    assert said.status_code in (400, 422), said.text
    assert client.get("/api/courses").json() == []


# ------------------------------------------------------------------------------------------ files


def refusal(client: TestClient, name: str, content: bytes) -> str:
    """Why an uploaded file is not read; all screens of the week answer without a failure."""
    made = client.post("/api/courses", files={"files": (name, content)}, data={"title": "T"})
    assert made.status_code == 201, made.text
    week = made.json()["weeks"][0]["id"]
    said = client.get(f"/api/weeks/{week}/import")
    assert said.status_code == 200
    assert client.get(f"/weeks/{week}").status_code == 200
    for screen in ("grade", "second-look", "gaming", "gradebook", "history", "record.zip"):
        assert client.get(f"/weeks/{week}/{screen}").status_code in (200, 400), screen
    error: str = said.json()["error"]
    return error


@pytest.mark.parametrize(
    "mark", [b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b"\xd0\xcf\x11\xe0"]
)
def test_random_bytes_are_refused_under_every_name(serve: Serve, mark: bytes) -> None:
    client, generator = serve(raises=False), random.Random(3)
    content = mark + generator.randbytes(4000) + mark
    for ending in ("csv", "xlsx", "zip", "parquet", "mbz", "tar.gz", "json", "xml", "ods"):
        error = refusal(client, f"junk.{ending}", content)
        assert f"junk.{ending}" in error
        assert "/tmp" not in error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("entities.xlsx", entity_bomb, "cannot be read as a workbook"),
        ("outside.xlsx", outside_entity, "cannot be read as a workbook"),
        ("bomb.xlsx", sheet_bomb, "when unpacked"),
        ("bomb.mbz", lambda: tarred({"moodle_backup.xml": b" " * 2**28}), "unpacks to more than"),
        ("bomb.parquet", parquet_bomb, "cells are read"),
        ("deep.json", lambda: b"[" * 200_000, "nested too deep"),
        ("wide.csv", lambda: b",".join([b"c"] * 200_000), "too wide"),
        ("slip.zip", lambda: zipped({"../../x.csv": CLASS, "/x.csv": CLASS}), "none of the files"),
        ("slip.mbz", lambda: tarred({"../../x.csv": CLASS}), "none of the files"),
    ],
)
def test_bombs_and_escaping_archives_are_refused(
    serve: Serve, tmp_path: Path, name: str, make: Callable[[], bytes], words: str
) -> None:
    error = refusal(serve(raises=False), name, make())
    assert words in error
    assert "root:" not in error
    assert list(tmp_path.rglob("x.csv")) == []
