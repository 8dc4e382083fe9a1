"""The page of a reproduction: figures, tables and claims in the paper's order, and agreement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from markupsafe import Markup

from peergauge.core.lazy import pl
from peergauge.engine.experiment import experiments
from peergauge.lab.paper.claims import Finding
from peergauge.lab.paper.class_comparison import ClassFinding
from peergauge.lab.paper.differences import DIFFERENCES
from peergauge.lab.paper.e13_tables import SmallTable
from peergauge.lab.paper.published import (
    AS_PUBLISHED,
    BY_THE_TEXT,
    DESCRIPTIONS,
    GAIN_KIND,
    INTEGRITY_KIND,
    WHY_NOVEL_DIFFER,
    ClassAgreement,
    agreement_of,
    is_novel,
    label_as_ours,
    summary,
    to_published,
)
from peergauge.lab.paper.selections import (
    GAINS,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
)
from peergauge.mechanisms import mechanisms, variant_of
from peergauge.metrics import metrics
from peergauge.models import models
from peergauge.pages import render, script_safe
from peergauge.pages.charts import bundle, distribution_of_z, trade_off
from peergauge.pages.claims import by_subject, is_reduced
from peergauge.pages.terms import TERMS
from peergauge.simulate import strategies

if TYPE_CHECKING:
    from peergauge.lab.figures import About

MAX_WORST_CELLS = 12
"""Number of cells with the largest differences that the page shows."""

TRADE_OFF_SELECTIONS = (
    INTEGRITY,
    INTEGRITY_ESTIMATED,
    INTEGRITY_CORRECTED,
    GAINS,
    GAINS_UNCORRECTED,
)
"""The results that the interactive trade-off shows."""

CLASS_EXPERIMENTS = ("e2", "e5")
"""Experiments that take place in real classes or in their stand-ins."""

POINT_NAMES = {
    "strategic": "strategic graders",
    "active": "active graders",
    "assignments": "assignments",
}
"""Names for people of the parameters that vary along an axis."""


class Item(NamedTuple):
    """A figure or a table at its place in the paper; its number is empty if we added it."""

    order: int
    section: str
    name: str
    number: str
    title: str
    caption: str
    table: SmallTable | None

    @property
    def heading(self) -> str:
        """The title, after the number that the paper has for it."""
        return f"{self.number}. {self.title}" if self.number else self.title

    @property
    def text(self) -> str:
        """The caption, which says if the paper does not have the figure or table."""
        kind = "table" if self.table else "figure"
        return self.caption if self.number else f"{added_note(kind)} {self.caption}"


def added_note(kind: str) -> str:
    """A sentence for captions of what the paper does not have."""
    return f"Added by us: the paper has no such {kind}."


Placed = TypeVar("Placed", Item, Finding)


def page(
    *,
    manifest: dict[str, Any],
    cells: pl.DataFrame,
    figures: dict[str, About],
    tables: Sequence[SmallTable],
    findings: Sequence[Finding],
    compared: pl.DataFrame | None,
    real: Sequence[RealRow] = (),
    main_finding: Sequence[str] = (),
    class_findings: Sequence[ClassFinding] = (),
) -> str:
    """Return the page as HTML; it looks for figures in the folder ``figures`` beside it.

    Parameters
    ----------
    manifest
        Settings and versions of the run.
    cells
        The cells of the run.
    figures, tables
        Everything that is shown in the paper's order.
    findings
        The claims of the text, checked.
    compared
        Published cells of simulated classes beside ours, if there are any.
    real
        How stand-ins agree with the published cells of real classes.
    main_finding
        What the reproduction found, in one or two sentences.
    class_findings
        What the comparison with the published results of real classes shows.
    """
    charts = _charts(cells, compared)
    items = _items(figures, tables)
    subjects = by_subject(findings)
    return render(
        "reproduction.html",
        manifest=manifest,
        stand_ins=_has_stand_ins(manifest),
        main_finding=list(main_finding),
        experiments=experiments_of(manifest, figures.values()),
        sections=_by_section(items),
        findings=_by_section(findings),
        subjects=subjects,
        reduced=is_reduced(manifest["experiments"]),
        differences=DIFFERENCES,
        terms=TERMS,
        has_published_cells=bool(to_published(cells).height),
        agreement=None if compared is None else _agreement(compared),
        real=list(real),
        glance=_best_of(real),
        class_findings=list(class_findings),
        specs={name: script_safe(chart) for name, chart in charts.items()},
        bundle=Markup(bundle()) if charts else "",
    )


def _items(figures: dict[str, About], tables: Sequence[SmallTable]) -> list[Item]:
    """All figures and tables in the paper's order."""
    items = [
        Item(about.order, about.section, name, about.number, about.title, about.caption, None)
        for name, about in figures.items()
    ]
    items += [
        Item(one.order, one.section, one.name, one.number, one.title, one.caption, one)
        for one in tables
    ]
    return sorted(items, key=lambda item: item.order)


def _charts(cells: pl.DataFrame, compared: pl.DataFrame | None) -> dict[str, dict[str, Any]]:
    """The interactive charts for which there are results."""
    charts: dict[str, dict[str, Any]] = {}
    if all(selection.present_in(cells) for selection in TRADE_OFF_SELECTIONS):
        charts["trade-off"] = trade_off(cells)
    body = None if compared is None else compared.filter(~is_novel())
    if body is not None and body["z"].count():
        charts["distribution"] = distribution_of_z(body)
    return charts


def _by_section(items: Iterable[Placed]) -> dict[str, list[Placed]]:
    """Items by their section, with sections in the order of their first item."""
    found: dict[str, list[Placed]] = {}
    for item in items:
        found.setdefault(item.section, []).append(item)
    return found


def _has_stand_ins(manifest: Mapping[str, Any]) -> bool:
    """Whether simulated stand-ins take the place of the authors' private classes."""
    run = manifest["experiments"]
    return any(name in run and not run[name].get("classes") for name in CLASS_EXPERIMENTS)


class Introduced(NamedTuple):
    """An experiment as the page introduces it."""

    number: str
    question: str
    figures: str
    size: str


TRADE_OFF_EXPERIMENT = "E6"
TRADE_OFF_QUESTION = "Which mechanisms are best at both, integrity and robustness?"
TRADE_OFF_SIZE = "nothing of its own: combines E1 with E3, E2 with E5, and E7 with E3"


def experiments_of(manifest: Mapping[str, Any], figures: Iterable[About]) -> list[Introduced]:
    """The experiments of a run by their numbers, with the figures of the paper that they make.

    Variants of one experiment (E7 and the box plots of E7) are introduced together.
    """
    shown: dict[str, list[str]] = {}
    for about in figures:
        own = _number_of_module(about.draw.__module__)
        numbers = (
            {own} if own == TRADE_OFF_EXPERIMENT else {own, *map(number_of, about.experiments)}
        )
        for number in numbers if about.number else ():
            shown.setdefault(number, []).append(about.number)
    found: dict[str, Introduced] = {}
    for name, settings in manifest["experiments"].items():
        number, size = number_of(name), size_of(settings)
        known = found.get(number)
        if known is None:
            cls = experiments.classes().get(name)
            question = cls.facts.question if cls else ""
            found[number] = Introduced(number, question, _listed(shown.get(number, ())), size)
        else:
            # Box plots have more semesters, and nothing else is different.
            found[number] = known._replace(size=f"{known.size}; for box plots {size}")
    if TRADE_OFF_EXPERIMENT in shown:
        found[TRADE_OFF_EXPERIMENT] = Introduced(
            TRADE_OFF_EXPERIMENT,
            TRADE_OFF_QUESTION,
            _listed(shown[TRADE_OFF_EXPERIMENT]),
            TRADE_OFF_SIZE,
        )
    return sorted(found.values(), key=lambda one: _natural(one.number))


def number_of(name: str) -> str:
    """The number of an experiment for people.

    >>> number_of("e7-box"), number_of("mine")
    ('E7', 'mine')
    """
    stem = name.partition("-")[0]
    return stem.upper() if re.fullmatch(r"e\d+", stem) else name


def _number_of_module(module: str) -> str:
    """The number of the experiment that a module such as ``e06_trade_off`` is about."""
    found = re.match(r"e(\d+)_", module.rpartition(".")[2])
    return f"E{int(found[1])}" if found else module


def _natural(number: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", number)
    return int(digits) if digits else 10**6, number


def _listed(numbers: Iterable[str]) -> str:
    """Numbers of figures as text.

    >>> _listed(["Figure 1a", "Figure D.1a"])
    'Figures 1a, D.1a'
    """
    bare = [number.removeprefix("Figure ") for number in dict.fromkeys(numbers)]
    return f"{'Figures' if len(bare) > 1 else 'Figure'} {', '.join(bare)}" if bare else "none"


def size_of(settings: Mapping[str, Any]) -> str:
    """The size of an experiment in words, from its settings.

    >>> size_of({"students": 500, "most_assignments": 15, "repetitions": 50})
    '500 students, 1 to 15 assignments, 50 semesters at each point'
    """
    times, students = settings.get("repetitions", 0), settings.get("students")
    if "classes" in settings:
        if "share" not in settings:
            return f"four blocks of assignments in each class, {times} repetitions"
        return "every student of each class" if settings["share"] == 1 else "some of the students"
    if "repeats" in settings:
        return f"{times} classes of {students} students, each graded {settings['repeats']} times"
    if "most_assignments" in settings:
        assignments = f"1 to {settings['most_assignments']}"
    elif "assignments" in settings:
        assignments = str(settings["assignments"])
    else:
        return f"{times} assignments of {students} submissions"
    return f"{students} students, {assignments} assignments, {times} semesters at each point"


def _agreement(compared: pl.DataFrame) -> dict[str, Any]:
    """Everything that the page shows about agreement with the published results."""
    body = compared.filter(~is_novel())
    known = body.filter(pl.col("z").is_not_null())
    worst = known.sort(pl.col("z").abs(), descending=True).head(MAX_WORST_CELLS)
    missing = body.filter(pl.col("mean_ours").is_null())
    return {
        "whole": agreement_of(body),
        "fewest": body.filter(pl.col("n_ours") > 0)["n_ours"].min() or 0,
        "files": [
            {**row, "part": DESCRIPTIONS[row["experiment"]]}
            for row in summary(body, "experiment").to_dicts()
        ],
        "worst": [{**row, **_names(row)} for row in worst.to_dicts()],
        "missing": missing.height,
        "example": _missing_example(missing.row(0, named=True)) if missing.height else "",
        "novel": _novel(compared.filter(is_novel())),
    }


def _names(row: Mapping[str, Any]) -> dict[str, str]:
    """The names of a compared cell for people."""
    strategy, parameter = row["strategy_ours"], row["parameter"]
    return {
        "number": number_of(row["experiment_ours"]),
        "part": DESCRIPTIONS[row["experiment"]],
        "payer": _payer_label(row["mechanism_ours"]),
        "strategy_label": strategies.label_of(strategy) if strategy else "–",
        "point": f"{row['x']} {POINT_NAMES.get(parameter, parameter)}" if parameter else "–",
        "measure": metrics.label_of(row["metric_ours"]),
    }


def _payer_label(spec: str) -> str:
    """The label of a mechanism, or of a model that estimates scores, without its settings."""
    label = mechanisms.label_of(variant_of(spec))
    return models.label_of(spec) if label == spec else label


def _missing_example(row: Mapping[str, Any]) -> str:
    """One published cell that we do not have, in words."""
    x = "" if row["x"] is None else f", x = {row['x']}"
    return f"{DESCRIPTIONS[row['experiment']]}, {label_as_ours(row['mechanism'])}{x}"


def _novel(compared: pl.DataFrame) -> list[dict[str, Any]]:
    """Agreement of each novel mechanism by the text and as published, with the likely reason."""
    rows = summary(compared, "experiment", "mechanism", "computed").to_dicts()
    found = {
        (row["experiment"], row["mechanism"]): row["rms"]
        for row in rows
        if row["computed"] == AS_PUBLISHED
    }
    return [
        {
            **row,
            "label": label_as_ours(row["mechanism"]),
            "part": DESCRIPTIONS[row["experiment"]],
            "found": found.get((row["experiment"], row["mechanism"])),
            "why": WHY_NOVEL_DIFFER.get(row["mechanism"], ""),
        }
        for row in rows
        if row["computed"] == BY_THE_TEXT
    ]


FITTED_MODEL, AUTHORS_WAY, ONE_AT_A_TIME = "fitted model", "the authors' way", "one at a time"
STAND_IN_NAMES = {"fitted": FITTED_MODEL, "paper": "paper's model"}
WAY_NAMES = {"alone": ONE_AT_A_TIME, "authors": AUTHORS_WAY, "": ""}
KIND_NAMES = {INTEGRITY_KIND: "integrity", GAIN_KIND: "deviation gains"}


class RealRow(NamedTuple):
    """How well stand-ins agree with the published results of real classes, for people."""

    kind: str
    class_label: str
    way: str
    stand_in: str
    cells: int
    correlation: float
    rms: float
    same_sign: float


def real_rows(agreements: Iterable[ClassAgreement]) -> list[RealRow]:
    """The agreement with the published results of real classes in the words of the page."""
    return [
        RealRow(
            KIND_NAMES[one.kind],
            one.taught.replace("-", " ").capitalize() or "all",
            WAY_NAMES[one.way],
            STAND_IN_NAMES[one.stand_in],
            one.cells,
            one.correlation,
            one.rms,
            one.same_sign,
        )
        for one in agreements
    ]


def _best_of(real: Sequence[RealRow]) -> dict[str, Any]:
    """The rows of the agreement with real classes that the first screen shows.

    ``integrity``, ``authors`` and ``alone``: for each the stand-ins of the fitted model if there
    are any, and the row with the most cells.
    """
    wanted = {
        "integrity": ("integrity", ""),
        "authors": ("deviation gains", AUTHORS_WAY),
        "alone": ("deviation gains", ONE_AT_A_TIME),
    }
    found: dict[str, Any] = {}
    for name, which in wanted.items():
        rows = [one for one in real if (one.kind, one.way) == which]
        if rows:
            found[name] = max(rows, key=lambda one: (one.stand_in == FITTED_MODEL, one.cells))
    return found
