"""The gaming test on the report: a card at the top, and a section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.gaming import strategy_label
from peergauge.mechanisms.priors import brief_label
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
