"""What SECURITY.md promises and a program can see."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NETWORK_MODULES = {
    "aiohttp", "asyncio", "distributed", "ftplib", "http", "httpx", "imaplib", "poplib", "requests",
    "smtplib", "socket", "socketserver", "ssl", "telnetlib", "urllib", "urllib3", "webbrowser",
    "xmlrpc",
}  # fmt: skip
CLUSTER_MODULE = "engine/cluster.py"
SERVING_MODULE = "cli/serving.py"
"""The module that listens for the user's own browser, and opens that browser."""

HARMLESS_MODULES = {"urllib.parse"}


def imported(text: str) -> set[str]:
    """The modules that a program imports, also within functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_no_module_uses_a_network_except_for_the_cluster_and_the_page_of_the_user() -> None:
    reaching = {
        str(file.relative_to(ROOT / "src" / "peergauge"))
        for file in (ROOT / "src").rglob("*.py")
        for name in imported(file.read_text(encoding="utf-8")) - HARMLESS_MODULES
        if name.partition(".")[0] in NETWORK_MODULES
    }
    assert reaching == {CLUSTER_MODULE, SERVING_MODULE}


def test_an_import_within_a_function_is_found() -> None:
    assert imported("def f():\n    from urllib.request import urlopen\n    import socket\n") == {
        "urllib.request",
        "socket",
    }
