"""Classes whose files are composed at random from the habits of people who make forms.

The other modules have files that somebody thought of. Here headers in four languages, identifiers,
scales, totals, empty rows, signs for "no grade", encodings and layouts meet in combinations that
nobody thought of. The number of a class decides all of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from tests.golden.exports.messy.kit import (
    Expected,
    Mark,
    Person,
    Table,
    Work,
    by_grader,
    comma,
    expect,
    graded,
    own_works,
    remark,
    short,
    shuffled,
    stamp,
    students,
    team_works,
    workbook,
    write,
)

CellOf: TypeAlias = Callable[[Mark, int], str]
"""The cell of a review, and of its place among the reviews."""

ColumnOf: TypeAlias = tuple[str, CellOf]

SCALES = (
    ("1..5", 1.0), ("0..10", 1.0), ("0..10", 0.5), ("1..10", 1.0), ("0..100", 5.0),
    ("0..100", 1.0), ("1..7", 1.0), ("0..20", 1.0), ("0..20", 0.5), ("0..5", 1.0), ("0..25", 1.0),
)  # fmt: skip
IDENTIFIERS = ("name", "name", "turned", "email", "login", "matriculation", "split")


@dataclass(frozen=True)
class Tongue:
    """The words of a form in one language."""

    graders: tuple[str, ...]
    people: tuple[str, ...]
    works: tuple[str, ...]
    criteria: tuple[str, ...]
    grades: tuple[str, ...]
    remarks: tuple[str, ...]
    first_last: tuple[str, str]
    own_group: str
    group: str
    mean: str
    time: str
    number: str
    rate: str
    clock: str
    """The style of :func:`stamp`."""


TONGUES = {
    "en": Tongue(
        ("Your name", "Reviewer", "Evaluator name", "Submitted by", "Who are you?", "Graded by"),
        ("Reviewee", "Person reviewed", "Author", "Peer's name", "Student being evaluated", "To"),
        ("Project reviewed", "Team evaluated", "Which group did you review?", "Group presenting"),
        ("Clarity", "Originality", "Use of evidence", "Technical quality", "Presentation skills"),
        ("Score", "Overall grade", "Rating", "Points awarded", "How would you grade this work?"),
        ("Comments", "Feedback for the author", "What went well?", "Justify your score"),
        ("First name", "Last name"),
        *("Your team", "Group", "Average", "Timestamp", "Student number", "Rate", "google"),
    ),
    "de": Tongue(
        ("Dein Name", "Gutachter", "Bewertet von", "Name der bewertenden Person"),
        ("Bewertete Person", "Autor", "Wen bewertest du?"),
        ("Bewertetes Projekt", "Gruppe, die bewertet wird", "Projekt"),
        ("Klarheit", "Originalität", "Aufbau", "Inhalt"),
        ("Punkte", "Bewertung", "Gesamtpunktzahl"),
        ("Kommentar", "Anmerkungen"),
        ("Vorname", "Nachname"),
        *("Deine Gruppe", "Gruppe", "Mittelwert", "Zeitstempel", "Matrikelnummer", "Bewertung"),
        "german",
    ),
    "fr": Tongue(
        ("Votre nom", "Évaluateur", "Nom du correcteur"),
        ("Personne évaluée", "Auteur", "Qui évaluez-vous ?"),
        ("Projet évalué", "Groupe évalué"),
        ("Clarté", "Originalité", "Structure", "Contenu"),
        ("Note", "Note globale"),
        ("Commentaires", "Remarques"),
        ("Prénom", "Nom"),
        *("Votre groupe", "Groupe", "Moyenne", "Horodateur", "Matricule", "Note pour", "french"),
    ),
    "es": Tongue(
        ("Tu nombre", "Evaluador", "Nombre del revisor"),
        ("Persona evaluada", "Autor", "¿A quién evalúas?"),
        ("Proyecto evaluado", "Grupo evaluado"),
        ("Claridad", "Originalidad", "Estructura", "Contenido"),
        ("Nota", "Puntuación", "Calificación"),
        ("Comentarios", "Observaciones"),
        ("Nombre", "Apellidos"),
        *("Tu grupo", "Grupo", "Promedio", "Marca temporal", "Matrícula", "Nota para", "french"),
    ),
}


class Composer:
    """One class, and the choices that are made for its files."""

    def __init__(self, name: str):
        self.rng = random.Random(name)
        self.language = self.rng.choice(("en", "en", "en", "de", "fr", "es"))
        self.tongue = TONGUES[self.language]
        self.seed = self.rng.randrange(10**6)
        self.people = students(self.rng.choice((8, 10, 12, 15, 20, 26)), self.seed)
        self.scale, self.step = self.rng.choice(SCALES)
        self.low, self.high = self.scale.split("..")
        self.has_commas = self.language != "en" and self.chance(0.7)
        self.states_scale = self.chance(0.6)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def number(self, value: float) -> str:
        return comma(value) if self.has_commas else short(value)

    def with_scale(self, header: str) -> str:
        return f"{header} ({self.low}-{self.high})" if self.states_scale else header

    def grades(self, works: list[Work], each: int, criteria: int, *, on_self: bool) -> list[Mark]:
        return graded(
            self.people,
            works,
            min(each, len(works) - 2),
            self.scale,
            criteria=criteria,
            step=self.step,
            seed=self.seed,
            on_self=on_self,
        )

    def read_as(self, marks: list[Mark]) -> tuple[Expected, ...]:
        """The readings that a person may have: sums or means of criteria, reviews of oneself out.

        A class whose files state no scale is compared by its grades.
        """
        kept = [mark for mark in marks if mark.grader not in mark.work.authors]
        count = len(kept[0].parts)
        low, high = float(self.low) * count, float(self.high) * count
        found = [expect(kept, f"{low:g}..{high:g}"), expect(kept)]
        if count > 1:
            means = [replace(mark, parts=(mark.grade / count,)) for mark in kept]
            found.append(expect(means, self.scale))
        return tuple(found)

    def write(self, folder: Path, header: list[str], rows: Table) -> None:
        """Write the table as one of the files that people have, perhaps below a title."""
        table: Table = [header, *rows]
        if self.chance(0.15):
            table = [["Peer review results"], [], *table]
        kind = self.rng.choice(("commas", "semicolons", "tabs", "workbook", "UTF-16", "Windows"))
        if kind == "commas" and self.has_commas:
            kind = "semicolons"
        if kind == "workbook":
            told = [[_typed(cell) for cell in row] for row in table]
            workbook(folder / "results.xlsx", {"Form Responses 1": told})
        elif kind == "UTF-16":
            write(folder / "results.txt", table, delimiter="\t", encoding="utf-16")
        else:
            delimiter = {"tabs": "\t", "semicolons": ";"}.get(kind, ";" if self.has_commas else ",")
            encoding = "cp1252" if kind == "Windows" else self.rng.choice(("utf-8", "utf-8-sig"))
            write(folder / "results.csv", table, delimiter=delimiter, encoding=encoding)

    def disturbed(self, rows: Table, width: int) -> Table:
        """The rows with one row twice, or an empty row among them."""
        found = list(rows)
        if self.chance(0.25):
            place = self.rng.randrange(len(found))
            found.insert(place, list(found[place]))
        if self.chance(0.25):
            found.insert(self.rng.randrange(3, len(found)), [""] * width)
        return found


def _typed(cell: str) -> str | float:
    """A cell as a spreadsheet keeps it: numbers are numbers."""
    plain = cell.replace(".", "", 1)
    return float(cell) if plain.isascii() and plain.isdigit() else cell


# ------------------------------------------------------------------------- one row for each review


def one_row_each(number: int, folder: Path) -> tuple[Expected, ...]:
    """Each row is one review."""
    made = Composer(f"row {number}")
    rng, tongue = made.rng, made.tongue
    in_teams = made.chance(0.4)
    works = (
        team_works(made.people, max(4, len(made.people) // 3), tongue.group)
        if in_teams
        else own_works(made.people)
    )
    count = rng.choice((1, 1, 2, 3, 4))
    on_self = not in_teams and made.chance(0.25)
    marks = made.grades(works, rng.choice((3, 4, 5)), count, on_self=on_self)
    columns = [*_graders(made), *_works(made, works, in_teams)]
    columns += _grades(made, count)
    for extra in rng.sample(_extras(made), rng.choice((0, 0, 1, 2))):
        columns.insert(rng.randrange(len(columns) + 1), extra)
    if made.chance(0.3):
        rng.shuffle(columns)
    if made.chance(0.5):
        columns.insert(0, (tongue.time, lambda _, i: stamp(i, style=tongue.clock)))
    body = marks if made.chance(0.5) else shuffled(marks, number)
    rows: Table = [[cell(mark, i) for _, cell in columns] for i, mark in enumerate(body)]
    made.write(folder, [header for header, _ in columns], made.disturbed(rows, len(columns)))
    return made.read_as(marks)


def _graders(made: Composer) -> list[ColumnOf]:
    kind, tongue = made.rng.choice(IDENTIFIERS), made.tongue
    header = made.rng.choice(tongue.graders)
    if kind == "split":
        first, last = tongue.first_last
        return [
            (first, lambda mark, _: mark.grader.first),
            (last, lambda mark, _: mark.grader.last),
        ]
    if kind in ("email", "login"):
        header = {"email": "Email Address", "login": "Username"}[kind]
    elif kind == "matriculation" and made.language == "en":
        header = "Your student ID"
    return [(header, lambda mark, _: _identity(mark.grader, kind))]


def _works(made: Composer, works: list[Work], in_teams: bool) -> list[ColumnOf]:
    tongue = made.tongue
    if not in_teams:
        kind = made.rng.choice(("name", "name", "turned", "email", "matriculation"))
        header = made.rng.choice(tongue.people)
        return [(header, lambda mark, _: _identity(mark.work.authors[0], kind))]
    found: list[ColumnOf] = [(made.rng.choice(tongue.works), lambda mark, _: mark.work.label)]
    if made.chance(0.5):
        team = {person: work.label for work in works for person in work.authors}
        found.insert(0, (tongue.own_group, lambda mark, _: team[mark.grader]))
    return found


def _identity(person: Person, kind: str) -> str:
    return str(getattr(person, kind))


def _grades(made: Composer, count: int) -> list[ColumnOf]:
    """The grades, perhaps with comments between them, and a total or a mean behind."""
    rng, tongue = made.rng, made.tongue
    heads = rng.sample(tongue.criteria, count) if count > 1 else [rng.choice(tongue.grades)]
    outof = made.low == "0" and made.chance(0.25)
    if count > 1 and made.language == "en" and made.chance(0.3):
        heads = [f"How would you rate the {head.lower()} of this work?" for head in heads]

    def grade_on(place: int) -> CellOf:
        def cell(mark: Mark, _: int) -> str:
            told = made.number(mark.parts[place])
            return f"{told}/{made.high}" if outof else told

        return cell

    def remark_on(place: int) -> CellOf:
        return lambda _, i: remark(i + place)

    between, found = made.chance(0.4), []
    for place, head in enumerate(heads):
        found.append((made.with_scale(head), grade_on(place)))
        if between:
            found.append((f"{rng.choice(tongue.remarks)} {place + 1}", remark_on(place)))
    if count > 1 and made.chance(0.2):
        found.append(("Total", lambda mark, _: made.number(mark.grade)))
    elif count > 1 and made.chance(0.2):
        found.append((tongue.mean, lambda mark, _: made.number(round(mark.grade / count, 2))))
    return found


def _extras(made: Composer) -> list[ColumnOf]:
    """Columns that are neither names nor grades."""
    if made.language != "en":
        return [("Status", lambda _, __: "ok"), ("ID", lambda _, i: str(311 + i))]
    return [
        ("How many hours did you spend?", lambda mark, _: str(1 + mark.grader.number % 6)),
        ("How confident are you in this review? (1-5)", lambda _, i: str(1 + (i * 7) % 5)),
        ("Did you attend the session?", lambda _, i: "Yes" if i % 5 else "No"),
        ("Word count", lambda _, i: str(40 + (i * 37) % 200)),
        ("Review ID", lambda _, i: str(50412 + i)),
        ("I agree to the honor code", lambda _, __: "I agree"),
    ]


# ------------------------------------------------------------------------- one row for each grader


def one_row_for_each_grader(number: int, folder: Path) -> tuple[Expected, ...]:
    """Each row is the answer of a grader, with columns for the works and their criteria."""
    made = Composer(f"grader {number}")
    rng, tongue = made.rng, made.tongue
    on_people = made.chance(0.4)
    works = (
        own_works(made.people)
        if on_people
        else team_works(made.people, rng.choice((4, 5, 6)), tongue.group)
    )
    count = rng.choice((1, 1, 2, 3))
    on_self = on_people and made.chance(0.4)
    marks = made.grades(works, rng.choice((3, 4, 5)), count, on_self=on_self)
    kind = rng.choice([one for one in IDENTIFIERS if one != "split"])
    named = {"email": "Email Address", "login": "Username", "matriculation": tongue.number}
    header = [named.get(kind, rng.choice(tongue.graders))]
    criteria, in_brackets = rng.sample(tongue.criteria, count), made.chance(0.6)
    for work in works:
        for criterion in criteria:
            question = made.with_scale(tongue.rate if count == 1 else criterion)
            if in_brackets:
                header.append(f"{question} [{work.label}]")
            elif count == 1:
                header.append(made.with_scale(f"{tongue.rate} {work.label}"))
            else:
                header.append(made.with_scale(f"{work.label} - {criterion}"))
    none_given = rng.choice(("", "", "-", "N/A"))
    rows: Table = []
    for grader, given in by_grader(marks).items():
        parts = {mark.work: [made.number(part) for part in mark.parts] for mark in given}
        cells = [cell for work in works for cell in parts.get(work, [none_given] * count)]
        rows.append([_identity(grader, kind), *cells])
    if made.chance(0.4):
        header.append(rng.choice(tongue.remarks))
        rows = [[*row, remark(i)] for i, row in enumerate(rows)]
    if made.chance(0.6):
        header.insert(0, tongue.time)
        rows = [[stamp(i, style=tongue.clock), *row] for i, row in enumerate(rows)]
    made.write(folder, header, made.disturbed(rows, len(header)))
    return made.read_as(marks)


LAYOUTS = {
    "one row for each review": one_row_each,
    "one row for each grader": one_row_for_each_grader,
}
