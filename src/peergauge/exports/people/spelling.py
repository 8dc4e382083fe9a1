"""One person in several spellings, inside one file and across files that people typed.

Spellings that differ only in case, blanks, accents, hyphens or the order of 'Last, First' are one
person, unless the files show two: a roster with different ids, or two grades for one submission.
Names that are nearly the same are asked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.people.names import (
    address_in,
    cleaned,
    kind_of,
    near_names,
    spelling_keys,
    typed_key,
)
from peergauge.exports.people.room import (
    MAX_COMPARED_NAMES,
    SHOWN_EXAMPLES,
    UNIQUE_DETAILS,
    Pair,
    Room,
    ask_pairs,
    is_typed,
    quoted,
    worth_comparing,
)
from peergauge.exports.questions import Choice, Question
from peergauge.exports.records import Export

MAX_NAMES_OF_ADDRESS = 4
"""Largest number of names with one e-mail address; an address of more people is shared."""

_LOGIN = re.compile(r"[^\W\d_]{2,}[\w.-]*\d[\w.-]*")
"""A login, such as "ahollis2"."""

_NAME = re.compile(r"[^\W\d_a-z][\w'’.-]+(?:,? [\w'’.-]+)*,? [^\W\d_a-z][\w'’.-]+")
"""A name of several words, the first and the last of which have a capital."""

MIN_PEOPLE_OF_KIND = 3
"""Fewest graders and authors from which it is seen how they are identified."""

LARGE_SHARE = 0.8
"""Share of the people from which on nearly all of them have a property."""


class Same:
    """Names in sets; sets are united when they mean the same person."""

    def __init__(self, names: Iterable[str]):
        self._sets = {name: [name] for name in names}

    def unite(self, names: Iterable[str]) -> None:
        """Unite the sets of some names."""
        first, *others = names
        for other in others:
            mine, yours = self.of(first), self.of(other)
            if mine is not yours:
                mine.extend(yours)
                for name in yours:
                    self._sets[name] = mine

    def of(self, name: str) -> list[str]:
        """The names of the same person."""
        return self._sets.setdefault(name, [name])

    def one(self, name: str, other: str) -> bool:
        """Whether two names are the same person."""
        return self.of(name) is self.of(other)

    def sets(self) -> list[list[str]]:
        """The sets with several names."""
        found = {id(each): each for each in self._sets.values() if len(each) > 1}
        return list(found.values())


def match_spellings(room: Room) -> None:
    """Give each person one name, whatever the spelling; ask where two people may be meant."""
    names = worth_comparing(pl.Series(list(room.people), dtype=pl.String)).to_list()
    same = Same(names)
    kept_apart: list[str] = []
    for group in _alike(names):
        kept_apart += _unite_unless_listed(room, same, group)
    proposed = same.sets()
    if bad := _graded_together(room, proposed):
        same = Same(names)
        for group in proposed:
            if group[0] not in bad:
                same.unite(group)
        _unite_typed(room, same, [group for group in proposed if group[0] in bad])
    _say_spellings(room, same)
    _rename(room, same)
    if kept_apart:
        room.dialogue.decide(
            "people",
            f"{quoted(kept_apart)} stay different people although their names are alike.",
            evidence="a file gives them different ids or addresses",
        )


def _alike(names: Iterable[str]) -> list[list[str]]:
    """Sets of several names that share a spelling key, directly or through others."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for key in spelling_keys(name):
            holders[key].append(name)
    crowded = [group for group in holders.values() if len(group) > 1]
    same = Same(name for group in crowded for name in group)
    for group in crowded:
        same.unite(group)
    return same.sets()


def _unite_unless_listed(room: Room, same: Same, group: Sequence[str]) -> list[str]:
    """Unite spellings of a name, and return those that the details about people keep apart."""
    if not _different_people(room, group):
        same.unite(group)
        return []
    by_case: dict[str, list[str]] = defaultdict(list)
    for name in group:
        by_case[typed_key(name)].append(name)
    for typed in by_case.values():
        if not _different_people(room, typed, exactly=True):
            same.unite(typed)
    return list(group)


def _different_people(room: Room, group: Sequence[str], *, exactly: bool = False) -> bool:
    """Whether details in some file show that a name belongs to several people."""
    known = room.described
    wanted = {one for name in group for one in spelling_keys(name)}
    told = [details for one in wanted for details in known.get(one, ())]
    if exactly:
        typed = {typed_key(name) for name in group}
        told = [
            details
            for details in told
            if typed_key(details["person"]) in typed or typed_key(details.get("name", "")) in typed
        ]
    for kind in UNIQUE_DETAILS:
        values = {_detail(kind, details[kind]) for details in told if kind in details}
        if len(values) > 1:
            return True
    return False


def _detail(kind: str, value: str) -> str:
    # A spreadsheet may lose the zeros before a number.
    return spelling_keys(value)[0] if kind in ("sis", "lms") else cleaned(value).casefold()


def _graded_together(room: Room, groups: Sequence[Sequence[str]]) -> set[str]:
    """The first names of the sets whose names are used as if they were different people.

    Two graders who give one submission different grades in one file, two authors of different
    submissions of one assignment, and two numbers of one column that differ in leading zeros.
    """
    first = {name: group[0] for group in groups for name in group}
    if not first:
        return set()
    # Addresses that differ in case only are one mailbox.
    sure = {group[0] for group in groups if all(address_in(name) for name in group)}
    graded = room.reviews.filter(pl.col("grader").is_in(list(first))).with_columns(
        first=pl.col("grader").replace_strict(first, return_dtype=pl.String)
    )
    place = ["file", "assignment", "submission", "criterion", "first"]
    twice = graded.group_by(place).agg(
        pl.col("grader").n_unique(), pl.col("score").drop_nulls().n_unique()
    )
    bad = set(twice.filter(pl.col("grader") > 1, pl.col("score") > 1)["first"])
    wrote = room.submissions.filter(
        pl.col("author").is_in(list(first)), pl.col("author") != pl.col("submission")
    ).with_columns(first=pl.col("author").replace_strict(first, return_dtype=pl.String))
    apart = wrote.group_by("assignment", "first").agg(
        pl.col("author").n_unique(), pl.col("submission").n_unique()
    )
    bad |= set(apart.filter(pl.col("author") > 1, pl.col("submission") > 1)["first"])
    for column, frame in (("grader", graded), ("author", wrote)):
        numbers = frame.filter(pl.col(column).str.contains(r"^\d+$"))
        zeros = numbers.group_by("file", "first").agg(pl.col(column).n_unique())
        bad |= set(zeros.filter(pl.col(column) > 1)["first"])
    return bad - sure


def _unite_typed(room: Room, same: Same, clashing: Sequence[Sequence[str]]) -> None:
    """Ask about spellings that are used as if they were different people."""
    pairs = []
    for group in clashing:
        best = _best(room, group)
        for name in group:
            if name != best:
                likely = typed_key(name) == typed_key(best)
                why = "both are used for different grades of one submission, or different work"
                pairs.append(Pair(name, best, why, likely))
    for pair in ask_pairs(room.dialogue, pairs, "person", "similar names", room.graders):
        same.unite((pair.other, pair.one))


def _best(room: Room, names: Sequence[str]) -> str:
    """The spelling that is kept: a tidy one that most reviews use."""
    return max(names, key=lambda name: (_tidiness(name), room.graders[name], len(name.encode())))


def _tidiness(name: str) -> int:
    tidy = cleaned(name) == name and "<" not in name and not name.endswith((",", ".0"))
    if kind_of(name) == "e-mail address":
        return 4 * tidy + (name == name.casefold())
    cased = name not in (name.casefold(), name.upper()) or not any(map(str.isalpha, name))
    plain = not any(mark in name for mark in ",(")
    return 4 * tidy + 2 * cased + plain


def _tidy(name: str) -> str:
    """A name without blanks of other kinds, and a number without decimals."""
    if (found := address_in(name)) and ("<" in name or "mailto:" in name.casefold()):
        return found
    if kind_of(name) == "number":
        return name.strip().partition(".")[0]
    return " ".join(name.split())


def _rename(room: Room, same: Same) -> None:
    names = {}
    for group in same.sets():
        best = _tidy(_best(room, group))
        names.update(dict.fromkeys(group, best))
    for name in room.people:
        if name not in names and (tidy := _tidy(name)) != name and tidy not in room.people:
            names[name] = tidy
    room.rename_people(names)


def _say_spellings(room: Room, same: Same) -> None:
    # Only what can be seen differs; other blanks are not worth a line.
    sets = [group for group in same.sets() if len({cleaned(name) for name in group}) > 1]
    if not sets:
        return
    spelt = sum(len(group) for group in sets)
    shown = [" = ".join(f"'{cleaned(name)}'" for name in group[:3]) for group in sets]
    more = f" and {len(sets) - SHOWN_EXAMPLES} more" if len(sets) > SHOWN_EXAMPLES else ""
    who = "1 person" if len(sets) == 1 else f"{len(sets)} people"
    room.dialogue.decide(
        "people",
        f"{spelt} spellings are the names of {who}: {'; '.join(shown[:SHOWN_EXAMPLES])}{more}.",
        evidence="they differ only in case, blanks, accents, hyphens, zeros, or as 'Last, First'",
    )


# Names, addresses and ids of one person in one file


def match_details(room: Room) -> None:
    """Match names with the people of whom the same file tells name, address or id."""
    for place in room.typed:
        rows = [
            row
            for row in room.exports[place].people.iter_rows(named=True)
            if any(row[kind] is not None for kind in ("name", *UNIQUE_DETAILS))
        ]
        if rows:
            _match_details(room, room.exports[place], rows)


def _match_details(room: Room, export: Export, rows: Sequence[Mapping[str, str | None]]) -> None:
    same = Same(())
    pairs = _same_address(rows, same)
    if shared := [" = ".join(f"'{name}'" for name in group[:4]) for group in same.sets()]:
        more = f" and {len(shared) - SHOWN_EXAMPLES} more" if len(shared) > SHOWN_EXAMPLES else ""
        room.dialogue.decide(
            "people",
            f"One person under several names: {'; '.join(shared[:SHOWN_EXAMPLES])}{more}.",
            evidence="the same e-mail address or id",
        )
    described, holders = _holders(rows)
    bare = pl.concat([export.reviews["grader"], export.submissions["author"]]).drop_nulls()
    matched, crowded = [], []
    for name in bare.unique(maintain_order=True):
        fits = {one for key in spelling_keys(name) for one in holders.get(key, ())}
        if name in described or not fits:
            continue
        if len({id(same.of(one)) for one in fits}) == 1:
            same.unite((fits.pop(), name))
            matched.append(name)
        else:
            crowded.append(name)
    bad = _graded_together(room, same.sets())
    names = {}
    for group in same.sets():
        mails = {
            _letters(str(row["email"]).partition("@")[0])
            for row in rows
            if row["person"] in group and row["email"] is not None
        }
        best = max(
            group,
            key=lambda name: (_letters(name) in mails, *_fullness(room, name, described)),
        )
        if group[0] in bad:
            why = "they share a detail, but are used as if they were two"
            pairs += [Pair(name, best, why) for name in group if name != best]
        else:
            names.update(dict.fromkeys(group, best))
    for pair in ask_pairs(room.dialogue, pairs, "person", "similar names", room.graders):
        names[pair.one] = names.get(pair.other, pair.other)
    room.rename_people(names)
    if matched:
        room.dialogue.decide(
            "people",
            f"{quoted(matched)}: matched with the people of whom the file also gives an address or "
            "an id.",
            evidence="the same name, address or id in one file",
        )
    if crowded:
        room.dialogue.decide(
            "people",
            f"{quoted(crowded)} may each be one of several people, and stay by themselves.",
            evidence="several people of the file have that name",
            confidence="doubtful",
        )


def match_by_roster(room: Room) -> None:
    """Match two names of one person in one file, if another file gives both.

    Graders are addresses, authors are names, and a roster lists addresses beside names.
    """
    holders: dict[str, set[str]] = defaultdict(set)
    for person, details in room.identities:
        token = _detail("email", details["email"]) if "email" in details else person
        for text in (person, *details.values()):
            for key in spelling_keys(text):
                holders[key].add(token)
    if not holders:
        return
    same = Same(())
    for export in room.typed_exports:
        names = pl.concat([export.reviews["grader"], export.submissions["author"]]).drop_nulls()
        called: dict[str, list[str]] = defaultdict(list)
        for name in names.unique(maintain_order=True):
            fits = {token for key in spelling_keys(name) for token in holders.get(key, ())}
            if len(fits) == 1:
                called[fits.pop()].append(name)
        for group in called.values():
            same.unite(group)
    matched = _unite_unless_together(room, same.sets(), "another file lists both as one person")
    if matched:
        room.dialogue.decide(
            "people",
            f"{quoted(matched)}: matched with another name of the same person.",
            evidence="another file lists both names",
        )


def _unite_unless_together(room: Room, sets: Sequence[Sequence[str]], why: str) -> list[str]:
    """Rename the people of each set, and return the names that went; two people are asked."""
    bad = _graded_together(room, sets)
    pairs: list[Pair] = []
    names: dict[str, str] = {}
    for group in sets:
        best = max(group, key=lambda name: room.graders[name])
        others = [name for name in group if name != best]
        if group[0] in bad:
            pairs += [Pair(name, best, why, likely=True) for name in others]
        else:
            names.update(dict.fromkeys(others, best))
    matched = list(names)
    for pair in ask_pairs(room.dialogue, pairs, "person", "similar names", room.graders):
        names[pair.one] = pair.other
    room.rename_people(names)
    return matched


def _holders(
    rows: Sequence[Mapping[str, str | None]],
) -> tuple[set[str], Mapping[str, set[str]]]:
    """The people with details, and who of them has which detail."""
    described = {str(row["person"]) for row in rows if _has_id(row)}
    holders: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["person"] in described:
            for kind in ("name", *UNIQUE_DETAILS):
                for key in spelling_keys(str(row[kind])) if row[kind] is not None else ():
                    holders[key].add(str(row["person"]))
    return described, holders


def _letters(name: str) -> str:
    """The letters of a name or of the first part of an address."""
    return "".join(one for one in spelling_keys(name)[0] if one.isalpha())


def _fullness(room: Room, name: str, described: set[str]) -> tuple[bool, int, int, bool]:
    """The rank of a name among those of one person: a grader's, with all words, often used."""
    return name in room.graders, len(name.split()), room.graders[name], name in described


def _has_id(row: Mapping[str, str | None]) -> bool:
    """Whether a row has a detail that is not just the name under which the person is known."""
    own = set(spelling_keys(str(row["person"])))
    details = [row[kind] for kind in ("name", *UNIQUE_DETAILS)]
    return any(one is not None and own.isdisjoint(spelling_keys(one)) for one in details)


def _same_address(rows: Sequence[Mapping[str, str | None]], same: Same) -> list[Pair]:
    """Unite names with the same address or id; pairs that have nothing in common are asked."""
    doubtful = []
    for kind in UNIQUE_DETAILS:
        holders: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            if row[kind] is not None and row["person"] is not None:
                holders[_detail(kind, str(row[kind]))].append(str(row["person"]))
        for names in holders.values():
            if not 1 < len(names) <= MAX_NAMES_OF_ADDRESS:
                continue
            for name in names[1:]:
                spelt = spelling_keys(name) == spelling_keys(names[0])
                if spelt or same.one(names[0], name):
                    continue  # spellings of one name are compared elsewhere
                words = [set(spelling_keys(one)[0].split()) for one in (names[0], name)]
                if words[0] & words[1]:
                    same.unite((names[0], name))
                else:
                    why = f"they have the same {'e-mail address' if kind == 'email' else 'id'}"
                    doubtful.append(Pair(name, names[0], why, likely=True))
    return doubtful


# Addresses beside names


def match_addresses(room: Room) -> None:
    """Match e-mail addresses of graders with names of authors, or the other way round.

    Only where the part before the @ consists of all words of exactly one name; a part of the name
    is asked. If nothing fits, it is asked whether reviews of one's own work may stay.
    """
    graders, authors = list(room.graders), list(room.authors)
    if not graders or not authors:
        _ask_about_works(room)
        return
    lone_graders = [one for one in graders if one not in room.authors]
    lone_authors = [one for one in authors if one not in room.graders]
    mail_side = lone_graders if any(map(address_in, lone_graders)) else lone_authors
    name_side = lone_authors if mail_side is lone_graders else lone_graders
    named = [one for one in name_side if kind_of(one) == "name"]
    mails = [one for one in mail_side if address_in(one)]
    told = {person for person, details in room.identities if "name" in details}
    mails = [one for one in mails if one not in told]
    sure, part = _local_parts(mails, named)
    names = dict(sure)
    if sure:
        room.dialogue.decide(
            "people",
            f"{len(sure)} of the e-mail addresses are matched with names: "
            + "; ".join(f"'{mail}' = '{name}'" for mail, name in list(sure.items())[:3])
            + ".",
            evidence="the part before the @ has all words of one name, and of no other",
        )
    pairs = [Pair(mail, name, "the address may be made of the name", True) for mail, name in part]
    for pair in ask_pairs(room.dialogue, pairs, "person", "e-mail addresses", room.graders):
        names[pair.one] = pair.other
    # The name of the grader is kept, as everywhere.
    if mail_side is lone_graders:
        names = {name: mail for mail, name in names.items()}
    room.rename_people(names)
    _ask_about_kinds(room)


def _local_parts(
    mails: Sequence[str], names: Sequence[str]
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Addresses with the names that they certainly, and possibly, are made of."""
    if not mails or not names:
        return {}, []
    whole: dict[str, set[str]] = defaultdict(set)
    partial: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for key in spelling_keys(name):
            words = key.split()
            if len(words) > 1:
                first, last = words[0], words[-1]
                for made in ("".join(words), first + last, last + first):
                    whole[made].add(name)
                for made in (first[0] + last, last + first[0], first + last[0], first, last):
                    partial[made].add(name)
                partial["".join(word[0] for word in words)].add(name)
            else:
                partial[key].add(name)
    sure: dict[str, str] = {}
    part: dict[str, str] = {}
    for mail in mails:
        local = address_in(mail).partition("@")[0].partition("+")[0]
        plain = "".join(one for one in local if one.isalpha())
        if len(fits := whole.get(plain, set())) == 1:
            sure[mail] = next(iter(fits))
        elif not fits and len(fits := partial.get(plain, set())) == 1:
            part[mail] = next(iter(fits))
    taken = Counter(sure.values())
    sure = {mail: name for mail, name in sure.items() if taken[name] == 1}
    part = {mail: name for mail, name in part.items() if name not in taken}
    uses = Counter(part.values())
    return sure, [(mail, name) for mail, name in part.items() if uses[name] == 1]


def _ask_about_kinds(room: Room) -> None:
    """Ask if graders and authors are identified in different ways, so that none is the same."""
    strangers = [one for one in room.graders if one not in room.authors]
    others = [one for one in room.authors if one not in room.graders]
    few = min(len(strangers), len(others)) < MIN_PEOPLE_OF_KIND
    if few or len(strangers) < LARGE_SHARE * len(room.graders):
        return
    if any(one.people.height for one in room.exports if one not in room.typed_exports):
        return  # a platform may know both
    kinds = [_main_kind(strangers), _main_kind(others)]
    if kinds[0] == kinds[1] or _told_elsewhere(room, strangers, others):
        return
    if "code" in kinds and not _are_people(strangers, others):
        return
    _ask_about_kinds_of(room, strangers, others)


def _ask_about_works(room: Room) -> None:
    """Ask the same where works have the names of people, and graders are identified otherwise."""
    graders = list(room.graders)
    works = room.reviews["submission"].drop_nulls().unique(maintain_order=True).to_list()
    people = [one for one in works if _NAME.fullmatch(one.strip()) or address_in(one)]
    few, many = sorted((len(graders), len(works)))
    if len(people) < LARGE_SHARE * len(works) or few <= many / 2 or few < MIN_PEOPLE_OF_KIND:
        return
    kinds = [_main_kind(graders), _main_kind(people)]
    if kinds[0] != kinds[1] and not _told_elsewhere(room, graders, people):
        _ask_about_kinds_of(room, graders, people)


def _ask_about_kinds_of(room: Room, graders: Sequence[str], authors: Sequence[str]) -> None:
    mine, theirs = (
        f"{_main_kind(side).replace('address', 'addresse')}s" for side in (graders, authors)
    )
    room.dialogue.ask(
        Question(
            key="graders and authors",
            text=(
                f"Graders are {mine} such as {quoted(graders[:1])}, but authors are {theirs} "
                f"such as {quoted(authors[:1])}, so that reviews of one's own work cannot be "
                "found. Can they stay? Otherwise add a file that lists both for every student."
            ),
            choices=(Choice("stay", f"all reviews of {counted(len(graders), 'grader')} are kept"),),
            default="stay",
        )
    )


def _are_people(graders: Sequence[str], authors: Sequence[str]) -> bool:
    """Whether codes such as "ahollis2" stand for people, and not for works such as "Team 3".

    There are about as many graders as authors, and a code is one word.
    """
    few, many = sorted((len(set(graders)), len(set(authors))))
    codes = [one for one in (*graders, *authors) if kind_of(one) == "code"]
    return few > many / 2 and all(_LOGIN.fullmatch(one.strip()) for one in codes)


def _told_elsewhere(room: Room, graders: Sequence[str], authors: Sequence[str]) -> bool:
    """Whether a roster gives the other name of some of the graders or authors."""
    mine, theirs = (
        {key for one in side for key in spelling_keys(one)} for side in (graders, authors)
    )
    for person, details in room.identities:
        known = {key for value in (person, *details.values()) for key in spelling_keys(value)}
        if known & mine and known & theirs:
            return True
    return False


def _main_kind(names: Sequence[str]) -> str:
    kinds = [kind_of(one) for one in names]
    return max(dict.fromkeys(kinds), key=kinds.count)


# Names that are nearly the same


def ask_near_names(room: Room) -> None:
    """Ask about names that are nearly the same, where the files do not show two people."""
    roster = {
        details["name"]: person if person in room.people else details["name"]
        for person, details in room.identities
        if "name" in details
    }
    names = dict.fromkeys((*room.people, *roster))
    if len(names) > MAX_COMPARED_NAMES:
        room.dialogue.decide(
            "people",
            f"Names that are nearly the same were not searched among {len(names):,} names.",
        )
        return
    pairs = list(_doubtful(room, names, roster))
    same = ask_pairs(room.dialogue, pairs, "person", "similar names", room.graders)
    room.rename_people({pair.one: roster.get(pair.other, pair.other) for pair in same})


def _doubtful(room: Room, names: Iterable[str], roster: Mapping[str, str]) -> Iterator[Pair]:
    """Pairs of names of which the files do not show that they are two people."""
    near = list(near_names(names))
    if not near:
        return
    established = set(room.authors)
    for export in room.exports:
        if not export.reviews.height or not is_typed(export):
            established.update(export.people["person"].drop_nulls())
            established.update(export.people["name"].drop_nulls())
    counts, places = _loads(room, {name for pair in near for name in pair[:2]})
    written: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for assignment, submission, author, _ in room.submissions.iter_rows():
        written[author].add((assignment, submission))
    usual = counts.pop("", {})
    complete = len([one for one in room.graders if one in established]) >= LARGE_SHARE * max(
        1, len(room.graders) - 2
    )
    candidates: dict[str, list[Pair]] = defaultdict(list)
    for one, other, why in near:
        if one in established and other in established:
            continue
        if roster.get(one, one) == roster.get(other, other):
            continue
        # The stranger takes the name of the person who is known.
        rank = {name: (name in established, room.graders[name], len(name)) for name in (one, other)}
        stranger, known = sorted((one, other), key=lambda name: rank[name])
        at_work = places[stranger] & places[known]
        if at_work or (written[stranger] and written[known]):
            continue
        mine, yours = counts.get(stranger, {}), counts.get(known, {})
        busy = any(mine[where] + yours.get(where, 0) > usual.get(where, 0) for where in mine)
        if busy and not (complete and stranger not in established):
            continue
        fills = known not in room.graders or stranger not in room.graders
        likely = "order" in why or (complete and known in established and fills)
        candidates[stranger].append(Pair(stranger, known, why, likely))
    # If nearly all graders are near one other person each, the files use two forms of names.
    fits = Counter(pair.other for pairs in candidates.values() for pair in pairs)
    alone = [one for one, pairs in candidates.items() if len(pairs) == 1]
    matched = [one for one in alone if one in room.graders and fits[candidates[one][0].other] == 1]
    all_near = len(matched) >= max(MIN_PEOPLE_OF_KIND, LARGE_SHARE * len(room.graders))
    for one, pairs in candidates.items():
        best = min(pairs, key=lambda pair: (not pair.likely, room.graders[pair.other]))
        # One of several candidates is a guess.
        likely = len(pairs) == 1 and (best.likely or (all_near and one in matched))
        yield replace(best, likely=likely)


def _loads(
    room: Room, wanted: set[str]
) -> tuple[dict[str, dict[str, int]], Mapping[str, set[tuple[str, str]]]]:
    """Submissions of each wanted grader by assignment, and the largest number by key ''."""
    pairs = room.reviews.select("assignment", "submission", "grader").drop_nulls().unique()
    loads = pairs.group_by("assignment", "grader").len()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    counts[""] = {}
    for assignment, group in loads.group_by("assignment"):
        # One grader who graded everything does not show what is usual.
        top = group["len"].quantile(0.9, "higher")
        counts[""][str(assignment[0])] = int(top or 0)
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for assignment, submission, grader in pairs.filter(
        pl.col("grader").is_in(list(wanted))
    ).iter_rows():
        places[grader].add((assignment, submission))
        counts[grader][assignment] = counts[grader].get(assignment, 0) + 1
    return counts, places
