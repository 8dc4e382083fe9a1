"""Errors of the database of courses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.errors import PeergaugeError

if TYPE_CHECKING:
    from peergauge.web.store.records import RevisionHead


class StoreError(PeergaugeError):
    """A database that cannot be used, or a change that the database does not allow."""


class UnavailableError(StoreError):
    """A database that cannot be used at the moment; nothing has changed."""


NO_ROOM_HERE = "The disk of the server is full; make room there"
"""The beginning of a sentence about a full disk."""


class FullDiskError(UnavailableError):
    """A database whose disk is full; nothing has changed."""


class MissingError(StoreError):
    """An object that is not in the database.

    Parameters
    ----------
    kind
        The kind of the object, for example ``course``.
    name
        The identifier that was asked for.
    """

    def __init__(self, kind: str, name: object):
        super().__init__(f"There is no {kind} '{name}'; it may have been deleted.")
        self.kind, self.name = kind, name

    def __reduce__(self) -> tuple[type[MissingError], tuple[str, object]]:
        return type(self), (self.kind, self.name)


class StaleError(StoreError):
    """A change of a week that is not based on the week's newest revision.

    Parameters
    ----------
    newest
        The newest revision of the week.
    """

    def __init__(self, newest: RevisionHead):
        super().__init__(
            f"{newest.who} changed this week in the meantime ({newest.what}); reload the week and"
            " make your change again."
        )
        self.newest = newest

    def __reduce__(self) -> tuple[type[StaleError], tuple[RevisionHead]]:
        return type(self), (self.newest,)
