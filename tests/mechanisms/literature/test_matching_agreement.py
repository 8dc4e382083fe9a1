"""Matching agreement by hand, against a plain version, and what it cannot pay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.errors import DesignError
from peergauge.mechanisms.literature.matching_agreement import MatchingAgreement
from peergauge.tables import Reports
from tests.generators import class_of, clustered, parts_of
from tests.generators import reports as any_reports


def test_a_report_earns_the_share_of_other_reports_that_match_worse() -> None:
    """Ann and Bob grade s. Equal grades go together among the others: J is 2 or 0.

    Ann's 1 matches Bob's 1 better than it matches the six zeros among the twelve reports on other
    submissions, and as well as the six ones: (6 + 6/2) / 12. If they disagree, Bob's 0 matches
    Ann's 1 worse than the ones, and as well as the zeros.
    """
    others = {f"o{i}": {"dee": i % 2, "eve": i % 2} for i in range(6)}
    reports = class_of({"s": {"ann": 1, "bob": 1}, **others}, scale="0..1")
    part = parts_of(peergauge.score("ma", reports))
    np.testing.assert_allclose(part[-2:], 9 / 12)
    disagreeing = class_of({"s": {"ann": 1, "bob": 0}, **others}, scale="0..1")
    np.testing.assert_allclose(parts_of(peergauge.score("ma", disagreeing))[-2:], 3 / 12)


def plain(reports: Reports, disjoint: str) -> Floats:
    """The definition, one triple of reports at a time."""
    part = np.full(len(reports), np.nan)
    for i in range(len(reports)):
        a, g = reports.assignment[i], reports.grader[i]
        own = set(reports.submission[reports.grader == g])
        here = [k for k in range(len(reports)) if reports.assignment[k] == a]
        joint, marginal = np.zeros((reports.scale.levels,) * 2), np.zeros(reports.scale.levels)
        tasks = 0
        for s in {reports.submission[k] for k in here}:
            rows = [k for k in here if reports.submission[k] == s and reports.grader[k] != g]
            if len(rows) > 1:
                tasks += 1
                for k in rows:
                    marginal[reports.level[k]] += 1 / len(rows)
                    for m in rows:
                        if m != k:
                            weight = 1 / (len(rows) * (len(rows) - 1))
                            joint[reports.level[k], reports.level[m]] += weight

        def ratio(
            y: int,
            x: int = reports.level[i],
            j: Floats = joint,
            m: Floats = marginal,
            n: int = tasks,
        ) -> float:
            return n * j[x, y] / (m[x] * m[y]) if m[x] > 1e-9 and m[y] > 1e-9 else 1.0

        earned = []
        for peer in here:
            if peer == i or reports.submission[peer] != reports.submission[i]:
                continue
            free = [
                k
                for k in here
                if reports.submission[k] not in own
                and (disjoint == "all" or reports.grader[k] == reports.grader[peer])
            ]
            mine = ratio(reports.level[peer])
            won = [
                0.5 if abs(mine - ratio(reports.level[z])) < 1e-9 else
                float(mine > ratio(reports.level[z]))
                for z in free
            ]  # fmt: skip
            if won:
                earned.append(np.mean(won))
        if earned:
            part[i] = np.mean(earned)
    return part


@given(any_reports(most_assignments=2), st.sampled_from(["all", "co-grader"]))
def test_it_pays_what_the_definition_says(reports: Reports, disjoint: str) -> None:
    expected = plain(reports, disjoint)
    mechanism = MatchingAgreement(disjoint=disjoint)  # type: ignore[arg-type]
    if np.isnan(expected).all():
        with pytest.raises(DesignError):
            peergauge.score(mechanism, reports)
    else:
        part = parts_of(peergauge.score(mechanism, reports))
        np.testing.assert_allclose(part, expected, atol=1e-7)


def test_uninformative_reports_earn_one_half() -> None:
    reports = clustered(0)
    same = reports.with_grades(np.full(len(reports), 10.0))
    np.testing.assert_allclose(parts_of(peergauge.score("ma", same)), 0.5)


def test_a_class_in_which_everybody_grades_everything_is_refused() -> None:
    all_graded = {name: {"ann": 1, "bob": 2, "cy": 3} for name in "stu"}
    with pytest.raises(DesignError, match="did not grade"):
        peergauge.score("ma", class_of(all_graded))


def test_clusters_have_no_disjoint_tasks_of_the_co_grader() -> None:
    with pytest.raises(DesignError):
        peergauge.score("ma:disjoint=co-grader", clustered(0))
