"""The folder of a comparison, with and without the packages of its page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from peergauge.pages import leaderboard
from peergauge.pages.bench_folder import write

FOUND = cast(Any, SimpleNamespace(board=pl.DataFrame({"mechanism": ["mse"], "rank": [1]})))


def test_the_page_comes_first_and_the_board_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "page", lambda *_: "<p>ranked</p>")
    written = write(FOUND, tmp_path)
    assert written.files == [tmp_path / "index.html", tmp_path / "leaderboard.csv"]
    assert written.lacking == set()
    assert (tmp_path / "index.html").read_text() == "<p>ranked</p>"
    assert (tmp_path / "leaderboard.csv").read_text() == "mechanism,rank\nmse,1\n"


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
