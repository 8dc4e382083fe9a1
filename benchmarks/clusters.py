"""Dask clusters for benchmarks and tests: a scheduler and workers that are programs of their own.

They are started as on a cluster of machines, by ``dask scheduler`` and ``dask worker``, but all on
this machine.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import psutil

MAX_START_SECONDS = 120
"""Seconds that a scheduler or a worker may take to start."""

MAX_END_SECONDS = 20
"""Seconds that programs may take to end before they are killed."""

BUFFER_BYTES = 1 << 16


class Cluster:
    """A running scheduler with its workers.

    Parameters
    ----------
    address
        Address of the scheduler.
    scheduler
        Process of the scheduler.
    workers
        Processes of ``dask worker``; each has a child that computes.
    """

    def __init__(self, address: str, scheduler: psutil.Process, workers: list[psutil.Process]):
        self.address, self.scheduler, self.workers = address, scheduler, workers

    def cpu_seconds(self) -> tuple[float, float]:
        """Processor time of the scheduler, and of all workers, since they were started."""
        return cpu_seconds(self.scheduler), sum(map(cpu_seconds, self.workers))


def cpu_seconds(process: psutil.Process) -> float:
    """Processor time of a process and of its children."""
    every = [process, *process.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in every)


@contextmanager
def cluster(workers: int, *, threads: int = 1, options: tuple[str, ...] = ()) -> Iterator[Cluster]:
    """Context with a cluster of its own.

    Parameters
    ----------
    workers
        Number of ``dask worker`` programs, which have one process each that computes.
    threads
        Number of threads of each worker.
    options
        Further options of ``dask worker``.
    """
    started: list[subprocess.Popen[bytes]] = []
    with TemporaryDirectory() as folder:
        place = Path(folder, "scheduler.json")

        def start(what: str, *words: str) -> psutil.Process:
            command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(place), *words]
            with Path(folder, f"{len(started)}.log").open("wb") as log:
                started.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log))
            return psutil.Process(started[-1].pid)

        try:
            scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
            address = _address(place, started[0])
            found = [
                start("worker", "--nthreads", str(threads), "--memory-limit", "0",
                      "--no-dashboard", "--host", "127.0.0.1", *options)
                for _ in range(workers)
            ]  # fmt: skip
            _wait_for_workers(address, workers)
            yield Cluster(address, scheduler, found)
        finally:
            # The scheduler ends last: a worker that loses its scheduler while it is asked to end
            # may wait for ever for tasks that it has cancelled itself.
            end(started[1:])
            end(started[:1])


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask programs to end, and kill those that do not, with their children."""
    # A worker that is asked to end also ends the process that computes for it.
    for one in processes:
        one.terminate()
    last = time.monotonic() + MAX_END_SECONDS
    for one in processes:
        try:
            one.wait(max(0.0, last - time.monotonic()))
        except subprocess.TimeoutExpired:
            with suppress(psutil.NoSuchProcess):
                for child in psutil.Process(one.pid).children(recursive=True):
                    child.kill()
            one.kill()
            one.wait()


def _address(place: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """The address that a scheduler writes into its file when it listens."""
    last = time.monotonic() + MAX_START_SECONDS
    while time.monotonic() < last and scheduler.poll() is None:
        # The file may be half written.
        with suppress(OSError, ValueError):
            return str(json.loads(place.read_bytes())["address"])
        time.sleep(0.05)
    raise RuntimeError("The Dask scheduler did not start.")


def _wait_for_workers(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=MAX_START_SECONDS)


class Counter:
    """Forwards connections to an address, and counts the bytes that pass in both directions.

    Parameters
    ----------
    address
        ``tcp://HOST:PORT`` of what is connected to.
    """

    def __init__(self, address: str):
        host, port = address.removeprefix("tcp://").rsplit(":", 1)
        self._there = host, int(port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.sent = self.received = 0
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._server.accept()[0]
                try:
                    far = socket.create_connection(self._there)
                except OSError:
                    near.close()
                    raise
                Thread(target=self._send, args=(near, far), daemon=True).start()
                Thread(target=self._receive, args=(far, near), daemon=True).start()

    def _send(self, near: socket.socket, far: socket.socket) -> None:
        for count in _forwarded(near, far):
            self.sent += count

    def _receive(self, far: socket.socket, near: socket.socket) -> None:
        for count in _forwarded(far, near):
            self.received += count


def _forwarded(source: socket.socket, target: socket.socket) -> Iterator[int]:
    """Forward everything from one socket to another, and return the number of bytes, in parts."""
    with suppress(OSError):
        while data := source.recv(BUFFER_BYTES):
            target.sendall(data)
            yield len(data)
    # The other direction ends as well, and closes the other socket.
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
    source.close()
