"""Results in, figures out: nothing is simulated here.

Each figure is a file of this folder: it says what it is ``ABOUT``, and ``draw`` takes the rows of
a run, one for each repetition, and sums up what it shows.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from peergauge.core.lazy import pl
from peergauge.mechanisms import Equilibrium, mechanisms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colour-blind safe (after Okabe and Ito 2008), one hue for each family; dashes and markers tell
# members apart.
FAMILIES = {
    "baseline": ("#000000", "o"),
    "output agreement": ("#E69F00", "v"),
    "peer truth serum": ("#CC79A7", "<"),
    "determinant": ("#8C6D31", "p"),
    "parametric MSE": ("#D55E00", "^*"),
    "Φ-divergence pairing": ("#0072B2", "os^D"),
    "parametric Φ-divergence pairing": ("#009E73", "os^D"),
}
# For mechanisms of no such family, a hue for each (after Tol 2021).
SPARE = (
    ("#AA4499", "P"),
    ("#999999", ">"),
    ("#332288", "h"),
    ("#56B4E9", "os^D"),
    ("#882255", "d"),
    ("#999933", "H"),
    ("#44AA99", "8"),
)
Dash: TypeAlias = Literal["-", "--", "-.", ":"]
LONGEST = 16
"""Letters of a name that legends have room for."""

DASHES: tuple[Dash, ...] = ("-", "--", "-.", ":")

CONCEPTS = {
    Equilibrium.NONE: "#000000",
    Equilibrium.HELPFUL: "#CC79A7",
    Equilibrium.TRUTHFUL: "#E69F00",
    Equilibrium.NEARLY_STRONGLY: "#0072B2",
    Equilibrium.DOMINANTLY: "#009E73",
    Equilibrium.NOT_ANALYSED: "#999999",
}


@dataclass(frozen=True, kw_only=True)
class About:
    """What a figure shows, and what it takes to draw it.

    Parameters
    ----------
    title
        A few words.
    caption
        What is drawn, and what bands, boxes and bars mean.
    section
        Where in the paper it belongs.
    order
        Its place among the figures.
    needs
        The experiments whose rows it sums up; ``name*`` is any that begins with that name.
    """

    title: str
    caption: str
    section: str
    order: int
    needs: tuple[str, ...]

    def drawable(self, files: Iterable[str]) -> bool:
        """Whether *files* have everything that is needed."""
        there = list(files)
        return all(any(_is(file, need) for file in there) for need in self.needs)

    def wants(self, file: str) -> bool:
        """Whether the rows of *file* are drawn."""
        return any(_is(file, need) for need in self.needs)


def _is(file: str, need: str) -> bool:
    return file.startswith(need[:-1]) if need.endswith("*") else file == need


class Look(NamedTuple):
    """How a mechanism appears in every figure."""

    label: str
    colour: str
    dash: Dash
    marker: str
    concept: Equilibrium = Equilibrium.NOT_ANALYSED


@cache
def looks() -> dict[str, Look]:
    """The look of every mechanism, by what the published files call it."""
    found: dict[str, Look] = {}
    place = {family: number for number, family in enumerate(FAMILIES)}
    spare = cycle(SPARE)
    styles: dict[str, tuple[str, str]] = {}
    members: dict[str, int] = {}
    known = [cls for cls in mechanisms.classes().values() if cls.facts.published]
    # Within a family, what the paper compares in its body comes first.
    for cls in sorted(
        known, key=lambda c: (place.get(c.facts.family, len(place)), c.facts.novel, c.facts.name)
    ):
        group = cls.facts.family if cls.facts.family in FAMILIES else cls.facts.name
        hue, markers = styles.setdefault(group, FAMILIES.get(group) or next(spare))
        for variant in cls.facts.variants:
            one = cls(**variant)
            number = members[group] = members.get(group, -1) + 1
            found[one.published] = Look(
                one.label,
                hue,
                DASHES[number % len(DASHES)],
                markers[number % len(markers)],
                one.facts.equilibrium,
            )
    return found


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """The looks of the mechanisms *names*, in the order of legends.

    One that was not published is called as people call it, or by as much of its name as there is
    room for.
    """
    present = dict.fromkeys(names)
    known = {name: look for name, look in looks().items() if name in present}
    for number, name in enumerate(sorted(name for name in present if name not in known)):
        round_, which = divmod(number, len(SPARE))
        hue, markers = SPARE[-1 - which]
        dash = DASHES[(2 + round_) % len(DASHES)]
        label = mechanisms.label_of(name)
        if len(label) > LONGEST:
            label = shortened(name, LONGEST)
        known[name] = Look(label or "unnamed", hue, dash, markers[0])
    return known


def shortened(name: str, most: int) -> str:
    """A name, or as much of it as there is room for."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


@cache
def _modules() -> dict[str, ModuleType]:
    """Every figure by its name, in the paper's order."""
    found = {
        module.name: importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("_")
    }
    return dict(sorted(found.items(), key=lambda item: item[1].ABOUT.order))


def drawable(results: pl.DataFrame) -> dict[str, About]:
    """What every figure that *results* have the numbers for is about, by its name."""
    files = results["experiment"].unique().to_list()
    every = {name: module.ABOUT for name, module in _modules().items()}
    return {name: about for name, about in every.items() if about.drawable(files)}


def figures(results: pl.DataFrame) -> dict[str, Figure]:
    """Every figure that *results*, the rows of a run, have the numbers for, by its name."""
    return {name: _modules()[name].draw(results) for name in drawable(results)}


def save(
    results: pl.DataFrame,
    folder: Path | str,
    *,
    only: Collection[str] | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write every figure that there are numbers for into *folder*, as SVG and PNG.

    If some are named, *only* these are drawn. The same results give the same files, however many
    local processes draw them; as many as there are cores by default. *progress* is told how many
    figures are written, and of how many.
    """
    import matplotlib  # noqa: F401 - if it is missing, say so before anything is begun

    target = Path(folder)
    files = results["experiment"].unique().to_list()
    work = {
        name: results.filter(pl.col("experiment").is_in([f for f in files if about.wants(f)]))
        for name, about in drawable(results).items()
        if only is None or name in only
    }
    if work:
        target.mkdir(parents=True, exist_ok=True)
    count = min(workers or len(os.sched_getaffinity(0)), len(work))
    if count <= 1:
        for done, (name, rows) in enumerate(work.items(), 1):
            _write(name, rows, target)
            if progress:
                progress(done, len(work))
    else:
        # Workers begin with a fresh interpreter: forking a program that has threads may hang.
        # Figures are many small things that refer to one another; looking for lost ones takes a
        # fifth of the time, and a worker does not live long.
        pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=gc.disable)
        try:
            written = [pool.submit(_write, name, rows, target) for name, rows in work.items()]
            for done, one in enumerate(as_completed(written), 1):
                one.result()
                if progress:
                    progress(done, len(work))
        finally:
            pool.shutdown(cancel_futures=True)
    return [target / f"{name}.{suffix}" for name in work for suffix in ("svg", "png")]


def _write(name: str, rows: pl.DataFrame, folder: Path) -> None:
    """Draw one figure and write both of its files, each of them whole or not at all."""
    module = _modules()[name]
    figure = module.draw(rows)
    how: dict[str, dict[str, Any]] = {
        # Without a date, the same numbers give the same file.
        "svg": {"metadata": {"Date": None, "Title": module.ABOUT.title}},
        # Packing a picture harder takes longer than drawing it.
        "png": {"pil_kwargs": {"compress_level": 3}},
    }
    with paper_style():
        for suffix in ("svg", "png"):
            path = folder / f"{name}.{suffix}"
            scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
            try:
                figure.savefig(scratch, format=suffix, **how[suffix])
                scratch.replace(path)
            finally:
                scratch.unlink(missing_ok=True)


@contextmanager
def paper_style() -> Iterator[None]:
    """Figures as a paper has them: small sans-serif type, light grids, nothing boxed in."""
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.0,
        "axes.titlesize": 8.5,
        # Where titles stand is known, and need not be searched for.
        "axes.titley": 1.0,
        "axes.titlepad": 4.0,
        "axes.labelsize": 8.0,
        "legend.fontsize": 7.5,
        "xtick.labelsize": 7.5,
        "ytick.labelsize": 7.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e2e2e2",
        "grid.linewidth": 0.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.0,
        "figure.dpi": 100,
        "savefig.dpi": 200,
        "svg.hashsalt": "peergauge",
        "svg.fonttype": "path",
    }
    with mpl.rc_context(settings):
        yield
