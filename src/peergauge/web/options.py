"""Options of the server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine can reach."""

MAX_UPLOAD_BYTES = 64 * 2**20
"""Default size of one upload, of all of its files together."""

MAX_UPLOAD_FILES = 50
"""Number of files of one upload."""


@dataclass(frozen=True)
class ServeOptions:
    """How the server runs.

    Parameters
    ----------
    database
        SQLAlchemy URL of the database.
    folder
        Folder for the runs of the laboratory.
    host, port
        The address to listen on.
    token
        Secret that everybody has to give; empty for none.
    accounts
        Whether people sign in with accounts of their own.
    max_upload_bytes
        Size of one upload, of all of its files together.
    workers
        Number of jobs that run at the same time; one more job of a course may run beside them.
    extra_hosts
        Further host names by which the server may be addressed, such as that of a proxy.
    """

    database: str
    folder: Path
    host: str = "127.0.0.1"
    port: int = 8010
    token: str = ""
    accounts: bool = False
    max_upload_bytes: int = MAX_UPLOAD_BYTES
    workers: int = 1
    extra_hosts: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOCAL_HOSTS

    @property
    def is_shared(self) -> bool:
        """Whether others can reach the server, by its address or through a proxy."""
        return not self.is_local or bool(self.extra_hosts)

    @property
    def hosts(self) -> frozenset[str]:
        """Host names by which the server may be addressed; empty for any."""
        if self.host in ("0.0.0.0", "::") and not self.extra_hosts:
            return frozenset()
        return frozenset({self.host, *LOCAL_HOSTS, *self.extra_hosts})
