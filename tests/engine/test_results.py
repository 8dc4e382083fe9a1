"""Results: rows that stand alone, kept piece by piece."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zlib import crc32

import polars as pl
import pytest

from peergauge.core.errors import DamageWarning, ParameterError, TableError
from peergauge.engine.results import (
    PLUGINS_KEY,
    ResultsFolder,
    Row,
    Scalar,
    cells,
    merged,
    packed,
    read_piece,
    to_frame,
    unpacked,
    versions,
)

MANIFEST = {"seed": 1, "settings": {"students": 10}}


def row(value: float, *, x: int | None = 3, repetition: int = 0) -> Row:
    return Row("e1", "oa", "", "tau", repetition, 7, value, {"assignments": x})


def test_cells_sum_up_what_is_defined() -> None:
    rows = [row(1.0), row(3.0, repetition=1), row(float("nan"), repetition=2), row(5.0, x=None)]
    table = cells(to_frame(rows))
    # Two values, 1 and 3: mean 2, deviation √2. One value has no deviation.
    assert table.select("experiment", "assignments", "n", "mean").rows() == [
        ("e1", 3, 2, 2.0),
        ("e1", None, 1, 5.0),
    ]
    assert table["sd"].to_list() == [pytest.approx(2**0.5), None]


def test_a_cell_sums_up_the_students_of_all_repetitions() -> None:
    pay = {(0, 0): 1.0, (0, 1): 3.0, (1, 0): 5.0, (1, 1): 7.0}
    table = cells(
        to_frame(
            Row("e1", "mse", "", "pay", k, 0, value, {"student": who, "squared_error": 9.0 - value})
            for (k, who), value in pay.items()
        )
    )
    # Pay 1, 3, 5 and 7: mean 4, variance 20 / 3.
    assert table.columns == ["experiment", "mechanism", "strategy", "metric", "n", "mean", "sd"]
    assert table.row(0)[4:] == pytest.approx((4, 4.0, (20 / 3) ** 0.5))


def test_cells_keep_the_order_of_the_results() -> None:
    rows = [row(1.0, x=x) for x in (9, 2, 5)]
    assert cells(to_frame(rows))["assignments"].to_list() == [9, 2, 5]


def test_parameters_become_columns_between_names_and_measurement() -> None:
    """Each kind of row has its own parameters; those of other rows are missing there."""

    def of(experiment: str, **parameters: Scalar) -> pl.DataFrame:
        return to_frame([Row(experiment, "oa", "", "tau", 0, 7, 0.5, parameters)])

    whole = merged([of("e1", students=20, bias=1), of("e2", bias=0.5, resampled=True)])
    assert whole.columns == [
        *("experiment", "mechanism", "strategy", "metric"),
        *("students", "bias", "resampled"),
        *("repetition", "seed", "value"),
    ]
    assert whole.select("students", "bias", "resampled").rows() == [
        (20, 1.0, None),
        (None, 0.5, True),
    ]


def test_a_parameter_cannot_have_the_name_of_another_column() -> None:
    clash = Row("e1", "oa", "", "tau", 0, 7, 0.5, {"seed": 3})
    with pytest.raises(ParameterError, match="cannot be called seed; rename it"):
        to_frame([clash])


def test_pieces_are_merged_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path / "run")
    folder.open(MANIFEST)
    folder.add("b", packed([row(2.0)]))
    folder.add("a", packed([row(1.0)]))
    (folder.pieces / "stranger.arrow").write_bytes(b"")
    (folder.pieces / "stranger.parquet").write_bytes(b"")
    found = folder.finished()
    assert set(found) == {"a", "b"}
    assert folder.merge([found["a"], found["b"]])["value"].to_list() == [1.0, 2.0]
    assert pl.read_parquet(tmp_path / "run" / "results.parquet")["value"].to_list() == [1.0, 2.0]


def test_a_piece_without_rows_can_be_merged(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(MANIFEST)
    full, empty = folder.add("a", packed([row(1.0)])), folder.add("empty", packed([]))
    assert folder.merge([empty, full]).height == 1


def earlier_file(folder: ResultsFolder, piece: str, rows: list[Row]) -> Path:
    """The file of a piece as earlier versions wrote it."""
    data = BytesIO()
    to_frame(rows).write_parquet(data)
    whole = data.getvalue()
    file = folder.pieces / f"{piece}.{crc32(whole):08x}.parquet"
    file.write_bytes(whole)
    return file


def test_rows_are_the_same_after_they_were_packed() -> None:
    """Texts, truth values, missing values and columns without any value come back as they were."""
    some: Mapping[str, Scalar] = {"students": 20, "bias": 0.5, "resampled": True, "class": "é"}
    none: Mapping[str, Scalar] = dict.fromkeys(["active", *some])
    both = enumerate([some, none])
    rows = [Row("e1", "oa", "", "tau", k, 7, float("nan"), given) for k, given in both]
    assert unpacked(packed(rows)).equals(to_frame(rows))
    assert unpacked(packed(rows)).schema == to_frame(rows).schema
    assert unpacked(packed([])).schema == to_frame([]).schema


def test_a_run_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """Its pieces are Parquet files, which count beside new ones; a damaged one is done again."""
    folder = ResultsFolder(tmp_path)
    folder.open(MANIFEST)
    earlier_file(folder, "a", [row(1.0)])
    folder.add("b", packed([row(2.0)]))
    damaged = earlier_file(folder, "c", [row(3.0)])
    damaged.write_bytes(b"cut")
    with pytest.warns(DamageWarning, match=rf"{damaged.name} is damaged.*computed again"):
        found = folder.finished()
    assert [found[name]["value"].to_list() for name in sorted(found)] == [[1.0], [2.0]]
    folder.add("c", packed([row(3.0)]))
    again = folder.finished()
    assert folder.merge(again[name] for name in "abc")["value"].to_list() == [1.0, 2.0, 3.0]


def test_the_file_of_a_piece_has_its_rows(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(MANIFEST)
    added = folder.add("a", packed([row(1.0), row(2.0, x=None)]))
    (file,) = folder.pieces.iterdir()
    read = read_piece(file)
    assert read is not None
    assert read.equals(added)


@pytest.mark.parametrize("damage", ["cut", "emptied", "zeroed", "changed"])
def test_a_damaged_piece_is_told_and_does_not_count(tmp_path: Path, damage: str) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(MANIFEST)
    folder.add("a", packed([row(1.0)]))
    good = folder.add("b.c", packed([row(2.0)]))
    (file,) = folder.pieces.glob("a.*")
    whole = file.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    file.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "emptied": b"",
            "zeroed": bytes(len(whole)),
            "changed": bytes(changed),
        }[damage]
    )
    with pytest.warns(DamageWarning, match=r"a\.\w+\.arrow is damaged.*computed again"):
        found = folder.finished()
    assert set(found) == {"b.c"}
    assert found["b.c"].equals(good)
    folder.add("a", packed([row(1.0)]))
    assert set(folder.finished()) == {"a", "b.c"}


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b"\0" * 10)
    with pytest.raises(TableError, match=r"manifest\.json is damaged; remove"):
        ResultsFolder(tmp_path).open(MANIFEST)


def test_a_run_is_opened_again_only_with_the_same_manifest(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path / "run")
    folder.open(MANIFEST)
    folder.open(MANIFEST)
    with pytest.raises(TableError, match=r"another run \(its settings differ\)"):
        folder.open({**MANIFEST, "settings": {"students": 11}})
    assert json.loads((tmp_path / "run" / "manifest.json").read_text()) == MANIFEST


def test_the_versions_name_everything_that_numbers_may_depend_on() -> None:
    assert {"peergauge", "commit", "python", "numpy", "scipy", "numba"} <= set(versions())


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my own page")
    with pytest.raises(TableError, match=r"other files, such as index\.html"):
        ResultsFolder(tmp_path).open({"seed": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_a_run_that_was_stopped_at_once_goes_on(tmp_path: Path) -> None:
    (tmp_path / "pieces").mkdir()
    ResultsFolder(tmp_path).open({"seed": 1})
    (tmp_path / "table.csv").write_text("of the run")
    ResultsFolder(tmp_path).open({"seed": 1})


@pytest.mark.parametrize("text", ["[]", "3", "null", "{", '"x"', "9" * 5000])
def test_a_manifest_that_is_no_object_is_refused(tmp_path: Path, text: str) -> None:
    ResultsFolder(tmp_path).open({"seed": 0})
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(TableError, match=r"is damaged|is not the manifest of a run"):
        ResultsFolder(tmp_path).open({"seed": 0})


@pytest.mark.parametrize("plugins", [3, [], "x", {"mechanism 'mine'": 3}])
def test_plug_ins_of_a_damaged_manifest_are_unknown(tmp_path: Path, plugins: object) -> None:
    ResultsFolder(tmp_path).open({"seed": 0})
    (tmp_path / "manifest.json").write_text(json.dumps({"seed": 0, PLUGINS_KEY: plugins}))
    with pytest.raises(TableError, match="results without the mechanism 'mine'"):
        ResultsFolder(tmp_path).open({"seed": 0, PLUGINS_KEY: {"mechanism 'mine'": {"a": "b"}}})
