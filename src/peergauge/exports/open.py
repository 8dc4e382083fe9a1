"""The one door for a class: every command and every Python call opens a class here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from peergauge.exports.formats.columns import ColumnMap
    from peergauge.exports.questions import Dialogue
    from peergauge.exports.readers import Reader
    from peergauge.exports.records import Export, Note
    from peergauge.exports.validate import OpenedClass
    from peergauge.tables import Scale, Truth

Paths: TypeAlias = Path | str | Sequence[Path | str]


def open_class(
    paths: Paths,
    *,
    scale: Scale | str | None = None,
    criterion: str = "",
    using: str | Reader | None = None,
    truth: Path | str | None = None,
    graders: Path | str | None = None,
    assignment: str = "",
    columns: ColumnMap | Path | str | None = None,
    answers: Mapping[str, str] | None = None,
    accept_defaults: bool = False,
) -> OpenedClass:
    r"""Open a class from its files, whoever wrote them, and check it.

    Files that peergauge wrote (``reports.csv`` or ``reports.parquet``, ``truth``, ``authors.csv``,
    ``class.json``) are recognised by their columns and read strictly: nothing is guessed, and a
    mistake is refused with its row. Every other file is read by the reader that recognises it, or
    as a table whose columns are guessed.

    The scale follows one rule. The argument *scale* comes first; then ``class.json`` beside the
    reports, or the scale that the platform states; then a guess from the grades. The guess is a
    usual scale that holds all grades except typing errors. It begins at 0, or at 1 if at least 30
    whole grades up to 10 have 1 as the lowest, and its step is the largest of 1, 0.5, 0.25, 0.2 and
    0.1 that fits. If several scales are likely, the question ``scale`` asks which it is. The import
    report says where the scale comes from.

    Parameters
    ----------
    paths
        The files of one class, or the folder that holds them.
    scale
        The grades that could be given, such as ``1..5``, ``0..10:0.5`` or ``0..100:any``.
    criterion
        One criterion of the rubric, to be scored by itself.
    using
        The reader or its spec, such as ``table:columns=map.toml``; recognised from the files by
        default.
    truth
        A file of true scores. It replaces true scores among *paths*.
    graders
        A file of the graders' traits, as ``peergauge simulate`` writes; needs true scores.
    assignment
        The name of the assignment, if no file names one, such as ``Week 2``.
    columns
        A column map or its TOML file: what the columns of tables hold, and stored answers.
    answers
        Answers to questions about the class, by their keys; they replace stored answers.
    accept_defaults
        Whether to go on with the defaults of questions that nobody has answered. Otherwise
        :class:`peergauge.exports.questions.OpenQuestionsError` lists these questions.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "reports.csv"
    >>> _ = path.write_text("submission,grader,grade\na,x,3\na,y,4\nb,x,5\n")
    >>> opened = open_class(path, scale="1..5")
    >>> opened.reports
    <Reports: 3 grades on 1..5 by 2 graders of 2 submissions in 1 assignments>
    """
    from peergauge.exports.questions import OpenQuestionsError

    opened = interpret_class(
        paths,
        scale=scale,
        criterion=criterion,
        using=using,
        truth=truth,
        graders=graders,
        assignment=assignment,
        columns=columns,
        answers=answers,
    )
    if not accept_defaults and opened.interpretation.open_questions:
        raise OpenQuestionsError(opened.interpretation.open_questions)
    return opened


def interpret_class(
    paths: Paths,
    *,
    scale: Scale | str | None = None,
    criterion: str = "",
    using: str | Reader | None = None,
    truth: Path | str | None = None,
    graders: Path | str | None = None,
    assignment: str = "",
    columns: ColumnMap | Path | str | None = None,
    answers: Mapping[str, str] | None = None,
    remembered: Mapping[str, str] | None = None,
) -> OpenedClass:
    """Open a class as :func:`open_class` does, and go on with the default of every open question.

    The attribute ``interpretation`` of the class lists the questions. Show them, and open the class
    again with their answers. Answers that are *remembered* from an earlier run of the same course
    hold if neither *answers* nor the column map has others.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> with TemporaryDirectory() as folder:
    ...     opened = interpret_class(reports.write(Path(folder) / "reports.csv"), scale="0..10")
    >>> opened.reports
    <Reports: 36 grades on 0..10 by 6 graders of 12 submissions in 2 assignments>
    """
    from dataclasses import replace

    from peergauge.core.errors import ParameterError
    from peergauge.exports.questions import refusals_with
    from peergauge.exports.validate import validate

    talk = dialogue_of(columns, answers, scale)
    talk.remembered = remembered or {}
    with refusals_with(talk):
        export = read_class_files(
            paths, using=using, truth=truth, assignment=assignment, columns=columns, dialogue=talk
        )
        opened = validate(export, scale=scale, criterion=criterion)
    if graders is None:
        return opened
    if opened.truth is None:
        raise ParameterError(
            "The traits of graders are used together with true scores; give these with --truth."
        )
    return replace(opened, truth=_with_traits(opened, Path(graders)))


def read_class_files(
    paths: Paths,
    *,
    using: str | Reader | None = None,
    truth: Path | str | None = None,
    assignment: str = "",
    columns: ColumnMap | Path | str | None = None,
    dialogue: Dialogue | None = None,
) -> Export:
    """Read the files of a class as :func:`open_class` does, before they are checked.

    Use this where something is done in between, such as replacing names by pseudonyms, and pass the
    result to :func:`peergauge.exports.validate.validate`.
    """
    from dataclasses import replace

    from peergauge.exports.formats.columns import ColumnMap
    from peergauge.exports.people.settle import settled
    from peergauge.exports.readers import joined, read_export
    from peergauge.exports.records import table

    given = ColumnMap.read(columns) if isinstance(columns, Path | str) else columns
    talk = dialogue_of(given, None) if dialogue is None else dialogue
    export = read_export(class_files(paths), using=using, columns=given, dialogue=talk)
    export = replace(export, notes=(*export.notes, *_other_files(paths, talk)))
    if truth is not None:
        both = joined(settled([replace(export, truth=table("truth")), _true_scores(truth, talk)]))
        export = replace(both, format=export.format, files=(*export.files, str(truth)))
    return with_assignment(export, assignment) if assignment else export


def with_assignment(export: Export, name: str) -> Export:
    """Name the assignment of an export; refused if its files name assignments themselves."""
    from dataclasses import replace

    from peergauge.core.errors import ParameterError
    from peergauge.core.lazy import pl

    title = " ".join(name.split())
    if not title or not title.isprintable():
        raise ParameterError("The name of the assignment should be a short text, such as 'Week 2'.")
    for frame in (export.reviews, export.submissions, export.truth):
        own = frame.filter(pl.col("assignment") != "")["assignment"].unique(maintain_order=True)
        if own.len():
            some = ", ".join(f"'{one}'" for one in own.head(3)) + (", …" if own.len() > 3 else "")
            raise ParameterError(
                f"The files name the assignments themselves ({some}); leave out the name of the "
                f"assignment '{title}'."
            )
    named = pl.lit(title).alias("assignment")
    return replace(
        export,
        reviews=export.reviews.with_columns(named),
        submissions=export.submissions.with_columns(named),
        truth=export.truth.with_columns(named),
    )


def _other_files(paths: Paths, talk: Dialogue) -> list[Note]:
    """Name the files of a folder that are not read."""
    from peergauge.exports.folders import others_in
    from peergauge.exports.records import Note

    given = [Path(paths)] if isinstance(paths, Path | str) else [Path(path) for path in paths]
    names = [other.name for path in given if path.is_dir() for other in others_in(path)]
    if not names:
        return []
    shown = ", ".join(f"'{name}'" for name in names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    text = f"Nothing is made of other files in the folder: {shown}{more}."
    talk.decide("files", text, evidence="by their names and first lines")
    return [Note("missed", text)]


def dialogue_of(
    columns: ColumnMap | Path | str | None,
    answers: Mapping[str, str] | None,
    scale: Scale | str | None = None,
) -> Dialogue:
    """A dialogue that knows given answers, those that a column map stores, and the scale."""
    from peergauge.exports.formats.columns import ColumnMap
    from peergauge.exports.questions import Dialogue

    talk = Dialogue(dict(answers or {}))
    if scale is not None:
        talk.answers["scale"] = str(scale)
    given = ColumnMap.read(columns) if isinstance(columns, Path | str) else columns
    if given is not None:
        talk.learn(given.answers)
    if scale is not None:
        talk.learn({"scale": str(scale)})
    return talk


def class_files(paths: Paths) -> list[Path]:
    """The files of a class: those in its folder, and ``class.json`` beside a table of reports.

    ``class.json`` belongs to a table that has the columns of peergauge's reports, or its file name.
    """
    from peergauge.exports.folders import the_class_in
    from peergauge.exports.formats.opening import Opened
    from peergauge.exports.readers.own_tables import header_of, kind_of
    from peergauge.exports.writing import ABOUT

    given = [Path(paths)] if isinstance(paths, Path | str) else [Path(path) for path in paths]
    files = []
    for path in given:
        if path.is_dir():
            files += the_class_in(path)
            continue
        files.append(path)
        beside = path.with_name(ABOUT)
        if beside == path or not beside.is_file() or not path.is_file():
            continue
        if path.stem == "reports" or kind_of(header_of(Opened(path))) == "reports":
            files.append(beside)
    return list(dict.fromkeys(files))


def read_truth(
    path: Path | str,
    opened: OpenedClass,
    *,
    answers: Mapping[str, str] | None = None,
    accept_defaults: bool = False,
) -> Truth:
    """Read true scores of some submissions of a class that is already open, such as spot checks.

    Parameters
    ----------
    answers
        Answers to questions about the true scores, such as how to map them to the class's scale.
    accept_defaults
        Whether to go on with the defaults of questions that nobody has answered.
    """
    from peergauge.core.errors import TableError
    from peergauge.exports.questions import Dialogue, Interpretation, OpenQuestionsError
    from peergauge.exports.readers import joined
    from peergauge.exports.records import Export, table
    from peergauge.exports.validate import true_scores

    talk = Dialogue({**opened.interpretation.answers, **(answers or {})})
    known = opened.reports.to_polars().rename({"grade": "score"})
    export = Export(reviews=table("reviews", known), exact=True, dialogue=talk)
    found = true_scores(joined([export, _true_scores(path, talk)]), opened.reports)
    if not accept_defaults and (left := Interpretation.of(talk).open_questions):
        raise OpenQuestionsError(left)
    if found is None:
        raise TableError(f"No true score of {path} is used, by the answers given; correct these.")
    return found


def _true_scores(path: Path | str, dialogue: Dialogue | None = None) -> Export:
    """The true scores in a file: a table of them, or reviews by staff."""
    from dataclasses import replace

    from peergauge.core.errors import TableError
    from peergauge.core.lazy import pl
    from peergauge.exports.readers import read_export
    from peergauge.exports.records import Role, table

    export = read_export(path, dialogue=dialogue)
    staff = export.reviews.filter(pl.col("role") == Role.STAFF)
    if not export.truth.height and not staff.height:
        raise TableError(
            f"{path} holds no true scores; it should have the columns submission and score, and "
            "assignment if there are several."
        )
    return replace(export, reviews=table("reviews", staff))


def _with_traits(opened: OpenedClass, path: Path) -> Truth:
    """The true scores of a class with their authors and the traits of the graders."""
    from peergauge.exports.formats.opening import Opened
    from peergauge.exports.readers.own_tables import trait_table
    from peergauge.tables import Truth

    assert opened.truth is not None
    place = ["assignment", "submission"]
    scores = opened.truth.to_polars()
    authors = opened.submissions.drop_nulls("author").unique(place, keep="first")
    if authors.height:
        scores = scores.join(authors, on=place, how="left", maintain_order="left")
    return Truth.from_frame(scores, trait_table(Opened(path)), graders_source=str(path))
