"""The result of a sweep: values of every repetition, and tables and figures made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.registry import written
from peergauge.core.text import counted
from peergauge.engine.results import Scalar
from peergauge.lab.sweep.experiment import POINT_COLUMN
from peergauge.lab.sweep.grid import Dimension, Grid
from peergauge.lab.sweep.trade_off import TradeOff, trade_off
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.metrics.statistics import mean_with_error

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Values of mechanisms on measures at every point of a sweep.

    Parameters
    ----------
    grid
        The points.
    measures
        Specs of the measures.
    values
        Points × mechanisms × measures × repetitions; NaN where a value is undefined.
    """

    grid: Grid
    measures: tuple[str, ...]
    values: Floats

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The parameters, with their values."""
        return self.grid.dimensions

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Specs of the mechanisms."""
        return tuple(one.spec for one in self.grid.mechanisms)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row for each point, mechanism and measure.

        The columns are the parameters, the spec and the label of the mechanism, the measure
        (``metric``), the ``mean`` over the repetitions in which it is defined, its
        ``standard_error``, and the number ``n`` of these repetitions.
        """
        labels = [one.label for one in self.grid.mechanisms]
        return self._table(
            ("mechanism", "label", "metric"),
            (
                (point, (spec, labels[row], metric), self.values[point, row, column])
                for point in range(len(self.grid))
                for row, spec in enumerate(self.mechanisms)
                for column, metric in enumerate(self.measures)
            ),
        )

    @cached_property
    def repetitions(self) -> pl.DataFrame:
        """A row for each defined value: point, parameters, mechanism, measure and repetition."""
        where = np.argwhere(~np.isnan(self.values))
        point, row, column, repetition = where.T
        columns: dict[str, Any] = {POINT_COLUMN: point}
        columns |= self._parameters(point.tolist())
        columns["mechanism"] = [self.mechanisms[one] for one in row]
        columns["metric"] = [self.measures[one] for one in column]
        return pl.DataFrame(
            {**columns, "repetition": repetition, "value": self.values[tuple(where.T)]}
        )

    def differences(self, against: str | Mechanism | None = None) -> pl.DataFrame:
        """Paired differences to one mechanism, with their standard errors.

        Both mechanisms paid the same classes, so the standard error is usually smaller than if each
        had paid classes of its own. A row has the parameters, the mechanism, the mechanism that it
        is compared with, the measure, the ``mean`` of value minus value of the other one over the
        repetitions in which both are defined, its ``standard_error``, and their number ``n``.

        Parameters
        ----------
        against
            The mechanism to compare with; the first one by default.
        """
        spec = self.mechanisms[0] if against is None else mechanisms.make(against).spec
        other = _place(spec, self.mechanisms, "mechanism in this sweep called")
        return self._table(
            ("mechanism", "against", "metric"),
            (
                (
                    point,
                    (name, spec, metric),
                    _difference(self.values[point, row, column], self.values[point, other, column]),
                )
                for point in range(len(self.grid))
                for row, name in enumerate(self.mechanisms)
                if row != other
                for column, metric in enumerate(self.measures)
            ),
        )

    def changes(self, along: str | None = None, against: Scalar = None) -> pl.DataFrame:
        """Paired differences to one value of a parameter, with their standard errors.

        All points have the same seeds. Where their classes have much in common, the standard error
        is smaller than that of independent classes.

        Parameters
        ----------
        along
            Name of the parameter; the first one by default.
        against
            The value to compare with; the first one by default.
        """
        names = [one.name for one in self.dimensions]
        axis = 0 if along is None else _place(along, names, "parameter in this sweep called")
        chosen = self.dimensions[axis]
        labels = [written(label) for label in chosen.labels]
        base = 0
        if against is not None:
            base = _place(written(against), labels, f"value of '{chosen.name}' in this sweep:")
        shape = self.grid.shape

        def partner(point: int) -> int:
            places = list(self.grid.places(point))
            places[axis] = base
            return int(np.ravel_multi_index(places, shape))

        return self._table(
            ("against", "mechanism", "metric"),
            (
                (
                    point,
                    (chosen.labels[base], name, metric),
                    _difference(
                        self.values[point, row, column], self.values[partner(point), row, column]
                    ),
                )
                for point in range(len(self.grid))
                if self.grid.places(point)[axis] != base
                for row, name in enumerate(self.mechanisms)
                for column, metric in enumerate(self.measures)
            ),
        )

    @cached_property
    def trade_off(self) -> pl.DataFrame:
        """A row for each mechanism with its measurement integrity and robustness.

        ``integrity`` is the mean of the first measure of rewards for which higher is better, over
        the points at which nobody follows the strategy if there are any. ``robustness`` is minus
        the mean rank gain over all points. A mechanism that lacks one of the two is left out.
        """
        names = TradeOff._fields
        types = dict.fromkeys(names[:2], pl.String) | dict.fromkeys(names[2:], pl.Float64)
        return pl.DataFrame(trade_off(self), schema=types, orient="row")

    def plot(
        self,
        measure: str | Sequence[str] | None = None,
        *,
        x: str | None = None,
        differences_to: str | Mechanism | None = None,
    ) -> Figure:
        """Draw means with 95 % confidence intervals (1.96 standard errors), and return the figure.

        There is a line for each mechanism, and a panel for each measure and each combination of
        values of the parameters that are not on the horizontal axis.

        Parameters
        ----------
        measure
            The measures to draw; all of them by default.
        x
            The parameter on the horizontal axis; by default the first one with several values that
            are numbers.
        differences_to
            Draw paired differences to this mechanism instead of the values themselves.
        """
        from peergauge.lab.sweep.drawing import draw

        wanted = (measure,) if isinstance(measure, str) else measure or self.measures
        for one in wanted:
            _place(one, self.measures, "measure in this sweep called")
        if differences_to is None:
            return draw(self.frame, self.dimensions, tuple(wanted), x=x)
        frame = self.differences(differences_to)
        label = mechanisms.make(differences_to).label
        return draw(frame, self.dimensions, tuple(wanted), x=x, minus=label)

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame as a pandas frame."""
        with needing("pandas", "pyarrow"):
            return self.frame.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the frame, as the tables of a class do."""
        return self.frame

    def __repr__(self) -> str:
        return f"<SweepResult: {self._summary}>"

    def _repr_html_(self) -> str:
        return f"<p>Sweep: {escape(self._summary)}</p>{self.frame._repr_html_()}"

    @property
    def _summary(self) -> str:
        over = " x ".join(
            f"{one.name} ({counted(len(one.values), 'value')})" for one in self.dimensions
        )
        counts = [
            counted(len(self.mechanisms), "mechanism"),
            counted(len(self.measures), "measure"),
            counted(self.values.shape[-1], "repetition"),
        ]
        empty = int(np.isnan(self.values).all(axis=-1).sum())
        without = f", {empty} of {self.values[..., 0].size} cells without a value" if empty else ""
        return f"{over}; {', '.join(counts)}{without}"

    def _parameters(self, points: Sequence[int]) -> dict[str, pl.Series]:
        """Columns with the parameters of some points."""
        places = [self.grid.places(point) for point in points]
        found = {}
        for axis, one in enumerate(self.dimensions):
            labels = pl.Series(one.labels)
            found[one.name] = labels.gather([place[axis] for place in places])
        return found

    def _table(
        self,
        names: Sequence[str],
        cells: Iterator[tuple[int, tuple[Scalar, ...], Floats]],
    ) -> pl.DataFrame:
        """A row for each cell: its parameters, what it is, and mean, error and number of values."""
        listed = list(cells)
        columns: dict[str, Any] = dict(self._parameters([point for point, _, _ in listed]))
        columns |= {
            name: [named[place] for _, named, _ in listed] for place, name in enumerate(names)
        }
        summaries = [mean_with_error(values) for _, _, values in listed]
        columns["mean"] = pl.Series([one.mean for one in summaries], dtype=pl.Float64)
        columns["standard_error"] = pl.Series([one.error for one in summaries], dtype=pl.Float64)
        columns["n"] = pl.Series([one.n for one in summaries], dtype=pl.Int64)
        return pl.DataFrame(columns)


def _difference(one: Floats, other: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(one - other)


def _place(name: str, known: Sequence[str], kind: str) -> int:
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known.index(name)
