"""Progress bars: for people who watch, on terminals and in notebooks."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from peergauge.core import progress


class Shown:
    """A display of a notebook that keeps what it was told to show."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, what: str, display_id: bool = False) -> Shown:
        assert display_id
        self.texts.append(what)
        return self

    def update(self, what: str) -> None:
        self.texts.append(what)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """A notebook, as far as a progress bar can see it."""
    shown, module = Shown(), ModuleType("IPython.display")
    found: Any = module
    found.display, found.HTML = shown, str
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    return shown


def test_a_notebook_shows_a_bar_that_disappears_at_the_end(notebook: Shown) -> None:
    with progress.counting("Sweep <1>") as tell:
        tell(0, 4)
        tell(4, 4)
    assert notebook.texts[0] == "Sweep &lt;1&gt;"
    assert 'value="0" max="4"' in notebook.texts[1]
    assert "4/4" in notebook.texts[2]
    assert notebook.texts[-1] == ""


def test_a_notebook_is_not_flooded_with_updates(notebook: Shown) -> None:
    with progress.counting("Sweep") as tell:
        for done in range(1001):
            tell(done, 1000)
    # A thousand updates within a fraction of a second: the first, the last and a few in between.
    assert len(notebook.texts) < 30


def test_the_bar_of_a_notebook_disappears_after_an_error_too(notebook: Shown) -> None:
    with pytest.raises(KeyboardInterrupt), progress.counting("Sweep"):
        raise KeyboardInterrupt
    assert notebook.texts[-1] == ""


def test_the_remaining_time_leaves_out_what_an_earlier_run_finished() -> None:
    assert progress.bar_in_html("x", 8, 10, None).endswith("8/10")
    assert progress._remaining(2, 4, 10.0) == 20.0
    assert progress._remaining(0, 4, 10.0) is None


def test_nothing_is_printed_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    with progress.counting("Sweep") as tell:
        tell(1, 2)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert not progress.terminal_bar().disable
    monkeypatch.delenv("FORCE_COLOR")
    assert progress.terminal_bar().disable
