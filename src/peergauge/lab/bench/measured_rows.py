"""The rows of a comparison as recommendations use them, with a profile of every setting."""

from __future__ import annotations

from typing import Literal

from peergauge._version import __version__
from peergauge.advice.profile import ClassProfile
from peergauge.advice.rows import MeasuredRows, MeasuredSetting
from peergauge.core.lazy import pl
from peergauge.lab.bench import Bench
from peergauge.lab.bench.suite import BY_NAME, SuiteSetting
from peergauge.simulate import Setting

PROFILED_SEED = 1
"""Seed of the class from which the profile of a setting is taken."""

SLOPE_DIGITS, SHARE_DIGITS = 2, 2
"""Digits to which slopes and shares of a profile are rounded."""


def measured_rows(found: Bench, seed: int, size: str) -> MeasuredRows:
    """The rows of a comparison, with the settings of the suite and without real classes."""
    settings = tuple(measured_setting(BY_NAME[one]) for one in found.settings if one in BY_NAME)
    classes = [one for one in found.settings if one not in BY_NAME]
    board = found.board.filter(~pl.col("setting").is_in(classes))
    return MeasuredRows(board, settings, __version__, seed, size)


def measured_setting(chosen: SuiteSetting) -> MeasuredSetting:
    """A setting of the suite with what an instructor could know about its classes.

    The profile is that of the reports of one simulated class, so that it is comparable with the
    profile of a real class; the standard deviation of slopes is that of its graders. The class has
    the size of those in which graders deviate.
    """
    semester = chosen.deviation_class(PROFILED_SEED).semester()
    profile = ClassProfile.of(
        semester.reports,
        slope_sd=round(float(semester.population.slope.std()), SLOPE_DIGITS),
        spot_checks=chosen.checked,
        prior_known=True,
        assigned_known=True,
    )
    fields = {
        "reviews": round(profile.reviews, 1),
        "ceiling": round(profile.ceiling or 0.0, SHARE_DIGITS),
    }
    return MeasuredSetting(
        chosen.name,
        chosen.label,
        chosen.sentence,
        ClassProfile(**(vars(profile) | fields)),
        _prior(chosen),
        chosen.honest,
    )


def _prior(chosen: SuiteSetting) -> Literal["given", "estimated", "wrong"]:
    """Whether mechanisms are given the right prior in a setting."""
    if chosen.prior == "estimated":
        return "estimated"
    if chosen.prior == "true" or chosen.setting.prior == Setting().prior:
        return "given"
    return "wrong"
