"""The part of the errors of peer graders that is shared, in real classes with staff grades."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.stand_in_fit import FIRST_SEED
from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import stream

STAFF_BOOTSTRAP_SAMPLES = 2000
INTERVAL_PERCENTILES = (2.5, 97.5)


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.0f} %"


def row(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(str(one) for one in cells)} |"


def table(head: Sequence[str], rows: Sequence[str]) -> str:
    """A table whose first column is text and whose other columns are numbers."""
    return "\n".join([row(*head), row("---", *["---:"] * (len(head) - 1)), *rows])


class StaffGraded(NamedTuple):
    """Errors of the reports of a real class, against the grades of one or more members of staff."""

    name: str
    truth: str
    error: Floats
    """Reports × staff."""
    submission: Ints
    points: float
    """Points of 0..10 for each point of the scale."""


def components(error: Floats, submission: Ints) -> Floats:
    """Sums over the reports of each submission, from which the shared part follows.

    Columns: products of the errors of two graders, number of such products, squared errors, number
    of squared errors. If there are several members of staff, both factors of a product come from
    different members, so that their independent errors cancel; the errors are centred before.
    """
    off = error - error.mean(axis=0)
    staff = error.shape[1]

    def summed(column: Floats) -> Floats:
        return np.bincount(submission, column).astype(np.float64)

    count = np.bincount(submission).astype(np.float64)
    total, squares = summed(off.sum(axis=1)) ** 2, summed((off**2).sum(axis=1))
    by_report = summed(off.sum(axis=1) ** 2)
    by_staff = sum((summed(column) ** 2 for column in off.T), start=np.zeros(len(count)))
    if staff == 1:
        return np.stack([total - squares, count * (count - 1), squares, count], axis=1)
    pairs = staff * (staff - 1)
    among = total - by_report - by_staff + squares
    return np.stack(
        [among, count * (count - 1) * pairs, by_report - squares, count * pairs], axis=1
    )


class SharedPart(NamedTuple):
    """The part of the variance of errors that co-graders share in a class with staff grades."""

    graded: StaffGraded
    covariance: float
    variance: float
    low: float
    high: float
    """Bounds of a 95 % bootstrap interval of the shared part, over submissions."""

    @classmethod
    def of(cls, graded: StaffGraded) -> SharedPart:
        """Measure one class."""
        parts = components(graded.error, graded.submission)

        def moments(rows: Floats) -> tuple[float, float]:
            among, pairs, squares, count = rows.sum(axis=0).tolist()
            return among / pairs, squares / count

        rng = stream(FIRST_SEED, "submissions", graded.name, graded.truth)
        size = len(parts)
        drawn = [
            moments(parts[rng.integers(size, size=size)]) for _ in range(STAFF_BOOTSTRAP_SAMPLES)
        ]
        ratios = [covariance / variance for covariance, variance in drawn]
        low, high = np.percentile(ratios, INTERVAL_PERCENTILES).tolist()
        return cls(graded, *moments(parts), low, high)

    @property
    def share(self) -> float:
        """Covariance over variance."""
        return self.covariance / self.variance

    @property
    def text(self) -> str:
        """The shared part with its interval."""
        return f"{percent(self.share)} [{percent(self.low)}, {percent(self.high)}]"

    def row(self) -> str:
        """One line of the table."""
        graded = self.graded
        return row(
            graded.name,
            graded.truth,
            int(graded.submission.max()) + 1,
            len(graded.error),
            self.text,
            f"{graded.points * np.sqrt(max(self.covariance, 0)):.2f}",
            f"{graded.points * np.sqrt(self.variance):.2f}",
        )


TWO_TUTORS = "two different tutors"


def _about_tutors(found: Sequence[SharedPart]) -> str:
    """Whether peers share errors once the errors of single tutors are removed."""
    one = next(part for part in found if part.graded.truth == TWO_TUTORS)
    if one.low <= 0 <= one.high:
        return (
            f"Without the independent errors of tutors, the shared part at {one.graded.name} is "
            f"{one.text}, so nothing of it remains for certain: what peers seem to share against "
            "one tutor can be the error of that tutor. The same may hold for the published classes."
        )
    return (
        f"Without the independent errors of tutors, the shared part at {one.graded.name} is "
        f"{one.text}."
    )


def staff_graded(folder: Path) -> list[StaffGraded]:
    """The real classes with staff grades."""
    auckland, cornell = folder / "auckland-r-coding", folder / "cornell-orie4741-2017"
    tutors = pl.read_csv(auckland / "tutor_grades.csv").pivot(
        on="tutor", index="submission", values="total"
    )
    reports = pl.read_csv(auckland / "reports.csv").join(tutors, on="submission")
    names = [name for name in tutors.columns if name != "submission"]
    staff, grade = reports.select(names).to_numpy(), reports["score"].to_numpy()[:, None]
    number = reports["submission"].rank("dense").to_numpy().astype(np.int32) - 1
    name, points = "Auckland", 10 / 14
    found = [
        StaffGraded(name, f"tutor {tutor}", grade - staff[:, at : at + 1], number, points)
        for at, tutor in enumerate(names)
    ]
    mean = staff.mean(axis=1, keepdims=True)
    found.append(StaffGraded(name, "mean of the tutors", grade - mean, number, points))
    found.append(StaffGraded(name, TWO_TUTORS, grade - staff, number, points))
    truth = pl.read_csv(cornell / "truth.csv").select("submission", "truth")
    reports = pl.read_csv(cornell / "reports.csv").join(truth, on="submission")
    number = reports["submission"].rank("dense").to_numpy().astype(np.int32) - 1
    error = (reports["score"] - reports["truth"]).to_numpy()[:, None]
    found.append(StaffGraded("Cornell", "staff", error, number, 10 / 5))
    return found


def staff_section(data: Path | None) -> list[str]:
    """What classes with staff grades say about the shared part."""
    if data is None:
        return ["The real classes were not given (`--data`), so nothing is compared here."]
    found = [SharedPart.of(one) for one in staff_graded(data)]
    head = (
        "class", "true grade", "submissions", "reports", "shared", "shared sd, points of 0..10",
        "sd of errors, points of 0..10",
    )  # fmt: skip
    return [
        "In a class with staff grades the shared part can be measured directly: the covariance of "
        "the errors of two graders of a submission, divided by the variance of errors (the "
        "intraclass correlation). Brackets are 95 % bootstrap intervals over submissions.",
        table(head, [one.row() for one in found]),
        "The error of a tutor is shared by all reports on a submission too. A shared part against "
        "a single tutor therefore does not prove that peers share errors. The mean of the tutors "
        "has less of this error. With *two different tutors*, the two factors of every product "
        "come from different tutors, so that independent errors of tutors cancel; errors that "
        "tutors share with each other, or with the peers, remain unseen. The published classes "
        "have one true grade for each submission, so the rows of single tutors correspond to the "
        "fit.",
        _about_tutors(found),
        "At Cornell, staff agree with the noise of the peers more than independent staff could. "
        "They probably saw the peer grades, which makes the shared part look small.",
    ]
