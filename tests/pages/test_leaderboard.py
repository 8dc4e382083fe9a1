"""The page of a comparison."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from peergauge.advice.measures import MEASURES
from peergauge.engine.results import MANIFEST, Row, to_frame
from peergauge.lab.bench import Bench
from peergauge.lab.bench.board import leaderboard
from peergauge.lab.bench.suite import BY_NAME
from peergauge.pages.leaderboard import any_two_axes, page

NUMBERS = {
    "mse": (0.92, -15.0, 26.0),
    "mse-p:bias=estimate": (0.95, -14.0, 46.0),
    "pmi": (0.94, 28.0, 1.0),
    "pmi:prior=mean-and-variance": (0.92, 20.0, 0.1),
    "phi-div-p:divergence=kl": (0.84, 1.5, 19.0),
    "oa": (0.73, -25.0, 12.0),
}


TYPES = {0: "everybody", 30: "ability-4"}
"""The type of the graders of each attack, by the number of others."""


def rows(settings: tuple[str, ...]) -> Iterator[Row]:
    """What a run might have measured."""
    for setting in settings:
        for spec, (auc, robust, attack) in NUMBERS.items():
            accuracy = dict.fromkeys(("binary-auc", "quinary-auc", "tau", "pearson"), auc)
            gains = dict.fromkeys(("hedge", "merge"), -robust)
            measured: list[tuple[str, str, str, float, int | None]] = [
                *(("integrity", name, "", value, None) for name, value in accuracy.items()),
                ("integrity", "paid-share", "", 1.0, None),
                *(("robustness", "rank-gain", name, value, None) for name, value in gains.items()),
                ("stability", "tau-variance", "", 0.002, None),
                *(("exploitability", "rank-gain", "hedge", attack, others) for others in (0, 30)),
                *(("exploitability", "standard-error", "hedge", 0.3, n) for n in (0, 30)),
                *(("exploitability", "semesters", "hedge", 50.0, n) for n in (0, 30)),
            ]
            for repetition in (0, 1):
                for name, metric, strategy, value, others in measured:
                    kind = None if others is None else "plain"
                    yield Row(
                        f"bench-{name}", spec, strategy, metric, repetition, 0,
                        value + 0.001 * repetition,
                        {
                            "setting": setting, "kind": kind, "others": others,
                            "type": None if others is None else TYPES[others],
                        },
                    )  # fmt: skip


@pytest.fixture
def found() -> Bench:
    settings = ("paper", "mild-styles")
    return Bench(leaderboard(to_frame(rows(settings))), settings, ("oa",))


@pytest.fixture
def html(found: Bench, tmp_path: Path) -> str:
    versions = {"peergauge": "1", "commit": "c"}
    (tmp_path / MANIFEST).write_text(json.dumps({"seed": 1, "versions": versions}))
    return page(found, tmp_path)


def test_the_page_needs_nothing_from_elsewhere(html: str) -> None:
    start = html.split("<script type", 1)[0]
    assert "http" not in start
    assert 'src="' not in start


def test_every_setting_has_its_recommendations_and_every_mechanism_a_row(
    html: str, found: Bench
) -> None:
    for setting in found.settings:
        assert BY_NAME[setting].sentence in html.replace("&#39;", "'")
    assert html.count("use PMI (pmi)") == 2
    assert html.count('<tr class="why">') == len(NUMBERS) * len(found.settings)
    assert html.count("<code>oa</code>") == len(found.settings)


def test_ones_own_is_told_apart(html: str) -> None:
    assert html.count("(yours)") == 2
    assert "OA (oa) is 6th of 6 by binary AUC" in html


def test_attacks_are_told_in_words(html: str) -> None:
    assert (
        "Best plain strategy if 30 out of 100 others follow it too, for the least accurate quarter "
        "of the graders:"
    ) in html
    assert "Rank gain +46.0 ± 0.3." in html


def test_searches_have_verdicts_and_nothing_is_called_safe(html: str) -> None:
    shown = html.split("<script type", 1)[0]
    assert "withstood the search" in shown
    assert "not attacked" in shown
    assert "safe" not in shown.lower()


def test_any_two_measures_can_be_the_axes(found: Bench) -> None:
    boards = {setting: found.standings(setting) for setting in found.settings}
    spec = any_two_axes(found, boards)
    params = {one["name"]: one for one in spec["params"]}
    measured = set(found.board.filter(pl.col("value").is_not_null())["measure"])
    known = [one.name for one in MEASURES if one.name in measured]
    assert params["up"]["bind"]["options"] == params["across"]["bind"]["options"] == known
    assert (params["up"]["value"], params["across"]["value"]) == ("worst-auc", "by-type")
    assert params["setting"]["bind"]["options"] == ["paper", "mild-styles"]
    points = spec["datasets"][spec["layer"][0]["data"]["name"]]
    assert len(points) == len(NUMBERS) * 2
    mine = next(one for one in points if one["spec"] == "oa")
    assert mine["kind"] == "yours"
    assert mine["needs"] == "nothing"


def test_the_board_has_a_row_for_each_mechanism_setting_and_measure(found: Bench) -> None:
    named = found.board.select("mechanism", "setting", "measure", "strategy", "kind", "others")
    assert named.is_unique().all()
    # Only gains by strategy and attacks by the number of others have several rows of one measure.
    several = found.board.filter(~pl.col("measure").is_in(["rank-gain", "attack"]))
    assert several.select("mechanism", "setting", "measure").is_unique().all()
    attacks = found.board.filter(pl.col("measure") == "alone")
    assert attacks["strategy"].to_list() == ["hedge"] * 12
