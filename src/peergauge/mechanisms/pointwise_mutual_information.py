"""Pay graders for what their reports tell about what all their co-graders say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from peergauge.errors import ParameterError
from peergauge.grouping import Floats
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms._semester import LEAST_DISTANCE, USUAL, Sums, added, expected_error
from peergauge.mechanisms.spread_normalised_error import SpreadNormalisedError
from peergauge.models._slopes import SlopePriors
from peergauge.models.pg1 import check_prior
from peergauge.tables import Reports, Rewards, named

if TYPE_CHECKING:
    import polars as pl

CAUTION = 2.0
"""Squared points added to both spreads, so that a few reports do not decide."""

WIDTH, WIDTH_GROWTH = 0.25, 0.4
"""Where pay for closeness begins to saturate after 40 reports, and its power of 40 / T."""

REST = 0.08
"""How much of closeness is paid without saturation."""

CAP = 0.2
"""The most that is paid for surprise after 40 reports, if pay for closeness saturates."""


class Account(NamedTuple):
    """What the payment after each assignment is made of; each is assignments × graders.

    Entries are NaN for a grader who has not reported anything yet.

    Parameters
    ----------
    error
        The mean squared error of all reports so far, as it is estimated, in squared points of
        0..10.
    closeness
        What is paid for it.
    surprise
        What is paid for surprise, or taken off for the lack of it.
    """

    error: Floats
    closeness: Floats
    surprise: Floats

    @property
    def total(self) -> Floats:
        """The payment for all assignments so far."""
        return self.closeness + self.surprise


@mechanism(
    "pmi",
    label="PMI",
    source="peergauge; pointwise mutual information as in Kong & Schoenebeck 2018",
    variants=(
        {},
        {"strength": 2.5},
        {"share": 0.5},
        {"share": 1.0},
        {"saturated": True, "share": 0.3, "strength": 2.5},
        {"saturated": True, "share": 0.4, "strength": 2.5},
    ),
    family="pointwise mutual information",
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
@dataclass(frozen=True)
class PointwiseMutualInformation(Mechanism):
    r"""How much likelier reports are for what all co-graders say, with a limit on surprise.

    The pointwise mutual information of a report *r* and the reports of its co-graders is

    .. math:: \ln \frac{P(r \mid \text{theirs})}{P(r)} = \ln P(r \mid \text{theirs}) - \ln P(r),

    closeness to what they say and surprise by itself. Φ-Div_P with KL has that for one co-grader
    at a time. Here all are pooled, over the semester.

    **What others say.** As in SNE: bias, slope and noise of every grader are estimated from all
    reports so far, and the score behind a report has, given the other reports on its submission,
    the mean *m* and the variance *p*. Slopes undo the hedging of others.

    **Which variances.** Let reports be normal, around *m* with the variance *p + v*, and by
    themselves around the prior mean μ with :math:`\sigma^2 + v`. For a grader whose signals have
    the second moment *V* around μ, reports that are stretched by *f* around it then earn, up to a
    constant,

    .. math::
        -\frac{f^2 V - 2 f (\sigma^2 - p)}{2 (p + v)} + \frac{f^2 V}{2 (\sigma^2 + v)},

    which is largest at :math:`f = (\sigma^2 + v) / V`. With one *v* for everybody that is 1 only
    for a usual grader: careful ones would exaggerate, careless and biased ones hedge. So both
    variances are the grader's own. A grader's mean information is then
    :math:`\tfrac12 \ln (R / E)`, with the variance *R* of their reports and their mean squared
    error *E*, and that is largest at *f* = 1 whatever *V*: see SNE for the calculation and for
    what it leaves out.

    **What is luck.** *R* depends on which submissions a grader was given. Others' reports tell
    how far honest reports on these would spread, :math:`X = \mathrm{Var}\, m + p + 1.05`, and
    whatever is made of others' reports alone can be taken off without changing what is best to
    report. So the surprise is counted as :math:`D = \ln (X / R)`, what it falls short by. (With
    sums of squares and 2 squared points of 0..10 added to both.)

    **Payment** after *T* reports, in nats for each report:

    .. math::
        \tfrac12 \ln \frac{\sigma^2 + 1.05}{E} - \frac{c}{2} D
        - \frac{\lambda}{2} \max \left( 0, D - \frac{\kappa}{\sqrt T} \right)

    With ``share`` *c* = 1 that is the whole information. But surprise says little about how good
    a grader is, so that paying for it makes pay a worse measure. It is there to keep graders from
    hedging, and for that it is enough to take something off where it is missing: *c* = 0, which
    pays closeness alone unless surprise falls short by more than it does for most honest graders.
    *E* is the error that is to be expected given all reports, as in SNE.

    **Saturation.** What hedging gains in ranks depends on how far apart the others are. With
    ``saturated``, closeness is counted from the median grader, as :math:`U = \ln (\tilde E / E)`,
    and tells less and less away from there. The first two terms then are halves of

    .. math::
        w \tanh \frac{U}{w} + 0.08 \, U
        \quad \text{and} \quad \min \left( -c D, \, 0.2 \sqrt{40 / T} \right), \quad
        w = 0.25 \left( \frac{40}{T} \right)^{0.4}.

    As in SNE, a smaller share of the surprise then suffices, 0.3 to 0.4, and must be capped, since
    nonsense that spreads widely would no longer lose more by error than it gains by surprise. Order
    among the best and among the worst graders is what it costs. All of these numbers, and those of
    λ and κ, were found by simulation on the paper's model.

    **What it costs.** What SNE costs, and they share the work. Every assignment changes what
    earlier ones were worth: see :meth:`told`. About one honest grader in twenty falls short and
    loses ranks for it. They are the ones with the least noise, whose reports spread less for want
    of it: of that quarter, one in five.

    **What defeats it.** With *c* = 0 small hedges that stay within κ gain some ranks: a factor of
    0.8 to 0.9, or never going below 4. With one or two assignments κ is wide, and larger ones do
    too. With *c* = 1 they gain nothing. As with SNE, graders who know their bias gain by taking
    it off, a majority gains by turning grades upside down, and one that moves all grades gains if
    the prior is estimated.

    Parameters
    ----------
    share
        *c*, how much of the surprise is paid: from 0, which measures best, to 1, which leaves
        least to gain.
    saturated
        Whether pay for closeness saturates away from the median grader.
    strength, slack
        λ and κ: what it costs to surprise too little, and how much too little is free. A
        strength of 2.5 measures as well as MSE_P does, and stops large hedges only.
    error
        ``expected``: as above; ``distance``: *E* is the mean squared distance from what others
        say, at least 0.01, for which the argument was made.
    prior, prior_mean, prior_variance
        Where mean and variance of true scores come from: see SNE.
    """

    share: float = 0.0
    saturated: bool = False
    strength: float = 10.0
    slack: float = 2.5
    error: Literal["expected", "distance"] = "expected"
    prior: Literal["given", "mean", "mean-and-variance"] = "given"
    prior_mean: float | None = None
    prior_variance: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.prior_mean, self.prior_variance)
        if not 0 <= self.share <= 1:
            raise ParameterError(f"The share is between 0 and 1, but is {self.share:g}.")
        for name in ("strength", "slack"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ParameterError(f"The {name} is 0 or more, but is {getattr(self, name):g}.")

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards(added(self.account(reports).total), reports)

    def account(self, reports: Reports) -> Account:
        """What the payment after each assignment is made of."""
        sums, variance = SpreadNormalisedError(
            prior=self.prior, prior_mean=self.prior_mean, prior_variance=self.prior_variance
        ).sums(reports)
        return self.account_of(sums, variance[:, None])

    def account_of(self, sums: Sums, variance: Floats) -> Account:
        """What the payments are made of, by sums over each grader's reports in points of 0..10."""
        priors = SlopePriors()
        n = np.where(sums.n > 0, sums.n, np.nan)
        if self.error == "expected":
            error = expected_error(sums, priors.noise, priors.noise_weight)
        else:
            error = np.maximum(sums.ee / n, LEAST_DISTANCE)
        spread = sums.rr - sums.r**2 / n
        expected = sums.dd - sums.d**2 / n + (n - 1) * (sums.unsure / n + priors.noise)
        short = np.log((expected + CAUTION) / (spread + CAUTION))
        too_short = np.maximum(0.0, short - self.slack / np.sqrt(n))
        closeness, surprise = np.log((variance + priors.noise) / error), -self.share * short
        if self.saturated:
            closeness = saturated(-np.log(error), n)
            surprise = np.minimum(surprise, CAP * np.sqrt(USUAL / n))
        return Account(error, closeness / 2, (surprise - self.strength * too_short) / 2)

    def told(self, reports: Reports, grader: int) -> pl.DataFrame:
        """What a grader can be told after each assignment: where they stand, and what changed.

        One row for each assignment: how many of its reports are theirs, how far off all their
        reports so far are thought to be (the root of the mean squared error, in points of the
        class's scale), the total, and how much of its change came from closeness and surprise.
        Missing before their first report.
        """
        import polars as pl

        if not 0 <= grader < reports.graders:
            raise ParameterError(
                f"There is no grader {grader} among {reports.graders}, counted from 0."
            )
        counted = reports.paid_only
        account = self.account(counted)
        columns = {
            "off_by": np.sqrt(account.error[:, grader]) * reports.scale.unit,
            "total": account.total[:, grader],
            "from_closeness": added(account.closeness)[:, grader],
            "from_surprise": added(account.surprise)[:, grader],
        }
        own = counted.assignment[counted.grader == grader]
        return pl.DataFrame(
            {
                "assignment": named(np.arange(reports.assignments), reports.assignment_names),
                "graded": np.bincount(own, minlength=reports.assignments),
                **{name: pl.Series(column).fill_nan(None) for name, column in columns.items()},
            }
        )


def saturated(closeness: Floats, n: Floats) -> Floats:
    """Closeness counted from the median grader of each row, less and less away from there."""
    ahead = np.full_like(closeness, np.nan)
    for row, out in zip(closeness, ahead, strict=True):
        if (present := ~np.isnan(row)).any():
            out[:] = row - np.median(row[present])
    width = WIDTH * (USUAL / n) ** WIDTH_GROWTH
    return np.asarray(width * np.tanh(ahead / width) + REST * ahead)
