"""Opening of a database, and its transactions."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, Row, Select, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from peergauge.web.store.errors import (
    FullDiskError,
    MissingError,
    StoreError,
    UnavailableError,
)
from peergauge.web.store.migrations import upgrade

WRITE_OPTION = "peergauge_write"
"""Execution option of connections whose transactions write."""

MAX_LOCK_SECONDS = 30
"""A transaction waits this long for other transactions of an SQLite file."""

MAX_CONNECT_SECONDS = 10
"""A server has this long to accept a connection."""

MAX_SPARE_CONNECTIONS = 15
"""Connections beyond the first five, for moments with many requests."""

UPGRADE_LOCK_NUMBER = 7_337_481_543
"""Number of PostgreSQL's advisory lock during an upgrade of the schema."""

PUBLIC_OPTIONS = ("application_name", "connect_timeout", "host", "port", "sslmode")
"""Options of a URL that messages may repeat."""

FULL_DISK_STATE = "53100"
"""Code of PostgreSQL's error on a full disk."""

MAX_INTEGER = 2**31 - 1
"""Largest number that an integer column stores in every database."""


class Database:
    """An open database, shared by all threads of a process.

    Parameters
    ----------
    engine
        SQLAlchemy's engine, configured by :meth:`open`.
    """

    def __init__(self, engine: Engine):
        self.engine = engine
        self._writer = engine.execution_options(**{WRITE_OPTION: True})

    @classmethod
    def open(cls, url: str) -> Self:
        """Open a database; create it if it is new, and upgrade its schema if it is old.

        Parameters
        ----------
        url
            SQLAlchemy's URL of the database, for example ``sqlite:////home/me/courses.db`` or
            ``postgresql+psycopg://me:password@server/courses``.
        """
        address = _checked(url)
        is_file = address.get_backend_name() == "sqlite"
        if is_file:
            address = _created_file(address)
        opened = cls(_file_engine(address) if is_file else _server_engine(address))
        try:
            if is_file:
                with opened._explained():
                    opened._start_write_ahead_log()
            with opened._writing() as connection:
                if connection.dialect.name == "postgresql":
                    lock = text("SELECT pg_advisory_xact_lock(:number)")
                    connection.execute(lock, {"number": UPGRADE_LOCK_NUMBER})
                upgrade(connection)
            opened._erase_deleted()
        except BaseException:
            opened.close()
            raise
        return opened

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._explained(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._explained(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        # The original error is dropped, because it may quote a password or data of students.
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            kind = FullDiskError if _is_full(error) else UnavailableError
            raise kind(_sentence(self.engine.url, error)) from None

    @staticmethod
    def _one(
        connection: Connection, query: Select[*tuple[Any, ...]], kind: str, name: object
    ) -> Row[*tuple[Any, ...]]:
        found = connection.execute(query).first()
        if found is None:
            raise MissingError(kind, name)
        return found

    def _start_write_ahead_log(self) -> None:
        # SQLite does not wait for other processes that switch the journal at the same moment.
        until = time.monotonic() + MAX_LOCK_SECONDS
        mode = None
        while mode is None:
            try:
                mode = self._pragma("journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.05)
        if mode != "wal":
            raise StoreError(
                f"The folder of '{self.engine.url.database}' cannot hold an SQLite database with a"
                " write-ahead log; give a file on a local disk."
            )

    def _erase_deleted(self) -> None:
        """Remove deleted rows from memory, and from the files of an SQLite database.

        SQLAlchemy keeps compiled statements with the values that they were first executed with,
        such as the content of an uploaded file. SQLite overwrites deleted rows with zeros, but
        earlier copies of them stay in the write-ahead log until the log is truncated. If other
        transactions do not end in time, the log is truncated after the next deletion or at the next
        opening.
        """
        self.engine.clear_compiled_cache()
        if self.engine.dialect.name == "sqlite":
            with self._explained(), suppress(sqlite3.OperationalError):
                self._pragma("wal_checkpoint(TRUNCATE)")

    def _pragma(self, pragma: str) -> object:
        connection = self.engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA {pragma}")
            row = cursor.fetchone()
            cursor.close()
            return row[0] if row else None
        finally:
            connection.close()


# --------------------------------------------------------------------------------- engines


def _file_engine(address: URL) -> Engine:
    engine = create_engine(
        address,
        hide_parameters=True,
        max_overflow=MAX_SPARE_CONNECTIONS,
        connect_args={"timeout": MAX_LOCK_SECONDS},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not by the driver's guess
        cursor = connection.cursor()
        for pragma in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that first reads and then writes fails if another one wrote in between.
        writes = connection.get_execution_options().get(WRITE_OPTION, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _server_engine(address: URL) -> Engine:
    options: dict[str, Any] = {}
    if address.get_backend_name() == "postgresql" and "connect_timeout" not in address.query:
        options["connect_timeout"] = MAX_CONNECT_SECONDS
    try:
        return create_engine(
            address,
            hide_parameters=True,
            max_overflow=MAX_SPARE_CONNECTIONS,
            pool_pre_ping=True,  # a server that was restarted has closed its old connections
            connect_args=options,
        )
    except SQLAlchemyError as error:
        raise StoreError(_sentence(address, error)) from None


# --------------------------------------------------------------------------------- addresses


def _checked(url: str) -> URL:
    """A parsed URL whose driver is installed."""
    example = "give one such as sqlite:////home/me/courses.db"
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError(f"The URL of the database cannot be read; {example}.") from None
    if address.drivername in {"postgres", "postgresql"}:
        address = address.set(drivername="postgresql+psycopg")
    try:
        dialect = address.get_dialect()
        dialect.import_dbapi()
    except (NoSuchModuleError, ArgumentError, AttributeError):
        raise StoreError(
            f"There is no kind of database '{address.drivername}'; {example}."
        ) from None
    except ImportError as error:
        raise StoreError(
            f"The driver of '{address.drivername}' is not installed; install the Python package"
            f" '{error.name}'."
        ) from None
    if dialect.is_async:
        raise StoreError(
            f"The driver of '{address.drivername}' is asynchronous, but a synchronous driver is"
            " needed; use sqlite or postgresql+psycopg."
        )
    return address


def _created_file(address: URL) -> URL:
    """The URL of an SQLite file with an absolute path; only the user can read a new file."""
    name = address.database
    if not name or name == ":memory:" or name.startswith("file:"):
        raise StoreError(
            "The URL of the database names no file; give one such as sqlite:////home/me/courses.db."
        )
    file = Path(name).absolute()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StoreError(
            f"The database '{file}' cannot be created ({why}); give a file in a folder of yours."
        ) from None
    return address.set(database=str(file))


def _is_full(error: Exception) -> bool:
    """Whether a database had no room on its disk."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return getattr(original, "sqlstate", None) == FULL_DISK_STATE


def _sentence(address: URL, error: Exception) -> str:
    """One sentence about an error of a database, without any secret of its URL."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    lines = str(original).strip().splitlines()
    why = lines[0].strip().rstrip(".") if lines else type(original).__name__
    hidden = (value for name, value in address.query.items() if name not in PUBLIC_OPTIONS)
    secrets = [str(address.password or ""), *_texts(hidden)]
    if any(secret and secret in why for secret in secrets):
        why = type(original).__name__
    if address.get_backend_name() == "sqlite":
        return (
            f"The database '{address.database}' cannot be used ({why}); check that the file is"
            " an SQLite database that you may write, and that the disk is not full."
        )
    place = f"{address.host or 'localhost'}{f':{address.port}' if address.port else ''}"
    return (
        f"The database '{address.database or ''}' on {place} cannot be used ({why}); check its"
        " URL, and that the server is running and lets you in."
    )


def _texts(values: Iterable[str | tuple[str, ...]]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        else:
            yield from value
