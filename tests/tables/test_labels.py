"""Labels: how they are named, read and written, and what refuses them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peergauge
from peergauge.core.errors import ScaleError, TableError
from peergauge.models import Model, models
from peergauge.simulate import deviate
from peergauge.tables import Labels, Reports, Scale, Truth
from peergauge.tables.labels import label_texts

FRAME = {
    "submission": ["a", "a", "b", "b"],
    "grader": ["ann", "bob", "ann", "bob"],
    "label": ["cat", "dog", "dog", "dog"],
}


def test_labels_are_levels_without_an_order() -> None:
    labels = Labels("cat", "dog", "bird")
    assert (labels.levels, labels.finite, labels.ordered) == (3, True, False)
    assert Scale(0, 2).ordered
    assert labels != Scale(0, 2)
    assert labels == Labels.parse("cat|dog|bird")
    assert labels != Labels("dog", "cat", "bird")
    assert len({labels, Labels("cat", "dog", "bird"), Scale(0, 2)}) == 2
    for again in (pickle.loads(pickle.dumps(labels)), copy.copy(labels)):
        assert again == labels
        assert again.names == ("cat", "dog", "bird")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ((), "at least two"),
        (("a",), "at least two"),
        (("a", "b", "a"), "list each label once"),
        ((1, "1"), "list each label once"),
        (("a", " "), "not empty"),
        (("a|b", "c"), "rename it"),
    ],
)
def test_names_that_are_no_labels_are_refused(names: tuple[object, ...], why: str) -> None:
    with pytest.raises(ScaleError, match=why):
        Labels(*names)


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, None], ["1", None]),
        ([1.0, float("nan")], ["1", None]),
        ([1.5, 2.0], ["1.5", "2.0"]),
        ([True, False], ["true", "false"]),
        ([" a", "b "], ["a", "b"]),
    ],
)
def test_labels_are_read_as_text(column: list[object], texts: list[str | None]) -> None:
    assert label_texts(pl.Series(column)) == texts


@pytest.mark.parametrize("frame", [FRAME, pl.DataFrame(FRAME), pd.DataFrame(FRAME)], ids=type)
def test_reports_are_read_from_labels(frame: object) -> None:
    reports = Reports.from_labels(frame)
    assert reports.scale == Labels("cat", "dog")
    assert reports.grade.tolist() == [0, 1, 1, 1]
    named = Reports.from_labels(frame, ["dog", "cat", "bird"])
    assert named.grade.tolist() == [1, 0, 0, 0]
    assert reports.to_polars()["label"].to_list() == FRAME["label"]
    assert named.to_polars().equals(reports.to_polars())
    assert Reports.from_labels(reports.to_polars(), reports.scale) == reports


def test_labels_that_are_numbers_stay_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    pl.DataFrame({**FRAME, "label": [1, 0, 0, 10]}).write_csv(path)
    reports = Reports.read(path, Labels(0, 1, 10))
    assert reports.grade.tolist() == [1, 0, 0, 2]
    assert Reports.from_labels(pl.read_csv(path)).scale == Labels(0, 1, 10)
    written = reports.write(tmp_path / "again.csv")
    assert Reports.read(written, reports.scale) == reports


def test_unknown_and_missing_labels_are_refused_with_their_row() -> None:
    with pytest.raises(TableError, match=r"Row 0 of the reports has the label 'cat'.*1 such rows"):
        Reports.from_labels(FRAME, ["dog", "bird"])
    with pytest.raises(TableError, match="Row 1 of the reports has no label"):
        Reports.from_labels({**FRAME, "label": ["cat", None, "dog", "dog"]})
    with pytest.raises(ScaleError, match="name all labels"):
        Reports.from_labels({**FRAME, "label": ["cat"] * 4})
    with pytest.raises(TableError, match="no column 'label'"):
        Reports.from_labels({"submission": [1], "grader": [1], "grade": [1]})
    with pytest.raises(TableError, match="no column 'grade'"):
        Reports.from_frame(FRAME)


def test_true_labels_are_those_of_the_reports() -> None:
    reports = Reports.from_labels(FRAME)
    truth = Truth.from_labels({"submission": ["b", "a"], "label": ["dog", None]}, reports.scale)
    np.testing.assert_array_equal(truth.scores_of(reports), [np.nan, 1])
    assert truth.to_polars()["label"].to_list() == [None, "dog"]
    # The same names in another order would make every comparison wrong.
    for labels in (Labels("dog", "cat"), Labels("cat", "dog", "bird")):
        other = Truth.from_labels({"submission": ["a"], "label": ["dog"]}, labels)
        with pytest.raises(TableError, match=r"read both with the same labels"):
            other.scores_of(reports)
    scores = Truth.from_frame({"submission": ["a", "b"], "score": [0, 1]})
    with pytest.raises(TableError, match="The truth has scores on a scale, but the reports have"):
        scores.scores_of(reports)
    with pytest.raises(TableError, match=r"for true scores, use Truth\.from_frame"):
        Truth.from_labels({"submission": ["a"], "label": ["dog"]}, Scale())
    with pytest.raises(TableError, match="numbered from 0 to 1"):
        Truth(np.array([2.0]), np.array([0]), labels=Labels("cat", "dog"))


def test_the_error_of_a_label_is_0_or_1() -> None:
    labels = Labels("cat", "dog", "bird")
    grade, score = np.array([0.0, 2.0, 2.0]), np.array([0.0, 0.0, np.nan])
    np.testing.assert_array_equal(labels.error(grade, score), [0, 1, np.nan])
    np.testing.assert_array_equal(Scale(0, 2).error(grade, score), [0, 4, np.nan])


def test_pay_is_measured_against_the_number_of_right_labels() -> None:
    # Truth: a is cat, b is dog, c is bird. ann has all right, bob the first, cy none.
    said = {"ann": "cat dog bird", "bob": "cat cat dog", "cy": "bird bird cat", "di": "cat dog dog"}
    rows = [
        (s, g, one)
        for g, labels in said.items()
        for s, one in zip("abc", labels.split(), strict=True)
    ]
    names = ("submission", "grader", "label")
    reports = Reports.from_labels(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), ["cat", "dog", "bird"]
    )
    truth = Truth.from_labels(
        {"submission": list("abc"), "label": ["cat", "dog", "bird"]}, reports.scale
    )
    rewards = peergauge.score("oa", reports)
    # Agreement: ann (2 + 1 + 0) / 3, bob (2 + 0 + 1) / 3, cy 0, di (2 + 1 + 1) / 3.
    np.testing.assert_allclose(rewards.total, [1.0, 1.0, 0.0, 4 / 3])
    # Right labels: 3, 1, 0, 2. The better half, ann and di, against bob and cy: of four pairs one
    # is a tie.
    assert peergauge.measure("binary-auc", rewards, truth) == pytest.approx(3.5 / 4)


# ----------------------------------------------------------------------- what needs numbers

REPORTS = Reports.from_labels(FRAME)


@pytest.mark.parametrize("model", models.all(), ids=str)
def test_models_refuse_labels(model: Model) -> None:
    with pytest.raises(ScaleError, match=r"computes with numbers, but .* labels \(cat\|dog\)"):
        model.fit(REPORTS)


def test_strategies_refuse_labels() -> None:
    with pytest.raises(ScaleError, match="The strategy 'hedge' computes with numbers"):
        deviate(REPORTS, [0], "hedge", prior_mean=0.5, seed=1)
    assert deviate(REPORTS, [0], "truthful", prior_mean=0.5, seed=1) == REPORTS


def test_labels_have_no_other_scale() -> None:
    with pytest.raises(ScaleError, match="Mapping grades to another scale"):
        REPORTS.coarsen("0..1")


def test_labels_have_no_profile_and_no_twin() -> None:
    with pytest.raises(ScaleError, match="computes with numbers"):
        peergauge.recommend(REPORTS)
    from peergauge.simulate.resample.parametric import fit

    with pytest.raises(ScaleError, match="A twin computes with numbers"):
        fit(REPORTS)
