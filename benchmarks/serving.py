"""Latencies of the web page: one person who changes settings, and fifty people on one course.

Run ``python -m benchmarks.serving``. A real server runs in a process of its own on this machine;
the clients are threads of this process, so that they share the cores with the server.
"""

from __future__ import annotations

import csv
import io
import os
import platform
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import httpx2

import peergauge
from peergauge.simulate import Semester, Setting, simulate
from tests.web.postgres import running_postgres
from tests.web.served import served

PAGE = Path(__file__).with_suffix(".md")

CLASS_STUDENTS = 700
"""Number of students, and of submissions; each submission has four reviews."""

PEOPLE_AT_ONCE = 50
REQUESTS_PER_PERSON = 8
PAUSE_SECONDS = 5.0
"""Mean pause of a person between two requests, in which they read what they see."""

REQUEST_WEIGHTS = {
    "grades": 6, "page of a table": 8, "submission": 8, "grader": 4, "setting": 2, "staff grade": 2,
}  # fmt: skip
"""Kinds of requests, and how often each is sent compared with the others."""

TIMED_CHANGES = 3
LIMIT_MILLISECONDS = 300

CHANGED_FIELDS: dict[str, tuple[str, str]] = {
    "estimator": ("median", "mean"),
    "grades.round_to": ("0.5", "0.25"),
    "grades.letters": ("A>=90%,B>=70%,C", "A>=80%,B"),
    "grades.curve_mean": ("6", "7"),
    "level": ("0.8", "0.95"),
    "mechanism": ("oa", "mse"),
    "points": ("0..20", "0..10"),
    "leniency": ("forgiven", "counts"),
    "budget": ("20", "30"),
    "final.use": ("on", ""),
    "final.work": ("70", "60"),
    "course": ("Statistics", "Logic"),
}
"""Two values for each field of the form, between which it is changed."""


@cache
def semester() -> Semester:
    """The simulated class."""
    return simulate(Setting(students=CLASS_STUDENTS, assignments=1), seed=5)


def class_csv() -> bytes:
    """The simulated class as the table of a form."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["Author", "Reviewer", "Grade (0 to 10)"])
    reports = semester().reports
    for submission, grader, grade in zip(
        reports.submission, reports.grader, reports.grade, strict=True
    ):
        writer.writerow([f"student{submission:04d}", f"student{grader:04d}", f"{grade:g}"])
    return text.getvalue().encode()


def new_week(client: httpx2.Client) -> str:
    """Upload the class, and grade it once."""
    said = client.post("/api/courses", files={"files": ("class.csv", class_csv())})
    said.raise_for_status()
    week: str = said.json()["weeks"][0]["id"]
    client.get(f"/weeks/{week}/grade").raise_for_status()
    return week


# --------------------------------------------------------------------------------------- one person


def setting_times(client: httpx2.Client, week: str) -> dict[str, float]:
    """Median milliseconds of a change of each field of the form, with the whole new preview."""
    found = {}
    for path, values in CHANGED_FIELDS.items():
        seen = client.get(f"/api/weeks/{week}").json()["revision"]
        body = {"seen": seen, "text": ""}
        client.put(f"/api/weeks/{week}/settings-file", json=body).raise_for_status()
        times = []
        for number in range(TIMED_CHANGES + 1):
            seen = client.get(f"/api/weeks/{week}").json()["revision"]
            form = {"seen": str(seen), path: values[number % 2]}
            if path != "final.use":
                form["final.use"] = "on" if path.startswith("final.") else ""
            began = time.perf_counter()
            said = client.post(f"/weeks/{week}/settings", data=form, headers={"HX-Request": "true"})
            if said.status_code != 200:
                raise RuntimeError(f"{path}: {said.text}")
            if number:
                times.append(1000 * (time.perf_counter() - began))
        found[path] = statistics.median(times)
    return found


# ------------------------------------------------------------------------------------- fifty people


@dataclass
class Latencies:
    """Milliseconds of requests by kind, and the numbers of conflicts and errors."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    conflicts: int = 0
    errors: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def send(self, client: httpx2.Client, kind: str, method: str, path: str, **given: Any) -> None:
        """Send a request, and note how long it took."""
        began = time.perf_counter()
        said = client.request(method, path, **given)
        took = 1000 * (time.perf_counter() - began)
        with self.lock:
            self.times[kind].append(took)
            self.conflicts += said.status_code == 409
            if said.status_code >= 400 and said.status_code != 409:
                self.errors.append(f"{kind}: {said.status_code} {said.text[:200]}")


def person(seed: int, address: str, week: str, latencies: Latencies) -> None:
    """Somebody who reads grades, opens submissions and now and then changes something."""
    rng = random.Random(seed)
    with httpx2.Client(
        base_url=f"{address}/weeks/{week}", timeout=120, headers={"HX-Request": "true"}
    ) as client:
        for _ in range(REQUESTS_PER_PERSON):
            time.sleep(rng.expovariate(1 / PAUSE_SECONDS))
            student = rng.randrange(CLASS_STUDENTS)
            name = f"student{student:04d}"
            (kind,) = rng.choices(list(REQUEST_WEIGHTS), list(REQUEST_WEIGHTS.values()))
            if kind == "grades":
                latencies.send(client, kind, "GET", "/grade")
            elif kind == "page of a table":
                page = rng.randrange(1, CLASS_STUDENTS // 50 + 1)
                latencies.send(client, kind, "GET", "/grades", params={"page": page})
            elif kind in ("submission", "grader"):
                latencies.send(client, kind, "GET", f"/{kind}", params={kind: name})
            else:
                seen = str(client.get(f"{address}/api/weeks/{week}").json()["revision"])
                form = {"seen": seen, "points": f"0..{rng.randrange(5, 30)}"}
                path = "/settings"
                if kind == "staff grade":
                    grade = f"{semester().truth.score[student]:g}"
                    form = {"seen": seen, "action": kind, "submission": name, "grade": grade}
                    path = "/decisions"
                latencies.send(client, kind, "POST", path, data=form)


def crowd(address: str, week: str, first_seed: int) -> Latencies:
    """Fifty people at once."""
    latencies = Latencies()
    with ThreadPoolExecutor(PEOPLE_AT_ONCE) as pool:
        for done in [
            pool.submit(person, first_seed + number, address, week, latencies)
            for number in range(PEOPLE_AT_ONCE)
        ]:
            done.result()
    return latencies


def crowd_rows(latencies: Latencies) -> list[str]:
    """A table of latencies."""
    return [
        "| request | number | median, ms | 95th percentile, ms | longest, ms |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {kind} | {len(times)} | {statistics.median(times):.0f} | "
            f"{statistics.quantiles(times, n=20)[-1]:.0f} | {max(times):.0f} |"
            for kind, times in sorted(latencies.times.items())
        ),
        "",
        f"{latencies.conflicts} conflicts, {len(latencies.errors)} errors.",
        "",
    ]


@contextmanager
def gaming(client: httpx2.Client, week: str) -> Iterator[None]:
    """A gaming test that runs meanwhile."""
    job = client.post(f"/api/weeks/{week}/gaming").json()["job"]
    while client.get(f"/api/jobs/{job}").json()["state"] == "queued":
        time.sleep(0.1)
    yield
    client.post(f"/api/jobs/{job}/cancel").raise_for_status()


def measured(label: str, folder: Path, database: str) -> list[str]:
    """All measurements on one database."""
    with served(folder, database=database) as server, server.client() as client:
        week = new_week(client)
        alone = setting_times(client, week)
        quiet = crowd(server.address, week, first_seed=0)
        with gaming(client, week):
            busy = crowd(server.address, week, first_seed=1000)
    for one in (quiet, busy):
        if one.errors:
            raise RuntimeError(one.errors[0])
    return [
        f"## {label}",
        "",
        f"### One person: a changed setting, with the whole new preview (limit "
        f"{LIMIT_MILLISECONDS} ms)",
        "",
        "| setting | median, ms | |",
        "|---|---:|---|",
        *(
            f"| {path} | {took:.0f} | {'' if took < LIMIT_MILLISECONDS else 'missed'} |"
            for path, took in alone.items()
        ),
        "",
        f"### {PEOPLE_AT_ONCE} people at once",
        "",
        *crowd_rows(quiet),
        f"### {PEOPLE_AT_ONCE} people at once while a gaming test runs",
        "",
        *crowd_rows(busy),
    ]


def page() -> str:
    """Measure everything and return the page as Markdown."""
    with tempfile.TemporaryDirectory() as made:
        parts = measured("SQLite", Path(made) / "sqlite", "")
    with running_postgres() as url:
        if url is None:
            parts += ["## PostgreSQL", "", "There was no PostgreSQL server to measure with.", ""]
        else:
            with tempfile.TemporaryDirectory() as made:
                parts += measured("PostgreSQL", Path(made) / "postgresql", url)
    return "\n".join(
        [
            "# The web page under load",
            "",
            "Written by `python -m benchmarks.serving`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
            f"{platform.machine()}, {os.cpu_count()} cores, which the clients share with the "
            f"server. A simulated class of {CLASS_STUDENTS} submissions with four reviews each. "
            f"Each of {PEOPLE_AT_ONCE} people sends {REQUESTS_PER_PERSON} requests with pauses of "
            f"{PAUSE_SECONDS:g} s on average. Every change is a revision of the same week, and all "
            "grades are computed again before it is acknowledged; changes that wait for each other "
            "are made together. After the tenth staff grade, each further one moves the grades of "
            "all others, so that the model is fitted again, which takes most of the time. Staff "
            "give the true scores.",
            "",
            *parts,
        ]
    )


def main() -> None:
    """Measure everything and write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
