"""Servers in this process to attack, with a course whose texts are hostile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from peergauge.web.app import create_app
from peergauge.web.options import ServeOptions
from peergauge.web.screens import accounts
from peergauge.web.throttle import Throttle

Serve = Callable[..., TestClient]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A function that starts a server on a folder of its own, in which no job runs."""
    with ExitStack() as stack:

        def start(*, raises: bool = True, **options: Any) -> TestClient:
            given: dict[str, Any] = {"extra_hosts": ("testserver",), "workers": 0, **options}
            address = f"sqlite:///{tmp_path / 'data' / 'peergauge.db'}"
            app = create_app(ServeOptions(address, tmp_path / "data", **given))
            client = TestClient(app, raise_server_exceptions=raises, follow_redirects=False)
            return stack.enter_context(client)

        yield start


@pytest.fixture(autouse=True)
def new_throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the wrong passwords of other tests."""
    monkeypatch.setattr(accounts, "throttle", Throttle())
