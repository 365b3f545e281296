"""Bounds on finite groups and on composing their elements."""

import dataclasses
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from experiments.commands.queries.query import Query

if TYPE_CHECKING:
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Group(Query):
    """Diagonal unitary layers that track a solvable finite group: its derived length.

    Example: depthjax bound group S4
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """C12, D4 (order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, M11, ..."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.group`."""
        from theory.bounds import group

        found = group(self.name)
        series = ", ".join(map(str, found.derived_orders))
        return dataclasses.replace(found.bound, quantity=f"{found.bound.quantity} (derived series of orders {series})")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Composition(Query):
    """Width at which explicit weights compose a sequence of group elements.

    Example: depthjax bound composition --group A5 --length 3
    """

    group: str
    """C12, D4 (order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, ..."""
    length: int
    """Elements that are multiplied."""
    architecture: Literal["two-layer", "recurrent", "tree"] = "two-layer"
    """One hidden layer of z^k; quadratic units and k steps; or log2 k quadratic layers."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.composition`."""
        from theory.bounds import composition

        return composition(self.group, self.length, self.architecture)
