"""Progress of a job: written to the database by a thread, a few times a second."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread

from peergauge.web.store import MissingError, Store, StoreError

REPORTS_PER_SECOND = 4
"""Maximum number of times a second that progress is written."""


class Reporter:
    """Writes the newest progress of a job, and notices that the job was cancelled.

    Parameters
    ----------
    store
        The database.
    job
        Id of the job.
    cancelled
        Called if the job is no longer running.
    """

    def __init__(self, store: Store, job: str, cancelled: Callable[[], None]):
        self._store, self._job, self._cancelled = store, job, cancelled
        self._lock, self._ending = Lock(), Event()
        self._newest: tuple[str, int, int] | None = None
        self._thread = Thread(target=self._write_repeatedly, name="progress", daemon=True)

    def __enter__(self) -> Reporter:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def tell(self, step: str, done: int, of: int) -> None:
        """Remember the progress, which is written soon."""
        with self._lock:
            self._newest = (step, int(done), int(of))

    def _write_repeatedly(self) -> None:
        while not self._ending.wait(1 / REPORTS_PER_SECOND):
            with self._lock:
                newest, self._newest = self._newest, None
            if newest is not None and not self._write(*newest):
                self._cancelled()
                return

    def _write(self, step: str, done: int, of: int) -> bool:
        """Write progress; False if the job is no longer running, or was deleted."""
        try:
            return self._store.progress_job(self._job, step, done, of)
        except MissingError:
            return False
        except StoreError:
            # The database may be busy; the next report will be written.
            return True
