"""Mechanisms that pay graders from their reports alone, one in each file of this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.activity import doing
from peergauge.core.arrays import Floats
from peergauge.core.brief import brief
from peergauge.core.errors import (
    NeedsTruthError,
    ParameterError,
    PeergaugeError,
    PluginError,
    ScaleError,
    TableError,
)
from peergauge.core.files import as_polars
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.tables import Comparison, Labels, Reports, Rewards, Rubric, Scale, Truth

__all__ = [
    "ComparesRubrics",
    "ComparesWithReference",
    "Equilibrium",
    "Mechanism",
    "MechanismFacts",
    "PaysTotals",
    "ShowsProgress",
    "comparison",
    "mechanism",
    "mechanisms",
    "progress",
    "score",
    "total_pay",
    "variant_of",
]


class Equilibrium(Enum):
    """The equilibrium that truthful reporting is proven to be, as in the paper's table.

    Examples
    --------
    >>> import peergauge
    >>> peergauge.mechanisms.mechanisms["mse"].facts.equilibrium.value
    'none'
    """

    NONE = "none"
    HELPFUL = "helpful reporting"
    TRUTHFUL = "truthful"
    NEARLY_STRONGLY = "ε-strongly truthful"
    DOMINANTLY = "dominantly truthful"
    NOT_ANALYSED = "not analysed"


@dataclass(frozen=True, kw_only=True)
class MechanismFacts(Facts):
    """The facts that a mechanism declares about itself.

    A name is enough: ``@mechanism("mine")``. What the defaults say must then be true.

    Parameters
    ----------
    family
        The family of mechanisms that it belongs to; ``own`` by default.
    novel
        Whether the paper proposes it in its appendix instead of comparing it in the main text.
    random
        Whether payments depend on random draws.
    design
        ``clusters`` if groups of graders must grade the same submissions, ``any`` otherwise.
    steps
        Whether it counts grades, and so needs a scale with steps.
    labels
        Whether it accepts labels in place of grades: ``none``, ``two`` different ones or ``any``
        number of them. It then only counts which reports are equal, and pays the same however the
        labels are ordered or renamed.
    equilibrium, assumption
        The equilibrium that truthful reporting is, and the assumption about signals behind it; not
        analysed by default.
    penalties
        Whether it compares reports on penalty tasks; spare reports then serve as penalty tasks.
    prior
        Whether it needs the mean and variance of true scores. ``none``: it needs no prior;
        ``given``: it takes the parameters ``prior_mean`` and ``prior_variance``; ``given or
        estimated``: it also has a parameter ``prior`` that lets it estimate them from the reports.
    needs_truth
        Whether it is paid by true scores. It then receives the true scores that are known in the
        column ``staff_score`` of the reports, and cannot pay without them.
    uses_checks
        Whether it can use spot checks. It then receives the scores of the submissions that staff
        checked, if there are any, in the column ``staff_score`` of the reports.
    semester
        Whether it evaluates all reports so far together. An assignment then adds the change of
        the evaluation, which may be negative and may concern graders who did not grade in it.
    in_paper
        Whether the paper compares it, in its body or in its appendix.
    undone
        What a review that was assigned and not done (``reports.undone``) costs. ``worst``: it is
        paid like the worst report of its assignment, see
        :func:`~peergauge.mechanisms.shared.participation.with_undone`; ``own``: the mechanism
        counts it by a rule of its own; ``ignored``: nothing, because the platform whose rule this
        is ignores it too.
    minus_infinity
        Whether a payment may be −∞, such as the logarithm of 0. No payment is ever +∞.
    superseded_by
        Name of the mechanism that should be used instead, because it was better in every
        comparison of the documentation that matters for the same purpose; empty if there is none.
        A superseded mechanism stays, so that earlier results can be computed again, and is never
        recommended.

    Examples
    --------
    >>> MechanismFacts(name="mine", random=True)
    MechanismFacts(name='mine', label='mine', random=True)
    """

    family: str = "own"
    novel: bool = False
    random: bool = False
    design: Literal["any", "clusters"] = "any"
    steps: bool = False
    labels: Literal["none", "two", "any"] = "none"
    equilibrium: Equilibrium = Equilibrium.NOT_ANALYSED
    assumption: str = "–"
    penalties: bool = False
    prior: Literal["none", "given", "given or estimated"] = "none"
    needs_truth: bool = False
    uses_checks: bool = False
    semester: bool = False
    in_paper: bool = False
    undone: Literal["worst", "own", "ignored"] = "worst"
    minus_infinity: bool = False
    superseded_by: str = ""

    __repr__ = brief


class Mechanism(Plugin):
    """A rule that pays graders from their reports.

    A mechanism never sees true scores or spot checks unless it declares ``needs_truth`` or
    ``uses_checks``: only then do the reports that it receives have a column ``staff_score``.

    Examples
    --------
    >>> import peergauge
    >>> @mechanism("example-distance")
    ... @dataclass(frozen=True)
    ... class Distance(Mechanism):
    ...     '''Minus the distance of each report to the middle of the scale.'''
    ...     def score(self, reports, rng):
    ...         return Rewards.from_parts(reports, -abs(reports.grade - 5))
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> peergauge.score("example-distance", reports)
    <Rewards: 2 assignments x 6 graders>
    >>> mechanisms.forget(Distance.__module__)
    """

    facts: ClassVar[MechanismFacts]

    @abstractmethod
    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        """Pay every grader for every assignment."""


class ShowsProgress(ABC):
    """A mechanism that can show graders, after each assignment, how their total has changed.

    It makes sense for mechanisms whose payment for an assignment is not final when the assignment
    is over.

    Examples
    --------
    >>> isinstance(mechanisms["guarded-merit"], ShowsProgress)
    True
    """

    @abstractmethod
    def progress(self, reports: Reports, grader: int | None = None) -> pl.DataFrame:
        """A row for each assignment of each grader, or of the grader with that number.

        The columns are the grader, the assignment, the number of reports in it (``graded``), the
        ``total`` so far, its ``change``, and the parts of the change: columns whose names begin
        with ``from_`` and that add up to the change.
        """


class ComparesRubrics(ABC):
    """A mechanism that compares reviews criterion by criterion where the criteria are known.

    Without a rubric it is paid as any other mechanism: from one grade for each review.

    Examples
    --------
    >>> isinstance(mechanisms["moodle"], ComparesRubrics)
    True
    """

    @abstractmethod
    def score_rubric(self, reports: Reports, rubric: Rubric) -> Rewards:
        """Pay every grader of *reports* by the rubric, which holds all reviews of the class."""


class ComparesWithReference(ABC):
    """A mechanism that pays each report by its distance to a reference, and can show both.

    Anybody can then compute the reward of a report again from three numbers: the report, the
    reference and the formula.

    Examples
    --------
    >>> isinstance(mechanisms["mse"], ComparesWithReference)
    True
    """

    @abstractmethod
    def comparison(self, reports: Reports) -> Comparison | None:
        """What each of the reports is compared with; None if rewards do not follow from it."""


class PaysTotals(ABC):
    """A mechanism that can compute totals of a semester faster than the pay of each assignment.

    A search for attacks pays thousands of classes and needs only the totals.

    Examples
    --------
    >>> [one.spec for one in mechanisms.all() if isinstance(one, PaysTotals)]
    ['guarded-merit', 'guarded-merit:strength=0.5']
    """

    @abstractmethod
    def total_pay(self, reports: Reports) -> Floats:
        """The total of each grader: exactly that of the rewards of :meth:`Mechanism.score`."""


mechanisms: Registry[Mechanism] = Registry("mechanism", __name__, MechanismFacts)
mechanism = mechanisms.register


def variant_of(spec: str) -> str:
    """The variant of the literature that a mechanism is, whatever its other settings.

    A spec that names no known mechanism is returned as it is.

    >>> variant_of("phi-div:divergence=kl,unseen=int64"), variant_of("oa:prize=11")
    ('phi-div:divergence=kl', 'oa')
    """
    try:
        made = mechanisms.make(spec)
    except PeergaugeError:
        return spec
    return _variant_of(made)


@cache
def _variant_of(made: Mechanism) -> str:
    members = [type(made)(**variant) for variant in made.facts.variants]
    alike = [
        (len(variant), member.spec)
        for variant, member in zip(made.facts.variants, members, strict=True)
        if all(getattr(made, name) == getattr(member, name) for name in variant)
    ]
    # The variant that fixes most parameters says most about the mechanism.
    return max(alike, key=lambda one: one[0])[1] if alike else made.facts.name


def score(
    mechanism: str | Mechanism,
    reports: Reports | Any,
    *,
    seed: int = 0,
    truth: Truth | None = None,
    checks: Truth | None = None,
    rubric: Rubric | None = None,
    scale: Scale | str | None = None,
) -> Rewards:
    """Pay the graders of *reports* by a mechanism, given as an object or by its spec string.

    *reports* is a table of reports, or a Polars, pandas or Arrow frame, or a mapping of columns,
    with the columns ``submission``, ``grader``, ``grade`` and, if there are several assignments,
    ``assignment``. *scale* is the scale of the grades of a frame, 0..10 by default. A frame with a
    column ``label`` instead of ``grade`` holds labels.

    The draws of a random mechanism depend on *seed*, on the name of the mechanism and on who graded
    what, but not on the grades: reports that differ only in their grades are paid with the same
    draws.

    *truth* holds true scores and *checks* the scores of the submissions that staff checked. They
    are shown, as the column ``staff_score`` of the reports, only to mechanisms that declare
    ``needs_truth`` or ``uses_checks``; a mechanism that declares both receives the checks if there
    are any. All other mechanisms receive reports without that column, even if *reports* carry it.

    *rubric* holds all reviews of the class by criterion. It is used by mechanisms that compare
    rubrics (:class:`ComparesRubrics`); a report that is not in it is not paid. To pay also what is
    not a report of a peer, such as self-assessments, give ``rubric.reviews`` as *reports*.

    If the reports say which reviews were assigned (``reports.assigned``), a review that was not
    done counts, and is never worth more than an honest one. Otherwise nobody can know that
    a review is missing, and a grader is paid by the reports that exist.

    What a mechanism pays is checked: nobody is paid +∞, and −∞ only by a mechanism that declares
    ``minus_infinity``. A mechanism that is not part of peergauge is also refused if it draws
    random numbers without declaring ``random``, or if its parts do not add up to its amounts.

    Examples
    --------
    >>> import peergauge
    >>> frame = {
    ...     "submission": ["essay", "essay", "essay", "poem", "poem", "poem"],
    ...     "grader": ["ann", "bob", "cy", "ann", "bob", "cy"],
    ...     "grade": [4, 5, 3, 2, 2, 5],
    ... }
    >>> rewards = peergauge.score("mse", frame, scale="1..5")
    >>> rewards.total
    array([-0.5, -1. , -2.5])
    """
    chosen = mechanisms.make(mechanism)
    reports = _as_reports(reports, scale)
    if not len(reports):
        raise TableError("There are no reports to score.")
    _check_scale(chosen, reports.scale)
    counted = reports if chosen.facts.penalties else reports.paid_only
    shown = _shown_to(chosen, counted, truth, checks)
    if chosen.facts.needs_truth and shown.staff_score is None:
        raise NeedsTruthError(
            f"The mechanism '{chosen.facts.name}' is paid by the true scores; give them too, "
            "or choose another mechanism."
        )
    if not len(counted.paid_only):
        raise TableError("There are only spare reports, and they are not paid.")
    from peergauge.mechanisms.shared.soundness import is_ours, refuse_infinite, refuse_unsound

    ours = is_ours(chosen)
    # Mechanisms of this package that are not random draw nothing, and share one stream.
    rng = stream(seed, "mechanism", "" if ours and not chosen.facts.random else chosen.facts.name)
    before = None if ours else rng.bit_generator.state
    if rubric is not None and isinstance(chosen, ComparesRubrics):
        by_criteria, given_rubric = chosen, rubric
        found = doing(
            _words(chosen), lambda: by_criteria.score_rubric(shown, given_rubric), foreign=not ours
        )
    else:
        found = doing(_words(chosen), lambda: chosen.score(shown, rng), foreign=not ours)
    if before is not None:
        refuse_unsound(chosen, found, drew=rng.bit_generator.state != before)
    refuse_infinite(chosen, found)
    if shown.undone is not None and chosen.facts.undone == "worst":
        from peergauge.mechanisms.shared.participation import with_undone

        found = with_undone(found)
    return _for_reports(found, reports)


def _as_reports(given: Reports | Any, scale: Scale | str | None) -> Reports:
    """The reports that were given as a table or as a frame."""
    if isinstance(given, Reports):
        if scale is not None and Scale.parse(scale) != given.scale:
            raise ParameterError(
                f"The reports have the scale {given.scale}, but the scale {scale} was given; leave "
                "it out, or coarsen the reports."
            )
        return given
    if isinstance(reports := getattr(given, "reports", None), Reports):
        raise ParameterError(
            f"A {type(given).__name__} was given instead of its reports ({reports!r}); write "
            ".reports after it."
        )
    frame = as_polars(given)
    if scale is None and Labels.column in frame.columns and "grade" not in frame.columns:
        return Reports.from_labels(frame)
    return Reports.from_frame(frame, "0..10" if scale is None else scale)


def _words(mechanism: Mechanism) -> str:
    """A mechanism as the beginning of a sentence."""
    if not is_dataclass(mechanism):
        raise PluginError(
            f"The mechanism '{mechanism.facts.name}'",
            "is no dataclass, so that nobody can know its parameters; put "
            "@dataclass(frozen=True) above its class",
        )
    return f"The mechanism '{mechanism.spec}'"


def total_pay(
    mechanism: str | Mechanism,
    reports: Reports,
    *,
    seed: int = 0,
    truth: Truth | None = None,
    checks: Truth | None = None,
) -> Floats:
    """The total reward of each grader, as :func:`score` pays it; NaN if nothing was payable.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> bool((total_pay("oa", reports) == peergauge.score("oa", reports).total).all())
    True
    """
    from peergauge.mechanisms.shared.soundness import is_ours

    chosen = mechanisms.make(mechanism)
    if isinstance(chosen, PaysTotals) and len(reports.paid_only):
        _check_scale(chosen, reports.scale)
        totals, shown = chosen, _shown_to(chosen, reports.paid_only, truth, checks)
        foreign = not is_ours(chosen)
        return doing(_words(chosen), lambda: totals.total_pay(shown), foreign=foreign)
    return score(chosen, reports, seed=seed, truth=truth, checks=checks).total


def progress(
    mechanism: str | Mechanism,
    reports: Reports,
    grader: int | None = None,
    *,
    checks: Truth | None = None,
) -> pl.DataFrame:
    """The table that a mechanism can show to graders after each assignment.

    *checks* are the scores of the submissions that staff checked, as for :func:`score`. See
    :meth:`ShowsProgress.progress` for the columns.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=20, assignments=3, seed=1).reports
    >>> table = progress("guarded-merit", reports, grader=0)
    >>> table.select("assignment", "graded").rows()
    [(0, 4), (1, 4), (2, 4)]
    """
    from peergauge.mechanisms.shared.soundness import is_ours

    chosen = mechanisms.make(mechanism)
    if not isinstance(chosen, ShowsProgress):
        raise ParameterError(
            f"The mechanism '{chosen.facts.name}' pays for each assignment once and for all, so "
            "that the rewards already show everything; use a mechanism that evaluates the semester."
        )
    _check_scale(chosen, reports.scale)
    shows, shown = chosen, _shown_to(chosen, reports.paid_only, None, checks)
    foreign = not is_ours(chosen)
    return doing(_words(chosen), lambda: shows.progress(shown, grader), foreign=foreign)


def comparison(
    mechanism: str | Mechanism,
    reports: Reports,
    *,
    truth: Truth | None = None,
    checks: Truth | None = None,
) -> Comparison | None:
    """What a mechanism compares each report with; None if it does not pay by such a distance.

    Give the same arguments as to :func:`score`. Spare reports have no reference.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> comparison("mse", reports).formula
    'minus the square of the difference'
    """
    from peergauge.mechanisms.shared.soundness import is_ours

    chosen = mechanisms.make(mechanism)
    if not isinstance(chosen, ComparesWithReference):
        return None
    _check_scale(chosen, reports.scale)
    counted = reports if chosen.facts.penalties else reports.paid_only
    compares, shown = chosen, _shown_to(chosen, counted, truth, checks)
    foreign = not is_ours(chosen)
    found = doing(_words(chosen), lambda: compares.comparison(shown), foreign=foreign)
    if found is None or reports.spare is None:
        return found
    return replace(
        found,
        judged=_parts_of_all(found.judged, reports.spare),
        reference=_parts_of_all(found.reference, reports.spare),
    )


def accepts_labels(facts: MechanismFacts, labels: Scale) -> bool:
    """Whether a mechanism with these facts can pay reports on a scale, or with so many labels."""
    return labels.ordered or facts.labels == "any" or (facts.labels == "two" and labels.levels == 2)


def _check_scale(chosen: Mechanism, scale: Scale) -> None:
    """Raise an error if a mechanism cannot pay reports on a scale, or reports that are labels."""
    if chosen.facts.steps:
        scale.steps_needed()
    if accepts_labels(chosen.facts, scale):
        return
    able = [name for name, cls in mechanisms.classes().items() if accepts_labels(cls.facts, scale)]
    why = "accepts two labels only" if chosen.facts.labels == "two" else "computes with numbers"
    raise ScaleError(
        f"The mechanism '{chosen.facts.name}' {why}, but these reports have {scale.levels} labels "
        f"({scale}), which have no order and no distance; choose one of {', '.join(able)}."
    )


def _shown_to(
    chosen: Mechanism, reports: Reports, truth: Truth | None, checks: Truth | None
) -> Reports:
    """The reports as a mechanism may see them: with staff scores only if it declares that."""
    facts = chosen.facts
    if facts.uses_checks and checks is not None:
        return _with_staff_score(reports, checks, spot_checks=True)
    if facts.needs_truth and truth is not None:
        return _with_staff_score(reports, truth, spot_checks=False)
    may_see = facts.uses_checks if reports.spot_checks else facts.needs_truth
    return reports if may_see else reports.without_staff_score


def _with_staff_score(reports: Reports, known: Truth, *, spot_checks: bool) -> Reports:
    # Kept with the truth, where no mechanism that sees the reports can find it, so that several
    # mechanisms share what they derive from reports and staff scores.
    return known.derived(
        ("shown with reports", spot_checks),
        lambda: reports.with_staff_score(known.scores_of(reports), spot_checks=spot_checks),
        of=reports,
    )


def _for_reports(rewards: Rewards, reports: Reports) -> Rewards:
    """The rewards of *reports* as the caller gave them, without parts for spare reports."""
    as_given = reports.spare is None and getattr(rewards, "reports", reports) is reports
    if as_given or not isinstance(rewards, Rewards):
        return rewards
    part, single = rewards.part, rewards.single
    if reports.spare is not None:
        part = None if part is None else _parts_of_all(part, reports.spare)
        single = None if single is None else _parts_of_all(single, reports.spare)
    return replace(rewards, reports=reports, part=part, single=single)


def _parts_of_all(part: NDArray[np.float64], spare: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Parts for all reports, NaN for spare ones, from parts for all or for the paid ones."""
    found = np.full(len(spare), np.nan)
    found[~spare] = part if len(part) < len(spare) else part[~spare]
    return found


def __dir__() -> list[str]:
    return __all__
