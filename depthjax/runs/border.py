"""The border between what is predicted and what is measured.

While a claim measures, its side of the border cannot reach theory: every name from `theory` in a claim's module, or in a module
of depthjax, is replaced by an object that refuses to be used, and importing `theory` raises. What crosses the border is what
``objects`` hands over; a predicted number found among it is an error, unless the claim's ``DEFINITIONS`` say why it is a
definition.
"""

import contextlib
import dataclasses
import numbers
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from depthjax.verify.trials import Said

FORBIDDEN = "theory"
SMALL = (0, 1)  # these say nothing: every table of a group has them


class BorderError(Exception):
    """A measurement that reaches for theory, or is handed a predicted number; names the claim's file and what to do."""


@contextlib.contextmanager
def measuring(module: str) -> Iterator[None]:
    """Put theory out of reach of the claims' modules while one of them measures.

    Args:
        module: The claim's module; its package and the topics beside it hold the modules that are watched.
    """
    package = module.partition(".")[0]
    rooms = (f"{package}.", "depthjax.")  # `depthjax.probe.answers` joins instruments with theory
    watched = [found for name, found in list(sys.modules.items()) if name == module or name.startswith(rooms)]
    taken = [
        (found, name, value)
        for found in watched
        for name, value in list(vars(found).items())
        if _of_theory(value) and not name.startswith("__")
    ]
    guard = _NoTheory(module)
    for found, name, _ in taken:
        setattr(found, name, _Refusal(module, name))
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == FORBIDDEN}
    sys.meta_path.insert(0, guard)
    try:
        yield
    finally:
        sys.meta_path.remove(guard)
        sys.modules.update(hidden)
        for found, name, value in taken:
            setattr(found, name, value)


def check_objects(experiment: Experiment, cell: Grid, given: tuple, said: Said) -> None:
    """Refuse objects that hold a predicted number.

    Numbers 0 and 1, truth values and the cell's own sizes say nothing. Inside an array a number is not looked for, because
    tables hold all small integers; an array is compared as a whole.

    Raises:
        BorderError: an object equals a predicted value or constant, and ``DEFINITIONS`` does not name it.
    """
    sizes = {value for value in vars(cell).values() if isinstance(value, numbers.Number)}
    for path, leaf in leaves(given[0] if given else None):
        if path in experiment.definitions or _says_nothing(leaf, sizes):
            continue
        for prediction in said or ():
            for what, value in (("value", prediction.value), ("constant", prediction.constant)):
                if value is not None and _same(leaf, value):
                    raise BorderError(
                        f"{experiment.module}: objects hands over {path or 'a value'} = {_short(leaf)}, "
                        f"the predicted {what} of {prediction.of!r}: compute it in predict, or say in DEFINITIONS[{path!r}] "
                        "why it is a definition"
                    )


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every array and number in an object, with the way to it: ``tables.0`` for the first entry of ``tables``."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}.{index}".lstrip("."))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name, None), f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, numbers.Number | np.ndarray) or hasattr(value, "__array__"):
        yield path, value


class _Refusal:
    """Stands where a name of theory stood: any use of it is an error."""

    def __init__(self, module: str, name: str):
        words = (
            f"{module} measures with {name!r}, which belongs to theory: a prediction must not reach a measurement; "
            "hand definitions over in objects(cell)"
        )
        object.__setattr__(self, "_words", words)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise BorderError(object.__getattribute__(self, "_words"))

    __call__ = __getattr__ = __getitem__ = __iter__ = __len__ = __eq__ = __bool__ = __array__ = _refuse  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _NoTheory:
    """Finds nothing of theory."""

    def __init__(self, module: str):
        self.module = module

    def find_spec(self, name: str, *_: Any) -> None:
        if name.partition(".")[0] == FORBIDDEN:
            raise BorderError(f"{self.module} imports {name} while it measures: a prediction must not reach a measurement")


def _of_theory(value: Any) -> bool:
    name = getattr(value, "__name__", "") if type(value) is type(sys) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == FORBIDDEN


def _says_nothing(leaf: Any, sizes: set) -> bool:
    array = np.asarray(leaf)
    if array.dtype == bool or np.issubdtype(array.dtype, np.character) or array.size == 0:
        return True
    return array.size == 1 and (array.item() in SMALL or array.item() in sizes)


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
