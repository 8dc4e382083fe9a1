"""What plug-ins say about themselves: parameters, choices and docstrings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Literal

import pytest

from peergauge.core.catalogue import Entry, entries, markdown, meanings
from peergauge.core.registry import Facts, Plugin, Registry


class Colour(Enum):
    """Two colours."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, kw_only=True)
class KettleFacts(Facts):
    """What a kettle declares."""

    heat: float = float("inf")


class Kettle(Plugin):
    """Boils water.

    Parameters
    ----------
    litres
        How much it holds.
    """

    facts: ClassVar[KettleFacts]


def kitchen() -> Registry[Kettle]:
    """A registry of one kettle with a parameter of each kind."""
    kettles: Registry[Kettle] = Registry("kettle", "tests.core", KettleFacts)
    # Nothing else is to be searched for.
    kettles._walked = True

    @kettles.register("stove", label="Stove kettle", source="us", variants=({}, {"lid": False}))
    @dataclass(frozen=True)
    class Stove(Kettle):
        """Whistles when it is done.

        It stands on a stove.

        Parameters
        ----------
        whistle, lid
            What it comes with,
            if anything.
        """

        litres: float = 1.5
        lid: bool = True
        whistle: Literal["high", "low"] = "low"
        colour: Colour = Colour.RED
        minutes: int | None = None

    return kettles


@pytest.fixture(name="entry")
def _entry() -> Entry:
    (entry,) = entries(kitchen())
    return entry


def test_an_entry_has_the_name_and_the_text_before_its_parameters(entry: Entry) -> None:
    assert entry.name == "stove"
    assert entry.summary == "Whistles when it is done."
    assert entry.text == "Whistles when it is done.\n\nIt stands on a stove."
    assert entry.idea == "What plug-ins say about themselves: parameters, choices and docstrings."


def test_variants_are_listed_by_spec(entry: Entry) -> None:
    assert [spec for spec, _ in entry.variants] == ["stove", "stove:lid=no"]


def test_each_parameter_has_its_default_and_the_values_that_it_takes(entry: Entry) -> None:
    found = {one.name: (one.default, one.values) for one in entry.parameters}
    assert found == {
        "litres": ("1.5", "number"),
        "lid": ("yes", "yes | no"),
        "whistle": ("low", "high | low"),
        "colour": ("red", "red | blue"),
        "minutes": ("none", "whole number | none"),
    }


def test_a_parameter_means_what_its_class_or_a_base_says(entry: Entry) -> None:
    found = {one.name: one.meaning for one in entry.parameters}
    assert found["litres"] == "How much it holds."
    assert found["lid"] == found["whistle"] == "What it comes with, if anything."
    assert found["minutes"] == ""


def test_a_class_overrides_what_its_base_says() -> None:
    class Tall(Kettle):
        """Is tall.

        Parameters
        ----------
        litres
            More than others.
        """

    assert meanings(Tall) == {"litres": "More than others."}


def test_json_has_no_infinity(entry: Entry) -> None:
    assert entry.facts["heat"] == float("inf")
    assert entry.as_json()["heat"] is None
    assert "text" not in entry.as_json()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a ``b`` c", "a `b` c"),
        ("see :func:`~.score` and :class:`Reports`", "see `score` and `Reports`"),
        ("mean :math:`\\mu`", "mean $\\mu$"),
        (".. math::\n\n    x = 1\n\nNext.", "$$\nx = 1\n$$\n\nNext."),
        (
            ".. math::\n\n    x &= 1 \\\\\n    y &= 2",
            "$$\n\\begin{aligned}\nx &= 1 \\\\\ny &= 2\n\\end{aligned}\n$$\n",
        ),
    ],
    ids=["literal", "role", "formula", "displayed", "aligned"],
)
def test_marks_of_docstrings_become_markdown(text: str, found: str) -> None:
    assert markdown(text) == found
