"""Plug-ins of every kind: discovery, spec strings, construction and errors."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.registry import Plugin, Registry, parameters
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import metrics
from peergauge.models import models
from peergauge.simulate import simulate
from peergauge.simulate.strategies import strategies
from peergauge.testing.classes import ordinary_class

REGISTRIES: tuple[Registry[Any], ...] = (mechanisms, metrics, models, strategies)
every_plugin = pytest.mark.parametrize(
    ("registry", "plugin"),
    [
        pytest.param(registry, plugin, id=f"{registry.kind} {plugin.spec}")
        for registry in REGISTRIES
        for plugin in registry.all()
    ],
)


# ------------------------------------------------------------------------------- spec strings


@every_plugin
def test_a_plugin_is_made_again_from_its_spec(registry: Registry[Any], plugin: Plugin) -> None:
    again = registry.make(plugin.spec)
    assert again == plugin
    assert type(again) is type(plugin)
    assert again.spec == str(again) == plugin.spec


def another(hint: Any, default: Any) -> Any:
    """A value of this type that is not the default; a third needs all its digits."""
    if get_origin(hint) is Literal:
        return next(choice for choice in get_args(hint) if choice != default)
    if get_origin(hint) in (Union, UnionType):
        return another(next(option for option in get_args(hint) if option is not type(None)), None)
    if get_origin(hint) is tuple:
        return ("hedge", "noise:deviation=2")
    if hint is str:
        # Numbers with dashes between them: another first one.
        return f"2{default[1:]}"
    if issubclass(hint, Enum):
        return next(choice for choice in hint if choice is not default)
    return not default if hint is bool else 77 if hint is int else 1 / 3


@every_plugin
def test_every_parameter_is_written_and_read_back(registry: Registry[Any], plugin: Plugin) -> None:
    cls = type(plugin)
    hints = get_type_hints(cls)
    changed = {f.name: another(hints[f.name], f.default) for f in parameters(cls)}
    other = cls(**changed)
    assert registry.make(other.spec) == other
    assert all(f"{name}=" in other.spec for name in changed)


def test_a_spec_writes_only_what_differs_from_the_defaults() -> None:
    assert mechanisms.make("phi-div:divergence=tvd,unseen=int64").spec == "phi-div:unseen=int64"
    assert metrics.make("tau:int64=true").spec == "tau:int64=yes"
    assert models.make("pg1:prior_mean=none,bias=no").spec == "pg1:bias=no"


def test_blanks_and_capitals_in_a_spec_do_not_matter() -> None:
    assert mechanisms.make(" OA : prize = 2 ") == mechanisms.make("oa:prize=2")


def test_parameters_can_be_given_beside_the_spec() -> None:
    assert mechanisms.make("oa", prize=2.0) == mechanisms.make("oa:prize=2")


def test_a_plugin_is_passed_through() -> None:
    plugin = mechanisms.make("oa:prize=2")
    assert mechanisms.make(plugin) is plugin


@pytest.mark.parametrize("prize", [np.float64(1 / 3), np.float32(1 / 3), np.int64(3)], ids=repr)
def test_a_number_from_numpy_is_written_as_a_number(prize: Any) -> None:
    plugin = mechanisms.make("oa", prize=prize)
    assert mechanisms.make(plugin.spec) == plugin


# ----------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("registry", "name", "nearest"),
    [
        (mechanisms, "phi-dvi", "phi-div"),
        (metrics, "quinary", "quinary-auc"),
        (models, "pg", "pg1"),
        (strategies, "Truthfull", "truthful"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(
    registry: Registry[Any], name: str, nearest: str
) -> None:
    with pytest.raises(UnknownNameError, match=rf"no {registry.kind} .*did you mean '{nearest}'\?"):
        registry.make(name)


def test_a_name_like_no_other_lists_all() -> None:
    with pytest.raises(UnknownNameError, match=r"choose one of all-tens, .*, truthful, .*\.$"):
        strategies.make("zzzz")


def test_an_unknown_parameter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"mechanism 'oa' called 'prze'.*mean 'prize'\?"):
        mechanisms.make("oa:prze=2")


def test_a_plugin_without_parameters_says_so() -> None:
    with pytest.raises(UnknownNameError, match="there are none"):
        mechanisms.make("mse:prize=2")


@pytest.mark.parametrize(
    ("registry", "spec", "message"),
    [
        (mechanisms, "oa:prize=high", "prize of mechanism 'oa' should be a number, but is 'high'"),
        (mechanisms, "oa:prize=nan", "should be a number, but is 'nan'"),
        (mechanisms, "oa:prize=none", "should be a number, but is 'none'"),
        (mechanisms, "oa:prize=", "should be a number, but is ''"),
        (mechanisms, "dmi:threshold=high", "should be a number, but is 'high'"),
        (models, "pg1:most_rounds=2.5", "should be a whole number, but is '2.5'"),
        (models, "pg1:most_rounds=many", "should be a whole number, but is 'many'"),
    ],
)
def test_a_value_that_is_no_number_is_refused(
    registry: Registry[Any], spec: str, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        registry.make(spec)


@pytest.mark.parametrize(
    ("registry", "spec", "message"),
    [
        (mechanisms, "phi-div:divergence=kll", r"'kll'; did you mean 'kl'\?"),
        (metrics, "tau:per=reports", r"'reports'; did you mean 'report'\?"),
        (metrics, "tau:int64=ye", r"'ye'; did you mean 'yes'\?"),
        (metrics, "tau:int64=2", r"'2'; choose one of false, no, true, yes\."),
    ],
)
def test_a_value_that_is_none_of_the_choices_suggests_one(
    registry: Registry[Any], spec: str, message: str
) -> None:
    with pytest.raises(UnknownNameError, match=message):
        registry.make(spec)


def test_a_parameter_without_a_value_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(ParameterError, match="write oa:prize=VALUE"):
        mechanisms.make("oa:prize")


# ------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("registry", "spec", "label"),
    [
        (mechanisms, "oa", "OA"),
        (mechanisms, "oa:prize=2.5", "OA (prize 2.5)"),
        (mechanisms, "phi-div:divergence=kl", "Φ-Div: KL"),
        (mechanisms, "phi-div:divergence=kl,unseen=int64", "Φ-Div: KL (unseen int64)"),
        (models, "pg1:bias=no,prior_mean=6", "PG1 (prior mean 6, bias no)"),
    ],
)
def test_a_label_shows_the_parameters_that_differ(
    registry: Registry[Any], spec: str, label: str
) -> None:
    assert registry.make(spec).label == label


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_no_two_members_share_a_label_or_a_spec(registry: Registry[Any]) -> None:
    members = registry.all()
    assert len({plugin.label for plugin in members}) == len(members)
    assert len({plugin.spec for plugin in members}) == len(members)


# ---------------------------------------------------------------------------------- discovery

PLUGIN = """
from dataclasses import dataclass
from peergauge.core.registry import Plugin
from petshop import pets

@pets.register("{name}", label="{name}", source="the woods", variants=({{}}, {{"age": 9}}))
@dataclass(frozen=True)
class Pet(Plugin):
    '''A pet
    of one's own.

    And more about it.
    '''
    age: int = 3
"""


@pytest.fixture
def petshop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Registry[Plugin]]]:
    """Makes the package ``petshop`` with these files and gives its registry."""

    def make(**files: str) -> Registry[Plugin]:
        folder = tmp_path / "petshop"
        folder.mkdir()
        (folder / "__init__.py").write_text(
            "from peergauge.core.registry import Facts, Registry\n"
            "pets = Registry('pet', __name__, Facts)\n"
        )
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        pets: Registry[Plugin] = __import__("petshop").pets
        return pets

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "petshop"]:
        del sys.modules[name]


def test_a_file_dropped_into_the_package_is_found(
    petshop: Callable[..., Registry[Plugin]],
) -> None:
    pets = petshop(owls=PLUGIN.format(name="owl"), cats=PLUGIN.format(name="cat"))
    assert list(pets.classes()) == ["cat", "owl"]
    assert [pet.spec for pet in pets.all()] == ["cat", "cat:age=9", "owl", "owl:age=9"]
    assert pets.make("owl:age=5").label == "owl (age 5)"
    assert pets.classes()["owl"].summary() == "A pet of one's own."


def test_two_plugins_of_one_name_in_different_files_are_refused(
    petshop: Callable[..., Registry[Plugin]],
) -> None:
    pets = petshop(owls=PLUGIN.format(name="owl"), eagles=PLUGIN.format(name="owl"))
    with pytest.raises(ParameterError, match=r"'owl', in petshop\.eagles and petshop\.owls"):
        pets.classes()


def test_what_a_file_registered_can_be_forgotten(
    petshop: Callable[..., Registry[Plugin]],
) -> None:
    pets = petshop(owls=PLUGIN.format(name="owl"), cats=PLUGIN.format(name="cat"))
    cat, _ = pets.make("cat:age=5"), pets.make("owl:age=5")
    pets.forget("petshop.owls")
    assert list(pets.classes()) == ["cat"]
    # One that was made before is not handed out again.
    with pytest.raises(UnknownNameError, match="no pet 'owl'"):
        pets.make("owl:age=5")
    assert pets.make("cat:age=5") == cat


# ------------------------------------------------------------------------------- redefinition


@pytest.fixture
def notebook() -> Iterator[Callable[[str], None]]:
    """Runs cells as a notebook does, in a module without a file that is called __main__."""
    own: dict[str, Any] = {"__name__": "__main__"}
    known = {id(one): set(one.classes()) for one in REGISTRIES}
    yield lambda cell: exec(compile(cell, "<cell>", "exec"), own)
    for registry in REGISTRIES:
        if set(registry.classes()) - known[id(registry)]:
            registry.forget("__main__")


def mechanism_cell(expression: str, name: str = "cell-made") -> str:
    """A cell that defines a mechanism, whose parts are kept under a key of its own."""
    return (
        "from dataclasses import dataclass\n"
        "from peergauge.mechanisms import Equilibrium, Mechanism, mechanism\n"
        "from peergauge.tables import Rewards\n"
        f"@mechanism('{name}', label='Mine', source='', family='', assumption='',\n"
        "           equilibrium=Equilibrium.NONE, random=True)\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Mechanism):\n"
        "    weight: float = 1.0\n"
        "    def score(self, reports, rng):\n"
        f"        part = reports.derived('my parts', lambda: {expression})\n"
        "        lots = reports.drawn('my lots', rng, lambda: rng.random(len(reports)))\n"
        "        return Rewards.from_parts(reports, self.weight * part + 0 * lots)\n"
    )


def test_a_redefined_plugin_replaces_the_old_one_and_all_that_was_kept(
    notebook: Callable[[str], None],
) -> None:
    reports = ordinary_class(mechanisms.make("mse"))
    for factor in (1, 2, 3):
        notebook(mechanism_cell(f"{factor} * reports.grade"))
        for spec in ("cell-made", "cell-made:weight=2", " CELL-MADE"):
            made = mechanisms.make(spec)
            assert type(made) is mechanisms.classes()["cell-made"]
            rewards = score(made, reports)
            expected = factor * made.weight * reports.grade  # type: ignore[attr-defined]
            assert rewards.part is not None
            np.testing.assert_allclose(rewards.part, expected)


def test_what_is_made_of_a_redefined_plugin_is_made_again(
    notebook: Callable[[str], None],
) -> None:
    cell = (
        "from dataclasses import dataclass\nimport numpy as np\n"
        "from peergauge.simulate.strategies import Strategy, strategy\n"
        "@strategy('cell-made', label='Mine', source='', informed=False)\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Strategy):\n"
        "    def report(self, situation):\n"
        "        return np.full(len(situation.signal), {grade})\n"
    )
    for grade in (2.0, 9.0):
        notebook(cell.format(grade=grade))
        for spec in ("cell-made", "in-turn:steps=cell-made"):
            semester = simulate(students=8, assignments=2, strategies={spec: 8}, seed=1)
            assert set(semester.reports.grade) == {grade}


def test_the_name_of_a_built_in_plugin_is_refused_and_the_plugin_stays(
    notebook: Callable[[str], None],
) -> None:
    told = r"Two mechanisms are called 'mse', in peergauge\..* and __main__; .* part of peergauge"
    with pytest.raises(ParameterError, match=told):
        notebook(mechanism_cell("reports.grade", name="mse"))
    assert mechanisms.make("mse").facts.label == "MSE"


def test_the_name_is_refused_even_before_anything_was_looked_up() -> None:
    program = (
        "from peergauge.core.errors import ParameterError\n"
        "from peergauge.mechanisms import mechanisms\n"
        f"cell = {mechanism_cell('reports.grade', name='mse')!r}\n"
        "try:\n    exec(cell)\nexcept ParameterError as error:\n    print(error)\n"
        "print(mechanisms.make('mse').label)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "part of peergauge, so give yours another name.\nMSE\n" in done.stdout, done.stderr


def test_a_file_that_fails_to_import_is_not_forgotten_at_the_second_call(
    petshop: Callable[..., Registry[Plugin]],
) -> None:
    pets = petshop(cats=PLUGIN.format(name="cat"), owls="raise ImportError('no owls today')")
    for _ in range(2):
        with pytest.raises(ImportError, match="no owls today"):
            pets.classes()


def test_a_class_that_is_no_dataclass_is_refused() -> None:
    class Bare(Plugin):
        pass

    with pytest.raises(TypeError, match="Bare should be a frozen dataclass"):
        strategies.register("bare", label="Bare", source="")(Bare)  # type: ignore[arg-type]
    assert "bare" not in strategies.classes()


def test_a_mechanism_that_cannot_score_cannot_be_made() -> None:
    @dataclasses.dataclass(frozen=True)
    class Idle(Mechanism):
        """Does nothing."""

    with pytest.raises(TypeError, match="abstract method"):
        Idle()  # type: ignore[abstract]


def test_a_registry_is_short_and_completes_its_names() -> None:
    from peergauge.mechanisms import mechanisms

    names = list(mechanisms.classes())
    assert repr(mechanisms) == f"<Registry: {len(names)} mechanisms>"
    assert mechanisms._ipython_key_completions_() == list(mechanisms) == names
    assert len(mechanisms) == len(names)
    assert "mse" in mechanisms
    assert "none such" not in mechanisms
    assert mechanisms["mse-p:prior_mean=5"] is mechanisms.make("mse-p:prior_mean=5")
    assert {"make", "all", "register"} <= set(dir(mechanisms))
