from __future__ import annotations

import pytest

from tests.exports.formats.layouts.guessed import guessed


@pytest.mark.parametrize(
    "text",
    [
        "Reviewer,Clarity,Depth,Style\nada,3,4,5\nben,4,4,4\n",
        "Reviewer,Essay,Clarity,Depth\nada,e1,3,4\nben,e1,4,4\n",
        "Reviewer,Reviewee,Q1,Q2,Q3\nada,ben,3,4,5\nben,ada,4,5,3\n",
        "Rater,Team,Idea,Execution,Total\nada,T1,3,4,7\nben,T1,4,4,8\n",
        "Reviewer,Team,Round 1 score,Round 2 score\nada,T1,3,4\nben,T1,4,5\n",
    ],
)
def test_criteria_are_no_ratees(text: str) -> None:
    columns, asked = guessed(text)
    assert asked == []
    assert not any(one.submission or one.of or one.grader for one in columns.columns)
