"""Which mutants a text has, how each is named, and what is left out by rule."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import peergauge
from mutants.changes import mutants_of

SOURCE = Path(peergauge.__file__).parent


def after(text: str) -> list[str]:
    return [one.after for one in mutants_of("module.py", text)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = a < b", ["y = a <= b", "y = a >= b"]),
        ("y = a is not None", ["y = a is None"]),
        ("y = a not in b", ["y = a in b"]),
        ("a < b == c", ["a <= b == c", "a >= b == c", "a < b != c"]),
        ("y = (a + b) * c", ["y = (a - b) * c", "y = (a + b) / c"]),
        ("y = -a", ["y = (a)"]),
        ("y = not a", ["y = (a)"]),
        ("y = a and b or c", ["y = a or b or c", "y = a and b and c"]),
        ("y = f(7)", ["y = f(8)"]),
        ("y = True", ["y = False"]),
        ("y += 1", ["pass", "y -= 1", "y += 2"]),
        ("y[i] = x", ["pass"]),
        ("f(x)", ["pass"]),
        ("raise ValueError(f'{a + 1}')", ["pass"]),
        ("y = np.maximum(a, b)", ["y = np.minimum(a, b)"]),
        ("y = np.searchsorted(a, b, side='left')", ["y = np.searchsorted(a, b, side='right')"]),
        ("y = a if b else c", ["y = a if not (b) else c"]),
        ("y = [a for a in b if c]", ["y = [a for a in b if True]"]),
    ],
)  # fmt: skip
def test_changes_of_a_line(line: str, expected: list[str]) -> None:
    assert after(line) == expected


@pytest.mark.parametrize(
    "text",
    [
        '"""A docstring with 1 < 2."""',
        "x: Literal[1] = y",
        "@dataclass(frozen=True)\nclass A:\n    x: int",
        "from a import b",
        "assert x > 1",
        "y = f'{a + 1} of ' + 'these'",
        "class A:\n    def __repr__(self):\n        return f(1)",
        "@abstractmethod\ndef f():\n    return 1",
        "if TYPE_CHECKING:\n    x = 1",
        "y = zip(a, b, strict=True)",
    ],
)
def test_what_has_no_meaning_for_results_is_left_out(text: str) -> None:
    assert after(text) == []


FUNCTION = """class A:
    def f(self, x):
        return x < y
"""


def test_a_mutant_is_named_alike_if_other_lines_move() -> None:
    first, *_ = mutants_of("a.py", FUNCTION)
    moved, *_ = mutants_of("a.py", f'"""Text."""\n\n{FUNCTION}')
    assert first.key == moved.key == ("a.py", "A.f", "return x < y", "return x <= y", 0)
    assert (first.line, moved.line) == (3, 5)
    assert first.rank(1) == moved.rank(1) != first.rank(2)


def test_equal_changes_of_equal_lines_have_names_of_their_own() -> None:
    found = mutants_of("a.py", "def f():\n    g(x)\n    g(x)\n")
    assert [one.repeat for one in found] == [0, 1]
    assert [one.applied("def f():\n    g(x)\n    g(x)\n") for one in found] == [
        "def f():\n    pass\n    g(x)\n",
        "def f():\n    g(x)\n    pass\n",
    ]


def test_a_diff_shows_the_line_before_and_after() -> None:
    first, *_ = mutants_of("a.py", FUNCTION)
    assert first.diff(FUNCTION) == "-        return x < y\n+        return x <= y"


def test_columns_after_letters_of_several_bytes_are_found() -> None:
    assert after("y = f('Φ', a < b)") == ["y = f('Φ', a <= b)", "y = f('Φ', a >= b)"]


@pytest.mark.parametrize("module", ["exports/validate.py", "compiled/models/pg1.py"])
def test_every_mutant_of_a_real_module_differs_and_can_be_read(module: str) -> None:
    text = (SOURCE / module).read_text(encoding="utf-8")
    tree = ast.dump(ast.parse(text))
    mutants = mutants_of(module, text)
    assert len({one.key for one in mutants}) == len(mutants) > 100
    for one in mutants[::7]:
        assert ast.dump(ast.parse(one.applied(text))) != tree
