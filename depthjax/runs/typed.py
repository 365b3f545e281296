"""Measurements that measure nothing: constants of the text, functions that read nothing, numbers that no cell moves."""

import ast
from collections.abc import Collection, Iterator

import numpy as np
import xarray as xr

from depthjax import dtypes

NUMBERS = {"int", "float", "complex", "bool", "int64", "int32", "float64", "float32", "complex128"}
FILLED = {
    "ones": None,
    "zeros": None,
    "ones_like": None,
    "zeros_like": None,
    "full": 1,
    "full_like": 1,
}  # argument that fills it
FILLED |= dict.fromkeys((*NUMBERS, "array", "asarray", "broadcast_to", "repeat", "tile", "list", "tuple"), 0)
QUIET = {*FILLED, "measured", "Quantity", "arange", "linspace", "eye", "range"}


def typed_in(text: str, functions: Collection[str]) -> Iterator[tuple[str, int, str]]:
    r"""Yield function, line and quantity of every ``measured(quantity=...)`` in these functions whose value is a constant.

    Numbers, arithmetic of numbers, names that are bound once to such, and arrays that are filled with them are constants, also
    where their shape is not: ones of a shape that the cell gives are still nothing that was measured.

    >>> text = "FIVE = 5\ndef measure(cell, key):\n    return measured(a=Quantity(FIVE + 1), b=Quantity(cell.x))"
    >>> list(typed_in(text, ["measure"]))
    [('measure', 3, 'a')]
    """
    tree = ast.parse(text)
    shared = _bound(tree.body)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            arguments = node.args
            taken = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
            names = {name: value for name, value in shared.items() if name not in taken} | _bound([node])
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _called(call) == "measured":
                    for word in call.keywords:
                        value = word.value
                        if isinstance(value, ast.Call) and _called(value) == "Quantity" and value.args:
                            value = value.args[0]
                        if word.arg is not None and _constant(value, names, frozenset()):
                            yield node.name, value.lineno, word.arg


def idle(text: str, functions: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield function and line of every one of these functions that reads none of its arguments.

    >>> list(idle("def measure(cell, key): return measured(a=np.arange(3))", ["measure"]))
    [('measure', 1)]
    """
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            arguments = node.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
            names = {one.arg for one in every if one is not None}
            read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            called = {_called(one) for one in ast.walk(node) if isinstance(one, ast.Call)}
            if names and not names & read and called <= QUIET:
                yield node.name, node.lineno


def unmoved(own: xr.Dataset, control: xr.Dataset, quantities: Collection[str]) -> str:
    """Return a quantity of a control that is the same in every cell, bit for bit, while the claim's own is not, or nothing.

    Whole numbers may agree by right, as where every word is misread, so only others tell.

    Args:
        own: What the claim measured, over the cells of the control.
        control: What the control measured, over the same cells.
        quantities: Those that are judged.
    """
    for name in sorted({*quantities} & {*map(str, control.data_vars)}):
        values = control[name]
        if name not in own or "cell" not in values.dims or values.sizes["cell"] < 2:
            continue
        numbers = values.transpose("cell", ...).to_numpy()
        fractions = dtypes.is_inexact(numbers.dtype) and bool(np.any(np.isfinite(numbers) & (numbers != np.round(numbers))))
        if fractions and _one(numbers) and not _one(own[name].transpose("cell", ...).to_numpy()):
            return name
    return ""


def _one(numbers: np.ndarray) -> bool:
    """Whether all rows are equal, bit for bit."""
    return len({row.tobytes() for row in np.ascontiguousarray(numbers)}) == 1


def _bound(statements: list) -> dict[str, ast.expr]:
    """The names that are bound exactly once below these statements, to what."""
    found: dict[str, list[ast.expr | None]] = {}
    for statement in statements:
        inside = isinstance(statement, ast.FunctionDef) and len(statements) == 1
        for node in ast.walk(statement) if inside or not isinstance(statement, ast.FunctionDef | ast.ClassDef) else ():
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, []).append(None)
    # a plain assignment is seen twice: as the statement, and as the name in it
    return {name: values[0] for name, values in found.items() if len(values) == 2 and values[0] is not None}


def _constant(node: ast.expr | None, names: dict[str, ast.expr], seen: frozenset[str]) -> bool:
    def constant(*parts: ast.expr | None) -> bool:
        return all(_constant(part, names, seen) for part in parts)

    match node:
        case ast.Constant():
            return isinstance(node.value, int | float | complex)
        case ast.UnaryOp():
            return constant(node.operand)
        case ast.BinOp(ast.List(elts=[one]) | ast.Tuple(elts=[one]), ast.Mult()):
            return constant(one)  # one value repeated: how often decides the shape
        case ast.BinOp(right=ast.List(elts=[one]) | ast.Tuple(elts=[one]), op=ast.Mult()):
            return constant(one)
        case ast.BinOp():
            return constant(node.left, node.right)
        case ast.List() | ast.Tuple():
            return bool(node.elts) and constant(*node.elts)
        case ast.ListComp() | ast.GeneratorExp():
            return constant(node.elt)
        case ast.Name():
            return node.id in names and node.id not in seen and _constant(names[node.id], names, seen | {node.id})
        case ast.Call() if _called(node) in FILLED:
            place = FILLED[_called(node)]
            return place is None or constant(_argument(node, place))
        case ast.Call(func=ast.Attribute(value=owner)):
            return constant(owner)  # a method of a constant, as astype
    return False


def _argument(call: ast.Call, place: int) -> ast.expr | None:
    named = {word.arg: word.value for word in call.keywords}
    return call.args[place] if len(call.args) > place else named.get("fill_value")


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
