"""Simulated classes of presentations, in which everybody of a session rates everybody else.

They stand in for real classes of this kind, of which only a description is known: complete matrices
of 7 to 34 raters, ratings of oneself removed, many ratings at the top of the scale, and staff who
grade something broader than peers see, on another scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.tables import Reports, Scale

SESSION_SIZES = (7, 9, 12, 14, 18, 22, 28, 34)
"""Raters of each session, from the smallest to the largest that was described."""

SCALE = Scale(1, 5)

MEAN_QUALITY, QUALITY_DEVIATION = 4.2, 0.45
"""Mean and standard deviation of presentations on the scale; one in twenty is beyond its top."""

SESSION_DEVIATION = 0.15
"""Standard deviation of the mean quality of sessions."""

LENIENCY_DEVIATION, NOISE_DEVIATION = 0.35, 0.55
"""Standard deviations of the leniency of raters, and of their noise on average."""

CARELESS_SHARE = 0.05
"""Share of ratings that have nothing to do with the presentation."""

STAFF_CORRELATION = 0.65
"""Correlation between what staff grade and what peers see."""


class Presentations(NamedTuple):
    """A class of presentations: the ratings, what peers see, and staff grades on 0..100."""

    reports: Reports
    quality: Floats
    staff: Floats


def presentations(seed: int) -> Presentations:
    """Simulate a class of presentations."""
    rng = stream(seed, "presentations")
    submission, grader, grade = [], [], []
    quality: list[float] = []
    first = 0
    for size in SESSION_SIZES:
        level = rng.normal(MEAN_QUALITY, SESSION_DEVIATION)
        seen = rng.normal(level, QUALITY_DEVIATION, size)
        leniency = rng.normal(0, LENIENCY_DEVIATION, size)
        noise = NOISE_DEVIATION * rng.gamma(6, 1 / 5, size) ** -0.5
        latent = seen[:, None] + leniency + noise * rng.normal(size=(size, size))
        careless = rng.random((size, size)) < CARELESS_SHARE
        latent = np.where(careless, rng.uniform(1, 5, (size, size)), latent)
        rated = np.clip(np.rint(latent), SCALE.lowest, SCALE.highest)
        one, other = np.nonzero(~np.eye(size, dtype=np.bool_))
        submission.append(first + one)
        grader.append(first + other)
        grade.append(rated[one, other])
        quality.extend(seen.tolist())
        first += size
    what, who, given = (np.concatenate(part) for part in (submission, grader, grade))
    order = np.lexsort((who, what))
    reports = Reports(
        np.zeros(len(what), dtype=np.int32), what[order], who[order], given[order], SCALE
    )
    true = np.array(quality)
    standard = (true - MEAN_QUALITY) / QUALITY_DEVIATION
    broader = rng.normal(size=len(true))
    mixed = STAFF_CORRELATION * standard + np.sqrt(1 - STAFF_CORRELATION**2) * broader
    return Presentations(reports, np.clip(true, 1, 5), np.clip(75 + 9 * mixed, 0, 100).round())
