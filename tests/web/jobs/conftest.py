"""A database and options for tests of jobs, and ways to wait for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peergauge.web.options import ServeOptions
from peergauge.web.store import Store

ROOT = Path(__file__).parents[3]
MAX_WAITING_SECONDS = 180


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, however slow the machine is."""
    last = time.monotonic() + MAX_WAITING_SECONDS
    while not condition():
        assert time.monotonic() < last, "what the test waits for did not happen"
        time.sleep(0.05)


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServeOptions:
    # Workers import kinds of jobs from the tests.
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return ServeOptions(f"sqlite:///{tmp_path / 'jobs.db'}", tmp_path / "folder")


@pytest.fixture
def jobs_store(options: ServeOptions) -> Iterator[Store]:
    store = Store.open(options.database)
    yield store
    store.close()
