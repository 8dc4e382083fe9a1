"""The process that runs one job: ``python -m peergauge.web.jobs.worker JOB``.

Standard input is a pipe from the server. Its first line says which database and options to use, so
that no password is on the command line. The pipe stays open for as long as the server lives: at its
end, the worker kills its whole process group, so that nothing goes on without a server.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

from peergauge.core.errors import NO_ROOM_ERRORS, PeergaugeError
from peergauge.core.private_folder import private_folder
from peergauge.web.jobs.kinds import kind_of
from peergauge.web.jobs.reporting import Reporter
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.errors import NO_ROOM_HERE


def end_group() -> None:
    """Kill this process and all processes that it started."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main(job: str) -> None:
    """Run a job to its end."""
    # Nothing else may read the pipe, so standard input becomes empty.
    pipe = os.fdopen(os.dup(0), "rb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    said = json.loads(pipe.readline() or b"{}")
    if not said:
        return
    Thread(target=_end_with_server, args=(pipe,), name="server", daemon=True).start()
    options = ServeOptions(
        database=said["database"], folder=Path(said["folder"]), workers=said["workers"]
    )
    # The server removes the folder if this process is killed.
    with private_folder(children=True):
        run_job(job, options, said["packages"])


def _end_with_server(pipe: Any) -> None:
    while pipe.read(1):
        pass
    end_group()


def run_job(job: str, options: ServeOptions, packages: Sequence[str]) -> None:
    """Run a job, and write its result or the reason of its failure to the database."""
    store = Store.open(options.database)
    found = store.job(job)
    result, failure = None, ""
    try:
        with Reporter(store, job, end_group) as reporter:
            kind = kind_of(found.kind, packages)
            result = kind.run(found, store, options, reporter.tell)
    except PeergaugeError as error:
        failure = str(error)
    except Exception as error:
        failure = _explained(error)
    if failure or result is None:
        store.fail_job(job, failure or "The job gave no result.")
    else:
        try:
            store.finish_job(job, result)
        except PeergaugeError as error:
            store.fail_job(job, str(error))
    store.close()


def _explained(error: Exception) -> str:
    """Why a job failed, if no plain refusal says so; the messages of the server have the rest."""
    traceback.print_exc()
    if isinstance(error, OSError) and error.errno in NO_ROOM_ERRORS:
        return f"{NO_ROOM_HERE} and start the job again."
    return (
        f"The job failed because of an error in the program ({type(error).__name__}); the "
        "messages of the server have the details."
    )


if __name__ == "__main__":
    main(sys.argv[1])
