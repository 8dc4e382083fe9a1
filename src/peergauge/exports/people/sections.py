"""One name for several people or submissions: namesakes, and sections that number groups alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.formats.columns import ColumnMap, Part
from peergauge.exports.formats.headers import detail_of
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.people.names import cleaned, kind_of, spelling_keys
from peergauge.exports.people.room import quoted
from peergauge.exports.people.works import label_of, work_key
from peergauge.exports.questions import Choice, Dialogue, Question

ID_PARTS = (Part.SIS, Part.LOGIN, Part.LMS)
"""Details that show two people if they differ."""

MAX_SECTIONS = 20
"""Largest number of different cells in a column of sections."""

MAX_LABEL_DIGITS = 3
"""Most digits of a number that may number the groups of a section; longer numbers are ids."""

SHARED_LABELS_SHARE = 0.5
"""Share of the labels of a section that another section must also have."""


class Namesakes(NamedTuple):
    """A name that several people of one table have."""

    name: str
    values: tuple[str, ...]
    """Their ids, addresses or sections."""


def apart_by_details(table: RawTable, columns: ColumnMap, dialogue: Dialogue) -> RawTable:
    """Make names distinct that belong to several people or submissions of one table.

    People with one name and different ids are different people. People with one name and different
    addresses, and names or group labels that occur in several sections, are asked.
    """
    section = _section_of(table, columns)
    for part in (Part.GRADER, Part.AUTHOR):
        names = columns.together(part)
        if not names or any(one.by for one in columns.columns):
            continue
        ids = [
            one
            for one in columns.of(*ID_PARTS, Part.EMAIL)
            if (one.whose or Part.GRADER) == part and one.name not in names
        ]
        for one in ids:
            table = _apart(table, names, one.name, one.part, dialogue)
        own = section is not None and _whose(columns, section) == part
        if section is not None and own and not ids:
            table = _apart(table, names, section, Part.SECTION, dialogue)
    work = columns.name_of(Part.SUBMISSION)
    if section is not None and work is not None:
        table = _apart(table, [work], section, Part.SUBMISSION, dialogue)
    return table


def _section_of(table: RawTable, columns: ColumnMap) -> str | None:
    """The column of sections, used or not; None if there is none with several sections."""
    named = [one.name for one in columns.of(Part.SECTION)]
    named += [one.name for one in columns.of(Part.UNUSED) if detail_of(one.name) == "section"]
    for name in named:
        if 1 < table.frame[name].drop_nulls().n_unique() <= MAX_SECTIONS:
            return name
    return None


def _whose(columns: ColumnMap, section: str) -> str:
    known = next((one.whose for one in columns.columns if one.name == section), "")
    return known or Part.GRADER.value


def _apart(
    table: RawTable, names: list[str] | tuple[str, ...], by: str, part: Part, dialogue: Dialogue
) -> RawTable:
    """Add the value of *by* to the names that have several, if these are different."""
    whole = pl.concat_str(names, separator=" ", ignore_nulls=True)
    pairs = table.frame.select(name=whole, value=pl.col(by)).drop_nulls().unique()
    pairs = pairs.filter(pl.col("name") != "")
    found = list(_namesakes(pairs.rows(), part))
    if not found or not _are_different(found, pairs, by, part, dialogue):
        return table
    keys = {_key(one.name, part) for one in found}
    wanted = [name for name in pairs["name"].unique() if _key(name, part) in keys]
    section = part in (Part.SUBMISSION, Part.SECTION) and not _is_worded(pairs)
    told = pl.format("Section {}", pl.col(by)) if section else pl.col(by)
    last = names[-1]
    cell = pl.coalesce(pl.col(last), pl.lit(""))
    changed = pl.when(whole.is_in(wanted) & pl.col(by).is_not_null()).then(
        pl.format("{} ({})", cell, told)
    )
    return table._replace(
        frame=table.frame.with_columns(changed.otherwise(pl.col(last)).alias(last))
    )


def _is_worded(pairs: pl.DataFrame) -> bool:
    """Whether the names of sections are more than a letter or a number."""
    return all(len(value) > 3 for value in pairs["value"].unique())


def _key(name: str, part: Part) -> str:
    return work_key(name) if part is Part.SUBMISSION else spelling_keys(name)[0]


def _value(value: str, part: Part) -> str:
    plain = cleaned(value).casefold()
    if part is Part.EMAIL:
        # Two domains of one university give one mailbox.
        return plain.partition("@")[0]
    return plain.lstrip("0").removesuffix(".0") if part in ID_PARTS else plain


def _namesakes(pairs: list[tuple[str, str]], part: Part) -> Iterator[Namesakes]:
    """Names with several values, in any spelling."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    shown: dict[str, str] = {}
    for name, value in sorted(pairs):
        key = _key(name, part)
        shown.setdefault(key, name)
        values[key].setdefault(_value(value, part), value)
    for key, own in values.items():
        if len(own) > 1:
            yield Namesakes(shown[key], tuple(own.values()))


def _are_different(
    found: list[Namesakes], pairs: pl.DataFrame, by: str, part: Part, dialogue: Dialogue
) -> bool:
    """Whether names with several values are several people or submissions."""
    first = found[0]
    example = f"'{first.name}' has {quoted(first.values, 3)}"
    if part in ID_PARTS:
        dialogue.decide(
            "people",
            f"{counted(len(found), 'name')} of several people are told apart by '{by}'.",
            evidence=example,
        )
        return True
    if part is Part.EMAIL:
        answer = dialogue.ask(
            Question(
                key="namesakes",
                text=(
                    f"{counted(len(found), 'name')} with several addresses in '{by}': {example}. "
                    "Are these different people with one name, or people with two addresses?"
                ),
                choices=(
                    Choice("different", "each address is a person of its own"),
                    Choice("same", f"each of the {len(found)} is one person"),
                ),
                default="same",
            )
        )
        return answer == "different"
    if part is Part.SUBMISSION and not _labels_are_shared(pairs):
        return False
    what = "submissions" if part is Part.SUBMISSION else "people"
    answer = dialogue.ask(
        Question(
            key="sections" if part is Part.SUBMISSION else "people of sections",
            text=(
                f"{len(found)} names of {what} occur in several sections ('{by}'): {example}. "
                f"Are these different {what}, or do sections share them?"
            ),
            choices=(
                Choice("apart", f"each section has its own, as in '{first.name} ({by} …)'"),
                Choice("together", f"the {len(found)} names mean the same in all sections"),
            ),
            default="apart",
        )
    )
    return answer == "apart"


def _labels_are_shared(pairs: pl.DataFrame) -> bool:
    """Whether sections number their submissions alike: Group 1 in A, and Group 1 in B.

    Titles and long numbers name one submission, which several sections may grade.
    """
    labels: dict[str, set[str]] = defaultdict(set)
    for name, value in pairs.iter_rows():
        label = label_of(name)
        if label is None or (kind_of(name) == "number" and len(name) > MAX_LABEL_DIGITS):
            return False
        labels[value].add(work_key(name))
    return _overlap(labels)


def _overlap(labels: Mapping[str, set[str]]) -> bool:
    sets = sorted(labels.values(), key=len)
    shared = set.intersection(*sets) if sets else set()
    return bool(shared) and len(shared) >= SHARED_LABELS_SHARE * len(sets[0])
