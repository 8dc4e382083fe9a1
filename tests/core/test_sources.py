"""Whose code a module is, what it imports, and whether it is what its file says."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from peergauge.core import sources
from peergauge.core.sources import (
    Source,
    imported_by,
    is_interactive,
    is_outdated,
    is_users,
    plain_text,
    source_of,
    with_imports,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's folder that can be imported from."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]
    importlib.invalidate_caches()


def written(folder: Path, **files: str) -> None:
    """Write modules, with a double underscore between a package and what is in it."""
    for name, text in files.items():
        package, _, inside = name.partition("__")
        path = folder / package / f"{inside}.py" if inside else folder / f"{package}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    importlib.invalidate_caches()


@pytest.mark.parametrize("module", ["peergauge.mechanisms", "json", "numpy", "polars.io", "pytest"])
def test_what_is_installed_is_not_the_users(module: str) -> None:
    assert not is_users(module)
    assert not is_interactive(module)


def test_what_has_no_file_is_followed_name_by_name() -> None:
    assert is_users("__main__")
    assert is_interactive("__main__")
    assert is_interactive("no_such_module_anywhere")


def test_imports_are_found_at_any_depth_and_without_importing(folder: Path) -> None:
    written(
        folder,
        usersplug="import numpy, json\nimport helperone\n"
        "def late():\n    from userspack import parttwo\n",
        helperone="from helpertwo import x\n",
        helpertwo="x = 1\n",
        unrelated="y = 2\n",
        userspack____init__="",
        userspack__parttwo="from . import partthree\nfrom .partthree import z\n",
        userspack__partthree="z = 3\n",
        userspack__partfour="z = 4\n",
    )
    found = with_imports(["usersplug"])
    assert set(found) == {
        "usersplug", "helperone", "helpertwo", "userspack", "userspack.parttwo",
        "userspack.partthree",
    }  # fmt: skip
    assert found["helpertwo"].text == "x = 1\n"
    assert found["userspack"].package
    assert "helperone" not in sys.modules
    assert "userspack" not in sys.modules


def test_a_cycle_of_imports_ends(folder: Path) -> None:
    written(folder, cycleone="import cycletwo\n", cycletwo="import cycleone\n")
    assert set(with_imports(["cycleone"])) == {"cycleone", "cycletwo"}


def test_an_installed_plugin_brings_its_own_distribution_along_and_no_other(folder: Path) -> None:
    (folder / "shop-1.0.dist-info").mkdir()
    written(folder, shop____init__="", shop__owls="import shop.feathers\nimport otherdist\n",
            shop__feathers="", otherdist="")  # fmt: skip
    sources._is_installation.cache_clear()
    assert not is_users("shop.owls")
    assert set(with_imports(["shop.owls"])) == {"shop", "shop.owls", "shop.feathers"}
    assert with_imports(["otherdist"]).keys() == {"otherdist"}


def test_relative_imports_are_resolved() -> None:
    source = Source("a.b.c", "c.py", "from . import d\nfrom ..e import f\nimport g.h as i\n")
    assert list(imported_by(source)) == ["a.b", "a.b.d", "a.e", "a.e.f", "g.h"]
    package = Source("a.b", "__init__.py", "from . import d\n", package=True)
    assert list(imported_by(package)) == ["a.b", "a.b.d"]


@pytest.mark.parametrize(
    "edit",
    [
        "LIMIT = 4\ndef area(x):\n    return LIMIT * x\n",
        "LIMIT = 3\ndef area(x):\n    return LIMIT + x\n",
        "LIMIT = 3\ndef area(x):\n    return LIMIT * x\ndef (",
        "LIMIT = 3\ndef area(x):\n    return LIMIT * x\nclass Late:\n    pass\n",
    ],
)
def test_a_file_that_changed_after_its_import_is_noticed(folder: Path, edit: str) -> None:
    text = "LIMIT = 3\ndef area(x):\n    return LIMIT * x\n"
    written(folder, changing=text)
    importlib.import_module("changing")
    source = source_of("changing")
    assert source is not None
    assert not is_outdated(source)
    # A comment changes no number.
    assert not is_outdated(source._replace(text=f"# A comment.\n\n{text}"))
    assert is_outdated(source._replace(text=edit))


@pytest.mark.parametrize(
    ("before", "after"),
    [("width = 1", "width = 2"), ("def size(self): return 1", "def size(self): return 2"),
     ("    pass", "    def more(self): return 1"), ("label='a'", "label='b'")],
    ids=["a default", "a method", "a new method", "a fact"],
)  # fmt: skip
def test_a_class_that_changed_after_its_import_is_noticed(
    folder: Path, before: str, after: str
) -> None:
    text = (
        "from dataclasses import dataclass\nfrom peergauge.core.registry import Plugin\n"
        "from petshop2 import pets\n@pets.register('owl', label='a', source='')\n"
        "@dataclass(frozen=True)\nclass Owl(Plugin):\n    width = 1\n"
        "    def size(self): return 1\n    pass\n"
    )
    shop = "from peergauge.core.registry import Facts, Registry\n"
    written(folder, owls=text, petshop2=f"{shop}pets = Registry('pet', 'json', Facts)\n")
    importlib.import_module("owls")
    source = source_of("owls")
    assert source is not None
    assert text.count(before) == 1
    assert not is_outdated(source)
    assert is_outdated(source._replace(text=text.replace(before, after)))


def test_a_module_whose_variable_was_set_by_others_is_noticed(folder: Path) -> None:
    written(folder, patched="LIMIT = 3\nCACHE = {}\nTWICE = 1\nTWICE = 2\n")
    module = importlib.import_module("patched")
    source = source_of("patched")
    assert source is not None
    module.CACHE["a"] = 1
    assert not is_outdated(source)
    vars(module)["LIMIT"] = 5
    assert is_outdated(source)


def test_comments_layout_and_docstrings_do_not_matter() -> None:
    one = '"""Doc."""\ndef f(x):\n    """More."""\n    return x + 1\n'
    other = "def f( x ):  # why\n\n    return (x + 1)\n"
    assert plain_text(one) == plain_text(other)
    assert plain_text(one) != plain_text(one.replace("+ 1", "+ 2"))


def test_a_remembered_text_counts_instead_of_the_file(folder: Path) -> None:
    written(folder, remembered="x = 1\n")
    sources.remember(Source("remembered", "remembered.py", "x = 2\n"))
    try:
        found = source_of("remembered")
        assert found is not None
        assert found.text == "x = 2\n"
    finally:
        sources.forget("remembered")
