"""Accounts, their sessions and their roles in courses, in the database."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from peergauge.web.store.courses import lock_course
from peergauge.web.store.database import Database
from peergauge.web.store.errors import MissingError, StoreError
from peergauge.web.store.records import Account, Course, now
from peergauge.web.store.schema import accounts, courses, memberships, sessions

MIN_PASSWORD_LETTERS = 10
"""Minimum length of a password, in letters."""

MAX_SESSION_HOURS = 12
"""A session ends after this many hours."""

ROLE_NAMES = ("instructor", "assistant", "reader")
"""Roles of accounts in a course."""

NAME_PATTERN = re.compile(r"[A-Za-z0-9._@-]{1,64}")
"""Names of accounts."""

SCRYPT_COSTS = (2**15, 8, 3)
"""Cost, block size and parallelism of scrypt: 32 MiB and about a quarter of a second."""

SCRYPT_MEMORY_BYTES = 64 * 2**20
"""Memory that scrypt may use, in bytes."""


class Accounts(Database):
    """The part of the database with accounts, sessions and memberships."""

    # ----------------------------------------------------------------------------- accounts

    def add_account(self, name: str, password: str) -> Account:
        """Add an account.

        Parameters
        ----------
        name
            Name of the account: 1 to 64 ASCII letters, digits, dots, hyphens, underscores and @.
        password
            Password with at least 10 letters, of which only a salted hash is stored.
        """
        if not NAME_PATTERN.fullmatch(name):
            raise StoreError(
                f"The name '{name}' is not a name for an account; use 1 to 64 letters, digits and"
                " the characters . _ - @."
            )
        hashed = _hashed(password)
        with self._writing() as connection:
            try:
                connection.execute(insert(accounts).values(name=name, password=hashed))
            except IntegrityError:
                raise StoreError(
                    f"There is an account '{name}' already; choose another name."
                ) from None
        return Account(name)

    def check_password(self, name: str, password: str) -> bool:
        """Whether an account has a password; unknown names take as long as known ones."""
        with self._reading() as connection:
            query = select(accounts.c.password).where(accounts.c.name == name)
            stored = connection.execute(query).scalar()
        return _matches(password, stored or _UNKNOWN_PASSWORD) and stored is not None

    def known_browser(self, name: str) -> str:
        """A token by which a browser shows that somebody has signed in there with an account.

        It opens nothing. It is void when the password changes.
        """
        nonce = secrets.token_hex(16)
        return f"{nonce}.{self._browser_digest(name, nonce)}"

    def is_known_browser(self, name: str, token: str) -> bool:
        """Whether :meth:`known_browser` gave a token for an account with this password."""
        nonce, _, digest = token.partition(".")
        expected = self._browser_digest(name, nonce)
        given = digest.encode("utf-8", "surrogatepass")
        return expected is not None and hmac.compare_digest(given, expected.encode())

    def _browser_digest(self, name: str, nonce: str) -> str | None:
        """A digest that only this database can make; None for an unknown account."""
        with self._reading() as connection:
            query = select(accounts.c.password).where(accounts.c.name == name)
            stored: str | None = connection.execute(query).scalar()
        if stored is None:
            return None
        said = f"browser {name} {nonce}".encode("utf-8", "surrogatepass")
        return hmac.new(stored.encode(), said, "sha256").hexdigest()

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        with self._reading() as connection:
            names = connection.execute(select(accounts.c.name)).scalars()
            return [Account(name) for name in sorted(names)]

    def delete_account(self, name: str) -> None:
        """Delete an account with its sessions and memberships."""
        led = select(memberships.c.course).where(
            memberships.c.account == name, memberships.c.role == "instructor"
        )
        with self._writing() as connection:
            locked = select(accounts.c.name).where(accounts.c.name == name).with_for_update()
            self._one(connection, locked, "account", name)
            for course in sorted(connection.execute(led).scalars()):
                if connection.execute(lock_course(course)).first():
                    _require_other_instructor(connection, course, name)
            connection.execute(delete(accounts).where(accounts.c.name == name))
        self._erase_deleted()

    def set_password(self, name: str, password: str) -> None:
        """Change the password of an account, and end all of its sessions."""
        hashed = _hashed(password)
        with self._writing() as connection:
            change = update(accounts).where(accounts.c.name == name).values(password=hashed)
            if not connection.execute(change).rowcount:
                raise MissingError("account", name)
            connection.execute(delete(sessions).where(sessions.c.account == name))

    # ----------------------------------------------------------------------------- sessions

    def add_session(self, name: str) -> str:
        """Start a session of an account, and return its token, which is not stored itself."""
        token = secrets.token_urlsafe(32)
        expires = now() + timedelta(hours=MAX_SESSION_HOURS)
        with self._writing() as connection:
            self._one(connection, _keep_account(name), "account", name)
            connection.execute(delete(sessions).where(sessions.c.expires <= now()))
            values = {"digest": _digest(token), "account": name, "expires": expires}
            connection.execute(insert(sessions).values(values))
        return token

    def session_account(self, token: str) -> str | None:
        """The name of the account of a session; None if the session is unknown or has ended."""
        query = select(sessions.c.account).where(
            sessions.c.digest == _digest(token), sessions.c.expires > now()
        )
        with self._reading() as connection:
            name: str | None = connection.execute(query).scalar()
            return name

    def end_session(self, token: str) -> None:
        """End a session; nothing happens if it has ended already."""
        with self._writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == _digest(token)))

    def end_sessions(self, name: str) -> None:
        """End all sessions of an account."""
        with self._writing() as connection:
            query = select(accounts.c.name).where(accounts.c.name == name)
            self._one(connection, query, "account", name)
            connection.execute(delete(sessions).where(sessions.c.account == name))

    # ----------------------------------------------------------------------------- memberships

    def set_role(self, course: str, account: str, role: str) -> None:
        """Give an account a role in a course, in place of its earlier role if it has one.

        Parameters
        ----------
        course
            Identifier of the course.
        account
            Name of the account.
        role
            ``instructor``, ``assistant`` or ``reader``.
        """
        if role not in ROLE_NAMES:
            raise StoreError(f"There is no role '{role}'; choose one of {', '.join(ROLE_NAMES)}.")
        with self._writing() as connection:
            self._one(connection, _keep_account(account), "account", account)
            self._one(connection, lock_course(course), "course", course)
            earlier = _role(connection, course, account)
            if earlier is None:
                values = {"course": course, "account": account, "role": role}
                connection.execute(insert(memberships).values(values))
                return
            if earlier == "instructor" != role:
                _require_other_instructor(connection, course, account)
            connection.execute(update(memberships).where(*_is(course, account)).values(role=role))

    def role(self, course: str, account: str) -> str | None:
        """The role of an account in a course; None if it is not a member."""
        with self._reading() as connection:
            query = select(courses.c.id).where(courses.c.id == course)
            self._one(connection, query, "course", course)
            return _role(connection, course, account)

    def members(self, course: str) -> dict[str, str]:
        """The roles of the members of a course, by the names of their accounts."""
        query = select(memberships.c.account, memberships.c.role)
        with self._reading() as connection:
            known = select(courses.c.id).where(courses.c.id == course)
            self._one(connection, known, "course", course)
            found = connection.execute(query.where(memberships.c.course == course))
            return dict(sorted((name, role) for name, role in found))

    def remove_member(self, course: str, account: str) -> None:
        """Remove an account from the members of a course."""
        with self._writing() as connection:
            self._one(connection, lock_course(course), "course", course)
            earlier = _role(connection, course, account)
            if earlier is None:
                raise MissingError("member", account)
            if earlier == "instructor":
                _require_other_instructor(connection, course, account)
            connection.execute(delete(memberships).where(*_is(course, account)))

    def courses_of(self, account: str) -> list[Course]:
        """The courses that an account is a member of, the oldest first."""
        query = (
            select(courses.c.id, courses.c.title, courses.c.created)
            .join_from(courses, memberships, memberships.c.course == courses.c.id)
            .where(memberships.c.account == account)
            .order_by(courses.c.serial)
        )
        with self._reading() as connection:
            known = select(accounts.c.name).where(accounts.c.name == account)
            self._one(connection, known, "account", account)
            return [Course(*row) for row in connection.execute(query)]


def _keep_account(name: str) -> Select[str]:
    """The query that finds an account and makes a transaction wait that would delete it."""
    query = select(accounts.c.name).where(accounts.c.name == name)
    return query.with_for_update(read=True, key_share=True)


def _is(course: str, account: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return memberships.c.course == course, memberships.c.account == account


def _role(connection: Connection, course: str, account: str) -> str | None:
    role: str | None = connection.execute(
        select(memberships.c.role).where(*_is(course, account))
    ).scalar()
    return role


def _require_other_instructor(connection: Connection, course: str, account: str) -> None:
    others = select(func.count()).where(
        memberships.c.course == course,
        memberships.c.role == "instructor",
        memberships.c.account != account,
    )
    if not connection.execute(others).scalar_one():
        query = select(courses.c.title).where(courses.c.id == course)
        title = connection.execute(query).scalar_one()
        raise StoreError(
            f"'{account}' is the last instructor of the course '{title}'; make another account an"
            " instructor first."
        )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


# --------------------------------------------------------------------------------- passwords


def _hashed(password: str) -> str:
    """The salted hash of a new password, with the costs of its computation."""
    if len(password) < MIN_PASSWORD_LETTERS:
        raise StoreError(
            f"The password has {len(password)} letters; choose one with at least"
            f" {MIN_PASSWORD_LETTERS} letters."
        )
    salt = secrets.token_bytes(16)
    costs = "$".join(map(str, SCRYPT_COSTS))
    return f"scrypt${costs}${salt.hex()}${_scrypt(password, salt, *SCRYPT_COSTS).hex()}"


def _matches(password: str, stored: str) -> bool:
    _, cost, size, parallel, salt, expected = stored.split("$")
    costs = (int(cost), int(size), int(parallel))
    found = _scrypt(password, bytes.fromhex(salt), *costs)
    return hmac.compare_digest(found, bytes.fromhex(expected))


def _scrypt(password: str, salt: bytes, cost: int, size: int, parallel: int) -> bytes:
    # Keyboards differ in how they compose accented letters.
    letters = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    limit = SCRYPT_MEMORY_BYTES
    return hashlib.scrypt(letters, salt=salt, n=cost, r=size, p=parallel, maxmem=limit)


_UNKNOWN_PASSWORD = f"scrypt${'$'.join(map(str, SCRYPT_COSTS))}${'00' * 16}${'00' * 64}"
