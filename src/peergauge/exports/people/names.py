"""How people type names: normal forms, spellings of one name, and cells that name nobody."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

from peergauge.core.name_caches import cached_names

NameKind: TypeAlias = Literal["e-mail address", "number", "code", "name"]
"""What a text that identifies a person looks like."""

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_NUMBER = re.compile(r"\d+(\.0+)?")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_APOSTROPHES = re.compile("['`´ʹ-ʿˈ‘-‛′]")
_PRONOUNS = re.compile(r"\((?:\w+/)+\w+\)")
_ZEROS = re.compile(r"(?<!\S)0+(?=\d)")
_HYPHENS = re.compile("[-‐-―−_.]")

# Letters that have no decomposition into a base letter and a mark.
_PLAIN_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_GERMAN_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def cleaned(text: str) -> str:
    """A text with single plain blanks, composed letters, and no invisible characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    return " ".join(plain.split())


def typed_key(text: str) -> str:
    """The same for texts that differ only in case, blanks and final punctuation.

    >>> typed_key("Ada  LOVELACE ") == typed_key("ada lovelace,")
    True
    """
    plain = cleaned(text).casefold()
    found = address_in(plain)
    return found or plain.strip(" ,;:.") or plain


def address_in(text: str) -> str:
    """The e-mail address that a cell consists of, in lower case; empty if there is none.

    >>> address_in("Ada Example <Ada@uni.example>"), address_in("mailto:ada@x.example")
    ('ada@uni.example', 'ada@x.example')
    """
    if "@" not in text:
        return ""
    plain = cleaned(text).casefold().strip(" ,;:.")
    if framed := re.fullmatch(r"[^<>@]*<\s*([^@\s<>]+@[^@\s<>]+?)\s*>", plain):
        return framed[1]
    plain = plain.removeprefix("mailto:")
    return plain if _EMAIL.fullmatch(plain) else ""


def kind_of(text: str) -> NameKind:
    """What a text that identifies a person looks like.

    >>> kind_of("ada@x.example"), kind_of("1001.0"), kind_of("s12"), kind_of("Zoë O'Neil")
    ('e-mail address', 'number', 'code', 'name')
    """
    if address_in(text):
        return "e-mail address"
    if _NUMBER.fullmatch(text.strip()):
        return "number"
    return "name" if not any(one.isdigit() for one in text) else "code"


def swapped(text: str) -> str:
    """'Lovelace, Ada' as 'Ada Lovelace'; other texts as they are."""
    last, comma, first = text.partition(",")
    if not comma or "," in first or not last.strip() or not first.strip():
        return text
    return f"{first.strip()} {last.strip()}"


@cached_names
def spelling_keys(text: str) -> tuple[str, ...]:
    """Normal forms of a name; two spellings of one name have one of them in common.

    The first form has no accents, the second writes ü as ue: Müller is Muller or Mueller, but these
    two are only one person if somebody writes Müller.

    >>> spelling_keys("Müller, Zoë"), spelling_keys("O’Neil-Berg, Ida")
    (('zoe muller', 'zoe mueller'), ('ida oneil berg',))
    """
    if found := address_in(text):
        return (found,)
    if number := _NUMBER.fullmatch(text.strip()):
        return (number[0].partition(".")[0].lstrip("0") or "0",)
    plain = _PRONOUNS.sub(" ", cleaned(text)).casefold().strip(" ,;:.")
    bare, bracket, added = plain.partition(" (")
    plain = f"{swapped(bare)} {added.rstrip(')')}" if bracket else swapped(plain)
    plain = _ZEROS.sub("", plain)
    plain = _APOSTROPHES.sub("", plain)
    both: tuple[str, ...] = (plain,)
    if not plain.isascii():
        both = (plain, unicodedata.normalize("NFC", plain).translate(_GERMAN_LETTERS))
    keys = (" ".join(_HYPHENS.sub(" ", _without_marks(one)).split()) for one in both)
    return tuple(dict.fromkeys(key for key in keys if key)) or (typed_key(text),)


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN_LETTERS))
    return "".join(one for one in apart if not unicodedata.combining(one))


# Names that are nearly the same

NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "alex": ("alexander", "alexandra", "alejandro", "alessandro"),
    "andy": ("andrew", "andreas"),
    "beth": ("elizabeth",),
    "bill": ("william",),
    "billy": ("william",),
    "bob": ("robert",),
    "cathy": ("catherine",),
    "dave": ("david",),
    "dick": ("richard",),
    "hans": ("johannes",),
    "jack": ("john",),
    "jim": ("james",),
    "joe": ("joseph",),
    "kate": ("katherine", "catherine", "katharina"),
    "kathy": ("katherine",),
    "liz": ("elizabeth",),
    "lisa": ("elisabeth",),
    "mike": ("michael",),
    "nick": ("nicholas", "nikolaus"),
    "paco": ("francisco",),
    "pepe": ("jose",),
    "sasha": ("alexander", "alexandra"),
    "steve": ("steven", "stephen"),
    "ted": ("edward", "theodore"),
    "tony": ("anthony",),
    "vicky": ("victoria",),
}
"""Short names that are not the beginning of the full name, and common ones."""

MIN_SHORT_FORM_LETTERS = 3
MIN_MISSPELT_LETTERS = 5
MIN_CHANGED_LETTERS = 4


class NearNames(NamedTuple):
    """Two names that may mean one person, and why."""

    one: str
    other: str
    why: str


def _is_code(name: str) -> bool:
    """Whether a name is one word in capitals, as pseudonyms are; these are not misspelt."""
    return name.isupper() and " " not in name.strip()


def near_names(names: Iterable[str]) -> Iterator[NearNames]:
    """Find pairs of names that may be one person, without comparing every two of them.

    Only names without digits are compared, since one digit makes another person. Pairs of which
    somebody else is as near, such as 'Ada' with two Adas, are found too.
    """
    words: dict[str, tuple[str, ...]] = {}
    for name in names:
        if kind_of(name) in ("name", "e-mail address") and not _is_code(name):
            words[name] = tuple(spelling_keys(name)[0].split())
    found: dict[frozenset[str], NearNames] = {}
    for one, other in _neighbours(words):
        pair = frozenset((one, other))
        if pair not in found and (why := _nearness(words[one], words[other])):
            found[pair] = NearNames(one, other, why)
    yield from found.values()


def _neighbours(words: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Pairs of names that share a last name, a first name, all words, or all but one letter."""
    blocks: dict[tuple[str, object], list[str]] = defaultdict(list)
    for name, parts in words.items():
        if not parts:
            continue
        blocks["words", tuple(sorted(parts))].append(name)
        blocks["last", parts[-1]].append(name)
        blocks["first", parts[0]].append(name)
        whole = " ".join(parts)
        for place in range(len(whole) + 1):
            blocks["letters", whole[:place] + whole[place + 1 :]].append(name)
    for block in blocks.values():
        # A first name that hundreds share identifies nobody.
        if 1 < len(block) <= 40:
            yield from combinations(dict.fromkeys(block), 2)


def _nearness(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    """Why two names may be one person; empty if they are not near."""
    if len(one) > 1 and sorted(one) == sorted(other):
        return "the words are in another order"
    short, long = sorted((one, other), key=lambda words: (len(words), len(" ".join(words))))
    if len(short) == 1 and len(long) > 1:
        if "@" in short[0] or len(short[0]) < 2:
            return ""
        return "only one of them has a last name" if short[0] == long[0] else ""
    if 1 < len(short) < len(long) and (short[0], short[-1]) == (long[0], long[-1]):
        return "only one of them has a middle name"
    if len(short) != len(long):
        return ""
    different = [(a, b) for a, b in zip(short, long, strict=True) if a != b]
    if len(different) != 1:
        return ""
    first = one[0] != other[0]
    a, b = sorted(different[0], key=len)
    if len(one) > 1:
        if len(a) == 1 and b.startswith(a):
            return "one of them has only an initial"
        if first and _is_short_form(a, b):
            return "one may be the short form of the other"
    return "they differ in one letter" if _misspelt(a, b, alone=len(one) == 1, first=first) else ""


def _is_short_form(short: str, long: str) -> bool:
    if long in NICKNAMES.get(short, ()):
        return True
    return (
        MIN_SHORT_FORM_LETTERS <= len(short) <= len(long) - 2
        and long.startswith(short.removesuffix("y").removesuffix("i"))
        and len(short.removesuffix("y").removesuffix("i")) >= MIN_SHORT_FORM_LETTERS
    )


def _misspelt(short: str, long: str, *, alone: bool, first: bool) -> bool:
    """Whether two words differ in one letter that is missing, added, changed or in another place.

    Maria and Mario, or Paul and Paula, are different names, and so are short names.
    """
    if "@" in short or "@" in long:
        mine, at, place = short.partition("@")
        yours, too, elsewhere = long.partition("@")
        if not (at and too) or _digits(short) != _digits(long):
            return False
        if mine == yours:
            return one_letter_apart(place, elsewhere)
        return place == elsewhere and _misspelt(
            *sorted((mine, yours), key=len), alone=True, first=False
        )
    if not one_letter_apart(short, long):
        return False
    if (alone or first) and long[:-1] in (short, short[:-1]):
        return False
    changed = len(short) == len(long) and sorted(short) != sorted(long)
    least = MIN_CHANGED_LETTERS if changed else MIN_SHORT_FORM_LETTERS
    return len(short) >= max(least, MIN_MISSPELT_LETTERS if alone else 0)


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdigit())


def one_letter_apart(one: str, other: str) -> bool:
    """Whether one letter is missing, added or changed, or two neighbours changed places.

    >>> one_letter_apart("jon", "john"), one_letter_apart("porject", "project")
    (True, True)
    >>> one_letter_apart("ada", "ada"), one_letter_apart("ada", "abad")
    (False, False)
    """
    short, long = sorted((one, other), key=len)
    if short == long or len(long) - len(short) > 1:
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    if short[start + 1 :] == long[start + 1 :]:
        return True
    turned = short[start + 1 : start + 2] + short[start] + short[start + 2 :]
    return turned == long[start:]


# Cells that name nobody

_ERRORS = re.compile(
    r"#(ref!?|n/?a|n/d|div/0!?|name\??|value!?|null!?|num!?|wert!?|bezug!?|nv|valeur!?|nom\??|"
    r"valor!?|error!?|spill!?)",
)
_NOBODY = re.compile(
    r"[-–—_.?!*/\\ ]+|nan|null|n/?a\.?|n\.?a\.|none|nil|unknown|tb[da]|"
    r"to be (determined|announced)|"
    r"todo|blank|empty|missing|nobody|no ?one|not assigned|unassigned|not applicable|no answer|"
    r"no response|undefined|deleted user|unbekannt|niemand|keine?r?|keine angabe|inconnue?|"
    r"aucune?|personne|desconocid[oa]|ningun[oa]|nadie|sconosciut[oa]|nessuno"
)
_TOTALS = re.compile(
    r"((grand|sub|sum|overall|class|group|col(umn)?|row) ?)?(totals?|sums?|averages?|avgs?|means?|"
    r"counts?)( (of )?(scores?|grades?|points?|marks?|ratings?|responses|reviews))?|"
    r"(gesamt)?summe|gesamt(ergebnis)?|insgesamt|mittelwerte?|durchschnitt|anzahl|"
    r"(moyenne|somme|total|totale|promedio|media|suma|somma|totali)( gene?rale?)?|"
    r"nombre|medi[ae]ne?|std\.? ?(dev\.?|deviation)?|stdev|standard deviation|standardabweichung|"
    r"[ée]cart[- ]type|variance|varianz|ergebnis|class average"
)
_ENDS = re.compile(r"max(imum)?|min(imum)?|range|n|mode|highest|lowest")


def names_nobody(text: str) -> str:
    """Why a cell names neither a person nor a submission; empty if it may.

    >>> names_nobody("#REF!"), names_nobody("n/a"), names_nobody("Grand Total")
    ('an error of the spreadsheet', 'a sign that nothing is known', 'a total')
    >>> names_nobody("Ada"), names_nobody("Null, Ada")
    ('', '')
    """
    plain = cleaned(text).casefold().rstrip(": ")
    bare = plain.strip("()[]<>")
    if _ERRORS.fullmatch(plain):
        return "an error of the spreadsheet"
    if not bare or _NOBODY.fullmatch(bare):
        return "a sign that nothing is known"
    unmarked = _without_marks(bare)
    if _TOTALS.fullmatch(bare) or _TOTALS.fullmatch(unmarked):
        return "a total"
    return ""


def may_be_end(text: str) -> bool:
    """Whether a cell such as 'Max' may be the label of a row below the table."""
    return _ENDS.fullmatch(cleaned(text).casefold().rstrip(":. ")) is not None


# Labels instead of names

_PLACE_WORDS = (
    r"anonymous|anonyme?r?|anon|anonim[oa]|an[oó]nim[oa]|reviewer|peer ?reviewer|peer|rater|grader|"
    r"evaluator|assessor|marker|referee|judge|gutachter(?:in)?|pr[uü]fer(?:in)?|bewerter(?:in)?|"
    r"[eé]valuateur|relecteur|correcteur|evaluador|revisor|revisore|valutatore|review|"
    r"anonymous (?:reviewer|peer|student|user|participant|grader)|"
    r"(?:peer|student|fellow) (?:reviewer|grader|assessor|evaluator)"
)
_PLACE = re.compile(rf"({_PLACE_WORDS}|[rp])[\s#:._-]*(?:n[or]\.?|nr|number)?[\s#:._-]*(\d+|[a-h])")
_NOT_NAMED = re.compile(
    r"(an )?anonym(ous|e|er|ous (student|user|peer|reviewer|participant|grader))?|anon|"
    r"an[oó]nim[oa]|peer|student|reviewer|classmate|me|myself|guest|respondent|user|"
    r"(prefer|rather) not (to )?say"
)


def place_of(text: str) -> str:
    """The number or letter of a label such as 'Reviewer 2'; empty if it is another text.

    >>> place_of("Reviewer 2"), place_of("Peer #B"), place_of("R3"), place_of("Ada")
    ('2', 'b', '3', '')
    """
    found = _PLACE.fullmatch(cleaned(text).casefold())
    return found[2] if found else ""


def is_unnamed(text: str) -> bool:
    """Whether a cell says only that there was somebody, such as 'Anonymous'."""
    return _NOT_NAMED.fullmatch(cleaned(text).casefold().strip("().,* ")) is not None


_TITLES = re.compile(
    r"(the )?(prof(essor(in|e|essa)?)?|dr|instructor|teacher|lecturer|tutor(in)?|"
    r"teaching (assistant|fellow|staff)|dozent(in)?|lehrer(in)?|lehrperson|lehrkraft|"
    r"enseignante?|professeure?|profesora?|docente|insegnante|staff|faculty|course staff|"
    r"(head|lead) (ta|instructor)|course (instructor|coordinator))\b"
)
_SAID_STAFF = re.compile(
    r"[(\[,]\s*(ta|instructor|teacher|lecturer|staff|tutor|prof(essor)?|dozent(in)?|"
    r"teaching assistant|faculty|lehrer(in)?)\.?\s*[)\]]?"
)


def says_staff(text: str) -> bool:
    """Whether a name has a title or a role of staff.

    >>> says_staff("Prof. Example"), says_staff("Ada (TA)"), says_staff("TA 2"), says_staff("Drew")
    (True, True, True, False)
    """
    plain = cleaned(text)
    if re.match(r"T\.?A\.?(\s|\d|$)", plain) or plain in ("ta", "Ta"):
        return True
    folded = plain.casefold()
    return _TITLES.match(folded) is not None or _SAID_STAFF.search(folded) is not None


_TEST_STUDENTS = frozenset(
    (
        "test",
        "test student",
        "student test",
        "test test",
        "teststudent",
        "demo student",
        "student view",
        "test user",
        "dummy",
        "asdf",
        "asdf asdf",
        "asdfg",
        "asdfgh",
        "qwerty",
        "qwertz",
        "azerty",
    )
)


def is_test_student(text: str) -> bool:
    """Whether a name or an address is that of the test student of a platform, or of a first try.

    >>> is_test_student("Student, Test"), is_test_student("Test Student"), is_test_student("Tess")
    (True, True, False)
    >>> is_test_student("test.test@uni.example"), is_test_student("ada@test.example")
    (True, False)
    """
    if address := address_in(text):
        return " ".join(re.split(r"[._+-]+", address.partition("@")[0])) in _TEST_STUDENTS
    return typed_key(swapped(cleaned(text))) in _TEST_STUDENTS
