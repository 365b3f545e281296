"""The border between what is predicted and what is measured, as far as data and texts show it.

The two sides run in processes of their own (`depthjax.runs.sides`), so a measurement reaches neither theory nor a prediction.
What crosses is what ``objects`` hands over. A predicted number that is found in it, or that theory told ``objects``, is an
error, unless the claim's ``DEFINITIONS`` say why it is a definition. So is a measured quantity that is typed in.
"""

import ast
import math
import numbers
import sys
from collections.abc import Iterator
from importlib.abc import InspectLoader
from pathlib import Path
from typing import Any

import numpy as np

from depthjax.card import claim_file, room_of
from depthjax.runs.guards import FORBIDDEN, BorderError
from depthjax.runs.stated import Stated
from depthjax.runs.typed import idle, typed_in
from depthjax.verify.cell import Cell
from depthjax.verify.data import WANTED, leaves, unfit
from depthjax.verify.prediction import Prediction

SMALL = 2  # integers up to this one say nothing: every table of a group has them
DENSE = 0.25  # of the integers between the least and the largest of an array: a table of indices holds any number by chance
EXCUSE = "compute it in predict, or say in DEFINITIONS[{path!r}] why it is a definition"


def check_room(room: str) -> Path:
    """Check what the files of a room import, as far as their texts show it, and return the folder.

    Raises:
        BorderError: what lies beside ``measure.py`` imports theory or ``claim.py``, or ``claim.py`` imports arrays; names the
            file and the line.
        CardError: there is no such room.
    """
    folder = room_of(room)
    for start, other in (("measure", "claim"), ("claim", "measure")):
        side = {"measure": "measure", "claim": "predict"}[start]
        for file, line, name in _imports(folder, room, start):
            own = name.removeprefix(f"{room}.")
            if name.partition(".")[0] in FORBIDDEN[side]:
                why = (
                    "a measurement knows no prediction"
                    if side == "measure"
                    else "a prediction is exact and needs no arrays on devices"
                )
                raise BorderError(
                    f"{file}, line {line}: imports {name}, and {why}; what both sides need is made by objects(cell)"
                )
            if own != name and own.partition(".")[0] == other:
                raise BorderError(f"{file}, line {line}: imports {other}.py, and the two sides know nothing of each other")
    return folder


def check_objects(module: str, stated: Stated) -> None:
    """Refuse cells and objects that are no plain data, or that hold a predicted number.

    Truth values, the integers -2 to 2, the numbers of the cell and texts without digits say nothing, and neither does an
    integer in an array that holds a good part of all integers in its range, as tables do.

    Raises:
        BorderError: names the way to what is wrong, and what to do.
    """
    file = claim_file(module)
    for index, cell in enumerate(stated.cells):
        for value in (cell.parts(), *stated.given[index]):
            if why := unfit(value):
                raise BorderError(f"{file}: {why}; {WANTED}")
        told = list(_told(stated, index))
        own = _numbers_of(cell)
        definitions = {}
        for given in (stated.given, *(one.given for one in stated.trials if one.given is not None)):
            for path, leaf in leaves(given[index][0] if given[index] else None):
                if path in stated.definitions:
                    definitions[path] = leaf
                    continue
                for what, value in told:
                    if (found := _holds(leaf, value, own)) is not None:
                        excuse = EXCUSE.format(path=path)
                        raise BorderError(f"{file}: objects hands over {path or 'a value'} = {_short(found)}, {what}: {excuse}")
        for words, noted in stated.noted[index]:
            for what, value in told:
                if words not in stated.definitions and not any(_same(one, noted) for one in definitions.values()):
                    if not _says_nothing(noted, own) and _same(noted, value):
                        excuse = EXCUSE.format(path=words)
                        raise BorderError(f"{file}: objects asks theory for {words}(...) = {_short(noted)}, {what}: {excuse}")


def check_typed(module: str, stated: Stated) -> None:
    """Refuse a measured quantity, of the claim or of a control, that is a constant of the text that is loaded.

    A measurement that reads none of its arguments and calls no program is refused too.

    Raises:
        BorderError: names the file, the line, and the quantity or the function.
    """
    file = room_of(module) / "measure.py"
    trials = (said for trial in stated.trials for said in (*trial.said, *trial.finds))
    predicted = {one.of for said in (*stated.said, *trials) for one in said or ()}
    functions = {"measure", *(trial.measure for trial in stated.trials if trial.measure)}
    text = _loaded(f"{module}.measure", file)
    for function, line, quantity in typed_in(text, functions):
        if quantity in predicted:
            raise BorderError(
                f"{file}, line {line}: {function} returns a constant as {quantity!r}: measure it, because a number that is "
                "typed in cannot be refuted"
            )
    for function, line in idle(text, functions):
        raise BorderError(
            f"{file}, line {line}: {function} reads none of its arguments and calls no program: measure what the cell, the "
            "key or the objects say, because a measurement that is the same everywhere shows nothing"
        )


def _loaded(name: str, file: Path) -> str:
    """The text that an import would load, which an import hook may have changed; nothing is imported."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, [str(file.parent)])
        if spec is not None and isinstance(spec.loader, InspectLoader):
            return spec.loader.get_source(name) or ""
    return file.read_text("utf-8")


def _imports(folder: Path, room: str, start: str) -> Iterator[tuple[Path, int, str]]:
    """What a file of a room imports, and the files beside it that it imports: file, line and full name."""
    waiting, seen = [start], set()
    while waiting:
        part = waiting.pop()
        file = folder / f"{part}.py"
        if part in seen or not file.is_file() or part == {"measure": "claim", "claim": "measure"}.get(start):
            continue
        seen.add(part)
        for node in _program(ast.parse(file.read_bytes())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                around = room.split(".")[: len(room.split(".")) - node.level + 1] if node.level else []
                base = ".".join([*around, *([node.module] if node.module else [])])
                names = [f"{base}.{alias.name}" for alias in node.names]
            for name in names:
                yield file, node.lineno, name
                if name.startswith(f"{room}."):
                    waiting.append(name.removeprefix(f"{room}.").partition(".")[0])


def _program(tree: ast.AST) -> Iterator[Any]:
    """The nodes of a text that run: all but what only type checkers read."""
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from _program(child)


def _told(stated: Stated, index: int) -> Iterator[tuple[str, Any]]:
    """The numbers and arrays that are predicted of a cell."""
    known = (said for trial in stated.trials for said in trial.finds[index : index + 1])
    for prediction in (one for said in (stated.said[index], *known) for one in said or ()):
        assert isinstance(prediction, Prediction)
        for what, value in (("value", prediction.value), ("constant", prediction.constant)):
            if value is not None:
                yield f"the predicted {what} of {prediction.of!r}", value


def _numbers_of(cell: Cell) -> set:
    """The numbers that are the cell's own, which say nothing."""
    parts = cell.parts()
    return {leaf for _, leaf in leaves({**parts["fields"], **parts["facts"]}) if isinstance(leaf, numbers.Number)}


def _holds(leaf: Any, value: Any, own: set) -> Any:
    """What in an object equals a prediction; None if nothing does."""
    if isinstance(leaf, str):
        return leaf if np.ndim(value) == 0 and not _says_nothing(value, own) and _spelled(leaf, value) else None
    if _says_nothing(leaf, own):
        return None
    if _same(leaf, value):
        return leaf
    inside, wanted = np.asarray(leaf), np.asarray(value)
    if inside.ndim == 0 or wanted.ndim != 0 or _says_nothing(value, own):
        return None
    if _whole(inside):
        counted = (
            np.unique(inside) if inside.dtype != object else np.array(sorted({int(one) for one in inside.flat}), dtype=object)
        )
        if len(counted) > 2 and len(counted) >= DENSE * (int(counted[-1]) - int(counted[0]) + 1) and inside.size > 8:
            return None  # a table of indices
    try:
        return wanted.item() if bool((inside == wanted).any()) else None
    except (TypeError, ValueError):
        return None


def _spelled(text: str, value: Any) -> bool:
    """Whether a text is a number that equals a value."""
    try:
        return complex(text.strip()) == complex(value)
    except (TypeError, ValueError, OverflowError):
        return text.strip() == str(value)


def _whole(array: np.ndarray) -> bool:
    return np.issubdtype(array.dtype, np.integer) or (array.dtype == object and all(isinstance(one, int) for one in array.flat))


def _says_nothing(value: Any, own: set) -> bool:
    array = np.asarray(value)
    if array.dtype == bool or np.issubdtype(array.dtype, np.character) or array.size == 0:
        return True
    if array.size > 1:
        return bool(len({*array.flat} - {0, 1}) == 0) if array.size <= 64 else False
    number = array.item()
    if number in own or number in (0.5, 0.25):
        return True
    try:
        return abs(number) <= SMALL and number == int(number)
    except (TypeError, ValueError, OverflowError):
        return isinstance(number, float) and not math.isfinite(number)


def _same(leaf: Any, value: Any) -> bool:
    left, right = np.asarray(leaf), np.asarray(value)
    if left.shape != right.shape:
        return False
    try:
        return bool((left == right).all())
    except (TypeError, ValueError):
        return False


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
