"""Exports of other survey tools, and of programs that teachers use for surveys."""

from __future__ import annotations

from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Line,
    Mark,
    Table,
    by_grader,
    case,
    expect,
    graded,
    moment,
    own_works,
    remark,
    short,
    stamp,
    students,
    team_works,
    workbook,
    write,
)

# ---------------------------------------------------------------- survey tools with their columns


@case()
def second_header_row_says_response(folder: Path) -> Expected:
    """The second row of the header says what kind of answer each column holds."""
    people = students(14, 601)
    works = team_works(people, 7, "Team")
    marks = graded(people, works, 3, seed=601)
    rows: Table = [
        [
            "Respondent ID",
            "Collector ID",
            "Start Date",
            "End Date",
            "IP Address",
            "Email Address",
            "First Name",
            "Last Name",
            "Custom Data 1",
            "Which team did you see?",
            "How do you rate the team on a scale from 1 to 5?",
            "Do you have any comments?",
        ],
        ["", "", "", "", "", "", "", "", "", "Response", "Response", "Open-Ended Response"],
    ]
    for i, m in enumerate(marks):
        begin, end = stamp(i, style="iso"), stamp(i + 1, style="iso")
        rows.append(
            [
                f"1184{i * 7717 % 100000:05d}",
                "4402117",
                begin,
                end,
                f"10.0.{i % 7}.{20 + i}",
                m.grader.email,
                m.grader.first,
                m.grader.last,
                "",
                m.work.label,
                short(m.grade),
                remark(i),
            ]
        )
    write(folder / "Survey data.csv", rows)
    return expect(marks, "1..5")


@case()
def question_above_a_row_of_teams(folder: Path) -> Expected:
    """A matrix question: its text stands above the first team only."""
    people = students(15, 602)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 4, seed=602)
    rows: Table = [
        [
            "Respondent ID",
            "Start Date",
            "Email Address",
            "Please rate each team from 1 (weak) to 5 (strong)",
            *[""] * 4,
            "Comments",
        ],
        ["", "", "", *[w.label for w in works], "Open-Ended Response"],
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append(
            [
                f"1184{i * 991:05d}",
                stamp(i, style="iso"),
                person.email,
                *[found.get(w, "") for w in works],
                remark(i),
            ]
        )
    write(folder / "Matrix.csv", rows)
    return expect(marks, "1..5")


@case()
def codes_of_questions_with_subquestions_in_brackets(folder: Path) -> Expected:
    people = students(15, 603)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 4, "0..10", seed=603)
    header: Line = [
        "id. Response ID",
        "submitdate. Date submitted",
        "lastpage. Last page",
        "startlanguage. Start language",
        "G01Q01. Please enter your e-mail address",
    ]
    header += [f"G01Q02[SQ00{i + 1}]. Points from 0 to 10 [{w.label}]" for i, w in enumerate(works)]
    rows: Table = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append(
            [
                i + 1,
                stamp(i, style="iso"),
                2,
                "en",
                person.email,
                *[found.get(w, "") for w in works],
            ]
        )
    write(folder / "results-survey418211.csv", rows)
    return expect(marks, "0..10")


@case()
def form_with_hash_and_network_id(folder: Path) -> Expected:
    people = students(12, 604)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=604)
    rows: Table = [
        [
            "#",
            "What's your name?",
            "Hi again! Which team are you scoring?",
            "How likely are you to recommend this team's product to a friend? (0-10)",
            "Start Date (UTC)",
            "Submit Date (UTC)",
            "Network ID",
        ]
    ]
    for i, m in enumerate(marks):
        key = f"{i * 2654435761 % 2**32:08x}"
        rows.append(
            [
                key,
                m.grader.name,
                m.work.label,
                short(m.grade),
                stamp(i, style="iso"),
                stamp(i + 1, style="iso"),
                key[::-1],
            ]
        )
    write(folder / "responses-GxT1.csv", rows)
    return expect(marks, "0..10")


@case()
def submissions_with_first_and_last_name_of_the_sender(folder: Path) -> Expected:
    people = students(12, 605)
    marks = graded(people, own_works(people), 3, seed=605)
    rows: Table = [
        [
            "Submission Date",
            "First Name",
            "Last Name",
            "Student you are reviewing",
            "Star Rating",
            "Review",
            "Submission ID",
            "Submission IP",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append(
            [
                moment(i),
                m.grader.first,
                m.grader.last,
                m.work.label,
                m.grade,
                remark(i),
                f"58{i * 104729:013d}",
                f"10.1.1.{i}",
            ]
        )
    workbook(folder / "Peer_Review2026-03-04.xlsx", {"Form Responses": rows})
    return expect(marks)


@case("ask")
def database_of_notes(folder: Path) -> Expected:
    """The title of a note says who reviews what; the person who created it is the reviewer."""
    people = students(12, 606)
    works = team_works(people, 6)
    marks = graded(people, works, 3, "1..10", seed=606)
    rows: Table = [["Name", "Created by", "Created time", "Project", "Score (1-10)", "Tags"]]
    for i, m in enumerate(marks):
        rows.append(
            [
                f"Review of {m.work.label}",
                m.grader.name,
                f"{moment(i):%B %d, %Y %I:%M %p}",
                m.work.label,
                short(m.grade),
                "done, peer" if i % 2 else "done",
            ]
        )
    write(folder / "Peer reviews 4f1c.csv", rows, encoding="utf-8-sig")
    return expect(marks, "1..10")


# ---------------------------------------------------------------------- one column for each ratee


@case()
def rating_and_reason_for_each_teammate(folder: Path) -> Expected:
    """Select your name, then a rating and a reason for every member, the own name included."""
    people = students(6, 611)
    works = own_works(people)
    marks = graded(people, works, 5, "0..10", seed=611, on_self=True)
    header: Line = ["Timestamp", "Select your name"]
    for p in people:
        header += [f"Please rate the overall contribution from {p.first}", f"Justify {p.first}"]
    rows: Table = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: m.grade for m in given}
        cells: Line = []
        for k, work in enumerate(works):
            cells += [short(found[work]), remark(i + k)]
        rows.append([stamp(i), person.first, *cells])
    write(folder / "PA_Concept (Responses) - Team 4.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, free=("grader", "submission"))


@case()
def a_form_for_each_team(folder: Path) -> Expected:
    """The same form for four teams; every file has the names of its own team as columns."""
    people = students(20, 612)
    marks: list[Mark] = []
    for k in range(4):
        team = people[k::4]
        here = graded(team, own_works(team), 4, seed=612 + k, on_self=True)
        marks += here
        rows: Table = [
            [
                "Timestamp",
                "Your name",
                *[f"How much did {p.name} contribute? (1-5)" for p in team],
            ]
        ]
        for i, (person, given) in enumerate(by_grader(here).items()):
            found = {m.work.label: short(m.grade) for m in given}
            rows.append([stamp(i), person.name, *[found[p.name] for p in team]])
        write(folder / f"Team {k + 1} contribution.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "1..5", one_assignment=True)


@case()
def ratee_first_and_criterion_in_brackets(folder: Path) -> Expected:
    people = students(6, 613)
    works = own_works(people)
    marks = graded(people, works, 5, criteria=2, seed=613, on_self=True)
    header: Line = ["Timestamp", "Who are you?"]
    header += [f"{p.name} [{c}]" for p in people for c in ("Quality of work", "Reliability")]
    rows: Table = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: m.parts for m in given}
        rows.append([stamp(i), person.name, *[short(x) for w in works for x in found[w]]])
    write(folder / "teammates.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors])


@case()
def team_and_criterion_separated_by_a_colon(folder: Path) -> Expected:
    people = students(12, 614)
    works = team_works(people, 4, "Team")
    marks = graded(people, works, 3, criteria=2, seed=614)
    header: Line = ["Name"]
    header += [f"{w.label}: {c}" for w in works for c in ("Content (1-5)", "Design (1-5)")]
    rows: Table = [header]
    for person, given in by_grader(marks).items():
        found = {m.work: m.parts for m in given}
        rows.append([person.name, *[x for w in works for x in found.get(w, (None, None))]])
    workbook(folder / "judging.xlsx", {"Judging": rows})
    return expect(marks, "2..10")


@case()
def short_codes_for_team_and_criterion(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 615)
    works = team_works(people, 4, "T")
    marks = graded(people, works, 3, criteria=2, seed=615)
    header: Line = ["student"]
    header += [f"{w.label.replace(' ', '')}_{c}" for w in works for c in ("content", "design")]
    rows: Table = [header]
    for person, given in by_grader(marks).items():
        found = {m.work: m.parts for m in given}
        cells = [
            short(x) if x is not None else "" for w in works for x in found.get(w, (None, None))
        ]
        rows.append([person.login, *cells])
    write(folder / "wide.csv", rows, ends="\n")
    return (expect(marks, free=("submission",)),)


@case()
def line_breaks_in_headers(folder: Path) -> Expected:
    people = students(15, 616)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 4, "0..10", seed=616)
    names = ("Solar oven", "Bee hotel", "Rain clock", "Wind harp", "Paper bridge")
    rows: Table = [
        ["Your\nname", *[f"{w.label}\n({n})" for w, n in zip(works, names, strict=True)], "Remarks"]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: m.grade for m in given}
        rows.append([person.name, *[found.get(w) for w in works], remark(i)])
    workbook(folder / "fair.xlsx", {"Sheet1": rows})
    return expect(marks, free=("submission",))


@case("ask")
def ranking_of_some_projects(folder: Path) -> tuple[Expected, ...]:
    """Everybody ranks three of six projects: 1 is the first choice."""
    people = students(14, 617)
    works = team_works(people, 6)
    ranked = []
    rows: Table = [
        ["Timestamp", "Email Address", *[f"Rank your three favourites [{w.label}]" for w in works]]
    ]
    for i, (person, given) in enumerate(by_grader(graded(people, works, 3, seed=617)).items()):
        order = sorted(given, key=lambda m: -m.grade)
        places = {m.work: str(k + 1) for k, m in enumerate(order)}
        ranked += [Mark(person, m.work, (float(k + 1),)) for k, m in enumerate(order)]
        rows.append([stamp(i), person.email, *[places.get(w, "") for w in works]])
    write(folder / "favourites.csv", rows)
    return (expect(ranked, "3..1"),)


@case("ask")
def sections_without_the_name_of_the_peer(folder: Path) -> Expected:
    """The form had a section for every member, and the export repeats the same headers."""
    people = students(5, 618)
    works = own_works(people)
    marks = graded(people, works, 4, "1..10", criteria=2, seed=618, on_self=True)
    header: Line = ["Timestamp", "Your name"]
    header += ["Quality", "Quality motivation", "Reliability", "Reliability motivation"] * 5
    rows: Table = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: m.parts for m in given}
        cells: Line = []
        for work in works:
            one, two = map(short, found[work])
            cells += [one, remark(i), two, remark(i + 1)]
        rows.append([stamp(i), person.name, *cells])
    write(folder / "sections.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors])


@case()
def names_then_scores_of_the_reviewers_of_a_paper(folder: Path) -> Expected:
    """Reviewer 1 to 3 hold names here, and Score 1 to 3 their scores."""
    people = students(12, 619)
    works = team_works(people, 9, "Paper")
    marks = graded(people, works, 3, "0..10", seed=619)
    rows: Table = [
        ["Paper"]
        + [f"Reviewer {i}" for i in (1, 2, 3, 4, 5)]
        + [f"Score {i}" for i in (1, 2, 3, 4, 5)]
    ]
    kept = []
    for work in works:
        got = [m for m in marks if m.work == work][:5]
        kept += got
        gap: Line = [None] * (5 - len(got))
        rows.append(
            [work.label, *[m.grader.name for m in got], *gap, *[m.grade for m in got], *gap]
        )
    workbook(folder / "papers.xlsx", {"Papers": rows})
    return expect(kept)
