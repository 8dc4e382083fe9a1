"""Copy: report what co-graders report."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import deviate, simulate, strategies
from peergauge.testing.classes import class_of


def test_each_report_is_that_of_one_co_grader() -> None:
    semester = simulate(students=20, assignments=5, graders=4, seed=1)
    redone = semester.redone(3, "copy")
    design, copied = semester.design, set()
    for row in np.flatnonzero(design.grader == 3):
        others = np.flatnonzero(design.submission == design.submission[row])
        others = others[others != row]
        assert redone[row] in semester.signal[others]
        copied |= set(design.grader[others[semester.signal[others] == redone[row]]].tolist())
    # Many graders are copied from, not one.
    assert len(copied) > 5


def test_in_a_real_class_the_reports_of_others_are_copied() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 2}, "u": {"ann": 1}})
    copied = deviate(reports, 0, "copy", prior_mean=7, seed=1)
    # Nobody else graded the third submission.
    assert copied.grade[copied.grader == 0].tolist() == [8, 2, 1]
    assert copied.grade[copied.grader == 1].tolist() == [8, 2]


def test_several_reports_are_combined() -> None:
    reports = class_of({"s": {"ann": 0, "bob": 8, "cy": 9, "dee": 4}})
    for spec, expected in (("copy:sources=0", 7), ("copy:sources=0,by=median", 8)):
        assert deviate(reports, 0, spec, prior_mean=7, seed=1).grade[0] == expected


def test_it_says_what_to_do() -> None:
    words = [strategies.make(one).in_words() for one in ("copy", "copy:sources=0,by=median")]
    assert words == [
        "Report what one co-grader reports",
        "Report the median of what all co-graders report",
    ]


def test_a_negative_number_of_sources_is_refused() -> None:
    with pytest.raises(ParameterError, match="sources of copy"):
        strategies.make("copy:sources=-1")
