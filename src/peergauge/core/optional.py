"""Optional packages: which extra installs them, and what happens without them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from peergauge.core.errors import PeergaugeError, TableError

EXTRA_OF_PACKAGE = {
    "altair": "report",
    "dask": "cluster",
    "distributed": "cluster",
    "fastexcel": "sheets",
    "jinja2": "report",
    "markupsafe": "report",
    "matplotlib": "report",
    "openpyxl": "sheets",
    "pandas": "frames",
    "pyarrow": "frames",
    "vl_convert": "report",
}
"""The extra of peergauge that installs each optional package, by the name that is imported."""


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
        report = [package for package, extra in EXTRA_OF_PACKAGE.items() if extra == "report"]
        package = missing_package(error, report)
        if package is None:
            raise
        missing.add(package)


def left_out(output: str, missing: Collection[str]) -> str:
    """One sentence that says which optional output was skipped, why, and how to get it.

    >>> left_out("The page", {"jinja2"})
    "The page is left out, because jinja2 is not installed; pip install 'peergauge[report]', and \
run this again."
    >>> left_out("Figures and page", {"altair", "jinja2"})
    "Figures and page are left out, because altair and jinja2 are not installed; pip install \
'peergauge[report]', and run this again."
    """
    packages = sorted(missing)
    plural = output.endswith("s") or " and " in output
    return (
        f"{output} {'are' if plural else 'is'} left out, because {' and '.join(packages)} "
        f"{'are' if len(packages) > 1 else 'is'} not installed; "
        f"{pip_command(packages[0])}, and run this again."
    )


def pip_command(package: str) -> str:
    """The command that installs an optional package.

    >>> pip_command("openpyxl")
    "pip install 'peergauge[sheets]'"
    """
    return f"pip install 'peergauge[{EXTRA_OF_PACKAGE[package]}]'"


def missing_package(error: ModuleNotFoundError, packages: Collection[str]) -> str | None:
    """Whichever of *packages* an import did not find; None if it missed another module."""
    if error.name is not None:
        name = error.name.partition(".")[0]
        return name if name in packages else None
    # Polars writes the package into the message only.
    words = re.findall(r"\w+", str(error))
    return next((package for package in packages if package in words), None)
