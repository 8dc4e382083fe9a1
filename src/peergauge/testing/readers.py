"""The contract of readers: what every reader promises of the files that it reads.

A reader is checked with example files, which together are one export.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, read_export, reader_of, readers
from peergauge.exports.records import SCHEMAS, Export, Role, State
from peergauge.testing.promises import checks_of, promise, require

KIND = "reader"

MAX_REFUSAL_CHARACTERS = 1200
"""The longest refusal that still counts as one sentence, without the path of the file."""

EMPTY_CONTENTS = (b"", b"\n", b"\xef\xbb\xbf", b"{}", b"[]", b"\x00" * 64)
"""Files without a class in them."""

CUT_SHARES = (0.03, 0.2, 0.5, 0.8, 0.97)
"""The shares of a file that are left when it is cut off."""


class Example(NamedTuple):
    """A reader, and the files of one export that it reads.

    Examples
    --------
    >>> from peergauge.exports.readers import readers
    >>> Example(readers["table"], (Path("reports.csv"),)).reader.facts.name
    'table'
    """

    reader: Reader
    files: tuple[Path, ...]

    def __str__(self) -> str:
        path = self.files[0] if len(self.files) == 1 else self.files[0].parent
        return f"{self.reader.facts.name}/{path.name}"


def check_reader(reader: str | Reader, *files: Path | str) -> None:
    """Check that a reader, given as an object or by its name, keeps every promise for an export.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from peergauge.testing.classes import clustered
    >>> with TemporaryDirectory() as folder:
    ...     check_reader("own-tables", clustered(1).write(Path(folder) / "reports.csv"))
    """
    made = readers.make(reader) if isinstance(reader, str) else reader
    example = Example(made, tuple(map(Path, files)))
    for check in checks_of(KIND, example):
        check(example)


def exports_of(reader: Reader, files: Sequence[Path]) -> list[Export]:
    """The exports that a reader reads from files, even if they are not a complete class."""
    return reader.read_all([Opened(path) for path in files])


def refusal_of(attempt: Callable[[], object]) -> str | None:
    """The sentence of a refusal; None where nothing is refused."""
    try:
        attempt()
    except TableError as refusal:
        return str(refusal)
    return None


def is_one_sentence(said: str, *paths: Path) -> bool:
    """Whether a refusal is one line of readable length that ends with a full stop."""
    for path in paths:
        said = said.replace(str(path), path.name)
    return "\n" not in said and said.endswith(".") and len(said) < MAX_REFUSAL_CHARACTERS


def last_place_in(path: Path) -> int:
    """A number that no row or item of a file is beyond."""
    opened = Opened(path)
    if opened.json is not None or path.suffix == ".xml" or opened.table is None:
        return len(re.findall(r"[{\[<]", opened.text))
    return int(opened.table.rows.max())  # type: ignore[arg-type]


@promise(KIND)
def check_files_have_declared_suffixes(example: Example) -> None:
    """The names of the files end with a suffix that the reader declares."""
    reader, files = example
    for path in files:
        require(
            path.suffix in reader.facts.suffixes,
            reader,
            f"reads {path.name}, but does not declare the suffix '{path.suffix}'",
        )


@promise(KIND)
def check_files_are_recognised_by_one_reader(example: Example) -> None:
    """The reader recognises its files, and no other reader does, except the one that is last."""
    reader, files = example
    last = max(readers.all(), key=lambda one: one.facts.rank)
    for path in files:
        others = {one.facts.name for one in readers.all() if one.recognises(Opened(path))} - {
            last.facts.name,
            reader.facts.name,
        }
        require(
            reader.recognises(Opened(path)), reader, f"does not recognise its example {path.name}"
        )
        require(
            not others, reader, f"is not the only reader of {path.name}: {', '.join(others)} too"
        )
        require(
            reader_of(Opened(path)).facts.name == reader.facts.name,
            reader,
            f"is not the reader that is chosen for {path.name}",
        )


@promise(KIND)
def check_exports_have_the_tables(example: Example) -> None:
    """Everything that is read has the columns, types and values of the tables of an export."""
    reader, files = example
    holds = reader.facts.holds
    for export in exports_of(reader, files):
        for what, schema in SCHEMAS.items():
            found = dict(getattr(export, what).schema)
            require(
                found == {name: getattr(pl, kind) for name, (kind, _) in schema.items()},
                reader,
                f"reads a table of {what} with other columns or types than it should have",
            )
        require(
            set(export.reviews["role"]) <= {role.value for role in Role}
            and set(export.reviews["state"]) <= {state.value for state in State},
            reader,
            "reads reviews with a role or a state that does not exist",
        )
        for scored in (export.reviews, export.truth):
            require(
                scored["score"].drop_nulls().is_finite().all(),
                reader,
                "reads scores that are no number",
            )
        require(
            export.people["person"].null_count() == 0 and export.people["person"].is_unique().all(),
            reader,
            "lists a person without a name, or twice",
        )
        require(
            sum(getattr(export, what).height for what in SCHEMAS) or export.scale,
            reader,
            "reads nothing from its example",
        )
        require(
            holds == "reviews" or export.reviews.is_empty(),
            reader,
            f"reads reviews, but declares holds='{holds}'",
        )
        require(
            holds != "people" or export.truth.is_empty(),
            reader,
            "reads staff scores, but declares holds='people'",
        )


@promise(KIND)
def check_reading_again_gives_the_same(example: Example) -> None:
    """Reading the same files again gives the same tables and notes."""
    once, again = exports_of(*example), exports_of(*example)
    equal = len(once) == len(again) and all(
        getattr(first, what).equals(getattr(second, what)) and first.notes == second.notes
        for first, second in zip(once, again, strict=True)
        for what in SCHEMAS
    )
    require(equal, example.reader, "reads something else the second time")


@promise(KIND)
def check_reviews_and_notes_have_a_place(example: Example) -> None:
    """Every review and every note says at which row or item of which file it stands."""
    reader, files = example
    last = {str(path): last_place_in(path) for path in files}
    for export in exports_of(reader, files):
        places = list(export.reviews.select("source", "row").iter_rows())
        require(
            all(row is not None and 1 <= row <= last[source] for source, row in places),
            reader,
            "reads reviews without the row of the file at which they stand",
        )
        for note in export.notes:
            require(
                note.text.endswith(".") and all(1 <= row <= last[note.source] for row in note.rows),
                reader,
                "makes a note that is no sentence or has no place in the file",
            )


@promise(KIND)
def check_exports_are_complete_or_say_what_is_missing(example: Example) -> None:
    """The files are read by themselves, or refused with a sentence that says what to add."""
    reader, files = example
    said = refusal_of(lambda: read_export(files))
    if reader.facts.holds == "people":
        require(
            said is not None
            and is_one_sentence(said, *files)
            and "should come with reviews" in said
            and "add a file" in said,
            reader,
            "holds no reviews, but does not say that a file with reviews is missing",
        )
    else:
        require(
            said is None and read_export(files).format == reader.facts.name,
            reader,
            f"does not read its example by itself: {said}",
        )


@promise(KIND)
def check_empty_files_are_refused(example: Example, *contents: bytes) -> None:
    """A file without a class is refused with one sentence that names the file."""
    reader, files = example
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / files[0].name
        for content in contents or EMPTY_CONTENTS:
            path.write_bytes(content)
            said = refusal_of(lambda: read_export(path))
            require(
                said is not None and str(path) in said and is_one_sentence(said, path),
                reader,
                f"does not refuse a file that holds only {content!r} with one sentence",
            )
            own = refusal_of(lambda: exports_of(reader, [path]))
            require(
                is_one_sentence(own, path)
                if own is not None
                else all(one.reviews.is_empty() for one in exports_of(reader, [path])),
                reader,
                f"reads reviews from a file that holds only {content!r}",
            )


@promise(KIND)
def check_cut_off_files_are_refused(example: Example, *shares: float) -> None:
    """A file that is cut off is refused with one sentence; a table may end after any row."""
    reader, files = example
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            whole = path.read_bytes().rstrip()
            cut = Path(folder) / path.name
            tree = path.suffix in (".json", ".xml")
            for share in shares or CUT_SHARES:
                cut.write_bytes(whole[: int(share * len(whole))])
                others = [cut if one == path else one for one in files]
                for said in (
                    refusal_of(lambda files=others: read_export(files)),  # type: ignore[misc]
                    refusal_of(lambda files=others: exports_of(reader, files)),  # type: ignore[misc]
                ):
                    require(
                        is_one_sentence(said, *others) if said is not None else not tree,
                        reader,
                        f"does not refuse {path.name} with one sentence when only "
                        f"{share:.0%} of it are left",
                    )
