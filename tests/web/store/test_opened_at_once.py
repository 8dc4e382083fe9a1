"""Several servers that open one database at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from peergauge.web.store import Store

SERVERS = 4
MAX_WAIT_SECONDS = 60


def test_servers_that_start_at_once_bring_the_database_up_to_date_once(database_url: str) -> None:
    together = Barrier(SERVERS)

    def start(number: int) -> str:
        together.wait(MAX_WAIT_SECONDS)
        store = Store.open(database_url)
        try:
            return store.add_course(f"Course {number}", who="anna").title
        finally:
            store.close()

    with ThreadPoolExecutor(SERVERS) as pool:
        made = list(pool.map(start, range(SERVERS)))
    store = Store.open(database_url)
    try:
        assert sorted(one.title for one in store.courses()) == sorted(made)
    finally:
        store.close()
