"""Datasets: what may be passed on, simulated stand-ins of real classes, and where the others are.

Nothing is ever fetched. What may be redistributed is part of the package, stand-ins are simulated,
and of all others :func:`about` says where they are, what their authors allow and how to read them.

>>> import peergauge.datasets
>>> pairs = peergauge.datasets.load("edx-pairs")
>>> len(pairs), pairs[0].joint.shape
(1944, (4, 4))
>>> peergauge.datasets.load("spring-2017").reports
<Reports: 4080 grades on 0..10 by 94 graders of 758 submissions in 16 assignments>
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from peergauge.core.errors import DatasetError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.datasets.catalogue import (
    EDX_ADDRESS,
    EDX_SOURCE,
    ELSEWHERE,
    INCLUDED,
    THE_PAPER,
    THE_PAPER_ADDRESS,
    Dataset,
)
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.paper.classes import PAPER, stand_in
from peergauge.lab.paper.published import shipped_cells
from peergauge.simulate.latent_classes import read_pair_distributions, shipped_latent_classes

__all__ = ["Dataset", "about", "load", "names", "overview"]

PAIRS_FILE = "joint_distributions.json.gz"
"""Name of the file, beside this module, with the joint distributions."""


def names() -> list[str]:
    """Names of all datasets: included ones, simulated ones, and those that are elsewhere.

    >>> from peergauge import datasets
    >>> print(*datasets.names())
    edx-pairs paper-results spring-2017 fall-2017 spring-2019 fall-2019 edx-3 edx-4 edx-5 \
auckland cornell mooc paper-classes
    """
    return list(_known())


def about(name: str) -> Dataset:
    """What a dataset is, where it is, what its authors allow, and how to read it.

    >>> from peergauge import datasets
    >>> print(datasets.about("cornell"))
    cornell: Ratings of final projects in a course on data science
    kind     published elsewhere; not part of this package, and never fetched by it
    size     45 projects, 109 graders, 217 ratings on 1..6, all projects scored by staff
    cite     Peer ratings of the final projects of ORIE 4741, Cornell University, autumn 2017
    address  https://github.com/ORIE4741/homework
    licence  none stated; ask its authors before you pass it on
    read it  In Python, with julia/ratings.csv of the repository:
               opened = peergauge.open_class("ratings.csv", scale="1..6")
               opened.reports, opened.truth
    """
    known = _known()
    if name not in known:
        raise UnknownNameError("dataset", name, known)
    return known[name]


def overview() -> pl.DataFrame:
    """A table with a row for each dataset.

    >>> from peergauge import datasets
    >>> datasets.overview().columns
    ['name', 'kind', 'title', 'size', 'licence', 'address']
    """
    columns = ("name", "kind", "title", "size", "licence", "address")
    return pl.DataFrame(
        {column: [getattr(one, column) for one in _known().values()] for column in columns}
    )


def load(name: str, *, seed: int = 0) -> Any:
    """Load a dataset that is part of the package, or simulate a stand-in.

    Parameters
    ----------
    name
        Name of the dataset; :func:`overview` lists them.
    seed
        Seed of a simulated stand-in. The same seed gives the same class; other datasets do not
        depend on it.

    Returns
    -------
    Any
        A class with ``reports`` and ``truth`` for a simulated stand-in; a list of joint
        distributions for ``edx-pairs``; a frame for ``paper-results``.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge import datasets
    >>> taught = datasets.load("fall-2019", seed=1)
    >>> rewards = peergauge.score("mse", taught.reports)
    >>> 0.5 < peergauge.measure("binary-auc:per=report", rewards, taught.truth) < 1
    True
    >>> datasets.load("auckland")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    peergauge.core.errors.DatasetError: The dataset 'auckland' is not part of this package and ...
    """
    found = about(name)
    if found.kind == "elsewhere":
        raise DatasetError(
            f"The dataset '{name}' is not part of this package and is never fetched by it; it is "
            f"at {found.address} (licence: {found.licence}), and "
            f"print(peergauge.datasets.about('{name}')) says how to read it."
        )
    if name in PAPER:
        return stand_in(name, seed)
    if name in shipped_latent_classes():
        return suite_setting(name).environment.source.draw(seed).semester()
    if name == "paper-results":
        return shipped_cells()
    return read_pair_distributions(Path(__file__).with_name(PAIRS_FILE))


@cache
def _known() -> dict[str, Dataset]:
    """All datasets by name; the stand-ins are those that the package can simulate."""
    paper = (
        Dataset(
            name=name,
            title=f"Stand-in of the class of {name.replace('-', ' ').title()} of the paper",
            kind="simulated",
            size=(
                f"{shape.students} students, {shape.assignments} assignments, "
                f"{shape.submissions} submissions, {shape.grades} grades on 0..10, true scores"
            ),
            source=THE_PAPER,
            address=THE_PAPER_ADDRESS,
            licence="that of this package: only published sizes and results were used",
            reading=f'peergauge.datasets.load("{name}", seed=0)',
        )
        for name, shape in PAPER.items()
    )
    edx = (
        Dataset(
            name=name,
            title=f"Classes like those of edX courses on {len(classes.profiles[0])} levels",
            kind="simulated",
            size="100 students and 10 assignments, true scores",
            source=EDX_SOURCE,
            address=EDX_ADDRESS,
            licence="that of this package: latent classes were fitted to MIT-licensed data",
            reading=f'peergauge.datasets.load("{name}", seed=0)',
        )
        for name, classes in shipped_latent_classes().items()
    )
    return {one.name: one for one in (*INCLUDED, *paper, *edx, *ELSEWHERE)}


def __dir__() -> list[str]:
    return __all__
