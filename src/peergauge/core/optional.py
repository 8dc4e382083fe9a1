"""Packages that are imported late: what installs them, and what happens without them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from peergauge.core.errors import PeergaugeError, TableError

EXTRA_OF_PACKAGE = {
    "alembic": "web",
    "altair": "",
    "dask": "cluster",
    "distributed": "cluster",
    "django_htmx": "web",
    "fastapi": "web",
    "fastexcel": "",
    "jinja2": "",
    "markupsafe": "",
    "matplotlib": "report",
    "multipart": "web",
    "openpyxl": "",
    "pandas": "frames",
    "psycopg": "web",
    "pyarrow": "frames",
    "sqlalchemy": "web",
    "uvicorn": "web",
    "vl_convert": "",
}
"""The extra of peergauge that installs each package, by the name that is imported.

It is empty for packages of the base installation, which only a damaged installation lacks.
"""

PAGE_PACKAGES = ("altair", "jinja2", "markupsafe", "matplotlib", "vl_convert")
"""Packages without which figures and pages are skipped."""

GRADING_OUTPUTS = {
    "report.html": ("altair", "jinja2", "vl_convert"),
    "grades.xlsx": ("openpyxl",),
}
"""Files of a graded class, and the packages without which they are not written."""


@contextmanager
def needing(
    *packages: str,
    sentence: str = "",
    otherwise: str = "",
    kind: type[PeergaugeError] = TableError,
) -> Iterator[None]:
    """Raise one sentence with the pip command if one of *packages* is not installed.

    Parameters
    ----------
    packages
        Optional packages of one extra that the block imports.
    sentence
        What needs them, without a full stop; "This needs pandas and pyarrow" by default.
    otherwise
        What a user can do without them, such as "save the sheet as CSV".
    kind
        The class of the error.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if missing_package(error, packages) is None:
            raise
        need = sentence or f"This needs {' and '.join(packages)}"
        brought = "them" if len(packages) > 1 and not sentence else "it"
        instead = f", or {otherwise}" if otherwise else ""
        raise kind(f"{need}; {pip_command(packages[0])} brings {brought}{instead}.") from error


@contextmanager
def skipping(missing: set[str]) -> Iterator[None]:
    """Skip the rest of the block if it needs a package of figures and pages that is not installed.

    Parameters
    ----------
    missing
        The name of the package is added here, for :func:`left_out`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = missing_package(error, PAGE_PACKAGES)
        if package is None:
            raise
        missing.add(package)


def left_out(output: str, missing: Collection[str]) -> str:
    """One sentence that says which optional output was skipped, why, and how to get it.

    >>> left_out("The page", {"jinja2"})
    'The page is left out, because jinja2 is not installed; pip install peergauge, and run this \
again.'
    >>> left_out("Figures and page", {"jinja2", "matplotlib"})
    "Figures and page are left out, because jinja2 and matplotlib are not installed; pip install \
'peergauge[report]', and run this again."
    """
    packages = sorted(missing)
    plural = output.endswith("s") or " and " in output
    return (
        f"{output} {'are' if plural else 'is'} left out, because {' and '.join(packages)} "
        f"{'are' if len(packages) > 1 else 'is'} not installed; "
        f"{pip_command(*packages)}, and run this again."
    )


def lacking(outputs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A sentence for each output that will be missing, for it to be said before computing.

    >>> list(lacking({"report.html": ("no_such_package",)}))
    ['report.html will not be written, because no_such_package is not installed; pip install \
peergauge brings it.']
    """
    for output, packages in outputs.items():
        missing = [package for package in packages if not installed(package)]
        if missing:
            plural = len(missing) > 1
            yield (
                f"{output} will not be written, because {' and '.join(missing)} "
                f"{'are' if plural else 'is'} not installed; {pip_command(*missing)} brings "
                f"{'them' if plural else 'it'}."
            )


def installed(package: str) -> bool:
    """Whether a package can be imported, without importing it."""
    from importlib.util import find_spec

    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def pip_command(*packages: str) -> str:
    """The command that installs some packages of one extra, or of the base installation.

    >>> pip_command("openpyxl"), pip_command("altair", "matplotlib")
    ('pip install peergauge', "pip install 'peergauge[report]'")
    """
    extra = next(filter(None, (EXTRA_OF_PACKAGE.get(package) for package in packages)), "")
    return f"pip install 'peergauge[{extra}]'" if extra else "pip install peergauge"


def missing_package(error: ModuleNotFoundError, packages: Collection[str]) -> str | None:
    """Whichever of *packages* an import did not find; None if it missed another module."""
    if error.name is not None:
        name = error.name.partition(".")[0]
        return name if name in packages else None
    # Polars writes the package into the message only.
    words = re.findall(r"\w+", str(error))
    return next((package for package in packages if package in words), None)
