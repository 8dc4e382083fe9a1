"""Commands for researchers: simulated classes, and the paper's experiments on them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from peergauge.cli._app import (
    PAPER,
    Cluster,
    Seed,
    Workers,
    app,
    counting,
    executor_of,
    note,
    stoppable,
    working,
)
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out


class Format(StrEnum):
    """What files a class is written to."""

    csv = "csv"
    parquet = "parquet"


class EffortKind(StrEnum):
    """The two models of effort."""

    continuous = "continuous"
    binary = "binary"


QUICK = 1 / 16
"""The share of repetitions that a quick run has: six of a hundred show how far medians reach."""


class Size(StrEnum):
    """How much of an experiment is run."""

    full = "full"
    quick = "quick"


class DesignKind(StrEnum):
    """Who grades whom."""

    regular = "regular"
    clusters = "clusters"


@app.command(rich_help_panel=PAPER)
def simulate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the class into.")],
    students: Annotated[int, typer.Option(help="Students in the class.")] = 100,
    assignments: Annotated[int, typer.Option(help="Assignments in the semester.")] = 10,
    graders: Annotated[int, typer.Option(help="Graders of each submission.")] = 4,
    scale: Annotated[str, typer.Option(help="Grades: LOW..HIGH or LOW..HIGH:STEP.")] = "0..10",
    mean: Annotated[
        float, typer.Option(help="Mean true score, as a share of the scale.", min=0, max=1)
    ] = 0.7,
    effort: Annotated[EffortKind, typer.Option(help="Model of effort.")] = EffortKind.continuous,
    active: Annotated[
        int | None, typer.Option(help="Active graders, with binary effort; half by default.")
    ] = None,
    bias: Annotated[float, typer.Option(help="Deviation of biases; 0 for unbiased graders.")] = 1.0,
    design: Annotated[DesignKind, typer.Option(help="Who grades whom.")] = DesignKind.regular,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="Strategic graders as STRATEGY=COUNT, for instance hedge=30; repeat."),
    ] = None,
    seed: Seed = 0,
    format: Annotated[Format, typer.Option(help="What files to write.")] = Format.csv,  # noqa: A002
) -> None:
    """Simulate a class: its reports, its true scores, and the traits of its graders.

    Writes reports, truth and graders into the folder, and class.json with the scale. The defaults
    are the paper's.
    """
    with working("Simulating", steps=3) as step:
        from peergauge.core.files import check_target, write_files
        from peergauge.exports.writing import ABOUT, about_class
        from peergauge.simulate import (
            BinaryEffort,
            BinomialScores,
            ContinuousEffort,
            NormalBias,
            Setting,
        )
        from peergauge.simulate import simulate as run
        from peergauge.tables import Scale

        target = {name: out / f"{name}.{format.value}" for name in ("reports", "truth", "graders")}
        for path in target.values():
            check_target(path)
        if active is not None and effort is not EffortKind.binary:
            raise ParameterError("--active goes with --effort binary.")
        setting = Setting(
            students=students,
            assignments=assignments,
            graders=graders,
            scale=Scale.parse(scale),
            true_scores=BinomialScores(mean),
            effort=BinaryEffort(active) if effort is EffortKind.binary else ContinuousEffort(),
            bias=NormalBias(bias),
            design=design.value,
            strategies=_counts(strategy or []),
        )
        step("drawing the class")
        semester = run(setting, seed)
        step("writing")
        told = {"simulated": repr(setting), "seed": seed}
        files: dict[Path, pl.DataFrame | bytes] = {
            target["reports"]: semester.reports.to_polars(),
            target["truth"]: semester.truth.to_polars(),
            target["graders"]: semester.graders_to_polars(),
            out / ABOUT: about_class(setting.scale, told),
        }
        write_files(files)
    note(repr(semester.reports).strip("<>"))
    for path in files:
        typer.echo(path)


@app.command(rich_help_panel=PAPER)
def reproduce(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Run this experiment, by its spec; repeat. All by default."),
    ] = None,
    scale: Annotated[
        Size, typer.Option(help="The paper's size, or a sixteenth of its repetitions.")
    ] = Size.full,
    published: Annotated[
        Path | None, typer.Option(help="Folder of the authors' published results to compare with.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
) -> None:
    """Run the paper's simulated experiments, and say where we agree with what was published.

    Writes index.html (the page with everything), results.parquet (a row for each repetition and
    measure), cells.csv, tables, figures and, where the published results are given, agreement.csv.
    A run that was stopped goes on where it was.
    """
    from peergauge.engine.experiment import experiments as registry
    from peergauge.engine.experiment import reproduced
    from peergauge.engine.runner import run
    from peergauge.lab.paper.published import agreement_of, is_novel, read_published, summary
    from peergauge.pages.reproduced import make_of

    theirs = None if published is None else read_published(published)
    chosen = [registry.make(spec) for spec in only] if only else reproduced()
    if scale is Size.quick:
        chosen = [one.scaled(QUICK) for one in chosen]
    with stoppable():
        with executor_of(cluster, workers) as executor, counting("Running") as tell:
            results = run(chosen, out, seed=seed, workers=workers, executor=executor, progress=tell)
        with counting("Drawing") as tell:
            made = make_of(
                results, out, chosen, seed=seed, published=theirs, workers=workers, progress=tell
            )
    for path in made.files:
        typer.echo(path)
    if made.lacking:
        # Only the figures need Matplotlib, and there is no page without them.
        output = "Figures and page" if "matplotlib" in made.lacking else "The page"
        note(left_out(output, made.lacking))
    held = sum(one.verdict == "holds" for one in made.findings)
    if made.findings:
        note(f"{held} of {len(made.findings)} claims of the text hold")
    if made.compared is None:
        note(
            "To compare with the published results, give the data folder of the authors' "
            "repository with --published."
        )
        return
    for file, count, have, rms, largest, _ in summary(made.compared).rows():
        told = "none of ours" if rms is None else f"rms z {rms:.2f}, largest {largest:.1f}"
        note(f"{file}: {have} of {count} cells, {told}")
    whole = agreement_of(made.compared.filter(~is_novel()))
    if whole.rms is not None:
        note(
            f"All but the novel mechanisms: {whole.ours} of {whole.cells} cells, "
            f"rms z {whole.rms:.2f}, {whole.far} beyond 4"
        )


def _counts(given: list[str]) -> dict[str, int]:
    """Read STRATEGY=COUNT; a strategy's own parameters may hold equal signs too."""
    counts: dict[str, int] = {}
    for text in given:
        spec, _, count = text.rpartition("=")
        if not spec or not count.strip().isdigit():
            raise ParameterError(
                f"Strategic graders are given as STRATEGY=COUNT, such as hedge=30, "
                f"but '{text}' was given."
            )
        if spec in counts:
            raise ParameterError(f"The strategy '{spec}' is given twice; add the counts up.")
        counts[spec] = int(count)
    return counts
