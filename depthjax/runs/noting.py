"""What theory tells the objects of a claim: every call in the text of ``claim.py`` is wrapped, and what it returns is noted.

A predicted number may cross as a number plus five, as a text, or as the length of an array. Where it came from is seen all the
same: ``objects`` has asked theory for it.
"""

import ast
import contextlib
import functools
import numbers
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType
from typing import Any

import numpy as np

NOTED = "__noted__"
SILENT = {*sys.stdlib_module_names, "numpy", "depthjax", "scipy"}  # packages that know no theorem of this project

_notes: list[tuple[str, Any]] | None = None


@contextlib.contextmanager
def noting() -> Iterator[list[tuple[str, Any]]]:
    """Collect, while the block runs, what calls from claims return: numbers and arrays that do not come from a library."""
    global _notes
    before, _notes = _notes, []
    try:
        yield _notes
    finally:
        _notes = before


def install() -> None:
    """Have claims imported from here on with their calls wrapped."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _noted(claim: str, function: Any, words: str) -> Any:
    """Return a function that notes what this one returns; the function itself while nothing is noted, or of the claim's own."""
    if _notes is None or (module := _module(function)) == claim or module.partition(".")[0] in SILENT:
        return function
    notes = _notes

    def call(*arguments: Any, **named: Any) -> Any:
        value = function(*arguments, **named)
        if isinstance(value, numbers.Number | np.ndarray) and not isinstance(value, bool | np.bool_):
            notes.append((words, value))
        return value

    return call


def _module(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", function)
    return str(getattr(function, "__module__", None) or getattr(type(owner), "__module__", ""))


class _Wrapping(ast.NodeTransformer):
    """Turns every ``f(x)`` into ``__noted__(f, "f")(x)``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        words = ast.unparse(node.func)
        self.generic_visit(node)
        if words in ("super", "locals", "globals", "vars", "dir", "eval", "exec"):
            return node  # they look at the frame that calls them
        wrapped = ast.Call(ast.Name(NOTED, ast.Load()), [node.func, ast.Constant(words)], [])
        node.func = ast.copy_location(wrapped, node.func)
        return ast.fix_missing_locations(node)


class _Finder:
    """Finds the files ``claim.py`` of rooms, where they usually are."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if not name.endswith(".claim"):
            return None
        found = next((spec for one in sys.meta_path if one is not self and (spec := one.find_spec(name, path, target))), None)
        if found is not None and isinstance(found.loader, SourceFileLoader):
            found.loader = _Loader(found.loader)
        return found


class _Loader(SourceFileLoader):
    def __init__(self, usual: SourceFileLoader):
        super().__init__(usual.name, usual.path)
        self.usual = usual

    def get_code(self, fullname: str) -> CodeType:
        source = self.usual.get_source(fullname) or ""
        return compile(_Wrapping().visit(ast.parse(source)), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        setattr(module, NOTED, functools.partial(_noted, module.__name__))
        super().exec_module(module)
