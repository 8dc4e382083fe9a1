"""Leaving out rows of a table that are neither people nor work, and saying so.

Spreadsheets have totals and averages below the last row, a second table further down, errors such
as ``#REF!``, and header rows in the middle where exports were pasted together. Surveys have test
responses. Rows that are left out become empty, so that other rows keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from peergauge.core.lazy import pl
from peergauge.exports.formats.header_rows import (
    HeaderRows,
    Row,
    header_rows_of,
    is_numeric,
)
from peergauge.exports.formats.headers import (
    AUTHORS,
    GRADERS,
    HIGHEST,
    PEOPLE,
    SUBMISSIONS,
    names_something,
    scale_of,
    words_of,
)
from peergauge.exports.formats.marks import mark
from peergauge.exports.formats.opening import RawTable, Remark, as_table, number
from peergauge.exports.questions import Choice, Dialogue, Question

MAX_SEARCHED_ROWS = 50_000
"""Rows that are searched for totals; of a longer table, only the last rows are."""

MAX_FOOTER_ROWS = 100
"""Last rows of a long table that are searched for totals."""

SHEET_ERRORS = (
    r"^#(REF|N/A|DIV/0|VALUE|NAME|NUM|NULL|ERROR|SPILL|CALC|NV|WERT|BEZUG|ZAHL|VALEUR|NOMBRE|NOM|"
    r"VALOR|VALORE|RIF|RÉF|¡REF|¡VALOR|¡DIV/0|¿NOMBRE|¡NUM|N/D|D)[!?]?$"
)
"""Cells that a spreadsheet shows where a formula fails, in several languages."""

AGGREGATES: dict[str, tuple[str, ...]] = {
    "mean": (
        "average", "averages", "avg", "mean", "means", "ø", "mittel", "mittelwert", "mittelwerte",
        "durchschnitt", "schnitt", "moyenne", "moyennes", "promedio", "promedios", "media",
        "medie", "class average", "overall average", "grand mean", "average score", "mean score",
        "klassenschnitt", "notenschnitt", "gesamtdurchschnitt", "moyenne de la classe",
    ),
    "sum": (
        "total", "totals", "sum", "sums", "grand total", "subtotal", "summe", "summen", "gesamt",
        "gesamtsumme", "gesamtergebnis", "insgesamt", "total general", "total général", "totale",
        "totali", "somme", "suma", "somma", "gesamtpunkte", "total score", "total points",
    ),
    "median": ("median", "médiane", "mediane", "mediana", "zentralwert"),
    "spread": (
        "std", "stdev", "st dev", "std dev", "std. dev",
        "st. dev", "sd", "standard deviation", "stddev", "variance",
        "var", "standardabweichung", "stabw", "varianz", "écart-type", "ecart-type",
        "desviación estándar", "desviación típica", "deviazione standard", "range",
    ),
    "count": ("n", "count", "counts", "anzahl", "nombre", "effectif", "número", "numero", "anz"),
    "max": ("max", "maximum", "highest", "höchstwert", "maximal", "máximo", "massimo"),
    "min": ("min", "minimum", "lowest", "mindestwert", "minimal", "mínimo", "minimo"),
}  # fmt: skip
"""Labels of rows and columns that aggregate others, by what they hold."""

AGGREGATE_LABELS = {label: what for what, labels in AGGREGATES.items() for label in labels}

DOUBTFUL_LABELS = ("max", "min", "n", "total", "nombre", "numero", "media", "sum", "var", "sd")
"""Labels that may also be the name of a person or of work."""

_OF_SOMEBODY = re.compile(
    r"(?i)^(?:total|average|mean|subtotal|summe|moyenne|promedio|media) "
    r"(?:of |for |von |de |di )?\S|"
    r"\S[ :](?:total|average|mean|subtotal|sum|count|summe|ergebnis|mittelwert|durchschnitt|"
    r"moyenne|promedio|totale|media)$"
)
"""Labels of rows that aggregate the rows of one person or submission, as pivot tables have them."""

PLAUSIBLE_NAMES = ("max", "min", "nombre", "numero", "media")
"""Labels that are the names of people or the headers of columns rather than labels of totals."""

_FOOTNOTE = re.compile(
    r"(exported|generated|downloaded|printed|created|last updated|report (generated|created)|"
    r"exportiert|erstellt|gedruckt|stand|quelle|exporté|généré|source|exportado|generado|fuente|"
    r"esportato|generato|fonte|note|notes|hinweis|legend|legende|légende|page \d|seite \d)\b"
    r"|n\s*=\s*\d",
    re.IGNORECASE,
)

PREVIEWS = ("survey preview", "survey test", "preview", "1", "2", "9", "17")
"""Values of Status in a survey of Qualtrics for responses that its authors gave as a test."""

UNFINISHED_KEY = "unfinished responses"
TOTALS_KEY = "rows of totals"


def label_of(cell: str) -> str | None:
    """What a row or a column with this label aggregates; None if it is no such label.

    >>> label_of("Average:"), label_of("Ø"), label_of("Total (all)"), label_of("Ada")
    ('mean', 'mean', 'sum', None)
    """
    plain = re.sub(r"\(.*\)|\[.*\]", " ", cell).strip(" :.=\t").casefold()
    return AGGREGATE_LABELS.get(" ".join(plain.split()))


def tidied(table: RawTable, dialogue: Dialogue, about: str) -> dict[str, RawTable]:
    """The table without rows that are no data, and further tables below it.

    The first is under the name ""; a table below it has a name such as ``from row 20 on``.
    """
    found = {}
    for name, part in _split(table).items():
        plain = _without_descriptions(_without_repeated_headers(_without_errors(part)))
        answered = _without_tests(plain, dialogue, about) if part.short else plain
        found[name] = _without_totals(answered, dialogue, about)
    return found


def _blanked(table: RawTable, places: Sequence[int], remark: Remark | None = None) -> RawTable:
    """The table with empty rows at these places, and a remark about them."""
    if not places:
        return table
    here = pl.int_range(pl.len()).is_in(list(places))
    frame = table.frame.with_columns(pl.when(~here).then(pl.all()))
    remarks = table.remarks if remark is None else (*table.remarks, remark)
    return table._replace(frame=frame, remarks=remarks)


def _numbers_of(table: RawTable, places: Iterable[int]) -> tuple[int, ...]:
    """The row numbers in the file of rows at these places."""
    return tuple(table.first + place for place in places)


# --- a second table below the first ---


def _split(table: RawTable) -> dict[str, RawTable]:
    """The tables that stand below each other, apart by an empty row and a header of its own."""
    frame = table.frame
    empty = frame.select(pl.all_horizontal(pl.all().is_null()).arg_true()).to_series().to_list()
    gaps = [
        place + 1 for place in empty if place + 1 < frame.height and place + 1 not in set(empty)
    ]
    if not gaps or len(gaps) > 200:
        return {"": table}
    head = frame.head(200)
    numeric = [_is_graded(head[name].drop_nulls().to_list()) for name in frame.columns]
    begins: list[tuple[int, HeaderRows]] = []
    for gap in gaps:
        rows = frame.slice(gap, 30).rows()
        header = header_rows_of([Row(row) for row in rows])
        if header is None or _is_like(header.names, table.header):
            continue
        cells = [cell for cell in rows[header.last] if cell]
        over = [n for n, cell in zip(numeric, rows[header.last], strict=True) if n and cell]
        known = sum(names_something(cell) for cell in cells)
        below = [row for row in rows[header.last + 1 :] if any(row)]
        if header.first > 2 or len(cells) < 2 or any(map(is_numeric, cells)) or not below:
            continue
        if _goes_on(rows[header.last], frame.slice(max(0, gap - 200), min(gap, 200))):
            continue
        pure = known == len(cells) and not any(re.search(r"\d", cell) for cell in cells)
        if any(map(_is_footer_cell, cells[:1])):
            continue
        if pure or (over and (known >= 2 or len(over) >= 2)):
            begins.append((gap, header))
    if not begins:
        return {"": table}
    ends = [gap for gap, _ in begins[1:]] + [frame.height]
    found = {"": table._replace(frame=frame.head(begins[0][0]))}
    for (gap, header), end in zip(begins, ends, strict=True):
        rows = frame.slice(gap, header.last + 1).rows()
        part = frame.slice(gap + header.last, end - gap - header.last)
        made = as_table(part, table.delimiter, above=rows, header=header)
        kept = [
            place
            for place, name in enumerate(made.frame.columns)
            if made.header[place] or made.frame[name].null_count() < made.frame.height
        ]
        begin = table.first + gap
        found[f"from row {begin} on"] = made._replace(
            frame=made.frame.select(made.frame.columns[place] for place in kept),
            header=tuple(made.header[place] for place in kept),
            groups=tuple(made.groups[place] for place in kept) if made.groups else (),
            short=tuple(made.short[place] for place in kept) if made.short else (),
            first=made.first + begin - 1,
        )
    return found


def _goes_on(row: Sequence[str | None], above: pl.DataFrame) -> bool:
    """Whether a row continues the table above: it has a grade out of a maximum, or known cells."""
    cells = [(name, cell) for name, cell in zip(above.columns, row, strict=True) if cell]
    marks = [mark(cell) for _, cell in cells]
    if any(one is not None and one.highest is not None for one in marks):
        return True
    known = sum(bool((above[name] == cell).any()) for name, cell in cells)
    return 2 * known > len(cells)


def _is_graded(cells: Sequence[str]) -> bool:
    """Whether most cells are grades."""
    return bool(cells) and 2 * sum(mark(cell) is not None for cell in cells) > len(cells)


def _is_like(names: Sequence[str], header: Sequence[str]) -> bool:
    """Whether two headers are the same."""

    def plain(cells: Sequence[str]) -> list[str]:
        return [" ".join(cell.casefold().split()) for cell in cells if cell]

    return plain(names) == plain(header)


# --- rows that are no data ---


def _without_errors(table: RawTable) -> RawTable:
    """Cells with the error of a spreadsheet, such as ``#REF!``, are empty."""
    marked = pl.all().str.starts_with("#").any()
    if not (columns := [n for n, one in _only_row(table.frame.select(marked)).items() if one]):
        return table
    bad = pl.col(columns).str.contains(SHEET_ERRORS)
    places = table.frame.select(pl.any_horizontal(bad).arg_true()).to_series().to_list()
    if not places:
        return table
    shown = sorted(
        {
            cell
            for name in columns
            for cell in table.frame[name].drop_nulls().unique().to_list()
            if re.match(SHEET_ERRORS, cell)
        }
    )
    frame = table.frame.with_columns(pl.when(~bad).then(pl.col(columns)))
    text = f"Errors of a spreadsheet ({', '.join(shown[:3])}) are read as empty cells."
    remark = Remark("repaired", text, _numbers_of(table, places))
    return table._replace(frame=frame, remarks=(*table.remarks, remark))


def _only_row(frame: pl.DataFrame) -> dict[str, bool | None]:
    return frame.row(0, named=True) if frame.height else {}


def _without_repeated_headers(table: RawTable) -> RawTable:
    """Rows that repeat the header are left out: exports were pasted below each other."""
    named = [
        (column, header)
        for column, header in zip(table.frame.columns, table.header, strict=True)
        if header
    ]
    if len(named) < 2:
        return table
    same = pl.all_horizontal([pl.col(column) == header for column, header in named])
    places = table.frame.select(same.arg_true()).to_series().to_list()
    text = "The header is repeated; the row is left out."
    return _blanked(table, places, Remark("dropped", text, _numbers_of(table, places)))


def _without_descriptions(table: RawTable) -> RawTable:
    """The table without a row below the header that explains its columns.

    A scale that it states, as in "1 (low) - 5 (high)", is added to the header.
    """
    if table.frame.height < 3:
        return table
    first, *others = table.frame.head(200).rows()
    told, graded = [], 0
    for column, cell in enumerate(first):
        cells = [row[column] for row in others if row[column]]
        if len(cells) < 2 or sum(map(is_numeric, cells)) < 0.9 * len(cells):
            continue
        graded += 1
        if cell and not is_numeric(cell) and re.search(r"[^\W\d_]{2}|\d\s*[-–]\s*\d", cell):
            told.append(column)
    ranges = [column for column in told if len(re.findall(r"\d+", first[column] or "")) == 2]
    if not told or 2 * len(told) < graded or not (ranges or (1 < len(told) == graded)):
        return table
    for column, cell in enumerate(first):
        cells = [row[column] for row in others if row[column]]
        if cell and column not in told and (cell in cells or _is_shaped_alike(cell, cells)):
            return table  # a review whose grade is missing
    if any(is_numeric(cell) for cell in first) or _words_for_highest(first):
        return table
    header = list(table.header)
    for column in told:
        found = re.findall(r"\d+(?:[.,]\d+)?", first[column] or "")
        if len(found) == 2 and scale_of(header[column]).highest is None:
            header[column] = f"{header[column]} ({found[0]}-{found[1]})"
    shown = next(cell for cell in first if cell)
    text = f"The row '{shown[:40]}' explains the columns, and is no review."
    plain = _blanked(table, [0], Remark("dropped", text, (table.first,)))
    return plain._replace(header=tuple(header))


def _words_for_highest(cells: Sequence[str | None]) -> bool:
    """Whether a row says that its cells are the highest grades."""
    return any(word in HIGHEST for cell in cells if cell for word in words_of(cell)[:3])


def _without_tests(table: RawTable, dialogue: Dialogue, about: str) -> RawTable:
    """A survey of Qualtrics without previews, and a question about unfinished responses."""
    frame = table.frame
    for name in ("Status", "DistributionChannel"):
        if name not in frame.columns:
            continue
        told = PREVIEWS if name == "Status" else ("preview", "test")
        test = pl.col(name).str.to_lowercase().is_in(told)
        places = table.frame.select(test.arg_true()).to_series().to_list()
        if places:
            text = f"The {name} says that the response is a preview or a test."
            table = _blanked(table, places, Remark("dropped", text, _numbers_of(table, places)))
            dialogue.decide(
                "files",
                f"{len(places)} previews or tests of the survey are left out.",
                evidence=f"the column {name}",
                confidence="certain",
            )
    if "Finished" in frame.columns:
        halfway = pl.col("Finished").str.to_lowercase().is_in(["false", "0", "no"])
        places = table.frame.select(halfway.arg_true()).to_series().to_list()
        if places and len(places) < table.frame.height:
            answer = dialogue.ask(
                Question(
                    UNFINISHED_KEY,
                    f"{len(places)} of {frame.height} responses to the survey are not finished. "
                    "Are the grades in them used?",
                    (
                        Choice("keep", "the grades that they have are used"),
                        Choice("drop", f"these {len(places)} responses are left out"),
                    ),
                    "keep",
                    about=about,
                )
            )
            rows = _numbers_of(table, places)
            if answer == "drop":
                table = _blanked(table, places, Remark("dropped", "Finished is False.", rows))
            else:
                remark = Remark("read", "Finished is False; the grades are used.", rows)
                table = table._replace(remarks=(*table.remarks, remark))
    return table


def _is_footer_cell(cell: str) -> bool:
    return label_of(cell) is not None or _FOOTNOTE.match(cell) is not None


def _without_totals(table: RawTable, dialogue: Dialogue, about: str) -> RawTable:
    """The table without rows of totals, averages and remarks; asked if one may be a person."""
    frame = table.frame
    begin = 0 if frame.height <= MAX_SEARCHED_ROWS else frame.height - MAX_FOOTER_ROWS
    plain = pl.all().str.replace_all(r"\(.*\)|\[.*\]", "").str.strip_chars(" :.=\t")
    ending = pl.all().str.contains(_OF_SOMEBODY.pattern)
    labelled = pl.any_horizontal(
        plain.str.to_lowercase().is_in(list(AGGREGATE_LABELS)), ending.fill_null(False)
    )
    noted = pl.all().str.contains(f"(?i)^({_FOOTNOTE.pattern})")
    lone = pl.sum_horizontal(pl.all().is_not_null()) <= 2
    some = frame.slice(begin)
    maybe = labelled | (pl.any_horizontal(noted) & lone)
    places = some.select(maybe.fill_null(False).arg_true()).to_series().to_list()
    if not places or len(places) > MAX_FOOTER_ROWS:
        return table
    sure: list[int] = []
    doubtful: list[int] = []
    for place in (begin + one for one in places):
        verdict = _verdict(table, place, bool(begin))
        (sure if verdict else doubtful if verdict is None else []).append(place)
    labels = {place: _shown(frame.row(place)) for place in sure + doubtful}
    if doubtful:
        names = " and ".join(dict.fromkeys(f"'{labels[place]}'" for place in doubtful))
        kept = all(label_of(labels[place]) in ("max", "min") for place in doubtful) or not any(
            _aggregates_name(table, place) for place in doubtful if _is_behind(table, place)
        )
        kept = kept and all(
            label_of(labels[place]) in ("max", "min") or _is_behind(table, place)
            for place in doubtful
        )
        number_of = f"{len(doubtful)} row{'s' * (len(doubtful) > 1)}"
        answer = dialogue.ask(
            Question(
                TOTALS_KEY,
                f"{number_of} named {names} may be a total or a real name (row "
                f"{', '.join(map(str, _numbers_of(table, doubtful[:5])))}); which is it?",
                (
                    Choice("drop", f"{number_of} left out"),
                    Choice("keep", f"{number_of} read as people or work"),
                ),
                "keep" if kept else "drop",
                about=about,
            )
        )
        if answer == "drop":
            sure += doubtful
    if not sure:
        return table
    shown = ", ".join(dict.fromkeys(f"'{labels[place][:40]}'" for place in sorted(sure)))
    text = f"A total, an average or a remark ({shown}) is neither a person nor work."
    return _blanked(table, sure, Remark("dropped", text, _numbers_of(table, sorted(sure))))


def _verdict(table: RawTable, place: int, is_long: bool) -> bool | None:
    """Whether a row is a total or a remark; None if it may be a person or work."""
    row = table.frame.row(place, named=True)
    filled = [(name, cell) for name, cell in row.items() if cell]
    (first, label), *others = filled
    what = label_of(label)
    texts = [cell for _, cell in others if mark(cell) is None and not _is_footer_cell(cell)]
    if what is None and not texts and _OF_SOMEBODY.search(label):
        words = {word for cell in AGGREGATE_LABELS for word in words_of(cell)}
        rest = [word for word in words_of(label) if word not in words]
        column = table.frame[first].drop_nulls().head(MAX_SEARCHED_ROWS).unique().to_list()
        known = any(cell != label and words_of(cell) == rest for cell in column)
        return known or not set(words_of(label)) - words - {"grand", "class", "gesamt", "overall"}
    if what is None:
        if _FOOTNOTE.match(label) and not others:
            # A person may be called Page or Stand, but not with a date behind it.
            return bool(re.search(r"\d|:", label)) or table.frame.width > 1
        labelled = next((name for name, cell in others if label_of(cell) is not None), None)
        if labelled is None:
            return False
        # The label of a criterion, such as Total, stands behind the names.
        header = words_of(labelled)
        named = any(w in known for w in header for known in (SUBMISSIONS, GRADERS, AUTHORS))
        alone = [name for name, cell in filled if mark(cell) is None]
        if named or (len(alone) == 1 and any(w in PEOPLE for w in header)):
            return None
        return False
    if texts:
        # A person may be called Max, and is then found beside work.
        return False if label.strip(" :.=").casefold() in PLAUSIBLE_NAMES else None
    if label.strip(" :.=").casefold() in PLAUSIBLE_NAMES and (
        label in table.header or not _is_at_the_end(table, place)
    ):
        return False  # a person of a matrix of people, or one row among others
    if not others:
        return True if label.casefold() not in DOUBTFUL_LABELS else None
    if not is_long and _aggregates(table, place, what, dict(others)):
        return True
    return None if label.strip(" :.=").casefold() in DOUBTFUL_LABELS else True


def _shown(row: Sequence[str | None]) -> str:
    """The cell of a row that labels it as a total or a remark, or else its first cell."""
    filled = [cell for cell in row if cell]
    return next((cell for cell in filled if _is_footer_cell(cell)), filled[0])


def _is_behind(table: RawTable, place: int) -> bool:
    """Whether the label of a total stands behind the name of a person or of work."""
    filled = [cell for cell in table.frame.row(place) if cell]
    return not _is_footer_cell(filled[0])


def _aggregates_name(table: RawTable, place: int) -> bool:
    """Whether a row is the total or the mean of the other rows that begin with the same name."""
    row = table.frame.row(place)
    name = next(cell for cell in row if cell)
    own = [one for one in table.frame.rows() if next((c for c in one if c), None) == name]
    for column, cell in enumerate(row):
        told = number(cell)
        values = [number(one[column]) for one in own if one != row]
        known = [one for one in values if one is not None]
        if told is None or not known:
            continue
        if any(abs(found - told) < 0.06 for found in (sum(known), sum(known) / len(known))):
            return True
    return False


def _is_at_the_end(table: RawTable, place: int) -> bool:
    """Whether only totals and remarks stand below a row."""
    below = table.frame.slice(place + 1, MAX_FOOTER_ROWS).rows()
    firsts = (next((cell for cell in row if cell), None) for row in below)
    return all(cell is None or _is_footer_cell(cell) for cell in firsts)


def _aggregates(table: RawTable, place: int, what: str, cells: Mapping[str, str]) -> bool:
    """Whether most cells of a row are the total, the mean and so on of the column above."""
    right = known = 0
    for name, cell in cells.items():
        told = mark(cell)
        above = [number(one) for one in table.frame[name].head(place).to_list()]
        values = [one for one in above if one is not None]
        if told is None or not values:
            continue
        ordered = sorted(values)
        found = {
            "mean": sum(values) / len(values),
            "sum": sum(values),
            "median": ordered[len(values) // 2],
            "max": ordered[-1],
            "min": ordered[0],
            "count": len(values),
        }.get(what)
        if found is None:
            continue
        known += 1
        right += abs(found - told.score) <= max(0.06, 0.006 * abs(found))
    return known > 0 and 2 * right > known


# --- a table without a header ---


def lacks_header(table: RawTable) -> bool:
    """Whether the first row looks like data, so that the table seems to have no header."""
    frame = table.frame.head(200)
    same = numbers = known = 0
    for name, header in zip(frame.columns, table.header, strict=True):
        cells = frame[name].drop_nulls().to_list()
        if not header or not cells:
            continue
        if is_numeric(header):
            numbers += _is_graded(cells)
        elif header in cells or _is_shaped_alike(header, cells):
            same += 1
        else:
            known += names_something(header)
    plain = [int(header) for header in table.header if re.fullmatch(r"\d{1,9}", header)]
    consecutive = len(plain) > 2 and plain == list(range(plain[0], plain[0] + len(plain)))
    if consecutive and not same:
        return False  # numbers of projects
    if known:
        return False
    return (numbers > 0 and (same > 0 or not consecutive)) or same > 1


def _is_shaped_alike(header: str, cells: Sequence[str]) -> bool:
    """Whether a header is like most cells below it: an address, a date, a code with a number."""

    def shape(cell: str) -> str:
        if re.fullmatch(r"\S+@\S+\.\S+", cell):
            return "@"
        return re.sub(r"\d+", "0", cell).casefold()

    own = shape(header)
    if own != "@" and "0" not in own:
        return False
    return 2 * sum(shape(cell) == own for cell in cells) > len(cells)
