"""Generated requests to every documented route: no failure, and every answer as documented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

Serve = Callable[..., TestClient]
EXAMPLES_PER_ROUTE, CASE_SEED = 6, 20
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
KNOWN_NAMES = ("Ines Ames", "Hugo Berg", "peer-reviews")
NAMED_VALUES = ("submission", "grader", "person")


class Target:
    """A server with a course, whose ids are filled into generated requests."""

    def __init__(self, client: TestClient):
        self.client = client
        self.answers: Counter[int] = Counter()
        self.make()
        run = {"mechanisms": ["oa"], "measures": ["tau"]}
        self.run = client.post("/api/laboratory/runs", json=run).json()["id"]

    def make(self) -> None:
        made = self.client.post("/api/courses/sample").json()
        self.course, self.week = made["id"], made["weeks"][0]["id"]
        self.job = self.client.post(f"/api/weeks/{self.week}/gaming").json()["job"]

    def fill(self, case: Any, data: st.DataObject) -> None:
        """Let most requests be about things that exist."""
        if self.client.get(f"/api/weeks/{self.week}").status_code != 200:
            self.make()
        ids = {"course": self.course, "week": self.week, "job": self.job}
        if "laboratory" in case.path:
            ids["job"] = self.run
        for name in set(case.path_parameters or {}) & set(ids):
            if data.draw(st.integers(0, 9)):
                case.path_parameters[name] = ids[name]
        for values in (case.query, case.body):
            if isinstance(values, dict):
                for name in NAMED_VALUES:
                    if name in values and data.draw(st.booleans()):
                        values[name] = data.draw(st.sampled_from(KNOWN_NAMES))
                if "seen" in values and data.draw(st.booleans()):
                    said = self.client.get(f"/api/weeks/{self.week}").json()
                    values["seen"] = said["revision"]


@pytest.mark.slow
def test_generated_requests_find_no_failure(serve: Serve) -> None:
    client = serve(raises=False)
    assert isinstance(client.app, FastAPI)
    target = Target(client)
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", client.app)
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()

        @seed(CASE_SEED)
        @settings(
            max_examples=EXAMPLES_PER_ROUTE,
            deadline=None,
            database=None,
            derandomize=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), data=st.data())
        def attack(case: Any, data: st.DataObject) -> None:
            target.fill(case, data)
            answer = case.call()
            target.answers[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKS)

        attack()
    assert target.answers[200] > 50
    assert {201, 202, 204, 400, 404, 422} <= set(target.answers)
