"""The folder of a comparison, with and without the packages of its page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from peergauge.advice.measures import Value
from peergauge.pages import leaderboard
from peergauge.pages.bench_folder import write
from tests.advice.standings import standing

FOUND = cast(
    Any, SimpleNamespace(board=pl.DataFrame({"mechanism": ["mse"], "rank": [1]}), settings=())
)


def test_the_page_comes_first_and_the_board_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "page", lambda *_: "<p>ranked</p>")
    written = write(FOUND, tmp_path)
    assert written.files == [tmp_path / "index.html", tmp_path / "leaderboard.csv"]
    assert written.lacking == set()
    assert (tmp_path / "index.html").read_text() == "<p>ranked</p>"
    assert (tmp_path / "leaderboard.csv").read_text() == "mechanism,rank\nmse,1\n"


def test_the_frontier_is_drawn_if_mechanisms_were_attacked_by_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "page", lambda *_: "<p>ranked</p>")
    measured = standing("mse", 0.9, 0.0, 2.0)
    worst = replace(measured, values={**measured.values, "worst-auc": Value(0.8, 0.01, 9)})
    for one, drawn in ((measured, False), (worst, True)):
        found = SimpleNamespace(
            board=FOUND.board, settings=("paper",), standings=lambda _, one=one: [one]
        )
        written = write(cast(Any, found), tmp_path / str(drawn))
        assert (tmp_path / str(drawn) / "frontier.svg" in written.files) == drawn
        assert written.lacking_for_figure == set()


def failing_with(name: str) -> Any:
    def page(found: Any, folder: Path) -> str:
        raise ModuleNotFoundError(f"No module named '{name}'", name=name)

    return page


def test_without_a_package_of_the_page_the_board_is_written_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "page", failing_with("altair.vegalite"))
    written = write(FOUND, tmp_path)
    assert written.files == [tmp_path / "leaderboard.csv"]
    assert written.lacking == {"altair"}
    assert not (tmp_path / "index.html").exists()


def test_another_missing_module_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "page", failing_with("peergauge.nowhere"))
    with pytest.raises(ModuleNotFoundError, match=r"peergauge\.nowhere"):
        write(FOUND, tmp_path)
