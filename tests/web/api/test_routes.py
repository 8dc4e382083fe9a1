"""Everything that a screen changes has a route for programs, with documented errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from peergauge.web import screens
from tests.web.kit import opened_client

API_OF_SCREEN = {
    "/courses": ("post", "/api/courses"),
    "/courses/sample": ("post", "/api/courses/sample"),
    "/courses/{course}/weeks": ("post", "/api/courses/{course}/weeks"),
    "/courses/{course}/rename": ("patch", "/api/courses/{course}"),
    "/courses/{course}/delete": ("delete", "/api/courses/{course}"),
    "/courses/{course}/members": ("put", "/api/courses/{course}/members/{account}"),
    "/weeks/{week}/answers": ("put", "/api/weeks/{week}/answers"),
    "/weeks/{week}/columns": ("put", "/api/weeks/{week}/columns"),
    "/weeks/{week}/import": ("put", "/api/weeks/{week}/import"),
    "/weeks/{week}/files": ("put", "/api/weeks/{week}/files"),
    "/weeks/{week}/assigned": ("put", "/api/weeks/{week}/assigned"),
    "/weeks/{week}/settings": ("put", "/api/weeks/{week}/settings"),
    "/weeks/{week}/settings-file": ("put", "/api/weeks/{week}/settings-file"),
    "/weeks/{week}/decisions": ("post", "/api/weeks/{week}/decisions"),
    "/weeks/{week}/gaming": ("post", "/api/weeks/{week}/gaming"),
    "/weeks/{week}/gradebook": ("put", "/api/weeks/{week}/gradebook"),
    "/weeks/{week}/undo": ("post", "/api/weeks/{week}/undo"),
    "/weeks/{week}/delete": ("delete", "/api/weeks/{week}"),
    "/jobs/{job}/cancel": ("post", "/api/jobs/{job}/cancel"),
    "/laboratory/runs": ("post", "/api/laboratory/runs"),
    "/laboratory/attacks": ("post", "/api/laboratory/attacks"),
    "/laboratory/runs/{job}/delete": ("delete", "/api/laboratory/runs/{job}"),
}
"""The route for programs that changes the same as a form."""

FOR_BROWSERS_ONLY = {"/sign-in", "/sign-out"}
DOCUMENTED_ERRORS = ("400", "401", "403", "404", "409", "413", "422")


@pytest.fixture
def document(tmp_path: Path) -> Any:
    with opened_client(tmp_path) as client:
        return client.get("/api/openapi.json").json()


def test_every_form_has_a_route_for_programs(document: Any) -> None:
    forms = {
        route.path
        for router in screens.routers()
        for route in router.routes
        if isinstance(route, APIRoute) and "POST" in (route.methods or ())
    }
    assert forms == set(API_OF_SCREEN) | FOR_BROWSERS_ONLY
    for method, path in API_OF_SCREEN.values():
        assert method in document["paths"].get(path, {}), path


def test_every_route_documents_its_errors_as_a_message(document: Any) -> None:
    shape = {"$ref": "#/components/schemas/Problem"}
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            for code in DOCUMENTED_ERRORS:
                content = said["responses"][code]["content"]
                assert content == {"application/json": {"schema": shape}}, (method, path, code)
    assert document["components"]["schemas"]["Problem"]["required"] == ["message"]
