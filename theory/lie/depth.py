"""Depth as a derived length: the number of abelian layers that a Lie algebra (or a finite group) asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from theory.bound import Assumption, Bound, Report
from theory.lie.algebra import LieAlgebra
from theory.lie.given import lie_algebra
from theory.lie.perfect import named_series
from theory.registry import registered

__all__ = ["AlgebraDepth", "algebra", "derived_length_bound"]

_UNDONE = "where letters may undo each other (no clock)"


@dataclass(frozen=True, repr=False)
class AlgebraDepth(Report):
    """The series of a Lie algebra and the depth that follows from them.

    Attributes:
        name: The algebra's name.
        dimension: Its dimension.
        derived_dimensions: Dimensions of the derived series.
        lower_central_dimensions: Dimensions of the lower central series.
        derived_length: Number of steps of the derived series to zero, or None if it does not reach zero.
        is_solvable: Whether the derived series reaches zero.
        is_nilpotent: Whether the lower central series reaches zero.
        is_perfect: Whether the derived algebra is the whole algebra.
        statement: The depth in a sentence.
        bound: The number of layers; it refuses to evaluate for an algebra that is not solvable.
    """

    name: str
    dimension: int
    derived_dimensions: tuple[int, ...]
    lower_central_dimensions: tuple[int, ...]
    derived_length: int | None
    is_solvable: bool
    is_nilpotent: bool
    is_perfect: bool
    statement: str
    bound: Bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The statement."""
        return {"in words": (self.statement,)}


@registered(subject="NAME")
def algebra(target: str | Path | LieAlgebra | Mapping[str, Any] | Sequence[Any]) -> AlgebraDepth:
    """Return the abelian layers that simulate a Lie algebra's system exactly: its derived length.

    For affine layers, give the algebra of the homogenised generators ``[[A, b], [0, 0]]``.

    Args:
        target: A Lie algebra; its name, so3, sl2, gl4, heisenberg, su3, so(3,1), g2, upper4, free2_5, or a direct sum,
            ``"so3 x heisenberg"``; a JSON file, matrices or structure constants, as `theory.lie.lie_algebra` reads them.

    Returns:
        The series of the algebra and the depth that follows from them.

    Raises:
        ValueError: No algebra has this name.
        TooExpensive: The algebra is too large, see `theory.cost`.

    >>> algebra("se2").bound.at()
    2.0
    >>> algebra("so3").statement
    'so3 is not solvable: no number of abelian layers is exact where letters may undo each other (no clock).'
    """
    if isinstance(target, str) and not target.strip().startswith(("[", "{")) and not target.strip().endswith(".json"):
        name, dimension, dimensions, lower = named_series(target)
    else:
        g = lie_algebra(target)
        name, dimension = g.name or "this algebra", g.dimension
        dimensions, lower = g.derived_dimensions, g.lower_central_dimensions
    length = len(dimensions) - 1 if dimensions[-1] == 0 else None
    if length is None:
        statement = f"{name} is not solvable: no number of abelian layers is exact {_UNDONE}."
    else:
        layers = "1 abelian layer is" if length == 1 else f"{length} abelian layers are"
        statement = f"{name} has derived length {length}: {layers} exact, and fewer are not {_UNDONE}."
    return AlgebraDepth(
        name=name,
        dimension=dimension,
        derived_dimensions=dimensions,
        lower_central_dimensions=lower,
        derived_length=length,
        is_solvable=length is not None,
        is_nilpotent=lower[-1] == 0,
        is_perfect=dimensions[:2] == (dimension, dimension),
        statement=statement,
        bound=derived_length_bound(
            name,
            length,
            quantity=f"the number of abelian layers that simulate a system with algebra {name} exactly "
            f"(derived series of dimensions {', '.join(map(str, dimensions))})",
            taken_as_given=(
                "the horizon is inside the section's domain, or the group is simply connected",
                "the algebra is that of the homogenised generators [[A, b], [0, 0]]",
                "that fewer are not exact: generators come with both signs, so that letters undo each other, and no layer is a "
                "clock; with a clock 2 layers record every word of a fixed length",
            ),
            source="derived series, cascade decomposition (arXiv 2603.05573); k abelian layers have derived length at most k",
        ),
    )


def derived_length_bound(name: str, length: int | None, quantity: str, taken_as_given: Sequence[str], source: str) -> Bound:
    """Return a derived length as a number of layers; the bound refuses to evaluate for an object that is not solvable.

    Args:
        name: The Lie algebra or group.
        length: Its derived length, None if the derived series does not reach the trivial term.
        quantity: The task of the layers.
        taken_as_given: Further hypotheses, which no number can decide.
        source: The publication or derivation.

    >>> derived_length_bound("S4", 3, "layers", (), "school").at()
    3.0
    """
    return Bound(
        expr=sympy.oo if length is None else sympy.Integer(length),
        quantity=quantity,
        assumes=(
            Assumption(f"{name} is solvable", sympy.false if length is None else sympy.true),
            *(Assumption(f"{statement} (taken as given)") for statement in taken_as_given),
        ),
        source=source,
    )
