"""A library of drawing, and the registry of all figures.

A figure is a function that takes the rows of a run, one for each repetition, and returns a
Matplotlib figure; nothing is simulated in it. It is declared once, by the decorator
:func:`figure`, in the file of the experiment whose results it shows. The registry finds it by
walking the packages of experiments. The modules of this folder draw lines, boxes, bars and labels
and know nothing about particular experiments.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from peergauge.core.claims import beside
from peergauge.core.errors import ParameterError
from peergauge.core.files import remove_unfinished, write_bytes
from peergauge.core.lazy import pl
from peergauge.engine.cargo import Cargo
from peergauge.engine.results import unpacked
from peergauge.engine.workers import Workers, cores
from peergauge.lab.figures.looks import CONCEPTS, Look, looks, looks_of, strategy_looks
from peergauge.lab.figures.showing import bytes_of
from peergauge.lab.figures.style import paper_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CONCEPTS",
    "About",
    "FigureRegistry",
    "Look",
    "drawable",
    "figure",
    "figures",
    "looks",
    "looks_of",
    "registry",
    "save",
    "strategy_looks",
]


class Needed(Protocol):
    """A part of the results of one experiment."""

    @property
    def experiment(self) -> str:
        """Name of the experiment."""

    def present_in(self, table: pl.DataFrame) -> bool:
        """Whether a table has any rows of this part."""


Needs: TypeAlias = tuple[Needed | tuple[Needed, ...], ...]
"""Parts of results; a tuple among them stands for any one of its members."""

Draw = TypeVar("Draw", bound=Callable[..., "Figure"])


@dataclass(frozen=True, kw_only=True)
class About:
    """What a figure shows, and what it takes to draw it.

    Parameters
    ----------
    name
        Name of the figure and of its files.
    number
        The figure of the paper that it corresponds to, such as ``Figure 1a``; empty if the paper
        has no such figure and we added it.
    title
        A few words.
    caption
        What is drawn, and what bands, boxes and bars mean.
    section
        Section of the paper to which it belongs.
    order
        Its place among all figures.
    needs
        The parts of the results that it shows.
    draw
        Draws the figure from the rows of a run.
    """

    name: str
    number: str = ""
    title: str
    caption: str
    section: str
    order: int
    needs: Needs
    draw: Callable[[pl.DataFrame], Figure]

    @property
    def experiments(self) -> set[str]:
        """Names of the experiments whose results the figure shows."""
        return {one.experiment for need in self.needs for one in _alternatives(need)}

    def drawable(self, results: pl.DataFrame) -> bool:
        """Whether *results* have everything that the figure needs."""
        return all(any(one.present_in(results) for one in _alternatives(n)) for n in self.needs)

    def rows(self, results: pl.DataFrame) -> pl.DataFrame:
        """The rows of the experiments that the figure shows."""
        return results.filter(pl.col("experiment").is_in(sorted(self.experiments)))


def _alternatives(need: Needed | tuple[Needed, ...]) -> Sequence[Needed]:
    return need if isinstance(need, tuple) else (need,)


class FigureRegistry:
    """All figures, found by walking the packages whose modules declare them.

    Parameters
    ----------
    packages
        Names of the packages.
    """

    def __init__(self, *packages: str):
        self.packages = packages
        self._found: dict[str, About] = {}
        self._walked = False

    def figure(
        self,
        name: str,
        *,
        title: str,
        caption: str,
        section: str,
        order: int,
        needs: Needs,
        number: str = "",
    ) -> Callable[[Draw], Draw]:
        """Decorate a function that draws a figure, and put the figure on the list."""

        def decorate(draw: Draw) -> Draw:
            known = self._found.get(name)
            if known is not None and known.draw.__module__ != draw.__module__:
                raise ParameterError(
                    f"Two figures are called '{name}', in {known.draw.__module__} and "
                    f"{draw.__module__}; rename one."
                )
            self._found[name] = About(
                name=name,
                number=number,
                title=title,
                caption=caption,
                section=section,
                order=order,
                needs=needs,
                draw=draw,
            )
            return draw

        return decorate

    def all(self) -> dict[str, About]:
        """Every figure by its name, in the paper's order."""
        if not self._walked:
            for name in self.packages:
                package = importlib.import_module(name)
                for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                    importlib.import_module(module.name)
            self._walked = True
        return dict(sorted(self._found.items(), key=lambda item: item[1].order))


registry = FigureRegistry("peergauge.lab.paper", "peergauge.lab.beyond")
figure = registry.figure


def drawable(results: pl.DataFrame) -> dict[str, About]:
    """Every figure that *results*, the rows of a run, have the numbers for, by its name."""
    return {name: about for name, about in registry.all().items() if about.drawable(results)}


def figures(results: pl.DataFrame) -> dict[str, Figure]:
    """Draw every figure that *results*, the rows of a run, have the numbers for."""
    return {name: about.draw(results) for name, about in drawable(results).items()}


def save(
    results: pl.DataFrame,
    folder: Path | str,
    *,
    only: Collection[str] | None = None,
    workers: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write every figure that *results* have the numbers for into *folder*, as SVG and PNG.

    The same results give the same files, whatever the number of processes.

    Parameters
    ----------
    results
        The rows of a run.
    folder
        Where the files go; it is made if it is not there.
    only
        Names of the figures to draw; all of them if left out.
    workers
        Number of local processes; the number of cores by default. Or processes that have computed
        something, and need not be started again.
    progress
        Called with the number of figures that are written and the number of all figures.
    """
    import matplotlib  # noqa: F401 - if it is missing, fail before anything is begun

    target = Path(folder)
    names = [name for name in drawable(results) if only is None or name in only]
    if names:
        target.mkdir(parents=True, exist_ok=True)
        remove_unfinished(target)
    for done, _ in enumerate(_drawn(names, results, target, workers), 1):
        if progress:
            progress(done, len(names))
    return [target / f"{name}.{suffix}" for name in names for suffix in ("svg", "png")]


@dataclass(frozen=True)
class _Drawing:
    """A figure that remains to be drawn and written, as work of a local process.

    Parameters
    ----------
    rows
        File with the rows of the run, which a process reads once for all of its figures.
    """

    name: str
    rows: Path
    folder: Path

    def compute(self, seed: int) -> None:
        # A figure is made of many small objects that refer to one another. Garbage collection would
        # take a fifth of the time, and a worker that draws does not live long.
        gc.disable()
        try:
            _write(self.name, _rows_of_run(self.rows), self.folder)
        finally:
            gc.freeze()
            gc.enable()


@lru_cache(maxsize=1)
def _rows_of_run(file: Path) -> pl.DataFrame:
    return unpacked(file.read_bytes())


class _Drawings:
    """Figures that remain to be drawn."""

    def __init__(self, left: list[_Drawing]) -> None:
        self.left = left

    def __len__(self) -> int:
        return len(self.left)

    def take(self) -> _Drawing:
        return self.left.pop(0)

    def put_back(self, drawing: _Drawing) -> None:
        self.left.append(drawing)


def _drawn(
    names: Sequence[str], results: pl.DataFrame, folder: Path, workers: int | Workers | None
) -> Iterator[None]:
    """Write figures one after the other here, or in several processes."""
    count = cores() if workers is None else workers
    if len(names) < 2 or (isinstance(count, int) and count < 2):
        for name in names:
            _write(name, results, folder)
            yield
        return
    with ExitStack() as stack:
        if isinstance(count, int):
            count = stack.enter_context(closing(Workers(count)))
        # Removed at the end, or by the next command in the folder if this one is killed.
        data = _compressed(results)
        # Other rows have another name, because processes keep what they have read.
        rows = beside(folder / hashlib.sha256(data).hexdigest(), "part")
        stack.callback(rows.unlink, missing_ok=True)
        write_bytes(data, rows)
        drawings = _Drawings([_Drawing(name, rows, folder) for name in names])
        # Plug-ins of users are sent along, because figures show their labels.
        drawn = stack.enter_context(closing(count.computed(drawings, 0, Cargo.of([]))))
        for _ in drawn:
            yield


def _compressed(results: pl.DataFrame) -> bytes:
    data = BytesIO()
    results.write_ipc_stream(data, compression="lz4")
    return data.getvalue()


def _write(name: str, results: pl.DataFrame, folder: Path) -> None:
    """Draw one figure from the rows of a run, and write both of its files."""
    about = registry.all()[name]
    drawn = about.draw(about.rows(results))
    options: dict[str, dict[str, Any]] = {
        # Without a date, the same numbers give the same file.
        "svg": {"metadata": {"Date": None, "Title": about.title}},
        # Stronger compression takes longer than drawing.
        "png": {"pil_kwargs": {"compress_level": 3}},
    }
    with paper_style():
        for suffix in ("svg", "png"):
            write_bytes(bytes_of(drawn, suffix, **options[suffix]), folder / f"{name}.{suffix}")
