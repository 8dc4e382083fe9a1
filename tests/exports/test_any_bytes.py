"""Files with other bytes in them are read or refused, whoever reads them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.corpus import seeds
from fuzz.readers import WAYS, attempt
from peergauge.classroom.gradebooks import gradebooks
from peergauge.exports.readers import readers

SEEDS = {way: [content for one, content in seeds() if one == way] or [b""] for way in WAYS}

SPLICES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b'"', b"'", b",", b";", b"\t", b"\n", b"\r"),
    *(b"[", b"]", b"{", b"}", b"<", b">", b"&", b"\\ud800", b"=", b"/", b"(", b")", b"-", b"PK"),
    *(b"NaN", b"-Infinity", b"1e999", b"1e308", b"9" * 5000, b"-1", b"0", b"1" + b"0" * 300),
    *(b"[" * 3000, b'{"a":' * 3000, b"<a>" * 100, b",x" * 300, b"\r\n" * 300, "🌻أ\u202e".encode()),
]

change = st.tuples(
    st.sampled_from(["splice", "cut", "repeat", "flip", "move"]),
    st.floats(0, 1),
    st.integers(0, 60),
    st.sampled_from(SPLICES) | st.binary(max_size=8),
)


def changed(content: bytes, changes: list[tuple[str, float, int, bytes]]) -> bytes:
    for kind, where, length, splice in changes:
        begin = int(where * len(content))
        before, some, after = content[:begin], content[begin : begin + length], content[begin:]
        if kind == "splice":
            content = before + splice + content[begin + length :]
        elif kind == "cut":
            content = before if length % 2 else after
        elif kind == "repeat":
            content = before + some * (length + 2) + after
        elif kind == "flip" and after:
            content = before + bytes([after[0] ^ (1 << length % 8)]) + after[1:]
        else:
            content = content[begin + length :] + some + before
    return content[: 2**16]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes")


def test_everything_that_reads_files_is_tried() -> None:
    assert {f"reader {name}" for name in readers.classes()} <= set(WAYS)
    assert {f"gradebook {name}" for name in gradebooks.classes()} <= set(WAYS)
    assert [
        way for way in WAYS if way.startswith(("reader", "inside")) and SEEDS[way] == [b""]
    ] == []


@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith(("reader", "inside"))])
def test_files_that_are_whole_are_read(way: str, folder: Path) -> None:
    for content in SEEDS[way]:
        said = attempt(way, content, folder)
        # Some of them hold no class, or one too thin; all of them are known.
        known = "is left", "no reviews of peers", "no grades by peers", "should come with"
        assert said is None or any(words in said for words in known)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), changes=st.lists(change, min_size=1, max_size=6))
def test_files_with_other_bytes_are_read_or_refused(
    way: str, folder: Path, data: st.DataObject, changes: list[tuple[str, float, int, bytes]]
) -> None:
    seed = data.draw(st.sampled_from(SEEDS[way]))
    attempt(way, changed(seed, changes), folder)


LARGE = {
    "a cell": b"grader,essay,score\nada," + b"x" * 2**20 + b",7\n",
    "columns": b"a," * 2**19,
    "quotes": b'grader,"' * 2**15,
    "lists": b"[" * 2**15,
    "objects": b'{"assessments":[' * 2**15,
    "digits": b'{"assessments":[{"artifact_id":' + b"9" * 2**20 + b"}]}",
    "tags": b"<workshop>" * 2**15,
    "an attribute": b"<workshop id='" + b"1" * 2**20,
    "lines": b"\n" * 2**18,
    "tables of TOML": b"[[column]]\n" * 2**13,
    "zeros": bytes(2**20),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith("reader")] + ["columns"])
def test_large_files_take_little_memory(way: str, folder: Path) -> None:
    attempt(way, SEEDS[way][0], folder)  # what is imported is not counted
    for content in LARGE.values():
        tracemalloc.start()
        attempt(way, content, folder)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**26
