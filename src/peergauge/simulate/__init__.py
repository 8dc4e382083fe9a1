"""Simulation of classes: settings, designs, signals, strategies and semesters."""

from peergauge.simulate.cheap import CheapSignals
from peergauge.simulate.design import Design, cluster_design, regular_design, uneven_design
from peergauge.simulate.population import BinaryEffort, ContinuousEffort, NormalBias, Population
from peergauge.simulate.scores import BinomialScores, ListedScores, NormalScores
from peergauge.simulate.semester import Semester, Setting, simulate
from peergauge.simulate.strategies import Strategy, deviate, strategies, strategy

__all__ = [
    "BinaryEffort",
    "BinomialScores",
    "CheapSignals",
    "ContinuousEffort",
    "Design",
    "ListedScores",
    "NormalBias",
    "NormalScores",
    "Population",
    "Semester",
    "Setting",
    "Strategy",
    "cluster_design",
    "deviate",
    "regular_design",
    "simulate",
    "strategies",
    "strategy",
    "uneven_design",
]
