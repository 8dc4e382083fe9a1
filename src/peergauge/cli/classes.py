"""Commands for instructors: open, check, pay and share a class of their own."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import CLASS, AsJson, Force, Seed, app, note, working
from peergauge.cli._door import AcceptDefaults, Answers, Door, MapFile
from peergauge.cli._payment import PaidFile, PaidPer, PayPer, RuleSpec, SecondStage
from peergauge.core.claims import LOCK_FILE, claimed
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.text import counted

if TYPE_CHECKING:
    from peergauge.exports.assigned_numbers import AssignedList
    from peergauge.exports.questions import Interpretation
    from peergauge.exports.validate import OpenedClass
    from peergauge.mechanisms import Mechanism
    from peergauge.tables import Reports

ExportFiles = Annotated[
    list[Path], typer.Argument(help="The files of one class, or the folder that holds them.")
]
ClassFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="CLASS", help="Files of one class: a table or an export; or their folder."
    ),
]
KnownScale = Annotated[
    str | None, typer.Option(help="Possible grades: LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any.")
]
Criterion = Annotated[str, typer.Option(help="Use only this criterion of the rubric.")]
Assignment = Annotated[
    str, typer.Option(help="Name of the assignment if no file names it, such as 'Week 2'.")
]
Using = Annotated[
    str | None, typer.Option(help="Reader spec; recognised from the files by default.")
]


ASSIGNED_HELP = (
    "Assigned reviews, if the export does not have them: the file of 'peergauge assign', any table "
    "of graders and submissions, or one of person, assigned, done."
)
"""What the option ``--assigned`` of several commands expects."""

MAX_SHOWN_ABSENT = 5
"""Names that a sentence about people without any review shows."""

OWN_COLUMNS = {
    "--out": ("rewards", ("assignment", "grader", "reward")),
    "--parts": ("parts of rewards", ("assignment", "submission", "grader", "grade", "part")),
    "--progress": ("progress of graders", ("grader", "assignment", "graded", "total", "change")),
    "--paid": ("pay", ("grader", "score", "pay", "expected_pay")),
}
"""What the tables of ``score`` hold, and the columns by which it recognises and replaces them."""

PLAN_COLUMNS = ("assignment", "submission", "author", "grader")
"""Columns by which ``assign`` recognises and replaces a design."""

EACH = "each"
"""The value of ``--criterion`` that stands for every criterion of the rubric in turn."""


class SectionKind(StrEnum):
    """Whether students grade inside or outside their section."""

    any = "any"
    within = "within"
    across = "across"


@app.command(rich_help_panel=CLASS)
def check(
    export: ExportFiles,
    scale: KnownScale = None,
    criterion: Criterion = "",
    using: Using = None,
    assignment: Assignment = "",
    after: Annotated[
        Path | None, typer.Option(help="Folder of an earlier run of this course to continue.")
    ] = None,
    column_map: MapFile = None,
    answer: Answers = None,
    save: Annotated[
        Path | None,
        typer.Option(help="TOML file to write the column map to, with the open questions."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also try every mechanism on the class.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Check the files of a class: how they are understood, and what can be computed from them.

    Prints on one screen what was read, repaired and left out, the first rows as they were read, and
    every question about the files with its possible answers. The commands grade, score and read
    stop at an open question. Nothing leaves this machine. Only answers are written, into the column
    map, and the map itself with --save; correct it, and give it to any command with --map.
    """
    if save is not None:
        from peergauge.core.files import check_place
        from peergauge.core.replacing import refuse_existing, refuse_shared

        check_place(save)
        refuse_shared({"--save": save}, _inputs(export))
        if column_map is None or save != column_map:
            refuse_existing(save, force=force)
    with working("Checking", steps=2) as step:
        from peergauge.classroom.abilities import abilities, mechanism_abilities
        from peergauge.core.acceleration import plain_numpy
        from peergauge.exports.screen import screen_lines

        step("reading")
        door = Door(column_map, tuple(answer or ()))
        options = {
            "scale": scale, "criterion": criterion, "using": using, "assignment": assignment,
        }  # fmt: skip
        # On a new machine, compiled functions would take longer than everything else.
        with plain_numpy():
            opened = _interpreted(door, export, after, options)
            step("testing what can be computed")
            able = abilities(opened)
        rest = mechanism_abilities(opened) if everything else []
    if save is not None:
        _save_map(save, opened.interpretation)
    view = {
        **opened.report.as_json(),
        "interpretation": opened.interpretation.as_json(),
        "abilities": [one._asdict() for one in able],
    }
    if as_json:
        import json

        if everything:
            view["mechanisms"] = [one._asdict() for one in rest]
        typer.echo(json.dumps(view, ensure_ascii=False))
        return
    for line in screen_lines(view):
        typer.echo(line)
    for one in rest:
        typer.echo(f"{'can' if one.possible else 'cannot'}: {one.what} ({one.why.rstrip('.')})")


@app.command(rich_help_panel=CLASS)
def columns(
    table: Annotated[Path, typer.Argument(help="A CSV, TSV, XLSX or Parquet file.")],
    save: Annotated[Path | None, typer.Option(help="TOML file to write the column map to.")] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet of a workbook.")] = None,
    force: Force = False,
) -> None:
    """Show the guessed meaning of each column of a table, and save it as a column map.

    Correct the map and give --map FILE to any command that opens a class.
    """
    from peergauge.core.files import check_place
    from peergauge.core.replacing import refuse_existing, refuse_shared
    from peergauge.exports.formats.guessing import guess_of_file

    if save is not None:
        check_place(save)
        refuse_shared({"--save": save}, [table])
        refuse_existing(save, force=force)
    found = guess_of_file(table, sheet)
    for line in found.lines():
        typer.echo(line)
    if save is not None:
        found.write(save)
        note(f"Correct {save}, and give --map {save} to open the class with it.")


def _save_map(path: Path, found: Interpretation) -> None:
    """Write what columns hold, the answers so far, and the open questions as comments."""
    from peergauge.exports.formats.columns import ColumnMap

    guessed = found.column_map or ColumnMap((), answers=found.answers)
    if not guessed.columns and not found.questions:
        raise ParameterError(
            "There is nothing to save: the format of the files is known, so that no columns were "
            "guessed, and there is no question about them."
        )
    guessed.write(path, found.open_questions)
    note(f"Correct {path}, and give --map {path} to open the class with it.")


@app.command(rich_help_panel=CLASS)
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
    assignment: Assignment = "",
    column_map: MapFile = None,
    answer: Answers = None,
    accept_defaults: AcceptDefaults = False,
    force: Force = False,
) -> None:
    """Read a class from any of its files, and write it as plain tables.

    Writes reports, true scores and authors where they are known, and class.json with the scale and
    the import report. With --criterion each, every criterion of the rubric is written as a class in
    a folder of its own. With --pseudonymize no file names anybody; keep the key in another place.
    """
    with claimed(out), working("Reading", steps=3) as step:
        from peergauge.core.acceleration import plain_numpy
        from peergauge.core.text import folder_names
        from peergauge.exports.open import dialogue_of, read_class_files
        from peergauge.exports.people.pseudonyms import pseudonymize_each
        from peergauge.exports.questions import refusals_with
        from peergauge.exports.validate import validate, validate_each
        from peergauge.exports.writing import (
            ABOUT,
            REPORTS,
            check_class_folder,
            class_tables,
            write_classes,
        )

        if pseudonymize is not None:
            _check_key(pseudonymize, out, export, force=force)
        if criterion != EACH:
            check_class_folder(out, [REPORTS], "read", force=force)
        step("reading")
        door = Door(column_map, tuple(answer or ()), accept_defaults)
        known = door.known()
        talk, key = dialogue_of(**known, scale=scale), None
        options = {"using": using, "assignment": assignment, "columns": known["columns"]}
        # Compiled functions would take longer to load than to run.
        with refusals_with(talk), plain_numpy():
            found = read_class_files(export, dialogue=talk, **options)

        step("validating")
        with refusals_with(talk), plain_numpy():
            if criterion == EACH:
                each = validate_each(found)
            else:
                each = {"": validate(found, scale=scale, criterion=criterion)}
        interpretations = [one.interpretation for one in each.values()]
        door.store(interpretations)
        door.settle(interpretations)
        titles = {name: name for name in each}
        if pseudonymize is not None:
            # Questions are asked about the names in the files, before these are replaced.
            each, key = pseudonymize_each(each)
            titles |= dict(key.filter(kind="criterion").select("name", "pseudonym").rows())
        folders = folder_names(titles[name] for name in each) if criterion == EACH else {"": "."}
        classes = {out / folders[titles[name]]: one for name, one in each.items()}
        step("writing")
        if pseudonymize is not None:
            for folder, one in classes.items():
                names = [path.name for path in class_tables(one, folder)]
                _check_alone(folder, [*names, ABOUT])
        keys = {} if pseudonymize is None or key is None else {pseudonymize: key}
        beside = out if criterion == EACH else None
        written = write_classes(classes, others=keys, beside=beside, force=force)
    for folder, opened in classes.items():
        if criterion == EACH:
            note(f"{folder}:")
        for line in opened.report.lines():
            note(line)
    for path in written:
        typer.echo(path)


@app.command(rich_help_panel=CLASS)
def score(
    export: ClassFiles,
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="Spec, such as mse-p or phi-div:divergence=kl.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; standard output if left out.")
    ] = None,
    parts: Annotated[
        Path | None, typer.Option(help="File to write the part of each report in the reward to.")
    ] = None,
    scale: KnownScale = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="File of true scores; the pay is also measured against them."),
    ] = None,
    graders: Annotated[
        Path | None, typer.Option(help="File of the graders' traits, for more measures.")
    ] = None,
    checks: Annotated[
        Path | None,
        typer.Option(help="File of spot checks: true scores of some submissions, used for pay."),
    ] = None,
    assigned: Annotated[Path | None, typer.Option(help=ASSIGNED_HELP)] = None,
    progress: Annotated[
        Path | None,
        typer.Option(
            "--progress",
            "--told",
            help="File to write what each grader can know after each assignment, if the pay "
            "depends on the whole semester.",
        ),
    ] = None,
    payment: RuleSpec = None,
    paid: PaidFile = None,
    pay_per: PayPer = PaidPer.semester,
    criterion: Criterion = "",
    using: Using = None,
    assignment: Assignment = "",
    column_map: MapFile = None,
    answer: Answers = None,
    accept_defaults: AcceptDefaults = False,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Pay the graders of a class by a mechanism.

    Takes the export of a platform, or a table with the columns submission, grader, grade and, if
    there are several, assignment. Writes the reward of each grader for each assignment and, with
    --payment, what each grader is paid for the rewards. If the export or --assigned says which
    reviews were assigned, a review that was not done counts no better than the worst one.
    """
    with working("Scoring", steps=3) as step:
        from peergauge.core.files import csv_text, write_files
        from peergauge.exports.assigned_file import read_assigned
        from peergauge.exports.assigned_numbers import assigned_reports
        from peergauge.exports.formats.columns import ColumnMap
        from peergauge.exports.open import read_truth
        from peergauge.mechanisms import ComparesRubrics
        from peergauge.mechanisms import progress as shown_progress
        from peergauge.mechanisms import score as pay

        chosen = _mechanism(
            mechanism,
            checks=checks is not None,
            shows_progress=progress is not None,
            assigned=assigned is not None,
        )
        second = SecondStage.chosen(payment, paid, pay_per, (out, parts, progress))
        _check_tables(
            {"--out": out, "--parts": parts, "--progress": progress, "--paid": paid},
            [*_inputs(export), *filter(None, (truth, graders, checks, assigned))],
            force=force,
        )
        step(f"reading {export[0].name}")
        later = () if checks is None else ("staff scale", "staff typos")
        door = Door(column_map, tuple(answer or ()), accept_defaults, later)
        opened = _opened(door, export, scale, truth, graders, criterion, using, assignment)
        listed = None if assigned is None else read_assigned(assigned, opened)
        of_peers, known = assigned_reports(opened, listed), opened.truth
        given = of_peers
        step(f"paying by {chosen.label}")
        checked = None
        if checks is not None:
            stored = door.known()["answers"]
            if column_map is not None and column_map.exists():
                stored = {**ColumnMap.read(column_map).answers, **stored}
            checked = read_truth(checks, opened, answers=stored, accept_defaults=accept_defaults)
        if isinstance(chosen, ComparesRubrics) and opened.rubric is not None:
            # The platform also pays for self-assessments and for reviews by staff.
            given = opened.rubric.reviews
        rewards = pay(chosen, given, seed=seed, truth=known, checks=checked, rubric=opened.rubric)
        payout = second.payout(rewards, seed)
        step("writing")
        table = rewards.to_polars()
        files = second.files(payout) | ({} if out is None else {out: table})
        if parts is not None:
            files[parts] = rewards.parts_to_polars()
        if progress is not None:
            files[progress] = shown_progress(chosen, given, checks=checked)
        write_files(files)
    note(f"{chosen.label}: {repr(given).strip('<>')}")
    _note_assigned(given, chosen, opened, listed)
    if isinstance(chosen, ComparesRubrics) and opened.rubric is not None:
        _note_rubric(opened)
    elif isinstance(chosen, ComparesRubrics):
        note(
            f"The files do not state criteria and weights, so that {chosen.label} compares whole "
            "grades with equal weights; the platform itself may have computed something else."
        )
    second.show(payout, rewards)
    if out is None and not second.prints:
        typer.echo(csv_text(table), nl=False)
    if known is not None:
        _measure(
            rewards
            if given is of_peers
            else pay(chosen, of_peers, seed=seed, truth=known, rubric=opened.rubric),
            known,
        )


@app.command(rich_help_panel=CLASS)
def gradebook(
    marks: Annotated[
        Path, typer.Argument(help="CSV or Parquet file: people, their names and ids, and marks.")
    ],
    to: Annotated[str, typer.Option(help="Which gradebook, such as canvas or moodle.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")],
    into: Annotated[
        Path | None, typer.Option(help="The platform's own export; a copy of it is filled in.")
    ] = None,
    force: Force = False,
) -> None:
    """Write marks as a file that a learning platform imports.

    Reads a column person, any of name, email, sis, lms, login and section, and one column of marks
    for each title. Prints who was not found.
    """
    with working("Writing", steps=2) as step:
        from peergauge.classroom.gradebooks import Marks, refuse_without_maximum, write
        from peergauge.core.files import read_frame
        from peergauge.core.replacing import refuse_existing, refuse_shared

        refuse_shared({"--out": out}, [marks, *filter(None, [into])])
        refuse_existing(out, force=force)
        step(f"reading {marks.name}")
        given = Marks.from_frame(read_frame(marks), source=str(marks))
        step(f"writing {out.name}")
        refuse_without_maximum(given, to, into)
        done = write(given, to, out, into)
    note(f"{len(done.matched)} of {len(given)} people are in it.")
    for people, why in (
        (done.unmatched_people, "are not in the gradebook"),
        (done.unmatched_rows, "of the gradebook have no mark"),
    ):
        if people:
            note(f"{len(people)} {why}: {', '.join(people)}.")
    for sentence in done.notes:
        note(sentence)
    for path in (done.path, *done.more_paths):
        typer.echo(path)


@app.command(rich_help_panel=CLASS)
def assign(
    roster: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file of the students.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write the design to.")],
    graders: Annotated[int, typer.Option("--graders", "-k", help="Graders of a submission.")] = 4,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(help="Earlier design, whose pairs should not meet again; repeat."),
    ] = None,
    sections: Annotated[
        SectionKind, typer.Option(help="Grade within the own section or across sections.")
    ] = SectionKind.any,
    clusters: Annotated[
        bool,
        typer.Option(
            "--clusters", help="Form clusters that grade the next cluster's work, for DMI."
        ),
    ] = False,
    assignments: Annotated[int, typer.Option(help="Number of designs, each with new pairs.")] = 1,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Draw who grades whose submission, before a class begins.

    Reads a column student and, if there are any, group, section and submission. Writes one row for
    each review to be done: assignment, submission, author, grader.
    """
    with working("Assigning", steps=2) as step:
        from peergauge.classroom.assign import assign_graders
        from peergauge.core.files import check_target, write_frame
        from peergauge.core.replacing import refuse_other_table, refuse_shared

        check_target(out)
        refuse_shared({"--out": out}, [roster, *(earlier or ())])
        refuse_other_table(out, PLAN_COLUMNS, "design", force=force)
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
        note(line)


@app.command(rich_help_panel=CLASS)
def twin(
    export: ClassFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the twin into.")],
    scale: KnownScale = None,
    truth: Annotated[
        Path | None, typer.Option(help="File of true scores of all or some submissions.")
    ] = None,
    graders: Annotated[
        Path | None,
        typer.Option(help="File of the graders' traits, if the true scores name authors."),
    ] = None,
    criterion: Criterion = "",
    using: Using = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Keep the number of reports of every grader; reveals more."),
    ] = False,
    twins: Annotated[
        int, typer.Option(help="Number of twins to compare the class with.", min=2)
    ] = 20,
    column_map: MapFile = None,
    answer: Answers = None,
    accept_defaults: AcceptDefaults = False,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Draw a synthetic class fitted to a real one, to share in its place.

    Takes the export of a platform, or a table of reports. Writes reports.csv and truth.csv (the
    twin), twin.json (everything that it was drawn from), class.json (its scale) and likeness.csv
    (how similar the two are, on every measure that applies).
    """
    import json

    names = ("reports.csv", "truth.csv", "likeness.csv")
    with claimed(out), working("Twinning", steps=4) as step:
        from peergauge.classroom.share.likeness import likeness
        from peergauge.core.files import check_target, write_files
        from peergauge.core.randomness import derived_seed
        from peergauge.core.replacing import refuse_shared
        from peergauge.exports.writing import check_class_folder, left_tables, recorded_class
        from peergauge.simulate.resample import draw, fit

        for name in names:
            check_target(out / name)
        check_class_folder(out, (*names, "twin.json"), "twin", force=force)
        refuse_shared({f"--out ({name})": out / name for name in names}, _inputs(export))
        step(f"reading {export[0].name}")
        door = Door(column_map, tuple(answer or ()), accept_defaults)
        opened = _opened(door, export, scale, truth, graders, criterion, using)
        given, known = opened.reports, opened.truth
        step("fitting")
        model = fit(given, known, exact=exact)
        made = draw(model, seed)
        step("comparing")
        others = (draw(model, derived_seed(seed, "likeness", i)) for i in range(twins))
        table = likeness(given, known, others)
        step("writing")
        drawn_from = json.dumps({"seed": seed, **model.as_json()}, indent=1)
        contents = made.reports.to_polars(), made.truth.to_polars(), table
        files: dict[Path, pl.DataFrame | bytes] = {
            **dict(zip((out / name for name in names), contents, strict=True)),
            out / "twin.json": drawn_from.encode(),
        }
        about = {"twin": True, "seed": seed}
        data = recorded_class(files, out, made.reports.scale, about, "twin", force=force)
        write_files(data, removed=left_tables(out, data, "twin"))
    note(repr(made.reports).strip("<>"))
    _print_likeness(table, twins)
    for path in data:
        typer.echo(path)


def _inputs(export: list[Path]) -> list[Path]:
    """The files that a command reads, also those in folders."""
    return [
        file
        for path in export
        for file in (sorted(path.iterdir()) if path.is_dir() else [path])
        if file.is_file()
    ]


def _check_tables(outputs: dict[str, Path | None], inputs: list[Path], *, force: bool) -> None:
    """Refuse files for tables that cannot be written, are read, or hold something else."""
    from peergauge.core.files import check_target
    from peergauge.core.replacing import refuse_other_table, refuse_shared

    for option, path in outputs.items():
        if path is not None:
            check_target(path)
            what, columns = OWN_COLUMNS[option]
            refuse_other_table(path, columns, what, force=force)
    refuse_shared(outputs, inputs)


def _check_key(key: Path, out: Path, export: list[Path], *, force: bool) -> None:
    """Refuse a file for the key that is in use, or that would be shared with the class."""
    from peergauge.core.files import check_target
    from peergauge.core.replacing import refuse_existing, refuse_shared, same_file

    check_target(key)
    refuse_shared({"--pseudonymize": key}, _inputs(export))
    folders = [*key.absolute().parents, *Path(os.path.realpath(key)).parents]
    if any(same_file(folder, out) for folder in folders):
        raise ParameterError(
            f"The key {key} would be in the folder of the class, and shared with it; give a file "
            "in another place."
        )
    # Without its key, a class that somebody has already cannot be named again.
    refuse_existing(key, force=force)


def _check_alone(folder: Path, names: list[str]) -> None:
    """Refuse a folder with other files, which may name people, beside a class under pseudonyms."""
    if not folder.is_dir():
        return
    known = {*names, LOCK_FILE}
    others = sorted(path.name for path in folder.iterdir() if path.name not in known)
    if others:
        raise ParameterError(
            f"{folder} has other files, such as {others[0]}, which may name people; give a new "
            "folder for a class under pseudonyms."
        )


def _mechanism(spec: str, *, checks: bool, shows_progress: bool, assigned: bool) -> Mechanism:
    """Make a mechanism; refused if it cannot do what the options ask for."""
    from peergauge.mechanisms import ShowsProgress
    from peergauge.mechanisms import mechanisms as registry

    chosen = registry.make(spec)
    if checks and not chosen.facts.uses_checks:
        able = [name for name, cls in registry.classes().items() if cls.facts.uses_checks]
        raise ParameterError(
            f"The mechanism '{chosen.facts.name}' cannot use spot checks; "
            f"these can: {', '.join(able)}."
        )
    if assigned and chosen.facts.undone == "ignored":
        raise ParameterError(
            f"The mechanism '{chosen.facts.name}' ignores reviews that were not done, as its "
            "platform does; leave out --assigned."
        )
    if shows_progress and not isinstance(chosen, ShowsProgress):
        raise ParameterError(
            f"The mechanism '{chosen.facts.name}' pays for each assignment once and for all, "
            "so the rewards already show everything; leave out --progress."
        )
    return chosen


def _interpreted(
    door: Door, files: list[Path], after: Path | None, options: dict[str, Any]
) -> OpenedClass:
    """Open a class, whatever questions are open, also after an earlier run."""
    if after is None:
        return door.interpret(files, **options)
    from peergauge.classroom.grade.audit import read_earlier

    opened, _ = door.interpret_after(files, read_earlier(after), **options)
    return opened


def _opened(
    door: Door,
    files: list[Path],
    scale: str | None,
    truth: Path | None,
    graders: Path | None,
    criterion: str,
    using: str | None,
    assignment: str = "",
) -> OpenedClass:
    """Open a class, and print what was noted about it and a scale that was guessed."""
    opened = door.open(
        files,
        scale=scale,
        criterion=criterion,
        using=using,
        truth=truth,
        graders=graders,
        assignment=assignment,
    )
    if opened.report.notes:
        for line in opened.report.lines():
            note(line)
    if opened.scale_is_guessed:
        note(
            f"The scale {opened.scale} is guessed from the grades; if other grades could be given, "
            "set it with --scale LOW..HIGH."
        )
    return opened


def _note_assigned(
    given: Reports, chosen: Mechanism, opened: OpenedClass, listed: AssignedList | None
) -> None:
    """Say whether reviews that were not done count, and who did none of theirs."""
    from peergauge.exports.assigned_numbers import absent_graders

    if chosen.facts.undone == "ignored":
        return
    for sentence in () if listed is None else listed.notes:
        note(sentence)
    if given.assigned is None:
        if len(set(given.done.sum(axis=0).tolist())) > 1:
            note(
                "Some graders did fewer reviews than others, and the files do not say which "
                "reviews were assigned, so that a review which was not done costs nothing; "
                "--assigned FILE says it."
            )
    elif given.undone is not None:
        count, people = int(given.undone.sum()), int((given.undone.sum(axis=0) > 0).sum())
        note(
            f"{count} assigned reviews of {people} graders were not done; each counts no better "
            "than the worst review."
        )
    if absent := absent_graders(opened, listed):
        who = ", ".join(f"'{name}'" for name in absent[:MAX_SHOWN_ABSENT])
        more = f" and {len(absent) - MAX_SHOWN_ABSENT} more" * (len(absent) > MAX_SHOWN_ABSENT)
        note(f"Without a reward, because none of their assigned reviews was done: {who}{more}.")


def _note_rubric(opened: OpenedClass) -> None:
    """Print which reviews count beside those of peers, and which cannot be compared."""
    import numpy as np

    rubric, reports = opened.rubric, opened.reports
    assert rubric is not None
    found = rubric.of_reports(np.zeros(len(rubric.reviews)), reports)
    missing = int(np.isnan(found).sum())
    others = counted(len(rubric.reviews) - len(reports) + missing, "review")
    note(f"As on the platform, {others} by staff or of one's own work count, too.")
    if missing:
        note(
            f"{counted(missing, 'review')} without a score on each criterion cannot be compared, "
            "and earn nothing."
        )


def _print_likeness(table: pl.DataFrame, twins: int) -> None:
    """Print how a class compares with its twins, one measure in a line."""
    for about, measure, real, mean, sd, z, _, outside in table.rows():
        flag = "  outside" if outside else ""
        note(f"{about:8} {measure:54} {real:10.4g} {mean:10.4g} ± {sd:<8.3g} z {z:5.1f}{flag}")
    count = int(table["outside"].sum())
    note(f"{count} of {table.height} measures of the class are outside those of {twins} twins")


def _measure(rewards: Any, truth: Any) -> None:
    """Print every measure of rewards that is defined for this class."""
    import math

    from peergauge.core.errors import NeedsTruthError
    from peergauge.metrics import RewardMetric
    from peergauge.metrics import metrics as registry

    for measure in registry.all():
        if isinstance(measure, RewardMetric):
            try:
                value = measure.measure(rewards, truth)
            except NeedsTruthError:
                continue
            if not math.isnan(value):
                note(f"{measure.label}: {value:.4f}")
