"""Selections: the parts of the paper's results that figures, claims and published files show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from peergauge.core.lazy import pl
from peergauge.engine.results import Scalar
from peergauge.lab.paper.roster import (
    OA,
    PHI_DIV,
    PTS,
    authors_mse_p,
    body,
    for_any_class,
    for_any_class_as_published,
    normalised,
    novel,
    novel_as_published,
    parametric,
    parametric_as_published,
    phi_div_p,
)


@dataclass(frozen=True)
class Selection:
    """Some mechanisms of one experiment, at some values of its parameters.

    Parameters
    ----------
    experiment
        Name of the experiment.
    mechanisms
        Specs of the mechanisms; all of them if left out.
    x
        The parameter that varies along an axis; none if left out.
    where
        Values that other parameters must have.
    main
        Whether mechanisms that the user chose are selected too, so that figures show them.
    """

    experiment: str
    mechanisms: tuple[str, ...] = ()
    x: str = ""
    where: tuple[tuple[str, Scalar], ...] = ()
    main: bool = False

    @property
    def specs(self) -> tuple[str, ...]:
        """Specs of the mechanisms as results have them."""
        return normalised(self.mechanisms)

    def rows(self, table: pl.DataFrame) -> pl.DataFrame:
        """The selected rows of results or cells, with the parameter that varies as column ``x``.

        The main selection has user-chosen mechanisms too. These are the mechanisms that no
        selection of the experiment names, and all mechanisms if the table lacks some of its own.
        """
        chosen = table.filter(pl.col("experiment") == self.experiment)
        if self.mechanisms:
            chosen = chosen.filter(pl.col("mechanism").is_in(self._shown(chosen)))
        for name, value in self.where:
            if name in chosen.columns:
                chosen = chosen.filter(pl.col(name).eq_missing(value))
        x = pl.lit(None, pl.Int64)
        if self.x and self.x in chosen.columns:
            x = pl.col(self.x).cast(pl.Int64)
        return chosen.with_columns(x=x)

    def narrowed(self, where: Mapping[str, Scalar]) -> Selection:
        """The part of the selection in which more parameters have given values."""
        return replace(self, where=(*self.where, *where.items()))

    def _shown(self, table: pl.DataFrame) -> list[str]:
        """Specs of the mechanisms of one experiment that the selection shows."""
        present = table["mechanism"].unique().to_list()
        if not self.main:
            return [spec for spec in present if spec in self.specs]
        if not set(self.specs) <= set(present):
            return present
        named = {spec for one in _of_experiment(self.experiment) for spec in one.specs}
        return [spec for spec in present if spec in self.specs or spec not in named]

    def present_in(self, table: pl.DataFrame) -> bool:
        """Whether a table has any of the selected rows."""
        return bool(self.rows(table).height)


def _of_experiment(name: str) -> list[Selection]:
    """Every selection of an experiment that this module defines."""
    return [
        one for one in globals().values() if isinstance(one, Selection) if one.experiment == name
    ]


TVD, KL, CHI2, H2 = PHI_DIV
TVD_P, KL_P, CHI2_P, H2_P = phi_div_p("ignore")

INTEGRITY = Selection("e1", body("ignore"), "assignments", main=True)
"""E1, parametric mechanisms that ignore bias."""
INTEGRITY_ESTIMATED = Selection("e1", ("mse-p:bias=estimate",), "assignments")
"""E1, MSE_P with biases in its model and no correction of the report."""
INTEGRITY_CORRECTED = Selection("e1", parametric("correct"), "assignments")
"""E1, parametric mechanisms that correct for bias."""

LOO_INTEGRITY = Selection(
    "e1-loo",
    ("loo:bias=ignore", "mse", "mse-p:bias=ignore", KL_P, H2_P, OA),
    "assignments",
    main=True,
)
"""E1 with LOO, beside the mechanisms that measure best."""

FIXED_SHRINKAGE = 1.0
SHRINKAGES = (0.0, 0.25, 0.5, 0.75, FIXED_SHRINKAGE)
"""Shrinkages of the reliabilities of Φ-Div_P, from the estimates to the fixed 1/0.7."""

RELIABILITY_INTEGRITY = {
    shrinkage: Selection(
        "e1-reliability",
        tuple(f"{spec},shrinkage={shrinkage:g}" for spec in phi_div_p("ignore")),
        "assignments",
    )
    for shrinkage in SHRINKAGES
}
"""E1 with Φ-Div_P, by the shrinkage of its reliabilities."""

ITERATIONS = Selection("pg1-iterations")
"""Rounds of the estimation procedure."""

SCATTER = Selection("e1-scatter", body("ignore"), main=True)
"""E1 student by student, parametric mechanisms that ignore bias."""

FITTED_STAND_INS, PAPER_STAND_INS, REAL_CLASSES = (
    ("stand_in", "fitted"),
    ("stand_in", "paper"),
    ("stand_in", None),
)
MEASURED_ONCE = ("resampled", False)

CLASS_INTEGRITY = Selection(
    "e2", for_any_class("ignore"), "block", (MEASURED_ONCE, FITTED_STAND_INS), main=True
)
"""E2, integrity in fitted stand-ins after each block; parametric mechanisms ignore bias."""
CLASS_INTEGRITY_PAPER_MODEL = Selection(
    "e2", for_any_class("ignore"), "block", (MEASURED_ONCE, PAPER_STAND_INS), main=True
)
"""E2, the same in stand-ins of the paper's own model."""
REAL_INTEGRITY = Selection(
    "e2", for_any_class("ignore"), "block", (MEASURED_ONCE, REAL_CLASSES), main=True
)
"""E2, the same in real classes."""
REAL_INTEGRITY_RESAMPLED = Selection(
    "e2", for_any_class("ignore"), "block", (("resampled", True), REAL_CLASSES), main=True
)
"""E2, bootstrap samples of the students of real classes."""
CLASS_INTEGRITY_ESTIMATED = Selection(
    "e2", ("mse-p:bias=estimate",), "block", (MEASURED_ONCE, FITTED_STAND_INS)
)
"""E2, MSE_P with biases in its model."""
CLASS_INTEGRITY_AS_PUBLISHED = Selection(
    "e2", for_any_class_as_published("ignore"), "block", (MEASURED_ONCE,)
)
"""E2, all stand-ins, with MSE_P averaged as the authors did."""
CLASS_INTEGRITY_ESTIMATED_AS_PUBLISHED = Selection(
    "e2", (authors_mse_p("estimate"),), "block", (MEASURED_ONCE,)
)
"""E2, all stand-ins, MSE_P with biases in its model, averaged as the authors did."""

NOT_RANKED = ("unpaid", "undefined")
RANKED_FIRST = ("unpaid", "first")

GAINS = Selection("e3", body("correct"), "strategic", (NOT_RANKED,), main=True)
"""E3, parametric mechanisms that correct for bias."""
GAINS_UNCORRECTED = Selection("e3", parametric("estimate"), "strategic", (NOT_RANKED,))
"""E3, parametric mechanisms that estimate biases and do not correct for them."""
GAINS_NOVEL = Selection("e3", novel("correct"), "strategic", (NOT_RANKED,))
"""E3, novel mechanisms as the text defines them."""
GAINS_NOVEL_AS_PUBLISHED = Selection("e3", novel_as_published("e3"), "strategic", (RANKED_FIRST,))
"""E3, novel mechanisms with the settings that fit the published numbers."""

STRATEGIC_PAY = Selection("e4", body("correct"), "strategic", main=True)
"""E4, truthful against strategic pay."""

ALONE, AUTHORS = ("way", "alone"), ("way", "authors")

GAINS_ALONE = Selection("e5", for_any_class("correct"), where=(ALONE,))
"""E5, all classes, one deviator at a time."""
GAINS_ALONE_UNCORRECTED = Selection("e5", parametric("estimate"), where=(ALONE,))
"""E5, the same for parametric mechanisms that estimate biases and do not correct for them."""
GAINS_AUTHORS = Selection("e5", for_any_class_as_published("correct"), where=(AUTHORS,))
"""E5, all classes, in the authors' way: reports of earlier deviators stay changed."""
GAINS_AUTHORS_UNCORRECTED = Selection("e5", parametric_as_published("estimate"), where=(AUTHORS,))
"""E5, the same for parametric mechanisms that do not correct for bias."""

CLASS_GAINS = Selection("e5", for_any_class("correct"), where=(ALONE, FITTED_STAND_INS), main=True)
"""E5, gains of deviators in fitted stand-ins, one deviator at a time."""
CLASS_GAINS_AUTHORS = Selection(
    "e5", for_any_class_as_published("correct"), where=(AUTHORS, FITTED_STAND_INS), main=True
)
"""E5, gains of deviators in fitted stand-ins, in the authors' way."""
REAL_GAINS = Selection("e5", for_any_class("correct"), where=(ALONE, REAL_CLASSES), main=True)
"""E5, gains of deviators in real classes, one deviator at a time."""

EFFORT_BEST = Selection("e7", ("mse", OA, "mse-p:bias=ignore", H2_P), "active")
EFFORT_NON_PARAMETRIC = Selection("e7", ("dmi", OA, KL, TVD, PTS), "active")
EFFORT_PHI_DIV = Selection("e7", PHI_DIV, "active")
EFFORT_PHI_DIV_P = Selection("e7", phi_div_p("ignore"), "active")
EFFORT = Selection("e7", body("ignore"), "active", main=True)
"""E7, the mechanisms of the body."""
EFFORT_NOVEL = Selection("e7", novel("ignore"), "active")
EFFORT_NOVEL_AS_PUBLISHED = Selection("e7", novel_as_published("e7"), "active")

EFFORT_BEST_BOX = Selection("e7-box", EFFORT_BEST.mechanisms)
EFFORT_NON_PARAMETRIC_BOX = Selection("e7-box", EFFORT_NON_PARAMETRIC.mechanisms)
EFFORT_PHI_DIV_BOX = Selection("e7-box", EFFORT_PHI_DIV.mechanisms)
EFFORT_PHI_DIV_P_BOX = Selection("e7-box", EFFORT_PHI_DIV_P.mechanisms)

EFFORT_BIASED = Selection("e8", body("correct"), "active", main=True)
EFFORT_BIASED_BOX = Selection("e8-box", body("correct"), main=True)

EFFORT_TAU_BIASED = Selection("e9", body("correct"), "assignments", (("bias", 1.0),), main=True)
EFFORT_TAU_UNBIASED = Selection("e9", body("correct"), "assignments", (("bias", 0.0),), main=True)
EFFORT_TAU_BOX = Selection("e9-box", body("correct"), main=True)

TAU_VARIANCE_NON_PARAMETRIC = Selection("e10", ("dmi", OA, KL, TVD, PTS))
TAU_VARIANCE_PARAMETRIC = Selection(
    "e10", ("mse", "mse-p:bias=correct", "phi-div-p:bias=correct,divergence=h2")
)
"""E10, parametric mechanisms that correct for bias."""

STRATEGIC_RANKING = Selection("e11", body("correct"), "strategic", main=True)

RECOVERY_BIASED = Selection("e12", where=(("bias", 1.0),))
RECOVERY_UNBIASED = Selection("e12", where=(("bias", 0.0),))
