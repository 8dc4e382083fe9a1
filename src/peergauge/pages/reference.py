"""Writes the reference pages from what the plug-ins say and declare about themselves.

Run ``python -m peergauge.pages.reference FOLDER`` (or ``make docs``). The pages are never edited by
hand; a test holds them to what this writes.
"""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Any

from peergauge.classroom.gradebooks import gradebooks
from peergauge.core.catalogue import Entry, entries, markdown, meanings
from peergauge.core.registry import Registry
from peergauge.engine.experiment import experiments
from peergauge.exports.readers import readers
from peergauge.lab.learning.dynamics import dynamics
from peergauge.mechanisms import mechanisms
from peergauge.metrics import metrics
from peergauge.models import models
from peergauge.payments import payments
from peergauge.simulate.strategies import strategies

PAGES: dict[str, tuple[str, str, Registry[Any]]] = {
    "mechanisms": (
        "Mechanisms",
        "Rules that pay graders from their reports. A spec such as `mse-p` or "
        "`phi-div:divergence=kl` names a mechanism in Python, on the command line and in results.",
        mechanisms,
    ),
    "payments": (
        "Payment rules",
        "Rules that turn the scores of a mechanism into money or points, for `peergauge.pay` and "
        "`peergauge score --payment`. Facts hold for the default parameters. Under a rule that is "
        "not affine, the report with the highest expected score need not have the highest "
        "expected pay.",
        payments,
    ),
    "strategies": (
        "Strategies",
        "Rules by which simulated graders turn their signals into reports.",
        strategies,
    ),
    "dynamics": (
        "Dynamics",
        "Rules by which the mixture of strategies in a class changes from semester to semester.",
        dynamics,
    ),
    "metrics": (
        "Measures",
        "Measures of rewards, of deviations and of estimated scores. A measure is NaN where a "
        "class leaves it undefined.",
        metrics,
    ),
    "models": (
        "Models",
        "Estimators of true scores: the averages that platforms show, and the statistical models "
        "of grading behind parametric mechanisms.",
        models,
    ),
    "experiments": (
        "Experiments",
        "Experiments that `peergauge reproduce` runs. Defaults are the parameters of the paper.",
        experiments,
    ),
    "readers": (
        "Readers",
        "Formats that every command reads; the reader is recognised from the file.",
        readers,
    ),
    "gradebooks": (
        "Gradebooks",
        "File formats for marks, for learning platforms and for people.",
        gradebooks,
    ),
}


def pages() -> dict[str, str]:
    """Every reference page by its file name."""
    return {
        f"{name}.md": page(title, intro, registry)
        for name, (title, intro, registry) in PAGES.items()
    }


def page(title: str, intro: str, registry: Registry[Any]) -> str:
    """One page: an overview, then every plug-in in full."""
    found = list(entries(registry))
    overview = "\n".join(
        f"| [`{entry.name}`](#{entry.name}) | {_labels(entry)} | {_cell(entry.summary)} |"
        for entry in found
    )
    meaning = meanings(registry.facts)
    facts = "\n".join(
        f"| {name} | {_cell(markdown(meaning[name]))} |"
        for name in (found[0].facts if found else {})
        if name in meaning
    )
    parts = [
        f"# {title}",
        intro,
        "This page is written by `make docs` from the declarations in the code.",
        f"| name | label | description |\n|---|---|---|\n{overview}",
        f"Meaning of the facts below:\n\n| fact | meaning |\n|---|---|\n{facts}",
        *(section(entry) for entry in found),
    ]
    return "\n\n".join(parts) + "\n"


def section(entry: Entry) -> str:
    """One plug-in in full."""
    facts = "\n".join(
        f"| {name} | {_cell(_in_words(value))} |" for name, value in _known_facts(entry)
    )
    parts = [
        f"## {entry.name}",
        f"*{entry.idea}*",
        markdown(entry.text),
        f"| fact | |\n|---|---|\n{facts}",
    ]
    if entry.parameters:
        rows = "\n".join(
            f"| `{one.name}` | `{one.default}` | {_cell(one.values)} "
            f"| {_cell(markdown(one.meaning))} |"
            for one in entry.parameters
        )
        parts.append(f"| parameter | default | values | meaning |\n|---|---|---|---|\n{rows}")
    if len(entry.variants) > 1:
        specs = ", ".join(f"`{spec}` ({label})" for spec, label in entry.variants)
        parts.append(f"Members: {specs}.")
    return "\n\n".join(parts)


def _labels(entry: Entry) -> str:
    return ", ".join(label for _, label in entry.variants)


def _known_facts(entry: Entry) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in entry.facts.items() if value != ""]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}".replace("inf", "∞")
    return str(value.value if isinstance(value, Enum) else value)


def _cell(text: str) -> str:
    """Text that fits into one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def main(folder: str) -> None:
    """Write all pages into *folder*."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (target / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
