"""Assignment of graders: requirements are met, or refused with the reason."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.assign import Assigned, assign_graders
from peergauge.classroom.assign.matching import even_matching, shuffle_matching
from peergauge.core.errors import DesignError, ParameterError, PeergaugeError, TableError
from peergauge.core.randomness import stream
from tests.cli.test_cli import refusal, run


def students(count: int) -> list[str]:
    return [f"s{number:02}" for number in range(count)]


def pairs(table: pl.DataFrame) -> list[tuple[str, str]]:
    """Who met whom: grader and author."""
    return [
        (grader, author)
        for authors, grader in table.select("author", "grader").rows()
        for author in authors.split("; ")
    ]


@st.composite
def rosters(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Classes with groups and sections of all sizes, some students alone."""
    count = draw(st.integers(3, 14))
    groups = draw(st.sampled_from([0, 3, 6]))
    numbers = st.integers(0, groups - 1).map("g{}".format) if groups else st.none()
    cells = st.one_of(st.none(), numbers)
    return {
        "student": draw(st.permutations(students(count))),
        "group": draw(st.lists(cells, min_size=count, max_size=count)),
        "section": draw(st.lists(st.sampled_from("AB"), min_size=count, max_size=count)),
    }


def problem(
    roster: dict[str, list[Any]], sections: str
) -> tuple[list[list[str]], dict[int, list[str]]]:
    """The authors of each submission and those who may grade it, worked out the slow way."""
    section = dict(zip(roster["student"], roster["section"], strict=True))
    owners: dict[str, list[str]] = {}
    for name, group in zip(roster["student"], roster["group"], strict=True):
        owners.setdefault(group or name, []).append(name)
    authors = list(owners.values())
    able = {
        number: [
            name
            for name in roster["student"]
            if name not in some
            and (
                sections == "any"
                or (section[name] in {section[one] for one in some}) == (sections == "within")
            )
        ]
        for number, some in enumerate(authors)
    }
    return authors, able


def best(
    authors: list[list[str]], able: dict[int, list[str]], k: int, met: set[tuple[str, str]]
) -> tuple[int, int]:
    """The least sum of squared loads, and the fewest repeats with it, by network simplex."""
    network = nx.DiGraph()
    weight = 1000
    for number, names in able.items():
        network.add_node(("submission", number), demand=-k)
        for name in names:
            again = sum((name, author) in met for author in authors[number])
            network.add_edge(("submission", number), name, capacity=1, weight=again)
    for name in {name for names in able.values() for name in names}:
        for place in range(len(authors)):
            step = (name, place)
            network.add_edge(name, step, capacity=1, weight=weight * (2 * place + 1))
            network.add_edge(step, "all", capacity=1, weight=0)
    network.nodes["all"]["demand"] = k * len(authors)
    cost, _ = nx.network_simplex(network)
    return divmod(int(cost), weight)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    roster=rosters(),
    k=st.integers(1, 4),
    sections=st.sampled_from(["any", "within", "across"]),
    chance=st.randoms(use_true_random=False),
    share=st.sampled_from([0.0, 0.3, 0.6, 0.9]),
    seed=st.integers(0, 5),
)
def test_every_wish_that_can_be_met_is_met_as_well_as_can_be(
    roster: dict[str, list[Any]], k: int, sections: Any, chance: Any, share: float, seed: int
) -> None:
    authors, able = problem(roster, sections)
    everybody = itertools.permutations(sorted(roster["student"]), 2)
    met = {pair for pair in everybody if chance.random() < share}
    earlier = {"grader": [one for one, _ in met], "author": [one for _, one in met]}
    wishes = {"earlier": [earlier] if met else [], "sections": sections, "seed": seed}
    possible = all(len(names) >= k for names in able.values())
    single = len(authors) == len(roster["student"])
    squares, fewest = best(authors, able, k, met) if possible else (0, 0)
    if not possible or (single and squares != len(authors) * k * k):
        with pytest.raises(DesignError, match=r"\d.*\.$"):
            assign_graders(roster, k, **wishes)
        return
    drawn = assign_graders(roster, k, **wishes)
    graders_of: dict[str, list[str]] = {}
    for author, grader in drawn.table.select("author", "grader").rows():
        graders_of.setdefault(author, []).append(grader)
    assert set(graders_of) == {"; ".join(sorted(some)) for some in authors}
    for number, some in enumerate(authors):
        graders = graders_of["; ".join(sorted(some))]
        assert len(graders) == len(set(graders)) == k
        assert set(graders) <= set(able[number])
    loads = Counter(dict.fromkeys(roster["student"], 0))
    loads.update(drawn.table["grader"].to_list())
    assert dict(drawn.loads.select("grader", "load").rows()) == dict(loads)
    assert sum(load**2 for load in loads.values()) == squares
    assert drawn.repeats == (sum(pair in met for pair in pairs(drawn.table)),) == (fewest,)
    shuffled = {name: column[::-1] for name, column in roster.items()}
    assert assign_graders(shuffled, k, **wishes).table.equals(drawn.table)


def everything(eligible: np.ndarray[Any, Any], k: int) -> list[tuple[tuple[int, ...], ...]]:
    """All matchings of a small problem."""
    rows = [itertools.combinations(np.flatnonzero(row).tolist(), k) for row in eligible]
    return list(itertools.product(*rows))


@given(st.integers(0, 10**6), st.integers(1, 2))
def test_matchings_are_the_best_of_all(number: int, k: int) -> None:
    rng = np.random.default_rng(number)
    eligible = rng.random((4, 5)) < 0.7
    eligible[:, :2] = True
    cost = rng.integers(0, 4, size=(4, 5)).astype(np.int16)

    def worth(matching: Any) -> tuple[int, int]:
        load = np.bincount(np.ravel(matching), minlength=5)
        return int((load**2).sum()), sum(
            int(cost[row, one]) for row, some in enumerate(matching) for one in some
        )

    chosen = even_matching(eligible, cost, k, rng)
    assert worth(chosen) == min(map(worth, everything(eligible, k)))
    before = worth(chosen)
    shuffle_matching(chosen, eligible, cost, rng)
    assert worth(chosen) == before
    assert np.take_along_axis(eligible, chosen, axis=1).all()
    assert all(len(set(row)) == k for row in chosen.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("number", range(5))
def test_matchings_of_larger_classes_are_the_best_too(number: int, density: float) -> None:
    rng = np.random.default_rng(number)
    rows, columns, k = 40, 50, 3
    eligible = rng.random((rows, columns)) < density
    eligible[np.arange(rows)[:, None], np.arange(rows)[:, None] + np.arange(1, k + 1)] = True
    cost = (eligible & (rng.random(eligible.shape) < 0.7)).astype(np.int16)
    chosen = even_matching(eligible, cost, k, rng)
    authors = [[f"author {row}"] for row in range(rows)]
    able = {row: [str(one) for one in np.flatnonzero(eligible[row])] for row in range(rows)}
    met = {(str(one), f"author {row}") for row, one in np.argwhere(cost).tolist()}
    load = np.bincount(chosen.reshape(-1), minlength=columns)
    repeats = int(np.take_along_axis(cost, chosen, axis=1).sum())
    assert (int((load**2).sum()), repeats) == best(authors, able, k, met)


@pytest.mark.statistical
def test_without_constraints_all_designs_are_about_equally_likely() -> None:
    # Claim: the 216 designs of five students with two graders each are equally likely, even if we
    # always begin with the same one. The statistic has mean 215 and deviation 21 if so; 300 is
    # four deviations above.
    cost, eligible = np.zeros((5, 5), dtype=np.int16), ~np.eye(5, dtype=np.bool_)
    regular = [
        matching
        for matching in everything(eligible, 2)
        if set(Counter(np.ravel(matching).tolist()).values()) == {2}
    ]
    assert len(regular) == 216
    draws, seen = 2160, Counter[tuple[tuple[int, ...], ...]]()
    for number in range(draws):
        chosen = np.array([[1, 2], [2, 3], [3, 4], [4, 0], [0, 1]], dtype=np.int64)
        shuffle_matching(chosen, eligible, cost, stream(1, "uniform", number))
        seen[tuple(tuple(sorted(row)) for row in chosen.tolist())] += 1
    expected = draws / len(regular)
    assert sum((seen[one] - expected) ** 2 / expected for one in regular) < 300


@pytest.mark.statistical
def test_without_constraints_every_pair_is_about_equally_likely() -> None:
    # Claim: each of the 20 * 19 pairs meets in 4 of 19 designs. Over 600 designs the share has a
    # deviation of sqrt(4/19 * 15/19 / 600) = 0.0166; five of those for the largest of 380.
    count, draws = 20, 600
    seen = Counter[tuple[str, str]]()
    for seed in range(draws):
        seen.update(pairs(assign_graders({"student": students(count)}, 4, seed=seed).table))
    share = np.array([seen[pair] for pair in itertools.permutations(students(count), 2)]) / draws
    assert np.abs(share - 4 / 19).max() < 5 * 0.0166


def test_a_design_is_its_seed() -> None:
    roster = {"student": students(12)}
    one, same, other = (assign_graders(roster, 3, seed=seed).table for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_designs_in_a_row_meet_new_pairs_until_there_are_none() -> None:
    drawn = assign_graders({"student": students(9)}, 4, assignments=3)
    assert drawn.repeats == (0, 0, 36)
    first, second, third = drawn.table.partition_by("assignment")
    assert not set(pairs(first)) & set(pairs(second))
    assert set(pairs(third)) <= set(pairs(first)) | set(pairs(second))
    assert assign_graders({"student": students(9)}, 4).table.equals(first)
    assert drawn.summary[-1] == (
        "Assignment 3: everybody grades 4; 36 pairs meet again, as few as possible"
    )


def test_designs_that_were_written_are_earlier_ones(tmp_path: Path) -> None:
    roster = {"student": list(range(12)), "group": [0, 0, 1, 1, 2, 2, *[None] * 6]}
    first = assign_graders(roster, 3)
    path = tmp_path / "first.csv"
    first.table.write_csv(path)
    second = assign_graders(roster, 3, earlier=[path])
    assert second.repeats == (0,)
    assert not set(pairs(first.table)) & set(pairs(second.table))
    gone = {"grader": ["x", "1"], "author": ["1", "y; z"]}
    assert assign_graders(roster, 3, earlier=[gone]).table.equals(first.table)


def test_names_of_columns_and_submissions_are_taken_as_they_are() -> None:
    roster = {
        "Email": ["b@x", "a@x", "c@x", "d@x"],
        "Group": ["red", "red", None, None],
        "Submission": [None, "essay 1", "essay, 2", "=3"],
    }
    table = assign_graders(roster, 2).table
    assert table.columns == ["assignment", "submission", "author", "grader"]
    told = dict(table.select("submission", "author").rows())
    assert told == {"essay 1": "a@x; b@x", "essay, 2": "c@x", "=3": "d@x"}


def clusters_of(drawn: Assigned) -> dict[tuple[str, ...], set[str]]:
    """The authors that each set of graders grades."""
    by_author: dict[str, list[str]] = {}
    for author, grader in drawn.table.select("author", "grader").rows():
        by_author.setdefault(author, []).append(grader)
    found: dict[tuple[str, ...], set[str]] = {}
    for author, graders in by_author.items():
        found.setdefault(tuple(sorted(graders)), set()).add(author)
    return found


@settings(max_examples=150)
@given(
    st.integers(1, 4),
    st.lists(st.sampled_from("ABC"), min_size=2, max_size=14),
    st.sampled_from(["any", "within", "across"]),
)
def test_clusters_grade_the_next_cluster_or_cannot(
    k: int, section: list[str], sections: Any
) -> None:
    names = students(len(section))
    of = dict(zip(names, section, strict=True))
    sizes = Counter(section).values() if sections == "within" else [len(names)]
    fits = all(size % k == 0 and size >= 2 * k for size in sizes)
    if sections == "across":
        fits = ring_exists(Counter(section), k)
    roster = {"student": names, "section": section}
    if not fits:
        with pytest.raises(DesignError, match=r"\d.*\.$"):
            assign_graders(roster, k, sections=sections, clusters=True)
        return
    drawn = assign_graders(roster, k, sections=sections, clusters=True)
    found = clusters_of(drawn)
    assert all(len(graders) == len(work) == k for graders, work in found.items())
    assert {frozenset(one) for one in found} == {frozenset(one) for one in found.values()}
    for grader, author in pairs(drawn.table):
        assert grader != author
        assert sections == "any" or (of[grader] == of[author]) == (sections == "within")


def ring_exists(counts: Counter[str], k: int) -> bool:
    """Whether sections can be put into a ring of clusters without a section beside itself."""
    clusters = [
        Counter(some)
        for some in itertools.combinations_with_replacement(sorted(counts), k)
        if not Counter(some) - counts
    ]

    def goes_on(ring: list[Counter[str]], left: Counter[str]) -> bool:
        if not left.total():
            return len(ring) > 1 and not ring[0] & ring[-1]
        return any(
            not one - left and not (ring and one & ring[-1]) and goes_on([*ring, one], left - one)
            for one in clusters
        )

    return counts.total() % k == 0 and goes_on([], counts)


def test_clusters_part_when_they_can() -> None:
    drawn = assign_graders({"student": students(48)}, 4, clusters=True, assignments=3)
    assert drawn.repeats == (0, 0, 0)
    forced = assign_graders({"student": students(4)}, 2, clusters=True, assignments=4)
    assert sum(forced.repeats) > 0
    assert "the fewest that were found" in forced.summary[-1]


@pytest.mark.parametrize(
    ("roster", "wishes", "sentence"),
    [
        ({"who": ["a"]}, {}, "student, grader, person, id, email or name is accepted, and it has"),
        ({"student": ["a", "b", "a"]}, {}, "Row 2 of the students lists student a again"),
        ({"student": ["a", None]}, {}, "Row 1 of the students has no student"),
        ({"name": ["a", " "]}, {}, "Row 1 of the students has no name"),
        ({"student": students(4)}, {}, "A class of 4 has at most 3 graders for a submission"),
        ({"student": students(4)}, {"graders": 0}, "but 0 were asked for"),
        ({"student": students(4)}, {"assignments": 0}, "At least one assignment is needed"),
        ({"student": students(4)}, {"sections": "in"}, "any, within or across, not 'in'"),
        ({"student": students(8)}, {"sections": "within"}, "has no column 'section'"),
        (
            {"student": ["a", "b"], "section": ["A", None]},
            {"sections": "within"},
            "Row 1 of the students has no section",
        ),
        (
            {"student": students(6), "group": ["red"] * 5 + [None]},
            {"graders": 2},
            "Group red has 5 of the 6 students, which leaves 1 to grade its work, but 2 were asked",
        ),
        (
            {"student": students(9), "section": ["A"] * 6 + ["B"] * 3},
            {"sections": "within"},
            "leaves 2 of the 3 in section B to grade submission 's06', but 4 were asked for",
        ),
        (
            {"student": students(9), "section": ["A"] * 6 + ["B"] * 3},
            {"sections": "across"},
            "leaves 3 of the 9 students to grade submission 's00' of section A, but 4 were",
        ),
        (
            {"student": students(9), "section": ["A"] * 6 + ["B"] * 3},
            {"sections": "across", "graders": 2},
            "Section A has 6 of the 9 students, so that the others would have to grade 4",
        ),
        (
            {"student": students(10)},
            {"clusters": True},
            "10 students, who cannot form clusters of 4 that grade each other; 8 could",
        ),
        (
            {"student": students(14), "section": ["A"] * 8 + ["B"] * 6},
            {"clusters": True, "sections": "within"},
            "Section B has 6 students, who cannot form clusters of 4",
        ),
        (
            {"student": students(12), "section": list("ABCD") * 3},
            {"clusters": True, "sections": "across"},
            "12 students in 4 sections, 3 of them in section A, cannot be put into clusters of 4",
        ),
        (
            {"student": students(8), "group": ["x", "x", *[None] * 6]},
            {"clusters": True},
            "but the 2 members of group x submit once",
        ),
        (
            {"student": ["a", "b"], "group": ["x", "x"], "submission": ["p", "q"]},
            {},
            "Row 1 of the students calls the submission of group x 'q'",
        ),
        (
            {"student": ["a", "b"], "submission": ["p", "p"]},
            {},
            "Row 1 of the students has submission 'p', which is somebody else's too",
        ),
        ({"student": ["a; b", "c"], "group": ["x", "x"]}, {}, "'; ' stands between the names"),
        (
            {"student": students(8)},
            {"earlier": [{"submission": ["a"], "grader": ["b"]}]},
            "The table of earlier designs has no column 'author'",
        ),
        (
            {"student": students(8)},
            {"earlier": [{"author": ["a", " "], "grader": ["b", "c"]}]},
            "Row 1 of the earlier designs has no author",
        ),
    ],
)
def test_an_impossible_request_is_refused_with_the_reason(
    roster: dict[str, list[Any]], wishes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises((DesignError, ParameterError, TableError)) as caught:
        assign_graders(roster, **wishes)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")
    assert isinstance(caught.value, PeergaugeError)


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "roster.csv"
    names = students(12)
    groups = ["red", "red", *[""] * 10]
    rows = [f"{name},{group}" for name, group in zip(names, groups, strict=True)]
    path.write_text("student,group\n" + "\n".join(rows) + "\n")
    return path


def test_the_command_writes_what_python_draws(roster: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.parquet"
    done = run("assign", str(roster), "-k", "3", "-o", str(first), "--seed", "5")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "12 students, 11 submissions with 3 graders each",
        "Assignment 1: 3 grade 2, 9 grade 3; 0 pairs meet again",
    ]
    assert pl.read_csv(first).equals(assign_graders(roster, 3, seed=5).table)
    done = run("assign", str(roster), "-k", "3", "-o", str(second), "--earlier", str(first),
               "--assignments", "2")  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = assign_graders(roster, 3, earlier=[first], assignments=2).table
    assert pl.read_parquet(second).equals(expected)


def test_rosters_come_with_tabs_and_in_parquet(roster: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(roster)
    frame.write_csv(tmp_path / "r.tsv", separator="\t")
    frame.write_parquet(tmp_path / "r.parquet")
    tables = [assign_graders(path, 3).table for path in (roster, tmp_path / "r.tsv",
                                                         tmp_path / "r.parquet")]  # fmt: skip
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.mark.slow
def test_a_refused_command_writes_nothing(roster: Path, tmp_path: Path) -> None:
    out = tmp_path / "design.csv"
    words = "assign", str(roster), "-o", str(out)
    assert "Group red has 2 of the 12 students" in refusal(*words, "-k", "11")
    assert "members of group red submit once" in refusal(*words, "--clusters")
    assert f"{roster} has no column 'section'" in refusal(*words, "--sections", "within")
    roster.write_text(roster.read_text() + "s03,\n")
    assert f"Row 14 of {roster} lists student s03 again" in refusal(*words)
    roster.write_text("student,group\ns1,\n,red\n")
    assert f"Row 3 of {roster} has no student" in refusal(*words)
    assert not out.exists()
