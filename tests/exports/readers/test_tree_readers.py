"""Every reader of trees knows its own files, and nothing that is sent harms it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.core.errors import PeergaugeError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import read_export, reader_of
from peergauge.exports.records import Export
from tests.exports.exports import FILES, GOLDEN, TREES, tarred, zipped

JSON = [path for path in FILES if path.suffix == ".json"]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
@pytest.mark.parametrize("path", [one for one in FILES if one.suffix != ".xml"], ids=name_of)
def test_any_encoding_gives_the_same_scores(path: Path, encoding: str, tmp_path: Path) -> None:
    other = tmp_path / path.name
    text = path.read_text(encoding="utf-8")
    other.write_bytes(text.encode(encoding, errors="replace"))
    chosen = reader_of(Opened(other))
    kept, same = chosen.read(Opened(other)), chosen.read(Opened(path))
    assert kept.reviews.drop("source").equals(same.reviews.drop("source"))
    assert kept.people["person"].equals(same.people["person"])


# --------------------------------------------------------------------------------------- damage


def read_or_refuse(path: Path, using: str | None = None) -> Export | None:
    """What is read, or None after a refusal in one sentence; anything else is an error."""
    try:
        return read_export(path, using=using)
    except PeergaugeError as refusal:
        said = str(refusal)
        assert "\n" not in said.replace(str(path), "")
        assert said.endswith(".")
        assert len(said) < 1000
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(
        [
            *(0, -1, 7, 7.0, "7", "7.0", "7,5", "", " ", "null", "True", "$@NULL@$", "NaN"),
            *(float("nan"), float("inf"), 1e308, 10**400, -(10**30), 2**63, "1e999", "9" * 5000),
            *([], {}, [[]], [{}], {"id": None}, "\x00", "\ud800", "أدا\u202e", "🌻", "a" * 10_000),
            *("_10", "Submission ID", "Assessment #1", "peer_review", "data", "\n-- type: ST\n"),
        ]
    ),
    st.text(max_size=20),
    st.integers(),
    st.floats(),
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder of a tree with every key or index in it."""
    todo = [value]
    while todo:
        holder = todo.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                todo.append(holder[key])


def read_json(path: Path) -> Any:
    return json.loads(json.dumps(Opened(path).json))


@pytest.mark.slow
@pytest.mark.parametrize("path", JSON, ids=name_of)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_trees_with_other_values_are_read_or_refused(
    path: Path, folder: Path, data: st.DataObject
) -> None:
    tree = [read_json(path)]
    for _ in range(data.draw(st.integers(1, 6))):
        found = list(places(tree))
        holder, key = found[data.draw(st.integers(0, len(found) - 1))]
        change = data.draw(st.sampled_from(["replace", "delete", "copy", "wrap", "rename", "swap"]))
        if change == "replace":
            holder[key] = data.draw(ODD)
        elif change == "delete" and holder is not tree:
            del holder[key]
        elif change == "copy" and isinstance(holder, list) and holder is not tree:
            holder.append(holder[key])
        elif change == "wrap":
            holder[key] = data.draw(st.sampled_from([[holder[key]], {"data": holder[key]}]))
        elif change == "rename" and isinstance(holder, dict):
            holder[data.draw(st.text(max_size=5))] = holder.pop(key)
        elif change == "swap":
            other, place = found[data.draw(st.integers(0, len(found) - 1))]
            if len(json.dumps(tree)) < 10**6:
                holder[key] = json.loads(json.dumps(other[place]))
        if not list(places(tree)):
            break
    damaged = folder / path.name
    damaged.write_text(json.dumps(tree[0] if tree else None))
    for name in (None, *TREES):
        read_or_refuse(damaged, name)


SEEDS = [path.read_bytes() for path in FILES] + [
    pack(
        {
            "moodle_backup.xml": b"<a/>",
            "activities/workshop_1/workshop.xml": (
                GOLDEN / "moodle-backup" / "workshop.xml"
            ).read_bytes(),
        }
    )
    for pack in (tarred, zipped)
]

SPLICES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b",", b"\n", b"\r", b"[", b"]", b"{", b"}"),
    *(b"<", b">", b"&", b"<!DOCTYPE a>", b"&lol;", b"<workshop id='1'>", b"</workshop>", b"]]>"),
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"Assessment #1\n", b"-- type: ST\n", b" ("),
    *(b"ustar", b"PK\x03\x04", b"\x1f\x8b", b"PK\x01\x02", b"[" * 3000, b"<a>" * 100),
]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    seed=st.sampled_from(SEEDS),
    cuts=st.lists(
        st.tuples(
            st.floats(0, 1), st.integers(0, 40), st.sampled_from(SPLICES) | st.binary(max_size=8)
        ),
        min_size=1,
        max_size=6,
    ),
    using=st.sampled_from([None, *TREES]),
)
def test_files_with_other_bytes_are_read_or_refused(
    folder: Path, seed: bytes, cuts: list[tuple[float, int, bytes]], using: str | None
) -> None:
    content = seed
    for where, length, splice in cuts:
        begin = int(where * len(content))
        content = content[:begin] + splice + content[begin + length :]
    damaged = folder / "damaged"
    damaged.write_bytes(content)
    read_or_refuse(damaged, using)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    begin=st.sampled_from([b"", b"[", b"{", b"<", b"<workshop ", b"PK\x03\x04", b"\x1f\x8b\x08"]),
    content=st.binary(max_size=300),
)
def test_any_bytes_are_read_or_refused(folder: Path, begin: bytes, content: bytes) -> None:
    damaged = folder / "any"
    damaged.write_bytes(begin + content)
    for name in (None, *TREES):
        read_or_refuse(damaged, name)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"assessments":', '{"report":'])
@pytest.mark.parametrize("name", TREES)
def test_a_tree_without_end_is_refused(opening: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    assert read_or_refuse(path, name) is None


def test_nesting_that_json_allows_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    for opening, closing in (("[", "]"), ('{"assessments":[', "]}"), ('[{"report":', "}]")):
        # Python 3.12 and later decode JSON that is nested deeper than its own functions may be.
        for depth in (50, 200, 300, 490, 600, 900, 5_000):
            path.write_text(opening * depth + closing * depth)
            for name in (None, *TREES):
                read_or_refuse(path, name)


@pytest.mark.parametrize(
    "cell",
    [
        "-- " + ": " * 50_000 + " (" * 50_000,
        "Assessment #" + "1" * 100_000 + " x",
        "Assessment #1" + " " * 100_000 + "x",
        "-- feedback: " * 20_000,
        "-- a-- feedback: " * 20_000,
    ],
)
def test_long_cells_are_read(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    lines = f"Assessment #1\n{cell}\n"
    path.write_text(f'Submission ID,Assessment Details,Assessment Scores\ns,"{lines}","{lines}"\n')
    assert read_export(path).format == "ora2"
