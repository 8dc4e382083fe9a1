"""Resampling a real class: synthetic classes that look like a given one.

There are two procedures, because there are two purposes.

- :mod:`~peergauge.simulate.resample.posterior` keeps the design of the class (who graded what) and
  draws true scores, biases and reliabilities from the posterior distribution of a model that was
  fitted to its reports. The classroom uses it to ask what would happen in a class like this one.
- :mod:`~peergauge.simulate.resample.parametric` fits a parametric model to a few moments of the
  class and draws everything from the fitted parameters, the design included. A twin contains
  nobody's data, so that it can be shared.

Both add up a report's signal in the same way, see :mod:`~peergauge.simulate.resample.signals`. They
differ in the last step: classes from the posterior round signals to the scale, and twins look up
the quantile of a signal among the grades of the class.
"""

from peergauge.simulate.resample.levels import Levels
from peergauge.simulate.resample.parameters import TwinParameters
from peergauge.simulate.resample.parametric import Twin, draw, fit, twin
from peergauge.simulate.resample.posterior import HonestClasses, PosteriorClasses, with_steps
from peergauge.simulate.resample.signals import rounded_reports, signals

__all__ = [
    "HonestClasses",
    "Levels",
    "PosteriorClasses",
    "Twin",
    "TwinParameters",
    "draw",
    "fit",
    "rounded_reports",
    "signals",
    "twin",
    "with_steps",
]
