"""The command ``peergauge learn``, which simulates classes that learn which strategies pay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import BEYOND, Cluster, Seed, Workers, app, executor_of, note, stoppable
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping
from peergauge.core.progress import counting

if TYPE_CHECKING:
    from peergauge.engine.experiment import Experiment


Strategies = Annotated[
    list[str] | None,
    typer.Option(
        help="A strategy besides truthful reporting; repeatable. Default: the paper's six. "
        "With a single strategy, all mixtures with truthful reporting are measured."
    ),
]
Unaware = Annotated[
    bool,
    typer.Option("--unaware", help="No student knows their own bias: leave Fix Bias out."),
]
Dynamics = Annotated[
    list[str] | None,
    typer.Option(
        help="How the class learns, with parameters as in logit:temperature=0.05; repeatable, "
        "and `peergauge dynamics` lists all. Default: replicator and logit."
    ),
]
Alone = Annotated[
    bool,
    typer.Option(
        "--alone", help="Every student learns alone, from nothing but their own rank (EXP3)."
    ),
]
Starts = Annotated[
    int | None,
    typer.Option(
        help="Number of starting mixtures; with a single strategy, number of semesters of "
        "each mixture.",
        min=1,
    ),
]
ReadingCost = Annotated[
    float, typer.Option(help="Cost of reading submissions, in ranks out of 100.")
]
LearnFolder = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder for results and figures.")
]


@app.command(rich_help_panel=BEYOND)
def learn(
    mechanism: Annotated[str, typer.Argument(help="Spec of the mechanism.")],
    strategy: Strategies = None,
    unaware: Unaware = False,
    dynamic: Dynamics = None,
    alone: Alone = False,
    starts: Starts = None,
    cost: ReadingCost = 0.0,
    students: Annotated[int, typer.Option(help="Students in the class.")] = 100,
    assignments: Annotated[int, typer.Option(help="Assignments in a semester.")] = 10,
    out: LearnFolder = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
) -> None:
    """Simulate classes that learn which strategies pay under a mechanism.

    Classes start with random mixtures of strategies. After each semester, students change to
    strategies that rank higher. The basin of truthful reporting is the share of starting mixtures
    from which nearly all students become truthful.
    """
    from peergauge.engine.runner import run

    given: dict[str, Any] = {
        "mechanisms": (mechanism,),
        "strategies": tuple(strategy or ()),
        "cost": cost,
        "students": students,
        "assignments": assignments,
        **({"repetitions": starts} if starts else {}),
    }
    if unaware and strategy:
        raise ParameterError(
            "--unaware chooses among the paper's strategies; leave it out, or name no --strategy."
        )
    if alone and dynamic:
        raise ParameterError(
            "--alone has a learner of its own, while --dynamic moves the whole class; give one of "
            "the two."
        )
    if alone:
        chosen = _alone(given, unaware)
    else:
        chosen = _experiments(given, unaware, dynamic or [], drawn=out is not None)
    with stoppable(out):
        with executor_of(cluster, workers) as executor, counting("Learning") as report:
            results = run(
                chosen, out, seed=seed, workers=workers, executor=executor, per_piece=2,
                progress=report,
            )  # fmt: skip
        for line in _sentences(results):
            typer.echo(line)
        if out is not None:
            _draw(results, out, workers)


def _experiments(
    given: dict[str, Any], unaware: bool, dynamics: list[str], *, drawn: bool
) -> list[Experiment]:
    """The experiments that answer a command, and those that only its figures need."""
    from peergauge.lab.beyond.learning import LearningClasses, UnawareClasses
    from peergauge.lab.beyond.learning_three import ThreeStrategies
    from peergauge.lab.beyond.learning_two import TwoStrategies

    count = len(given["strategies"])
    if count == 1 and not dynamics:
        return [TwoStrategies(**given)]
    ways: dict[str, Any] = {"dynamics": tuple(dynamics)} if dynamics else {}
    if "repetitions" in given:
        ways["near"] = max(1, given["repetitions"] // 14)
    learning = (UnawareClasses if unaware else LearningClasses)(**given, **ways)
    return [learning, ThreeStrategies(**given)] if count == 2 and drawn else [learning]


def _alone(given: dict[str, Any], unaware: bool) -> list[Experiment]:
    """The experiment in which every student learns alone."""
    from peergauge.lab.beyond.learning import UnawareClasses
    from peergauge.lab.beyond.learning_alone import LearningAlone

    known = {"strategies": UnawareClasses().others} if unaware else {}
    return [LearningAlone(**{**given, **known})]


def _sentences(results: pl.DataFrame) -> list[str]:
    """A sentence for each phase line and each basin."""
    from peergauge.lab.learning.basins import basins, regret_in_words
    from peergauge.lab.learning.phase import lines_of

    sentences = [line.in_words(spec) for spec, line in lines_of(results).items()]
    found = basins(results)
    for dynamic in dict.fromkeys(one.dynamic for one in found):
        sentences.append(f"Under the dynamic {dynamic}:")
        sentences += [f"  {one.in_words()}" for one in found if one.dynamic == dynamic]
        sentences += [f"  {line}" for line in regret_in_words(results, dynamic)]
    return sentences


def _draw(results: pl.DataFrame, folder: Path, workers: int | None) -> None:
    """Write figures, if the packages for drawing are installed."""
    typer.echo(folder / "results.parquet")
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.lab.figures import drawable, save

        own = [name for name in drawable(results) if name.startswith("learning")]
        for path in save(results, folder / "figures", only=own, workers=workers):
            typer.echo(path)
    if missing:
        note(left_out("Figures", missing))
