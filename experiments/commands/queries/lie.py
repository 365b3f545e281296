"""Bounds on towers, series and Lie algebras."""

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from experiments.commands.queries.query import Query

if TYPE_CHECKING:
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tower(Query):
    """Order of the error of a tower of abelian layers over the free Lie algebra.

    Example: depthjax bound tower --letters 3 --layers 2
    """

    letters: int
    """Generators of the free Lie algebra."""
    layers: int
    """Abelian layers."""
    eps: float | None = None
    """Size of the generators; gives the scale of the error instead of its order."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.tower`."""
        from theory.bounds import tower

        return tower(letters=self.letters, layers=self.layers)

    def numbers(self) -> dict[str, Any]:
        """The size, where it is given."""
        return {} if self.eps is None else {"eps": self.eps}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Magnus(Query):
    """Norm of the Magnus series beyond a degree.

    Example: depthjax bound magnus --order 4 --mass 0.5
    """

    order: int
    """Last degree that is kept."""
    mass: float
    """Integral of the generator's norm."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.magnus`."""
        from theory.bounds import magnus

        return magnus(order=self.order, mass=self.mass)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bch(Query):
    """Norm of log(exp X exp Y) beyond a degree.

    Example: depthjax bound bch --order 3 --x 0.1 --y 0.2
    """

    order: int
    """Last degree that is kept."""
    x: float
    """Norm of X."""
    y: float
    """Norm of Y."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.bch`."""
        from theory.bounds import bch

        return bch(order=self.order, x=self.x, y=self.y)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Word(Query):
    """Abelian layers that tell all words of a length apart.

    Example: depthjax bound word --length 64
    """

    length: int
    """Letters of the word."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.word`."""
        from theory.bounds import word

        return word(length=self.length)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Algebra(Query):
    """Abelian layers that simulate a solvable Lie algebra exactly: its derived length.

    Example: depthjax bound algebra se2
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """so3, sl2, gl4, heisenberg, aff1, se2, upper4, free2_5, ..."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.algebra`."""
        from theory.bounds import algebra

        found = algebra(self.name)
        series = ", ".join(map(str, found.derived_dimensions))
        return dataclasses.replace(found.bound, quantity=f"{found.bound.quantity} (derived series of dimensions {series})")
