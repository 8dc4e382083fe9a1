"""The command itself: it listens to this machine only, and elsewhere it asks for its token."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import psutil
import pytest

MAX_START_SECONDS = 60


@contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[psutil.Process, str]]:
    """A server in a process of its own, and the address that it prints."""
    # The script of the environment may belong to another checkout.
    start = "from peergauge.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*command, "--folder", str(folder), *words], stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        try:
            assert child.stdout is not None
            said = ""
            while "Ctrl-C" not in said and (line := child.stdout.readline()):
                said += line.strip() + " "
            address = re.search(r"http://\S+", said)
            assert address is not None, said
            yield psutil.Process(child.pid), address[0]
        finally:
            child.terminate()


def status(url: str, **headers: str) -> int:
    """The status of an answer; the address is printed shortly before the server listens."""
    until = time.monotonic() + MAX_START_SECONDS
    while True:
        try:
            with urlopen(Request(url, headers=headers), timeout=MAX_START_SECONDS) as answer:
                return int(answer.status)
        except HTTPError as error:
            error.close()
            return error.code
        except URLError:
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.05)


@pytest.mark.slow
def test_by_default_only_this_machine_is_listened_to(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        assert status(address) == 200
        listening = [one.laddr.ip for one in process.net_connections() if one.status == "LISTEN"]
        assert listening == ["127.0.0.1"]
        assert status(address, Host="evil.example") == 421


@pytest.mark.slow
def test_a_name_for_a_proxy_needs_the_token_that_is_printed(tmp_path: Path) -> None:
    with served(tmp_path, "--allow-host", "grades.example") as (_, address):
        root, token = address.split("/?token=")
        assert status(f"{root}/api/courses", Host="grades.example") == 401
        assert status(f"{root}/api/courses") == 401
        assert status(f"{root}/api/courses", Authorization=f"Bearer {token}") == 200


@pytest.mark.slow
def test_an_open_address_needs_the_token_that_is_printed(tmp_path: Path) -> None:
    with served(tmp_path, "--host", "0.0.0.0") as (_, address):
        found = re.fullmatch(r"http://0\.0\.0\.0:(\d+)/\?token=([\w-]{20,})", address)
        assert found is not None, address
        root = f"http://127.0.0.1:{found[1]}/api/courses"
        assert status(root) == 401
        assert status(f"{root}?token={found[2][:-1]}") == 401
        assert status(root, Authorization=f"Bearer {found[2]}") == 200
