"""What a trial sees of a source file: no comment, no docstring, and of a claim neither larger sizes nor pictures."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from experiments.mutants.application import program

SIZES = ("test", "quick")  # that a campaign tries, in this order
JUDGED = ("CLAIM", "GRIDS", "DEFINITIONS", "CONTROLS", "RIVALS", "objects", "predict", "measure")  # all parts but PICTURES


@cache
def seen(source: str) -> str:
    """Return what a trial sees of a source, as text: where it is the same for two sources, so are their trials."""
    tree = ast.parse(source)
    if any("CLAIM" in _names(statement) for statement in tree.body):
        _drop_larger_sizes(tree.body)
        tree.body = _needed(tree.body)
    return program(tree)


def _drop_larger_sizes(body: Sequence[ast.stmt]) -> None:
    for node in body:
        if isinstance(node, ast.Assign) and "GRIDS" in _names(node) and isinstance(node.value, ast.Dict):
            grids = zip(node.value.keys, node.value.values, strict=True)
            tried = [pair for pair in grids if not isinstance(pair[0], ast.Constant) or pair[0].value in SIZES]
            node.value.keys, node.value.values = [size for size, _ in tried], [grid for _, grid in tried]


def _needed(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements that define what the judged parts name, directly or by others, and those that define nothing."""
    wanted, kept, left = {*JUDGED}, [], list(body)
    while True:
        found = [statement for statement in left if not (names := {*_names(statement)}) or names & wanted]
        if not found:
            break
        kept += found
        left = [statement for statement in left if statement not in found]
        wanted |= {node.id for statement in found for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for statement in kept:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            statement.names = [alias for alias in statement.names if _bound(alias) in wanted]
    return sorted(kept, key=lambda statement: statement.lineno)


def _names(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from map(_bound, statement.names)
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
