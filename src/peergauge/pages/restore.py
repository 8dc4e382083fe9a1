"""Restoring the names in a folder that was graded under pseudonyms.

No number is computed again. Every file is taken apart into its cells, texts or JSON values; whole
pseudonyms in them are replaced, and the restored folder is checked like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from peergauge.classroom.grade.audit import AUDIT_FILE, review_digests, write_audit
from peergauge.classroom.grade.settings_file import SETTINGS_FILE
from peergauge.classroom.gradebooks import Sheet
from peergauge.classroom.gradebooks.excel import fill_cell, open_workbook, workbook_bytes
from peergauge.core.claims import claimed
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.files import read_frame, write_files
from peergauge.core.formulas import guarded, unguarded
from peergauge.core.inputs import read_input
from peergauge.core.lazy import pl
from peergauge.core.replacing import same_file, sha256
from peergauge.core.text import counted, visible
from peergauge.exports.people.pseudonyms import PSEUDONYM_LETTERS
from peergauge.pages.file_tables import TABLE_FILES
from peergauge.pages.folder_check import (
    PAGE_FILES,
    STUDENT_FOLDER,
    WORKBOOK_FILE,
    check_folder,
    read_audit,
)
from peergauge.pages.students import file_names

KEY_COLUMNS = ("kind", "name", "pseudonym")

PSEUDONYM_PATTERN = re.compile(r"[^\W\d_]+\d+")
"""The form of a pseudonym: letters and a number, which no other word of a file has by chance."""

TOKEN_PATTERN = re.compile(rf"(?<![\w@./-]){PSEUDONYM_PATTERN.pattern}(?![\w@]|[./-]\w)")
"""A word that may be a pseudonym: not part of a longer word, address, path or number."""

NAMING_ATTRIBUTES = ("alt", "aria-label", "content", "data-key", "data-v", "href", "title", "value")
"""Attributes of HTML elements that may name people."""

ATTRIBUTE_PATTERN = re.compile(rf'(\s(?:{"|".join(NAMING_ATTRIBUTES)})=")([^"]*)(")')

CHART_DATA_PATTERN = re.compile(r'\bcompare\(|\bvegaEmbed\("#[\w-]+", ')
"""What stands before the JSON with the data of charts and of comparisons in a script."""

UNNAMED_PARTS = ("peergauge", "scale", "files", "settings", "mechanism", "formulas", "written")
"""Parts of an audit that name nobody."""

MAX_LISTED_NAMES = 3


class RestoredFolder(NamedTuple):
    """Files that were written, and notes on what was left out."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PseudonymKey:
    """Names by pseudonyms.

    Parameters
    ----------
    names
        The name of each pseudonym.
    kinds
        Whether a pseudonym belongs to a person, a submission or a section.
    """

    names: Mapping[str, str]
    kinds: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> PseudonymKey:
        """Read a key as ``peergauge read --pseudonymize`` writes it."""
        table = read_frame(path)
        if any(name not in table.columns for name in KEY_COLUMNS):
            raise TableError(
                f"{path} is not a key of pseudonyms: it has the columns "
                f"{', '.join(table.columns)}, but {', '.join(KEY_COLUMNS)} are needed; give the "
                "file that 'peergauge read --pseudonymize' wrote."
            )
        rows = table.select(pl.col(KEY_COLUMNS).cast(pl.String)).rows()
        names: dict[str, str] = {}
        kinds: dict[str, str] = {}
        owners: dict[tuple[str, str], str] = {}
        for number, (kind, name, pseudonym) in enumerate(rows, start=2):
            _check_row(f"Row {number} of {path}", kind, name, pseudonym)
            if pseudonym in names:
                raise TableError(
                    f"Row {number} of {path} has the pseudonym {pseudonym} again, so that it is "
                    "ambiguous; give the key as it was written."
                )
            if (kind, name) in owners:
                raise TableError(
                    f"Row {number} of {path} gives the {kind} {name} a second pseudonym, so that "
                    "two would get one name; give the key as it was written."
                )
            owners[kind, name] = pseudonym
            names[pseudonym], kinds[pseudonym] = name, kind
        return cls(names, kinds)

    def of_kind(self, kind: str) -> set[str]:
        """All pseudonyms of people, of submissions or of sections."""
        return {pseudonym for pseudonym, found in self.kinds.items() if found == kind}

    def text(self, text: str, changed: Callable[[str], str] = str) -> str:
        """A text with names instead of whole pseudonyms.

        Parameters
        ----------
        changed
            How a name is written, such as escaped.

        >>> PseudonymKey({"p1": "Ann"}, {"p1": "person"}).text("p1, p12 and p1@x.org gave p1.")
        'Ann, p12 and p1@x.org gave Ann.'
        """

        def name(found: re.Match[str]) -> str:
            known = self.names.get(found[0])
            return found[0] if known is None else changed(known)

        return TOKEN_PATTERN.sub(name, text)

    def title(self, text: str) -> str:
        """The header of a column with the titles of assignments instead of their pseudonyms.

        >>> PseudonymKey({"a1": "Essay"}, {"a1": "assignment"}).title("a1 grade")
        'Essay grade'
        """
        if not (titles := self.of_kind("assignment")):
            return text
        return PseudonymKey({one: self.names[one] for one in titles}, {}).text(text)

    def values(self, value: Any) -> Any:
        """JSON values with names instead of pseudonyms; in the keys of objects, only titles."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.values(one) for one in value]
        if isinstance(value, dict):
            return {self.title(key): self.values(one) for key, one in value.items()}
        return value


def _check_row(where: str, kind: str | None, name: str | None, pseudonym: str | None) -> None:
    if kind not in PSEUDONYM_LETTERS or not name or not pseudonym:
        raise TableError(
            f"{where} should have a kind ({', '.join(PSEUDONYM_LETTERS)}), a name and a "
            "pseudonym; give the key as it was written."
        )
    if not PSEUDONYM_PATTERN.fullmatch(pseudonym):
        raise TableError(
            f"{where} has the pseudonym '{pseudonym}', which may also be another word or number; "
            "pseudonyms are a letter and a number, as 'peergauge read --pseudonymize' writes them."
        )


def restore_folder(folder: Path | str, key: Path | str, out: Path | str) -> RestoredFolder:
    """Write a folder that was graded under pseudonyms once more, with names; all files or none.

    Parameters
    ----------
    folder
        The folder that was graded.
    key
        The key that was written when the names were replaced.
    out
        The folder to write, which must be empty or new.
    """
    folder, key, out = Path(folder), Path(key), Path(out)
    _check_target(folder, out)
    content, names = read_audit(folder), PseudonymKey.read(key)
    _check_fits(names, content, folder, key)
    changed = check_folder(folder).differences
    if changed:
        raise TableError(
            f"{folder} was changed after it was written, and its names are not restored: "
            f"{changed[0]} See 'peergauge audit {folder}'."
        )
    found = _folder_files(folder, content)
    pages = _page_names(names, found)
    data: dict[str, bytes] = {
        pages.get(name, name): _restored(names, folder / name, pages)
        for name in found
        if name != AUDIT_FILE
    }
    data = {AUDIT_FILE: _audit(names, content, data, pages), **data}
    with TemporaryDirectory() as scratch:
        there = Path(scratch) / "restored"
        write_files({there / name: one for name, one in data.items()}, private=True)
        wrong = check_folder(there).differences
        if wrong:
            raise TableError(
                f"The names in {folder} cannot be restored without changing a number: {wrong[0]}"
            )
    write_files({out / name: one for name, one in data.items()}, private=True)
    return RestoredFolder(tuple(out / name for name in data), tuple(_notes(folder, content, found)))


def _check_target(folder: Path, out: Path) -> None:
    if out.is_dir():
        # Complete what a killed command began there.
        with claimed(out):
            pass
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ParameterError(f"{out} exists already; give a new folder to write into.")
    if not out.is_dir() and not out.parent.is_dir():
        raise ParameterError(f"There is no folder {out.parent} to create {out.name} in.")
    if same_file(folder, out):
        raise ParameterError(f"{out} is the folder to restore; give a new one to write into.")


def _check_fits(names: PseudonymKey, content: Mapping[str, Any], folder: Path, key: Path) -> None:
    """Refuse a key of another class, and pseudonyms that are other words in this one."""
    damaged = TableError(f"{folder / AUDIT_FILE} is damaged; grade again, or restore a copy.")
    try:
        shown = {
            "person": list(map(str, content["graders"]["grader"])),
            "submission": list(map(str, content["submissions"]["submission"])),
        }
        titles = [str(name) for name in content["assignments"]["assignment"]]
        rule = str(content["settings"]["points"])
    except (LookupError, TypeError) as error:
        raise damaged from error
    for kind, found in shown.items():
        unknown = [name for name in found if name not in names.of_kind(kind)]
        if unknown:
            listed = ", ".join(unknown[:MAX_LISTED_NAMES])
            raise TableError(
                f"{key} is not the key of {folder}: it has no {kind} {listed}"
                + (f" and {len(unknown) - MAX_LISTED_NAMES} more" if len(unknown) > 3 else "")
                + "; give the key that was written when the names of this class were replaced."
            )
    named = names.of_kind("assignment")
    others = [("assignment", one) for one in titles if one not in named]
    for what, text in (*others, ("rule for points", rule)):
        for token in TOKEN_PATTERN.findall(text):
            if token in names.names:
                raise TableError(
                    f"The pseudonym {token} is ambiguous, because the {what} '{text}' of {folder} "
                    "has the same word; replace the names once more, and grade again."
                )


def _folder_files(folder: Path, content: Mapping[str, Any]) -> list[str]:
    """Files of the folder that 'peergauge grade' wrote, by their paths in it."""
    known = content.get("written")
    if known is None:
        usual = (*TABLE_FILES, "import.txt", SETTINGS_FILE, WORKBOOK_FILE, *PAGE_FILES)
        pages = (folder / STUDENT_FOLDER).glob("*.html")
        books = (folder / name for name in content.get("gradebooks", ()))
        every = [*(folder / name for name in usual), *books, *sorted(pages)]
        known = [path.relative_to(folder).as_posix() for path in every if path.is_file()]
    return [AUDIT_FILE, *known]


def _notes(folder: Path, content: Mapping[str, Any], found: Collection[str]) -> list[str]:
    every = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))
             if path.is_file())  # fmt: skip
    others = [name for name in every if name not in found]
    notes = []
    if others:
        notes.append(
            f"{counted(len(others), 'file')} that peergauge did not write with this audit "
            f"{'is' if len(others) == 1 else 'are'} left out: {', '.join(others[:8])}."
        )
    if content.get("earlier"):
        notes.append(
            "The reviews of earlier assignments cannot be recognised under their names; do not "
            "grade these assignments again with --after."
        )
    return notes


def _page_names(names: PseudonymKey, found: Collection[str]) -> dict[str, str]:
    """New paths of the pages for students by their old paths."""
    pages = {
        name: stem
        for name in found
        if name.startswith(f"{STUDENT_FOLDER}/")
        and (stem := Path(name).stem) in names.of_kind("person")
    }
    new = file_names([names.names[stem] for stem in pages.values()])
    return {name: f"{STUDENT_FOLDER}/{new[names.names[stem]]}" for name, stem in pages.items()}


# ------------------------------------------------------------------------------------------- files


def _restored(names: PseudonymKey, path: Path, pages: Mapping[str, str]) -> bytes:
    """The bytes of a file with names."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _sheet(names, path, pages)
    if suffix == ".xlsx":
        return _workbook(names, path)
    text = read_input(path).decode()
    if suffix == ".html":
        return _page(names, text, pages).encode()
    # Settings are read again, and the import report is for people.
    return names.text(text, str if suffix == ".toml" else visible).encode()


def _sheet(names: PseudonymKey, path: Path, pages: Mapping[str, str]) -> bytes:
    """A table with names, and with the new paths of pages."""
    sheet = Sheet.read(path, ())
    paths = {**pages, **{Path(old).name: Path(new).name for old, new in pages.items()}}
    for row in range(len(sheet.rows)):
        for column in range(len(sheet.rows[row].cells)):
            before = unguarded(sheet.text(row, column))
            after = paths.get(before, names.text(before) if row else names.title(before))
            if after != before:
                sheet.put(row, column, guarded(after))
    return sheet.data()


def _workbook(names: PseudonymKey, path: Path) -> bytes:
    book = open_workbook(path, values_only=False)
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str) and cell.data_type == "s":
                    before = cell.value.replace("_x000D_", "\r")
                    after = names.text(before, visible if path.name == WORKBOOK_FILE else str)
                    if after != before:
                        fill_cell(cell, after)
    return workbook_bytes(book)


def _audit(
    names: PseudonymKey,
    content: Mapping[str, Any],
    data: Mapping[str, bytes],
    pages: Mapping[str, str],
) -> bytes:
    """The audit with names, and with the digests of the restored files and reviews."""
    restored: dict[str, Any] = {
        part: value if part in UNNAMED_PARTS else names.values(value)
        for part, value in content.items()
    }
    assignments = restored["assignments"]
    if "digest" in assignments:
        digests = review_digests(restored)
        assignments["digest"] = [digests.get(str(name), "") for name in assignments["assignment"]]
    if restored.get("earlier"):
        restored["earlier"]["digests"] = {}
        _rename_places(names, restored["earlier"])
    restored["written"] = {pages.get(name, name): sha256(one) for name, one in data.items()}
    return write_audit(restored)


def _rename_places(names: PseudonymKey, earlier: dict[str, Any]) -> None:
    """Give names to the graders whose places in the earlier run are known."""
    continuation = earlier.get("continuation")
    if continuation:
        places = continuation["places"].items()
        continuation["places"] = {names.text(person): place for person, place in places}


# ------------------------------------------------------------------------------------------- pages


def _page(names: PseudonymKey, page: str, pages: Mapping[str, str]) -> str:
    """A page with names in its texts, and in the data of its charts."""
    parser = _PageCopy(names, pages)
    parser.feed(page)
    parser.close()
    return "".join(parser.copy)


class _PageCopy(HTMLParser):
    """Copies a page letter by letter, apart from names.

    Comments and styles are copied as they are; of scripts, only the JSON data of charts changes.
    """

    def __init__(self, names: PseudonymKey, pages: Mapping[str, str]):
        super().__init__(convert_charrefs=False)
        self.copy: list[str] = []
        self._names = names
        self._pages = pages
        self._inside = ""
        self._text: list[str] = []

    def _end_text(self) -> None:
        """Copy the text so far; pseudonyms may touch an escaped letter, but hold none."""
        text = "".join(self._text)
        self._text = []
        if self._inside == "script":
            self.copy.append(_script(self._names, text))
        elif self._inside == "style":
            self.copy.append(text)
        else:
            self.copy.append(
                self._names.text(text, lambda name: escape(visible(name), quote=False))
            )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._end_text()
        self.copy.append(ATTRIBUTE_PATTERN.sub(self._attribute, self.get_starttag_text() or ""))
        if tag in ("script", "style"):
            self._inside = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._end_text()
        self.copy.append(ATTRIBUTE_PATTERN.sub(self._attribute, self.get_starttag_text() or ""))

    def _attribute(self, found: re.Match[str]) -> str:
        value = unescape(found[2])
        new = self._pages.get(
            value, value if "href" in found[1] else self._names.text(value, visible)
        )
        return f"{found[1]}{found[2] if new == value else escape(new)}{found[3]}"

    def handle_endtag(self, tag: str) -> None:
        self._end_text()
        self._inside = ""
        self.copy.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_entityref(self, name: str) -> None:
        self._text.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._text.append(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        self._end_text()
        self.copy.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._end_text()
        self.copy.append(f"<!{decl}>")

    def close(self) -> None:
        super().close()
        self._end_text()


def _escaped(name: str) -> str:
    """A name as the text of a page."""
    return escape(visible(name), quote=False)


def _script(names: PseudonymKey, script: str) -> str:
    """A script with names in the JSON data of its charts, and no other change."""
    decoder = json.JSONDecoder()
    copy, done = [], 0
    for found in CHART_DATA_PATTERN.finditer(script):
        if found.end() < done:
            continue
        try:
            value, end = decoder.raw_decode(script, found.end())
        except ValueError:
            continue
        text = json.dumps(names.values(value), ensure_ascii=False).replace("<", "\\u003c")
        copy += [script[done : found.end()], visible(text)]
        done = end
    return "".join([*copy, script[done:]])
