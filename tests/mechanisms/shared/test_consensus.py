"""The consensus of the reports on a submission."""

from __future__ import annotations

import numpy as np

from peergauge.mechanisms.shared.consensus import consensus
from peergauge.testing.classes import class_of


def test_a_single_report_has_no_consensus() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8, "cy": 10}, "t": {"ann": 5}})
    np.testing.assert_array_equal(consensus(reports), [8.0, 8.0, 8.0, np.nan])
