"""The contract of models, checked for every model that is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.registry import parameters
from peergauge.models import Model, models
from peergauge.tables import Reports, Scale
from peergauge.testing import models as contract
from peergauge.testing import parametrize_with_checks
from peergauge.testing.promises import Check
from tests.generators import reports as any_reports


def with_parameters(**others: int) -> list[Model]:
    """All models, with these parameters where they have them."""
    return [
        models.make(
            one,
            **{
                key: value
                for key, value in others.items()
                if any(field.name == key for field in parameters(type(one)))
            },
        )
        for one in models.all()
    ]


# A few draws show everything that is promised here, though they rarely have converged.
QUICK = with_parameters(draws=40, warmup=10)
quickly = pytest.mark.parametrize("model", QUICK, ids=str)

# Rounds that stop short of a fixed point can let the last bits grow, though not far in three.
STEADY = with_parameters(rounds=3, draws=40, warmup=10)
steadily = pytest.mark.parametrize("model", STEADY, ids=str)

# A random model gives a grader with another number other draws; its own tests compare the
# distributions.
certainly = pytest.mark.parametrize(
    "model", [one for one in STEADY if not one.facts.random], ids=str
)

IN_A_FEW_ROUNDS = (
    contract.check_plain_equals_compiled,
    contract.check_grader_numbers_do_not_matter,
    contract.check_another_scale_is_estimated_in_proportion,
)


@parametrize_with_checks(QUICK, leave_out=IN_A_FEW_ROUNDS)
def test_contract(plugin: Model, check: Check) -> None:
    check(plugin)


@parametrize_with_checks(STEADY)
def test_contract_in_a_few_rounds(plugin: Model, check: Check) -> None:
    check(plugin)


@pytest.mark.parametrize("model", models.all(), ids=str)
def test_the_spec_of_every_model_gives_it_back(model: Model) -> None:
    contract.check_spec_and_pickle_give_it_back(model)


@pytest.mark.slow
@quickly
@given(reports=any_reports())
def test_any_class_is_estimated(model: Model, reports: Reports) -> None:
    contract.check_any_class_is_estimated(model, reports)


@pytest.mark.slow
@steadily
@given(reports=any_reports())
def test_plain_equals_compiled(model: Model, reports: Reports) -> None:
    contract.check_plain_equals_compiled(model, reports)


@certainly
@given(data=st.data())
def test_estimates_follow_their_grader_to_another_number(model: Model, data: st.DataObject) -> None:
    reports = data.draw(any_reports())
    new = data.draw(st.permutations(range(reports.graders)))
    contract.check_grader_numbers_do_not_matter(model, reports, new=new)


@pytest.mark.slow
@steadily
@given(reports=any_reports(scales=(Scale(0, 10),)), shift=st.sampled_from([0, 20, -100]))
def test_another_scale_is_estimated_in_proportion(
    model: Model, reports: Reports, shift: int
) -> None:
    contract.check_another_scale_is_estimated_in_proportion(model, reports, shift=shift)
