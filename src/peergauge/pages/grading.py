"""The page of a graded class: what an instructor needs to know, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup

from peergauge._version import __version__
from peergauge.classroom.grade import Graded, explain
from peergauge.classroom.grade.flags import KINDS
from peergauge.classroom.grade.who import Who
from peergauge.core.arrays import Floats
from peergauge.core.text import counted
from peergauge.mechanisms import mechanisms
from peergauge.models import models
from peergauge.models.posterior import middle
from peergauge.pages import percent, render, script_safe
from peergauge.pages.charts import bundle
from peergauge.pages.grading_charts import (
    MOST,
    colours,
    distribution,
    gains,
    graders,
    intervals,
    reach,
    thinned,
)
from peergauge.simulate.strategies import strategies

if TYPE_CHECKING:
    from peergauge.classroom.grade.gaming import Gaming

ROWS = 5000
"""How many submissions or graders a table has; those beyond are in the files beside the page."""

PAGE = 25
"""How many of them are shown at a time."""

COMPARED = 4
"""How many mechanisms the chart of gains compares."""

Z = 1.96
"""Standard errors to both sides that hold 95 percent."""


class Part(NamedTuple):
    """One line of why a submission has its grade, as it is shown."""

    who: str
    said: str
    value: str
    weight: str
    adds: str


class Why(NamedTuple):
    """Why a submission has its grade, in numbers that add up as they stand."""

    parts: tuple[Part, ...]
    total: str
    cut: bool
    staff: str


class GradeRow(NamedTuple):
    """One submission."""

    place: int
    submission: str
    assignment: str
    authors: str
    grade: float
    low: float
    high: float
    mean: float
    median: float
    reviews: int
    staff: float | None
    bar: tuple[float, float, float]
    """Where the interval begins and ends, and the grade, in percent of the scale."""

    why: Why


class GraderRow(NamedTuple):
    """One grader."""

    grader: str
    reviews: int
    points: str
    earned: float
    above: float
    best: float
    worst: float
    bias: float
    low: float
    high: float
    error: float
    constant: float
    hedging: float
    flagged: bool
    why: explain.Grader
    paid: tuple[tuple[str, str, float, float], ...]
    """Of each review: what was graded, what was said, the estimated grade, what it earned."""


class Card(NamedTuple):
    """One question at the top of the page, with its answer."""

    question: str
    answer: str
    words: str
    where: str
    tone: str = ""


def page(graded: Graded) -> str:
    """The page as HTML: one file that needs no network."""
    who = graded.who
    look = graded.second_look
    by_grade, by_earned = _order(graded.posterior.score), _order(graded.earned.estimate)
    # Of a class beyond all tables only what is shown is worked out.
    drawn = by_grade if len(by_grade) <= ROWS else thinned(by_grade)
    dotted = by_earned if len(by_earned) <= ROWS else thinned(by_earned)
    dotted = list(dict.fromkeys([*dotted, *(one.grader for one in graded.flags.found)]))
    wanted = {*by_grade[:ROWS], *drawn, *(one.place for one in look.submissions)}
    by_place = {row.place: row for row in grade_rows(graded, who, sorted(wanted))}
    everybody = sorted({*by_earned[:ROWS], *dotted})
    people = dict(zip(everybody, grader_rows(graded, who, everybody), strict=True))
    scale, level = graded.reports.scale, graded.settings.level
    known = [row for row in map(by_place.__getitem__, drawn) if not np.isnan(row.grade)]
    dots = [_dot(row) for row in map(people.__getitem__, dotted) if row.reviews]
    ends = reach(dots)
    charts = {
        "distribution": distribution(graded.posterior.score, scale),
        "intervals": intervals([_drawn(row) for row in reversed(known)], level),
        "leniency": graders(dots, level),
    }
    game = None
    if graded.gaming is not None:
        game = _game(graded.gaming)
        charts["gains"] = gains(game["gains"], game["mechanisms"])
    return render(
        "grading.html",
        graded=graded,
        title=_title(who),
        cards=cards(graded, who),
        spread=_spread(graded.posterior.score),
        grades=[by_place[place] for place in by_grade[:ROWS]],
        graders=[people[place] for place in by_earned[:ROWS]],
        rows=ROWS,
        per_page=PAGE,
        drawn=MOST,
        cut=any(one["low"] < ends[0] or one["high"] > ends[1] for one in dots),
        many_assignments=graded.reports.assignments > 1,
        with_authors=any(who.authors),
        with_staff=bool((~np.isnan(graded.posterior.staff)).any()),
        level=percent(level),
        moved=_moved(graded),
        compare=script_safe(_compared(graded, who, sorted(by_earned[:ROWS]))),
        look={
            "submissions": [(by_place[one.place], one) for one in look.submissions],
            "graders": [(who.graders[one.place].label, one) for one in look.graders],
            "error": look.error,
            "lower": sum(one.change for one in look.submissions),
        },
        flags=_flags(graded, who),
        game=game,
        facts=list(replace(graded.room.report, notes=()).lines()),
        notes=[(note, Path(note.source).name) for note in graded.room.report.notes],
        beside=_beside(graded),
        version=__version__,
        specs={name: script_safe(chart) for name, chart in charts.items()},
        bundle=Markup(bundle()),
    )


# ------------------------------------------------------------------------------------------ rows


def _order(values: Floats) -> list[int]:
    """Places from the highest value down, what is not known last."""
    return [int(place) for place in np.argsort(-values, kind="stable")]


def grade_rows(graded: Graded, who: Who, places: Sequence[int] | None = None) -> list[GradeRow]:
    """Every submission, or some, the best first; those that nobody graded last."""
    reports, posterior = graded.reports, graded.posterior
    low, high = graded.bounds
    lowest, width = reports.scale.lowest, reports.scale.highest - reports.scale.lowest
    reviews = np.diff(reports.submission_bounds)
    names = [one.label for one in who.graders]
    rows = []
    for place in _order(posterior.score) if places is None else places:
        ends = np.array([low[place], high[place], posterior.score[place]])
        at = (100 * (ends - lowest) / width).round(1)
        staff = float(posterior.staff[place])
        rows.append(
            GradeRow(
                place,
                who.submissions[place],
                who.assignments[place],
                ", ".join(one.label for one in who.authors[place]),
                float(posterior.score[place]),
                float(low[place]),
                float(high[place]),
                float(graded.beside["mean"][place]),
                float(graded.beside["median"][place]),
                int(reviews[place]),
                None if np.isnan(staff) else staff,
                (float(at[0]), float(at[1]), float(at[2])),
                why(graded, place, names),
            )
        )
    return rows


def why(graded: Graded, place: int, names: Sequence[str] | None = None) -> Why:
    """Why a submission has its grade; without *names*, reviews are numbered."""
    found = explain.submission(graded, place)
    adds = explain.adding_up([*(one.adds for one in found.reviews), found.mean_adds])
    shares = [*(100 * one.weight for one in found.reviews), 100 * found.mean_weight]
    weights = explain.adding_up(shares, 1)
    digits = explain.DIGITS
    parts = [
        Part(
            f"Review {number}" if names is None else names[one.grader],
            f"{one.said:g}",
            f"{one.value:.{digits}f}",
            f"{weight:.1f}",
            f"{add:.{digits}f}",
        )
        for number, (one, weight, add) in enumerate(
            zip(found.reviews, weights, adds, strict=False), 1
        )
    ]
    mean = f"{found.mean:.{digits}f}"
    parts.append(
        Part("Mean of the class", "", mean, f"{weights[-1]:.1f}", f"{adds[-1]:.{digits}f}")
    )
    staff = "" if found.staff is None else f"{found.staff:g}"
    return Why(tuple(parts), f"{sum(adds):.{digits}f}", found.cut, staff)


def grader_rows(graded: Graded, who: Who, places: Sequence[int] | None = None) -> list[GraderRow]:
    """Every grader, or some, those who earned most first, those without reviews last."""
    posterior, earned = graded.posterior, graded.earned
    estimate, above = earned.estimate, earned.above_average()
    best, worst = earned.ranks(graded.settings.level, graded.settings.seed)
    low, high = middle(posterior.bias_draws, graded.settings.level)
    error = np.median(posterior.reliability_draws**-0.5, axis=0)
    flagged = {one.grader for one in graded.flags.found}
    rows = []
    for place in _order(estimate) if places is None else places:
        found = explain.grader(graded, place)
        rows.append(
            GraderRow(
                who.graders[place].label,
                found.reviews,
                as_points(graded.points[place]),
                float(estimate[place]) if found.reviews else float("nan"),
                float(above[place]) if found.reviews else float("nan"),
                float(best[place]),
                float(worst[place]),
                float(posterior.traits.bias_mean[place]),
                float(low[place]),
                float(high[place]),
                float(error[place]),
                float(posterior.traits.constant[place]),
                float(posterior.traits.hedging[place]),
                place in flagged,
                found,
                tuple(
                    (
                        who.submissions[one.submission],
                        f"{one.said:g}",
                        float(posterior.score[one.submission]),
                        one.earned,
                    )
                    for one in found.paid
                ),
            )
        )
    return rows


def as_points(points: float | str | None) -> str:
    """What a grader gets, as it is shown."""
    if points is None:
        return "–"
    return points if isinstance(points, str) else f"{points:.2f}"


def _drawn(row: GradeRow) -> dict[str, Any]:
    """A submission in the chart."""
    return {
        "submission": row.submission,
        "author": row.authors or "not known",
        "grade": round(row.grade, 3),
        "low": round(row.low, 3),
        "high": round(row.high, 3),
        "mean": round(row.mean, 3),
        "between": f"{row.low:.2f} to {row.high:.2f}",
        "by": "peers" if row.staff is None else "staff",
    }


def _dot(row: GraderRow) -> dict[str, Any]:
    """A grader in the chart."""
    return {
        "grader": row.grader,
        "reviews": row.reviews,
        "bias": round(row.bias, 3),
        "low": round(row.low, 3),
        "high": round(row.high, 3),
        "error": round(row.error, 3),
        "between": f"{row.low:+.2f} to {row.high:+.2f}",
        "points": row.points,
        "flagged": "flagged" if row.flagged else "not flagged",
    }


# --------------------------------------------------------------------------------------- answers


def cards(graded: Graded, who: Who) -> list[Card]:
    """The questions that an instructor has, with their answers in plain words."""
    return [_how_sure(graded, who), _what_to_check(graded), _who_stands_out(graded), _gamed(graded)]


def _how_sure(graded: Graded, who: Who) -> Card:
    question, where = "How sure are the grades?", "grades"
    low, high = graded.bounds
    by_peers = np.isnan(graded.posterior.staff) & ~np.isnan(graded.posterior.score)
    staff = int((~np.isnan(graded.posterior.staff)).sum())
    given = f" Staff gave {counted(staff, 'grade')}, which are certain." if staff else ""
    if not by_peers.any():
        return Card(question, "certain", "Staff graded every submission.", where, "good")
    half = np.where(by_peers, (high - low) / 2, -np.inf)
    middle_one, least = float(np.median(half[by_peers])), int(half.argmax())
    words = (
        f"Half of the grades are known that closely or better, with a probability of "
        f"{percent(graded.settings.level)}. The least sure is that of {who.submissions[least]}: "
        f"±{half[least]:.2f}.{given}"
    )
    return Card(question, f"to ±{middle_one:.2f}", words, where)


def _what_to_check(graded: Graded) -> Card:
    look = graded.second_look
    question, where = "What should staff check?", "second-look"
    if not look.submissions and not look.graders:
        return Card(question, "nothing", "No second look was asked for.", where)
    share = sum(one.change for one in look.submissions) / look.error if look.error > 0 else 0.0
    words = (
        f"Looking at {'it' if len(look.submissions) == 1 else 'these'} again is expected to lower "
        f"the squared error of all grades by {percent(share)}."
    )
    if look.graders:
        words += f" So are the reviews of {counted(len(look.graders), 'grader')}, listed apart."
    return Card(question, counted(len(look.submissions), "submission"), words, where)


def _who_stands_out(graded: Graded) -> Card:
    flags = graded.flags
    question, where = "Does anybody stand out?", "flags"
    expected = sum(one.expected for one in flags.alarms)
    chance = f"In an honest class of this shape, {expected:.1f} flags are raised by chance."
    if not flags.found:
        return Card(question, "nobody", chance, where, "good")
    people = len({one.grader for one in flags.found})
    raised = f"{counted(len(flags.found), 'flag')} raised among {graded.reports.graders} graders."
    return Card(question, counted(people, "grader"), f"{raised} {chance}", where, "part")


def _gamed(graded: Graded) -> Card:
    question, where, game = "Can it be gamed?", "game", graded.gaming
    if game is None:
        return Card(question, "not tested", "The game test takes longer than the rest.", where)
    own = [one for one in game.gains if one.mechanism == game.chosen]
    tempting = [one for one in own if one.gain > Z * one.error]
    if not tempting:
        words = f"None of the {len(own)} strategies that were replayed gains anything."
        return Card(question, "not by these", words, where, "good")
    best = max(tempting, key=lambda one: one.gain)
    words = (
        f"‘{strategies.label_of(best.strategy)}’ gains {best.gain:.1f} ranks of a hundred, give "
        f"or take {Z * best.error:.1f}; it is the best of {len(own)} strategies, of which "
        f"{len(tempting)} {'gains' if len(tempting) == 1 else 'gain'}."
    )
    if game.recommended != game.chosen:
        instead = mechanisms.label_of(game.recommended) if game.recommended else "Equal pay"
        words += f" {instead} is recommended instead."
    return Card(question, "yes", words, where, "bad")


def _game(game: Gaming) -> dict[str, Any]:
    """The game test as the page shows it: all in a table, and the few that matter in a chart."""
    measured = {one.mechanism: one for one in game.measured}
    found = dict.fromkeys([*measured, *(one.mechanism for one in game.gains)])
    # Those whose pay measures grading best come first, and those that were not measured last.
    order = sorted(found, key=lambda spec: -measured[spec].integrity if spec in measured else 9.0)
    matter = [spec for spec in (game.chosen, game.recommended) if spec in found]
    drawn = list(dict.fromkeys([*matter, *order]))[:COMPARED]
    drawn_labels = [mechanisms.label_of(spec) for spec in drawn]
    played = list(dict.fromkeys(one.strategy for one in game.gains))
    by = {(one.mechanism, one.strategy): one for one in game.gains}
    marks = {game.recommended: "recommended"} | {game.chosen: "pays this class"}
    return {
        "mechanisms": drawn_labels,
        "legend": list(zip(colours(len(drawn)), drawn_labels, strict=True)),
        "strategies": [strategies.label_of(name) for name in played],
        "gains": [
            {
                "strategy": strategies.label_of(one.strategy),
                "mechanism": mechanisms.label_of(one.mechanism),
                "gain": one.gain,
                "error": one.error,
            }
            for one in game.gains
            if one.mechanism in drawn
        ],
        "table": [
            (
                mechanisms.label_of(spec),
                marks.get(spec, ""),
                measured.get(spec),
                [by.get((spec, name)) for name in played],
            )
            for spec in order
        ],
        "estimated": [(models.label_of(one.model), one) for one in game.estimated],
        "recommended": mechanisms.label_of(game.recommended) if game.recommended else "",
        "grades_by": models.label_of(game.grades_by),
        "z": Z,
    }


def _flags(graded: Graded, who: Who) -> dict[str, Any]:
    """What stands out, and how often it would in an honest class."""
    found = graded.flags.found
    return {
        "found": [
            (
                who.graders[one.grader].label,
                KINDS.get(one.kind, one.kind),
                None if one.other is None else who.graders[one.other].label,
                one,
            )
            for one in found
        ],
        "others": any(one.other is not None for one in found),
        "alarms": [
            (KINDS.get(one.kind, one.kind), sum(flag.kind == one.kind for flag in found), one)
            for one in graded.flags.alarms
        ],
    }


# ----------------------------------------------------------------------------------------- facts


def _title(who: Who) -> str:
    names = [name for name in dict.fromkeys(who.assignments) if name]
    return f"Grades for {names[0]}" if len(names) == 1 else "Grades of the class"


def _spread(score: np.ndarray[Any, Any]) -> list[float]:
    """The least grade, the quarters, and the highest."""
    return [float(one) for one in np.nanquantile(score, [0, 0.25, 0.5, 0.75, 1])]


def _moved(graded: Graded) -> dict[str, Any]:
    """How many grades differ from plain means by more than half a tenth of the scale."""
    far = graded.reports.scale.unit / 2
    off = np.abs(graded.posterior.score - graded.beside["mean"])
    return {"far": f"{far:g}", "many": int((off > far).sum()), "of": int((~np.isnan(off)).sum())}


def _compared(graded: Graded, who: Who, places: Sequence[int]) -> list[tuple[str, float, float]]:
    """What it takes to say which of two graders is better."""
    earned = graded.earned
    estimate, deviation = earned.estimate, earned.deviation
    return [
        (who.graders[place].label, round(float(estimate[place]), 6),
         round(float(deviation[place]), 6))
        for place in places
        if earned.reviews[place]
    ]  # fmt: skip


def _beside(graded: Graded) -> list[tuple[str, float, float]]:
    """How far other ways of estimating are from ours: on average and at most."""
    rows = []
    for name, score in graded.beside.items():
        off = np.abs(score - graded.posterior.score)
        off = off[~np.isnan(off)]
        if len(off):
            rows.append((models.label_of(name), float(off.mean()), float(off.max())))
    return rows
