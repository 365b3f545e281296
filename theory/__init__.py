"""The exact side of the toolkit: integers, fractions and symbols. It never imports JAX.

The rooms `attention`, `automata`, `bounds`, `composition`, `groups`, `identify`, `lie`, `logic` and `width` load when they are
first used.

>>> import theory
>>> theory.lie.witt_dimension(2, 5), theory.bounds.tower(letters=2, layers=2).at()
(6, 5.0)
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from theory.cost import TooExpensive as TooExpensive
from theory.errors import OutsideHypotheses as OutsideHypotheses

if TYPE_CHECKING:
    from theory import attention as attention
    from theory import automata as automata
    from theory import bounds as bounds
    from theory import composition as composition
    from theory import groups as groups
    from theory import identify as identify
    from theory import lie as lie
    from theory import logic as logic
    from theory import width as width


def __getattr__(name: str) -> Any:
    if name.startswith("_") or find_spec(f"theory.{name}") is None:
        raise AttributeError(f"module 'theory' has no attribute {name!r}")
    return import_module(f"theory.{name}")
