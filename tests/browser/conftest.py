"""A real browser, and a real reproduction and a real server to look at with it."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

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
        # The machine may be busy; nothing here measures time.
        expect.set_options(timeout=30_000)
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


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real server of the web page, over an empty folder."""
    folder = tmp_path_factory.mktemp("served")
    command = [sys.executable, "-m", "peergauge.cli", "serve", "--port", "0", "--no-browser"]
    with (folder / "messages.txt").open("w+", encoding="utf-8") as messages:
        process = subprocess.Popen([*command, "--folder", str(folder / "data")], stderr=messages)
        try:
            yield _address(process, folder / "messages.txt")
        finally:
            process.terminate()
            process.wait(timeout=30)


def _address(process: subprocess.Popen[bytes], messages: Path) -> str:
    """The address that a server prints, as soon as it answers."""
    for _ in range(3000):
        said = messages.read_text(encoding="utf-8")
        assert process.poll() is None, said
        found = re.search(r"The page is at (http://\S+)/", said)
        if found is not None:
            try:
                urlopen(f"{found[1]}/health", timeout=30).close()
            except OSError:
                pass
            else:
                return found[1]
        sleep(0.1)
    raise AssertionError(f"The server did not start: {messages.read_text(encoding='utf-8')}")
