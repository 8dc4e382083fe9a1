"""A real browser, and a real reproduction to look at with it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Without these a browser calls home as soon as it is started.
QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, or a loud skip without it."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium here; the page is NOT tested in a browser")
    # Inside a container the superuser has no sandbox to start.
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*QUIET, *alone])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a quick reproduction leaves, compared with the published results."""
    # Several workers test at a time; the first of them runs, the others wait and look on.
    shared = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if shared else base) / "reproduction"
    command = [sys.executable, "-m", "peergauge.cli", "reproduce", "--scale", "quick"]
    options = ["--out", str(folder), "--seed", "1"]
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    return folder
