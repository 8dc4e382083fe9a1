"""A module is imported when it is first used, and once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars
import pytest

from peergauge.core.lazy import LazyModule, pl


def test_nothing_is_imported_before_an_attribute_is_used() -> None:
    code = (
        "import sys; from peergauge.core.lazy import pl; before = 'polars' in sys.modules; "
        "pl.DataFrame; print(before, 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_attributes_are_those_of_the_module() -> None:
    assert pl.DataFrame is polars.DataFrame
    assert pl.exceptions is polars.exceptions


def test_an_attribute_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counted_module.py").write_text(
        "asked = []\n\ndef __getattr__(name):\n    asked.append(name)\n    return 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = LazyModule("counted_module")
    assert (module.anything, module.anything) == (7, 7)
    assert module.asked == ["anything"]


def test_an_attribute_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        LazyModule("json").no_such_thing  # noqa: B018


def test_threads_that_ask_at_once_get_the_same_object() -> None:
    module = LazyModule("decimal")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: module.Decimal, range(64)))
    assert len(found) == 1


def test_it_says_what_it_is() -> None:
    assert repr(LazyModule("polars")) == "<lazily imported module 'polars'>"
