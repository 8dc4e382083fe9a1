"""Square-root agreement by hand, and where its index is 0 or 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import peergauge
from peergauge.core.errors import DesignError
from peergauge.tables import Reports
from tests.generators import class_of, clustered, parts_of
from tests.generators import reports as any_reports


def test_agreement_is_divided_by_the_root_of_the_agreement_elsewhere() -> None:
    """Ann, Bob and Cy grade s. Elsewhere, both reports are 1 on one of four submissions.

    Ann and Bob said 1, Cy 0: the share of agreeing co-graders is 1/2, and the index √(1/4).
    """
    others = {f"o{i}": {"dee": int(i == 0), "eve": int(i < 2)} for i in range(4)}
    reports = class_of({"s": {"ann": 1, "bob": 1, "cy": 0}, **others}, scale="0..1")
    part = parts_of(peergauge.score("sqrt-agreement", reports))
    # Two of the four others agree on 0, but Cy agrees with nobody.
    np.testing.assert_allclose(part[-3:], [0.5 / 0.5, 0.5 / 0.5, 0.0])


def test_a_grade_on_which_nobody_or_everybody_else_agrees_earns_nothing() -> None:
    reports = clustered(0)
    same = reports.with_grades(np.full(len(reports), 10.0))
    np.testing.assert_array_equal(parts_of(peergauge.score("sqrt-agreement", same)), 0.0)


@given(any_reports())
def test_own_reports_do_not_change_the_index(reports: Reports) -> None:
    """Paid like the definition: pairs on submissions that the grader did not grade."""
    expected = np.full(len(reports), np.nan)
    for i in range(len(reports)):
        here = reports.assignment == reports.assignment[i]
        own = reports.submission[here & (reports.grader == reports.grader[i])]
        shares = []
        for s in np.unique(reports.submission[here]):
            seen = reports.level[reports.submission == s]
            if s not in own and len(seen) > 1:
                k = (seen == reports.level[i]).sum()
                shares.append(k * (k - 1) / (len(seen) * (len(seen) - 1)))
        same = reports.level[reports.submission == reports.submission[i]] == reports.level[i]
        if shares and len(same) > 1:
            agree, q = (same.sum() - 1) / (len(same) - 1), np.mean(shares)
            expected[i] = agree / np.sqrt(q) if 1e-9 < q < 1 - 1e-9 else 0.0
    if np.isnan(expected).all():
        with pytest.raises(DesignError, match="did not grade"):
            peergauge.score("sqrt-agreement", reports)
    else:
        part = parts_of(peergauge.score("sqrt-agreement", reports))
        np.testing.assert_allclose(part, expected, atol=1e-9)
