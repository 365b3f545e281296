"""What the structure of a Lie algebra says about depth."""

from __future__ import annotations

from dataclasses import dataclass

from theory.bounds.bound import Bound
from theory.bounds.solvable import derived_length_bound
from theory.lie.algebra import LieAlgebra
from theory.lie.named import named

__all__ = ["AlgebraDepth", "algebra"]


_UNDONE = "where letters may undo each other (no clock)"


@dataclass(frozen=True)
class AlgebraDepth:
    """The series of a Lie algebra and the depth they mean.

    Attributes:
        name: The algebra.
        dimension: Its dimension.
        derived_dimensions: Dimensions of the derived series.
        lower_central_dimensions: Dimensions of the lower central series.
        derived_length: Steps to zero, or None.
        is_solvable: Whether the derived series reaches zero.
        is_nilpotent: Whether the lower central series reaches zero.
        is_perfect: Whether the derived algebra is everything.
        statement: What depth that means, in a sentence.
        bound: The number of layers as a `Bound`; it refuses to evaluate for an algebra that is not solvable.
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


def algebra(target: str | LieAlgebra) -> AlgebraDepth:
    """The depth report of an algebra, by name or as it is; of affine layers give the homogenised generators' algebra.

    Raises:
        ValueError: an unknown name.

    >>> algebra("upper4").bound.at(), algebra("so3").statement
    (3.0, 'so3 is not solvable: no number of abelian layers is exact where letters may undo each other (no clock).')
    """
    g = target if isinstance(target, LieAlgebra) else named(target)
    name, length = g.name or "this algebra", g.derived_length
    if length is None:
        statement = f"{name} is not solvable: no number of abelian layers is exact {_UNDONE}."
    else:
        layers = "1 abelian layer is" if length == 1 else f"{length} abelian layers are"
        statement = f"{name} has derived length {length}: {layers} exact, and fewer are not {_UNDONE}."
    return AlgebraDepth(
        name=name,
        dimension=g.dimension,
        derived_dimensions=g.derived_dimensions(),
        lower_central_dimensions=g.lower_central_dimensions(),
        derived_length=length,
        is_solvable=g.is_solvable,
        is_nilpotent=g.is_nilpotent,
        is_perfect=g.is_perfect,
        statement=statement,
        bound=derived_length_bound(
            name,
            length,
            quantity=f"the number of abelian layers that simulate a system with algebra {name} exactly",
            given=(
                "the horizon is inside the section's domain, or the group is simply connected",
                "the algebra is that of the homogenised generators [[A, b], [0, 0]]",
                "that fewer are not exact: generators come with both signs, so that letters undo each other, and no layer is a "
                "clock; with a clock 2 layers record every word of a fixed length",
            ),
            source="derived series, cascade decomposition (arXiv 2603.05573); k abelian layers have derived length at most k",
        ),
    )
