"""Colours, dashes, markers and labels: the same for a mechanism or strategy in every figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import cycle
from typing import Literal, NamedTuple, TypeAlias

from peergauge.core.lazy import pl
from peergauge.mechanisms import Equilibrium, mechanisms, variant_of
from peergauge.simulate import strategies

Dash: TypeAlias = Literal["-", "--", "-.", ":"]
LINE_DASHES: tuple[Dash, ...] = ("-", "--", "-.", ":")

# Colour-blind safe (after Okabe and Ito 2008), one hue for each family; dashes and markers tell
# members apart.
FAMILY_STYLES = {
    "baseline": ("#000000", "o"),
    "output agreement": ("#E69F00", "v"),
    "peer truth serum": ("#CC79A7", "<"),
    "determinant": ("#8C6D31", "p"),
    "parametric MSE": ("#D55E00", "^*"),
    "Φ-divergence pairing": ("#0072B2", "os^D"),
    "parametric Φ-divergence pairing": ("#009E73", "os^D"),
}
SPARE_STYLES = (
    ("#AA4499", "P"),
    ("#999999", ">"),
    ("#332288", "h"),
    ("#56B4E9", "os^D"),
    ("#882255", "d"),
    ("#999933", "H"),
    ("#44AA99", "8"),
)
"""Hue and markers for mechanisms of other families, one for each (after Tol 2021)."""

CONCEPTS = {
    Equilibrium.NONE: "#000000",
    Equilibrium.HELPFUL: "#CC79A7",
    Equilibrium.TRUTHFUL: "#E69F00",
    Equilibrium.NEARLY_STRONGLY: "#0072B2",
    Equilibrium.DOMINANTLY: "#009E73",
    Equilibrium.NOT_ANALYSED: "#999999",
}
"""The colour of each equilibrium concept."""

STRATEGY_STYLES: dict[str, tuple[str, Dash, str]] = {
    "noise": ("#999999", "-", "o"),
    "fix-bias": ("#0072B2", "--", "s"),
    "merge": ("#009E73", "-.", "^"),
    "prior": ("#CC79A7", "-", "v"),
    "all-tens": ("#D55E00", "--", "D"),
    "hedge": ("#E69F00", "-", "P"),
}
"""Hue, dash and marker of the paper's strategies, in the order of legends."""

SPARE_STRATEGY_STYLES: tuple[tuple[str, Dash, str], ...] = (
    ("#332288", ":", "X"),
    ("#56B4E9", "-.", "p"),
    ("#882255", "--", "*"),
    ("#999933", "-", "<"),
    ("#44AA99", ":", ">"),
)
"""The same for strategies and profiles that the paper does not have."""

# Colour-blind safe (after Okabe and Ito 2008 and Tol 2021).
CLASS_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#000000",
    "#56B4E9",
    "#D55E00",
    "#332288",
)
CLASS_MARKERS = "os^Dv<>p"

MAX_MECHANISM_LETTERS = 16
"""Letters that legends have room for in the name of a mechanism that the paper does not have."""

MAX_STRATEGY_LETTERS = 28
"""Letters that legends and titles have room for in the name of a strategy or profile."""


class Look(NamedTuple):
    """How a mechanism, strategy or class appears in a figure."""

    label: str
    colour: str
    dash: Dash
    marker: str
    concept: Equilibrium = Equilibrium.NOT_ANALYSED


@cache
def looks() -> dict[str, Look]:
    """The look of every mechanism of the paper by its variant, in the order of legends."""
    found: dict[str, Look] = {}
    place = {family: number for number, family in enumerate(FAMILY_STYLES)}
    spare = cycle(SPARE_STYLES)
    styles: dict[str, tuple[str, str]] = {}
    members: Counter[str] = Counter()
    known = [cls for cls in mechanisms.classes().values() if cls.facts.in_paper]
    # Within a family, the mechanisms of the paper's body come first.
    for cls in sorted(
        known, key=lambda c: (place.get(c.facts.family, len(place)), c.facts.novel, c.facts.name)
    ):
        group = cls.facts.family if cls.facts.family in FAMILY_STYLES else cls.facts.name
        hue, markers = styles.setdefault(group, FAMILY_STYLES.get(group) or next(spare))
        for variant in cls.facts.variants:
            one, number = cls(**variant), members[group]
            members[group] += 1
            found[one.spec] = Look(
                one.label,
                hue,
                LINE_DASHES[number % len(LINE_DASHES)],
                markers[number % len(markers)],
                one.facts.equilibrium,
            )
    return found


def looks_of(specs: Iterable[str]) -> dict[str, Look]:
    """The looks of mechanisms by their specs, in the order of legends.

    A mechanism of the paper has the look of its variant, whatever its other settings. If several
    specs are of one variant, each has a look of its own and its full label. Other mechanisms come
    last, each with its label, or with as much of its spec as there is room for.
    """
    present = list(dict.fromkeys(specs))
    members = Counter(map(variant_of, present))
    alone = {variant_of(spec): spec for spec in present if members[variant_of(spec)] == 1}
    found = {alone[variant]: look for variant, look in looks().items() if variant in alone}
    for number, spec in enumerate(sorted(spec for spec in present if spec not in found)):
        round_, which = divmod(number, len(SPARE_STYLES))
        hue, markers = SPARE_STYLES[-1 - which]
        dash = LINE_DASHES[(2 + round_) % len(LINE_DASHES)]
        label = mechanisms.label_of(spec)
        if len(label) > MAX_MECHANISM_LETTERS and variant_of(spec) not in looks():
            label = shortened(spec, MAX_MECHANISM_LETTERS)
        found[spec] = Look(label or "unnamed", hue, dash, markers[0])
    return found


def strategy_looks(specs: Iterable[str]) -> dict[str, Look]:
    """The looks of strategies and profiles by their specs, in the order of legends."""
    present = dict.fromkeys(specs)
    order = [spec for spec in STRATEGY_STYLES if spec in present]
    own = [spec for spec in present if spec not in STRATEGY_STYLES]
    styles = {**STRATEGY_STYLES, **dict(zip(own, cycle(SPARE_STRATEGY_STYLES), strict=False))}
    return {
        spec: Look(
            shortened(strategies.label_of(spec), MAX_STRATEGY_LETTERS) or "unnamed", *styles[spec]
        )
        for spec in order + own
    }


def class_looks(names: Sequence[str]) -> dict[str, Look]:
    """The looks of classes by their names."""
    return {
        name: Look(
            name,
            CLASS_COLOURS[number % len(CLASS_COLOURS)],
            LINE_DASHES[number % len(LINE_DASHES)],
            CLASS_MARKERS[number % len(CLASS_MARKERS)],
        )
        for number, name in enumerate(names)
    }


def shortened(name: str, most: int) -> str:
    """A name, or as much of it as there is room for."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def is_variant(rows: pl.DataFrame, specs: Collection[str]) -> pl.Expr:
    """Whether the mechanism of a row is a variant that one of *specs* names."""
    variants = set(map(variant_of, specs))
    present = rows["mechanism"].unique().to_list()
    return pl.col("mechanism").is_in([spec for spec in present if variant_of(spec) in variants])
