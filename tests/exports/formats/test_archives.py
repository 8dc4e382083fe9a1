import gzip
import io
import random
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats import archives
from peergauge.exports.formats.archives import first_names, members
from peergauge.exports.formats.opening import Opened
from tests.exports.exports import tarred, zipped

Pack = Callable[[Mapping[str, bytes]], bytes]


def read(path: Path) -> dict[str, bytes]:
    found = {}
    for name, stream in members(Opened(path), lambda name: name.endswith(".xml")):
        content = b""
        while more := stream.read(1000):
            content += more
        found[name] = content
    return found


def drain(path: Path) -> None:
    for _, stream in members(Opened(path), lambda name: name.endswith(".xml")):
        while stream.read(2**16):
            pass


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_only_what_is_wanted_is_read(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "a.mbz"
    path.write_bytes(
        pack({"a.xml": b"a" * 5000, "b.bin": b"b" * 777, "./c/d.xml": b"", "e.xml": b"e"})
    )
    assert read(path) == {"a.xml": b"a" * 5000, "c/d.xml": b"", "e.xml": b"e"}
    assert "c/d.xml" in first_names(Opened(path))


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_every_kind_of_tar_is_read(kind: int, tmp_path: Path) -> None:
    path = tmp_path / "a.mbz"
    with tarfile.open(path, "w:gz", format=kind) as archive:
        for name in ("f" * 90 + "/" + "g" * 90, "activities/u.xml", "a.xml"):
            info = tarfile.TarInfo(name)
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
    assert read(path) == {"activities/u.xml": b"abc", "a.xml": b"abc"}


@pytest.mark.parametrize("pack", [tarred, zipped])
@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9])
def test_an_archive_that_is_cut_off_is_refused(pack: Pack, keep: float, tmp_path: Path) -> None:
    content = random.Random(1).randbytes(5000)
    whole = pack({"a.xml": content, "b.xml": content})
    path = tmp_path / "a.mbz"
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(TableError, match="cannot be unpacked"):
        read(path)


def test_a_zip_packed_in_an_odd_way_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mbz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.xml", b"a" * 100)
    with pytest.raises(TableError, match="not read here"):
        read(path)


@pytest.mark.parametrize("wanted", ["a.xml", "a.bin"])
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "ALLOWED_UNPACKED_BYTES", 2**20)
    path = tmp_path / "a.mbz"
    path.write_bytes(tarred({wanted: bytes(2**25), "b.xml": b""}))
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    with pytest.raises(TableError, match="unpacks to more than"):
        drain(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22


def test_what_is_wanted_of_a_zip_is_bounded_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_TREE_BYTES", 2**20)
    path = tmp_path / "a.mbz"
    path.write_bytes(zipped({f"{k}.xml": bytes(2**19) for k in range(3)}))
    with pytest.raises(TableError, match="unpacks to more than"):
        read(path)


def test_a_huge_name_is_not_held_in_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 2**25
    path = tmp_path / "a.mbz"
    path.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(2**25) + bytes(1024)))
    tracemalloc.start()
    assert read(path) == {}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22


def test_members_without_number_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_ARCHIVE_MEMBERS", 3)
    path = tmp_path / "a.mbz"
    path.write_bytes(zipped({f"{k}.xml": b"" for k in range(4)}))
    with pytest.raises(TableError, match="more than 3 such members"):
        read(path)
