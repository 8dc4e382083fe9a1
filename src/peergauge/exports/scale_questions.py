"""Deciding on the scale of each criterion, with questions about whatever is in doubt."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Note
from peergauge.exports.scales import (
    MAX_TYPO_SHARE,
    MIN_RATIO_OF_UNITS,
    MIN_REVIEWS_FOR_LOWEST_ONE,
    Ends,
    Spread,
    graders_in_units,
    guessed_ends,
    step_of,
    typos_in,
    units_in,
)
from peergauge.exports.sieve import Sieve, rows_told
from peergauge.tables import Scale

SCALE_FORM = "LOW..HIGH"

MIN_REVIEWS_OF_AN_ASSIGNMENT = 8
"""Number of reviews of an assignment from which on its scale is compared with the others."""

MIN_SHARE_OF_POOL = 0.6
"""Smallest ratio of a criterion's highest grade to that of others on the same scale."""


class Scaling:
    """The scales of the criteria of some reviews, settled one question after the other.

    Parameters
    ----------
    sieve
        The reviews. Typing errors are left out of it, grades in another unit are converted, and the
        ends of the scale are filled in.
    dialogue
        Where questions are asked.
    inverted
        The criteria on which the lowest grade is the best.
    """

    def __init__(self, sieve: Sieve, dialogue: Dialogue, inverted: Collection[str] = ()):
        self.sieve, self.dialogue, self.inverted = sieve, dialogue, frozenset(inverted)
        self.guessed = self.answered = False
        self.unified: set[str] = set()
        self.step: float | None = None
        """The step of the scale, if an answer says it."""

    def settle(self, known: Scale | None = None) -> None:
        """Fill in the ends of the scale wherever the export does not state them.

        Parameters
        ----------
        known
            The scale of whole reviews, if it is known.
        """
        if known is not None:
            self._fill([""], known.lowest, known.highest)
        open_ends = self.sieve.rows.filter(pl.col("highest").is_null())
        if not open_ends.height:
            return
        criteria = open_ends["criterion"].unique(maintain_order=True).to_list()
        for criterion in criteria:
            self._leave_out_typos(criterion)
            self._unify_units(criterion)
            self._take_stated_end(criterion)
        stated = self.sieve.rows.drop_nulls("highest").group_by("criterion")
        several = stated.agg(pl.col("highest").n_unique()).filter(pl.col("highest") > 1)
        for group in self._pools([one for one in criteria if one not in several["criterion"]]):
            self._guess(group)

    def unify(self, known: Scale | None = None) -> None:
        """Unify the units of grades whose scale is stated, such as 8 beside 80 out of 100.

        Parameters
        ----------
        known
            The scale of whole reviews, if it is known.
        """
        for (criterion,), rows in self.sieve.rows.group_by("criterion", maintain_order=True):
            name = str(criterion)
            ends = rows["highest"].unique().to_list()
            highest = known.highest if known is not None and not name else ends[0]
            if name in self.unified or highest is None or (known is None and len(ends) > 1):
                continue
            found = units_in(Spread.of(rows["score"]))
            if found is not None and highest in (found.small, found.large):
                small = rows.filter(pl.col("score").is_in(found.within.tolist()))
                self._ask_about_units(rows, small, found.small, found.large, name, target=highest)

    def invert(self) -> None:
        """Turn the grades around where the lowest is the best: on 1..6, a 1 becomes a 6."""
        if not self.inverted:
            return
        low = pl.col("lowest").fill_null(1.0)
        turned = pl.col("criterion").is_in(list(self.inverted)) & pl.col("highest").is_not_null()
        ends = self.sieve.rows.filter(turned).select(low, "highest").unique().sort("highest")
        for lowest, highest in ends.iter_rows():
            self.sieve.notes.append(turned_note(lowest, highest))
        self.sieve.rows = self.sieve.rows.with_columns(
            score=pl.when(turned).then(low + pl.col("highest") - pl.col("score")).otherwise("score")
        )

    def _open(self, criterion: str) -> pl.DataFrame:
        """The reviews on a criterion whose scale is not stated."""
        return self.sieve.rows.filter(pl.col("criterion") == criterion, pl.col("highest").is_null())

    def _leave_out_typos(self, criterion: str) -> None:
        rows = self._open(criterion)
        if not rows.height:
            return
        spread = Spread.of(rows["score"])
        wrong = typos_in(spread)
        if not len(wrong):
            return
        gone = rows.filter(pl.col("score").is_in(wrong.tolist()))
        others = spread.where(~np.isin(spread.values, wrong))
        ends = self._ends(others, criterion)
        told = _scores_told(wrong)
        where = rows_told(gone)
        where = f" ({where})" if where else ""
        number = counted(gone.height, "review")
        all_of_them = guessed_ends(spread)
        answer = self.dialogue.ask(
            Question(
                key=_key("typos", criterion),
                text=f"{number} of {rows.height} {'has' if gone.height == 1 else 'have'} the grade "
                f"{told}{where}, but all others lie between {others.values[0]:g} and "
                f"{others.highest:g}: a typing error?",
                choices=(
                    Choice(
                        "leave out",
                        f"{number} with {told}{where} {'is' if gone.height == 1 else 'are'} left "
                        f"out, and the scale is {ends.lowest:g}..{ends.highest:g}",
                    ),
                    Choice(
                        "keep",
                        f"all {rows.height} reviews are kept, and the scale is "
                        f"{all_of_them.lowest:g}..{all_of_them.highest:g}",
                    ),
                ),
                default="leave out",
                about=_file_of(gone),
            )
        )
        if answer == "leave out":
            self.sieve.drop_rows(gone, f"a typing error, since the grade is {told}")

    def _unify_units(self, criterion: str) -> None:
        """Convert grades in another unit, such as 8 out of 10 beside 80 out of 100."""
        rows = self._open(criterion)
        if not rows.height:
            return
        self._unify_graders(rows, criterion)
        if criterion in self.unified:
            return
        found = units_in(Spread.of(rows["score"]))
        if found is not None:
            small = rows.filter(pl.col("score").is_in(found.within.tolist()))
            self._ask_about_units(rows, small, found.small, found.large, criterion)
        elif rows["assignment"].n_unique() > 1:
            self._unify_assignments(rows, criterion)

    def _unify_graders(self, rows: pl.DataFrame, criterion: str) -> None:
        """Convert the grades of the few graders who use a larger unit than all others."""
        score = pl.col("score")
        each = rows.group_by("grader").agg(low=score.min(), high=score.max(), number=pl.len())
        columns = [each[name].to_numpy() for name in ("low", "high", "number")]
        if (found := graders_in_units(*columns)) is None:
            return
        end, larger = found
        others = rows.join(each.filter(pl.Series(~larger)), on="grader", how="semi")
        most = rows.join(each.filter(pl.Series(larger)), on="grader", how="semi")["score"]
        large = guessed_ends(Spread.of(most)).highest
        graders = counted(int(larger.sum()), "grader")
        which = f" (all grades by {graders})"
        self._ask_about_units(rows, others, end, large, criterion, which, target=end)

    def _unify_assignments(self, rows: pl.DataFrame, criterion: str) -> None:
        """Convert the grades of assignments whose scale is much smaller than that of others."""
        ends: dict[str, float] = {}
        for (name,), group in rows.group_by("assignment", maintain_order=True):
            if group.height >= MIN_REVIEWS_OF_AN_ASSIGNMENT:
                ends[str(name)] = guessed_ends(Spread.of(group["score"])).highest
        large = max(ends.values(), default=0.0)
        small = {name: end for name, end in ends.items() if end * MIN_RATIO_OF_UNITS <= large}
        if small and len(set(small.values())) == 1:
            within = rows.filter(pl.col("assignment").is_in(list(small)))
            names = ", ".join(f"'{name}'" for name in list(small)[:3])
            more = f" and {len(small) - 3} more" if len(small) > 3 else ""
            end = next(iter(small.values()))
            which = f" ({names}{more})"
            self._ask_about_units(rows, within, end, large, criterion, which, target=large)

    def _ask_about_units(
        self,
        rows: pl.DataFrame,
        small: pl.DataFrame,
        end: float,
        large: float,
        criterion: str,
        which: str = "",
        target: float | None = None,
    ) -> None:
        """Ask how grades out of two maxima are made comparable; the fewer are converted.

        Parameters
        ----------
        target
            The maximum of the class, if it is known.
        """
        self.unified.add(criterion)
        few, from_end, to_end = small, end, large
        if target == end or (target is None and 2 * small.height > rows.height):
            few = rows.join(small.select("id"), on="id", how="anti")
            # A zero is a zero in every unit.
            few, from_end, to_end = few.filter(pl.col("score") != 0), large, end
        number, others = counted(few.height, "review"), rows.height - few.height
        scores = few["score"].to_numpy()
        low, high = float(scores.min()), float(scores.max())
        shown = f"between {low:g} and {high:g}" if low != high else f"of {low:g}"
        where = which or (f" ({rows_told(few)})" if rows_told(few) else "")
        factor = to_end / from_end
        become = "becomes" if few.height == 1 else "become"
        answer = self.dialogue.ask(
            Question(
                key=_key("mixed scales", criterion),
                text=f"{number} of {rows.height} {'has' if few.height == 1 else 'have'} a grade "
                f"{shown}{where}, as if out of {from_end:g}; the other {others} look like grades "
                f"out of {to_end:g}. How are they made comparable?",
                choices=(
                    Choice(
                        "convert",
                        f"{number} out of {from_end:g} {become} out of {to_end:g}, so that "
                        f"{high:g} becomes {high * factor:g}",
                    ),
                    Choice("same", f"all {rows.height} grades are on one scale as they are"),
                    Choice(
                        "leave out",
                        f"{number} out of {from_end:g} {'is' if few.height == 1 else 'are'} left "
                        "out",
                    ),
                ),
                default="convert",
                about=_file_of(rows),
            )
        )
        if answer == "leave out":
            self.sieve.drop_rows(few, f"a grade out of {from_end:g} among grades out of {to_end:g}")
        elif answer == "convert":
            here = pl.col("id").is_in(few["id"].implode())
            self.sieve.rows = self.sieve.rows.with_columns(
                score=pl.when(here).then((pl.col("score") * factor).round(9)).otherwise("score")
            )
            self.sieve.note_rows(
                "repaired", f"a grade out of {from_end:g}, converted to out of {to_end:g}", few
            )

    def _take_stated_end(self, criterion: str) -> None:
        """Take the end that other reviews on the same criterion state, where grades fit it."""
        rows = self.sieve.rows.filter(pl.col("criterion") == criterion)
        ends = rows.select("lowest", "highest").drop_nulls("highest").unique()
        open_ends = rows.filter(pl.col("highest").is_null())
        if ends["highest"].n_unique() != 1 or not open_ends.height:
            return
        highest = float(ends["highest"][0])
        above = open_ends.filter(pl.col("score") > highest).height
        if above > MAX_TYPO_SHARE * open_ends.height + 1:
            return  # these grades are on a scale of their own
        top = float(open_ends["score"].max())  # type: ignore[arg-type]
        if top * MIN_RATIO_OF_UNITS <= highest and open_ends.height > 1:
            end = guessed_ends(Spread.of(open_ends["score"])).highest
            if end * MIN_RATIO_OF_UNITS <= highest:
                self._ask_about_units(rows, open_ends, end, highest, criterion, target=highest)
        lowest = ends["lowest"][0] if ends.height == 1 else None
        self._fill([criterion], lowest, highest)

    def _pools(self, criteria: list[str]) -> Iterator[list[str]]:
        """The criteria whose scale is still open, in groups that share a scale."""
        tops = {
            one: float(rows["score"].max())  # type: ignore[arg-type]
            for one in criteria
            if (rows := self._open(one)).height
        }
        if "" in tops:
            del tops[""]
            yield [""]
        if not tops:
            return
        most = max(tops.values())
        pool = [one for one, top in tops.items() if top >= MIN_SHARE_OF_POOL * most]
        pool = [one for one in pool if (one in self.inverted) == (pool[0] in self.inverted)]
        yield pool
        yield from ([one] for one in tops if one not in pool)

    def _ends(self, spread: Spread, criterion: str) -> Ends:
        return guessed_ends(spread, lowest_is_best=criterion in self.inverted)

    def _guess(self, criteria: list[str]) -> None:
        rows = self.sieve.rows.filter(
            pl.col("criterion").is_in(criteria), pl.col("highest").is_null()
        )
        spread = Spread.of(rows["score"])
        ends = self._ends(spread, criteria[0])
        self.guessed = True
        name = "" if criteria == [""] else criteria[0] if len(criteria) == 1 else "each criterion"
        whose = f" of '{name}'" if len(criteria) == 1 and name else " of each criterion"
        whose = whose if name else ""
        scale = Scale(ends.lowest, ends.highest, step_of(rows["score"], ends.lowest))
        if not ends.others:
            few = rows.height < MIN_REVIEWS_FOR_LOWEST_ONE
            self.dialogue.decide(
                "scale",
                f"The scale{whose} is {scale}.",
                evidence=ends.why + (f", and the lowest is {spread.values[0]:g}" if few else ""),
            )
            self._fill(criteria, ends.lowest, ends.highest)
            return
        possible = sorted((ends.highest, *ends.others))
        top = counted(int(spread.counts[-1]), "review")
        answer = self.dialogue.ask(
            Question(
                key=_key("scale", name),
                text=f"The highest grade{whose} is {spread.highest:g} ({top} of {rows.height}); "
                "the files do not state the highest possible grade. Which scale is it?",
                choices=tuple(
                    Choice(
                        f"{ends.lowest:g}..{end:g}",
                        f"grades are out of {end:g}: the {spread.highest:g} "
                        + (
                            "is the highest possible grade"
                            if end == spread.highest
                            else f"that {top} gave is {100 * spread.highest / end:.0f} % of it"
                        ),
                    )
                    for end in possible
                ),
                default=f"{ends.lowest:g}..{ends.highest:g}",
                about=_file_of(rows),
                form=SCALE_FORM,
                flag="" if name else f"--scale {SCALE_FORM}",
            )
        )
        found = Scale.parse(answer)
        self.answered = self.dialogue.answers.get(_key("scale", name)) is not None
        if ":" in answer and not name:
            self.step = found.step
        self._fill(criteria, found.lowest, found.highest)

    def _fill(self, criteria: list[str], lowest: float | None, highest: float) -> None:
        here = pl.col("criterion").is_in(criteria) & pl.col("highest").is_null()
        self.sieve.rows = self.sieve.rows.with_columns(
            lowest=pl.when(here).then(pl.lit(lowest, dtype=pl.Float64)).otherwise("lowest"),
            highest=pl.when(here).then(pl.lit(highest)).otherwise("highest"),
        )


def turned_note(lowest: float, highest: float) -> Note:
    """The note on grades that are turned around."""
    return Note(
        "read",
        f"The lowest grade is the best, so grades are turned around: {lowest:g} becomes "
        f"{highest:g}, and {highest:g} becomes {lowest:g}",
    )


def _key(what: str, criterion: str) -> str:
    return f"{what}: {criterion}" if criterion else what


def _scores_told(scores: Floats, most: int = 5) -> str:
    shown = [f"{score:g}" for score in scores[:most]]
    return ", ".join(shown) + (f" and {len(scores) - most} more" if len(scores) > most else "")


def _file_of(rows: pl.DataFrame) -> str:
    """The file of some reviews; empty if there are several."""
    files = rows["source"].unique()
    return str(files[0]) if len(files) == 1 else ""
