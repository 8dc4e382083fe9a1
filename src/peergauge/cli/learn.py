"""The command for those who design mechanisms: what becomes of a class that learns what pays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import (
    BEYOND,
    Cluster,
    Seed,
    Workers,
    app,
    counting,
    executor_of,
    note,
    stoppable,
)
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping

if TYPE_CHECKING:
    from peergauge.engine.experiment import Experiment


@app.command(rich_help_panel=BEYOND)
def learn(
    mechanism: Annotated[str, typer.Argument(help="The mechanism, by its spec.")],
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="What students may do besides reporting truthfully; repeat. The paper's "
            "six by default. For one, all mixtures with truthful reporting are tried."
        ),
    ] = None,
    unaware: Annotated[
        bool,
        typer.Option("--unaware", help="Nobody knows their own bias: leave Fix Bias out."),
    ] = False,
    dynamic: Annotated[
        list[str] | None,
        typer.Option(
            help="How the class learns: replicator, logit or imitation, with parameters "
            "as in logit:temperature=0.05; repeat. The first two by default."
        ),
    ] = None,
    starts: Annotated[
        int | None,
        typer.Option(
            help="From how many mixtures classes begin; for one strategy, how many "
            "semesters each mixture is tried in.",
            min=1,
        ),
    ] = None,
    cost: Annotated[
        float, typer.Option(help="What it costs to look at submissions, in ranks of 100.")
    ] = 0.0,
    students: Annotated[int, typer.Option(help="Students in the class.")] = 100,
    assignments: Annotated[int, typer.Option(help="Assignments in a semester.")] = 10,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for results and figures.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
) -> None:
    """Let classes learn what a mechanism pays for, and say where they end up.

    Classes begin with all kinds of mixtures of strategies. Semester by semester, students turn to
    what ranks higher. The basin of truthful reporting is the share of beginnings from which nearly
    all become truthful.
    """
    from peergauge.engine.runner import run
    from peergauge.lab.beyond.learning import LearningClasses, UnawareClasses
    from peergauge.lab.beyond.learning_three import ThreeStrategies
    from peergauge.lab.beyond.learning_two import TwoStrategies

    given: dict[str, Any] = {
        "mechanisms": (mechanism,),
        "strategies": tuple(strategy or ()),
        "cost": cost,
        "students": students,
        "assignments": assignments,
        **({"repetitions": starts} if starts else {}),
    }
    chosen: list[Experiment] = []
    if unaware and strategy:
        raise ParameterError(
            "--unaware is for the paper's strategies; name those you want, or not."
        )
    if len(given["strategies"]) == 1 and not dynamic:
        chosen = [TwoStrategies(**given)]
    else:
        ways: dict[str, Any] = {"dynamics": tuple(dynamic)} if dynamic else {}
        if starts:
            ways["near"] = max(1, starts // 14)
        chosen = [(UnawareClasses if unaware else LearningClasses)(**given, **ways)]
        if len(given["strategies"]) == 2 and out is not None:
            # For the figure.
            chosen.append(ThreeStrategies(**given))
    with stoppable(), executor_of(cluster, workers) as executor, counting("Learning") as tell:
        results = run(
            chosen, out, seed=seed, workers=workers, executor=executor, per_piece=2, progress=tell
        )
    for line in _told(results):
        typer.echo(line)
    if out is not None:
        _draw(results, out, workers)


def _told(results: pl.DataFrame) -> list[str]:
    """What was found, in words."""
    from peergauge.lab.learning.basins import basins
    from peergauge.lab.learning.phase import lines_of

    told = [line.in_words(spec) for spec, line in lines_of(results).items()]
    found = basins(results)
    for dynamic in dict.fromkeys(one.dynamic for one in found):
        told.append(f"By the dynamic {dynamic}:")
        told += [f"  {one.in_words()}" for one in found if one.dynamic == dynamic]
    return told


def _draw(results: pl.DataFrame, folder: Path, workers: int | None) -> None:
    """Write figures, if there is something to draw them with."""
    typer.echo(folder / "results.parquet")
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.lab.figures import drawable, save

        own = [name for name in drawable(results) if name.startswith("learning")]
        for path in save(results, folder / "figures", only=own, workers=workers):
            typer.echo(path)
    if missing:
        note(left_out("Figures", missing))
