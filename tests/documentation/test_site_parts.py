"""The parts that the site is built with, one by one."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import api_pages
import docstrings
import mathml
import own_names
import pytest
from docutils import nodes


def test_public_modules_are_those_that_examples_import_from(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Do not `from peergauge.core import x` in a sentence.\n"
        ">>> from peergauge.simulate import Setting\n"
        "from peergauge.engine.runner import run\n"
        "import peergauge\n"
    )
    assert api_pages.public_modules([page]) == [
        "peergauge",
        "peergauge.engine.runner",
        "peergauge.simulate",
    ]


def test_public_names_are_listed_or_defined_in_the_module() -> None:
    module = ModuleType("made")
    exec("from math import sqrt\ndef f(): pass\nclass _C: pass\nx = 1\n", vars(module))
    assert api_pages.public_names(module) == ["f"]
    vars(module)["__all__"] = ["sqrt", "__version__"]
    assert api_pages.public_names(module) == ["sqrt"]


def test_every_object_is_described_once(tmp_path: Path) -> None:
    api_pages.write_pages(tmp_path, ["peergauge", "peergauge.tables"])
    front = (tmp_path / "peergauge.md").read_text()
    tables = (tmp_path / "peergauge.tables.md").read_text()
    assert ".. autoclass:: peergauge.Reports" in front
    assert ".. autofunction:: peergauge.simulate.simulate" in front
    assert ".. autoclass:: peergauge.tables.Reports" not in tables
    assert ":py:obj:`Reports <peergauge.Reports>`" in tables


def formula(tex: str) -> str:
    return "".join(mathml.formula(nodes.math(tex, tex), block=False).split())


def test_an_index_stands_beside_an_accented_letter() -> None:
    accented = '<moveraccent="true"><mi>g</mi><mostretchy="false">ˆ</mo></mover>'
    assert formula(r"\hat g_s") == f"<math><msub>{accented}<mi>s</mi></msub></math>"


def test_limits_of_a_sum_stay_where_they_are() -> None:
    assert formula(r"\sum_{i}^n x").startswith("<math><munderover><mo")


def test_what_is_less_stays_less() -> None:
    assert "&lt;" in formula(r"\bar z < 1\;")


def test_a_wrong_formula_is_shown_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[Any] = []
    monkeypatch.setattr(mathml.logger, "warning", lambda *said, **_: warned.append(said))
    assert formula(r"\unheard < x") == r"<code>\unheard&lt;x</code>"
    assert len(warned) == 1


def prepared(text: str, what: str = "function") -> list[str]:
    lines = text.splitlines()
    docstrings.prepare(SimpleNamespace(), what, "name", None, None, lines)  # type: ignore[arg-type]
    return lines


def test_an_example_after_parameters_is_no_parameter() -> None:
    text = "Do.\n\nParameters\n----------\nx\n    A number.\n\n>>> do(1)\n2\n>>> do(2)"
    assert prepared(text)[-5:] == ["Examples", "--------", ">>> do(1)", "2", ">>> do(2)"]


def test_an_example_without_sections_or_with_its_heading_stays() -> None:
    plain = "Do.\n\n>>> do(1)\n2"
    headed = "Do.\n\nParameters\n----------\nx\n\nExamples\n--------\n>>> do(1)\n2"
    assert prepared(plain) == plain.splitlines()
    assert prepared(headed) == headed.splitlines()


def test_the_first_line_of_a_property_is_a_sentence() -> None:
    assert prepared("Rows: see there.", "property") == ["..", "", "Rows: see there."]


def test_known_names_are_defined_or_imported(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "import numpy as np\nfrom os.path import join\nclass Table:\n    def total(self): x = 1\n"
    )
    defined, packages = own_names.known_names(tmp_path)
    assert {"module", "Table", "total", "x", "join", "int"} <= defined
    assert {"np", "numpy", "os"} <= packages
    assert "Chair" not in defined


def resolved(target: str, objects: dict[str, Any]) -> object:
    domain = SimpleNamespace(objects=objects)
    env = SimpleNamespace(domains=SimpleNamespace(python_domain=domain))
    builder = SimpleNamespace(get_relative_uri=lambda _, there: f"{there}.html")
    node = nodes.Element(refdomain="py", reftarget=target, refdoc="here")
    content = nodes.literal(target, target)
    found = own_names.resolve(SimpleNamespace(builder=builder), env, node, content)  # type: ignore[arg-type]
    return found["refuri"] if isinstance(found, nodes.reference) else found and found.astext()


def test_names_are_linked_if_the_site_has_them_and_plain_if_the_package_has_them() -> None:
    page = SimpleNamespace(docname="tables", node_id="peergauge.Reports")
    objects = {"peergauge.Reports": page}
    assert resolved("Reports", objects) == "tables.html#peergauge.Reports"
    assert resolved("peergauge.Reports", objects) == "tables.html#peergauge.Reports"
    assert resolved("peergauge.core.randomness.stream", objects) is not None
    assert resolved("numpy.ndarray", objects) == "numpy.ndarray"
    assert resolved("Reprots", objects) is None
