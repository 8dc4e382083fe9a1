"""Reading members of an archive as a stream; nothing is written to disk."""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import MAX_TREE_BYTES, Opened
from peergauge.exports.formats.trees import Readable

GZIP_MARK, ZIP_MARK = b"\x1f\x8b", b"PK\x03\x04"

TAR_BLOCK_BYTES = 512
"""Size of a tar header; every member is padded to a multiple of it."""

MAX_ARCHIVE_MEMBERS = 10_000
"""Largest number of members of one archive that are read."""

MAX_EXPANSION_RATIO = 100
"""Largest ratio of unpacked to packed size; text has a ratio of about ten."""

ALLOWED_UNPACKED_BYTES = 2**26
"""Unpacked size in bytes that every archive may have, whatever its ratio."""

ARCHIVE_ERRORS = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)
"""Exceptions of the standard library for archives that are cut off, changed or locked."""


def is_archive(file: Opened) -> bool:
    """Whether a file begins like a zip or a gzip file."""
    return file.head.startswith((GZIP_MARK, ZIP_MARK))


def first_names(file: Opened) -> list[str]:
    """The names of the members of an archive, as far as they can be read at little cost."""
    try:
        if file.head.startswith(ZIP_MARK):
            with file.stream() as stream, zipfile.ZipFile(stream) as archive:
                return [clean(name) for name in archive.namelist()]
    except ARCHIVE_ERRORS:
        return []
    names: list[str] = []
    try:
        # Only the beginning is unpacked, and at most a megabyte of it.
        begin = zlib.decompressobj(31).decompress(file.head, 2**20)
        for name, _ in _tar_members(BytesIO(begin)):
            names.append(name)
    except ARCHIVE_ERRORS:
        pass
    return names


def members(file: Opened, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Readable]]:
    """Iterate over the *wanted* members of a zip or tar.gz file, as streams.

    A member has to be read before the next one is requested. An archive is refused if the wanted
    members are larger than a JSON or XML file may be, or if its compression ratio is implausible.
    """
    with file.stream() as stream, _sound(file.name):
        found = (
            _zipped(file, stream, wanted)
            if file.head.startswith(ZIP_MARK)
            else _tarred(file, stream)
        )
        left = MAX_TREE_BYTES
        count = 0
        for name, member in found:
            if not wanted(name):
                continue
            count += 1
            if count > MAX_ARCHIVE_MEMBERS:
                raise TableError(
                    f"{file.name} has more than {MAX_ARCHIVE_MEMBERS} such members; export fewer "
                    "activities at once."
                )
            bounded = _Bounded(member, left, f"{file.name}/{name}")
            yield name, bounded
            left = bounded.left


@dataclass(frozen=True)
class Member(Opened):
    """A member of an archive, held in memory, with the same views as a file.

    Parameters
    ----------
    content
        The bytes of the member.
    """

    content: bytes = b""

    @cached_property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.content)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """The member as a stream of bytes."""
        yield BytesIO(self.content)


def opened_members(file: Opened, wanted: Callable[[str], bool]) -> list[Member]:
    """The members of an archive whose file name is *wanted*, in whatever folder they are.

    Paths that lead out of the archive, and copies that an Apple computer adds, are passed over.
    """
    rest = {one.name: getattr(file, one.name) for one in fields(Opened)}
    found = []
    for name, member in members(file, lambda path: _is_inside(path) and wanted(base_name(path))):
        content = BytesIO()
        while chunk := member.read(2**20):
            content.write(chunk)
        path = Path(file.path, name)
        found.append(Member(**{**rest, "path": path, "content": content.getvalue()}))
    return found


def base_name(path: str) -> str:
    """The file name of a member, without its folders."""
    return PurePosixPath(path).name


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return not (path.startswith("/") or {"..", "__MACOSX"} & set(parts))


def clean(name: str) -> str:
    """The name of a member without a leading ``./``."""
    return name.replace("\\", "/").removeprefix("./")


@contextmanager
def _sound(name: str) -> Iterator[None]:
    try:
        yield
    except ARCHIVE_ERRORS as error:
        raise TableError(
            f"{name} is an archive that cannot be unpacked: it is cut off, changed or locked; "
            "download it again."
        ) from error


class _Bounded:
    """A stream that is refused if it gives more than *most* bytes."""

    def __init__(self, stream: Readable, most: int, name: str):
        self.stream, self.left, self.most, self.what = stream, most, most, name

    def read(self, size: int, /) -> bytes:
        with _sound(self.what):
            found = self.stream.read(min(size, self.left + 1))
        self.left -= len(found)
        if self.left < 0:
            raise TableError(
                f"{self.what} unpacks to more than {self.most / 2**20:.0f} MiB, which is too much; "
                "export fewer activities at once."
            )
        return found


def _zipped(
    file: Opened, stream: IO[bytes], wanted: Callable[[str], bool]
) -> Iterator[tuple[str, Readable]]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            name = clean(info.filename)
            if not wanted(name):
                continue
            if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise TableError(
                    f"{file.name} is packed in a way that is not read here; zip it again."
                )
            with archive.open(info) as member:
                yield name, member


def _tarred(file: Opened, stream: IO[bytes]) -> Iterator[tuple[str, Readable]]:
    most = ALLOWED_UNPACKED_BYTES + MAX_EXPANSION_RATIO * file.size
    with gzip.GzipFile(fileobj=stream) as unpacked:
        yield from _tar_members(_Bounded(unpacked, most, file.name))


def _tar_members(stream: Readable) -> Iterator[tuple[str, Readable]]:
    """Iterate over the members of a tar file, by their short names.

    Extended headers are skipped: the members that are read have short names, and an extended header
    would have to be held in memory, whatever its size.
    """
    while len(header := _exactly(stream, TAR_BLOCK_BYTES)) == TAR_BLOCK_BYTES and any(header):
        if header[257:262] != b"ustar" and not _is_plausible(header):
            raise ValueError("no header of tar")
        size = _octal(header[124:136])
        parts = header[345:500] if header[257:263] == b"ustar\x00" else b"", header[:100]
        path = "/".join(part.split(b"\0")[0].decode("utf-8", "replace") for part in parts)
        member = _Slice(stream, size)
        if header[156:157] in {b"0", b"\0"}:
            yield clean(path.lstrip("/") if not parts[0].strip(b"\0") else path), member
        while member.read(2**16):
            pass
        _exactly(stream, -size % TAR_BLOCK_BYTES)


def _is_plausible(header: bytes) -> bool:
    """Whether the checksum of an old tar header is right."""
    stated = _octal(header[148:156])
    return stated == sum(header[:148]) + 8 * 32 + sum(header[156:])


def _octal(digits: bytes) -> int:
    if digits[:1] == b"\x80":
        return int.from_bytes(digits[1:], "big")
    return int(digits.strip(b" \0") or b"0", 8)


def _exactly(stream: Readable, size: int) -> bytes:
    """Read *size* bytes, or fewer at the end of the stream."""
    found = b""
    while len(found) < size and (more := stream.read(size - len(found))):
        found += more
    return found


class _Slice:
    """The next *size* bytes of a stream."""

    def __init__(self, stream: Readable, size: int):
        self.stream, self.left = stream, size

    def read(self, size: int, /) -> bytes:
        if self.left <= 0:
            return b""
        found = self.stream.read(min(size, self.left))
        if not found:
            raise EOFError("the archive is cut off")
        self.left -= len(found)
        return found
