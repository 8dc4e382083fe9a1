"""The command line: thin commands over the same calls that Python users make."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge._version import __version__
from peergauge.errors import ParameterError, PeergaugeError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from peergauge.registry import Registry

app = typer.Typer(
    name="peergauge",
    help="Grade the graders: pay peer graders from their reports alone, and see how fair it is.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Named = Annotated[str | None, typer.Argument(help="Show this one in full.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print for machines.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]


class Format(StrEnum):
    """What files a class is written to."""

    csv = "csv"
    parquet = "parquet"


class EffortKind(StrEnum):
    """The two models of effort."""

    continuous = "continuous"
    binary = "binary"


ExportFiles = Annotated[list[Path], typer.Argument(help="The files of one class.")]
KnownScale = Annotated[
    str | None, typer.Option(help="Grades: LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any.")
]
Criterion = Annotated[str, typer.Option(help="A criterion of the rubric to be scored by itself.")]
Using = Annotated[
    str | None, typer.Option(help="The reader, by its spec; told from the files by default.")
]

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


class SectionKind(StrEnum):
    """Whom students may grade, if the class has sections."""

    any = "any"
    within = "within"
    across = "across"


def main() -> None:
    """Run the command line; every refusal is one sentence and a non-zero exit."""
    warnings.showwarning = _show_warning
    try:
        app()
    except PeergaugeError as error:
        _fail(str(error), 1)
    except OSError as error:
        _fail(f"{error.filename or 'A file'}: {error.strerror or error}.", 1)
    except KeyboardInterrupt:
        _fail("Stopped; nothing was written.", 130)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"peergauge {__version__}")
        raise typer.Exit


@app.command()
def mechanisms(name: Named = None, as_json: AsJson = False) -> None:
    """List the mechanisms that pay graders, or show one in full."""
    from peergauge.mechanisms import mechanisms as registry

    _list(registry, name, as_json)


@app.command()
def strategies(name: Named = None, as_json: AsJson = False) -> None:
    """List the strategies that graders may follow, or show one in full."""
    from peergauge.simulate.strategies import strategies as registry

    _list(registry, name, as_json)


@app.command()
def metrics(name: Named = None, as_json: AsJson = False) -> None:
    """List the measures of how good rewards are, or show one in full."""
    from peergauge.metrics import metrics as registry

    _list(registry, name, as_json)


@app.command()
def models(name: Named = None, as_json: AsJson = False) -> None:
    """List the statistical models of grading, or show one in full."""
    from peergauge.models import models as registry

    _list(registry, name, as_json)


@app.command()
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

    Writes reports, truth and graders into the folder. The defaults are the paper's.
    """
    with _working("Simulating", steps=3) as step:
        from peergauge.frames import check_target, write_frames
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
        write_frames(
            {
                target["reports"]: semester.reports.to_polars(),
                target["truth"]: semester.truth.to_polars(),
                target["graders"]: semester.graders_to_polars(),
            }
        )
    _note(repr(semester.reports).strip("<>"))
    for path in target.values():
        typer.echo(path)


@app.command()
def score(
    reports: Annotated[Path, typer.Argument(help="CSV or Parquet file of reports.")],
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="Spec, such as mse-p or phi-div:divergence=kl.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; standard output if left out.")
    ] = None,
    parts: Annotated[
        Path | None, typer.Option(help="File to write what each report adds to its reward.")
    ] = None,
    scale: Annotated[
        str, typer.Option(help="Grades: LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any.")
    ] = "0..10",
    truth: Annotated[
        Path | None, typer.Option(help="File of true scores: also measure how good the pay is.")
    ] = None,
    graders: Annotated[
        Path | None, typer.Option(help="File of the graders' traits, for more measures.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Pay the graders of a class by a mechanism.

    Reads columns submission, grader, grade and, if there are several, assignment. Writes for each
    assignment and grader what it adds to the grader's running total.
    """
    with _working("Scoring", steps=3) as step:
        from peergauge.frames import check_target, write_frames
        from peergauge.mechanisms import mechanisms as registry
        from peergauge.mechanisms import score as pay
        from peergauge.tables import Reports, Truth

        chosen = registry.make(mechanism)
        for target in filter(None, (out, parts)):
            check_target(target)
        if graders is not None and truth is None:
            raise ParameterError("--graders goes with --truth.")
        step(f"reading {reports.name}")
        given = Reports.read(reports, scale)
        known = None if truth is None else Truth.read(truth, graders)
        step(f"paying by {chosen.label}")
        rewards = pay(chosen, given, seed=seed, truth=known)
        step("writing")
        table = rewards.to_polars()
        files = {} if out is None else {out: table}
        if parts is not None:
            files[parts] = rewards.parts_to_polars()
        write_frames(files)
    _note(f"{chosen.label}: {repr(given).strip('<>')}")
    if out is None:
        typer.echo(table.write_csv(), nl=False)
    if known is not None:
        _measure(rewards, known)


@app.command()
def readers(name: Named = None, as_json: AsJson = False) -> None:
    """List the kinds of export that are read, or show one in full."""
    from peergauge.data.readers import readers as registry

    _list(registry, name, as_json)


@app.command()
def check(
    export: ExportFiles,
    scale: KnownScale = None,
    criterion: Criterion = "",
    using: Using = None,
    as_json: AsJson = False,
) -> None:
    """Read a class as its platform exported it, and say what it is worth.

    Prints what was read, repaired and left out, with rows, and what can be computed from the class.
    Nothing is written, and nothing leaves this machine.
    """
    with _working("Checking", steps=3) as step:
        from peergauge.data.abilities import abilities
        from peergauge.data.readers import read_export
        from peergauge.data.validation import validate

        step("reading")
        found = read_export(export, using=using)
        step("validating")
        room = validate(found, scale=scale, criterion=criterion)
        step("trying what can be computed")
        able = abilities(room)
    if as_json:
        import json

        told = {**room.report.as_json(), "abilities": [one._asdict() for one in able]}
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    for line in room.report.lines():
        typer.echo(line)
    for one in able:
        typer.echo(f"{'can' if one.possible else 'cannot'}: {one.what} ({one.why.rstrip('.')})")


@app.command()
def read(
    export: ExportFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the class into.")],
    scale: KnownScale = None,
    criterion: Criterion = "",
    using: Using = None,
    pseudonymize: Annotated[
        Path | None,
        typer.Option(help="Replace every name and id, and write the key into this CSV file."),
    ] = None,
) -> None:
    """Read a class as its platform exported it, and write it as plain tables.

    Writes reports, true scores and authors where they are known, and the import report. With
    --pseudonymize nobody is named in them; keep the key apart from them.
    """
    with _working("Reading", steps=3) as step:
        from peergauge.data.pseudonyms import pseudonymize as rename
        from peergauge.data.readers import read_export
        from peergauge.data.validation import validate
        from peergauge.data.writing import write_class
        from peergauge.frames import check_target, write_frame

        if pseudonymize is not None:
            check_target(pseudonymize)
        step("reading")
        found, key = read_export(export, using=using), None
        if pseudonymize is not None:
            found, key = rename(found)
        step("validating")
        room = validate(found, scale=scale, criterion=criterion)
        step("writing")
        files = write_class(room, out)
        if pseudonymize is not None and key is not None:
            files.append(write_frame(key, pseudonymize))
    for line in room.report.lines():
        _note(line)
    for path in files:
        typer.echo(path)


@app.command()
def experiments(name: Named = None, as_json: AsJson = False) -> None:
    """List the experiments of the paper, or show one in full."""
    from peergauge.experiments import experiments as registry

    _list(registry, name, as_json)


@app.command()
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
    workers: Annotated[
        int | None, typer.Option(help="Local processes; as many as cores by default.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="A Dask scheduler, tcp://HOST:PORT, or local for one of our own."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Run the paper's simulated experiments, and say where we agree with what was published.

    Writes index.html (the page with everything), results.parquet (a row for each repetition and
    measure), cells.csv, tables, figures and, where the published results are given, agreement.csv.
    A run that was stopped goes on where it was.
    """
    from peergauge.experiments import experiments as registry
    from peergauge.experiments.published import agreement_of, is_novel, read_published, summary
    from peergauge.experiments.runner import run
    from peergauge.reproduction import make_of

    theirs = None if published is None else read_published(published)
    chosen = [registry.make(spec) for spec in only] if only else registry.all()
    if scale is Size.quick:
        chosen = [one.scaled(QUICK) for one in chosen]
    with _stoppable():
        with _workers(cluster, workers) as executor, _counting("Running") as tell:
            results = run(chosen, out, seed=seed, workers=workers, executor=executor, progress=tell)
        with _counting("Drawing") as tell:
            made = make_of(
                results, out, chosen, seed=seed, published=theirs, workers=workers, progress=tell
            )
    for path in made.files:
        typer.echo(path)
    if made.lacking:
        _note("For figures and page, pip install 'peergauge[report]', and run this again.")
    held = sum(one.verdict == "holds" for one in made.findings)
    if made.findings:
        _note(f"{held} of {len(made.findings)} claims of the text hold")
    if made.compared is None:
        _note(
            "To compare with the published results, give the data folder of the authors' "
            "repository with --published."
        )
        return
    for file, count, have, rms, largest, _ in summary(made.compared).rows():
        told = "none of ours" if rms is None else f"rms z {rms:.2f}, largest {largest:.1f}"
        _note(f"{file}: {have} of {count} cells, {told}")
    whole = agreement_of(made.compared.filter(~is_novel()))
    if whole.rms is not None:
        _note(
            f"All but the novel mechanisms: {whole.ours} of {whole.cells} cells, "
            f"rms z {whole.rms:.2f}, {whole.far} beyond 4"
        )


@app.command()
def assign(
    roster: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file of the students.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write the design to.")],
    graders: Annotated[int, typer.Option("--graders", "-k", help="Graders of a submission.")] = 4,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(help="An earlier design, whose pairs are not to meet again; repeat."),
    ] = None,
    sections: Annotated[
        SectionKind, typer.Option(help="Whether to grade within one's section or across.")
    ] = SectionKind.any,
    clusters: Annotated[
        bool, typer.Option("--clusters", help="Clusters that grade the next one's work, for DMI.")
    ] = False,
    assignments: Annotated[int, typer.Option(help="Designs in a row, with new pairs each.")] = 1,
    seed: Seed = 0,
) -> None:
    """Draw who grades whose submission, before a class begins.

    Reads a column student and, if there are any, group, section and submission. Writes a row for
    each grade to be given: assignment, submission, author, grader.
    """
    with _working("Assigning", steps=2) as step:
        from peergauge.assign import assign_graders
        from peergauge.frames import check_target, write_frame

        check_target(out)
        step("drawing the design")
        drawn = assign_graders(
            roster,
            graders,
            earlier=earlier or (),
            sections=sections.value,
            clusters=clusters,
            assignments=assignments,
            seed=seed,
        )
        step("writing")
        write_frame(drawn.table, out)
    for line in drawn.summary:
        _note(line)


@app.command()
def twin(
    reports: Annotated[
        Path, typer.Argument(metavar="CLASS", help="CSV or Parquet file of reports.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the twin into.")],
    scale: Annotated[
        str, typer.Option(help="Grades: LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any.")
    ] = "0..10",
    truth: Annotated[Path | None, typer.Option(help="File of true scores, of all or some.")] = None,
    graders: Annotated[
        Path | None, typer.Option(help="File of the graders, if the truth names authors.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Keep everybody's number of reports; tells more.")
    ] = False,
    twins: Annotated[int, typer.Option(help="Twins to hold the class against.", min=2)] = 20,
    seed: Seed = 0,
) -> None:
    """Draw a synthetic class fitted to a real one, to be shared in its place.

    Writes reports.csv and truth.csv (the twin), twin.json (all that it was drawn from) and
    likeness.csv (how alike the two are, on every measure that applies).
    """
    import json

    names = ("reports.csv", "truth.csv", "likeness.csv")
    with _working("Twinning", steps=4) as step:
        from peergauge.frames import check_target, write_bytes, write_frames
        from peergauge.randomness import derived_seed
        from peergauge.tables import Reports, Truth
        from peergauge.twin import draw, fit, likeness

        for name in names:
            check_target(out / name)
        if graders is not None and truth is None:
            raise ParameterError("--graders goes with --truth.")
        step(f"reading {reports.name}")
        given = Reports.read(reports, scale)
        known = None if truth is None else Truth.read(truth, graders)
        step("fitting")
        model = fit(given, known, exact=exact)
        made = draw(model, seed)
        step("comparing")
        others = (draw(model, derived_seed(seed, "likeness", i)) for i in range(twins))
        table = likeness(given, known, others)
        step("writing")
        frames = made.reports.to_polars(), made.truth.to_polars(), table
        write_frames({out / name: frame for name, frame in zip(names, frames, strict=True)})
        told = json.dumps({"seed": seed, **model.as_json()}, indent=1)
        write_bytes(told.encode(), out / "twin.json")
    _note(repr(made.reports).strip("<>"))
    for about, measure, real, mean, sd, z, _, outside in table.rows():
        flag = "  outside" if outside else ""
        _note(f"{about:8} {measure:54} {real:10.4g} {mean:10.4g} ± {sd:<8.3g} z {z:5.1f}{flag}")
    count = int(table["outside"].sum())
    _note(f"{count} of {table.height} measures of the class are outside those of {twins} twins")
    for name in (*names, "twin.json"):
        typer.echo(out / name)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Say at Ctrl-C that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        _note("Stopped; the same command goes on where it stopped.")
        raise typer.Exit(130) from None


def _workers(cluster: str | None, workers: int | None) -> AbstractContextManager[Executor | None]:
    """A cluster's executor, or none for local processes."""
    if cluster is None:
        return nullcontext()
    from peergauge.experiments.cluster import dask_executor

    return dask_executor(cluster, workers)


def _measure(rewards: Any, truth: Any) -> None:
    """Print every measure of rewards that this class has an answer to."""
    import math

    from peergauge.errors import NeedsTruthError
    from peergauge.metrics import RewardMetric
    from peergauge.metrics import metrics as registry

    for measure in registry.all():
        if isinstance(measure, RewardMetric):
            try:
                value = measure.measure(rewards, truth)
            except NeedsTruthError:
                continue
            if not math.isnan(value):
                _note(f"{measure.label}: {value:.4f}")


def _list(registry: Registry[Any], name: str | None, as_json: bool) -> None:
    from peergauge.catalogue import entries, markdown
    from peergauge.errors import UnknownNameError

    found = {entry.name: entry for entry in entries(registry)}
    if name is not None:
        plain = name.partition(":")[0].lower()
        if plain not in found:
            raise UnknownNameError(registry.kind, plain, found)
        found = {plain: found[plain]}
    if as_json:
        import json

        text = json.dumps([entry.as_json() for entry in found.values()], ensure_ascii=False)
        typer.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    if name is None:
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True, style="bold")
        table.add_column(no_wrap=True)
        table.add_column()
        for entry in found.values():
            labels = "\n".join(label for _, label in entry.variants)
            table.add_row(entry.name, Text(labels), Text(entry.summary))
        console.print(table)
        return
    (entry,) = found.values()
    console.print(f"{entry.name}  {entry.label}", style="bold")
    console.print(Markdown(f"{entry.idea}\n\n{markdown(entry.text)}\n"))
    console.print()
    for fact, value in entry.facts.items():
        console.print(f"{fact}: {_shown(value)}")
    for parameter in entry.parameters:
        console.print(f"\n{parameter.name}={parameter.default}  ({parameter.values})", style="bold")
        console.print(Markdown(markdown(parameter.meaning)))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value.value if isinstance(value, Enum) else value)


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


@contextmanager
def _working(what: str, steps: int) -> Iterator[Any]:
    """Show a person at a terminal what is going on and for how long already."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what, total=steps)

        def step(doing: str) -> None:
            progress.update(task, advance=1, description=f"{what}: {doing}")

        yield step


@contextmanager
def _counting(what: str) -> Iterator[Any]:
    """Show a person at a terminal how much is done and how long the rest will take."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what)

        def tell(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)

        yield tell


def _note(text: str) -> None:
    """Tell a person something without disturbing what a program reads."""
    typer.echo(text, err=True)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _note(f"Warning: {message}")


def _fail(sentence: str, code: int) -> None:
    _note(f"Error: {sentence}")
    sys.exit(code)


if __name__ == "__main__":
    main()
