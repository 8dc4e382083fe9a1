"""Signals from a confusion matrix, for labels and for grades."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.latent_classes import Accuracy
from peergauge.simulate.population import NormalBias, refuse_unused_features
from peergauge.simulate.scores import ListedScores, probabilities_of
from peergauge.simulate.signals import mixture_signals
from peergauge.tables import Labels

if TYPE_CHECKING:
    from peergauge.simulate.reviews import Reviews
    from peergauge.simulate.semester import Setting


@dataclass(frozen=True)
class ConfusionSignals:
    r"""Signals from a confusion matrix, mixed with guesses.

    The effort of a grader is a number e in 0..1: the probability of working on a submission instead
    of guessing. The signal of a submission with the true label t is x with probability

    .. math:: e M_{tx} + (1 - e) g_x,

    with the confusion matrix M of graders who work, and the distribution g of guesses. This is the
    model of Dawid & Skene (1979) with one parameter for each grader. If true scores have other
    values than the levels of the scale, there is one row for each value.

    **Source.** A. P. Dawid and A. M. Skene (1979). *Maximum Likelihood Estimation of Observer
    Error-Rates Using the EM Algorithm*. Journal of the Royal Statistical Society, Series C 28(1),
    20–28. doi:10.2307/2346806.

    Parameters
    ----------
    matrix
        Probability of each signal (column) for each true label (row).
    guesses
        Probability of each guess; by default, guesses are distributed like the signals of graders
        who work.

    Examples
    --------
    >>> ConfusionSignals.symmetric(2, 0.9)
    ConfusionSignals(matrix=((0.9, 0.1), (0.1, 0.9)), guesses=None)
    """

    matrix: tuple[tuple[float, ...], ...]
    guesses: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        rows = (*self.matrix, *(() if self.guesses is None else (self.guesses,)))
        lengths = {len(row) for row in rows}
        sound = len(lengths) == 1 and min(lengths) > 1
        if not sound or not all(min(row) >= 0 and abs(sum(row) - 1) < 1e-6 for row in rows):
            raise ParameterError(
                "A confusion matrix has one row for each true label, and rows and guesses have a "
                "probability for each signal, not negative and 1 in total; "
                f"{self.matrix} and {self.guesses} were given."
            )

    @classmethod
    def symmetric(cls, labels: int, accuracy: float) -> Self:
        """Signals that are right with this probability; all wrong labels are equally likely."""
        if labels < 2 or not 0 <= accuracy <= 1:
            raise ParameterError(
                f"There are at least two labels, and the accuracy lies in 0..1, but {labels} and "
                f"{accuracy} were given."
            )
        wrong = round((1 - accuracy) / (labels - 1), 12)
        rows = range(labels)
        return cls(tuple(tuple(accuracy if x == t else wrong for x in rows) for t in rows))

    def check(self, setting: Setting) -> None:
        """Raise an error for a setting with other labels, or with features that are not used."""
        found = len(self.matrix), len(self.matrix[0])
        values = len(probabilities_of(setting.true_scores, setting.scale))
        if found != (values, setting.scale.levels):
            raise ParameterError(
                f"A confusion matrix of {found[0]} true labels and {found[1]} signals does not fit "
                f"to {values} true labels and {setting.scale.levels} signals ({setting.scale})."
            )
        refuse_unused_features(setting, "With a confusion matrix, signals follow its rows")

    def draw(self, reviews: Reviews) -> Floats:
        """Draw the signal of each review."""
        effort = reviews.population.effort
        if not ((effort >= 0) & (effort <= 1)).all():
            raise ParameterError(
                "With a confusion matrix, effort is the probability of not guessing and lies in "
                f"0..1, but {reviews.setting.effort!r} gives {effort.min():g}..{effort.max():g}; "
                "use Accuracy, ListedEffort or an effort of your own."
            )
        table = np.array(self.matrix)
        return mixture_signals(
            table,
            self._guesses(reviews.setting, table),
            reviews.level_of_submission,
            reviews.submission,
            effort,
            reviews.grader,
            reviews.uniform,
            reviews.scale,
        )

    def _guesses(self, setting: Setting, table: Floats) -> Floats:
        if self.guesses is not None:
            return np.array(self.guesses)
        return np.asarray(probabilities_of(setting.true_scores, setting.scale) @ table)


def label_setting(
    labels: Labels | Iterable[object] = ("no", "yes"),
    *,
    shares: Iterable[float] | None = None,
    accuracy: float = 0.9,
    **changes: Any,
) -> Setting:
    """The setting of a class that gives labels, as in crowdsourcing.

    Parameters
    ----------
    labels
        The labels.
    shares
        Share of the submissions with each true label; all are equal by default.
    accuracy
        Probability of the right label for graders who work; :class:`ConfusionSignals` as
        ``signals=`` describe other errors.
    changes
        Other fields of :class:`~peergauge.simulate.Setting`. Effort is the probability of working
        instead of guessing, by default uniform between 0 and 1.

    Examples
    --------
    >>> from peergauge.simulate import simulate
    >>> simulate(label_setting(["cat", "dog", "bird"], students=20, assignments=2), seed=1).reports
    <Reports: 160 labels cat|dog|bird by 20 graders of 40 submissions in 2 assignments>
    """
    from peergauge.simulate.semester import Setting

    scale = labels if isinstance(labels, Labels) else Labels(*labels)
    given = [1.0] * scale.levels if shares is None else list(shares)
    features: dict[str, Any] = {
        "scale": scale,
        "true_scores": ListedScores(tuple(given)),
        "effort": Accuracy(0.0),
        "bias": NormalBias(0),
        "signals": ConfusionSignals.symmetric(scale.levels, accuracy),
    }
    return Setting(**{**features, **changes})
