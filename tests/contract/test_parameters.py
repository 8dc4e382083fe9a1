"""The limits of the parameters of plug-ins: what is accepted at a limit, and refused beyond it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.registry import Plugin, Registry, choices_of
from peergauge.mechanisms import mechanisms
from peergauge.metrics import metrics
from peergauge.models import models
from peergauge.simulate.strategies import strategies
from peergauge.testing.settings import in_every_setting

REGISTRIES: tuple[Registry[Any], ...] = (mechanisms, models, metrics, strategies)

PRIORS_ACCEPTED = ("prior_mean=-3", "prior_mean=0", "prior_variance=0.001", "prior_variance=1e9")
PRIORS_REFUSED = ("prior_mean=inf", "prior_mean=-inf", "prior_variance=0", "prior_variance=-1")

ACCEPTED = {
    "phi-div-p": ("shrinkage=0", "shrinkage=1"),
    "phi-div-p-star": ("truth_noise=0", "truth_noise=1e9"),
    "guarded-mse-p": ("quantile=0.001", "quantile=0.999", "strength=0", "strength=1e9"),
    "guarded-merit": ("strength=0", "strength=1e9"),
    "pmi": ("share=0", "share=1", "strength=0", "slack=0", "strength=1e9", "slack=1e9"),
    "moodle": ("strictness=as-set", "strictness=very-lax", "strictness=9"),
    "halfway": ("share=0", "share=1", "draws=2", "warmup=0"),
    "pg1": ("most_rounds=1",),
    "pg1-posterior": ("draws=2", "warmup=0", "draws=12"),
    "trimmed-mean": ("share=0", "share=0.499"),
    "vancouver": ("rounds=1", "epsilon=1e-12", "epsilon=1e9"),
    "letter-loss": ("too_low=0", "too_high=0", "power=0", "power=1e9"),
}
"""Settings at the limits of parameters, by plug-in."""

REFUSED = {
    "phi-div-p": ("shrinkage=-0.001", "shrinkage=1.001", "shrinkage=1.5"),
    "phi-div-p-star": ("truth_noise=-0.001", "truth_noise=inf"),
    "guarded-mse-p": (
        "quantile=0", "quantile=1", "quantile=1.5", "strength=-0.001", "strength=inf",
    ),
    "guarded-merit": ("strength=-0.001", "strength=inf"),
    "pmi": (
        "share=-0.001", "share=1.001", "share=1.5", "strength=-0.001", "strength=inf",
        "slack=-0.001", "slack=inf",
    ),
    "halfway": ("share=-0.001", "share=1.001", "share=1.5", "draws=1", "warmup=-1"),
    "pg1": ("most_rounds=0",),
    "pg1-posterior": ("draws=1", "draws=0", "warmup=-1"),
    "trimmed-mean": ("share=-0.001", "share=0.5", "share=1"),
    "vancouver": ("rounds=0", "epsilon=0", "epsilon=-1", "epsilon=inf"),
    "letter-loss": (
        "too_low=-0.001", "too_high=-0.001", "power=-0.001", "too_low=inf", "too_high=inf",
        "power=inf",
    ),
}  # fmt: skip
"""Settings just beyond these limits."""


def specs(settings: dict[str, tuple[str, ...]], of_priors: tuple[str, ...]) -> list[str]:
    """All specs; whatever takes a prior has the limits of priors besides."""
    takes = [
        name
        for registry in REGISTRIES
        for name, cls in registry.classes().items()
        if hasattr(cls, "prior_variance") and cls.__module__.startswith("peergauge.")
    ]
    both = settings | {name: settings.get(name, ()) + of_priors for name in takes}
    return [f"{name}:{one}" for name, several in both.items() for one in several]


def registry_with(name: str) -> Registry[Any]:
    return next(one for one in REGISTRIES if name in one.classes())


@pytest.mark.parametrize("spec", specs(ACCEPTED, PRIORS_ACCEPTED))
def test_a_value_at_a_limit_is_accepted(spec: str) -> None:
    made = registry_with(spec.partition(":")[0]).make(spec)
    name, _, value = spec.partition(":")[2].partition("=")
    if name != "strictness":
        assert getattr(made, name) == float(value)


@pytest.mark.parametrize("spec", specs(REFUSED, PRIORS_REFUSED))
def test_a_value_beyond_a_limit_is_refused(spec: str) -> None:
    registry = registry_with(spec.partition(":")[0])
    with pytest.raises(ParameterError):
        registry.make(spec)


def choosing() -> list[Any]:
    """A plug-in for each parameter with choices."""
    return [
        pytest.param(one, name, id=f"{one.facts.name}:{name}")
        for registry in REGISTRIES
        for one in (cls(**cls.facts.variants[0]) for cls in registry.classes().values())
        if type(one).__module__.startswith("peergauge.")
        for name in choices_of(type(one))
    ]


@pytest.mark.parametrize(("plugin", "name"), choosing())
def test_a_choice_that_does_not_exist_is_refused(plugin: Plugin, name: str) -> None:
    """Also if it is given to the class, and not in a spec."""
    with pytest.raises((UnknownNameError, ParameterError)):
        replace(plugin, **{name: "no such choice"})  # type: ignore[type-var]


@pytest.mark.parametrize(
    "plugin",
    [
        cls(**cls.facts.variants[0])
        for registry in REGISTRIES
        for cls in registry.classes().values()
        if cls.__module__.startswith("peergauge.")
    ],
    ids=lambda plugin: plugin.facts.name,
)
def test_every_setting_has_a_spec_that_makes_it_again(plugin: Plugin) -> None:
    registry = registry_with(plugin.facts.name)
    for one in in_every_setting(plugin):
        assert registry.make(one.spec) == one
