"""Mechanisms with made-up numbers for the tests of recommendations."""

from __future__ import annotations

from peergauge.advice.measures import Value
from peergauge.advice.standing import Needs, Standing


def standing(
    name: str, auc: float, difference: float, attack: float | None = None, **more: float
) -> Standing:
    """A mechanism with this AUC, difference to MSE and gain of the best attack in every column.

    Needs are given as words that are true.
    """
    needs = {one: bool(more.pop(one, False)) for one in Needs.__dataclass_fields__}
    values = {
        "binary-auc": Value(auc, 0.002, 100),
        "mse-difference": Value(difference, 0.001, 100),
        "paid": Value(more.pop("paid", 1.0), 0.0, 100),
    }
    if attack is not None:
        values |= {
            "alone": Value(attack, 0.25, 200, "hedge", "plain", 0, "everybody"),
            "together": Value(attack, 0.25, 200, "hedge", "plain", 60, "everybody"),
            "by-type": Value(attack, 0.25, 200, "hedge", "plain", 0, "ability-4"),
        }
    return Standing(name, name.upper(), Needs(**needs), values)
