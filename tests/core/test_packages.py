"""Packages of modules list them, and import them when they are used."""

from __future__ import annotations

import pytest

from peergauge import engine
from peergauge.core.packages import lazy_modules


def test_modules_are_listed_and_imported_by_name() -> None:
    find, listed = lazy_modules("peergauge.engine", engine.__path__)
    assert {"experiment", "runner"} <= set(listed())
    assert find("runner").__name__ == "peergauge.engine.runner"
    with pytest.raises(AttributeError, match=r"module 'peergauge.engine' has no attribute 'rnner'"):
        find("rnner")


def test_every_listed_module_exists() -> None:
    from peergauge import classroom, lab

    for package in (classroom, engine, lab):
        for name in dir(package):
            assert getattr(package, name).__name__ == f"{package.__name__}.{name}"
