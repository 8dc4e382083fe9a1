"""Refuses points that cannot be simulated or measured, before anything runs.

A class of every point is drawn, which takes little time, but nobody is paid by a mechanism. Each
measure is tried on random rewards: if it is undefined for these, the classes lack what it needs.
"""

from __future__ import annotations

import numpy as np

from peergauge.core.errors import (
    DesignError,
    NeedsTruthError,
    ParameterError,
    PeergaugeError,
    UnknownNameError,
)
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Point
from peergauge.lab.compare import per_report
from peergauge.lab.paper.strategic import Profile
from peergauge.lab.sweep.experiment import Sweep, deviators_of
from peergauge.lab.sweep.grid import GridPoint, impossible, in_words
from peergauge.metrics import DeviationMetric, Metric, RewardMetric
from peergauge.simulate import Semester
from peergauge.tables import Rewards

MAX_TRIAL_CLASSES = 3
"""Classes of a point in which a measure is tried; it may be undefined by chance in one."""


def check(experiment: Sweep, seed: int) -> None:
    """Raise an error for the first point that is impossible, or that lacks what a measure needs."""
    tried: dict[object, None] = {}
    payable: set[str] = set()
    reasons: dict[str, PeergaugeError] = {}
    for number in range(len(experiment.grid)):
        here = experiment.grid.point(number)
        designs = {one.facts.design for one in here.mechanisms}
        key = here.environment, here.profile, frozenset(designs)
        if key in tried:
            continue
        tried[key] = None
        failed = {}
        for design in sorted(designs):
            try:
                _try(experiment, here, design, seed)
            except DesignError as error:
                failed[design] = error
        # Mechanisms that need clusters have no value where there are none, but others should.
        if "any" in failed or len(failed) == len(designs):
            reason = failed.get("any") or next(iter(failed.values()))
            raise impossible(here.coordinates, reason) from reason
        for one in here.mechanisms:
            design = one.facts.design
            if design in failed:
                reasons.setdefault(one.facts.name, failed[design])
            else:
                payable.add(one.facts.name)
    for name, why in reasons.items():
        if name not in payable:
            raise ParameterError(f"{name} cannot pay the classes of any point: {why}")


def _try(experiment: Sweep, here: GridPoint, design: str, seed: int) -> None:
    """Draw the first classes of a point, and try the measures on random rewards."""
    waiting = list(experiment.measures)
    for repetition in range(min(MAX_TRIAL_CLASSES, experiment.repetitions)):
        own = experiment.own_seed(seed, Point(), repetition)
        try:
            semester = here.environment.draw(own).semester(design)
            if any(isinstance(one, DeviationMetric) for one in experiment.measures):
                _deviate(semester, here.profile)
        except (DesignError, UnknownNameError):
            raise
        except PeergaugeError as error:
            raise impossible(here.coordinates, error) from error
        waiting = [one for one in waiting if not _defined(one, here, semester)]
        if not waiting:
            return
    lacking = waiting[0]
    raise ParameterError(
        f"The measure '{lacking.spec}' needs {lacking.facts.needs}, and is undefined in the "
        f"classes of the point {in_words(here.coordinates)}; leave out this point or this measure."
    )


def _deviate(semester: Semester, profile: str) -> None:
    """Let one grader follow each strategy of a profile; refuse strategies that lack something."""
    (deviator,) = deviators_of(semester, 1)
    for spec in Profile.parse(profile).specs:
        semester.redo(deviator, spec, standing=lambda _: np.zeros(len(semester.population)))


def _defined(measure: Metric, here: GridPoint, semester: Semester) -> bool:
    """Whether a measure has a value for random rewards."""
    if not isinstance(measure, RewardMetric):
        return True
    reports = semester.reports
    part = stream(semester.seed, "trial").random(len(reports))
    own = per_report(measure) if here.environment.source.uneven else measure
    try:
        value = own.measure(Rewards.from_parts(reports, part), semester.truth)
    except NeedsTruthError:
        return False
    except PeergaugeError as error:
        raise ParameterError(
            f"The measure '{measure.spec}' cannot be computed at the point "
            f"{in_words(here.coordinates)}: {error}"
        ) from error
    except Exception:  # A measure of the user's own may need what random rewards do not have.
        return True
    return not np.isnan(value)
