"""Which addresses are local, and by which names a server may be addressed."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.web.options import ServeOptions


def options(host: str, *names: str) -> ServeOptions:
    return ServeOptions("sqlite://", Path(), host=host, extra_hosts=names)


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False)],
)
def test_only_addresses_of_this_machine_are_local(host: str, local: bool) -> None:
    assert options(host).is_local is local


def test_a_local_server_has_local_names_and_those_that_were_allowed() -> None:
    assert options("127.0.0.1", "grades.example").hosts == {
        "127.0.0.1", "localhost", "::1", "grades.example",
    }  # fmt: skip


def test_a_server_on_every_address_has_any_name_unless_names_were_given() -> None:
    assert options("0.0.0.0").hosts == frozenset()
    assert "grades.example" in options("0.0.0.0", "grades.example").hosts


def test_others_reach_a_server_by_its_address_or_through_a_proxy() -> None:
    assert not options("127.0.0.1").is_shared
    assert options("0.0.0.0").is_shared
    assert options("127.0.0.1", "grades.example").is_shared
