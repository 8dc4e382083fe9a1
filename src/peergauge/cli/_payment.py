"""The second stage of ``peergauge score``: a payment rule, and where its pay is written."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from peergauge.cli._app import note
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl

if TYPE_CHECKING:
    from peergauge.payments import PaymentRule
    from peergauge.payments.payout import Payout
    from peergauge.tables import Rewards


class PaidPer(StrEnum):
    """Whether payment rules use totals or means per report."""

    semester = "semester"
    report = "report"


RuleSpec = Annotated[
    str | None,
    typer.Option(
        "--payment",
        help="Payment rule that turns rewards into money or points, such as "
        "tournament:prizes=100+50+25; `peergauge payments` lists all.",
    ),
]
PaidFile = Annotated[
    Path | None,
    typer.Option(
        help="File to write the pay of each grader to; with --payment, standard output if left out."
    ),
]
PayPer = Annotated[
    PaidPer, typer.Option(help="Pay by totals of the semester or by means per report.")
]


class SecondStage(NamedTuple):
    """A payment rule that a user chose, if any, with the file for its pay.

    Parameters
    ----------
    rule
        The payment rule; None without a second stage.
    paid
        The file; None for standard output.
    per
        Whether the rule uses totals or means per report.
    """

    rule: PaymentRule | None
    paid: Path | None
    per: PaidPer

    @classmethod
    def chosen(
        cls, spec: str | None, paid: Path | None, per: PaidPer, others: Iterable[Path | None] = ()
    ) -> SecondStage:
        """Make the second stage from the options of a command, which also writes *others*."""
        from peergauge.payments import payments

        if spec is None and (paid is not None or per is not PaidPer.semester):
            raise ParameterError(
                "--paid and --pay-per say how the pay of a payment rule is written and computed; "
                "name the rule with --payment, such as --payment budget:total=100."
            )
        if paid is not None and paid in others:
            raise ParameterError(
                f"{paid} is given for the pay and for another table; give each its own file."
            )
        return cls(None if spec is None else payments.make(spec), paid, per)

    @property
    def prints(self) -> bool:
        """Whether standard output is for the pay."""
        return self.rule is not None and self.paid is None

    def payout(self, rewards: Rewards, seed: int) -> Payout | None:
        """Pay the graders; None without a second stage."""
        from peergauge.payments import pay

        return None if self.rule is None else pay(self.rule, rewards, per=self.per.value, seed=seed)

    def files(self, payout: Payout | None) -> dict[Path, pl.DataFrame]:
        """The table of pay by the file to write it to."""
        if payout is None or self.paid is None:
            return {}
        return {self.paid: payout.to_polars()}

    def show(self, payout: Payout | None, rewards: Rewards) -> None:
        """Print what was paid, what the rule does to incentives, and the pay if no file is given.

        Totals of graders with different numbers of reports are mentioned.
        """
        if self.rule is None or payout is None:
            return
        note(payout.in_words())
        if not self.rule.facts_here.affine:
            note(
                "The rule is not affine in the score, so that a riskier or a safer report may have "
                "a higher expected pay than the report with the highest expected score."
            )
        counts = rewards.paid_reports[rewards.paid_reports > 0]
        if self.per is PaidPer.semester and len(counts) and counts.min() < counts.max():
            note(
                f"Graders have from {counts.min()} to {counts.max()} paid reports, and totals "
                "depend on their number; --pay-per report pays by the mean per report instead."
            )
        if self.prints:
            from peergauge.core.files import csv_text

            typer.echo(csv_text(payout.to_polars()), nl=False)
