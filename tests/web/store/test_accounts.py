"""Tests of accounts, of their sessions and of their roles."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from peergauge.web.store import Account, MissingError, Store, StoreError
from peergauge.web.store import accounts as accounts_module
from peergauge.web.store.records import now
from peergauge.web.store.schema import accounts, sessions

PASSWORD = "a long password"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Hash quickly, because most of these tests are not about hashing."""
    if "costly" not in request.node.name:
        monkeypatch.setattr(accounts_module, "SCRYPT_COSTS", (2, 8, 1))


@pytest.fixture
def course(store: Store) -> str:
    for name in ("anna", "bert"):
        store.add_account(name, PASSWORD)
    return store.add_course("Biology", "anna").id


# --------------------------------------------------------------------------------- accounts


def test_a_password_is_checked(store: Store) -> None:
    assert store.add_account("anna", PASSWORD) == Account("anna")
    assert store.check_password("anna", PASSWORD)
    for name, password in [
        ("anna", "another password"),
        ("anna", ""),
        ("anna", "\ud800"),
        ("Anna", PASSWORD),
        ("nobody", PASSWORD),
        ("nobody", ""),
        ("a\0b", PASSWORD),
    ]:
        assert not store.check_password(name, password)


def test_composed_and_decomposed_letters_are_the_same_password(store: Store) -> None:
    store.add_account("anna", "gar zu s\u00fc\u00dfe Worte")
    assert store.check_password("anna", "gar zu su\u0308\u00dfe Worte")


def test_costly_hashes_are_salted_and_the_password_is_not_stored(store: Store) -> None:
    for name in ("anna", "bert"):
        store.add_account(name, PASSWORD)
    with store.engine.begin() as connection:
        stored = [row.password for row in connection.execute(select(accounts))]
    assert len({text.rpartition("$")[2] for text in stored}) == 2
    for text in stored:
        method, cost, size, parallel, _, _ = text.split("$")
        assert PASSWORD not in text
        # The least that OWASP recommends for scrypt.
        assert (method, int(cost), int(size), int(parallel)) == ("scrypt", 2**15, 8, 3)
    assert store.check_password("anna", PASSWORD)


def test_an_unknown_name_costs_a_hash_like_a_known_one_when_hashes_are_costly(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_account("anna", PASSWORD)
    costs: list[tuple[int, int, int]] = []
    original = hashlib.scrypt

    def counted(password: bytes, *, salt: bytes, n: int, r: int, p: int, maxmem: int) -> bytes:
        costs.append((n, r, p))
        return original(password, salt=salt, n=n, r=r, p=p, maxmem=maxmem)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    store.check_password("anna", "another password")
    store.check_password("nobody", "another password")
    assert len(costs) == 2
    assert costs[0] == costs[1]


def test_short_passwords_are_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="has 9 letters; choose one with at least 10"):
        store.add_account("anna", "123456789")
    store.add_account("anna", "1234567890")
    with pytest.raises(StoreError, match="at least 10 letters"):
        store.set_password("anna", "short")
    assert store.check_password("anna", "1234567890")


@pytest.mark.parametrize("name", ["", "x" * 65, "an na", "anna\n", "änna", "a/b", "a\0b"])
def test_unsuitable_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="is not a name for an account"):
        store.add_account(name, PASSWORD)
    assert store.accounts() == []


def test_accounts_are_listed_by_name_and_names_are_unique(store: Store) -> None:
    for name in ("bert", "x" * 64, "anna.b-c_d@example.org"):
        store.add_account(name, PASSWORD)
    found = ["anna.b-c_d@example.org", "bert", "x" * 64]
    assert [one.name for one in store.accounts()] == found
    with pytest.raises(StoreError, match="There is an account 'bert' already"):
        store.add_account("bert", "another password")
    assert store.check_password("bert", PASSWORD)


def test_a_changed_password_ends_all_sessions(store: Store) -> None:
    store.add_account("anna", PASSWORD)
    token = store.add_session("anna")
    store.set_password("anna", "another password")
    assert store.check_password("anna", "another password")
    assert not store.check_password("anna", PASSWORD)
    assert store.session_account(token) is None


def test_a_deleted_account_is_gone_with_its_sessions_and_roles(store: Store, course: str) -> None:
    store.set_role(course, "anna", "instructor")
    store.set_role(course, "bert", "reader")
    token = store.add_session("bert")
    store.delete_account("bert")
    assert store.accounts() == [Account("anna")]
    assert store.session_account(token) is None
    assert store.members(course) == {"anna": "instructor"}


def test_unknown_accounts_are_missing(store: Store, course: str) -> None:
    for ask in (
        store.delete_account,
        store.add_session,
        store.end_sessions,
        store.courses_of,
        lambda name: store.set_password(name, PASSWORD),
        lambda name: store.set_role(course, name, "reader"),
    ):
        with pytest.raises(MissingError, match="There is no account 'nobody'"):
            ask("nobody")


# --------------------------------------------------------------------------------- sessions


def test_a_session_lasts_until_it_is_ended(store: Store) -> None:
    store.add_account("anna", PASSWORD)
    first, second, third = (store.add_session("anna") for _ in range(3))
    assert [store.session_account(one) for one in (first, second, third)] == ["anna"] * 3
    store.end_session(first)
    store.end_session(first)
    assert [store.session_account(one) for one in (first, second)] == [None, "anna"]
    store.end_sessions("anna")
    assert [store.session_account(one) for one in (second, third)] == [None, None]
    assert store.session_account("\ud800") is None


def test_only_the_digest_of_a_token_is_stored(store: Store) -> None:
    store.add_account("anna", PASSWORD)
    token = store.add_session("anna")
    with store.engine.begin() as connection:
        [row] = connection.execute(select(sessions))
    assert row.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token not in tuple(row)
    assert timedelta(hours=11) < row.expires - now() <= timedelta(hours=12)


def test_a_session_expires_and_is_removed_at_the_next_login(store: Store) -> None:
    store.add_account("anna", PASSWORD)
    token = store.add_session("anna")
    with store.engine.begin() as connection:
        connection.execute(update(sessions).values(expires=now() - timedelta(seconds=1)))
    assert store.session_account(token) is None
    fresh = store.add_session("anna")
    with store.engine.begin() as connection:
        [row] = connection.execute(select(sessions))
    assert row.digest == hashlib.sha256(fresh.encode()).hexdigest()


# --------------------------------------------------------------------------------- memberships


def test_roles_are_given_changed_and_taken(store: Store, course: str) -> None:
    assert store.role(course, "anna") is None
    store.set_role(course, "bert", "reader")
    store.set_role(course, "anna", "instructor")
    assert store.members(course) == {"anna": "instructor", "bert": "reader"}
    store.set_role(course, "bert", "assistant")
    assert store.role(course, "bert") == "assistant"
    assert store.courses_of("bert") == [store.course(course)]
    store.remove_member(course, "bert")
    assert store.role(course, "bert") is None
    assert store.courses_of("bert") == []
    with pytest.raises(MissingError, match="There is no member 'bert'"):
        store.remove_member(course, "bert")
    with pytest.raises(StoreError, match="There is no role 'owner'; choose one of instructor"):
        store.set_role(course, "anna", "owner")


def test_the_last_instructor_stays(store: Store, course: str) -> None:
    store.set_role(course, "anna", "instructor")
    store.set_role(course, "bert", "assistant")
    changes: list[Callable[[], None]] = [
        lambda: store.set_role(course, "anna", "reader"),
        lambda: store.remove_member(course, "anna"),
        lambda: store.delete_account("anna"),
    ]
    for change in changes:
        with pytest.raises(StoreError, match="'anna' is the last instructor of the course 'Biol"):
            change()
    store.set_role(course, "anna", "instructor")
    store.set_role(course, "bert", "instructor")
    store.delete_account("anna")
    assert store.members(course) == {"bert": "instructor"}


def test_of_two_instructors_who_leave_at_the_same_time_one_stays(
    store: Store, other_store: Store, course: str
) -> None:
    for _ in range(5):
        store.set_role(course, "anna", "instructor")
        store.set_role(course, "bert", "instructor")

        def leave(who: tuple[Store, str]) -> bool:
            try:
                who[0].set_role(course, who[1], "reader")
            except StoreError as error:
                return "last instructor" not in str(error)
            return True

        with ThreadPoolExecutor(2) as pool:
            left = list(pool.map(leave, [(store, "anna"), (other_store, "bert")]))
        assert sorted(left) == [False, True]
        assert sorted(store.members(course).values()) == ["instructor", "reader"]


def test_unknown_courses_have_no_members(store: Store, course: str) -> None:
    for ask in (
        store.members,
        lambda name: store.role(name, "anna"),
        lambda name: store.set_role(name, "anna", "reader"),
        lambda name: store.remove_member(name, "anna"),
    ):
        with pytest.raises(MissingError, match="There is no course 'nothing'"):
            ask("nothing")
