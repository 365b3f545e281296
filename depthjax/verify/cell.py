"""A cell as a measurement sees it: the values of a grid's cell, without the class that computed them."""

import functools
from collections.abc import Mapping
from typing import Any

from depthjax.verify.data import unfit
from depthjax.verify.grid import Grid


class Cell:
    """The fields and properties of one cell of a grid, as plain data.

    A claim's ``Sizes`` stand in ``claim.py``, which a measurement does not import. Its ``measure`` gets such a cell instead:
    fields and properties are attributes, evaluated beside ``claim.py``. Cells are equal, and hash alike, where their fields
    are equal and they are of one class.

    >>> import dataclasses
    >>> from depthjax.verify import Grid, axis
    >>> @dataclasses.dataclass(frozen=True)
    ... class Sizes(Grid):
    ...     letters: int = axis(2, 3)
    ...     layers: int = 2
    ...     @property
    ...     def order(self):
    ...         return 2**self.layers
    >>> cell = Cell.of(Sizes().cells()[0])
    >>> cell, cell.order, cell.name
    (Cell(letters=2, layers=2), 4, 'letters=2')
    >>> cell.replace(layers=3, order=8).order
    8
    """

    __slots__ = ("_axes", "_facts", "_fields", "_given", "_kind", "_lacking")

    _axes: tuple[str, ...]
    _facts: Mapping[str, Any]
    _fields: Mapping[str, Any]
    _given: Mapping[str, Any]
    _kind: str
    _lacking: Mapping[str, str]

    def __init__(
        self,
        fields: Mapping[str, Any],
        facts: Mapping[str, Any] | None = None,
        *,
        axes: tuple[str, ...] = (),
        kind: str = "",
        given: Mapping[str, Any] | None = None,
        lacking: Mapping[str, str] | None = None,
    ):
        """Make a cell from plain data.

        Args:
            fields: The fields of the grid's class, with one value for each axis.
            facts: The values of its properties.
            axes: Which fields are axes; the cell is named after them.
            kind: The full name of the class.
            given: Properties that `replace` set to a value.
            lacking: Properties that cannot be handed over, and why.
        """
        values = (dict(fields), dict(facts or {}), tuple(axes), kind, dict(given or {}), dict(lacking or {}))
        for name, value in zip(("_fields", "_facts", "_axes", "_kind", "_given", "_lacking"), values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, cell: Grid) -> "Cell":
        """Return the values of a grid's cell. A property that fails, or is no plain data, says so when it is asked for."""
        kind = type(cell)
        facts, lacking = {}, {}
        for name in dict.fromkeys(name for one in kind.__mro__ for name in vars(one) if _is_property(kind, name)):
            try:
                value = getattr(cell, name)
                why = unfit(value)
            except Exception as error:
                value, why = None, f"it raises {type(error).__name__}: {error}"
            if why:
                lacking[name] = why
            else:
                facts[name] = value
        fields = {name: getattr(cell, name) for name in kind.__dataclass_fields__}
        return cls(fields, facts, axes=cell.coordinates(), kind=f"{kind.__module__}.{kind.__qualname__}", lacking=lacking)

    @property
    def name(self) -> str:
        """The cell's coordinates, as `Grid.name` writes them."""
        return ",".join(f"{axis}={self._fields[axis]}" for axis in self._axes) or "all"

    def replace(self, **values: Any) -> "Cell":
        """Return the cell with other values of some fields.

        Properties follow from fields in a way that is not known here, so a cell that was changed has only those that are
        given as well.

        Raises:
            TypeError: the cell has no such field or property.
        """
        known = {*self._fields, *self._facts, *self._lacking}
        if strange := sorted(values.keys() - known):
            raise TypeError(f"a cell has no {strange[0]!r}: it has {', '.join(sorted(known))}")
        fields = {name: values.get(name, value) for name, value in self._fields.items()}
        given = {**self._given, **{name: value for name, value in values.items() if name not in self._fields}}
        why = f"the cell was replaced: give it as well, as in cell.replace({', '.join(values)}, ...)"
        lacking = {name: why for name in known - fields.keys() - given.keys()}
        return Cell(fields, given, axes=self._axes, kind=self._kind, given=given, lacking=lacking)

    def parts(self) -> dict[str, Any]:
        """Return the arguments that make this cell again."""
        return {name: getattr(self, f"_{name}") for name in ("fields", "facts", "axes", "kind", "given", "lacking")}

    def _identity(self) -> tuple:
        return self._kind, tuple(self._fields.items()), tuple(self._given.items())

    def __getattr__(self, name: str) -> Any:
        if name in Cell.__slots__ or name.startswith("__"):
            raise AttributeError(name)
        for values in (self._fields, self._facts):
            if name in values:
                return values[name]
        if name in self._lacking:
            raise AttributeError(f"the cell {self.name!r} has no {name!r}: {self._lacking[name]}")
        raise AttributeError(f"the cell {self.name!r} has no {name!r}: it has {', '.join([*self._fields, *self._facts])}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a cell does not change: write cell.replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Cell) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __reduce__(self) -> tuple:
        return functools.partial(Cell, **self.parts()), ()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields, *self._facts]

    def __repr__(self) -> str:
        return f"Cell({', '.join(f'{name}={value!r}' for name, value in {**self._fields, **self._given}.items())})"


def _is_property(kind: type, name: str) -> bool:
    return name not in ("name", "is_drawn") and isinstance(getattr(kind, name, None), property | functools.cached_property)
