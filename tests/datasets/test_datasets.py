"""Datasets: what is shipped may be shipped, and nothing is ever fetched."""

from __future__ import annotations

import gzip
import hashlib
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peergauge
from peergauge import datasets
from peergauge.core.errors import DatasetError, UnknownNameError
from peergauge.datasets.catalogue import Dataset
from peergauge.lab.paper.classes import PAPER, stand_in

ALL = [datasets.about(name) for name in datasets.names()]
HERE = Path(datasets.__file__).parent


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a dataset was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_dataset_is_loaded_or_refused_with_its_address(one: Dataset) -> None:
    if one.kind != "elsewhere":
        assert len(getattr(loaded := datasets.load(one.name), "reports", loaded))
        return
    with pytest.raises(DatasetError) as refused:
        datasets.load(one.name)
    assert one.address in str(refused.value)
    assert one.licence in str(refused.value)


def test_only_what_has_a_notice_with_a_licence_is_included() -> None:
    shipped = {path.name for path in HERE.iterdir() if path.suffix not in {".py", ".md", ""}}
    assert shipped == {datasets.PAIRS_FILE}
    notice = (HERE / "NOTICE.md").read_text(encoding="utf-8")
    assert datasets.PAIRS_FILE in notice
    assert "Copyright (c) 2016 Victor Shnayder" in notice
    for one in ALL:
        assert one.kind != "included" or one.licence.startswith("MIT")


def test_the_joint_distributions_are_those_that_were_published() -> None:
    pairs = datasets.load("edx-pairs")
    assert len(pairs) == 1944
    assert len({one.course for one in pairs}) == 236
    sizes = [len(one.joint) for one in pairs]
    assert [sizes.count(levels) for levels in (2, 3, 4, 5, 6, 7, 11, 21)] == [
        370, 985, 448, 90, 47, 1, 2, 1,
    ]  # fmt: skip
    for one in pairs:
        np.testing.assert_allclose(one.joint, one.joint.T, atol=1e-12)
        assert abs(one.joint.sum() - 1) < 1e-9
    # The original file (commit 5ca5c32) without its white space.
    text = gzip.decompress((HERE / datasets.PAIRS_FILE).read_bytes())
    digest = hashlib.sha256(text).hexdigest()
    assert digest == "e410a6352652259f953352a6292286558c89244ba32994f43216ec068a4c60bb"


def test_stand_ins_are_those_of_the_experiments() -> None:
    for name, shape in PAPER.items():
        taught = datasets.load(name, seed=3)
        assert taught.reports == stand_in(name, 3).reports
        assert taught.reports.graders == shape.students
        assert taught.reports != datasets.load(name, seed=4).reports


def test_every_dataset_is_described_in_full_and_readable_code() -> None:
    for one in ALL:
        assert all(text.strip() for _, text in one.items)
        assert str(one).startswith(f"{one.name}: ")
        if one.kind != "elsewhere":
            assert one.reading.startswith("peergauge.datasets.load(")
            # The code that is printed works.
            eval(one.reading, {"peergauge": peergauge})
    assert datasets.overview()["name"].to_list() == datasets.names()


def test_names_are_escaped_in_html() -> None:
    html = Dataset(
        name="<b>", title="&", kind="included", size="", source="", address="", licence="",
        reading="<script>",
    )._repr_html_()  # fmt: skip
    assert "<script>" not in html
    assert "&lt;b&gt;" in html


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'auckland'"):
        datasets.load("aukland")


def test_a_table_like_the_cornell_one_is_read_as_described(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(
        ",Staff score,Average score,peer_1,peer_2,peer_3\n"
        "project_1,3.0,4.0,6.0,4.0,\nproject_2,4.0,4.0,4.0,,5.0\nproject_3,2.0,1.0,,1.0,2.0\n"
    )
    opened = peergauge.open_class(file, scale="1..6")
    assert (opened.reports.submissions, opened.reports.graders, len(opened.reports)) == (3, 3, 6)
    assert opened.truth is not None
