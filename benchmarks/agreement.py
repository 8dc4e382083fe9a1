"""How well a reproduction agrees with the published results, and the figure of the README.

Run ``peergauge reproduce --out FOLDER --seed 1``, then ``python -m benchmarks.agreement FOLDER``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchmarks.classes import listed
from peergauge.core.lazy import pl
from peergauge.lab.paper.published import (
    NOVEL_FILES,
    Agreement,
    agreement_of,
    class_summary,
    summary,
)

PAGE = Path(__file__).with_suffix(".md")
FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "trade-off.svg"
SOURCE_OF_FIGURE = Path("figures") / "tradeoff_same.svg"


def body_agreement(compared: pl.DataFrame) -> Agreement:
    """The agreement in all files except those of the novel mechanisms."""
    return agreement_of(compared.filter(~pl.col("experiment").is_in(NOVEL_FILES)))


def sentence(whole: Agreement) -> str:
    """The agreement in one sentence, which the README quotes."""
    far = "none differs" if whole.far == 0 else f"{whole.far} differ"
    return (
        f"Of the {whole.ours:,} published cells of the simulated experiments, {far} from ours by "
        f"more than four standard errors, and the root mean square of z is {whole.rms:.2f}."
    )


def page(compared: pl.DataFrame, classes: pl.DataFrame, seed: int) -> str:
    """The page, in Markdown."""
    files = [
        (f"`{file}`", computed or "by the text", cells, ours, f"{rms:.2f}", f"{largest:.1f}", far)
        for file, computed, cells, ours, rms, largest, far in summary(compared).iter_rows()
    ]
    real = [
        (
            one.kind,
            one.way or "–",
            one.stand_in,
            one.cells,
            f"{one.correlation:.2f}",
            f"{one.rms:.2f}",
            f"{100 * one.same_sign:.0f} %",
        )
        for one in class_summary(classes)
        if not one.taught
    ]
    return "\n".join(
        [
            "# Agreement with the published results",
            "",
            "Written by `python -m benchmarks.agreement FOLDER` from a full reproduction "
            f"(`peergauge reproduce`, seed {seed}); do not edit this page, run the script again.",
            "",
            "z is the difference of our mean and the published one over the standard error of "
            "both. If both computed the same thing, its root mean square is 1.",
            "",
            "## Simulated experiments",
            "",
            sentence(body_agreement(compared))
            + " The novel mechanisms of the paper's appendix are "
            "not counted: their settings are not published. By the text they differ, and with "
            "[settings that were found by trial](novel.md) most of them agree.",
            "",
            *listed(("file", "computed", "cells", "ours", "rms z", "largest", "beyond 4"), files),
            "",
            "## Real classes",
            "",
            "The paper's classes are private. These are cells of [stand-ins](stand_ins.md) beside "
            "the published cells of the classes themselves.",
            "",
            *listed(
                ("cells of", "way", "stand-ins", "cells", "correlation", "rms", "same sign"), real
            ),
            "",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page beside this file, and copy the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder of a full reproduction")
    folder: Path = parser.parse_args(arguments).folder
    compared = pl.read_csv(folder / "agreement.csv", infer_schema_length=None)
    classes = pl.read_csv(folder / "class_agreement.csv", infer_schema_length=None)
    seed = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["seed"]
    PAGE.write_text(page(compared, classes, seed), encoding="utf-8")
    FIGURE.parent.mkdir(exist_ok=True)
    shutil.copy(folder / SOURCE_OF_FIGURE, FIGURE)
    print(f"{PAGE} and {FIGURE}")


if __name__ == "__main__":
    main()
