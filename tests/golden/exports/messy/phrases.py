"""Lists of reviews whose headers are the questions that teachers ask, in their own words.

Every case is a list of columns, each with its meaning and its header. The file has one row for each
review. What a column means is clear to a person who reads all headers and a few rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.golden.exports.messy.kit import (
    Case,
    Expected,
    Line,
    Mark,
    Table,
    Work,
    expect,
    graded,
    own_works,
    remark,
    short,
    stamp,
    students,
    team_works,
    write,
)


def cell(meaning: str, i: int, mark: Mark, own: Work) -> str | float:
    """What stands in a column with this meaning."""
    k = mark.grader.number
    kind, _, place = meaning.partition(" ")
    known: dict[str, Callable[[], str | float]] = {
        "row": lambda: i + 1,
        "time": lambda: stamp(i),
        "name": lambda: mark.grader.name,
        "first": lambda: mark.grader.first,
        "last": lambda: mark.grader.last,
        "email": lambda: mark.grader.email,
        "login": lambda: mark.grader.login,
        "number": lambda: mark.grader.matriculation,
        "own": lambda: own.label,
        "work": lambda: mark.work.label,
        "work-number": lambda: mark.work.label.split()[-1],
        "author": lambda: mark.work.authors[0].name,
        "author-turned": lambda: mark.work.authors[0].turned,
        "author-email": lambda: mark.work.authors[0].email,
        "author-login": lambda: mark.work.authors[0].login,
        "grade": lambda: short(mark.parts[int(place or 0)]),
        "total": lambda: short(mark.grade),
        "comment": lambda: remark(i + int(place or 0)),
        "five": lambda: 1 + (i * 3 + k) % 5,
        "ten": lambda: 1 + (i * 7 + k) % 10,
        "minutes": lambda: 3 + i * 5 % 40,
        "words": lambda: 10 + i * 37 % 200,
        "count": lambda: 3,
        "constant": lambda: place,
        "yes": lambda: "Yes",
        "year": lambda: 1 + k % 4,
        "empty": lambda: "",
    }
    return known[kind]()


def phrased(
    name: str,
    columns: dict[str, str],
    scale: str = "",
    *,
    works: str = "Team",
    grades: str = "1..5",
    delimiter: str = ",",
    seed: int = 0,
) -> Case:
    """A case with these columns: header to meaning; *works* are people if it is empty."""
    criteria = max([int(m.partition(" ")[2] or 0) for m in columns.values() if m[:5] == "grade"])

    def writer(folder: Path) -> Expected:
        people = students(14, 800 + seed)
        made = team_works(people, 7, works) if works else own_works(people)
        step = 5 if grades == "0..100" else 1
        marks = graded(people, made, 3, grades, criteria=criteria + 1, step=step, seed=800 + seed)
        own = {p: work for work in made for p in work.authors}
        rows: Table = [list(columns)]
        for i, mark in enumerate(marks):
            row: Line = [cell(meaning, i, mark, own[mark.grader]) for meaning in columns.values()]
            rows.append(row)
        write(folder / "responses.csv", rows, delimiter=delimiter)
        return expect(marks, scale)

    return Case(name, writer, ask=False, group="phrases")


PHRASED_CASES: tuple[Case, ...] = (
    phrased(
        "which-presentation-are-you-evaluating",
        {
            "Timestamp": "time",
            "Please enter your full name": "name",
            "Which presentation are you evaluating?": "work",
            "On a scale of 1 to 10, how would you rate the overall presentation?": "grade",
            "What is one thing the presenters did well?": "comment",
        },
        "1..10",
        grades="1..10",
        works="Presentation",
        seed=1,
    ),
    phrased(
        "my-name-is-and-i-reviewed",
        {"My name is": "name", "I reviewed": "author", "I would give this essay (0-100)": "grade"},
        "0..100",
        grades="0..100",
        works="",
        seed=2,
    ),
    phrased(
        "evaluator-and-evaluatee",
        {
            "Evaluator": "login",
            "Evaluatee": "author-login",
            "Overall (1=low, 5=high)": "grade",
            "Feedback to peer": "comment",
        },
        "1..5",
        works="",
        seed=3,
    ),
    phrased(
        "assessor-and-assessee",
        {
            "Assessee": "author",
            "Assessor": "name",
            "Total Score (10)": "grade",
            "Completed": "yes",
        },
        "0..10",
        grades="0..10",
        works="",
        seed=4,
    ),
    phrased(
        "from-and-to",
        {"From": "email", "To": "author-email", "Stars (1 to 5)": "grade", "Message": "comment"},
        "1..5",
        works="",
        seed=5,
    ),
    phrased(
        "giver-and-recipient",
        {
            "Giver's Email": "email",
            "Recipient's Email": "author-email",
            "Rating (1-5)": "grade",
            "Recipient's comments on the rating": "empty",
        },
        "1..5",
        works="",
        seed=6,
    ),
    phrased(
        "your-group-and-the-group-that-you-are-marking",
        {
            "Your name": "name",
            "Your group": "own",
            "The group that you are marking": "work",
            "Mark out of 20": "grade",
        },
        "0..20",
        grades="0..20",
        works="Group",
        seed=7,
    ),
    phrased(
        "presenting-team-and-judge",
        {
            "Presenting team": "work",
            "Judge": "name",
            "Judge's year": "year",
            "Creativity (1-5)": "grade 0",
            "Feasibility (1-5)": "grade 1",
            "Total (2-10)": "total",
        },
        "2..10",
        seed=8,
    ),
    phrased(
        "student-id-of-reviewer-and-of-author",
        {
            "#": "row",
            "Student ID (yours)": "number",
            "Login of the student whose report you read": "author-login",
            "Report grade, 0-10 points": "grade",
            "How long did it take you to read the report (minutes)?": "minutes",
        },
        "0..10",
        grades="0..10",
        works="",
        seed=9,
    ),
    phrased(
        "marker-and-candidate",
        {
            "Candidate": "author-turned",
            "Marker": "name",
            "Mark": "grade",
            "Out of": "constant 25",
            "Moderated?": "yes",
        },
        "0..25",
        grades="0..25",
        works="",
        seed=10,
    ),
    phrased(
        "sender-of-the-form-is-the-critic",
        {
            "ID": "row",
            "Start time": "time",
            "Email": "email",
            "Name": "name",
            "Whose pitch did you listen to?": "work",
            "Would you invest? Rate from 0 (never) to 10 (at once).": "grade",
            "Why?": "comment",
        },
        "0..10",
        grades="0..10",
        works="Pitch",
        seed=11,
    ),
    phrased(
        "username-and-number-of-the-poster",
        {
            "Username": "email",
            "Poster number": "work-number",
            "Score 1 (design), 1-5": "grade 0",
            "Score 2 (content), 1-5": "grade 1",
            "Score 3 (defence), 1-5": "grade 2",
        },
        "3..15",
        works="Poster",
        seed=12,
    ),
    phrased(
        "peer-is-the-one-who-was-graded",
        {
            "Student": "name",
            "Peer": "author",
            "Grade for peer (1-10)": "grade",
            "Course": "constant X1",
        },
        "1..10",
        grades="1..10",
        works="",
        seed=13,
    ),
    phrased(
        "reviewer-confidence-before-the-grade",
        {
            "Reviewer name": "name",
            "Reviewer confidence (1 = guess, 5 = certain)": "five",
            "Reviewer's interest in the topic (1-10)": "ten",
            "Manuscript": "work",
            "Recommendation score (1 = reject, 5 = accept)": "grade",
        },
        "1..5",
        works="Manuscript",
        seed=14,
    ),
    phrased(
        "words-and-number-of-reviews",
        {
            "reviewer": "login",
            "n_reviews_by_reviewer": "count",
            "submission": "work",
            "n_reviews_of_submission": "count",
            "n_words": "words",
            "score": "grade",
        },
        grades="0..10",
        seed=15,
    ),
    phrased(
        "german-wer-bewertet-wen",
        {
            "Zeitstempel": "time",
            "Ihr Name": "name",
            "Wen bewerten Sie?": "author",
            "Ihre Bewertung (1 = schwach, 5 = stark)": "grade",
            "Begründung": "comment",
        },
        "1..5",
        works="",
        delimiter=";",
        seed=16,
    ),
    phrased(
        "german-gutachten",
        {
            "Nr.": "row",
            "Gutachter/in": "name",
            "Begutachtete Arbeit": "work",
            "Inhalt (0-10 P.)": "grade 0",
            "Form (0-10 P.)": "grade 1",
            "Summe": "total",
        },
        "0..20",
        grades="0..10",
        works="Arbeit",
        delimiter=";",
        seed=17,
    ),
    phrased(
        "french-qui-evalue-qui",
        {
            "Horodateur": "time",
            "Votre nom": "name",
            "Nom de l'étudiant évalué": "author",
            "Note attribuée (sur 10)": "grade",
            "Commentaires": "comment",
        },
        "0..10",
        grades="0..10",
        works="",
        delimiter=";",
        seed=18,
    ),
    phrased(
        "spanish-quien-evalua-a-quien",
        {
            "Marca temporal": "time",
            "Dirección de correo electrónico": "email",
            "¿A qué equipo evalúas?": "work",
            "Puntuación (1 a 5)": "grade",
            "Observaciones": "comment",
        },
        "1..5",
        works="Equipo",
        seed=19,
    ),
    phrased(
        "italian-chi-valuta-chi",
        {
            "Informazioni cronologiche": "time",
            "Il tuo nome": "name",
            "Gruppo valutato": "work",
            "Punteggio da 1 a 10": "grade",
        },
        "1..10",
        grades="1..10",
        works="Gruppo",
        seed=20,
    ),
    phrased(
        "code-book-names",
        {
            "submission_id": "work",
            "grader_id": "login",
            "is_peer": "constant 1",
            "grader_year": "year",
            "points_awarded": "grade",
            "points_possible": "constant 10",
        },
        "0..10",
        grades="0..10",
        seed=21,
    ),
    phrased(
        "critiqued-by",
        {
            "Story": "work",
            "Critiqued by": "name",
            "Character (1-5)": "grade 0",
            "Plot (1-5)": "grade 1",
            "Language (1-5)": "grade 2",
            "General remarks": "comment",
        },
        "3..15",
        works="Story",
        seed=22,
    ),
    phrased(
        "first-and-last-name-of-the-respondent",
        {
            "First name": "first",
            "Last name": "last",
            "University e-mail": "email",
            "Team to evaluate": "work",
            "Grade (please use 1 to 5 only)": "grade",
        },
        "1..5",
        seed=23,
    ),
    phrased(
        "author-first-then-grade-then-grader",
        {
            "Paper by": "author-turned",
            "Mean of class so far": "constant 3.4",
            "Grade (1-5)": "grade",
            "Graded by": "name",
            "Graded on": "time",
        },
        "1..5",
        works="",
        seed=24,
    ),
    phrased(
        "reviewed-by-whom-and-how-useful",
        {
            "Who did the review?": "name",
            "What was reviewed?": "work",
            "How good was the work? (0-10)": "grade",
            "How useful was doing this review for you? (1-5)": "five",
        },
        "0..10",
        grades="0..10",
        works="Prototype",
        seed=25,
    ),
    phrased(
        "seat-and-slot",
        {
            "Seat": "ten",
            "Slot": "year",
            "Visitor": "name",
            "Stand visited": "work-number",
            "Points for the stand (1-10)": "grade",
        },
        "1..10",
        grades="1..10",
        works="Stand",
        seed=26,
    ),
    phrased(
        "title-with-number-and-reviewer-in-the-middle",
        {
            "Round": "constant 1",
            "Paper ID": "work-number",
            "Title": "constant Untitled",
            "PC member": "name",
            "Overall evaluation (1-5)": "grade",
            "Reviewer's confidence (1-5)": "five",
            "Best paper?": "empty",
        },
        "1..5",
        works="Paper",
        seed=27,
    ),
    phrased(
        "teammate-being-rated",
        {
            "Timestamp": "time",
            "Email Address": "email",
            "Teammate being rated": "author",
            "Contribution [1-5]": "grade 0",
            "Communication [1-5]": "grade 1",
            "Would you work with this person again?": "yes",
            "Your own contribution [1-5]": "five",
        },
        "2..10",
        works="",
        seed=28,
    ),
    phrased(
        "nothing-but-nouns",
        {"Student": "name", "Project": "work", "Points": "grade", "Week": "constant 3"},
        works="Project",
        grades="0..10",
        seed=29,
    ),
    phrased(
        "reader-and-text",
        {
            "Reader": "name",
            "Text": "work",
            "Difficulty of the text for you (1-5)": "five",
            "Quality of the text (1-10)": "grade",
            "Date": "time",
        },
        "1..10",
        grades="1..10",
        works="Text",
        seed=30,
    ),
)
