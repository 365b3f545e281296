"""The sizes of a run: a grid of cells."""

import dataclasses
import itertools
from typing import Any

SIZES = ("test", "quick", "full", "paper")


def axis(*values: Any) -> Any:
    """Values of a grid's axis, as the default of a field that is annotated with the type of a single one.

    >>> axis(2, 3)
    (2, 3)
    """
    return values


@dataclasses.dataclass(frozen=True)
class Grid:
    """The sizes of one run: fields whose default is a tuple are axes, the others are shared; a cell has one value per axis.

    Subclasses are frozen dataclasses with plain fields, all with defaults; override :meth:`allows` where the mathematics
    leaves cells out.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Small(Grid):
    ...     letters: int = axis(2, 3)
    ...     samples: int = 8
    >>> [cell.name for cell in Small(samples=4).cells()]
    ['letters=2', 'letters=3']
    """

    @classmethod
    def axes(cls) -> tuple[str, ...]:
        """Names of the fields that are axes."""
        return tuple(f.name for f in dataclasses.fields(cls) if isinstance(f.default, tuple))

    def cells(self) -> tuple[Any, ...]:
        """The product of the axes, in order, without the forbidden cells."""
        axes = self.axes()
        values = [value if isinstance(value := getattr(self, axis), tuple) else (value,) for axis in axes]
        cells = (dataclasses.replace(self, **dict(zip(axes, choice, strict=True))) for choice in itertools.product(*values))
        return tuple(cell for cell in cells if cell.allows())

    def allows(self) -> bool:
        """Whether the mathematics permits this cell."""
        return True

    def at(self, **values: Any) -> "Grid":
        """Return a cell that is drawn: it has these values, and is named after them as well as after its axes.

        >>> Grid().at().is_drawn
        True
        """
        cell = dataclasses.replace(self, **values)
        object.__setattr__(cell, "_further", tuple(name for name in values if name not in self.axes()))
        return cell

    @property
    def is_drawn(self) -> bool:
        """Whether the cell was drawn from a domain (`depthjax.verify.domain`), and not chosen."""
        return hasattr(self, "_further")

    def coordinates(self) -> tuple[str, ...]:
        """Return the fields that the cell is named after."""
        return (*self.axes(), *getattr(self, "_further", ()))

    @property
    def name(self) -> str:
        """The cell's coordinates, ``all`` for a grid without axes: stable, and part of the key of the cell's randomness."""
        return ",".join(f"{axis}={getattr(self, axis)}" for axis in self.coordinates()) or "all"
