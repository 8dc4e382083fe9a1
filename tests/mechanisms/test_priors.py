"""The one function that fills in priors."""

from __future__ import annotations

import pytest

from peergauge.core.registry import parameters
from peergauge.lab.paper.classes import stand_in
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms.priors import (
    PRIOR_PARAMETERS,
    lacks_prior,
    needs_prior,
    rounded_prior,
    with_estimated_prior,
    with_prior,
)

every = pytest.mark.parametrize("mechanism", mechanisms.all(), ids=str)


@every
def test_a_missing_prior_is_filled_in_exactly_where_the_facts_declare_one(
    mechanism: Mechanism,
) -> None:
    filled = with_prior(mechanism, 5.5, 1.25)
    if mechanism.facts.prior == "none":
        assert filled is mechanism
    else:
        assert [getattr(filled, name) for name in PRIOR_PARAMETERS] == [5.5, 1.25]
        assert not lacks_prior(filled)


@every
def test_facts_declare_the_prior_parameters(mechanism: Mechanism) -> None:
    names = {field.name for field in parameters(type(mechanism))}
    assert (mechanism.facts.prior != "none") == (set(PRIOR_PARAMETERS) <= names)
    assert (mechanism.facts.prior == "given or estimated") == ("prior" in names)


@pytest.mark.parametrize(
    "spec",
    [
        "mse-p:prior_mean=5,prior_variance=1",
        "mse-p:prior_mean=5",
        "mse-p:prior_variance=1",
        "sne:prior=mean",
        "mls:prior=mean-and-variance",
        "oa",
    ],
)
def test_the_choice_of_the_user_is_never_overridden(spec: str) -> None:
    made = mechanisms.make(spec)
    assert with_prior(spec, 7, 2) == made
    # Experiments E2 and E5 pay real classes by this.
    assert stand_in("spring-2019", 1).suited(made) == made


def test_a_class_with_true_grades_gives_its_prior_to_mechanisms_without_one() -> None:
    taught = stand_in("spring-2019", 1)
    suited = taught.suited(mechanisms.make("mse-p:bias=estimate"))
    assert (suited.prior_mean, suited.prior_variance) == taught.prior  # type: ignore[attr-defined]
    assert suited.bias == "estimate"  # type: ignore[attr-defined]


def test_a_prior_is_needed_unless_mean_and_variance_are_estimated() -> None:
    needing = {spec: needs_prior(mechanisms.make(spec)) for spec in ("oa", "mse-p", "sne")}
    assert needing == {"oa": False, "mse-p": True, "sne": True}
    assert needs_prior(mechanisms.make("sne:prior=mean"))
    assert not needs_prior(mechanisms.make("sne:prior=mean-and-variance"))


def test_only_mechanisms_that_declare_it_estimate_their_prior() -> None:
    estimating = with_estimated_prior(mechanisms.make("sne"))
    assert estimating is not None
    assert estimating.spec == "sne:prior=mean-and-variance"
    assert with_estimated_prior(mechanisms.make("mse-p")) is None


def test_a_rounded_prior_is_short_and_never_has_variance_zero() -> None:
    assert rounded_prior(7.12345, 2.09876) == (7.12, 2.1)
    assert rounded_prior(7.0, 0.0) == (7.0, 1e-6)
