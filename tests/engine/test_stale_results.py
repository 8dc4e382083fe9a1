"""Results of old code are never returned: not from a folder, and not from memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peergauge.core.errors import PeergaugeWarning, TableError
from peergauge.engine.experiment import experiments
from peergauge.engine.runner import run

AMOUNTS = "def amount():\n    return 3\n"

MECHANISM = '''
"""Pay every report the same amount."""
from dataclasses import dataclass
import numpy as np
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Rewards
from amounts import amount

@mechanism("flat", label="Flat", source="test", family="test", equilibrium=Equilibrium.NONE,
           assumption="–")
@dataclass(frozen=True)
class Flat(Mechanism):
    """Pay every report the same amount, plus a little for its grade."""
    def score(self, reports, rng):
        return Rewards.from_parts(reports, amount() * reports.grade)
'''
STRATEGY = '''
"""Report one grade."""
from dataclasses import dataclass
import numpy as np
from peergauge.simulate.strategies import Strategy, strategy
from amounts import amount

@strategy("one-grade", label="One grade", source="test", informed=False)
@dataclass(frozen=True)
class OneGrade(Strategy):
    """Report the same grade on every submission."""
    def report(self, situation):
        return np.full(len(situation.signal), float(amount()))
'''
METRIC = '''
"""Mean pay."""
from dataclasses import dataclass
import numpy as np
from peergauge.metrics import RewardMetric, metric
from amounts import amount

@metric("mean-pay", label="Mean pay", source="test", of="rewards", needs="", lowest=-np.inf,
        highest=np.inf, better="higher")
@dataclass(frozen=True)
class MeanPay(RewardMetric):
    """Mean total pay."""
    def measure(self, rewards, truth):
        return amount() * float(np.nanmean(rewards.total))
'''
EXPERIMENT = '''
"""An experiment of one's own."""
from dataclasses import dataclass, replace
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.metrics import metrics
from peergauge.simulate import Setting
from amounts import amount

@experiment("own", label="Own", source="test", question="?", beyond=True)
@dataclass(frozen=True)
class Own(MeasuredRewards):
    """Pay and measure small classes."""
    repetitions: int = 2
    strategy: str = ""
    measure: str = "pearson"
    def points(self):
        return [Point()]
    def setting(self, point):
        strategies = {self.strategy: 4} if self.strategy else {}
        return Setting(students=8, assignments=2, strategies=strategies)
    def roster(self):
        return ("mse",)
    def measures(self):
        return [metrics.make(self.measure)]
'''
SCRIPT = """
import json, sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
import flat, one_grade, mean_pay
from own import Own
from peergauge.engine.runner import run
from peergauge.core.errors import PeergaugeError
for number, given in enumerate(json.loads(sys.argv[2])):
    try:
        print(run([Own(**given)], f"{sys.argv[1]}/{number}", workers=1)["value"].sum())
    except PeergaugeError as error:
        print("refused:", error)
"""
FILES = {
    "flat.py": MECHANISM, "one_grade.py": STRATEGY, "mean_pay.py": METRIC, "own.py": EXPERIMENT,
}  # fmt: skip
USES: dict[str, tuple[dict[str, object], str]] = {
    "mechanism 'flat'": ({"mechanisms": ("flat",)}, "flat.py"),
    "strategy 'one-grade'": ({"strategy": "one-grade"}, "one_grade.py"),
    "metric 'mean-pay'": ({"measure": "mean-pay"}, "mean_pay.py"),
    "experiment 'own'": ({}, "own.py"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with a plug-in of each kind, which all import one more file."""
    for name, text in {**FILES, "script.py": SCRIPT, "amounts.py": AMOUNTS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def ran(folder: Path) -> list[str]:
    """What a script says that runs an experiment with each of the plug-ins, in one folder each."""
    given = json.dumps([given for given, _ in USES.values()])
    done = subprocess.run(
        [sys.executable, str(folder / "script.py"), str(folder / "run"), given],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_changed_plug_in_does_not_return_its_old_results(folder: Path) -> None:
    first = ran(folder)
    assert not any("refused" in line for line in first)
    # A comment changes no number, so that the results are still those of this code.
    (folder / "flat.py").write_text(f"# A comment.\n{MECHANISM}", encoding="utf-8")
    assert ran(folder) == first
    for name, text in FILES.items():
        (folder / name).write_text(f"{text}EDITED = True\n", encoding="utf-8")
    for said, (what, (_, file)) in zip(ran(folder), USES.items(), strict=True):
        assert said.startswith("refused: ")
        # The experiment is changed in all of them; each one names what differs first.
        assert what in said or "experiment 'own'" in said
        assert file in said or "own.py" in said
        assert "choose another folder, or remove that one" in said


@pytest.mark.slow
@pytest.mark.parametrize("file", ["flat.py", "one_grade.py", "mean_pay.py"])
def test_only_the_plug_ins_that_take_part_matter(folder: Path, file: str) -> None:
    first = ran(folder)
    (folder / file).write_text(f"{FILES[file]}EDITED = True\n", encoding="utf-8")
    for said, before, (what, (_, own)) in zip(ran(folder), first, USES.items(), strict=True):
        if own != file:
            assert said == before
        else:
            assert said.startswith("refused: ")
            assert f"another version of the {what}: {folder / file} has been changed since" in said


@pytest.mark.slow
def test_a_file_that_the_plug_ins_import_matters_too(folder: Path) -> None:
    ran(folder)
    (folder / "amounts.py").write_text(AMOUNTS.replace("3", "4"), encoding="utf-8")
    for said in ran(folder):
        assert said.startswith("refused: ")
        assert f"{folder / 'amounts.py'} has been changed since" in said


# -------------------------------------------------------------------------------- notebooks

CELL = """
from dataclasses import dataclass
from peergauge.engine.experiment import Experiment, Point, experiment
from peergauge.engine.results import Row
factor = {factor}
def value(point):
    return factor * 1.5
@experiment("cell-made", label="", source="", question="", beyond=True)
@dataclass(frozen=True)
class Mine(Experiment):
    repetitions: int = 2
    def points(self):
        return [Point()]
    def run(self, point, repetition, seed):
        yield Row("cell-made", "", "", "value", repetition, seed, value(point))
"""


@pytest.fixture
def notebook() -> Iterator[Callable[[str], None]]:
    """Runs cells in a module without a file that is called __main__, as notebooks do."""
    own: dict[str, object] = {"__name__": "__main__"}
    yield lambda cell: exec(compile(cell, "<cell>", "exec"), own)
    experiments.forget("__main__")


def test_what_a_notebook_has_redefined_is_not_taken_from_the_folder(
    notebook: Callable[[str], None], tmp_path: Path
) -> None:
    notebook(CELL.format(factor=2))
    first = run(["cell-made"], tmp_path / "run", workers=1)
    notebook(CELL.format(factor=2))
    assert run(["cell-made"], tmp_path / "run", workers=1).equals(first)
    # The experiment itself is not redefined, but a value that it uses.
    notebook("factor = 3")
    told = "of the experiment 'cell-made': its code in the notebook or script has been changed"
    with pytest.raises(TableError, match=told):
        run(["cell-made"], tmp_path / "run", workers=1)
    other = run(["cell-made"], tmp_path / "other", workers=1)
    assert other["value"].to_list() == [4.5, 4.5]


def test_code_that_cannot_be_compared_is_computed_but_never_resumed(
    notebook: Callable[[str], None], tmp_path: Path
) -> None:
    notebook(CELL.format(factor=2))
    notebook("import threading\nlock = threading.Lock()\ndef value(point):\n"
             "    with lock:\n        return 1.0")  # fmt: skip
    run(["cell-made"], tmp_path / "run", workers=1)
    with pytest.raises(TableError, match="a value whose content cannot be compared"):
        run(["cell-made"], tmp_path / "run", workers=1)


def test_a_module_that_was_changed_after_its_import_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "changed_later.py"
    file.write_text(CELL.format(factor=2), encoding="utf-8")
    __import__("changed_later")
    try:
        run(["cell-made"], tmp_path / "run", workers=1)
        file.write_text(CELL.format(factor=5), encoding="utf-8")
        told = r"changed_later\.py was changed after it was imported"
        with pytest.warns(PeergaugeWarning, match=told), pytest.raises(TableError, match=told):
            run(["cell-made"], tmp_path / "run", workers=1)
    finally:
        experiments.forget("changed_later")
        sys.modules.pop("changed_later")
