"""Names in docstrings: linked if the site has them, plain if the package has them, else wrong."""

from __future__ import annotations

import ast
import builtins
import sys
from pathlib import Path
from typing import Any

from docutils.nodes import Element, TextElement
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

import peergauge

PACKAGE_FOLDER = Path(peergauge.__file__).parent


def known_names(folder: Path = PACKAGE_FOLDER) -> tuple[frozenset[str], frozenset[str]]:
    """What modules in *folder* define (the last parts of names), and the packages they import."""
    defined = set(dir(builtins))
    packages = set(sys.stdlib_module_names)
    for file in folder.rglob("*.py"):
        defined |= {file.stem, file.parent.name}
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    defined.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    defined.add(name)
                case ast.Import(names=imported):
                    packages.update(one.name.partition(".")[0] for one in imported)
                    packages.update(one.asname for one in imported if one.asname)
                case ast.ImportFrom(module=str(module), names=imported):
                    packages.add(module.partition(".")[0])
                    defined.update(one.asname or one.name for one in imported)
                case _:
                    pass
    return frozenset(defined), frozenset(packages - {"peergauge"})


DEFINED_NAMES, OTHER_PACKAGES = known_names()


def resolve(
    app: Sphinx, env: BuildEnvironment, node: Element, content: TextElement
) -> Element | None:
    """Resolve a name that Sphinx did not find; None means that the name is wrong."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].partition("[")[0]
    first, last = target.partition(".")[0], target.rpartition(".")[2]
    objects = env.domains.python_domain.objects
    candidates = [
        name for name in objects if name.rpartition(".")[2] == last and _within(target, name)
    ]
    if len(candidates) == 1:
        found = objects[candidates[0]]
        return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content)
    return content if first in OTHER_PACKAGES or last in DEFINED_NAMES else None


def _within(target: str, name: str) -> bool:
    """Whether all parts of the target are parts of the name, in their order."""
    parts = iter(name.split("."))
    return all(part in parts for part in target.split("."))


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen for names that were not found."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
