"""Screens and programming interface of the laboratory and of jobs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from peergauge.cli import app as command_line_app
from peergauge.engine.results import merged, read_piece
from peergauge.web.app import create_app
from peergauge.web.jobs import submit
from peergauge.web.jobs.worker import run_job
from peergauge.web.options import ServeOptions
from peergauge.web.screens.laboratory import BEYOND_PAPER, IN_PAPER, choices
from peergauge.web.store import Store
from peergauge.web.store.records import Job

KINDS = ("peergauge.web.jobs.kinds",)
SMALL_RUN: dict[str, Any] = {
    "students": 20,
    "assignments": 3,
    "graders": 3,
    "population": "paper",
    "mechanisms": ["mse", "oa"],
    "measures": ["tau", "rank-gain"],
    "over": [],
    "strategies": ["hedge"],
    "others": [0],
    "repetitions": 4,
    "seed": 3,
}
CHECKED_BOX = re.compile(r'name="mechanisms" value="([^"]+)" checked')


@pytest.fixture
def options(tmp_path: Path) -> ServeOptions:
    return ServeOptions(f"sqlite:///{tmp_path / 'courses.db'}", tmp_path / "folder", workers=0)


@pytest.fixture
def lab_store(options: ServeOptions) -> Iterator[Store]:
    made = Store.open(options.database)
    yield made
    made.close()


@pytest.fixture
def client(options: ServeOptions, lab_store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(options, lab_store), base_url="http://127.0.0.1:8010") as made:
        yield made


def finished(store: Store, options: ServeOptions, **changes: Any) -> Job:
    """A run that was computed in this process."""
    job = submit(store, "laboratory", {**SMALL_RUN, **changes}, "teacher")
    assert store.claim_job("this process") is not None
    run_job(job.id, replace(options, workers=8), KINDS)
    done = store.job(job.id)
    assert done.state == "finished", done.error
    return done


def test_the_form_offers_every_installed_mechanism_measure_and_strategy(client: TestClient) -> None:
    page = client.get("/laboratory").text
    offered = choices()
    for name in ("populations", "mechanisms", "measures", "strategies"):
        for one in offered[name]:
            assert f'value="{one.value}"' in page
            # Sentences of docstrings lose their markup.
            assert not re.search(r"\*\w|``|:\w+:`", one.words), one
    assert "Minus the mean squared distance of a grader&#39;s reports" in page
    assert 0 < page.index(IN_PAPER) < page.index(BEYOND_PAPER)


def test_a_form_starts_a_run_whose_page_asks_for_itself_until_the_run_ends(
    client: TestClient, lab_store: Store
) -> None:
    answer = client.post("/laboratory/runs", data=SMALL_RUN, follow_redirects=False)
    assert answer.status_code == 303
    (job,) = lab_store.jobs()
    assert job.parameters == SMALL_RUN
    assert answer.headers["location"] == f"/laboratory/runs/{job.id}"
    polling = f'hx-get="/laboratory/runs/{job.id}/live" hx-trigger="every 1s"'
    assert polling in client.get(f"/laboratory/runs/{job.id}").text
    assert polling in client.get(f"/laboratory/runs/{job.id}/live").text
    client.post(f"/jobs/{job.id}/cancel")
    assert lab_store.job(job.id).state == "cancelled"
    assert "hx-get" not in client.get(f"/laboratory/runs/{job.id}/live").text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"students": "1001"}, "from 3 to 1000, but is &#39;1001&#39;"),
        ({"assignments": "51"}, "from 1 to 50"),
        ({"repetitions": "many"}, "from 2 to 1000, but is &#39;many&#39;"),
        ({"mechanisms": []}, "choose at least one and at most 30"),
        ({"mechanisms": ["msee"]}, "There is no mechanism &#39;msee&#39;; did you mean"),
        ({"measures": ["score-mse", "rank-gain"]}, "which a sweep does not have"),
        ({"population": "nowhere"}, "There is no setting of the suite &#39;nowhere&#39;"),
        ({"strategies": []}, "needs a strategy that a grader deviates to"),
        ({"strategies": ["hegde"]}, "There is no strategy &#39;hegde&#39;; did you mean"),
        ({"measures": ["tau"]}, "Nobody would follow the strategy"),
        ({"measures": ["tau"], "strategies": [], "others": ["30"]}, "need a strategy that they"),
        ({"others": []}, "At least one number of others is needed"),
        ({"others": ["100"]}, "from 0 to 99, but is &#39;100&#39;"),
        ({"over": "bias.deviatoin = 1"}, "did you mean &#39;bias.deviation&#39;"),
        ({"over": "bias.deviation"}, "is given as NAME=VALUES"),
        ({"over": "students = 10, 2000"}, "from 3 to 1000, but is 2000"),
        ({"over": "strategic = 0.5"}, "&#39;strategic&#39; has a field of its own"),
        ({"over": "scale = 0..1000000"}, "A scale has at most 101 grades here"),
        ({"over": "graders = 2..9\nbias.deviation = 0..8"}, "a grid of 72 points"),
        ({"graders": "20"}, "choose fewer reviewers"),
        ({"over": "graders = 3, 20"}, "choose fewer reviewers"),
        ({"population": "stand-in"}, "the shape of a real class"),
        ({"code": "import os"}, "There is no parameter of this job called &#39;code&#39;"),
    ],
)
def test_a_refused_form_is_shown_again_with_one_sentence(
    client: TestClient, lab_store: Store, changes: dict[str, Any], sentence: str
) -> None:
    answer = client.post("/laboratory/runs", data={**SMALL_RUN, **changes})
    assert answer.status_code == 422
    assert sentence in answer.text
    kept = changes.get("mechanisms", SMALL_RUN["mechanisms"])
    assert sorted(CHECKED_BOX.findall(answer.text)) == sorted(kept)
    assert lab_store.jobs() == []


def test_files_are_refused(client: TestClient, lab_store: Store) -> None:
    upload = {"plugin": ("mine.py", b"raise SystemExit")}
    answer = client.post("/laboratory/runs", data=SMALL_RUN, files=upload)
    assert answer.status_code == 400
    assert "accepts no files" in answer.text
    assert lab_store.jobs() == []


def test_markup_in_a_form_is_escaped(client: TestClient) -> None:
    answer = client.post("/laboratory/runs", data={**SMALL_RUN, "population": "<script>x</script>"})
    assert answer.status_code == 422
    assert "<script>x" not in answer.text
    assert "&lt;script&gt;x" in answer.text


@pytest.mark.slow
def test_the_page_of_a_run_has_its_numbers_charts_and_downloads(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    job = finished(lab_store, options)
    page = client.get(f"/laboratory/runs/{job.id}").text
    assert job.result is not None
    for row in job.result["rows"]:
        assert f"{row['mean']:.4f}".replace("-", "−") in page
        assert row["n"] == SMALL_RUN["repetitions"]
    assert page.count("<svg ") == page.count("</svg>") == 3
    assert 'fill="currentColor"' in page
    assert "<script>" not in page
    data = client.get(f"/laboratory/runs/{job.id}/data.csv")
    assert "attachment" in data.headers["content-disposition"]
    read = pl.read_csv(BytesIO(data.content))
    assert read["mean"].to_list() == [row["mean"] for row in job.result["rows"]]
    parquet = client.get(f"/laboratory/runs/{job.id}/data.parquet").content
    assert pl.read_parquet(BytesIO(parquet))["mean"].to_list() == read["mean"].to_list()
    for name in ("trade-off", "measure-1", "measure-2"):
        assert client.get(f"/laboratory/runs/{job.id}/{name}.svg").text.startswith("<svg ")
        png = client.get(f"/laboratory/runs/{job.id}/{name}.png").content
        assert png.startswith(b"\x89PNG")
    assert client.get(f"/laboratory/runs/{job.id}/measure-3.svg").status_code == 404
    assert client.get(f"/laboratory/runs/{job.id}/data.exe").status_code == 404


@pytest.mark.slow
def test_the_command_and_the_python_program_give_the_same_numbers(
    client: TestClient, lab_store: Store, options: ServeOptions, tmp_path: Path
) -> None:
    job = finished(lab_store, options)
    assert job.result is not None
    means = [row["mean"] for row in job.result["rows"]]
    shown = client.get(f"/api/laboratory/runs/{job.id}").json()
    names: dict[str, Any] = {}
    exec(shown["python"], names)
    assert names["found"].frame["mean"].to_list() == means
    words = shown["command"].split()
    assert words[:2] == ["peergauge", "sweep"]
    words[words.index("--out") + 1] = str(tmp_path / "comparison")
    ran = CliRunner().invoke(command_line_app, [*words[1:], "--workers", "1"])
    assert ran.exit_code == 0, ran.output
    written = pl.read_csv(tmp_path / "comparison" / "sweep.csv")
    assert written["mean"].to_list() == means


SEVERAL_POINTS: dict[str, Any] = {
    "over": "bias.deviation = 0, 1\n\ngraders=4",
    "strategies": ["hedge", "noise"],
    "others": ["0", "30"],
}


@pytest.mark.slow
def test_a_run_over_several_points_has_the_same_numbers_everywhere(
    client: TestClient, lab_store: Store, options: ServeOptions, tmp_path: Path
) -> None:
    job = finished(lab_store, options, **SEVERAL_POINTS)
    assert job.parameters["over"] == ["bias.deviation = 0, 1", "graders=4"]
    assert job.result is not None
    means = [row["mean"] for row in job.result["rows"]]
    # Two biases, two strategies, two numbers of others, two mechanisms and two measures.
    assert len(means) == 2**5
    shown = client.get(f"/api/laboratory/runs/{job.id}").json()
    assert [row["mean"] for row in shown["rows"]] == means
    point = {"bias.deviation": 0, "strategy": "hedge", "strategic": 0.0}
    assert shown["rows"][0]["point"] == point
    names: dict[str, Any] = {}
    exec(shown["python"], names)
    assert names["found"].frame["mean"].to_list() == means
    assert names["found"].trade_off.to_dicts() == shown["trade_off"]
    words = shlex.split(shown["command"])
    words[words.index("--out") + 1] = str(tmp_path / "comparison")
    ran = CliRunner().invoke(command_line_app, [*words[1:], "--workers", "1"])
    assert ran.exit_code == 0, ran.output
    assert pl.read_csv(tmp_path / "comparison" / "sweep.csv")["mean"].to_list() == means
    table = pl.read_csv(
        BytesIO(client.get(f"/laboratory/runs/{job.id}/data.csv").content), infer_schema_length=None
    )
    assert table["mean"].to_list() == means
    assert table["graders"].unique().to_list() == [4]
    assert table["strategy"].unique(maintain_order=True).to_list() == ["hedge", "noise"]


@pytest.mark.slow
def test_a_run_over_several_points_is_drawn_as_lines_in_panels(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    job = finished(lab_store, options, **SEVERAL_POINTS)
    page = client.get(f"/laboratory/runs/{job.id}").text
    assert "bias.deviation 0, 1" in page
    assert page.count("<svg ") == page.count("</svg>") == 3
    assert "the average over all points" in page
    drawn = client.get(f"/laboratory/runs/{job.id}/measure-1.svg").text
    # The bias is on the horizontal axis; strategies and others are panels.
    for panel in ("strategy=hedge, strategic=0", "strategy=noise, strategic=0.3"):
        assert drawn.count(panel) >= 1
    assert ">bias.deviation<" in drawn
    assert {"MSE", "OA"} <= set(re.findall(r">([A-Z]+)<", drawn))
    assert client.get(f"/laboratory/runs/{job.id}/measure-1.png").content.startswith(b"\x89PNG")


@pytest.mark.slow
def test_runs_over_several_points_are_compared_point_by_point(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    changes = {"over": "bias.deviation = 0, 1"}
    one = finished(lab_store, options, **changes)
    other = finished(lab_store, options, **changes, assignments=2)
    single = finished(lab_store, options, over="bias.deviation = 1")
    found = client.get("/api/laboratory/compare", params={"left": one.id, "right": other.id}).json()
    assert found["paired"]
    assert one.result is not None
    assert other.result is not None
    expected = [
        right["mean"] - left["mean"]
        for left, right in zip(one.result["rows"], other.result["rows"], strict=True)
    ]
    assert [row["difference"] for row in found["differences"]] == pytest.approx(expected)
    assert {row["point"]["bias.deviation"] for row in found["differences"]} == {0, 1}
    page = client.get("/laboratory/compare", params={"left": one.id, "right": other.id}).text
    assert "<td>bias.deviation=1</td>" in page
    # A run with one value of the parameter has no points to be compared with.
    page = client.get("/laboratory/compare", params={"left": one.id, "right": single.id}).text
    assert "no results on the same mechanisms and measures" in page


def test_every_screen_shows_a_command(client: TestClient, lab_store: Store) -> None:
    form = client.get("/laboratory").text
    assert "<code>peergauge sweep --setting paper --over students=50" in form
    assert "<code>peergauge exploit mse-p --setting paper" in client.get("/laboratory/attacks").text
    jobs = [submit(lab_store, "laboratory", {**SMALL_RUN, "seed": seed}, "me") for seed in (1, 2)]
    pair = {"left": jobs[0].id, "right": jobs[1].id}
    compared = client.get("/laboratory/compare", params=pair).text
    assert re.findall(r"--seed (\d)", compared) == ["1", "2"]


def test_the_parameters_are_those_of_the_population(client: TestClient) -> None:
    paper = client.get("/laboratory/parameters", params={"population": "paper"}).text
    assert "<code>effort.highest</code></th><td>2</td>" in paper
    assert "<code>effort.active</code>" not in paper
    binary = client.get("/laboratory/parameters", params={"population": "binary"}).text
    assert "<code>effort.active</code></th><td>none</td>" in binary
    assert "effort.highest" not in binary
    assert "<code>" not in client.get("/laboratory/parameters?population=nowhere").text


@pytest.mark.slow
def test_results_so_far_are_those_of_the_finished_pieces(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    job = finished(lab_store, options)
    again = submit(lab_store, "laboratory", SMALL_RUN, "teacher")
    pieces = options.folder / "runs" / again.id / "pieces"
    pieces.mkdir(parents=True)
    some = sorted((options.folder / "runs" / job.id / "pieces").iterdir())[:2]
    for file in some:
        (pieces / file.name).write_bytes(file.read_bytes())
    rows = client.get(f"/api/laboratory/runs/{again.id}").json()["rows"]
    assert [row["n"] for row in rows] == [2] * 4
    values = merged(rows for rows in map(read_piece, some) if rows is not None)
    for row in rows:
        own = values.filter(mechanism=row["mechanism"], metric=row["metric"])["value"]
        assert row["mean"] == pytest.approx(own.mean())


@pytest.mark.slow
def test_two_runs_are_compared_by_paired_differences_if_they_share_their_seed(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    one, same, other = (
        finished(lab_store, options),
        finished(lab_store, options),
        finished(lab_store, options, seed=4, graders=4),
    )
    page = client.get("/laboratory/compare", params={"left": one.id, "right": same.id}).text
    assert "paired differences" in page
    assert page.count(">0.0000</span>") == 4
    page = client.get("/laboratory/compare", params={"left": one.id, "right": other.id}).text
    assert "independent of each other" in page
    assert one.result is not None
    assert other.result is not None
    first, second = one.result["rows"][0], other.result["rows"][0]
    difference = second["mean"] - first["mean"]
    error = (first["standard_error"] ** 2 + second["standard_error"] ** 2) ** 0.5
    assert f"{difference:.4f}".replace("-", "−") in page
    assert f"{difference / error:.1f}".replace("-", "−") in page


@pytest.mark.slow
def test_programs_get_the_files_and_comparisons_of_the_screens(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    one, other = finished(lab_store, options), finished(lab_store, options, seed=4)
    for screen, program in (
        ("data.csv", "data"),
        ("data.parquet", "data?suffix=parquet"),
        ("trade-off.svg", "figures/trade-off"),
        ("measure-1.png", "figures/measure-1?suffix=png"),
    ):
        shown = client.get(f"/laboratory/runs/{one.id}/{screen}")
        given = client.get(f"/api/laboratory/runs/{one.id}/{program}")
        assert (shown.status_code, given.status_code) == (200, 200), program
        assert shown.content == given.content
        assert shown.headers["content-type"] == given.headers["content-type"]
    assert client.get(f"/api/laboratory/runs/{one.id}/figures/no-such").status_code == 404
    assert client.get(f"/api/laboratory/runs/{one.id}/data?suffix=exe").status_code == 422
    pair = {"left": one.id, "right": other.id}
    found = client.get("/api/laboratory/compare", params=pair).json()
    assert not found["paired"]
    assert one.result is not None
    assert other.result is not None
    expected = {
        (left["mechanism"], left["metric"]): right["mean"] - left["mean"]
        for left, right in zip(one.result["rows"], other.result["rows"], strict=True)
    }
    differences = {
        (row["mechanism"], row["metric"]): row["difference"] for row in found["differences"]
    }
    assert differences == pytest.approx(expected)


@pytest.mark.slow
def test_a_run_can_be_deleted_with_its_files(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    waiting = submit(lab_store, "laboratory", SMALL_RUN, "teacher")
    assert client.post(f"/laboratory/runs/{waiting.id}/delete").status_code == 400
    lab_store.cancel_job(waiting.id)
    job = finished(lab_store, options)
    folder = options.folder / "runs" / job.id
    assert folder.is_dir()
    assert client.post(f"/laboratory/runs/{job.id}/delete").status_code == 200
    assert not folder.exists()
    assert client.get(f"/laboratory/runs/{job.id}").status_code == 404


@pytest.mark.slow
def test_an_attack_is_searched_for_and_shown(
    client: TestClient, lab_store: Store, options: ServeOptions
) -> None:
    form = {"mechanism": "mse-p", "population": "small", "effort": "quick", "others": ["0"],
            "kinds": ["plain"], "seed": "1"}  # fmt: skip
    assert "Search for attacks" in client.get("/laboratory/attacks").text
    refused = client.post("/laboratory/attacks", data={**form, "kinds": ["magic"]})
    assert refused.status_code == 422
    assert "There is no kind of strategies &#39;magic&#39;" in refused.text
    client.post("/laboratory/attacks", data=form)
    (job,) = lab_store.jobs()
    assert lab_store.claim_job("this process") is not None
    run_job(job.id, replace(options, workers=8), KINDS)
    done = lab_store.job(job.id)
    assert done.state == "finished", done.error
    assert done.result is not None
    (attack,) = done.result["attacks"]
    page = client.get(f"/laboratory/runs/{job.id}").text
    assert attack["strategy"] in page
    assert "strategies were tried" in page
    table = client.get(f"/laboratory/runs/{job.id}/data.csv").content
    assert pl.read_csv(BytesIO(table))["ranks"].to_list() == [attack["ranks"]]
    names: dict[str, Any] = {}
    exec(client.get(f"/api/laboratory/runs/{job.id}").json()["python"], names)
    assert names["found"].attacks[0].ranks == attack["ranks"]


def test_the_interface_starts_lists_and_cancels_runs(client: TestClient, lab_store: Store) -> None:
    answer = client.post("/api/laboratory/runs", json={"mechanisms": ["mse"], "measures": ["tau"]})
    assert answer.status_code == 201
    job = answer.json()
    assert (job["parameters"]["strategies"], job["parameters"]["others"]) == ([], [0])
    assert "process" not in job
    (listed,) = client.get("/api/laboratory/runs").json()
    assert (listed["id"], listed["state"]) == (job["id"], "queued")
    assert client.post(f"/api/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    assert client.get(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    assert client.get("/api/jobs/nobody").status_code == 404
    refused = client.post("/api/laboratory/runs", json={"mechanisms": ["msee"]})
    assert refused.status_code == 400
    assert refused.json() == {"message": "There is no mechanism 'msee'; did you mean 'mse'?"}
    assert client.post("/api/laboratory/runs", json={"mechanisms": []}).status_code == 422
    assert len(lab_store.jobs()) == 1


def test_the_part_of_a_page_that_waits_for_a_job_loads_the_page_again_at_the_end(
    client: TestClient, lab_store: Store
) -> None:
    job = submit(lab_store, "laboratory", SMALL_RUN, "teacher")
    lab_store.claim_job("this process")
    lab_store.progress_job(job.id, "Simulating classes", 1, 4)
    asked = {"HX-Request": "true"}
    part = client.get(f"/jobs/{job.id}", headers=asked)
    assert '<progress value="1" max="4"' in part.text
    assert "<html" not in part.text
    assert "hx-refresh" not in part.headers
    lab_store.fail_job(job.id, "It is <b>too large</b>.")
    part = client.get(f"/jobs/{job.id}", headers=asked)
    assert part.headers["hx-refresh"] == "true"
    assert "It is &lt;b&gt;too large&lt;/b&gt;." in part.text
