"""Which tests decide about a module, and which machine code may hold a copy of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutants.areas import AREAS, FIRST, FURTHER_TESTS, Tree

ROOT = Path(__file__).resolve().parents[2]
TREE = Tree(ROOT)


@pytest.mark.parametrize("area", AREAS)
def test_every_module_of_an_area_with_code_has_tests(area: str) -> None:
    modules = TREE.modules(area)
    assert modules
    without = [one for one in modules if not TREE.choice(one).files]
    assert not without


def test_every_further_test_exists() -> None:
    for files in FURTHER_TESTS.values():
        for file in files:
            assert (ROOT / "tests" / file).is_file()


def test_a_mechanism_is_decided_by_its_own_tests_and_then_by_its_cases_of_all() -> None:
    choice = TREE.choice("mechanisms/paper/output_agreement.py")
    assert choice.names == ("oa",)
    assert choice.files[:2] == (FIRST, "mechanisms/paper/test_output_agreement.py")
    assert {FIRST, *choice.files[2:]} == set(FURTHER_TESTS["mechanisms/*/*.py"])


def test_a_kernel_is_decided_by_the_tests_of_the_plain_function() -> None:
    for module in ("mechanisms/paper/determinant.py", "models/pg1.py"):
        assert TREE.choice(f"compiled/{module}") == TREE.choice(module)


def test_a_module_that_plug_ins_share_is_decided_by_theirs_too() -> None:
    choice = TREE.choice("mechanisms/shared/consensus.py")
    assert choice.files[:2] == (FIRST, "mechanisms/shared/test_consensus.py")
    assert "mechanisms/paper/test_mean_squared_error.py" in choice.files
    assert "mse" in choice.names


def test_a_module_without_a_test_file_is_decided_by_the_declared_one() -> None:
    choice = TREE.choice("mechanisms/shared/parametric.py")
    assert choice.files[1] == "mechanisms/paper/test_parametric_mean_squared_error.py"


@pytest.mark.parametrize(
    ("module", "user"),
    [
        ("models/slopes.py", "guarded-merit"),
        ("mechanisms/shared/semester.py", "sne"),
        ("mechanisms/shared/evidence.py", "guarded-merit"),
        ("metrics/statistics.py", "binary-auc"),
        ("models/leniency.py", "halfway"),
    ],
)
def test_a_module_is_decided_by_plug_ins_that_use_it_through_others(module: str, user: str) -> None:
    """Slopes are used by sums over a semester, and these by mechanisms."""
    choice = TREE.choice(module)
    assert user in choice.names
    assert choice.files[0] == FIRST
    assert len(TREE.users(module)) >= 1


def test_a_plug_in_is_decided_by_its_own_cases_alone() -> None:
    """Also if others build on it."""
    assert TREE.users("models/pg1.py") == []
    assert TREE.choice("models/pg1.py").names == ("pg1",)


def test_kernels_behind_a_module_are_those_that_import_it_however_far() -> None:
    own = "compiled/models/pg1.py"
    assert TREE.kernels_behind(own) >= {own, "compiled/mechanisms/paper/leave_one_out.py"}
    # A constant of a plain module is compiled into the kernels that import it.
    assert "compiled/mechanisms/paper/parametric_phi_divergence.py" in TREE.kernels_behind(
        "mechanisms/shared/pairing.py"
    )
    assert TREE.kernels_behind("metrics/pearson.py") == frozenset()
