"""The exports of one class together, while the names in them are settled."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from peergauge.core.lazy import pl
from peergauge.exports.people.aliases import renamed_people
from peergauge.exports.people.names import spelling_keys
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Export, Note, rows_of

TYPED_FORMATS = frozenset({"table"})
"""Formats in which people typed the names; platforms write ids, and names without mistakes."""

MAX_PAIR_QUESTIONS = 4
"""Number of doubtful pairs that are asked one by one; more of them are one question."""

SHOWN_EXAMPLES = 4
"""Number of names that a decision or a question quotes."""

MAX_COMPARED_NAMES = 3000
"""Largest number of names of which every one is compared with the others."""

UNIQUE_DETAILS = ("email", "sis", "login", "lms")
"""Details that two people never share."""


CACHED_PROPERTIES = (
    "reviews",
    "submissions",
    "graders",
    "authors",
    "people",
    "identities",
    "described",
)
"""Properties of a room that are computed again when an export changes."""


@dataclass
class Room:
    """The exports of one class.

    Parameters
    ----------
    exports
        One export for each file, in the order in which they were read.
    dialogue
        Questions and decisions about the class.
    """

    exports: list[Export]
    dialogue: Dialogue = field(default_factory=Dialogue)

    @property
    def typed(self) -> list[int]:
        """The places of the exports whose names were typed by people."""
        return [place for place, one in enumerate(self.exports) if is_typed(one)]

    @property
    def typed_exports(self) -> list[Export]:
        """The exports whose names were typed by people."""
        return [one for one in self.exports if is_typed(one)]

    @cached_property
    def reviews(self) -> pl.DataFrame:
        """The typed reviews of peers, with the place of their export."""
        columns = ("assignment", "submission", "grader", "role", "criterion", "score")
        frames = [
            self.exports[place].reviews.select(*columns).with_columns(file=pl.lit(place))
            for place in self.typed
        ]
        return pl.concat(frames).filter(pl.col("role") != "staff")

    @cached_property
    def submissions(self) -> pl.DataFrame:
        """The typed authors of submissions."""
        frames = [
            self.exports[place].submissions.with_columns(file=pl.lit(place)) for place in self.typed
        ]
        return pl.concat(frames).drop_nulls(["submission", "author"])

    @cached_property
    def graders(self) -> Counter[str]:
        """The number of rows of each typed grader."""
        counts = self.reviews.drop_nulls("grader").group_by("grader", maintain_order=True).len()
        return Counter(dict(counts.iter_rows()))

    @cached_property
    def authors(self) -> dict[str, None]:
        """The typed authors, in order."""
        return dict.fromkeys(self.submissions["author"].unique(maintain_order=True))

    @cached_property
    def people(self) -> dict[str, None]:
        """Every typed name of a person."""
        listed = (name for one in self.typed_exports for name in one.people["person"])
        return dict.fromkeys((*self.graders, *self.authors, *listed))

    @cached_property
    def identities(self) -> list[tuple[str, dict[str, str]]]:
        """People with details in any file: the name in that file, and the details."""
        wanted = ("name", *UNIQUE_DETAILS)
        return [
            (row["person"], {kind: row[kind] for kind in wanted if row[kind] is not None})
            for one in self.exports
            for row in one.people.select("person", *wanted).iter_rows(named=True)
            if row["person"] is not None and any(row[kind] is not None for kind in wanted)
        ]

    @cached_property
    def described(self) -> Mapping[str, list[dict[str, str]]]:
        """The details about people by the spelling keys of their names."""
        known: dict[str, list[dict[str, str]]] = defaultdict(list)
        for person, details in self.identities:
            told = {**details, "person": person}
            for key in {*spelling_keys(person), *spelling_keys(details.get("name", person))}:
                known[key].append(told)
        return known

    def change(self, place: int, export: Export) -> None:
        """Replace an export."""
        self.exports[place] = export
        for name in CACHED_PROPERTIES:
            self.__dict__.pop(name, None)

    def rename_people(self, names: Mapping[str, str]) -> None:
        """Rename people in the typed exports, and submissions that have their names."""
        changed = {old: new for old, new in names.items() if old != new}
        for place in self.typed if changed else ():
            export = renamed_people(self.exports[place], changed)
            people = export.people.group_by("person", maintain_order=True).agg(
                pl.all().drop_nulls().first()
            )
            self.change(
                place,
                replace(
                    export,
                    people=people,
                    submissions=export.submissions.unique(maintain_order=True),
                ),
            )

    def rename_submissions(self, names: Mapping[str, str]) -> None:
        """Rename submissions in the typed exports."""
        changed = {old: new for old, new in names.items() if old != new}
        for place in self.typed if changed else ():
            export = self.exports[place]
            called = pl.col("submission").replace(changed)
            self.change(
                place,
                replace(
                    export,
                    reviews=export.reviews.with_columns(called),
                    submissions=export.submissions.with_columns(called).unique(maintain_order=True),
                    truth=export.truth.with_columns(called),
                ),
            )

    def note(
        self,
        place: int,
        kind: Literal["read", "repaired", "dropped", "missed"],
        text: str,
        rows: Iterable[int | None] = (),
    ) -> None:
        """Add a note to an export."""
        export = self.exports[place]
        source = next(iter(export.reviews["source"].head(1)), "") or ""
        known = rows_of(row for row in rows if row is not None)
        self.exports[place] = replace(
            export, notes=(*export.notes, Note(kind, text, known, source))
        )


def worth_comparing(names: pl.Series) -> pl.Series:
    """The names that may be spellings of another one; in a small class, all of them.

    In a class of thousands, codes such as s0123 are only compared if another code differs in case,
    blanks or zeros alone.
    """
    if names.len() <= MAX_COMPARED_NAMES:
        return names
    code = names.str.contains(r"^[A-Za-z]*[-_ ]?[0-9]+$")
    plain = names.str.to_lowercase().str.replace(r"[-_ ]", "").str.replace(r"^([a-z]*)0+", "${1}")
    return names.filter(~code | plain.is_duplicated())


def is_typed(export: Export) -> bool:
    """Whether people typed the names in an export."""
    return not export.exact and not TYPED_FORMATS.isdisjoint(export.format.split("+"))


def quoted(names: Collection[str], most: int = SHOWN_EXAMPLES) -> str:
    """Names in quotes, and the number of further names."""
    shown = [f"'{' '.join(name.split())[:60]}'" for name in list(names)[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")


@dataclass(frozen=True)
class Pair:
    """Two names that may be the same person or submission.

    Parameters
    ----------
    one, other
        The names; if they are the same, *one* is replaced by *other*.
    why
        Why they may be the same.
    likely
        Whether they probably are the same.
    """

    one: str
    other: str
    why: str
    likely: bool = False


def ask_pairs(
    dialogue: Dialogue, pairs: Sequence[Pair], what: str, key: str, counts: Mapping[str, int]
) -> list[Pair]:
    """Ask whether the names of each pair are the same, and return the pairs that are.

    Parameters
    ----------
    what
        ``person`` or ``submission``.
    key
        The key of the question about many pairs.
    counts
        The number of reviews of each name.
    """
    thing = "person" if what == "person" else "submission"
    many = "people" if what == "person" else "submissions"
    same: list[Pair] = []
    if len(pairs) <= MAX_PAIR_QUESTIONS:
        for pair in pairs:
            rows = {name: _rows(counts.get(name, 0)) for name in (pair.one, pair.other)}
            question = Question(
                key=f"same {thing}: {quoted_key(pair.one)} / {quoted_key(pair.other)}",
                text=(
                    f"Are '{pair.one}' ({rows[pair.one]}) and '{pair.other}' "
                    f"({rows[pair.other]}) the same {thing} ({pair.why})?"
                ),
                choices=(
                    Choice("same", f"'{pair.one}' is read as '{pair.other}'"),
                    Choice("different", f"they stay two {many}"),
                ),
                default="same" if pair.likely else "different",
            )
            if dialogue.ask(question) == "same":
                same.append(pair)
        return same
    mixed = len({pair.likely for pair in pairs}) > 1
    for likely in (True, False):
        some = [pair for pair in pairs if pair.likely == likely]
        if not some:
            continue
        shown = "; ".join(f"'{one.one}' / '{one.other}'" for one in some[:SHOWN_EXAMPLES])
        more = f"; and {len(some) - SHOWN_EXAMPLES} more" if len(some) > SHOWN_EXAMPLES else ""
        question = Question(
            key=f"{key}: likely" if mixed and likely else key,
            text=(
                f"{len(some)} pairs of names are nearly the same ({shown}{more}); is each pair the "
                f"same {thing}?"
            ),
            choices=(
                Choice("same", f"each pair becomes one {thing}, {len(some)} fewer in all"),
                Choice("different", f"all of them stay different {many}"),
            ),
            default="same" if likely else "different",
        )
        if dialogue.ask(question) == "same":
            same += some
    return same


def quoted_key(name: str) -> str:
    """A name as part of the key of a question."""
    return " ".join(name.replace("=", " ").split())[:40]


def _rows(count: int) -> str:
    if not count:
        return "no review"
    return "1 row" if count == 1 else f"{count} rows"
