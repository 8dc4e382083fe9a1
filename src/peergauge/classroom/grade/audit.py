"""The audit file: every number that a grade is made of, so that anybody can compute it again.

The next run of the same course continues from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from peergauge._version import __version__
from peergauge.classroom.grade import EarlierRun, GradedClass
from peergauge.classroom.grade.audit_columns import (
    MAX_ROUNDING_ERROR,
    array,
    columns_over,
    differences,
)
from peergauge.classroom.grade.audit_of_marks import (
    check_awarded,
    check_final,
    decision_columns,
    decisions_in,
    final_columns,
)
from peergauge.classroom.grade.audit_of_parts import (
    check_last_run,
    check_mark_parts,
    check_staff_intervals,
    check_variances,
)
from peergauge.classroom.grade.audit_schema import audit_problems
from peergauge.classroom.grade.continuing import (
    NEW_GRADERS_KEY,
    SCALE_KEY,
    digest_of,
    digests_of,
    grades_are_turned,
    people_of,
)
from peergauge.classroom.grade.earlier import GradedReview
from peergauge.classroom.grade.estimate import ModelParts
from peergauge.classroom.grade.influence import Influence
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.renamed import KnownPerson
from peergauge.classroom.grade.reward_per_review import RewardPerReview
from peergauge.classroom.grade.semester import semester_in
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.core.errors import PeergaugeError, ScaleError, TableError
from peergauge.core.inputs import file_digest, read_record
from peergauge.core.text import json_bytes, path_text
from peergauge.exports.questions import Interpretation
from peergauge.mechanisms import mechanisms
from peergauge.models.leniency import RATIO_GRID, LeniencyPrior
from peergauge.models.posterior import Traits
from peergauge.tables import Scale

AUDIT_FILE = "audit.json"

OLDER_RULE_SENTENCE = (
    "The points cannot be computed again, because an older version of peergauge, with another "
    "rule, wrote this audit; grade the class again."
)

MAX_AUDIT_BYTES = 2**30
"""Size of an audit that is read; that of a million reviews is a tenth of it."""

QUESTIONS_OF_ONE_RUN = (SCALE_KEY, NEW_GRADERS_KEY)
"""Questions whose answer does not hold for the next run, which knows the scale of this one."""

AUDIT_FORMULAS = {
    "grade": "mean of the assignment × mean_weight + Σ value × weight over the reviews of the "
    "submission, truncated to the scale; the staff grade, if there is one",
    "weight": "for the estimator 'model': share × model_weight + (1 − share) / number of reviews",
    "value": "for the estimator 'model': (share × model_weight × corrected + (1 − share) × "
    "pulled_in / number of reviews) / weight",
    "reviews.earned": "highest − cost × |judged − reference| ^ power of comparison, if there is "
    "one, rounded to class.digits decimals, as all rewards are",
    "own_average": "mean of reviews.earned of a grader, minus the deduction if there is one; over "
    "the semester the mean of the reviews of this run and of earlier ones",
    "counts_for": "between / (between + within / reviews), rounded to three decimals",
    "earned": "counts_for × own_average + (1 − counts_for) × average",
    "awarded": "grade with four decimals, after the curve to_mean + slope × (grade − from_mean) of "
    "its assignment within the scale, rounded by settings.grades, or else to four decimals",
    "work_percent": "mean of the grades of a person over the assignments, in percent",
    "work_part": "settings.final.out_of × work_share / 100 × work_percent / 100",
    "reviewing_part": "settings.final.out_of × reviewing_share / 100 × reviewing_percent / 100",
    "mark": "work_part + reviewing_part − deduction, rounded by settings.final; the deduction "
    "follows from settings.owed",
    "points": "the rule in settings.points, applied to earned; if it does not give the rewards for "
    "floor and ceiling, the ceiling is the reward that the best twentieth of the graders reach, "
    "and the floor is 1.645 √between below the lower one of average and ceiling",
    "points_over": "graders and class are over the period settings.points_over; other_period has "
    "the same columns over the other one",
}
"""How the numbers of an audit are computed from each other."""


def _digests(files: Iterable[Path]) -> dict[str, str]:
    """Digests of files by their names; files of one name in several folders are numbered."""
    found: dict[str, str] = {}
    for path in files:
        own = name = path_text(path.name)
        number = 1
        while name in found:
            number += 1
            name = f"{own} ({number})"
        found[name] = file_digest(path)
    return found


def audit(graded: GradedClass, files: Sequence[Path] = ()) -> dict[str, Any]:
    """All numbers that the grades and points are made of, in columns.

    Parameters
    ----------
    files
        Files that the class was read from; the audit has their SHA-256 digests.
    """
    return {
        "peergauge": __version__,
        "scale": str(graded.reports.scale),
        "files": _digests(path for path in files if path.is_file()),
        "settings": asdict(graded.settings),
        "mechanism": graded.mechanism.spec,
        "reason": graded.reason,
        "import": graded.opened.report.as_json(),
        "interpretation": _interpretation(graded.opened.interpretation),
        "formulas": AUDIT_FORMULAS,
        **_grade_columns(graded),
        **_grader_columns(graded),
        "comparison": _comparison_columns(graded),
        "other_period": _other_period(graded),
        "second_look": asdict(graded.second_look),
        "flags": asdict(graded.flags),
        "influence": _influence(graded.influence),
        "gaming": None if graded.gaming is None else asdict(graded.gaming),
        "final": None if graded.final is None else final_columns(graded.final),
        "decisions": decision_columns(graded.decisions),
        "earlier": _earlier_columns(graded),
        "semester": graded.semester.as_json(),
    }


def _grade_columns(graded: GradedClass) -> dict[str, Any]:
    """Assignments, submissions and reviews."""
    reports, grades = graded.reports, graded.grades
    low, high = graded.interval
    each = graded.payment.each
    names = reports.assignment_names or range(reports.assignments)
    digests = digests_of(reports, _excluded_reviews(graded))
    return {
        "assignments": {
            "assignment": [str(name) for name in names],
            "mean": _listed(grades.prior_mean),
            "shift": _listed(grades.shift),
            "digest": [digests.get(str(name), "") for name in names],
            "curve": [line._asdict() for line in graded.awarded.curves],
        },
        "submissions": {
            "assignment": graded.names.assignments,
            "submission": graded.names.submissions,
            "authors": [[one.id for one in authors] for authors in graded.names.authors],
            "grade": _listed(grades.score),
            "awarded": _listed(graded.awarded.grade),
            "letter": list(graded.awarded.letter),
            "low": _listed(low),
            "high": _listed(high),
            "peer_grade": _listed(grades.peer_score),
            "staff_low": None if grades.staff_low is None else _listed(grades.staff_low),
            "staff_high": None if grades.staff_high is None else _listed(grades.staff_high),
            "mean_weight": _listed(grades.prior_weight),
            "staff": _listed(grades.staff),
            "other_models": {name: _listed(score) for name, score in graded.model_scores.items()},
        },
        "reviews": {
            "submission": reports.submission.tolist(),
            "grader": reports.grader.tolist(),
            "grade": _listed(reports.grade),
            "value": _listed(grades.value),
            "weight": _listed(grades.weight),
            "parts": _model_parts(grades.parts),
            "earned": None if each is None else _listed(each),
        },
    }


def _excluded_reviews(graded: GradedClass) -> dict[str, list[GradedReview]]:
    """The excluded reviews by assignment, by which later runs recognise them."""
    found: dict[str, list[GradedReview]] = {}
    for one in () if graded.decisions is None else graded.decisions.excluded:
        review = GradedReview(one.submission, one.grader, one.grade)
        found.setdefault(one.assignment, []).append(review)
    return found


def _model_parts(parts: ModelParts | None) -> dict[str, Any] | None:
    """What the model makes of each review; None for other estimators."""
    if parts is None:
        return None
    columns = {name: _listed(column) for name, column in parts._asdict().items() if name != "share"}
    return {"share": parts.share, **columns}


def _grader_columns(graded: GradedClass) -> dict[str, Any]:
    """Graders, and the numbers of the class that their points depend on."""
    traits, period = graded.posterior.traits, graded.settings.points_over
    leniency = graded.leniency
    people = _people_with_earlier_names(graded)
    return {
        "graders": {
            "grader": [one.id for one in graded.names.graders],
            **_reward_columns(graded, period),
            "details": [dict(one.details) for one in people],
            "also_called": [list(one.also_called) for one in people],
            "traits": _trait_columns(traits),
            "leniency": {
                "mean": _listed(leniency.mean),
                "low": _listed(leniency.low),
                "high": _listed(leniency.high),
                "ratio": _listed(leniency.ratio),
            },
        },
        "class": {
            "leniency_evidence": _listed(leniency.evidence),
            "peer_error": graded.grades.peer_error,
            **_class_numbers(graded, period),
        },
    }


def _reward_columns(graded: GradedClass, period: str) -> dict[str, Any]:
    """Reviews, rewards and points of each grader over the week or over the semester."""
    estimated = graded.reward_per_review_over(period)
    return {
        "reviews": estimated.reviews.tolist(),
        "own_average": _listed(estimated.own_mean),
        "counts_for": _listed(estimated.weight),
        "earned": _listed(estimated.estimate),
        "standard_error": _listed(estimated.standard_error),
        "points": graded.points_over(period),
    }


def _class_numbers(graded: GradedClass, period: str) -> dict[str, Any]:
    """Numbers of the class that the points over a period depend on."""
    estimated = graded.reward_per_review_over(period)
    return {
        "average": estimated.class_mean,
        "between": estimated.between_variance,
        "within": estimated.within_variance,
        "digits": estimated.digits,
    }


def _other_period(graded: GradedClass) -> dict[str, Any] | None:
    """The same over the period that points are not for, if there is an earlier run."""
    if graded.earlier is None:
        return None
    other = "semester" if graded.settings.points_over == "week" else "week"
    return {
        "over": other,
        "graders": _reward_columns(graded, other),
        "class": _class_numbers(graded, other),
    }


def _comparison_columns(graded: GradedClass) -> dict[str, Any] | None:
    """What each review was compared with, if the mechanism pays by a distance."""
    compared, deduction = graded.payment.comparison, graded.payment.deduction
    if compared is None:
        return None
    return {
        "judged": _listed(compared.judged),
        "reference": _listed(compared.reference),
        "reference_words": compared.reference_words,
        "highest": compared.highest,
        "cost": compared.cost,
        "power": compared.power,
        "deduction_words": compared.deduction_words,
        "deduction": None if deduction is None else _listed(deduction),
    }


def _people_with_earlier_names(graded: GradedClass) -> list[KnownPerson]:
    """The graders, with the names that they had in earlier runs."""
    people, earlier = people_of(graded.opened), graded.earlier
    if earlier is None:
        return people
    found = []
    for person, place in zip(people, earlier.places(graded.reports).tolist(), strict=True):
        if place < 0:
            found.append(person)
            continue
        before = earlier.people[place]
        details = {**before.details, **person.details}
        names = dict.fromkeys((*before.also_called, before.id))
        others = tuple(name for name in names if name != person.id)
        found.append(KnownPerson(person.id, details, others))
    return found


def _earlier_columns(graded: GradedClass) -> dict[str, Any] | None:
    """The graders of the earlier run; *gone* are those whose results wait for their return."""
    earlier = graded.earlier
    if earlier is None:
        return None
    here = set(earlier.places(graded.reports).tolist())
    continuation = earlier.continuation
    return {
        "assignments": list(earlier.assignments),
        "digests": dict(earlier.digests),
        "grader": list(earlier.graders),
        "reviews": earlier.reviews.tolist(),
        "own_average": _listed(earlier.mean_reward),
        "gone": [place for place in range(len(earlier.people)) if place not in here],
        "details": [dict(one.details) for one in earlier.people],
        "also_called": [list(one.also_called) for one in earlier.people],
        "traits": _trait_columns(earlier.traits),
        "leniency": _leniency_columns(earlier.leniency),
        "continuation": None if continuation is None else continuation.as_json(),
        "decisions": [
            {**decision.as_json(), "of": assignment} for decision, assignment in earlier.decisions
        ],
    }


def _leniency_columns(leniency: LeniencyPrior | None) -> dict[str, list[float | None]] | None:
    if leniency is None:
        return None
    return {"mean": _listed(leniency.mean), "ratio": _listed(leniency.ratio)}


def _influence(influence: Influence) -> dict[str, Any]:
    collusion = [one._asdict() for one in influence.collusion]
    return {**asdict(influence), "collusion": collusion}


def _trait_columns(traits: Traits) -> dict[str, list[float | None]]:
    return {name: _listed(column) for name, column in zip(Traits._fields, traits, strict=True)}


def _interpretation(found: Interpretation) -> dict[str, Any]:
    """An interpretation; the defaults of its open questions were accepted."""
    return {**found.as_json(), "accepted": found.defaults}


def write_audit(content: dict[str, Any]) -> bytes:
    """An audit as JSON; NaN becomes null."""
    # Part by part, because the text of a whole audit may be larger than all that it is made of.
    encode = partial(json.dumps, ensure_ascii=False, allow_nan=False, default=str)
    parts = (json_bytes(f"{encode(key)}: {encode(value)}") for key, value in content.items())
    return b"{" + b", ".join(parts) + b"}\n"


# --------------------------------------------------------------------------------------- checking


def check_audit(content: dict[str, Any]) -> Iterator[str]:
    """Compute all grades and points of an audit again; yield a sentence for each difference."""
    yield from _check_parts(content)
    yield from _check_grades(content)
    yield from check_staff_intervals(content)
    yield from _check_points(content)
    yield from check_awarded(content)
    yield from check_final(content)
    yield from check_mark_parts(content)
    yield from check_last_run(content)


def _check_grades(content: dict[str, Any]) -> Iterator[str]:
    scale = Scale.parse(content["scale"])
    number_of = {name: number for number, name in enumerate(content["assignments"]["assignment"])}
    submissions, reviews = content["submissions"], content["reviews"]
    assignment = np.array([number_of[name] for name in submissions["assignment"]])
    mean = array(content["assignments"]["mean"])[assignment]
    weighted = array(reviews["value"]) * array(reviews["weight"])
    added = np.bincount(reviews["submission"], weighted, len(assignment))
    grade = np.clip(mean * array(submissions["mean_weight"]) + added, scale.lowest, scale.highest)
    names, staff = submissions["submission"], array(submissions["staff"])
    if "peer_grade" in submissions:
        reviewed = np.bincount(reviews["submission"], minlength=len(assignment)) > 0
        by_peers = np.where(reviewed, grade, np.nan)
        audited = array(submissions["peer_grade"])
        yield from differences("submission", names, "peer_grade", by_peers, audited)
    grade = np.where(np.isnan(staff), grade, staff)
    audited = array(submissions["grade"])
    yield from differences("submission", names, "grade", grade, audited)


def _check_parts(content: dict[str, Any]) -> Iterator[str]:
    """Compute the weights and values of reviews again, if the estimator has parts."""
    reviews = content["reviews"]
    parts = reviews.get("parts")
    if parts is None:
        return
    submission = np.array(reviews["submission"], dtype=np.int64)
    count = np.bincount(submission)[submission] if len(submission) else submission
    by_model = parts["share"] * array(parts["model_weight"])
    by_mean = (1 - parts["share"]) / np.maximum(count, 1)
    weight = by_model + by_mean
    value = by_model * array(parts["corrected"]) + by_mean * array(parts["pulled_in"])
    names = [f"{number + 1}" for number in range(len(submission))]
    audited = array(reviews["weight"])
    yield from differences("review", names, "weight", weight, audited)
    value = np.divide(value, weight, where=weight > 0, out=array(parts["corrected"]))
    yield from differences("review", names, "value", value, array(reviews["value"]))


def _check_points(content: dict[str, Any]) -> Iterator[str]:
    names, rule = content["graders"]["grader"], PointsRule.parse(content["settings"]["points"])
    if "digits" not in content["class"]:
        yield OLDER_RULE_SENTENCE
        return
    yield from _check_rewards(content)
    yield from _check_points_of(content["graders"], content["class"], names, rule, "")
    other = content.get("other_period")
    if other:
        over = f" over the {other['over']}"
        yield from _check_points_of(other["graders"], other["class"], names, rule, over)


def _check_points_of(
    graders: dict[str, Any],
    numbers: dict[str, Any],
    names: Sequence[str],
    rule: PointsRule,
    over: str,
) -> Iterator[str]:
    """Compute estimates and points from the mean rewards of graders."""
    estimated = audited_rewards(graders, numbers)
    for what, computed in (
        ("counts_for", estimated.weight),
        ("earned", estimated.estimate),
        ("standard_error", estimated.standard_error),
    ):
        yield from differences("grader", names, what + over, computed, array(graders[what]))
    points = rule.fitted(
        estimated.class_mean, estimated.between_variance, estimated.estimate, estimated.digits
    ).of(estimated.estimate)
    for name, ours, theirs in zip(names, points, graders["points"], strict=True):
        same = ours == theirs or (
            isinstance(ours, float)
            and isinstance(theirs, int | float)
            and abs(ours - theirs) < MAX_ROUNDING_ERROR
        )
        if not same:
            yield f"The points{over} of grader {name} should be {ours}, but are {theirs}."


def audited_rewards(graders: dict[str, Any], numbers: dict[str, Any]) -> RewardPerReview:
    """Mean reward per review of each grader, from the columns *graders* and *class* of an audit."""
    return RewardPerReview(
        array(graders["own_average"]),
        np.array(graders["reviews"]),
        numbers["average"],
        numbers["between"],
        numbers["within"],
        numbers["digits"],
    )


def _check_rewards(content: dict[str, Any]) -> Iterator[str]:
    """Compute the rewards of reviews, and the mean rewards of graders, again."""
    reviews, names = content["reviews"], content["graders"]["grader"]
    if reviews["earned"] is None:
        return
    each, digits = array(reviews["earned"]), content["class"]["digits"]
    compared = content["comparison"]
    deduction, value = np.zeros(len(names)), None
    if compared is not None:
        distance = np.abs(array(compared["judged"]) - array(compared["reference"]))
        reward = value = compared["highest"] - compared["cost"] * distance ** compared["power"]
        where = [str(number) for number in range(len(each))]
        yield from differences("review", where, "earned", np.round(reward, digits), each)
        if compared["deduction"] is not None:
            deduction = array(compared["deduction"])
    paid = ~np.isnan(each)
    grader = np.array(reviews["grader"], dtype=np.int64)[paid]
    count = np.bincount(grader, minlength=len(names))
    total = np.bincount(grader, each[paid], len(names))
    mean = np.round(np.where(count > 0, total / np.maximum(count, 1), np.nan), digits)
    week = columns_over(content, "week")
    audited = array(week["own_average"])
    yield from differences("grader", names, "own_average", mean - deduction, audited)
    audited = np.array(week["reviews"], dtype=float)
    yield from differences("grader", names, "number of reviews", count, audited)
    if value is not None and compared["deduction"] is None:
        yield from check_variances(content, value)
    if content["earlier"]:
        yield from _check_semester(content, digits)


def _check_semester(content: dict[str, Any], digits: int) -> Iterator[str]:
    """Add the earlier reviews of graders to those of this run."""
    names, earlier = content["graders"]["grader"], content["earlier"]
    week, semester = (columns_over(content, period) for period in ("week", "semester"))
    places = {name: place for place, name in enumerate(earlier["grader"])}
    if earlier["continuation"]:
        places = earlier["continuation"]["places"]
    before = np.array([places.get(name, -1) for name in names])
    known = before >= 0
    count = np.where(known, np.array([*earlier["reviews"], 0])[before], 0)
    mean = np.where(known, np.round(array([*earlier["own_average"], None]), digits)[before], 0.0)
    here = np.array(week["reviews"])
    own = np.where(here > 0, array(week["own_average"]), 0.0)
    both = here + count
    total = here * own + np.where(count > 0, count * mean, 0.0)
    found = np.round(np.where(both > 0, total / np.maximum(both, 1), np.nan), digits)
    yield from differences(
        "grader", names, "number of reviews", both, np.array(semester["reviews"], dtype=float)
    )
    audited = array(semester["own_average"])
    yield from differences("grader", names, "own_average over the semester", found, audited)


# ---------------------------------------------------------------------------------------- reading


def read_earlier(folder: Path | str) -> EarlierRun:
    """Read the results of an earlier run from its folder.

    Graders of even earlier runs who were absent in that run are among its graders, so that nobody
    loses the results of a missed week.
    """
    path = Path(folder) / AUDIT_FILE
    content = read_record(
        path,
        "an audit by peergauge",
        "give the folder that an earlier run of 'peergauge grade' wrote",
        MAX_AUDIT_BYTES,
        parse_constant=_no_constant,
        object_pairs_hook=_without_repetition,
    )
    return earlier_run(content, str(path))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON.")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A section of JSON has a key twice.")
    return found


def earlier_run(content: dict[str, Any], source: str) -> EarlierRun:
    """The results of an earlier run, from its audit.

    Parameters
    ----------
    content
        The audit as JSON has it: ``json.loads(json.dumps(audit(graded)))``.
    source
        Where the audit comes from, for messages.

    Raises
    ------
    TableError
        If a value that is read is impossible; the message names the first one.
    """
    if not isinstance(content, dict):
        raise _not_an_audit(source, "it has no sections")
    try:
        scale = Scale.parse(content["scale"])
    except (LookupError, TypeError, ScaleError) as error:
        raise _not_an_audit(source, "its 'scale' is missing or is not a scale") from error
    problem = next(audit_problems(content, scale), None) or _other_problem(content)
    if problem is not None:
        raise _not_an_audit(source, problem)
    return _earlier_run(content)


def _other_problem(content: dict[str, Any]) -> str | None:
    """What is wrong with parts that have checks of their own, and with digests."""
    try:
        payer = mechanisms.make(content["mechanism"])
        strict = content.get("peergauge") == __version__
        merged_settings(earlier_settings(content.get("settings", {}), strict=strict))
    except PeergaugeError as error:
        return str(error).rstrip(".")
    digests = review_digests(content)
    names = content["assignments"]
    for name, digest in zip(names["assignment"], names.get("digest", ()), strict=False):
        if digest and digests.get(name) != digest:
            return f"the reviews of assignment {name!a} do not fit their digest"
    so_far, names = columns_over(content, "semester"), content["graders"]["grader"]
    if not payer.facts.minus_infinity:
        rows = zip(names, so_far["reviews"], so_far["own_average"], strict=True)
        for name, reviews, mean in rows:
            if (mean is None) != (reviews == 0):
                return f"grader {name!a} has {reviews} rewarded reviews and the mean reward {mean}"
    return _contradiction(content)


def _contradiction(content: dict[str, Any]) -> str | None:
    """A mean reward that does not follow from the rewards of reviews; None in older audits."""
    if "digits" not in content["class"] or not {"comparison", "other_period"} <= set(content):
        return None
    try:
        with np.errstate(all="ignore"):
            found = next(_check_rewards(content), None)
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError):
        return "the rewards of reviews, or the columns that they follow from, are not numbers"
    return None if found is None else found.rstrip(".")


def _not_an_audit(source: str, problem: str) -> TableError:
    return TableError(
        f"{source} is not the audit of an earlier run, or it is damaged: {problem}; give the "
        "folder that 'peergauge grade' wrote, or grade that class again."
    )


def _earlier_run(content: dict[str, Any]) -> EarlierRun:
    graders, before = content["graders"], content["earlier"] or {}
    # Audits of older versions know neither details of people nor who is gone.
    gone = before.get("gone", [])
    so_far = columns_over(content, "semester")
    titles = list(map(str, content["assignments"]["assignment"]))
    digests = dict(zip(titles, content["assignments"].get("digest", ()), strict=False))
    people = [*_people_in(graders), *(_people_in(before)[place] for place in gone)]
    return EarlierRun(
        tuple(people),
        Traits(
            *(
                _with_gone(graders["traits"][name], before.get("traits", {}).get(name), gone)
                for name in Traits._fields
            )
        ),
        (*map(str, before.get("assignments", ())), *titles),
        _with_gone(so_far["reviews"], before.get("reviews"), gone).astype(np.int64),
        _with_gone(so_far["own_average"], before.get("own_average"), gone),
        mechanisms.make(content["mechanism"]).spec,
        str(Scale.parse(content["scale"])),
        _graded_reviews(content),
        {**before.get("digests", {}), **digests},
        _answers_in(content.get("interpretation", {})),
        grades_are_turned(note["text"] for note in content["import"]["notes"]),
        leniency=_leniency_in(content, gone),
        points_over=str(content.get("settings", {}).get("points_over", "")),
        settings=content.get("settings") or {},
        decisions=decisions_in(content),
        semester=semester_in(content),
    )


def _leniency_in(content: dict[str, Any], gone: Sequence[int]) -> LeniencyPrior | None:
    """Leniency of the graders of a run; None for a run of an older version."""
    now = content["graders"].get("leniency")
    evidence = array(content["class"].get("leniency_evidence") or [])
    if now is None or len(evidence) != len(RATIO_GRID):
        return None
    before = (content["earlier"] or {}).get("leniency") or {}
    unknown = [None] * len((content["earlier"] or {}).get("grader", ()))
    return LeniencyPrior(
        _with_gone(now["mean"], before.get("mean", unknown), gone),
        _with_gone(now["ratio"], before.get("ratio", unknown), gone),
        evidence,
    )


def _people_in(columns: dict[str, Any]) -> list[KnownPerson]:
    ids = columns["grader"]
    details = columns.get("details") or [{} for _ in ids]
    names = columns.get("also_called") or [() for _ in ids]
    return [
        KnownPerson(
            str(one),
            {str(kind): str(value) for kind, value in known.items()},
            tuple(map(str, others)),
        )
        for one, known, others in zip(ids, details, names, strict=True)
    ]


def _with_gone(now: Sequence[Any], before: Sequence[Any] | None, gone: Sequence[int]) -> Any:
    """A column of the graders of a run, and of those who were absent in it."""
    return np.concatenate([array(now), array([(before or [])[place] for place in gone])])


def _graded_reviews(content: dict[str, Any]) -> dict[str, tuple[GradedReview, ...]]:
    submissions, reviews = content["submissions"], content["reviews"]
    names, graders = submissions["submission"], content["graders"]["grader"]
    found: dict[str, list[GradedReview]] = {}
    columns = zip(reviews["submission"], reviews["grader"], reviews["grade"], strict=True)
    for submission, grader, grade in columns:
        review = GradedReview(str(names[submission]), str(graders[grader]), float(grade))
        found.setdefault(str(submissions["assignment"][submission]), []).append(review)
    for one in (content.get("decisions") or {}).get("excluded", ()):
        review = GradedReview(str(one["submission"]), str(one["grader"]), float(one["grade"]))
        found.setdefault(str(one["assignment"]), []).append(review)
    return {name: tuple(those) for name, those in found.items()}


def review_digests(content: dict[str, Any]) -> dict[str, str]:
    """Digests of the reviews of an audit by their assignments."""
    return {name: digest_of(reviews) for name, reviews in _graded_reviews(content).items()}


def _answers_in(interpretation: dict[str, Any]) -> dict[str, str]:
    """Answers that the next run uses: those that were given, and defaults that were accepted."""
    found = {**interpretation.get("accepted", {}), **interpretation.get("answers", {})}
    return {key: str(value) for key, value in found.items() if key not in QUESTIONS_OF_ONE_RUN}


def _listed(values: Any) -> list[float | None]:
    listed: list[float | None] = values.tolist()
    for place in np.flatnonzero(~np.isfinite(values)).tolist():
        listed[place] = None
    return listed
