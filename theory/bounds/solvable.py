"""Depth as a derived length: what Lie algebras and finite groups have in common."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from theory.bounds.bound import Bound, Hypothesis

__all__ = ["derived_length_bound"]


def derived_length_bound(name: str, length: int | None, quantity: str, given: Sequence[str], source: str) -> Bound:
    """The derived length as a number of layers; it refuses to evaluate for an object that is not solvable.

    Args:
        name: Of the object.
        length: Its derived length, None if the derived series does not end.
        quantity: What the layers do.
        given: Further hypotheses, which no number can decide.
        source: Where the statement comes from.

    >>> derived_length_bound("S4", 3, "layers", (), "school").at()
    3.0
    """
    return Bound(
        expr=sympy.oo if length is None else sympy.Integer(length),
        quantity=quantity,
        assumes=(
            Hypothesis(f"{name} is solvable", sympy.false if length is None else sympy.true),
            *(Hypothesis(f"{statement} (taken as given)") for statement in given),
        ),
        source=source,
    )
