"""What the figures of binary effort share: boxes, and beside them medians as effort spreads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from peergauge.core.lazy import pl
from peergauge.lab.figures import looks_of, paper_style
from peergauge.lab.figures._boxes import boxes
from peergauge.lab.figures._grid import Margins, keys, lay_out, whole_ticks
from peergauge.lab.figures._lines import line
from peergauge.lab.figures._summaries import medians

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AUC = "AUC of active against passive"


class Pair(NamedTuple):
    """The rows of one group of mechanisms: over semesters, and by the number of active graders."""

    title: str
    box: pl.DataFrame
    line: pl.DataFrame


def draw_pairs(pairs: Sequence[Pair], *, height: float) -> Figure:
    """A row for each pair: boxes at the left, medians with their intervals at the right."""
    with paper_style():
        figure, axes = lay_out(
            2 * len(pairs),
            2,
            height=height,
            share="none",
            margins=Margins(left=1.1, right=1.4, across=0.6, down=0.5),
        )
        for left, right in zip(axes[2::2], axes[3::2], strict=True):
            left.sharex(axes[0])
            right.sharex(axes[1])
            right.sharey(axes[1])
        axes[-2].set_xlabel(AUC)
        axes[-1].set_xlabel("active graders")
        for pair, left, right in zip(pairs, axes[::2], axes[1::2], strict=True):
            looks = looks_of(pl.concat([pair.box["mechanism"], pair.line["mechanism"]]))
            boxes(left, pair.box, looks)
            cells = medians(pair.line)
            for name, look in looks.items():
                line(right, cells.filter(pl.col("mechanism") == name), look)
            whole_ticks(right)
            left.set_title(pair.title)
            right.set_title("medians")
            right.set_ylabel("AUC")
            right.legend(
                handles=keys(looks.values()),
                loc="center left",
                bbox_to_anchor=(1.02, 0.5),
                frameon=False,
                handlelength=2.4,
            )
    return figure
