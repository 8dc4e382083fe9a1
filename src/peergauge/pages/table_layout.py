"""Columns of the tables of the report: their labels on narrow screens, and their filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import ClassGroups
from peergauge.core.text import as_counted
from peergauge.pages import percent
from peergauge.pages.grade_rows import has_awarded


class ColumnFilter(NamedTuple):
    """A choice among the values of one column."""

    name: str
    column: int
    choices: Sequence[str]


class TableLayout(NamedTuple):
    """Columns of a table.

    Parameters
    ----------
    labels
        Labels of the columns, in their order; empty where a value needs none.
    main
        Number of the column that stands beside the name on narrow screens.
    filters
        Columns by whose values rows can be chosen.
    """

    labels: tuple[str, ...]
    main: int
    filters: tuple[ColumnFilter, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.labels)

    def has(self, label: str) -> bool:
        """Whether there is a column with this label."""
        return label in self.labels


def grade_layout(graded: GradedClass, groups: ClassGroups) -> TableLayout:
    """Columns of the table of grades."""
    assignments = [name for name in dict.fromkeys(graded.names.assignments) if name]
    sections = _natural({*groups.submission_sections} - {""})
    several = graded.reports.assignments > 1
    level = percent(graded.settings.level)
    awarded = has_awarded(graded)
    main = "Awarded" if awarded else "Grade"
    labels = [
        "",
        *["Assignment"] * several,
        *["Part"] * (groups.parts > 1),
        *["Author"] * any(graded.names.authors),
        *["Section"] * bool(sections),
        main,
        *["Letter"] * bool(graded.settings.grades.letters),
        *["Estimate"] * awarded,
        f"{level} interval",
        "",
        "Mean",
        "Median",
        "Reviews",
        *["Staff"] * bool(graded.staff_graded.any()),
    ]
    choices = {"Assignment": assignments, "Section": sections, "Part": _parts(groups)}
    return TableLayout(tuple(labels), labels.index(main), _filters(labels, choices))


def grader_layout(graded: GradedClass, groups: ClassGroups) -> TableLayout:
    """Columns of the table of graders."""
    sections = _natural({*groups.grader_sections} - {""})
    main = "Points" if graded.points_rule.highest is not None else "Letter"
    labels = [
        "",
        *["Section"] * bool(sections),
        *["Part"] * (groups.parts > 1),
        "Reviews",
        main,
        "Reward",
        "Better than average",
        "Rank in the part" if groups.parts > 1 else "Rank",
        "Leniency",
        f"{percent(graded.settings.level)} interval",
        "Typical error",
    ]
    choices = {"Section": sections, "Part": _parts(groups)}
    return TableLayout(tuple(labels), labels.index(main), _filters(labels, choices))


def _filters(labels: list[str], choices: Mapping[str, Sequence[str]]) -> tuple[ColumnFilter, ...]:
    return tuple(
        ColumnFilter(name, labels.index(name), some)
        for name, some in choices.items()
        if name in labels and len(some) > 1
    )


def _parts(groups: ClassGroups) -> list[str]:
    return [str(number) for number in range(1, groups.parts + 1)]


def _natural(names: set[str]) -> list[str]:
    return sorted(names, key=as_counted)
