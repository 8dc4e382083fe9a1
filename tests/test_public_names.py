"""Every public name explains itself, with an example that runs."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

import peergauge

MODULES = ("peergauge", *(f"peergauge.{name}" for name in peergauge.PACKAGES))


def public() -> dict[str, Any]:
    """Classes and functions that the packages list, by their full names."""
    return {
        f"{module}.{name}": value
        for module in MODULES
        for package in [importlib.import_module(module)]
        for name in getattr(package, "__all__", ())
        if callable(value := getattr(package, name))
        and not inspect.ismodule(value)
        # Decorators that register plug-ins are methods of the registry.
        and not inspect.ismethod(value)
    }


def test_public_names_are_found() -> None:
    found = public()
    assert len(found) > 80
    assert {"peergauge.score", "peergauge.tables.Reports", "peergauge.datasets.load"} <= set(found)


@pytest.mark.parametrize(("name", "value"), public().items(), ids=public())
def test_a_public_name_has_a_docstring_with_an_example(name: str, value: Any) -> None:
    text = inspect.getdoc(value) or ""
    first = text.split("\n\n")[0]
    assert len(first) > 10, f"{name} has no docstring"
    assert first.rstrip().endswith((".", "?")), f"the docstring of {name} begins with no sentence"
    # pytest runs the examples of all modules.
    assert ">>> " in text, f"the docstring of {name} has no example"


@pytest.mark.parametrize("module", MODULES)
def test_a_public_package_says_what_it_is_and_what_it_has(module: str) -> None:
    package = importlib.import_module(module)
    assert package.__doc__
    assert dir(package)
    assert all(hasattr(package, name) for name in dir(package))
