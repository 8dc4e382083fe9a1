"""Optional packages: one sentence names the command, and no other error is swallowed."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

from peergauge.core import optional
from peergauge.core.errors import TableError, WorkerError
from peergauge.core.optional import (
    EXTRA_OF_PACKAGE,
    GRADING_OUTPUTS,
    lacking,
    left_out,
    missing_package,
    needing,
    skipping,
)

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
DISTRIBUTIONS = {
    "django_htmx": "django-htmx",
    "multipart": "python-multipart",
    "vl_convert": "vl-convert-python",
}
"""What is installed under another name than it is imported by."""
BROUGHT_BY_OTHERS = {"dask": "distributed", "markupsafe": "jinja2"}
"""Packages that we do not list, because the package named here requires them."""


def required_by(extra: str) -> set[str]:
    """Distributions that an extra installs, through other extras of ours too; all have the base."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    found: set[str] = set()
    for line in extras[extra]:
        if nested := re.fullmatch(r"peergauge\[(.*)\]", line):
            found |= {name for one in nested[1].split(",") for name in required_by(one)}
        else:
            found.add(re.split(r"[\[<>=]", line)[0])
    return found


@pytest.mark.parametrize("package", EXTRA_OF_PACKAGE)
def test_the_extra_of_a_package_installs_it(package: str) -> None:
    listed = BROUGHT_BY_OTHERS.get(package, package)
    assert DISTRIBUTIONS.get(listed, listed) in required_by(EXTRA_OF_PACKAGE[package])


def test_a_missing_package_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    sentence = r"^This needs pandas and pyarrow; pip install 'peergauge\[frames\]' brings them\.$"
    with pytest.raises(TableError, match=sentence), needing("pandas", "pyarrow"):
        importlib.import_module("pyarrow")


def test_a_missing_part_of_a_package_is_the_package() -> None:
    sentence = r"^This needs pyarrow; pip install 'peergauge\[frames\]' brings it\.$"
    with pytest.raises(TableError, match=sentence), needing("pyarrow"):
        raise ModuleNotFoundError("No module named 'pyarrow.lib'", name="pyarrow.lib")


def test_polars_names_the_package_in_its_message_only() -> None:
    with pytest.raises(TableError, match="This needs pyarrow"), needing("pyarrow"):
        raise ModuleNotFoundError("pa.array requires 'pyarrow' module to be installed")


def test_the_caller_says_what_needs_the_package_and_the_way_around_it() -> None:
    sentence = (
        r"^A cluster needs Dask; pip install 'peergauge\[cluster\]' brings it, or stay here\.$"
    )
    with (
        pytest.raises(WorkerError, match=sentence),
        needing(
            "distributed",
            "dask",
            sentence="A cluster needs Dask",
            otherwise="stay here",
            kind=WorkerError,
        ),
    ):
        raise ModuleNotFoundError("No module named 'dask'", name="dask")


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'tornado'", name="tornado"),
        # Optional, but not what this block asked for.
        ModuleNotFoundError("No module named 'openpyxl'", name="openpyxl"),
        # A module of somebody else whose name begins alike.
        ModuleNotFoundError("No module named 'pyarrow_hotfix'", name="pyarrow_hotfix"),
        ModuleNotFoundError("No module named 'pyarrow_hotfix'"),
        ImportError("cannot import name 'array' from 'pyarrow'", name="pyarrow"),
    ],
    ids=["unknown", "another", "alike", "alike and unnamed", "damaged"],
)
def test_other_errors_pass_through_unchanged(error: ImportError) -> None:
    with pytest.raises(ImportError) as raised, needing("pyarrow"):
        raise error
    assert raised.value is error
    missing: set[str] = set()
    with pytest.raises(ImportError) as raised, skipping(missing):
        raise error
    assert raised.value is error
    assert missing == set()


def test_a_page_without_its_package_is_skipped_and_the_package_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    missing, made = {"altair"}, []
    with skipping(missing):
        importlib.import_module("jinja2")
        made.append("page")
    assert made == []
    assert missing == {"altair", "jinja2"}
    assert left_out("The page", missing) == (
        "The page is left out, because altair and jinja2 are not installed; "
        "pip install peergauge, and run this again."
    )


def test_nothing_is_skipped_where_nothing_is_missing() -> None:
    missing: set[str] = set()
    made = []
    with skipping(missing):
        made.append("page")
    assert made == ["page"]
    assert missing == set()


def test_a_missing_package_is_found_among_those_asked_for_only() -> None:
    error = ModuleNotFoundError("No module named 'altair'", name="altair.vegalite")
    assert missing_package(error, ["altair", "jinja2"]) == "altair"
    assert missing_package(error, ["jinja2"]) is None


@pytest.mark.parametrize("extra", ["grade", "sheets", "report"])
def test_extras_of_older_versions_can_still_be_asked_for(extra: str) -> None:
    assert required_by(extra) <= {"matplotlib"}


def test_what_a_graded_class_is_written_with_is_part_of_the_base_installation() -> None:
    needed = {package for packages in GRADING_OUTPUTS.values() for package in packages}
    assert {DISTRIBUTIONS.get(one, one) for one in needed} <= required_by("")


def test_a_missing_package_is_named_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(lacking(GRADING_OUTPUTS)) == []
    monkeypatch.setattr(optional, "installed", lambda package: package != "openpyxl")
    assert list(lacking(GRADING_OUTPUTS)) == [
        "grades.xlsx will not be written, because openpyxl is not installed; "
        "pip install peergauge brings it."
    ]
