"""A real server in a process of its own, to talk to and to kill."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

MAX_START_SECONDS = 300
ADDRESS_PATTERN = re.compile(r"The page is at (http://[^\s/]+)/")


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[bytes]
    address: str

    def client(self) -> httpx2.Client:
        """A program that talks to the server."""
        return httpx2.Client(base_url=self.address, timeout=60)

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def served(folder: Path, *options: str, database: str = "") -> Iterator[Served]:
    """Start a server over a folder, and a database if one is named; end it afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "peergauge.cli", "serve", "--port", "0", "--no-browser"]
    environment = {**os.environ, **({"PEERGAUGE_DATABASE": database} if database else {})}
    messages = folder / f"messages-{time.monotonic_ns()}.txt"
    with messages.open("wb") as written:
        process = subprocess.Popen(
            [*command, "--folder", str(folder / "data"), *options], stderr=written, env=environment
        )
    try:
        yield Served(process, _address(process, messages))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=30)


def _address(process: subprocess.Popen[bytes], messages: Path) -> str:
    """The address that a server prints, as soon as it answers."""
    until = time.monotonic() + MAX_START_SECONDS
    while time.monotonic() < until:
        said = messages.read_text(encoding="utf-8")
        assert process.poll() is None, said
        found = ADDRESS_PATTERN.search(said)
        if found is not None:
            try:
                httpx2.get(f"{found[1]}/health", timeout=30).raise_for_status()
            except httpx2.TransportError:
                pass
            else:
                return found[1]
        time.sleep(0.05)
    raise AssertionError(f"The server did not start: {messages.read_text(encoding='utf-8')}")
