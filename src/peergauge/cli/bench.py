"""The command ``peergauge bench``, which compares mechanisms, including the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peergauge.cli._app import (
    BEYOND,
    Cluster,
    Seed,
    TimeLimit,
    Workers,
    app,
    counting_steps,
    executor_of,
    note,
    stoppable,
)
from peergauge.core.errors import ParameterError
from peergauge.core.optional import left_out

if TYPE_CHECKING:
    from peergauge.lab.bench import Bench

MAX_ROWS_PRINTED = 15
"""Number of mechanisms of the first setting that are printed."""


OwnFileArgument = Annotated[
    Path | None, typer.Argument(help="A Python file that registers your own mechanism.")
]
Mechanisms = Annotated[
    list[str] | None,
    typer.Option(
        "--mechanism", "-m", help="Spec of a mechanism to compare; repeatable. Default: all."
    ),
]
Settings = Annotated[
    list[str] | None, typer.Option(help="A setting of the suite; repeatable. Default: all.")
]
RealClasses = Annotated[
    list[str] | None,
    typer.Option("--class", help="A real class with true scores, as NAME=FOLDER; repeatable."),
]


@app.command(rich_help_panel=BEYOND)
def bench(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")],
    file: OwnFileArgument = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure roughly, in about a minute.")
    ] = False,
    mechanism: Mechanisms = None,
    setting: Settings = None,
    classes: RealClasses = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    time_limit: TimeLimit = None,
) -> None:
    """Rank all mechanisms, and your own, by integrity, robustness and the gains of attacks.

    Prints the leaderboard and recommendations. Writes index.html (a page with all results),
    leaderboard.csv (a row for each mechanism, setting and measure) and, if mechanisms were attacked
    by type, the figure frontier.svg, .png and .pdf. A run that was stopped is resumed.
    """
    from peergauge.lab.bench import bench as compare
    from peergauge.pages.bench_folder import write

    with stoppable(out), executor_of(cluster, workers) as executor, counting_steps() as report:
        found = compare(
            out,
            file=file,
            mechanisms=mechanism or (),
            settings=setting or (),
            classes=_named(classes or []),
            quick=quick,
            seed=seed,
            workers=workers,
            executor=executor,
            progress=report,
            time_limit=time_limit,
        )
        written = write(found, out)
    _show(found)
    for path in written.files:
        typer.echo(path)
    if written.lacking:
        note(left_out("The page", written.lacking))
    if written.lacking_for_figure:
        note(left_out("The frontier figure", written.lacking_for_figure))


def _named(given: list[str]) -> dict[str, Path]:
    """Read names and folders of classes, given as NAME=FOLDER."""
    named: dict[str, Path] = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals or not name.strip() or not folder.strip():
            raise ParameterError(
                f"A class is given as NAME=FOLDER, such as spring=classes/spring, but '{text}' "
                "was given."
            )
        if name.strip() in named:
            raise ParameterError(f"Two classes are called '{name.strip()}'; rename one.")
        named[name.strip()] = Path(folder.strip())
    return named


def _show(found: Bench) -> None:
    """Print the leaderboard of the first setting, and recommendations for all settings."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from peergauge.advice.measures import BY_MEASURE, SEARCHED_COLUMNS
    from peergauge.lab.bench.board import shown_measures

    console = Console()
    setting = found.settings[0]
    standings = found.standings(setting)
    shown = [
        one
        for one in shown_measures(standings)
        if one.name in PRINTED_MEASURES and one.name not in SEARCHED_COLUMNS
    ]
    table = Table(title=found.label(setting), box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("mechanism", overflow="fold")
    for one in shown:
        table.add_column(one.label, justify="right", no_wrap=True)
    for name in SEARCHED_COLUMNS:
        table.add_column(BY_MEASURE[name].label, justify="right")
    for place, each in enumerate(standings, 1):
        if place <= MAX_ROWS_PRINTED or each.own:
            cells = [each.cell(name) for name in (*(one.name for one in shown), *SEARCHED_COLUMNS)]
            table.add_row(str(place), each.spec, *cells, style="bold" if each.own else None)
    console.print(table)
    if len(standings) > MAX_ROWS_PRINTED:
        console.print(
            f"{len(standings)} mechanisms were compared; leaderboard.csv lists all of them."
        )
    for setting in found.settings:
        console.print(f"\n{found.label(setting)}", style="bold")
        for sentence in (
            *found.places(setting),
            *(one.sentence for one in found.recommendations(setting)),
        ):
            console.print(f"- {sentence}", soft_wrap=True, markup=False, highlight=False)


PRINTED_MEASURES = frozenset({"binary-auc", "worst-auc", "robustness"})
"""The measures that fit into a terminal."""
