"""Commands for researchers: simulate a class, and reproduce the paper's experiments."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import (
    PAPER,
    Cluster,
    Force,
    Seed,
    Workers,
    app,
    executor_of,
    note,
    stoppable,
    working,
)
from peergauge.core.claims import claimed
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out
from peergauge.core.progress import counting

if TYPE_CHECKING:
    from peergauge.pages.reproduced import Reproduction
    from peergauge.simulate import Semester


class Format(StrEnum):
    """Formats of the files of a class."""

    csv = "csv"
    parquet = "parquet"


class EffortKind(StrEnum):
    """The two models of effort."""

    continuous = "continuous"
    binary = "binary"


QUICK_SHARE = 1 / 16
"""Share of the repetitions in a quick run: 6 of 100 suffice to see how much medians vary."""


class Size(StrEnum):
    """Sizes of an experiment."""

    full = "full"
    quick = "quick"


class DesignKind(StrEnum):
    """Assignments of graders to submissions."""

    regular = "regular"
    clusters = "clusters"


WITH_SUITE_SETTING = frozenset(
    {"out", "setting", "strategy", "seed", "format", "force", "plugin_files"}
)
"""Options of ``simulate`` that can be combined with a setting of the benchmark suite."""


@app.command(rich_help_panel=PAPER)
def simulate(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the files of the class.")],
    setting: Annotated[
        str | None,
        typer.Option(
            help="A setting of the benchmark suite, such as ceiling, styles or irregular, instead "
            "of the options for size and graders."
        ),
    ] = None,
    students: Annotated[int, typer.Option(help="Number of students.")] = 100,
    assignments: Annotated[int, typer.Option(help="Number of assignments.")] = 10,
    graders: Annotated[int, typer.Option(help="Number of graders of each submission.")] = 4,
    scale: Annotated[
        str, typer.Option(help="Grading scale: LOW..HIGH or LOW..HIGH:STEP.")
    ] = "0..10",
    mean: Annotated[
        float, typer.Option(help="Mean true score as a fraction of the scale.", min=0, max=1)
    ] = 0.7,
    effort: Annotated[EffortKind, typer.Option(help="Model of effort.")] = EffortKind.continuous,
    active: Annotated[
        int | None,
        typer.Option(help="Number of active graders with binary effort; half of them by default."),
    ] = None,
    bias: Annotated[
        float, typer.Option(help="Standard deviation of biases; 0 for unbiased graders.")
    ] = 1.0,
    style_deviation: Annotated[
        float,
        typer.Option(
            help="Standard deviation of response styles: slopes of graders about the mean true "
            "score; 0 for none."
        ),
    ] = 0.0,
    shared_error: Annotated[
        float,
        typer.Option(
            help="Standard deviation of the error that all graders of a submission share, in "
            "points of 0..10; 0 for none."
        ),
    ] = 0.0,
    design: Annotated[
        DesignKind, typer.Option(help="Assignment of graders to submissions.")
    ] = DesignKind.regular,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="Strategic graders as STRATEGY=COUNT, such as hedge=30; can be repeated."
        ),
    ] = None,
    seed: Seed = 0,
    format: Annotated[Format, typer.Option(help="Format of the files.")] = Format.csv,  # noqa: A002
    force: Force = False,
) -> None:
    """Simulate a class: reports, true scores, and properties of the graders.

    Writes the tables reports, truth and graders into the folder, class.json with the scale and, if
    some reviews were not done, assigned with all reviews that were assigned. The default settings
    are those of the paper.
    """
    with claimed(out), working("Simulating", steps=3) as step:
        from peergauge.core.files import check_target, write_files
        from peergauge.exports.writing import (
            assigned_files,
            assigned_table,
            check_class_folder,
            left_tables,
            recorded_class,
        )
        from peergauge.simulate import (
            BinaryEffort,
            BinomialScores,
            ContinuousEffort,
            NormalBias,
            NormalStyles,
            Setting,
            SharedError,
        )
        from peergauge.simulate import simulate as run
        from peergauge.tables import Scale

        names = ("reports", "truth", "graders", "assigned")
        target = {name: out / f"{name}.{format.value}" for name in names}
        for path in target.values():
            check_target(path)
        certain = [target[name].name for name in names if name != "assigned"]
        check_class_folder(out, certain, "simulate", force=force)
        if active is not None and effort is not EffortKind.binary:
            raise ParameterError(
                "--active needs binary effort; add --effort binary, or leave --active out."
            )
        chosen = Setting(
            students=students,
            assignments=assignments,
            graders=graders,
            scale=Scale.parse(scale),
            true_scores=BinomialScores(mean),
            effort=BinaryEffort(active) if effort is EffortKind.binary else ContinuousEffort(),
            bias=NormalBias(bias),
            styles=NormalStyles(style_deviation),
            shared_error=SharedError(shared_error),
            design=design.value,
            strategies=_counts(strategy or []),
        )
        step("drawing the class")
        if setting is None:
            semester = run(chosen, seed)
        else:
            semester = _of_suite(context, setting, chosen.strategies, seed)
        step("writing")
        about = {"simulated": repr(semester.setting), "seed": seed}
        files: dict[Path, pl.DataFrame | bytes] = {
            target["reports"]: semester.reports.to_polars(),
            target["truth"]: semester.truth.to_polars(),
            target["graders"]: semester.graders_to_polars(),
        }
        files |= assigned_files(assigned_table(semester.reports), target["assigned"])
        scale_of_class = semester.setting.scale
        data = recorded_class(files, out, scale_of_class, about, "simulate", force=force)
        write_files(data, removed=left_tables(out, data, "simulate"))
    note(repr(semester.reports).strip("<>"))
    if semester.reports.assigned is not None:
        missing = int(semester.reports.assigned.sum()) - len(semester.reports)
        note(f"{missing} assigned reviews were not done; {target['assigned'].name} says by whom.")
    for path in data:
        typer.echo(path)


def _of_suite(
    context: typer.Context,
    name: str,
    strategies: Any,
    seed: int,
) -> Semester:
    """Simulate a class of a setting of the benchmark suite."""
    from dataclasses import replace

    from peergauge.lab.bench.suite import suite_setting

    sources = {option: context.get_parameter_source(option) for option in context.params}
    given = [
        f"--{option.replace('_', '-')}"
        for option, where in sources.items()
        if option not in WITH_SUITE_SETTING and where is not None and where.name == "COMMANDLINE"
    ]
    if given:
        raise ParameterError(
            f"--setting {name} says how large the class is and what graders are like; leave out "
            f"{', '.join(given)}, or leave out --setting."
        )
    source = suite_setting(name).environment.source
    followed = replace(source, setting=replace(source.setting, strategies=strategies))
    return followed.draw(seed).semester()


@app.command(rich_help_panel=PAPER)
def reproduce(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Run only this experiment, given by its spec; can be repeated."
        ),
    ] = None,
    scale: Annotated[
        Size, typer.Option(help="All repetitions of the paper, or a sixteenth of them.")
    ] = Size.full,
    published: Annotated[
        Path | None,
        typer.Option(
            help="Folder of published results to compare with, instead of the results that "
            "peergauge has with it."
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
) -> None:
    """Run the paper's experiments, and compare the results with the published ones.

    Writes index.html (a page with all results), results.parquet (one row for each repetition and
    measure), means.csv (means over repetitions), cells.csv (means under the authors' names),
    agreement.csv and class_agreement.csv (published cells beside ours), tables and figures. If a
    run is stopped, the same command continues it.
    """
    from peergauge.engine.experiment import experiments as registry
    from peergauge.engine.experiment import reproduced
    from peergauge.engine.runner import run
    from peergauge.engine.workers import kept_workers
    from peergauge.lab.paper.published import published_cells
    from peergauge.pages.reproduced import make_of

    theirs = published_cells(published)
    chosen = [registry.make(spec) for spec in only] if only else reproduced()
    if scale is Size.quick:
        chosen = [one.scaled(QUICK_SHARE) for one in chosen]
    # The processes that computed the results draw the figures, too.
    with stoppable(out), kept_workers(workers) as processes:
        with executor_of(cluster, workers) as executor, counting("Running") as tell:
            results = run(
                chosen, out, seed=seed, workers=processes, executor=executor, progress=tell
            )
        with counting("Drawing") as tell:
            made = make_of(
                results, out, chosen, seed=seed, published=theirs, workers=processes, progress=tell
            )
    _show(made)


def _show(made: Reproduction) -> None:
    """Print the files of a reproduction, and a summary of claims and agreement."""
    for path in made.files:
        typer.echo(path)
    if made.lacking:
        # Only the figures need Matplotlib, and there is no page without them.
        output = "Figures and page" if "matplotlib" in made.lacking else "The page"
        note(left_out(output, made.lacking))
    for about in dict.fromkeys(one.about for one in made.findings):
        own = [one for one in made.findings if one.about == about]
        held = sum(one.verdict == "holds" for one in own)
        subject = "simulated classes" if about == "simulated" else "the authors' private classes"
        note(f"{held} of {len(own)} claims of the paper about {subject} hold")
    if made.compared is not None:
        _note_agreement(made.compared)
    for one in made.classes:
        # The whole of each kind; the page has the agreement of every class.
        if not one.taught:
            way = {"alone": ", one deviator at a time", "authors": ", in the authors' way"}
            note(
                f"Real classes, {one.kind}{way.get(one.way, '')}, {one.stand_in} stand-ins: "
                f"{one.cells} cells, correlation {one.correlation:.2f}, root mean square "
                f"difference {one.rms:.2f}, same sign in {one.same_sign:.0%}"
            )


def _note_agreement(compared: pl.DataFrame) -> None:
    """Print how well our cells agree with the published ones, by file and as a whole."""
    from peergauge.lab.paper.published import AS_PUBLISHED, agreement_of, is_novel, summary

    for row in summary(compared).iter_rows(named=True):
        file = row["experiment"]
        if row["computed"] == AS_PUBLISHED:
            file += " (with the authors' likely settings)"
        text = f"{file}: {row['ours']} of {row['cells']} cells"
        if row["rms"] is not None:
            text += f", root mean square of z {row['rms']:.2f}, largest {row['largest']:.1f}"
        note(text)
    whole = agreement_of(compared.filter(~is_novel()))
    if whole.rms is not None:
        note(
            f"All files except those of the novel mechanisms: {whole.ours} of {whole.cells} cells, "
            f"root mean square of z {whole.rms:.2f}, {whole.far} cells with |z| above 4"
        )


def _counts(given: list[str]) -> dict[str, int]:
    """Read STRATEGY=COUNT; the parameters of a strategy may contain equal signs too."""
    counts: dict[str, int] = {}
    for text in given:
        spec, _, count = text.rpartition("=")
        if not spec or not re.fullmatch(r"\s*[0-9]{1,9}\s*", count):
            raise ParameterError(
                f"Strategic graders are given as STRATEGY=COUNT, such as hedge=30, "
                f"but '{text}' was given."
            )
        if spec in counts:
            raise ParameterError(f"The strategy '{spec}' is given twice; add the counts up.")
        counts[spec] = int(count)
    return counts
