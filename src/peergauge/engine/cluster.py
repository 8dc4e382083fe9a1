"""Executors on Dask clusters."""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from logging import CRITICAL
from time import monotonic
from typing import TYPE_CHECKING, Any

from peergauge.core.errors import ParameterError, PeergaugeWarning, WorkerError
from peergauge.core.optional import needing
from peergauge.engine.workers import (
    MAX_DEATHS_PER_PIECE,
    cores,
    interrupts_held,
    program_left_alone,
)

if TYPE_CHECKING:
    from distributed import Client

LOCAL_ADDRESS = "local"
"""The address of a cluster of local processes, which is started and stopped by the run."""

MAX_SECONDS_WITHOUT_WORKERS = 600.0
"""Seconds that a run waits for workers when a cluster has none."""

MAX_ANSWER_SECONDS = 4
"""Seconds that a scheduler may take to answer."""


@contextmanager
def dask_executor(address: str, workers: int | None = None) -> Iterator[Executor]:
    """Context with an executor on a Dask cluster.

    Parameters
    ----------
    address
        Address of a scheduler, ``tcp://HOST:PORT``, or ``local`` for a cluster of local processes,
        which is stopped at the end of the context.
    workers
        Number of local processes; the number of cores by default.
    """
    if address != LOCAL_ADDRESS:
        _check(address, workers)
    elif workers is not None and workers < 1:
        raise ParameterError(f"At least one worker is needed, but {workers} were given.")
    with needing("distributed", "dask", sentence="A cluster needs Dask", kind=WorkerError):
        import distributed  # noqa: F401
    from distributed.utils import silence_logging_cmgr

    # Errors report the same as the log of Dask, in one sentence each.
    with (
        silence_logging_cmgr(CRITICAL),
        _local(workers or cores()) if address == LOCAL_ADDRESS else _remote(address) as client,
    ):
        yield client.get_executor(pure=False)


def _check(address: str, workers: int | None) -> None:
    found = re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})", address)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise ParameterError(
            f"'{address}' is no address of a Dask scheduler; give tcp://HOST:PORT, such as "
            "tcp://127.0.0.1:8786, or local."
        )
    if workers is not None:
        raise ParameterError(
            f"The cluster at {address} has workers of its own; a number of workers goes with local "
            "ones."
        )


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    from distributed import Client

    try:
        # A client waits for ever if something other than a scheduler listens there, so we connect
        # first; in a thread, because a notebook has an event loop of its own.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greet(address)).result()
        client = Client(address, timeout=MAX_ANSWER_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkerError(
            f"No Dask scheduler answers at {address}; start one (dask scheduler), or correct the "
            "address."
        ) from error
    with client:
        refuse_other_dask(client.get_versions(), address)
        if not client.nthreads():
            what = f"The scheduler at {address} has no workers yet; the run waits for them."
            warnings.warn(PeergaugeWarning(what), stacklevel=4)
        yield client


def refuse_other_dask(versions: Mapping[str, Any], address: str) -> None:
    """Refuse a cluster with another version of Dask, with which tasks are sent and never begin.

    Parameters
    ----------
    versions
        What Dask says of the packages on this machine, on the scheduler and on each worker.
    address
        Address of the scheduler.
    """
    own = versions["client"]["packages"]["distributed"]
    there = {f"The scheduler at {address}": versions["scheduler"]}
    there |= {f"The worker at {name}": one for name, one in versions["workers"].items()}
    for who, one in there.items():
        version = one["packages"]["distributed"]
        if version != own:
            raise WorkerError(
                f"{who} has version {version} of Dask, and this machine has {own}; install the "
                "same version on all machines."
            )


class Patience:
    """Waits for the workers of a cluster, but not for ever.

    Parameters
    ----------
    executor
        Any executor; only those of Dask are asked for their workers.
    """

    def __init__(self, executor: Executor) -> None:
        self._client = getattr(executor, "_client", None)
        self._since: float | None = None

    def look(self) -> None:
        """Warn if the cluster has lost all of its workers; refuse to wait for too long."""
        count = getattr(self._client, "nthreads", None)
        if count is None or count():
            self._since = None
            return
        if self._since is None:
            self._since = monotonic()
            what = "The cluster has no workers any more; the run waits for new ones."
            warnings.warn(PeergaugeWarning(what), stacklevel=2)
        elif monotonic() - self._since > MAX_SECONDS_WITHOUT_WORKERS:
            raise WorkerError(
                f"The cluster has had no workers for {MAX_SECONDS_WITHOUT_WORKERS:g} seconds; start"
                " some (dask worker), and run the same command again to continue."
            )


async def _greet(address: str) -> None:
    from distributed.comm import connect

    comm = await asyncio.wait_for(connect(address, timeout=MAX_ANSWER_SECONDS), MAX_ANSWER_SECONDS)
    comm.abort()


@contextmanager
def _local(count: int) -> Iterator[Client]:
    import dask
    from distributed import Client, LocalCluster

    settings = {
        # The same number of deaths per piece as for local workers; count running pieces only.
        "distributed.scheduler.allowed-failures": MAX_DEATHS_PER_PIECE - 1,
        "distributed.scheduler.worker-saturation": 1.0,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        with interrupts_held(), program_left_alone():
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    memory_limit=0,
                    silence_logs=CRITICAL,
                )
            )
        yield stack.enter_context(Client(cluster, set_as_default=False))
