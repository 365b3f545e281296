"""The exact side of the toolkit: integers, fractions and symbols. It never imports JAX.

The rooms `attention`, `automata`, `bounds`, `composition`, `groups`, `identify`, `lie`, `logic`, `strategies` and `width` load
when they are first used; `strategies` needs the extra ``testing``.

>>> import theory
>>> theory.lie.witt_dimension(2, 5), theory.bounds.tower(letters=2, layers=2).at()
(6, 5.0)
"""

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from theory.cost import TooExpensive as TooExpensive
from theory.errors import OutsideHypotheses as OutsideHypotheses

if TYPE_CHECKING:
    from theory import attention as attention
    from theory import automata as automata
    from theory import bounds as bounds
    from theory import composition as composition
    from theory import cost as cost
    from theory import exact as exact
    from theory import groups as groups
    from theory import identify as identify
    from theory import lie as lie
    from theory import logic as logic
    from theory import strategies as strategies
    from theory import width as width

    __version__: str

__all__ = [
    "OutsideHypotheses",
    "TooExpensive",
    "__version__",
    "attention",
    "automata",
    "bounds",
    "composition",
    "cost",
    "exact",
    "groups",
    "identify",
    "lie",
    "logic",
    "strategies",
    "width",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return metadata.version("depthjax")
    if name in __all__:
        try:
            return import_module(f"theory.{name}")
        except ModuleNotFoundError as error:
            if name == "strategies" and (error.name or "").partition(".")[0] == "hypothesis":
                raise AttributeError(
                    "theory.strategies needs hypothesis, the extra `testing`: pip install 'depthjax[testing]'"
                ) from error
            raise
    raise AttributeError(f"module 'theory' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
