"""The page of a reproduction: figures, tables and claims in the paper's order, and agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

from markupsafe import Markup

from peergauge.core.lazy import pl
from peergauge.lab.paper.claims import Finding, Verdict
from peergauge.lab.paper.differences import DIFFERENCES
from peergauge.lab.paper.e13_tables import SmallTable
from peergauge.lab.paper.published import (
    AS_PUBLISHED,
    BY_THE_TEXT,
    WHY_NOVEL_DIFFER,
    agreement_of,
    is_novel,
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
from peergauge.pages import render, script_safe
from peergauge.pages.charts import bundle, distribution_of_z, trade_off
from peergauge.pages.claims import by_subject, is_reduced

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


class Item(NamedTuple):
    """A figure or a table at its place in the paper."""

    order: int
    section: str
    name: str
    title: str
    caption: str
    table: SmallTable | None


Placed = TypeVar("Placed", Item, Finding)


def page(
    *,
    manifest: dict[str, Any],
    cells: pl.DataFrame,
    figures: dict[str, About],
    tables: Sequence[SmallTable],
    findings: Sequence[Finding],
    compared: pl.DataFrame | None,
) -> str:
    """Return the page as HTML; it looks for figures in the folder ``figures`` beside it."""
    charts = _charts(cells, compared)
    return render(
        "reproduction.html",
        manifest=manifest,
        experiments=list(manifest["experiments"]),
        sections=_by_section(_items(figures, tables)),
        findings=_by_section(findings),
        subjects=by_subject(findings),
        reduced=is_reduced(manifest["experiments"]),
        verdicts={
            verdict: sum(one.verdict == verdict for one in findings)
            for verdict in get_args(Verdict)
        },
        differences=DIFFERENCES,
        has_published_cells=bool(to_published(cells).height),
        agreement=None if compared is None else _agreement(compared),
        specs={name: script_safe(chart) for name, chart in charts.items()},
        bundle=Markup(bundle()) if charts else "",
    )


def _items(figures: dict[str, About], tables: Sequence[SmallTable]) -> list[Item]:
    """All figures and tables in the paper's order."""
    items = [
        Item(about.order, about.section, name, about.title, about.caption, None)
        for name, about in figures.items()
    ]
    items += [
        Item(table.order, table.section, table.name, table.title, table.caption, table)
        for table in tables
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


def _agreement(compared: pl.DataFrame) -> dict[str, Any]:
    """Everything that the page shows about agreement with the published results."""
    body = compared.filter(~is_novel())
    known = body.filter(pl.col("z").is_not_null())
    return {
        "whole": agreement_of(body),
        "fewest": body.filter(pl.col("n_ours") > 0)["n_ours"].min() or 0,
        "files": summary(body, "experiment").to_dicts(),
        "worst": known.sort(pl.col("z").abs(), descending=True).head(MAX_WORST_CELLS).to_dicts(),
        "missing": body.filter(pl.col("mean_ours").is_null()).to_dicts(),
        "novel": _novel(compared.filter(is_novel())),
    }


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
            "found": found.get((row["experiment"], row["mechanism"])),
            "why": WHY_NOVEL_DIFFER.get(row["mechanism"], ""),
        }
        for row in rows
        if row["computed"] == BY_THE_TEXT
    ]
