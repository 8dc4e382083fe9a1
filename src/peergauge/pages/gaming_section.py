"""The gaming test on the report: a card at the top, and a section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from peergauge.advice import recommend
from peergauge.advice.rows import shipped_rows
from peergauge.advice.rule import left_open
from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.gaming import strategy_label
from peergauge.mechanisms.priors import brief_label, without_prior
from peergauge.models import models
from peergauge.pages.grading_cards import Card
from peergauge.pages.grading_charts import NORMAL_QUANTILE_95, colours
from peergauge.tables import Scale

if TYPE_CHECKING:
    from peergauge.classroom.grade.gaming import GamingResult


def gaming_card(graded: GradedClass) -> Card:
    """Answer to whether strategies pay off."""
    question, where, gaming = "Can students game the points?", "game", graded.gaming
    if gaming is None:
        return Card(question, "not tested", "The gaming test takes longer than the rest.", where)
    own = [one for one in gaming.gains if one.mechanism == gaming.chosen]
    tempting = [one for one in own if one.gain > NORMAL_QUANTILE_95 * one.standard_error]
    if not tempting:
        words = f"None of the {len(own)} tested strategies gains anything. {gaming.recommendation}"
        return Card(question, "not by these", words, where, "good")
    best = max(tempting, key=lambda one: one.gain)
    gain = "strategy gains" if len(tempting) == 1 else "strategies gain"
    words = (
        f"The best strategy, ‘{strategy_label(best.strategy, graded.reports.scale)}’, gains "
        f"{best.gain:.1f} ± {NORMAL_QUANTILE_95 * best.standard_error:.1f} ranks out of 100. "
        f"{len(tempting)} of {len(own)} tested {gain} something. {gaming.recommendation}"
    )
    return Card(question, "yes", words, where, "bad")


def gaming_section(gaming: GamingResult, scale: Scale) -> dict[str, Any]:
    """The gaming test as the page shows it: the mechanisms that matter first, then all others.

    Those that matter are the one that pays this class, the recommended one and the most accurate.
    """
    integrity = {one.mechanism: one for one in gaming.integrities}
    found = dict.fromkeys([*integrity, *(one.mechanism for one in gaming.gains)])
    # The mechanism with the highest integrity comes first, those without a value come last.
    order = sorted(found, key=lambda spec: -integrity[spec].integrity if spec in integrity else 9.0)
    roles = {
        "pays this class": gaming.chosen,
        "recommended": gaming.recommended_mechanism,
        "most accurate": gaming.most_accurate,
    }
    important = list(dict.fromkeys(spec for spec in roles.values() if spec in found))
    labels = {spec: brief_label(spec) for spec in found}
    tried = list(dict.fromkeys(one.strategy for one in gaming.gains))
    by_cell = {(one.mechanism, one.strategy): one for one in gaming.gains}

    def row(spec: str) -> tuple[str, str, Any, list[Any]]:
        marks = ", ".join(role for role, other in roles.items() if other == spec)
        return labels[spec], marks, integrity.get(spec), [by_cell.get((spec, n)) for n in tried]

    shown = [labels[spec] for spec in important]
    return {
        "mechanisms": shown,
        "legend": list(zip(colours(len(shown)), shown, strict=True)),
        "strategies": [strategy_label(name, scale) for name in tried],
        "gains": [
            {
                "strategy": strategy_label(one.strategy, scale),
                "mechanism": labels[one.mechanism],
                "gain": one.gain,
                "error": one.standard_error,
            }
            for one in gaming.gains
            if one.mechanism in important
        ],
        "table": [row(spec) for spec in important],
        "others": [row(spec) for spec in order if spec not in important],
        "model_errors": [(models.label_of(one.model), one) for one in gaming.model_errors],
        "quantile": NORMAL_QUANTILE_95,
    }


class MeasuredAdvice(NamedTuple):
    """What was measured in simulated classes that are near this one."""

    why: tuple[str, ...]
    """Which mechanism the measured rows speak for, and how near they are."""

    open: tuple[str, ...]
    """What that mechanism leaves open."""

    label: str
    """Label of the mechanism that pays this class; empty if it was not measured."""

    chosen_open: tuple[str, ...]
    """What the mechanism that pays this class leaves open."""


def measured_advice(graded: GradedClass) -> MeasuredAdvice:
    """What the measured rows of the package say about a class like this one."""
    rows = shipped_rows()
    advice = recommend(graded.reports, rows=rows, assigned_known=graded.assigned is not None)
    spec = without_prior(graded.mechanism).spec
    here, first = (
        {one.spec: one for one in rows.standings(name)}
        for name in (advice.setting.name, rows.settings[0].name)
    )
    chosen_open: tuple[str, ...] = ()
    if advice.near and spec in here and spec != advice.mechanism:
        chosen_open = left_open(
            here[spec],
            first.get(spec),
            rows.settings[0].label,
            {one.name: one.label for one in rows.settings},
            assigned_known=graded.assigned is not None,
        )
    label = brief_label(spec) if chosen_open else ""
    return MeasuredAdvice(advice.why, advice.leaves_open, label, chosen_open)
