"""Dask clusters to run experiments on."""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from logging import CRITICAL
from typing import TYPE_CHECKING

from peergauge.core.errors import ParameterError, PeergaugeWarning, WorkerError
from peergauge.core.optional import needing
from peergauge.engine.workers import DEATHS, cores, interrupts_held

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
"""What is given instead of an address for a cluster of local processes."""

PATIENCE = 4
"""Seconds that a scheduler may take to answer."""


@contextmanager
def dask_executor(address: str, workers: int | None = None) -> Iterator[Executor]:
    """An executor on a Dask cluster, while the context lasts.

    Parameters
    ----------
    address
        That of a scheduler, ``tcp://HOST:PORT``, or ``local`` for a cluster of local processes,
        which ends with the context.
    workers
        How many local processes; as many as there are cores by default.
    """
    if address != LOCAL:
        _check(address, workers)
    elif workers is not None and workers < 1:
        raise ParameterError(f"At least one worker is needed, but {workers} were given.")
    with needing("distributed", "dask", sentence="A cluster needs Dask", kind=WorkerError):
        import distributed  # noqa: F401
    from distributed.utils import silence_logging_cmgr

    # What it logs is told by errors, in a sentence each.
    with (
        silence_logging_cmgr(CRITICAL),
        _local(workers or cores()) if address == LOCAL else _remote(address) as client,
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
        # A client waits for ever for what listens there but is no scheduler, so we ask first, in a
        # thread because a notebook has a loop of its own.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greet(address)).result()
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkerError(
            f"No Dask scheduler answers at {address}; start one (dask scheduler), or correct the "
            "address."
        ) from error
    with client:
        if not client.nthreads():
            what = f"The scheduler at {address} has no workers yet; the run waits for them."
            warnings.warn(PeergaugeWarning(what), stacklevel=4)
        yield client


async def _greet(address: str) -> None:
    from distributed.comm import connect

    comm = await asyncio.wait_for(connect(address, timeout=PATIENCE), PATIENCE)
    comm.abort()


@contextmanager
def _local(count: int) -> Iterator[Client]:
    import dask
    from distributed import Client, LocalCluster

    settings = {
        # As many deaths at the same piece as local workers may die, and only of what they run.
        "distributed.scheduler.allowed-failures": DEATHS - 1,
        "distributed.scheduler.worker-saturation": 1.0,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        with interrupts_held():
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
