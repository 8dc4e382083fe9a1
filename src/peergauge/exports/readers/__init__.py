"""Readers of what platforms export: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, NoReturn

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.exports.comments import handed_over, numbered_apart
from peergauge.exports.formats.columns import OPTIONAL_PARTS, ColumnMap, listed
from peergauge.exports.formats.opening import Opened
from peergauge.exports.people.aliases import brought_together, by_author
from peergauge.exports.people.settle import settled
from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, Note, Role


@dataclass(frozen=True, kw_only=True)
class ReaderFacts(Facts):
    """What a reader declares.

    Parameters
    ----------
    platform
        The platform whose files are read; ``any`` if every program could have written them.
    holds
        What the files hold: ``reviews`` of peers, only ``truth`` (scores by staff), or only
        ``people`` (details about people and the authors of submissions).
    suffixes
        The suffixes of the file names.
    rank
        Readers of a lower rank are asked first; the reader of any table is asked last.
    ordered
        Whether the order of columns matters, because nothing else says what a column holds.
    assigned
        Whether the files list all assigned reviews, also those that are not done.
    """

    platform: str
    holds: Literal["reviews", "truth", "people"] = "reviews"
    suffixes: tuple[str, ...]
    rank: int = 0
    ordered: bool = False
    assigned: bool = False


class Reader(Plugin):
    """Reads one kind of file into the tables of :mod:`peergauge.exports.records`."""

    facts: ClassVar[ReaderFacts]

    @abstractmethod
    def recognises(self, file: Opened) -> bool:
        """Whether the content of the file has the format of this reader."""

    @abstractmethod
    def read(self, file: Opened) -> Export:
        """Read everything that the file says, with notes on what is missing."""

    def instead(self, file: Opened) -> str:  # noqa: ARG002
        """What a file without reviews is, and which file to add; empty if there is no better word.

        Completes the sentence that begins with the name of the file.
        """
        return ""

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        """Read several files; one by one, unless they need each other."""
        return [self.read(file) for file in files]

    def beside(self, export: Export, others: Sequence[Export]) -> Export:  # noqa: ARG002
        """An export that was read, completed by what the other files of the class say."""
        return export


TABLE_READER = "table"
"""The reader that a column map belongs to."""

readers: Registry[Reader] = Registry("reader", __name__, ReaderFacts)
reader = readers.register


def reader_of(file: Opened) -> Reader:
    """The reader that recognises a file; refused if there is none."""
    if not file.size:
        raise TableError(f"{file.name} is empty; export the class again.")
    if file.kind == "JSON" and file.json is None:
        raise TableError(
            f"{file.name} begins as JSON does, but is not valid JSON: it may be cut off, have "
            "several values in a row, or be nested too deep; export it again."
        )
    for candidate in sorted(readers.all(), key=lambda one: one.facts.rank):
        if candidate.recognises(file):
            return candidate
    kinds = "; ".join(sorted({one.facts.label for one in readers.all()}))
    raise TableError(f"{file.name} is none of the files that are read here: {kinds}.")


def read_export(
    paths: Path | str | Sequence[Path | str],
    *,
    using: str | Reader | None = None,
    columns: ColumnMap | None = None,
    dialogue: Dialogue | None = None,
) -> Export:
    """Read the files of one class, each by the reader that recognises it, and join them.

    A folder stands for the files of the class in it. A review that one file lists without a score
    and another file scores is joined by assignment, submission and grader. Files that hold only
    people or authors are refused without reviews. With *using*, that reader reads every file except
    ``class.json`` and ``assigned.csv`` of a class that peergauge wrote. With *columns*, every table
    that has the columns of the map is read with it.
    """
    from peergauge.exports.folders import the_class_in

    talk = Dialogue() if dialogue is None else dialogue

    given = [Path(paths)] if isinstance(paths, Path | str) else [Path(path) for path in paths]
    if not given:
        raise TableError("Give at least one file to read.")
    listed = [file for path in given for file in (the_class_in(path) if path.is_dir() else [path])]
    chosen: dict[tuple[str, bool], tuple[Reader, list[Opened]]] = {}
    for path in listed:
        file = Opened(path, talk, has_company=len(listed) > 1)
        one = _reader_for(file, using, columns)
        key = one.facts.name, getattr(one, "columns", None) is not None
        chosen.setdefault(key, (one, []))[1].append(file)
    _refuse_unused_map(columns, [one for one, _ in chosen.values()])
    read = [
        (one, replace(export, format=one.facts.name, dialogue=talk))
        for one, files in chosen.values()
        for export in one.read_all(files)
    ]
    found = [
        one.beside(export, [other for _, other in read if other is not export])
        for one, export in read
    ]
    found = _set_apart(found, talk)
    if all(one.facts.holds == "people" for one, _ in chosen.values()):
        _refuse_only_people(list(chosen.values()))
    files = tuple(map(str, listed))
    found = settled(found)
    return replace(found[0] if len(found) == 1 else joined(found), files=files)


def _set_apart(exports: Sequence[Export], dialogue: Dialogue) -> list[Export]:
    """Decide whether several files of reviews are assignments, sections or versions."""
    from peergauge.exports.several import set_apart

    def source_of(place: int, one: Export) -> str:
        sources = one.reviews["source"].drop_nulls().unique(maintain_order=True).to_list()
        return Path(sources[0]).name if len(sources) == 1 and sources[0] else f"file {place}"

    named: dict[str, Export] = {}
    for place, one in enumerate(exports, 1):
        name = source_of(place, one)
        named[f"{name} ({place})" if name in named else name] = one
    return set_apart(named, dialogue)


def _reader_for(file: Opened, using: str | Reader | None, columns: ColumnMap | None) -> Reader:
    """The reader of a file: the requested one, that of the column map, or the recognised one."""
    if _is_about(file) or readers.make("own-assigned").recognises(file):
        return reader_of(file)
    mapped = columns is not None and columns.columns and columns.fits(file.sheets.values())
    if mapped and using in (None, TABLE_READER):
        return readers.make(TABLE_READER, columns=columns)
    return reader_of(file) if using is None else readers.make(using)


def _refuse_unused_map(columns: ColumnMap | None, chosen: Sequence[Reader]) -> None:
    """Refuse a column map that has columns and fits none of the files."""
    if columns is None or not columns.columns:
        return
    if not any(getattr(one, "columns", None) is columns for one in chosen):
        used = [one.name for one in columns.columns if one.part not in OPTIONAL_PARTS]
        raise TableError(
            f"No file of the class has all columns of the column map, which are {listed(used)}; "
            "correct the map, or leave it out to have the columns guessed."
        )


def _is_about(file: Opened) -> bool:
    """Whether a file is the ``class.json`` that peergauge writes, which has no other reader."""
    return file.suffix == ".json" and isinstance(file.json, dict) and "peergauge" in file.json


def _refuse_only_people(chosen: Sequence[tuple[Reader, list[Opened]]]) -> NoReturn:
    names = " and ".join(file.name for _, files in chosen for file in files)
    for one, files in chosen:
        if said := one.instead(files[0]):
            which = "it" if names == files[0].name else files[0].name
            raise TableError(f"{names} should come with reviews: {which} {said}.")
    platforms = {one.facts.platform for one, _ in chosen}
    holding = [one.facts for one in readers.all() if one.facts.holds == "reviews"]
    # Reviews may also come as a table that any program could have written.
    which = "; ".join(
        sorted(facts.label for facts in holding if facts.platform in {*platforms, "any"})
    )
    raise TableError(
        f"{names} should come with reviews, but holds only people or authors; add a "
        f"file that holds them: {which}."
    )


def what_to_add(paths: Sequence[str]) -> str:
    """What the first file without reviews is, and which file to add; empty if nobody knows."""
    for path in paths:
        file = Opened(Path(path))
        try:
            said = reader_of(file).instead(file)
        except TableError:
            continue
        if said:
            return f"{path} {said}" if len(paths) > 1 else f"it {said}"
    return ""


def joined(exports: Sequence[Export]) -> Export:
    """Join several exports of one class.

    A review that one file only lists is left out where another file has its scores. A file that
    does not name its assignment takes the name from the others, by its submissions. Details about a
    person from several files are combined, also where files use different names for people and
    submissions: see :mod:`peergauge.exports.people.aliases`. Files that peergauge wrote use the
    same names, so that nothing is matched.
    """
    exports, exact = list(exports), all(one.exact for one in exports)
    matched: tuple[Note, ...] = ()
    found: tuple[Note, ...] = ()
    if not exact:
        exports, matched = brought_together(exports)
        exports, found = by_author(exports)
    exports = [_named_by(one, [other for other in exports if other is not one]) for one in exports]
    exports = numbered_apart(exports)
    key = ["assignment", "submission", "grader"]
    reviews = pl.concat(
        [one.reviews.with_columns(file=pl.lit(place)) for place, one in enumerate(exports)]
    )
    scored = reviews.filter(pl.col("score").is_not_null()).group_by(key)
    files = scored.agg(first=pl.col("file").min(), last=pl.col("file").max())
    only_listed = pl.col("score").is_null() & (pl.col("criterion") == "")
    elsewhere = (pl.col("first") != pl.col("file")) | (pl.col("last") != pl.col("file"))
    known = reviews.join(files, on=key, how="left", maintain_order="left")
    twice = only_listed & elsewhere.fill_null(False)
    reviews, comments = known.filter(~twice), pl.concat([one.comments for one in exports])
    if comments.height:
        reviews, comments = handed_over(reviews, known.filter(twice), comments)
    people = pl.concat([one.people for one in exports])
    reviews, staff = _by_staff(reviews.drop("file", "first", "last"), people)
    return Export(
        reviews=reviews,
        submissions=pl.concat([one.submissions for one in exports]).unique(maintain_order=True),
        people=people.group_by("person", maintain_order=True).agg(pl.all().drop_nulls().first()),
        truth=pl.concat([one.truth for one in exports]).unique(maintain_order=True),
        criteria=pl.concat([one.criteria for one in exports]).unique(maintain_order=True),
        comments=comments,
        notes=(*(note for one in exports for note in one.notes), *matched, *found, *staff),
        format="+".join(dict.fromkeys(one.format for one in exports)),
        scale=_only({one.scale for one in exports if one.scale}),
        exact=all(one.exact for one in exports if one.reviews.height),
        lowest_is_best=frozenset().union(*(one.lowest_is_best for one in exports)),
        assigned_in=frozenset().union(*(one.assigned_in for one in exports)),
        dialogue=exports[0].dialogue,
    )


def _by_staff(reviews: pl.DataFrame, people: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """The reviews, with those by people who teach as reviews by staff, and a note on these."""
    teach = people.filter(pl.col("role") == Role.STAFF).select(grader="person").unique()
    by_them = (pl.col("role") == Role.PEER) & pl.col("grader").is_in(teach["grader"].implode())
    found = reviews.filter(by_them)["grader"].unique().sort().to_list()
    if not found:
        return reviews, ()
    who = "1 reviewer teaches" if len(found) == 1 else f"{len(found)} reviewers teach"
    text = f"{who} the course, so that these reviews are by staff: {', '.join(found)}."
    role = pl.when(by_them).then(pl.lit(Role.STAFF.value)).otherwise("role")
    return reviews.with_columns(role=role), (Note("read", text),)


def _only(names: set[str]) -> str:
    """The only name in a set; empty if there are none or several."""
    return names.pop() if len(names) == 1 else ""


def _named_by(export: Export, others: Sequence[Export]) -> Export:
    """Name the assignments of an export that names none, by its submissions in other exports."""

    def places(one: Export) -> pl.DataFrame:
        tables = (one.reviews, one.submissions, one.truth)
        return pl.concat([each.select("submission", "assignment") for each in tables])

    if not others or (places(export)["assignment"] != "").any():
        return export
    names = (
        pl.concat([places(one) for one in others])
        .filter((pl.col("assignment") != "") & pl.col("submission").is_not_null())
        .unique()
        # A submission name in two assignments, such as that of a student, decides nothing.
        .filter(pl.len().over("submission") == 1)
        .rename({"assignment": "called"})
    )

    def filled(frame: pl.DataFrame) -> pl.DataFrame:
        both = frame.join(names, on="submission", how="left", maintain_order="left")
        return both.with_columns(assignment=pl.coalesce("called", "assignment")).drop("called")

    return replace(
        export,
        reviews=filled(export.reviews),
        submissions=filled(export.submissions),
        truth=filled(export.truth),
    )
