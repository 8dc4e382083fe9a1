"""Who is compared, and files of users' own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from peergauge.advice.standing import Needs
from peergauge.core.errors import ParameterError, PeergaugeError, TableError
from peergauge.core.plugins import forget_plugins, load_plugins
from peergauge.core.registry import parameters
from peergauge.lab.bench.entrants import entrants_of, found, tried
from peergauge.mechanisms import mechanisms
from tests.lab.bench.files import GOOD, written


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """No test leaves a mechanism behind that others would find."""
    yield
    forget_plugins()


def entrants(path: Path) -> list[str]:
    return [one.spec for one in entrants_of(path)]


def refusal(path: Path) -> str:
    with pytest.raises(PeergaugeError) as caught:
        entrants(path)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_everybody_who_needs_no_truth_is_compared_in_every_variant() -> None:
    specs = {one.spec for one in found()}
    assert {one.spec for one in mechanisms.all() if not one.facts.needs_truth} <= specs
    assert not {one.facts.name for one in found() if one.facts.needs_truth}
    assert {"mse-p", "mse-p:bias=correct", "pmi:prior=mean-and-variance"} <= specs
    # A superseded mechanism is compared, but not in every way.
    assert "sne" in specs
    assert "sne:prior=mean-and-variance" not in specs


def test_two_ways_that_pay_the_same_are_compared_once() -> None:
    by_pay: dict[tuple[str, str], list[bytes]] = {}
    for one in found():
        # Different variants may pay alike in a small class, one variant's ways may not.
        names = {field.name for field in parameters(type(one))} - {"bias", "prior"}
        variant = {name: getattr(one, name) for name in sorted(names)}
        pay = np.nan_to_num(tried(one).total, nan=-1e9).tobytes()
        by_pay.setdefault((one.facts.name, str(variant)), []).append(pay)
    assert all(len(set(pays)) == len(pays) for pays in by_pay.values())


def test_needs_are_told_from_parameters_and_facts() -> None:
    def words(spec: str) -> tuple[str, ...]:
        return Needs.of(mechanisms.make(spec)).words

    assert words("mse") == ()
    assert words("mse-p") == ("a prior",)
    assert words("sne") == ("a prior", "the whole semester")
    assert words("sne:prior=mean") == ("a prior", "the whole semester")
    assert words("sne:prior=mean-and-variance") == ("the whole semester",)
    assert words("dmi") == ("clusters", "chance")
    assert words("phi-div") == ("a scale with steps", "chance")


def test_a_file_of_ones_own_joins_without_touching_the_package(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert entrants(path) == ["my-mad"]
    assert mechanisms.make("my-mad:weight=2").spec == "my-mad:weight=2"
    forget_plugins()
    assert "my-mad" not in mechanisms.classes()


def test_a_file_that_was_changed_is_loaded_anew(tmp_path: Path) -> None:
    before = tried(entrants_of(written(tmp_path))[0]).total
    (changed, *_) = entrants_of(written(tmp_path, GOOD.replace("-self", "-3 * self")))
    np.testing.assert_allclose(tried(changed).total, 3 * before)


def test_variants_of_ones_own_are_compared_too(tmp_path: Path) -> None:
    path = written(tmp_path, facts=', variants=({}, {"weight": 2.0})')
    assert entrants(path) == ["my-mad", "my-mad:weight=2"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"There is no file .*nowhere\.py; give the path"):
        load_plugins(tmp_path / "nowhere.py")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TableError, match="not a text file"):
        load_plugins(path)


def test_a_file_that_does_not_import(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\nimport no_such_module\n")
    told = refusal(path)
    assert told.startswith("mine.py does not import: ModuleNotFoundError")
    assert "(line 2)" in told
    path.write_text("def broken(:\n")
    assert refusal(path).startswith("mine.py does not import: SyntaxError")
    path.write_text("raise SystemExit(3)\n")
    assert refusal(path).startswith("mine.py does not import: SystemExit")


def test_a_file_that_registers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n")
    assert "mine.py registers no plug-in; put a decorator such as @mechanism" in refusal(path)


def test_a_name_that_is_taken(tmp_path: Path) -> None:
    told = refusal(written(tmp_path, name="mse"))
    assert "mine.py cannot be used" in told
    assert "Two mechanisms are called 'mse'" in told
    assert mechanisms.make("mse").facts.label == "MSE"


@pytest.mark.parametrize(
    ("body", "facts", "told"),
    [
        ("        return 1 / 0", "", "fails in an ordinary class: ZeroDivisionError"),
        ("        return reports.grade", "", "should return Rewards, but returns a ndarray"),
        (
            "        return Rewards.from_parts(reports, np.full(len(reports), np.nan))",
            "",
            "pays nobody in an ordinary class",
        ),
        (
            "        return Rewards.from_parts(reports, rng.random(len(reports)))",
            "",
            "does not declare random=True",
        ),
        (
            "        chance = np.random.default_rng().random(len(reports))\n"
            "        return Rewards.from_parts(reports, chance)",
            ", random=True",
            "take random numbers from rng alone",
        ),
        (
            "        return Rewards(np.zeros((1, 1)), reports)",
            "",
            "refuses an ordinary class: Rewards for these reports are 4 assignments x 24 graders",
        ),
        (GOOD, ", needs_truth=True", "is paid by the true scores"),
    ],
)
def test_a_mechanism_that_breaks_a_promise(
    tmp_path: Path, body: str, facts: str, told: str
) -> None:
    sentence = refusal(written(tmp_path, body, facts=facts))
    assert sentence.startswith("The mechanism 'my-mad' of mine.py ")
    assert told in sentence


def test_a_class_that_is_no_mechanism(tmp_path: Path) -> None:
    path = written(tmp_path, base="object")
    with pytest.raises((ParameterError, PeergaugeError), match="is no Mechanism"):
        entrants(path)
