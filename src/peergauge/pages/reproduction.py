"""The page of a reproduction: figures and tables in the paper's order, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from markupsafe import Markup

from peergauge.core.lazy import pl
from peergauge.lab.paper.claims import Finding
from peergauge.lab.paper.differences import DIFFERENCES
from peergauge.lab.paper.e06_trade_off import SIMULATED
from peergauge.lab.paper.e13_tables import SmallTable
from peergauge.lab.paper.published import (
    AS_PUBLISHED,
    WHY_NOVEL_DIFFER,
    agreement_of,
    is_novel,
    summary,
)
from peergauge.pages import render, script_safe
from peergauge.pages.charts import bundle, distribution_of_z, trade_off

if TYPE_CHECKING:
    from peergauge.lab.figures import About

WORST = 12
"""How many of the cells that differ most are shown."""


class Item(NamedTuple):
    """A figure or a table, where the paper has it."""

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
    """The page as HTML; it looks for figures in the folder ``figures`` beside it."""
    items = [
        Item(about.order, about.section, name, about.title, about.caption, None)
        for name, about in figures.items()
    ]
    items += [
        Item(table.order, table.section, table.name, table.title, table.caption, table)
        for table in tables
    ]
    items.sort(key=lambda item: item.order)
    charts: dict[str, dict[str, Any]] = {}
    if set(SIMULATED) <= set(cells["experiment"].unique()):
        charts["trade-off"] = trade_off(cells)
    of_body = None if compared is None else compared.filter(~is_novel())
    if of_body is not None and of_body["z"].count():
        charts["distribution"] = distribution_of_z(of_body)
    return render(
        "reproduction.html",
        manifest=manifest,
        experiments=list(manifest["experiments"]),
        sections=_by_section(items),
        findings=_by_section(findings),
        verdicts={
            verdict: sum(one.verdict == verdict for one in findings)
            for verdict in ("holds", "holds in part", "does not hold")
        },
        differences=DIFFERENCES,
        agreement=None if compared is None else _told(compared),
        specs={name: script_safe(chart) for name, chart in charts.items()},
        bundle=Markup(bundle()) if charts else "",
    )


def _by_section(items: Iterable[Placed]) -> dict[str, list[Placed]]:
    """Items by their section, sections in the order of their first item."""
    found: dict[str, list[Placed]] = {}
    for item in items:
        found.setdefault(item.section, []).append(item)
    return found


def _told(compared: pl.DataFrame) -> dict[str, Any]:
    """Everything that the page says about agreement."""
    body, novel = compared.filter(~is_novel()), compared.filter(is_novel())
    worst = body.filter(pl.col("z").is_not_null()).sort(pl.col("z").abs(), descending=True)
    by_mechanism = {
        (row["experiment"], row["mechanism"]): row
        for row in summary(novel, "experiment", "mechanism").to_dicts()
    }
    apart = [
        {
            **row,
            "found": by_mechanism.get((file + AS_PUBLISHED, mechanism), {}).get("rms"),
            "why": WHY_NOVEL_DIFFER.get(mechanism, ""),
        }
        for (file, mechanism), row in by_mechanism.items()
        if not file.endswith(AS_PUBLISHED)
    ]
    return {
        "whole": agreement_of(body),
        "fewest": body.filter(pl.col("n_ours") > 0)["n_ours"].min() or 0,
        "files": summary(body, "experiment").to_dicts(),
        "worst": worst.head(WORST).to_dicts(),
        "missing": body.filter(pl.col("mean_ours").is_null()).to_dicts(),
        "novel": apart,
    }
