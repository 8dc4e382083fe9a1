"""The contract of mechanisms: what every mechanism promises, one check for each promise.

Checks that take *classes* use those classes, or the ones of :mod:`peergauge.testing.classes` if
none are given.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.core.errors import (
    DesignError,
    NeedsTruthError,
    PeergaugeError,
    PluginError,
    ScaleError,
    TimeLimitError,
)
from peergauge.core.registry import parameters
from peergauge.mechanisms import (
    ComparesWithReference,
    Mechanism,
    ShowsProgress,
    comparison,
    mechanisms,
    progress,
)
from peergauge.mechanisms import score as score_by
from peergauge.mechanisms.priors import PRIOR_PARAMETERS, needs_prior
from peergauge.tables import Comparison, Labels, Reports, Rewards, Truth
from peergauge.testing.classes import (
    checks_for,
    clustered,
    irregular_class,
    labelled,
    many_classes,
    ordinary_class,
    relabelled_submissions,
    true_scores_for,
)
from peergauge.testing.promises import (
    BrokenPromise,
    broken,
    checks_of,
    promise,
    require,
    same,
    size_of,
)

KIND = "mechanism"

NUMERIC_TOLERANCE = 1e-7
"""Relative and absolute difference of payments that sums in another order may make."""

DRAWS_TO_AVERAGE = 300
"""Seeds over which the payments of a random mechanism are averaged."""

MAX_STANDARD_ERRORS = 4.5
"""Standard errors by which two of these averages may differ."""


def check_mechanism(mechanism: str | Mechanism, *, quick: bool = False) -> None:
    """Check that a mechanism, given as an object or by its spec string, keeps every promise.

    ``quick`` leaves out the one check that simulates large classes.

    >>> check_mechanism("mse", quick=True)
    """
    made = mechanisms.make(mechanism) if isinstance(mechanism, str) else mechanism
    for check in mechanism_checks(made):
        if not (quick and check is check_careful_graders_earn_more):
            check(made)


def mechanism_checks(mechanism: Mechanism) -> list[Any]:
    """The checks that apply to a mechanism."""
    return checks_of(KIND, mechanism)


def score(mechanism: Mechanism, reports: Reports, **given: Any) -> Rewards:
    """Rewards as :func:`peergauge.score` pays them; an unsound payment is a broken promise."""
    try:
        return score_by(mechanism, reports, **given)
    except PluginError as error:
        raise broken(mechanism, f"{error.why}, in {size_of(reports)}") from error


def payment(
    mechanism: Mechanism, reports: Reports, seed: int = 0, checks: Truth | None = None
) -> Rewards | None:
    """The rewards in a class, None for a refusal that explains itself; broken promise otherwise.

    Mechanisms that need true scores are given invented ones.
    """
    truth = true_scores_for(reports)
    try:
        rewards = score(mechanism, reports, seed=seed, truth=truth, checks=checks)
    except (BrokenPromise, TimeLimitError):
        raise
    except PeergaugeError as refusal:
        sentence = str(refusal)
        require(
            sentence.endswith(".") and "\n" not in sentence,
            mechanism,
            f"refuses {size_of(reports)} without one clear sentence: {sentence!r}",
        )
        return None
    except Exception as error:
        raise broken(
            mechanism, f"fails in {size_of(reports)}: {type(error).__name__}: {error}"
        ) from error
    return rewards


def paid(
    mechanism: Mechanism, reports: Reports, seed: int = 0, checks: Truth | None = None
) -> Rewards:
    """The rewards in a class that the mechanism must be able to pay."""
    rewards = payment(mechanism, reports, seed, checks)
    if rewards is None:
        raise broken(mechanism, f"refuses {size_of(reports)}, which it must be able to pay")
    return rewards


def _is_random(mechanism: Mechanism) -> bool:
    return mechanism.facts.random


def _is_deterministic(mechanism: Mechanism) -> bool:
    return not mechanism.facts.random


def _uses_checks(mechanism: Mechanism) -> bool:
    return mechanism.facts.uses_checks


# --- what it is


@promise(KIND)
def check_is_a_mechanism(mechanism: Mechanism) -> None:
    """A mechanism is derived from :class:`peergauge.mechanisms.Mechanism`."""
    require(
        isinstance(mechanism, Mechanism),
        mechanism,
        "is no Mechanism; derive its class from peergauge.mechanisms.Mechanism",
    )


@promise(KIND)
def check_pays_an_ordinary_class(mechanism: Mechanism) -> None:
    """A mechanism pays somebody in an ordinary class of 24 students and 4 assignments."""
    reports = ordinary_class(mechanism)
    try:
        rewards = score(mechanism, reports, truth=true_scores_for(reports))
    except (BrokenPromise, TimeLimitError):
        raise
    except PeergaugeError as error:
        raise broken(mechanism, f"refuses an ordinary class: {str(error).rstrip('.')}") from error
    except Exception as error:
        if _works_with_staff_scores(mechanism, reports):
            why = "reads the column staff_score, but does not declare needs_truth=True"
            raise broken(mechanism, why) from error
        raise broken(
            mechanism, f"fails in an ordinary class: {type(error).__name__}: {error}"
        ) from error
    require(not np.isnan(rewards.total).all(), mechanism, "pays nobody in an ordinary class")


def _works_with_staff_scores(mechanism: Mechanism, reports: Reports) -> bool:
    """Whether a mechanism that failed pays if the reports carry staff scores."""
    for spot_checks in (False, True):
        known = reports.with_staff_score(true_scores_for(reports).score, spot_checks=spot_checks)
        try:
            mechanism.score(known, np.random.default_rng(1))
        except Exception:
            continue
        return not (mechanism.facts.needs_truth or mechanism.facts.uses_checks)
    return False


@promise(KIND)
def check_same_seed_same_rewards(mechanism: Mechanism) -> None:
    """Payments depend on the seed alone: the same seed gives the same rewards."""
    reports = ordinary_class(mechanism)
    for seed in (0, 3):
        require(
            paid(mechanism, reports, seed) == paid(mechanism, reports, seed),
            mechanism,
            "pays differently each time; take random numbers from rng alone",
        )


@promise(KIND)
def check_declares_randomness(mechanism: Mechanism) -> None:
    """A mechanism that declares no randomness pays the same with every seed."""
    reports = ordinary_class(mechanism)
    require(
        mechanism.facts.random or not _depends_on_the_seed(mechanism, reports),
        mechanism,
        "draws from rng, but does not declare random=True",
    )


@promise(KIND, _is_random)
def check_declared_randomness_matters(mechanism: Mechanism) -> None:
    """A mechanism that declares ``random=True`` pays differently with another seed."""
    require(
        _depends_on_the_seed(mechanism, ordinary_class(mechanism)),
        mechanism,
        "declares random=True, but four seeds pay the same",
    )


def _depends_on_the_seed(mechanism: Mechanism, reports: Reports) -> bool:
    first = paid(mechanism, reports, 0).amount
    return any(not same(paid(mechanism, reports, seed).amount, first) for seed in (1, 2, 3))


@promise(KIND)
def check_spec_gives_it_back(mechanism: Mechanism) -> None:
    """The spec string makes an equal mechanism."""
    try:
        again = mechanisms.make(mechanism.spec) == mechanism
    except PeergaugeError:
        again = False
    require(
        again,
        mechanism,
        f"cannot be made from its spec {mechanism.spec}; register it, and give fields plain types",
    )


@promise(KIND)
def check_pickle_gives_it_back(mechanism: Mechanism) -> None:
    """A pickled mechanism is equal when it is loaded, so that workers can pay by it."""
    try:
        again = pickle.loads(pickle.dumps(mechanism)) == mechanism
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise broken(mechanism, f"cannot be pickled: {error}") from error
    require(again, mechanism, "is not the same after pickling; keep all state in its fields")


@promise(KIND)
def check_explains_itself(mechanism: Mechanism) -> None:
    """A mechanism has a docstring that begins with a sentence, and a label."""
    own = type(mechanism).__doc__ or ""
    require(
        len(mechanism.summary()) > 20 and not own.startswith(f"{type(mechanism).__name__}("),
        mechanism,
        "has no docstring that begins with the idea in one sentence",
    )
    require(mechanism.label, mechanism, "does not declare a label")


@promise(KIND)
def check_declares_its_prior(mechanism: Mechanism) -> None:
    """The fact ``prior`` says whether there are prior parameters, which are None by default."""
    fields = {field.name: field.default for field in parameters(type(mechanism))}
    takes = set(PRIOR_PARAMETERS) & fields.keys()
    if mechanism.facts.prior == "none":
        require(
            not takes,
            mechanism,
            "takes a prior, but does not declare prior='given' or prior='given or estimated'",
        )
        return
    require(
        takes == set(PRIOR_PARAMETERS) and all(fields[name] is None for name in takes),
        mechanism,
        "declares that it needs a prior, but does not have the parameters prior_mean and "
        "prior_variance with default None",
    )
    require(
        mechanism.facts.prior == "given" or fields.get("prior") == "given",
        mechanism,
        "declares that it can estimate its prior, but has no parameter prior with default 'given'",
    )


@promise(KIND, lambda mechanism: mechanism.facts.prior != "none")
def check_declared_prior_matters(mechanism: Mechanism) -> None:
    """A mechanism that declares a prior pays differently with another one.

    Nine priors are tried, with means and variances far apart, unless the mechanism estimates both.
    """
    if not needs_prior(mechanism):
        return
    reports = ordinary_class(mechanism)
    scale = reports.scale
    amounts = [
        paid(
            mechanisms.make(
                mechanism,
                prior_mean=scale.lowest + share * (scale.highest - scale.lowest),
                prior_variance=variance * scale.unit**2,
            ),
            reports,
        ).amount
        for share in (0.2, 0.5, 0.8)
        for variance in (0.5, 2.0, 8.0)
    ]
    require(
        any(not same(one, amounts[0], 1e-12) for one in amounts[1:]),
        mechanism,
        f"declares prior='{mechanism.facts.prior}', but pays the same whatever the prior is",
    )


@promise(KIND, lambda mechanism: not mechanism.facts.steps)
def check_needs_steps_only_if_declared(mechanism: Mechanism) -> None:
    """A mechanism that does not declare ``steps=True`` pays grades between the steps of a scale."""
    given = clustered(4, students=16, assignments=2)
    rng = np.random.default_rng(8)
    grade = np.clip(given.grade + rng.uniform(-0.4, 0.4, len(given)), 0.0, 10.0)
    reports = replace(given, grade=grade, scale=replace(given.scale, step=None))
    truth = replace(true_scores_for(given), submission_names=reports.submission_names)
    try:
        score(mechanism, reports, truth=truth)
    except BrokenPromise:
        raise
    except ScaleError as error:
        raise broken(
            mechanism, "refuses a scale without steps, but does not declare steps=True"
        ) from error
    except PeergaugeError:
        return
    except Exception as error:
        raise broken(
            mechanism,
            f"fails on a scale without steps ({type(error).__name__}: {error}), but does not "
            "declare steps=True",
        ) from error


@promise(KIND)
def check_declares_its_design(mechanism: Mechanism) -> None:
    """A mechanism needs clusters if and only if it declares ``design="clusters"``."""
    reports = _regular_class()
    try:
        rewards = score(mechanism, reports, truth=true_scores_for(reports))
    except DesignError as error:
        require(
            mechanism.facts.design == "clusters",
            mechanism,
            f"refuses a class without clusters, but does not declare design='clusters': "
            f"{str(error).rstrip('.')}",
        )
        return
    require(
        mechanism.facts.design == "any" or np.isnan(rewards.total).any(),
        mechanism,
        "declares design='clusters', but pays everybody in a class without clusters",
    )


@cache
def _regular_class() -> Reports:
    """A class in which hardly any two graders grade the same submissions."""
    from peergauge.simulate import Setting, simulate

    return simulate(Setting(students=24, assignments=2, design="regular"), 5).reports


@promise(KIND)
def check_undone_reviews_count_as_declared(mechanism: Mechanism) -> None:
    """Reviews that were assigned and not done count as the fact ``undone`` says.

    By a rule of its own (``own``), a mechanism pays a class in which reviews are missing
    differently once it is known what was assigned. Otherwise the method ``score`` does not look at
    what was assigned: the rule ``worst`` is applied afterwards, and would count twice.
    """
    given = ordinary_class(mechanism)
    missing = given.grade.copy()
    missing[:: max(len(given) // 7, 1)] = np.nan
    known = given.handed_in(missing)
    unknown = known.with_assigned(None)
    try:
        here, there = (
            mechanism.score(_as_shown(mechanism, one), np.random.default_rng(2)).amount
            for one in (known, unknown)
        )
    except PeergaugeError:
        return
    differs, own = not same(here, there, 1e-12), mechanism.facts.undone == "own"
    require(
        differs or not own,
        mechanism,
        "declares undone='own', but pays the same whether or not assigned reviews are missing",
    )
    require(
        own or not differs,
        mechanism,
        f"counts reviews that were not done, but declares undone='{mechanism.facts.undone}'; "
        "declare undone='own'",
    )


# --- what it pays


@promise(KIND)
def check_any_class_is_paid_or_refused(mechanism: Mechanism, *classes: Reports) -> None:
    """Any class is paid or refused with a sentence, and only graders with reports are paid.

    A grader without a report on an assignment has NaN there, not 0. A mechanism that evaluates
    the semester may pay graders in later assignments too. Nobody is paid +∞, and −∞ only by a
    mechanism that declares it.
    """
    for reports in classes or many_classes():
        rewards = payment(mechanism, reports)
        if rewards is not None:
            _require_sound_amounts(mechanism, reports, rewards)


def _require_sound_amounts(mechanism: Mechanism, reports: Reports, rewards: Rewards) -> None:
    absent = np.ones_like(rewards.amount, dtype=np.bool_)
    absent[reports.assignment, reports.grader] = False
    if mechanism.facts.semester:
        # Later assignments may change the evaluation of earlier reports.
        absent = np.logical_and.accumulate(absent, axis=0)
    require(
        np.isnan(rewards.amount[absent]).all(),
        mechanism,
        f"pays graders who graded nothing in {size_of(reports)}; leave NaN, which is not 0",
    )


@promise(KIND)
def check_unjudged_reports_are_not_paid_zero(mechanism: Mechanism) -> None:
    """A report that cannot be judged is not paid (NaN), which is different from paying 0.

    A grader whose only report has no second grader is either paid something that depends on the
    grade or on the rule, or is not paid; exactly 0 for every grade means a NaN became a 0.
    """
    regular = clustered(5, students=8, assignments=1)
    alone = []
    for grade in regular.scale.values():
        reports = Reports(
            np.append(regular.assignment, 0),
            np.append(regular.submission, regular.submissions),
            np.append(regular.grader, regular.graders),
            np.append(regular.grade, grade),
            regular.scale,
        )
        rewards = payment(mechanism, reports)
        if rewards is not None:
            alone.append(rewards.total[-1])
    require(
        not alone or any(value != 0.0 for value in alone),
        mechanism,
        "pays 0 for a report that has no second grader, whatever its grade; leave NaN where a "
        "report cannot be judged",
    )


@promise(KIND)
def check_parts_add_up(mechanism: Mechanism, *classes: Reports) -> None:
    """If every report has its own part in the pay, the parts add up to the amounts."""
    for reports in classes or many_classes():
        rewards = payment(mechanism, reports)
        if rewards is None or rewards.part is None:
            continue
        known = ~np.isnan(rewards.part)
        place = reports.assignment[known], reports.grader[known]
        total, count = np.zeros_like(rewards.amount), np.zeros_like(rewards.amount)
        with np.errstate(invalid="ignore"):
            np.add.at(total, place, rewards.part[known])
        np.add.at(count, place, 1)
        require(
            same(rewards.amount, np.where(count > 0, total, np.nan), 1e-9),
            mechanism,
            f"pays parts that do not add up to the amounts in {size_of(reports)}",
        )


@promise(KIND)
def check_plain_equals_compiled(mechanism: Mechanism, *classes: Reports) -> None:
    """Compiled functions pay the same as the plain NumPy functions that define them."""
    for reports in classes or many_classes():
        fast = payment(mechanism, reports)
        with plain_numpy():
            plain = payment(mechanism, replace(reports))
        _require_same_payment(
            mechanism, fast, plain, f"pays differently when compiled in {size_of(reports)}"
        )


def _require_same_payment(
    mechanism: Mechanism, one: Rewards | None, other: Rewards | None, why: str
) -> None:
    require((one is None) == (other is None), mechanism, why)
    if one is not None and other is not None:
        require(same(one.amount, other.amount, NUMERIC_TOLERANCE), mechanism, why)


@promise(KIND)
def check_row_order_does_not_matter(
    mechanism: Mechanism, *classes: Reports, order: ArrayLike | None = None
) -> None:
    """Payments do not depend on the order in which the reports are given.

    *order* is a permutation of the rows; by default a random one.
    """
    for reports in classes or (clustered(1, students=8), ordinary_class(mechanism)):
        rows = _permutation(len(reports), order)
        shuffled = Reports(
            reports.assignment[rows],
            reports.submission[rows],
            reports.grader[rows],
            reports.grade[rows],
            reports.scale,
            reports.assignments,
            reports.submissions,
            reports.graders,
        )
        require(
            payment(mechanism, shuffled) == payment(mechanism, reports),
            mechanism,
            "pays differently when the rows are given in another order",
        )


def _permutation(count: int, order: ArrayLike | None) -> NDArray[np.int64]:
    chosen = np.random.default_rng(count).permutation(count) if order is None else order
    return np.asarray(chosen, dtype=np.int64)


@promise(KIND, _is_deterministic)
def check_grader_numbers_do_not_matter(
    mechanism: Mechanism, *classes: Reports, new: ArrayLike | None = None
) -> None:
    """Payments follow graders to another number, and so do not depend on the order of graders.

    *new* has the new number of each grader; by default they are permuted at random.
    """
    for reports in classes or (clustered(1, students=8), clustered(2, students=12)):
        numbers = _permutation(reports.graders, new)
        here, there = (payment(mechanism, one) for one in (reports, reports.relabel(numbers)))
        why = "pays differently when graders are numbered in another order"
        require((here is None) == (there is None), mechanism, why)
        if here is not None and there is not None:
            require(same(there.amount[:, numbers], here.amount, NUMERIC_TOLERANCE), mechanism, why)


@promise(KIND, _is_random)
def check_grader_numbers_do_not_matter_on_average(mechanism: Mechanism) -> None:
    """Mean payments over 300 seeds follow graders to another number.

    Means agree within 4.5 standard errors for each of 8 graders. Payments are squashed first, since
    some have no finite variance. A fair mechanism fails once in 18000 choices of the seeds, which
    are fixed.
    """
    reports = clustered(1, students=8, assignments=1)
    new = np.array([3, 1, 7, 0, 5, 2, 6, 4])
    seeds = range(DRAWS_TO_AVERAGE)
    here, there = (
        np.tanh(np.array([paid(mechanism, one, seed).amount[0] for seed in seeds]))
        for one in (reports, reports.relabel(new))
    )
    there = there[:, new]
    error = np.sqrt((here.var(axis=0) + there.var(axis=0)) / DRAWS_TO_AVERAGE)
    difference = np.abs(here.mean(axis=0) - there.mean(axis=0))
    require(
        (difference <= MAX_STANDARD_ERRORS * error + 1e-12).all(),
        mechanism,
        "pays graders differently on average when they are numbered in another order",
    )


@promise(KIND, _is_deterministic)
def check_submission_numbers_do_not_matter(mechanism: Mechanism, *classes: Reports) -> None:
    """Payments do not depend on the order of the submissions within an assignment."""
    for reports in classes or (clustered(1, students=8), ordinary_class(mechanism)):
        other = relabelled_submissions(reports, len(reports))
        # Invented true scores go by number, so every submission has the same one here.
        truth, moved = (
            replace(true_scores_for(one), score=np.full(one.submissions, one.scale.highest))
            for one in (reports, other)
        )
        require(
            same(
                score(mechanism, other, truth=moved).amount,
                score(mechanism, reports, truth=truth).amount,
                NUMERIC_TOLERANCE,
            ),
            mechanism,
            "pays differently when submissions are numbered in another order",
        )


@promise(KIND, _is_deterministic)
def check_earlier_assignments_stay_paid(mechanism: Mechanism, *classes: Reports) -> None:
    """Totals after an assignment do not depend on later assignments."""
    why = "pays earlier assignments differently once there are later ones"
    if not classes:
        reports = clustered(6, assignments=4)
        now, then = paid(mechanism, reports).first(2), paid(mechanism, reports.first(2))
        require(same(now.amount, then.amount), mechanism, why)
    for reports in classes or many_classes():
        whole = payment(mechanism, reports)
        for count in range(1, reports.assignments):
            first = payment(mechanism, reports.first(count))
            # A mechanism may refuse the shorter class, or only the whole one.
            if whole is not None and first is not None:
                require(same(whole.first(count).total, first.total, 1e-9), mechanism, why)


# --- labels in place of grades


def _accepts_labels(mechanism: Mechanism) -> bool:
    return mechanism.facts.labels != "none"


@promise(KIND, _accepts_labels)
def check_pays_labels(mechanism: Mechanism) -> None:
    """A mechanism that declares ``labels`` pays somebody in a class that gives labels."""
    for labels in _numbers_of_labels(mechanism):
        rewards = paid(mechanism, labelled(1, labels=labels, students=24))
        require(
            not np.isnan(rewards.total).all(),
            mechanism,
            f"declares labels='{mechanism.facts.labels}', but pays nobody in a class that gives "
            f"{labels} labels",
        )


@promise(KIND, _accepts_labels)
def check_order_of_labels_does_not_matter(mechanism: Mechanism, *classes: Reports) -> None:
    """A mechanism that declares ``labels`` pays the same however the labels are numbered."""
    for reports in classes or _labelled_classes(mechanism):
        levels = reports.scale.levels
        for new in (np.arange(levels)[::-1], np.roll(np.arange(levels), 1)):
            other = reports.with_grades(new[reports.level])
            _require_same_payment(
                mechanism,
                payment(mechanism, reports),
                payment(mechanism, other),
                f"declares labels='{mechanism.facts.labels}', but pays differently when the labels "
                f"of {size_of(reports)} are numbered in another order",
            )


def _numbers_of_labels(mechanism: Mechanism) -> tuple[int, ...]:
    return (2, 5) if mechanism.facts.labels == "any" else (2,)


def _labelled_classes(mechanism: Mechanism) -> Iterator[Reports]:
    """Regular and irregular classes that give labels, as many as the mechanism accepts."""
    for labels in _numbers_of_labels(mechanism):
        yield from (labelled(seed, labels=labels) for seed in range(2))
        for seed in range(8):
            irregular = irregular_class(seed)
            names = Labels(*range(labels))
            grade = (irregular.level % labels).astype(np.float64)
            yield replace(irregular, grade=grade, scale=names)


# --- where randomness comes from, and what it leaves alone


@promise(KIND, _is_random)
def check_draws_do_not_depend_on_grades(mechanism: Mechanism) -> None:
    """A mechanism draws the same random numbers whatever the grades are.

    Otherwise a deviation of one grader would change the draws of all others.
    """
    reports = clustered(2, students=16, assignments=2)
    scale = reports.scale
    others = (
        scale.lowest + scale.highest - reports.grade,
        np.full(len(reports), scale.highest),
        np.random.default_rng(4).permutation(reports.grade),
    )
    states = []
    for one in (reports, *map(reports.with_grades, others)):
        rng = np.random.default_rng(5)
        mechanism.score(_as_shown(mechanism, one), rng)
        states.append(rng.bit_generator.state)
    require(
        all(state == states[0] for state in states),
        mechanism,
        "draws more or fewer random numbers when the grades change; draw as many as the design "
        "of who graded what asks for",
    )


@promise(KIND)
def check_global_generators_stay_untouched(mechanism: Mechanism) -> None:
    """A mechanism neither uses nor seeds the global random generators."""
    reports = ordinary_class(mechanism)

    def state() -> bytes:
        return pickle.dumps((np.random.get_state(), random.getstate()))  # noqa: NPY002

    before = state()
    paid(mechanism, reports)
    require(
        state() == before,
        mechanism,
        "uses a global random generator; take random numbers from rng alone",
    )


@promise(KIND)
def check_inputs_stay_untouched(mechanism: Mechanism) -> None:
    """A mechanism changes neither the reports nor the true scores, and rewards are read-only."""
    reports = clustered(5)
    truth, checks = true_scores_for(reports), checks_for(reports, {0: 3, 1: 5})
    before = pickle.dumps((reports, truth, checks))
    # After each payment, since a second change could undo the first.
    for given in (None, checks):
        rewards = score(mechanism, reports, truth=truth, checks=given)
        require(
            pickle.dumps((reports, truth, checks)) == before,
            mechanism,
            "changes the tables that it is given; copy an array before changing it",
        )
        require(
            not rewards.amount.flags.writeable,
            mechanism,
            "pays rewards that can be changed afterwards",
        )


# --- what it may see


def _as_shown(mechanism: Mechanism, reports: Reports) -> Reports:
    """Reports as :func:`peergauge.mechanisms.score` shows them to a mechanism."""
    if mechanism.facts.needs_truth:
        return reports.with_staff_score(true_scores_for(reports).score, spot_checks=False)
    return reports


@promise(KIND)
def check_staff_scores_are_seen_only_if_declared(mechanism: Mechanism) -> None:
    """A mechanism uses true scores only if it declares ``needs_truth``, checks only if declared.

    It is asked twice: through :func:`peergauge.mechanisms.score`, and directly with reports that
    carry staff scores.
    """
    reports = clustered(7)
    truth = true_scores_for(reports)
    checks = checks_for(reports, dict.fromkeys(range(reports.submissions), 0))
    facts = mechanism.facts
    if facts.needs_truth:
        try:
            score(mechanism, reports)
        except NeedsTruthError:
            return
        raise broken(mechanism, "declares needs_truth=True, but pays without true scores")
    without = score(mechanism, reports)
    require(
        same(score(mechanism, reports, truth=truth).amount, without.amount),
        mechanism,
        "pays differently when true scores are known, but does not declare needs_truth=True",
    )
    if facts.uses_checks:
        return
    require(
        same(score(mechanism, reports, checks=checks).amount, without.amount),
        mechanism,
        "pays differently when there are spot checks, but does not declare uses_checks=True",
    )
    for known, spot_checks, fact in ((truth, False, "needs_truth"), (checks, True, "uses_checks")):
        carrying = reports.with_staff_score(known.score, spot_checks=spot_checks)
        here, there = (
            mechanism.score(one, np.random.default_rng(1)).amount for one in (reports, carrying)
        )
        require(
            same(here, there),
            mechanism,
            f"reads the column staff_score of the reports, but does not declare {fact}=True",
        )


@promise(KIND, _uses_checks)
def check_spot_checks_count(mechanism: Mechanism) -> None:
    """The scores of spot checks change the payments of a mechanism that declares them."""
    reports = clustered(3, students=16, assignments=3)
    low, high = (
        paid(mechanism, reports, checks=checks_for(reports, dict.fromkeys(range(9), level)))
        for level in (1, 9)
    )
    require(
        not same(low.total, high.total, 1e-8),
        mechanism,
        "declares uses_checks=True, but pays the same whatever the checks found",
    )


@promise(KIND, _uses_checks)
def check_spot_checks_are_safe(mechanism: Mechanism, *checked: tuple[Reports, Truth]) -> None:
    """With any spot checks a class is paid or refused, alike by plain and compiled functions.

    Nobody is paid an infinite amount or for nothing.
    """
    for reports, checks in checked or _classes_with_checks():
        fast = payment(mechanism, reports, checks=checks)
        with plain_numpy():
            plain = payment(mechanism, replace(reports), checks=checks)
        where = f"in {size_of(reports)} with spot checks"
        _require_same_payment(mechanism, fast, plain, f"pays differently when compiled {where}")
        if fast is not None:
            require(not np.isinf(fast.amount).any(), mechanism, f"pays ±∞ {where}")
            _require_sound_amounts(mechanism, reports, fast)


def _classes_with_checks() -> list[tuple[Reports, Truth]]:
    found = []
    for number, reports in enumerate(many_classes()):
        rng = np.random.default_rng(number)
        chosen = np.flatnonzero(rng.random(reports.submissions) < 0.4)
        levels = {int(one): int(rng.integers(reports.scale.levels)) for one in chosen}
        found.append((reports, checks_for(reports, levels)))
    return found


@promise(KIND, _uses_checks)
def check_checks_that_found_nothing_change_nothing(mechanism: Mechanism, *classes: Reports) -> None:
    """Checks without any score change no payment; a mechanism that needs scores refuses."""
    for reports in classes or many_classes():
        rewards = payment(mechanism, reports, checks=checks_for(reports, {}))
        if mechanism.facts.needs_truth:
            require(rewards is None, mechanism, "pays from checks that found nothing")
            continue
        without = payment(mechanism, reports)
        why = "pays differently with checks that found nothing"
        require((rewards is None) == (without is None), mechanism, why)
        if rewards is not None and without is not None:
            require(same(rewards.amount, without.amount, 1e-9), mechanism, why)


@promise(KIND, _uses_checks)
def check_checks_leave_no_trace(mechanism: Mechanism) -> None:
    """Paying with checks does not change what is paid without them afterwards."""
    reports = clustered(3, students=16, assignments=3)
    before = paid(mechanism, reports)
    paid(mechanism, reports, checks=checks_for(reports, {0: 1, 5: 9}))
    require(
        paid(mechanism, reports) == before,
        mechanism,
        "remembers spot checks when it pays the same reports without them",
    )


@promise(KIND, _uses_checks)
def check_grader_numbers_do_not_matter_with_checks(
    mechanism: Mechanism, *classes: Reports, new: ArrayLike | None = None
) -> None:
    """With spot checks too, payments follow graders to another number."""
    for reports in classes or [clustered(seed, students=8) for seed in range(3)]:
        checks = checks_for(reports, {0: 9, 3: 4, 10: 7})
        numbers = _permutation(reports.graders, new)
        moved = paid(mechanism, reports.relabel(numbers), checks=checks)
        here = paid(mechanism, reports, checks=checks)
        require(
            same(moved.amount[:, numbers], here.amount, NUMERIC_TOLERANCE),
            mechanism,
            "pays differently with checks when graders are numbered in another order",
        )


@promise(KIND, _uses_checks)
def check_later_checks_leave_earlier_payments(mechanism: Mechanism) -> None:
    """Checks in later assignments do not change the payments for earlier ones."""
    reports = clustered(6, assignments=4)
    checks = checks_for(reports, {0: 9, 20: 4, 40: 7, 60: 2})
    whole, first = (
        score(mechanism, one, checks=checks).first(2).amount for one in (reports, reports.first(2))
    )
    require(
        same(whole, first, 1e-12),
        mechanism,
        "pays earlier assignments differently because of checks in later ones",
    )


# --- what it shows, and what it is good for


@promise(KIND, lambda mechanism: isinstance(mechanism, ShowsProgress))
def check_progress_adds_up(
    mechanism: Mechanism, *classes: Reports, checks: Truth | None = None
) -> None:
    """The progress table has a row for each assignment of each grader and adds up to the pay."""
    for reports in classes or (clustered(6, assignments=3), *many_classes()):
        rewards = score(mechanism, reports, checks=checks)
        table = progress(mechanism, reports, checks=checks)
        where = f"in {size_of(reports)}"
        require(
            table.columns[:3] == ["grader", "assignment", "graded"]
            and table.height == reports.graders * reports.assignments,
            mechanism,
            f"does not show grader, assignment and graded for each assignment of each grader "
            f"{where}",
        )
        shape = reports.graders, reports.assignments
        columns: dict[str, Floats] = {
            name: table[name].to_numpy().astype(float).reshape(shape).T
            for name in table.columns[3:]
            if name in ("total", "change") or name.startswith("from_")
        }
        parts = [column for name, column in columns.items() if name.startswith("from_")]
        require(
            same(columns["total"], rewards.running, 1e-9)
            and same(columns["change"], rewards.amount, 1e-9),
            mechanism,
            f"shows totals or changes that it does not pay {where}",
        )
        require(
            len(parts) > 1 and same(np.sum(parts, axis=0), rewards.amount, 1e-9),
            mechanism,
            f"shows parts of changes that do not add up {where}",
        )
        require(
            table["graded"].sum() == len(reports.paid_only),
            mechanism,
            f"shows another number of reports than there are {where}",
        )
        for grader in {0, reports.graders - 1}:
            first = grader * reports.assignments
            require(
                progress(mechanism, reports, grader, checks=checks).equals(
                    table[first : first + reports.assignments]
                ),
                mechanism,
                f"shows one grader other progress than the class {where}",
            )


@promise(KIND, lambda mechanism: isinstance(mechanism, ComparesWithReference))
def check_rewards_follow_from_the_comparison(mechanism: Mechanism, *classes: Reports) -> None:
    """Rewards are the declared function of reports and references, with spot checks or without.

    If the mechanism declares a deduction, a grader never gets more than the mean of these rewards.
    """
    for reports in classes or many_classes():
        for checks in (None, checks_for(reports, {0: 1})):
            rewards = payment(mechanism, reports, checks=checks)
            if rewards is None:
                continue
            truth = true_scores_for(reports)
            shown = comparison(mechanism, reports, truth=truth, checks=checks)
            if shown is not None:
                _require_declared_rewards(mechanism, reports, rewards, shown)


def _require_declared_rewards(
    mechanism: Mechanism, reports: Reports, rewards: Rewards, shown: Comparison
) -> None:
    where = f"in {size_of(reports)}"
    if not shown.deduction_words:
        require(
            rewards.each is not None and same(rewards.each, shown.reward, NUMERIC_TOLERANCE),
            mechanism,
            f"pays reports otherwise than by the comparison that it shows {where}",
        )
        return
    paid_reports = ~np.isnan(shown.reward)
    grader, size = reports.grader[paid_reports], reports.graders
    total = np.bincount(grader, shown.reward[paid_reports], size)
    count = np.bincount(grader, minlength=size)
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    known = ~np.isnan(rewards.per_report)
    require(
        (rewards.per_report[known] <= mean[known] + NUMERIC_TOLERANCE).all(),
        mechanism,
        f"pays more than the rewards of the comparison that it shows {where}",
    )


@promise(KIND)
def check_careful_graders_earn_more(mechanism: Mechanism) -> None:
    """Careful graders are paid more than careless ones on average.

    Half of 200 graders make the most effort, half none, unbiased, over 10 assignments. The AUC of
    careful against careless pay is above one half in the mean of 12 classes. For the weakest
    mechanism of the paper, DMI, the published AUC with 100 students and half the effort is 0.58
    with a standard deviation of 0.06 over semesters, so that the mean of 12 larger classes lies
    more than four standard errors above one half.
    """
    from peergauge.metrics.effort_auc import EffortAUC
    from peergauge.simulate import BinaryEffort, NormalBias, Setting, simulate

    setting = Setting(
        students=200,
        effort=BinaryEffort(active_draws=6),
        bias=NormalBias(0),
        design="clusters" if mechanism.facts.design == "clusters" else "regular",
    )
    values = []
    for seed in range(12):
        semester = simulate(setting, seed)
        rewards = score(mechanism, semester.reports, seed=seed, truth=semester.truth)
        values.append(EffortAUC().measure(rewards, semester.truth))
    require(
        np.mean(values) > 0.5,
        mechanism,
        f"does not pay careful graders more than careless ones (AUC {np.mean(values):.3f})",
    )


BASIC_CHECKS = (
    check_is_a_mechanism,
    check_pays_an_ordinary_class,
    check_same_seed_same_rewards,
    check_declares_randomness,
    check_spec_gives_it_back,
)
"""The checks without which no comparison of mechanisms means anything."""
