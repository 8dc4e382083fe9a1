"""Twins: synthetic classes with the statistics of a real class, which can be shared in its place.

The model contains distributions only: the numbers of reports of graders and submissions, the
frequencies of grades, and the variances of quality, bias and noise. A twin is drawn from these
distributions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import DesignError, TableError
from peergauge.core.randomness import derived_seed, stream
from peergauge.metrics.statistics import covariance_of_pairs, pearson, spread_within
from peergauge.simulate.degrees import MIN_GROUP_SIZE, Counts, Degrees, meetings, random_bipartite
from peergauge.simulate.design import Design
from peergauge.tables import Reports, Scale, Truth

__all__ = ["Parameters", "Twin", "draw", "fit", "twin"]

FITTING_REPORTS = 20_000
"""Number of simulated reports for matching the moments of a class; their error is then small
compared with that of a real class."""


# ---------------------------------------------------------------------------------- what is fitted


class Levels(NamedTuple):
    """Frequencies of grades: heaps for common grades, and broad bands for the rest.

    A grade that was given five times or more is a heap, stored with its share. Rarer grades are
    stored in bands of the scale with five or more grades: the ends of the band, its share, and the
    relative position of the mean. They are drawn in steps. If there are fewer than five rare grades
    in all, only their share is stored, and they are drawn from the whole scale.
    """

    heaps: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float, float, float], ...]
    step: float

    @classmethod
    def of(cls, grade: Floats, scale: Scale) -> Levels:
        """Fit the frequencies to the grades of a class."""
        value, times = np.unique(grade, return_counts=True)
        heap = times >= MIN_GROUP_SIZE
        rest = np.repeat(value[~heap], times[~heap])
        return cls(
            tuple(
                (float(one), round(float(count) / len(grade), 4))
                for one, count in zip(value[heap], times[heap], strict=True)
            ),
            tuple(_bands(rest, scale, len(grade))),
            step_of(rest, scale),
        )

    def quantiles(self) -> tuple[Floats, Floats]:
        """Grades in order, and their cumulative probabilities."""
        values = [np.array([one for one, _ in self.heaps])]
        shares = [np.array([share for _, share in self.heaps])]
        for low, high, share, centre in self.bands:
            steps = round((high - low) / self.step) + 1
            # Steps such as 0.1 are inexact, and grades are compared for equality.
            values.append(np.round(low + self.step * np.arange(steps), 9))
            # The mean of a Beta(c / (1 - c), 1) distribution is c.
            reached = np.linspace(0.0, 1.0, steps + 1) ** (centre / (1 - centre))
            shares.append(share * np.diff(reached))
        distinct, place = np.unique(np.concatenate(values), return_inverse=True)
        total = np.cumsum(np.bincount(place, np.concatenate(shares)))
        return distinct, total / total[-1]


def _bands(rest: Floats, scale: Scale, of: int) -> Iterator[tuple[float, float, float, float]]:
    """Tenths of the scale, merged until each contains five of the rarer grades."""
    step = step_of(rest, scale)
    edges = scale.lowest + scale.unit * np.arange(11)
    place = np.clip(np.searchsorted(edges, rest, side="right") - 1, 0, 9)
    count = np.bincount(place, minlength=10)
    if len(rest) < MIN_GROUP_SIZE:
        if len(rest):
            whole = np.floor((scale.highest - scale.lowest) / step + 1e-9)
            high = round(float(scale.lowest + step * whole), 9)
            yield scale.lowest, high, round(len(rest) / of, 4), 0.5
        return
    begin, last_end = int(place.min()), int(place.max()) + 1
    ends = []
    held = 0
    for tenth in range(begin, last_end):
        held += int(count[tenth])
        if held >= MIN_GROUP_SIZE:
            ends.append(tenth + 1)
            held = 0
    if held:
        ends = [*ends[:-1], last_end]
    for end in ends:
        held_here = rest[(place >= begin) & (place < end)]
        share = round(len(held_here) / of, 4)
        # Bands are half-open, except for the last, which includes the end of the scale.
        low = scale.lowest + step * np.ceil((edges[begin] - scale.lowest) / step - 1e-9)
        last = edges[end] if end == 10 else edges[end] - step / 2
        high = scale.lowest + step * np.floor((last - scale.lowest) / step + 1e-9)
        high = max(low, high)
        # A grade represents the middle of its step.
        centre = (held_here.mean() - low + step / 2) / (high - low + step)
        position = round(float(np.clip(centre, 0.05, 0.95)), 2)
        yield float(round(low, 9)), float(round(high, 9)), share, position
        begin = end


def step_of(rest: Floats, scale: Scale) -> float:
    """Step of the scale, or the coarsest round step that nearly all grades use."""
    if scale.step is not None:
        return scale.step
    finest = float(10.0 ** np.floor(np.log10(scale.unit / 10)))
    for step in (1.0, 0.5, 0.25, 0.1, 0.05):
        steps = (rest - scale.lowest) / step
        if step > finest and np.mean(np.abs(steps - np.rint(steps)) < 1e-6) >= 0.95:
            return step
    return finest


class Assignment(NamedTuple):
    """One assignment: its size, its degrees, and the level of its grades (in latent units).

    ``authored`` counts authors by their number of submissions, and ``again`` counts how often two
    graders of a submission meet on another one.
    """

    submissions: int
    graders: int
    reports: int
    loads: Degrees
    sizes: Degrees
    authored: tuple[tuple[int, int], ...]
    again: int
    level: float = 0.0


class TrueScores(NamedTuple):
    """Model of true scores: their frequencies, the number of known ones, and their accuracy.

    ``accuracy`` is the latent correlation of true scores with the consensus of graders. It exceeds
    1 if true scores follow the mean of the grades more closely than graders follow each other, as
    staff grades do if staff have seen the peer grades; at 2 they follow only the mean. ``tilt``
    describes how the submissions with known scores were selected: 0 means at random, negative
    values mean that worse submissions were selected.
    """

    levels: Levels
    known: int
    accuracy: float = 0.0
    tilt: float = 0.0


@dataclass(frozen=True)
class Parameters:
    """All numbers from which a twin is drawn.

    Parameters
    ----------
    scale
        The scale of grades.
    graders
        Number of graders.
    assignments
        Size and degrees of each assignment.
    attendance
        Variance of the graders' log odds of taking part in an assignment.
    grades
        Frequencies of grades.
    quality, bias, noise
        Shares of the latent variance due to submissions, graders and neither; they add up to 1.
    skewness
        Negative if some submissions are much worse than the others, positive if some are much
        better: qualities are shifted log-normal, and this is the standard deviation of the
        logarithm.
    reliability_spread
        Standard deviation, over graders, of the logarithm of the variance of their noise.
    truth
        Model of true scores, if any are known.
    points
        Mean and standard deviation of the prior, and standard deviations of biases and noise, in
        points of the scale.
    exact
        Exact degrees of the class, by grader and by submission, if requested.
    """

    scale: Scale
    graders: int
    assignments: tuple[Assignment, ...]
    attendance: float
    grades: Levels
    quality: float = 0.5
    bias: float = 0.1
    skewness: float = 0.0
    reliability_spread: float = 0.0
    truth: TrueScores | None = None
    points: tuple[tuple[str, float], ...] = ()
    exact: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] | None = None

    @property
    def noise(self) -> float:
        """Share of the latent variance that neither submissions nor graders explain."""
        return 1.0 - self.quality - self.bias

    def as_json(self) -> dict[str, Any]:
        """Return plain values, for a JSON file."""
        plain = asdict(self)
        plain["scale"] = str(self.scale)
        plain["assignments"] = [
            {**one._asdict(), "loads": one.loads._asdict(), "sizes": one.sizes._asdict()}
            for one in self.assignments
        ]
        plain["grades"] = self.grades._asdict()
        plain["noise"] = round(self.noise, 4)
        if self.truth is not None:
            plain["truth"] = {**self.truth._asdict(), "levels": self.truth.levels._asdict()}
        plain["points"] = dict(self.points)
        return plain


@dataclass(frozen=True, eq=False)
class Twin:
    """A synthetic class, and the parameters from which it was drawn."""

    reports: Reports
    truth: Truth
    parameters: Parameters
    seed: int


def twin(
    reports: Reports, truth: Truth | None = None, *, seed: int = 0, exact: bool = False
) -> Twin:
    """Draw a synthetic class fitted to a real one.

    *exact* keeps every grader's number of reports on each assignment, instead of drawing these
    numbers from their fitted distribution.

    >>> from peergauge.simulate import Setting, simulate
    >>> semester = simulate(Setting(students=20, assignments=2), seed=1)
    >>> twin(semester.reports, semester.truth, seed=3).reports
    <Reports: 160 grades on 0..10 by 20 graders of 40 submissions in 2 assignments>
    """
    return draw(fit(reports, truth, exact=exact), seed)


# ---------------------------------------------------------------------------------------- fitting


def fit(reports: Reports, truth: Truth | None = None, *, exact: bool = False) -> Parameters:
    """Fit the parameters of twins by the method of simulated moments.

    The latent value of a report is normal: the sum of the level of its assignment, the quality of
    the submission, the bias of the grader, and noise, whose variance differs between graders. Its
    quantile is mapped to the same quantile of the grades of the class, which preserves heaps and
    the ends of the scale (a Gaussian copula; Cario & Nelson 1997). The parameters are chosen such
    that simulated classes match, on average, the mean grade of each assignment, the variance within
    submissions, the third moment of two grades of a submission, the covariances of a grader's
    residuals and of their absolute values, and the correlation of mean grades with true scores.
    """
    if len(reports) < 2:
        raise TableError("A twin needs a class with at least two reports to be fitted to.")
    given = Design.of(reports, truth)
    known = None if truth is None else truth.scores_of(reports)
    has_truth = known is not None and bool(np.isfinite(known).any())
    start = Parameters(
        scale=reports.scale,
        graders=reports.graders,
        assignments=tuple(_assignments(given)),
        attendance=_attendance(given),
        grades=Levels.of(reports.grade, reports.scale),
        truth=_true_scores(known, reports.scale) if has_truth and known is not None else None,
        exact=_exact(given) if exact else None,
    )
    return _matched(start, reports, known if has_truth else None)


def _assignments(given: Design) -> Iterator[Assignment]:
    for number in range(given.assignments):
        here = given.submission_assignment == number
        rows = given.assignment == number
        sizes = np.bincount(given.submission[rows], minlength=len(here))[here]
        loads = np.bincount(given.grader[rows], minlength=given.graders)
        present = loads[loads > 0]
        wrote = np.bincount(given.author[here & (given.author >= 0)])
        works, authors = np.unique(wrote[wrote > 0], return_counts=True)
        yield Assignment(
            submissions=int(here.sum()),
            graders=len(present),
            reports=int(rows.sum()),
            loads=Degrees.of(present) if len(present) else Degrees((0,), (1.0,)),
            sizes=Degrees.of(sizes) if len(sizes) else Degrees((0,), (1.0,)),
            authored=tuple(zip(works.tolist(), authors.tolist(), strict=True)),
            again=meetings(given.submission[rows], given.grader[rows]),
        )


def _attendance(given: Design) -> float:
    """Variance of log odds behind the variance of the numbers of assignments graded."""
    present = _loads(given) > 0
    share = present.mean(axis=0)
    chance = float((share * (1 - share)).sum())
    excess = float(present.sum(axis=1).var()) - chance
    # Attendance at two assignments is correlated through the odds of the same grader.
    pairs = float((share * (1 - share)).sum() ** 2 - ((share * (1 - share)) ** 2).sum())
    return round(max(excess, 0.0) / pairs, 4) if pairs > 1e-9 else 0.0


def _loads(given: Design) -> Counts:
    """Reports of each grader on each assignment."""
    key = given.grader.astype(np.int64) * given.assignments + given.assignment
    count = np.bincount(key, minlength=given.graders * given.assignments)
    return count.reshape(given.graders, given.assignments)


def _exact(given: Design) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    sizes = np.bincount(given.submission, minlength=len(given.author))
    return (
        tuple(sorted(tuple(row) for row in _loads(given).tolist())),
        tuple(
            tuple(np.sort(sizes[given.submission_assignment == one]).tolist())
            for one in range(given.assignments)
        ),
    )


def _true_scores(score: Floats, scale: Scale) -> TrueScores:
    known = score[np.isfinite(score)]
    # Staff may use finer steps than students; then true scores are drawn from a continuous scale.
    suits = scale if scale.holds(known).all() else replace(scale, step=None)
    inside = np.clip(known, scale.lowest, scale.highest)
    return TrueScores(Levels.of(inside, suits), len(known))


# ---------------------------------------------------------------------------------------- drawing


class Crowd(NamedTuple):
    """Several classes of one size with all their random draws, as arrays."""

    copies: int
    assignment: Ints
    submission: NDArray[np.int64]
    grader: NDArray[np.int64]
    submission_assignment: Ints
    quality: Floats
    bias: Floats
    spread: Floats
    noise: Floats
    truth_noise: Floats
    truth_chance: Floats
    choice: Floats


def _crowd(designs: list[Design], seed: int) -> Crowd:
    first = designs[0]
    submissions, graders = len(first.author), first.graders
    rng = stream(seed, "twin", "people")
    many = len(designs)
    noise = stream(seed, "twin", "noise").standard_normal(sum(len(d.grader) for d in designs))
    return Crowd(
        copies=many,
        assignment=np.concatenate([d.assignment for d in designs]),
        submission=np.concatenate(
            [d.submission + np.int64(i * submissions) for i, d in enumerate(designs)]
        ),
        grader=np.concatenate([d.grader + np.int64(i * graders) for i, d in enumerate(designs)]),
        submission_assignment=np.concatenate([d.submission_assignment for d in designs]),
        quality=rng.standard_normal(many * submissions),
        bias=rng.standard_normal(many * graders),
        spread=rng.standard_normal(many * graders),
        noise=noise,
        truth_noise=rng.standard_normal(many * submissions),
        truth_chance=rng.random(many * submissions),
        choice=rng.gumbel(size=many * submissions),
    )


def _graded(model: Parameters, crowd: Crowd) -> tuple[Floats, Floats | None]:
    """Grades and true scores of a crowd; NaN where a true score is unknown."""
    quality = _quality(model, crowd)
    latent = (
        quality[crowd.submission]
        + (np.sqrt(model.bias) * crowd.bias)[crowd.grader]
        + _deviation(model, crowd.spread)[crowd.grader] * crowd.noise
    )
    grade = _looked_up(model.grades, _distribution(model)(latent))
    if model.truth is None:
        return grade, None
    times = np.maximum(np.bincount(crowd.submission, minlength=len(quality)), 1)
    seen = np.bincount(crowd.submission, latent, minlength=len(quality)) / times
    return grade, _true(model.truth, quality, np.where(seen == 0, quality, seen), crowd)


def _quality(model: Parameters, crowd: Crowd) -> Floats:
    level = np.array([one.level for one in model.assignments])[crowd.submission_assignment]
    return np.asarray(level + np.sqrt(model.quality) * _skewed(crowd.quality, model.skewness))


def _skewed(normal: Floats, skewness: float) -> Floats:
    """Map normal values to shifted log-normal values of mean 0 and variance 1."""
    if abs(skewness) < 1e-3:
        return normal
    side, square = np.sign(skewness), skewness**2
    value = np.exp(skewness * normal) - np.exp(square / 2)
    return np.asarray(side * value / np.sqrt(np.expm1(square) * np.exp(square)))


def _deviation(model: Parameters, normal: Floats) -> Floats:
    """Standard deviation of each grader's noise."""
    spread = model.reliability_spread
    return np.asarray(np.sqrt(model.noise * np.exp(spread * normal - spread**2 / 2)))


def _distribution(model: Parameters) -> Callable[[Floats], Floats]:
    """Distribution function of latent values, from a large sample."""
    which, quality, bias, spread, noise = _sample()
    reports = np.cumsum([one.reports for one in model.assignments])
    level = np.array([one.level for one in model.assignments])
    latent = (
        level[np.searchsorted(reports / reports[-1], which, side="right")]
        + np.sqrt(model.quality) * _skewed(quality, model.skewness)
        + np.sqrt(model.bias) * bias
        + _deviation(model, spread) * noise
    )
    latent.sort()
    below = (np.arange(len(latent)) + 0.5) / len(latent)
    return lambda value: np.interp(value, latent, below)


@lru_cache(maxsize=1)
def _sample() -> tuple[Floats, ...]:
    rng = stream(0, "twin", "latent")
    return rng.random(40_000), *rng.standard_normal((4, 40_000))


def _looked_up(levels: Levels, probability: Floats) -> Floats:
    value, below = levels.quantiles()
    place = np.searchsorted(below, probability, side="left")
    return value[np.minimum(place, len(value) - 1)]


def _true(truth: TrueScores, quality: Floats, seen: Floats, crowd: Crowd) -> Floats:
    """True scores of the submissions of each copy that have one, by their latent quality."""
    each = quality.reshape(crowd.copies, -1)
    wanted = truth.tilt * each + crowd.choice.reshape(each.shape)
    chosen = np.argsort(-wanted, axis=1, kind="stable")[:, : truth.known]
    echo = max(truth.accuracy - 1.0, 0.0)
    followed = quality + echo * (seen - quality)
    accuracy = min(truth.accuracy, 1.0)
    among, noise, chance = (
        np.take_along_axis(column.reshape(each.shape), chosen, axis=1)
        for column in (followed, crowd.truth_noise, crowd.truth_chance)
    )
    standard = (among - among.mean()) / (among.std() or 1.0)
    latent = accuracy * standard + np.sqrt(1 - accuracy**2) * noise
    # New draws of true scores, assigned in the order of the latent scores.
    rank = np.argsort(np.argsort(latent, axis=1, kind="stable"), axis=1, kind="stable")
    drawn = _looked_up(truth.levels, np.sort(chance, axis=1))
    score = np.full(each.shape, np.nan)
    np.put_along_axis(score, chosen, np.take_along_axis(drawn, rank, axis=1), axis=1)
    return score.ravel()


def draw(model: Parameters, seed: int = 0) -> Twin:
    """Draw a twin: first the design, then the grades, with new names for everything."""
    design = _design(model, seed)
    crowd = _crowd([design], seed)
    grade, score = _graded(model, crowd)
    if score is None:
        score = _expected(model, crowd)
    named: dict[str, Any] = {
        "assignment_names": _names("a", design.assignments),
        "submission_names": _names("s", len(design.author)),
        "grader_names": _names("g", design.graders),
    }
    reports = replace(design.reports(grade, model.scale), **named)
    author = design.author if (design.author >= 0).any() else None
    truth = Truth(score, design.submission_assignment, author, **named)
    return Twin(reports, truth, model, seed)


def _names(letter: str, count: int) -> tuple[str, ...]:
    # Padded to the width of the last number, so that names sort in numerical order.
    width = max(3, len(str(count)))
    return tuple(f"{letter}{number:0{width}}" for number in range(1, count + 1))


def _expected(model: Parameters, crowd: Crowd) -> Floats:
    """Expected mean grade of each submission over all graders, used as its unknown true score."""
    from scipy.special import ndtri

    # Averaged over the biases of all graders, with noise of average variance.
    around = ndtri((np.arange(101) + 0.5) / 101) * np.sqrt(1 - model.quality)
    below = _distribution(model)(_quality(model, crowd)[:, None] + around)
    digits = 2 - int(np.floor(np.log10(model.scale.unit)))
    return np.asarray(np.round(_looked_up(model.grades, below).mean(axis=1), digits))


def _design(model: Parameters, seed: int) -> Design:
    """Draw a design; degrees that no graph can have are drawn again, or replaced by exact ones."""
    for attempt in range(50):
        rng = stream(seed, "twin", "design", attempt)
        drawn = _design_with(model, *_degrees(model, rng), rng)
        if drawn is not None:
            return drawn
    raise DesignError(
        "No design was found for as few graders and submissions as this class has; "
        "ask for its exact degrees (exact=True, --exact)."
    )


def _degrees(model: Parameters, rng: np.random.Generator) -> tuple[Counts, list[Counts]]:
    """Draw loads by grader and assignment, and numbers of graders by assignment and submission."""
    if model.exact is not None:
        rows, of_submissions = model.exact
        loads = rng.permutation(np.array(rows, dtype=np.int64))
        return loads, [rng.permutation(np.array(one, dtype=np.int64)) for one in of_submissions]
    loads = _present(model, rng).astype(np.int64)
    sizes = []
    for number, one in enumerate(model.assignments):
        lowest = 0 if one.sizes.values[0] == 0 or one.reports < one.submissions else 1
        sizes.append(
            one.sizes.draw_total(one.submissions, one.reports, lowest, one.graders, rng)
            if one.submissions
            else np.zeros(0, dtype=np.int64)
        )
        here = np.flatnonzero(loads[:, number])
        if len(here):
            loads[here, number] = one.loads.draw_total(
                len(here), one.reports, 1, one.submissions, rng
            )
    return loads, sizes


def _present(model: Parameters, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw who takes part in each assignment, with the observed counts and attendance odds."""
    odds = rng.normal(0.0, np.sqrt(model.attendance), model.graders)
    present = np.zeros((model.graders, len(model.assignments)), dtype=np.bool_)
    for number, one in enumerate(model.assignments):
        # The largest log odds plus Gumbel noise are a weighted draw without replacement.
        keen = odds + rng.gumbel(size=model.graders)
        present[np.argsort(-keen, kind="stable")[: one.graders], number] = True
    # Every grader takes part at least once; others would be missing from the file.
    for absent in rng.permutation(np.flatnonzero(~present.any(axis=1))):
        often = np.flatnonzero(present.sum(axis=1) > 1)
        if not len(often):
            break
        gives = rng.choice(often)
        number = rng.choice(np.flatnonzero(present[gives]))
        present[gives, number], present[absent, number] = False, True
    return present


def _design_with(
    model: Parameters, loads: Counts, sizes: list[Counts], rng: np.random.Generator
) -> Design | None:
    assignment, submission, grader, author = [], [], [], []
    begin = 0
    for number, (one, size) in enumerate(zip(model.assignments, sizes, strict=True)):
        wrote = np.full(len(size), -1, dtype=np.int64)
        works = [many for many, authors in one.authored for _ in range(authors)]
        by = np.repeat(rng.permutation(model.graders)[: len(works)], works)
        wrote[rng.permutation(len(size))[: len(by)]] = by
        pairs = random_bipartite(loads[:, number], size, wrote, one.again, rng)
        if pairs is None:
            return None
        assignment += [number] * len(pairs)
        submission += [begin + s for s, _ in pairs]
        grader += [k for _, k in pairs]
        author.append(wrote)
        begin += len(size)
    each = [len(size) for size in sizes]
    return Design(
        assignment=np.array(assignment, dtype=np.int32),
        submission=np.array(submission, dtype=np.int32),
        grader=np.array(grader, dtype=np.int32),
        author=np.concatenate(author).astype(np.int32),
        submission_assignment=np.repeat(np.arange(len(each), dtype=np.int32), each),
        assignments=len(each),
        graders=model.graders,
    )


# ------------------------------------------------------------------------------ matching moments


class Moments(NamedTuple):
    """The matched moments: one number for each parameter of the latent values."""

    by_assignment: Floats
    within: float
    skewness: float
    bias: float
    spread: float
    agreement: float
    known_grade: float


def moments(
    assignment: Ints,
    submission: NDArray[Any],
    grader: NDArray[Any],
    grade: Floats,
    score: Floats | None,
    assignments: int,
) -> Moments:
    """Moments of a class, from its columns."""
    n, mean, within = spread_within(submission, grade)
    residual = grade - mean[submission]
    shared = n[submission] > 1
    size = n[submission[shared]]
    # A residual from the mean of n values is (n - 1) / n times that from the mean of the others.
    scaled = residual[shared] * np.sqrt(size / (size - 1))
    who = grader[shared]
    size_of = np.abs(scaled)
    agreement = known_grade = 0.0
    if score is not None:
        known = np.flatnonzero(np.isfinite(score[: len(n)]) & (n > 0))
        if len(known):
            agreement = float(np.nan_to_num(pearson(mean[known], score[known])))
            known_grade = float(mean[known].mean())
    times = np.bincount(assignment, minlength=assignments)
    return Moments(
        np.bincount(assignment, grade, assignments) / np.maximum(times, 1),
        float(np.nan_to_num(within)),
        third_of_pairs(submission, grade - grade.mean()),
        covariance_of_pairs(who, scaled),
        covariance_of_pairs(who, size_of - size_of.mean()) if len(size_of) else 0.0,
        agreement,
        known_grade,
    )


def third_of_pairs(group: NDArray[Any], value: Floats) -> float:
    """Mean product of one squared value and another value of the same group."""
    n = np.bincount(group)
    pairs = float((n * (n - 1)).sum())
    square = value**2
    products = np.bincount(group, square) * np.bincount(group, value)
    products -= np.bincount(group, square * value)
    return float(products.sum()) / pairs if pairs else 0.0


def _matched(model: Parameters, reports: Reports, score: Floats | None) -> Parameters:
    columns = reports.assignment, reports.submission, reports.grader
    target = moments(*columns, reports.grade, score, reports.assignments)
    copies = int(np.clip(FITTING_REPORTS // len(reports), 4, 200))
    own = derived_seed(0, "twin", "fit")
    # The design is the slowest part and is shared; people and grades differ in every copy.
    designs = [_design(model, derived_seed(own, i)) for i in range(4)]
    crowd = _crowd([designs[i % 4] for i in range(copies)], own)

    def simulated(one: Parameters) -> Moments:
        grade, true = _graded(one, crowd)
        return moments(
            crowd.assignment, crowd.submission, crowd.grader, grade, true, reports.assignments
        )

    for _ in range(4):
        model = _levelled(model, target, simulated)
        model = _solved(
            model, _with_quality, lambda m: -m.within, -target.within, simulated, (0.0, 0.99)
        )
        model = _solved(
            model, _with_skewness, lambda m: m.skewness, target.skewness, simulated, (-1.0, 1.0)
        )
        model = _solved(model, _with_bias, lambda m: m.bias, target.bias, simulated, (0.0, 0.95))
        model = _solved(
            model, _with_spread, lambda m: m.spread, target.spread, simulated, (0.0, 2.5)
        )
        if model.truth is None:
            continue
        if model.truth.known < reports.submissions:
            model = _solved(
                model,
                _with_tilt,
                lambda m: m.known_grade,
                target.known_grade,
                simulated,
                (-6.0, 6.0),
            )
        model = _solved(
            model, _with_accuracy, lambda m: m.agreement, target.agreement, simulated, (-1.0, 2.0)
        )
    return replace(model, points=tuple(_in_points(model).items()))


def _solved(
    model: Parameters,
    change: Callable[[Parameters, float], Parameters],
    moment: Callable[[Moments], float],
    target: float,
    simulated: Callable[[Parameters], Moments],
    between: tuple[float, float],
) -> Parameters:
    """Solve for the change of a parameter at which a monotone moment reaches its target."""
    low, high = between
    if moment(simulated(change(model, low))) >= target:
        return change(model, low)
    for _ in range(12):
        middle = (low + high) / 2
        if moment(simulated(change(model, middle))) < target:
            low = middle
        else:
            high = middle
    return change(model, round((low + high) / 2, 4))


def _with_quality(model: Parameters, share: float) -> Parameters:
    # The grader's share of the remaining variance stays the same.
    rest = model.bias / (1 - model.quality)
    return replace(model, quality=share, bias=round(rest * (1 - share), 6))


def _with_skewness(model: Parameters, skewness: float) -> Parameters:
    return replace(model, skewness=skewness)


def _with_bias(model: Parameters, share: float) -> Parameters:
    return replace(model, bias=round(share * (1 - model.quality), 6))


def _with_spread(model: Parameters, spread: float) -> Parameters:
    return replace(model, reliability_spread=spread)


def _with_tilt(model: Parameters, tilt: float) -> Parameters:
    assert model.truth is not None
    return replace(model, truth=model.truth._replace(tilt=tilt))


def _with_accuracy(model: Parameters, accuracy: float) -> Parameters:
    assert model.truth is not None
    return replace(model, truth=model.truth._replace(accuracy=accuracy))


def _levelled(
    model: Parameters, target: Moments, simulated: Callable[[Parameters], Moments]
) -> Parameters:
    """Adjust the levels of assignments until each has its mean grade."""
    if len(model.assignments) == 1:
        return model
    deviation = _in_points(model)["grade deviation"]
    for _ in range(6 if deviation else 0):
        gap = (target.by_assignment - simulated(model).by_assignment) / deviation
        level = np.array([one.level for one in model.assignments]) + gap
        level = np.clip(level - level.mean(), -4.0, 4.0)
        model = replace(
            model,
            assignments=tuple(
                one._replace(level=round(float(to), 4))
                for one, to in zip(model.assignments, level, strict=True)
            ),
        )
    return model


def _in_points(model: Parameters) -> dict[str, float]:
    """Mean and standard deviation of the grades, and its components, in points of the scale."""
    from scipy.special import ndtri

    latent = ndtri((np.arange(2000) + 0.5) / 2000)
    grade = _looked_up(model.grades, (np.arange(2000) + 0.5) / 2000)
    slope = float((grade * latent).mean())
    deviation = float(grade.std())
    points = {
        "grade mean": float(grade.mean()),
        "grade deviation": deviation,
        "quality deviation": slope * np.sqrt(model.quality),
        "bias deviation": slope * np.sqrt(model.bias),
        "noise deviation": slope * np.sqrt(model.noise),
    }
    return {name: round(float(value), 4) for name, value in points.items()}
