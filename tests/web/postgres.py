"""A real PostgreSQL server that runs for tests and benchmarks only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import make_url

SERVER_PASSWORD = "correct-horse-battery"
MAX_START_SECONDS = 60


@contextmanager
def running_postgres() -> Iterator[str | None]:
    """The URL of a new server on a socket of its own; None if PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        yield None
        return
    programs = found[-1].parent
    # The user of the server must reach the folder, so it is not one of pytest's.
    folder = Path(tempfile.mkdtemp(prefix="peergauge-"))
    user = _server_user()
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        yield from _served(programs, folder, user)
    finally:
        shutil.rmtree(folder)


def _server_user() -> pwd.struct_passwd | None:
    """The user that runs the server; None for the user of the tests."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def _served(programs: Path, folder: Path, user: pwd.struct_passwd | None) -> Iterator[str]:
    """Start a server in a folder, and stop it at the end."""
    uid, gid = (user.pw_uid, user.pw_gid) if user else (None, None)
    groups: list[int] | None = [] if user else None
    data, secret = folder / "data", folder / "password"
    secret.write_text(SERVER_PASSWORD)
    secret.chmod(0o644)
    create: list[str | Path] = [
        programs / "initdb",
        "--pgdata",
        data,
        "--username=tester",
        "--encoding=UTF8",
    ]
    access = ["--locale=C", "--auth=scram-sha-256", f"--pwfile={secret}"]
    done = subprocess.run(
        [*create, *access],
        user=uid,
        group=gid,
        extra_groups=groups,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # The time zone is not UTC, so that a time that is not converted is noticed.
    options = ["-c", "listen_addresses=", "-c", "timezone=Asia/Kolkata", "-c", "fsync=on"]
    log = folder / "log"
    with log.open("w") as written:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", folder, *options],
            user=uid,
            group=gid,
            extra_groups=groups,
            cwd=folder,
            stdout=written,
            stderr=written,
        )
    url = f"postgresql+psycopg://tester:{SERVER_PASSWORD}@/postgres?host={folder}"
    try:
        until = time.monotonic() + MAX_START_SECONDS
        while True:
            try:
                administer(url, "SELECT 1")
                break
            except psycopg.OperationalError:
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
        yield url
    finally:
        server.send_signal(2)  # SIGINT: disconnect everybody, and stop
        server.wait()


def administer(url: str, command: str, name: str = "") -> None:
    """Execute a command about a database on a server."""
    parts = make_url(url)
    with psycopg.connect(
        host=str(parts.query["host"]),
        user=parts.username,
        password=parts.password,
        dbname=parts.database,
        autocommit=True,
    ) as connection:
        connection.execute(sql.SQL(command).format(sql.Identifier(name)) if name else command)
