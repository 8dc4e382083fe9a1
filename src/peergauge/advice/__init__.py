"""Which mechanism for this class, and what does it leave open: an answer from measured rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from peergauge.advice.profile import MAX_NEAR_DISTANCE, ClassProfile, Gap, gaps
from peergauge.advice.rows import MeasuredRows, MeasuredSetting, shipped_rows
from peergauge.advice.rule import NEEDS, Need, Recommendation, recommend_among
from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.text import percent
from peergauge.tables import Reports

__all__ = ["Advice", "ClassProfile", "MeasuredRows", "recommend"]

SAME_DISTANCE = 0.3
"""Settings whose distances differ by less are equally near; the first of the suite is named."""

MENTIONED_DISTANCE = 0.5
"""Differences of more than this part of their tolerance are mentioned."""

MIN_POINTS_SAVED = 3.0
"""Points that spot checks must save to be mentioned to a class without spot checks."""

CHECKS_PER_TOLERANCE = 0.1
"""Share of checked submissions by which two classes differ as by one tolerance."""


@dataclass(frozen=True)
class Advice:
    """The mechanism for a class, why, and what it leaves open.

    Parameters
    ----------
    profile
        What was known about the class.
    recommendation
        The recommendation in the nearest measured setting; None if nothing measured is near.
    setting
        The nearest measured setting.
    gaps
        How far the class is from that setting, in each number that is known.
    source
        Where the numbers come from.
    with_checks
        A sentence on what spot checks would change; empty if they are in use or change little.

    Examples
    --------
    >>> import peergauge
    >>> advice = peergauge.recommend(peergauge.simulate(students=100, seed=1).reports)
    >>> advice.near, len(advice.leaves_open) > 0
    (True, True)
    """

    profile: ClassProfile
    recommendation: Recommendation | None
    setting: MeasuredSetting
    gaps: tuple[Gap, ...]
    source: str
    with_checks: str = ""

    @property
    def mechanism(self) -> str:
        """Spec of the recommended mechanism; empty if there is none."""
        return "" if self.recommendation is None else self.recommendation.mechanism

    @property
    def near(self) -> bool:
        """Whether a measured setting is near enough to recommend anything."""
        return self.recommendation is not None

    @property
    def why(self) -> tuple[str, ...]:
        """The reason in sentences, with the measured numbers and the row they come from."""
        if self.recommendation is None:
            return (
                "Nothing that was measured is near this class, so there is no recommendation. "
                f"{self.where} Measure the mechanisms in classes of this kind first: 'peergauge "
                "bench --class NAME=FOLDER' if there are true scores, and 'peergauge grade --game' "
                "if there are none.",
            )
        begin, *rest = self.recommendation.why
        checked = self.setting.profile.spot_checks
        words = begin[:1].upper() + begin[1:]
        if checked and self.mechanism:
            words = words.replace(").", f"), with spot checks of {percent(checked)} or more of the "
                                  "submissions.", 1)  # fmt: skip
        row = f", row ‘{self.mechanism}’" if self.mechanism else ""
        return (
            words,
            *rest,
            self.where,
            f"The numbers are from {self.source}, setting ‘{self.setting.name}’{row}.",
        )

    @property
    def leaves_open(self) -> tuple[str, ...]:
        """What the mechanism does not prevent, in sentences."""
        found = () if self.recommendation is None else self.recommendation.leaves_open
        return (*found, self.with_checks) if self.with_checks else found

    @property
    def where(self) -> str:
        """A sentence that names the nearest measured setting and how far the class is from it."""
        name = f"The nearest measured setting is ‘{self.setting.label}’"
        far = sorted(
            (gap for gap in self.gaps if gap.distance > 0.5), key=lambda gap: -gap.distance
        )
        if not far:
            return f"{name}, which is much like this class in all that is known."
        return f"{name}; this class has {'; '.join(gap.in_words() for gap in far)}."

    def __repr__(self) -> str:
        return f"<Advice: {self.mechanism or 'no mechanism'}, measured in {self.setting.label}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self).strip('<>'))}</p><p>{escape(self.text)}</p>"

    @property
    def text(self) -> str:
        """The advice as one paragraph."""
        return " ".join([*self.why, *self.leaves_open])


def recommend(
    known: ClassProfile | Reports | None = None,
    *,
    need: str | Need | None = None,
    rows: MeasuredRows | None = None,
    **fields: Any,
) -> Advice:
    """Recommend a mechanism for a class, from measured rows.

    >>> advice = recommend(students=100, assignments=10, reviews=4, prior_known=True)
    >>> advice.setting.name
    'paper'

    The nearest measured setting is the one that differs least in students, assignments, reviews,
    scale, ceiling, slopes and spot checks, as far as these are known. If it differs too much in any
    of them, nothing is recommended. Otherwise :mod:`peergauge.advice.rule` decides, from the values
    in that setting and from the differences to MSE in all honest settings that the class may
    resemble: those that do not contradict what is known about its ceiling and slopes. What nobody
    can see in a class, such as a misleading feature that graders share, is never ruled out.

    Parameters
    ----------
    known
        The class: a profile, or its reports.
    need
        Name of a restriction (``any``, ``no-prior``, ``no-semester``, ``neither``). By default it
        follows from whether the prior is known.
    rows
        The measured rows; by default those that are shipped with the package.
    fields
        Fields of :class:`ClassProfile`, which describe the class or complete *known*.
    """
    profile = _profile(known, fields)
    restriction = _need(need, profile)
    measured = rows or shipped_rows()
    setting, apart = _nearest(profile, measured.settings)
    if max((gap.distance for gap in apart), default=0.0) > MAX_NEAR_DISTANCE:
        return Advice(profile, None, setting, apart, measured.source)
    found = _recommendation(profile, restriction, measured, setting)
    with_checks = _if_checked(profile, restriction, measured, found)
    return Advice(profile, found, setting, apart, measured.source, with_checks)


def _profile(known: ClassProfile | Reports | None, fields: dict[str, Any]) -> ClassProfile:
    """The profile of a class that is given in one of three ways."""
    unknown = set(fields) - set(ClassProfile.__dataclass_fields__)
    if unknown:
        raise UnknownNameError(
            "field of a class", min(unknown), list(ClassProfile.__dataclass_fields__)
        )
    if isinstance(known, ClassProfile):
        return replace(known, **fields)
    if known is not None:
        return ClassProfile.of(known, **fields)
    if missing := [one for one in ("students", "assignments", "reviews") if one not in fields]:
        raise ParameterError(
            f"A class is described by its reports or by students, assignments and reviews, but "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing."
        )
    return ClassProfile(**fields)


def _need(given: str | Need | None, profile: ClassProfile) -> Need:
    """The restriction, by its name or by what is known."""
    if isinstance(given, Need):
        return given
    by_name = {one.name: one for one in NEEDS}
    if given is None:
        return by_name["any" if profile.prior_known else "no-prior"]
    if given not in by_name:
        raise UnknownNameError("need", given, by_name)
    return by_name[given]


def _nearest(
    profile: ClassProfile, settings: Sequence[MeasuredSetting]
) -> tuple[MeasuredSetting, tuple[Gap, ...]]:
    """The nearest setting that the class can have, and the differences to it."""
    usable = [
        one
        for one in settings
        if one.prior != "wrong" and one.profile.spot_checks <= profile.spot_checks + 1e-9
    ]
    if not usable:
        raise ParameterError("There are no measured settings, so nothing can be recommended.")
    apart = {one.name: tuple(gaps(profile, one.profile)) for one in usable}
    distance = {
        one.name: sum(gap.distance**2 for gap in apart[one.name]) ** 0.5
        + (profile.spot_checks - one.profile.spot_checks) / CHECKS_PER_TOLERANCE
        for one in usable
    }
    least = min(distance.values())
    nearest = next(one for one in usable if distance[one.name] < least + SAME_DISTANCE)
    return nearest, apart[nearest.name]


def _recommendation(
    profile: ClassProfile, need: Need, measured: MeasuredRows, setting: MeasuredSetting
) -> Recommendation:
    """The recommendation in one setting, with the settings that the class may resemble."""
    plausible = [
        one.name
        for one in measured.settings
        if one.honest
        and one.prior != "wrong"
        and all(gap.distance <= 1 for gap in gaps(profile, one.profile, shape=False))
    ]
    first = measured.settings[0]
    elsewhere = {one.spec: one for one in measured.standings(first.name)}
    return recommend_among(
        measured.standings(setting.name),
        need,
        estimated=setting.prior == "estimated",
        differences=measured.differences(plausible),
        elsewhere=elsewhere,
        elsewhere_label=first.label,
        assigned_known=profile.assigned_known,
        label_of={one.name: one.label for one in measured.settings},
    )


def _if_checked(
    profile: ClassProfile, need: Need, measured: MeasuredRows, found: Recommendation
) -> str:
    """A sentence on the least amount of spot checks that would save points, if there is one."""
    checked = [one for one in measured.settings if one.profile.spot_checks > 0]
    if profile.spot_checks or not checked:
        return ""
    for one in sorted(checked, key=lambda each: each.profile.spot_checks):
        could = replace(profile, spot_checks=one.profile.spot_checks)
        other = _recommendation(could, need, measured, one)
        if other.use is None or not other.points_lost < found.points_lost - MIN_POINTS_SAVED:
            continue
        return (
            f"With spot checks of {percent(one.profile.spot_checks)} of the submissions, "
            f"{other.use.label} ({other.use.spec}) loses {other.points_lost:.1f} points instead of "
            f"{found.points_lost:.1f} (measured in ‘{one.label}’)."
        )
    return ""


def __dir__() -> list[str]:
    return __all__
