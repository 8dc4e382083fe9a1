"""What every plug-in gives for a few small classes must not change by accident.

These tests say **that** something changes, and not whether it is right. What is right is said by
the tests of each plug-in, with cases that are worked by hand, and by the contracts. The values are
computed by this program and stored in ``values/plugins``: for every mechanism, model, measure and
strategy, with default parameters and with each parameter changed, both by the compiled functions
and by the plain ones. The tolerance is relative (1e-6), for sums in another order.

A new plug-in, or a new parameter, has no values yet, and the test says which command stores them.
After a deliberate change, ``python -m tests.golden.plugin_values --again NAME`` stores the values
of a plug-in again. Look at the difference before you commit it: every line that changed should be
one that you meant to change.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from peergauge.core.acceleration import plain_numpy
from tests.golden import plugin_values
from tests.golden.plugin_values import COMMAND, KINDS, Stored, Values, plugins, stored, values_of

pytestmark = pytest.mark.slow

TOLERANCE = 1e-6
"""Relative tolerance; as a share of the largest value of a class, a thousandth of it is enough."""

CASES = [pytest.param(kind, spec, id=f"{kind}-{spec}") for kind in KINDS for spec in plugins(kind)]
every_plugin = pytest.mark.parametrize(("kind", "spec"), CASES)

STORED: dict[str, Stored] = {kind: stored(kind) for kind in KINDS}


def expected(kind: str, spec: str) -> dict[str, Values]:
    """The stored values of a plug-in."""
    if spec not in STORED[kind]:
        pytest.fail(
            f"No values of the {kind} '{spec}' are stored; run `{COMMAND}`, look at what it writes "
            "in tests/golden/values/plugins, and commit it."
        )
    return STORED[kind][spec]


def assert_same(found: dict[str, Values], golden: dict[str, Values], kind: str, spec: str) -> None:
    """Every class has the stored values."""
    hint = f"; if that is meant, run `{COMMAND} --again {spec.partition(':')[0]}`"
    assert list(found) == list(golden), f"the {kind} '{spec}' is tried with other classes{hint}"
    for name, values in golden.items():
        where = f"the {kind} '{spec}' gives other values for the class '{name}'{hint}"
        mine = found[name]
        if isinstance(values, str) or isinstance(mine, str):
            assert mine == values, where
            continue
        assert len(mine) == len(values), where
        both = np.array(values, dtype=np.float64)
        largest = np.abs(both[np.isfinite(both)]).max(initial=1.0)
        np.testing.assert_allclose(
            mine, both, rtol=TOLERANCE, atol=TOLERANCE / 1000 * largest, err_msg=where
        )


@every_plugin
def test_compiled_functions_give_the_stored_values(kind: str, spec: str) -> None:
    golden = expected(kind, spec)
    assert_same(values_of(kind, plugins(kind)[spec]), golden, kind, spec)


@every_plugin
def test_plain_functions_give_the_stored_values(kind: str, spec: str) -> None:
    golden = expected(kind, spec)
    with plain_numpy():
        found = values_of(kind, plugins(kind)[spec])
    assert_same(found, golden, kind, spec)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_stored_of_no_plug_in_that_is_gone(kind: str) -> None:
    gone = sorted(set(STORED[kind]) - set(plugins(kind)))
    assert not gone, f"values are stored of {', '.join(gone)}; run `{COMMAND}` to remove them"


def test_a_new_plug_in_is_stored_by_the_command_and_others_keep_their_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_values, "FOLDER", tmp_path)
    assert plugin_values.store(None, ["metric"]) == list(plugins("metric"))
    file = tmp_path / "metric.json"
    whole = file.read_text(encoding="utf-8")
    known = json.loads(whole)
    del known["pearson"]
    known["tau"] = {"a class": [1.0]}
    known["gone"] = {}
    file.write_text(json.dumps(known), encoding="utf-8")
    assert plugin_values.store(None, ["metric"]) == ["pearson"]
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["tau"] == {"a class": [1.0]}
    assert "gone" not in kept
    assert "tau" in plugin_values.store(["tau"], ["metric"])
    assert file.read_text(encoding="utf-8") == whole


def test_a_plug_in_without_values_fails_with_the_command_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(STORED, "mechanism", {})
    with pytest.raises(
        pytest.fail.Exception,
        match=r"No values of the mechanism 'mse' are stored; run `python -m tests\.golden",
    ):
        expected("mechanism", "mse")


def test_checksums_show_every_change() -> None:
    column = np.array([1.0, -2.0, np.nan, 0.5])
    before = plugin_values.checksum(column)
    others = [
        [1.0, -2.0, np.nan, 0.6],
        [-2.0, 1.0, np.nan, 0.5],
        [1.0, np.nan, -2.0, 0.5],
        [1.0, -2.0, np.inf, 0.5],
        [1.0, -2.0, -np.inf, 0.5],
        [-1.0, 2.0, np.nan, -0.5],
    ]
    for other in others:
        assert not np.allclose(plugin_values.checksum(np.array(other)), before, rtol=1e-9)
