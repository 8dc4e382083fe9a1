"""Mutants of a source text: each differs from it in one small place."""

from __future__ import annotations

import ast
import difflib
import hashlib
from dataclasses import dataclass, replace

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
"""What each comparison becomes: its neighbour at the boundary, and its opposite."""

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.BitXor: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
"""What each operator of two numbers or arrays becomes."""

OTHER_FUNCTIONS = {
    "min": "max",
    "minimum": "maximum",
    "nanmin": "nanmax",
    "argmin": "argmax",
    "any": "all",
    "floor": "ceil",
    "zeros": "ones",
    "zeros_like": "ones_like",
    "nanmean": "nansum",
    "mean": "sum",
    "cumsum": "cumprod",
    "exp": "log",
    "is_null": "is_not_null",
}
OTHER_FUNCTIONS |= {new: old for old, new in OTHER_FUNCTIONS.items() if old != "cumsum"}
"""Functions with a counterpart of the same arguments."""

OTHER_WORDS = {"left": "right", "right": "left"}
"""Arguments of NumPy's searches; no other text is changed."""

FOR_READERS = frozenset({"__repr__", "_repr_html_", "__dir__", "__str__"})
"""Methods that write text for people; their results are wording."""

UNCHANGED_KEYWORDS = frozenset({"strict", "copy", "maintain_order", "key"})
"""Arguments that guard, order or speed up, where a change seldom has a meaning of its own."""


@dataclass(frozen=True)
class Mutant:
    """One change of one module.

    Parameters
    ----------
    module
        The path of the module, below ``src/peergauge``.
    function
        The qualified name of the function or class that the change is in; empty in the module.
    line
        The number of the line where the change begins.
    before, after
        The line, with single spaces, without and with the change.
    start, stop, new
        The change itself: characters *start* to *stop* of the text become *new*.
    repeat
        How many equal changes of equal lines come before it in the same function.
    """

    module: str
    function: str
    line: int
    before: str
    after: str
    start: int
    stop: int
    new: str
    repeat: int = 0

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What names the mutant even if other lines of the module move."""
        return self.module, self.function, self.before, self.after, self.repeat

    def applied(self, text: str) -> str:
        """The text of the module with the change."""
        return text[: self.start] + self.new + text[self.stop :]

    def diff(self, text: str) -> str:
        """The change as a unified diff without context."""
        lines = difflib.unified_diff(
            text.splitlines(), self.applied(text).splitlines(), lineterm="", n=0
        )
        return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@"))

    def rank(self, seed: int) -> str:
        """The place of the mutant in the random order of a seed; other mutants do not matter."""
        return hashlib.sha256(repr((seed, self.key)).encode()).hexdigest()


def mutants_of(module: str, text: str) -> list[Mutant]:
    r"""All mutants of a module, in the order of its lines.

    Left out by rule are changes without a meaning for results: docstrings and all other texts,
    annotations, decorators, imports, the messages of errors, methods that write text for people,
    abstract methods, and code for type checkers.

    Examples
    --------
    >>> [one.after for one in mutants_of("core/text.py", "def f(x):\n    return x < 1\n")]
    ['return x <= 1', 'return x >= 1', 'return x < 2']
    """
    found = _Finder(module, text)
    found.visit(ast.parse(text))
    seen: dict[tuple[str, str, str, str, int], int] = {}
    mutants = []
    for one in sorted(found.mutants, key=lambda one: (one.start, one.stop, one.new)):
        number = seen[one.key] = seen.get(one.key, -1) + 1
        mutants.append(replace(one, repeat=number))
    return mutants


class _Finder(ast.NodeVisitor):
    """Collects the mutants of a module while walking through its syntax tree."""

    def __init__(self, module: str, text: str):
        self.module, self.text = module, text
        self.mutants: list[Mutant] = []
        self._names: list[str] = []
        self._lines = text.splitlines(keepends=True)
        self._begin = [0]
        for line in self._lines:
            self._begin.append(self._begin[-1] + len(line))

    # --- places in the text

    def _offset(self, line: int, column: int) -> int:
        """The number of a character; columns of the syntax tree count bytes."""
        before = self._lines[line - 1].encode()[:column]
        return self._begin[line - 1] + len(before.decode())

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _stop(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def _add(self, start: int, stop: int, new: str) -> None:
        line = self.text.count("\n", 0, start) + 1
        begin = self._begin[line - 1]
        end = max(self._begin[self.text.count("\n", 0, stop) + 1], begin)
        before, after = self.text[begin:end], self.text[begin:start] + new + self.text[stop:end]
        self.mutants.append(
            Mutant(
                self.module,
                ".".join(self._names),
                line,
                " ".join(before.split()),
                " ".join(after.split()),
                start,
                stop,
                new,
            )
        )

    def _change(self, node: ast.expr | ast.stmt, new: str) -> None:
        self._add(self._start(node), self._stop(node), new)

    def _change_between(self, left: ast.expr, right: ast.expr, new: str, old: str) -> None:
        """Change the operator between two operands, which may be in parentheses."""
        start, stop = self._stop(left), self._start(right)
        place = self.text.find(old, start, stop)
        if place >= 0:
            self._add(place, place + len(old), new)

    # --- what is left out

    def _visit_named(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        if node.name in FOR_READERS or _is_abstract(node):
            return
        self._names.append(node.name)
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self._names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_named(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_named(node)

    def visit_Import(self, node: ast.Import) -> None:
        """Left out."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Left out."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Left out: texts for people."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Left out: what holds for type checkers."""

    # --- statements

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._change(node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._change(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._change(node, "continue")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._change(node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Subscript) for target in node.targets):
            self._change(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._change(node, "pass")
        if (new := ARITHMETIC.get(type(node.op))) is not None:
            self._change_between(node.target, node.value, f"{new}=", f"{_symbol(node.op)}=")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'"):
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._change(test, "True")
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        """Negate a condition, unless a change of its operator already does."""
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.BoolOp, ast.NamedExpr)):
            self._change(test, f"not ({self.text[self._start(test) : self._stop(test)]})")

    # --- expressions

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, op, right in zip(operands[:-1], node.ops, operands[1:], strict=True):
            for new in COMPARISONS[type(op)]:
                self._change_between(left, right, new, _symbol(op))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        new = ARITHMETIC.get(type(node.op))
        if new is not None and not (_is_text(node.left) or _is_text(node.right)):
            self._change_between(node.left, node.right, new, _symbol(node.op))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values[:-1], node.values[1:], strict=True):
            self._change_between(left, right, new, old)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self._change(node, f"({self.text[self._start(node.operand) : self._stop(node.operand)]})")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        if (new := OTHER_FUNCTIONS.get(name)) is not None:
            stop = self._stop(function)
            self._add(stop - len(name), stop, new)
        self.visit(function)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg not in UNCHANGED_KEYWORDS:
                self.visit(keyword.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._change(node, str(not value))
        elif isinstance(value, int | float):
            self._change(node, repr(value + 1))
        elif isinstance(value, str) and value in OTHER_WORDS:
            self._change(node, repr(OTHER_WORDS[value]))


def _is_abstract(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return any(ast.unparse(one).endswith("abstractmethod") for one in node.decorator_list)


def _is_text(node: ast.expr) -> bool:
    """Whether an operand is a text, which can be joined but not computed with."""
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, ast.JoinedStr)


def _symbol(op: ast.operator | ast.cmpop) -> str:
    """An operator as it is written."""
    if isinstance(op, ast.cmpop):
        text = ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))
    else:
        text = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))
    return text[1:-1].strip()
