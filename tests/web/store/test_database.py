"""Tests of opening a database, and of the sentences where that fails."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from peergauge.web.store import Store, StoreError


def message(url: str) -> str:
    """The sentence about a URL that cannot be used."""
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    assert caught.value.__cause__ is None
    return str(caught.value)


# --------------------------------------------------------------------------------- files


def test_a_new_file_is_private_and_so_is_its_new_folder(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "courses.db"
    before = os.umask(0)
    try:
        store = Store.open(f"sqlite:///{file}")
        store.add_course("Biology", "anna")
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"courses.db": 0o600, "courses.db-wal": 0o600, "courses.db-shm": 0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    store.close()


def test_every_connection_is_safe_and_waits(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'courses.db'}")
    expected = {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "secure_delete": 1,
        "busy_timeout": 30_000,
    }
    with store.engine.connect() as first, store.engine.connect() as second:
        for connection in (first, second):
            found = {name: connection.execute(text(f"PRAGMA {name}")).scalar() for name in expected}
            assert found == expected
    store.close()


def test_a_relative_path_is_found_again_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.open("sqlite:///courses.db")
    monkeypatch.chdir("/")
    store.engine.dispose()
    store.add_course("Biology", "anna")
    assert len(store.courses()) == 1
    assert (tmp_path / "courses.db").is_file()
    store.close()


def test_a_file_that_is_no_database_is_refused_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("student,grade\n" * 1000)
    assert message(f"sqlite:///{file}").startswith(f"The database '{file}' cannot be used (file is")
    assert file.read_text() == "student,grade\n" * 1000


def test_a_folder_and_a_file_as_folder_are_refused(tmp_path: Path) -> None:
    assert "cannot be used (unable to open" in message(f"sqlite:///{tmp_path}")
    (tmp_path / "file").touch()
    assert "cannot be created (" in message(f"sqlite:///{tmp_path / 'file' / 'courses.db'}")
    assert "cannot be created (" in message(f"sqlite:///{tmp_path}/{'x' * 300}.db")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:a?uri=true"])
def test_a_database_without_a_file_is_refused(url: str) -> None:
    assert "names no file" in message(url)


def test_tables_of_another_program_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE courses (title TEXT)")
    connection.close()
    assert "has a table 'courses' that peergauge did not create" in message(f"sqlite:///{file}")


def test_an_error_while_working_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "courses.db"
    store = Store.open(f"sqlite:///{file}")
    with store.engine.begin() as connection:
        connection.execute(text("DROP TABLE events"))
    with pytest.raises(StoreError, match=r"cannot be used \(no such table: events\)") as caught:
        store.add_course("Secret title", "anna")
    assert "Secret title" not in str(caught.value)
    assert store.courses() == []
    store.close()


# --------------------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("", "cannot be read"),
        ("courses.db", "cannot be read"),
        ("postgresql://me:geheimnis@server:port/x", "cannot be read"),
        ("oracel://me:geheimnis@server/x", "There is no kind of database 'oracel'"),
        ("postgresql+nothing://me:geheimnis@server/x", "There is no kind of database"),
        ("postgresql+pg8000://me:geheimnis@server/x", "install the Python package 'pg8000'"),
        ("postgresql+asyncpg://me:geheimnis@server/x", "install the Python package 'asyncpg'"),
        ("postgresql://me:geheimnis@127.0.0.1:1/x", "on 127.0.0.1:1 cannot be used"),
        ("postgresql://me@127.0.0.1:1/x?password=geheimnis", "on 127.0.0.1:1 cannot be used"),
        ("postgresql://me:geheimnis@/x?host=/nowhere", "cannot be used"),
        ("postgresql://me:geheimnis@127.0.0.1:1/x?colour=red", "cannot be used"),
    ],
)
def test_a_url_that_cannot_be_used_is_one_sentence_without_the_password(
    url: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for driver in ("pg8000", "asyncpg"):
        monkeypatch.setitem(sys.modules, driver, None)
    found = message(url)
    assert part in found
    assert "geheimnis" not in found
    assert found.endswith(".")
    assert "\n" not in found


def test_a_wrong_password_is_not_repeated(postgres_url: str) -> None:
    for password in ("geheimnis", "tester"):  # the second is also the name of the user
        url = make_url(postgres_url).set(password=password)
        found = message(url.render_as_string(hide_password=False))
        assert "cannot be used" in found
        assert password not in found


def test_plain_postgresql_means_the_driver_that_is_installed(postgres_url: str) -> None:
    plain = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    missing = make_url(plain).set(database="nothing").render_as_string(hide_password=False)
    assert 'database "nothing" does not exist' in message(missing)


# --------------------------------------------------------------------------------- several at once


def test_a_new_database_may_be_opened_by_several_at_once(database_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: Store.open(database_url), range(6)))
    stores[0].add_course("Biology", "anna")
    assert all(len(store.courses()) == 1 for store in stores)
    for store in stores:
        store.close()


def test_many_threads_share_one_store(store: Store) -> None:
    with ThreadPoolExecutor(30) as pool:
        added = list(pool.map(lambda number: store.add_course(f"{number}", "anna"), range(60)))
    assert {one.id for one in store.courses()} == {one.id for one in added}
