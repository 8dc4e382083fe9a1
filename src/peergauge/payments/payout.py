"""The table of pay, with one amount for each grader."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.files import Names
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.tables.base import Table, kept, named


@dataclass(frozen=True, eq=False)
class Payout(Table):
    """The pay of each grader by a payment rule; NaN for graders without a score.

    Parameters
    ----------
    payment
        Spec of the payment rule.
    score
        Score of each grader, from which the pay was computed.
    amount
        Pay of each grader.
    expected
        Expected pay of each grader; it differs from *amount* only under a random rule.
    grader_names
        Names of the graders, if they have any.

    Examples
    --------
    >>> import peergauge
    >>> payout = peergauge.pay("tournament:prizes=100+50", [3.0, 8.0, 5.0])
    >>> payout
    <Payout: tournament:prizes=100+50 pays 3 graders 150>
    >>> payout.amount
    array([  0., 100.,  50.])
    """

    payment: str
    score: Floats
    amount: Floats
    expected: Floats
    grader_names: Names | None = None

    def __post_init__(self) -> None:
        for name in ("score", "amount", "expected"):
            object.__setattr__(self, name, kept(getattr(self, name), np.float64))
        if not self.score.shape == self.amount.shape == self.expected.shape:
            raise TableError(
                f"There are {len(self.score)} scores, but {len(self.amount)} amounts and "
                f"{len(self.expected)} expected amounts; each grader has one of each."
            )

    @property
    def total(self) -> float:
        """The sum of all pay."""
        return float(np.nansum(self.amount))

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars frame with one row for each grader; pay is empty for unpaid graders."""
        return pl.DataFrame(
            {
                "grader": named(np.arange(len(self.score)), self.grader_names),
                "score": self.score,
                "pay": self.amount,
                "expected_pay": self.expected,
            }
        ).with_columns(pl.col("score", "pay", "expected_pay").fill_nan(None))

    def in_words(self) -> str:
        """Number of paid graders, total and range of pay, in one sentence."""
        paid = self.amount[~np.isnan(self.amount)]
        unpaid = len(self.amount) - len(paid)
        stay = "stays" if unpaid == 1 else "stay"
        rest = f"; {counted(unpaid, 'grader')} without a score {stay} unpaid" if unpaid else ""
        return (
            f"{self.payment} pays {counted(len(paid), 'grader')} {self.total:g} in total, from "
            f"{paid.min():g} to {paid.max():g} each{rest}."
        )

    def __repr__(self) -> str:
        return f"<Payout: {self.payment} pays {len(self.amount)} graders {self.total:g}>"
