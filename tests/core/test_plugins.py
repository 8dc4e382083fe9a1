"""Plug-ins from files and from the environment: loaded once, loaded again, or refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from peergauge.core import plugins
from peergauge.core.errors import ParameterError, PeergaugeError, UnknownNameError
from peergauge.core.plugins import forget_plugins, load_plugins
from peergauge.mechanisms import mechanisms, score
from peergauge.simulate.strategies import strategies
from peergauge.testing.classes import ordinary_class

MECHANISM = '''"""Pay by the grade."""
from dataclasses import dataclass
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Rewards
{imports}
@mechanism("{name}", label="{name}", source="", family="", assumption="",
           equilibrium=Equilibrium.NONE)
@dataclass(frozen=True)
class Mine(Mechanism):
    """Pay a multiple of the grade."""
    def score(self, reports, rng):
        return Rewards.from_parts(reports, {factor} * reports.grade)
'''


def mechanism(folder: Path, name: str = "file-made", factor: str = "1", imports: str = "") -> Path:
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(MECHANISM.format(name=name, factor=factor, imports=imports), encoding="utf-8")
    return path


def factor_of(name: str) -> float:
    reports = ordinary_class(mechanisms.make("mse"))
    part = score(name, reports).part
    assert part is not None
    return float(np.median(part / np.where(reports.grade == 0, np.nan, reports.grade)))


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test leaves plug-ins, folders or modules behind."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    forget_plugins()
    for name in {one for one in sys.modules if one.startswith("sibling")} - before:
        del sys.modules[name]


def test_a_file_is_loaded_and_loaded_again_if_it_has_changed(tmp_path: Path) -> None:
    (first,) = load_plugins(mechanism(tmp_path))
    assert first.names("mechanism") == ["file-made"]
    assert factor_of("file-made") == 1
    (same,) = load_plugins(tmp_path / "file_made.py")
    assert same is first
    load_plugins(mechanism(tmp_path, factor="3"))
    assert factor_of("file-made") == 3


def test_a_file_beside_it_can_be_imported_and_is_loaded_again_with_it(tmp_path: Path) -> None:
    (tmp_path / "sibling_of_mine.py").write_text("FACTOR = 2\n")
    path = mechanism(tmp_path, factor="FACTOR", imports="from sibling_of_mine import FACTOR")
    load_plugins(path)
    assert factor_of("file-made") == 2
    (tmp_path / "sibling_of_mine.py").write_text("FACTOR = 5\n")
    load_plugins(path)
    assert factor_of("file-made") == 5


def test_a_file_beside_it_is_not_mistaken_for_another_of_its_name(tmp_path: Path) -> None:
    for folder, factor in (("one", 2), ("two", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sibling_twin.py").write_text(f"FACTOR = {factor}\n")
    imports = "from sibling_twin import FACTOR"
    load_plugins(mechanism(tmp_path / "one", "one-made", "FACTOR", imports))
    with pytest.raises(
        ParameterError, match=r"two_made\.py imports 'sibling_twin' and has .* beside"
    ):
        load_plugins(mechanism(tmp_path / "two", "two-made", "FACTOR", imports))
    assert "two-made" not in mechanisms.classes()


def test_two_files_of_one_name_are_two_modules(tmp_path: Path) -> None:
    loaded = []
    for name in ("one-made", "two-made"):
        (tmp_path / name).mkdir()
        path = mechanism(tmp_path / name, name)
        loaded += load_plugins(path.rename(path.with_name("mine.py")))
    assert len({one.module for one in loaded}) == 2
    assert {"one-made", "two-made"} <= set(mechanisms.classes())


def test_a_file_may_have_the_name_of_a_module(tmp_path: Path) -> None:
    path = mechanism(tmp_path)
    load_plugins(path.rename(path.with_name("statistics.py")))
    import statistics

    assert statistics.mean([1, 3]) == 2
    assert "file-made" in mechanisms.classes()


def test_what_another_file_registers_is_found_through_it(tmp_path: Path) -> None:
    mechanism(tmp_path, "sibling-made")
    (tmp_path / "all_of_them.py").write_text("import sibling_made\n")
    (loaded,) = load_plugins(tmp_path / "all_of_them.py")
    assert loaded.names("mechanism") == ["sibling-made"]
    mechanisms.forget("sibling_made")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\nimport no_such_module\n", "mine.py does not import: ModuleNotFoundError.* 2"),
        ("def broken(:\n", "mine.py does not import: SyntaxError"),
        ("raise SystemExit(3)\n", "mine.py does not import: SystemExit"),
        ("x = 1\n", "mine.py registers no plug-in; put a decorator"),
        (
            MECHANISM.format(name="mse", factor=1, imports=""),
            "mine.py cannot be used: Two mechanisms are called 'mse'.* part of peergauge",
        ),
        (
            MECHANISM.format(name="half-made", factor=1, imports="") + "raise ValueError('late')",
            "mine.py does not import: ValueError: late",
        ),
    ],
)
def test_a_broken_file_is_named_in_one_sentence_and_leaves_nothing(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PeergaugeError, match=told) as caught:
        load_plugins(path)
    assert str(caught.value).endswith(".")
    assert "half-made" not in mechanisms.classes()
    assert "mine" not in sys.modules


def test_files_of_the_environment_are_loaded_when_plug_ins_are_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = mechanism(tmp_path, "env-one"), mechanism(tmp_path, "env-two")
    monkeypatch.setenv("PEERGAUGE_PLUGINS", f"{first}:{second}")
    monkeypatch.setattr(plugins._Known, "loaded", False)
    strategies.classes()
    assert {"env-one", "env-two"} <= set(mechanisms.classes())


def test_a_broken_file_of_the_environment_is_refused_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEERGAUGE_PLUGINS", str(tmp_path / "nowhere.py"))
    monkeypatch.setattr(plugins._Known, "loaded", False)
    for _ in range(2):
        with pytest.raises(ParameterError, match=r"PEERGAUGE_PLUGINS names .*nowhere\.py: There"):
            mechanisms.classes()


# --------------------------------------------------------------------------- the command line


@pytest.mark.slow
def test_every_command_takes_plug_in_files_and_loads_them_first() -> None:
    program = """
import sys
from peergauge.cli import app
from peergauge.core.errors import PeergaugeError
from typer.main import get_command
for name, command in get_command(app).commands.items():
    (option,) = [one for one in command.params if one.name == "plugin_files"]
    assert option.multiple and option.opts == ["--plugin"], name
    required = [one for one in command.params if one.required]
    words = [
        word for one in required
        for word in ([one.opts[0], "x"] if one.param_type_name == "option" else ["x"])
    ]
    try:
        app([name, *words, "--plugin", "nowhere.py"], standalone_mode=False)
    except PeergaugeError as error:
        assert "There is no file nowhere.py" in str(error), (name, error)
    else:
        raise AssertionError(name)
print("all")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "all\n", done.stderr


@pytest.mark.slow
def test_a_command_uses_the_plug_ins_of_several_files(tmp_path: Path) -> None:
    files = [mechanism(tmp_path, name) for name in ("one-made", "two-made")]
    words = [word for file in files for word in ("--plugin", str(file))]
    done = subprocess.run(
        [sys.executable, "-m", "peergauge.cli", "mechanisms", "--json", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert '"one-made"' in done.stdout
    assert '"two-made"' in done.stdout


def test_nothing_is_scanned_before_plug_ins_are_looked_up() -> None:
    program = (
        "import sys, peergauge, peergauge.cli, peergauge.mechanisms\n"
        "sys.exit('peergauge.core.plugins' in sys.modules or 'cloudpickle' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# ------------------------------------------------------------------------- objects, not names


def test_what_is_no_plug_in_is_refused_with_the_way_to_write_it(tmp_path: Path) -> None:
    load_plugins(mechanism(tmp_path))
    cls = mechanisms.classes()["file-made"]
    with pytest.raises(ParameterError, match=r"but <class .* was given; write Mine\(\)"):
        mechanisms.make(cls)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'hedge' is no mechanism"):
        mechanisms.make(strategies.make("hedge"))  # type: ignore[arg-type]
    forget_plugins()
    with pytest.raises(UnknownNameError):
        mechanisms.make("file-made")
    # An object works although its name is not known, and stays what it is.
    assert mechanisms.spec_or_object(cls()) == cls()
    assert factor_of(cls()) == 1  # type: ignore[arg-type]


def test_two_versions_of_one_plug_in_are_not_mixed_up(tmp_path: Path) -> None:
    load_plugins(mechanism(tmp_path))
    old = mechanisms.make("file-made")
    load_plugins(mechanism(tmp_path, factor="2"))
    assert mechanisms.spec_or_object(old) is old
    with pytest.raises(ParameterError, match="Two different mechanisms have the spec 'file-made'"):
        mechanisms.distinct([old, "file-made"])
