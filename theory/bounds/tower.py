"""Orders of exactness of a tower of abelian layers."""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, positive_integer
from theory.lie.derived import derived_ideal_degree

__all__ = ["tower"]


def tower(letters: int, layers: int) -> Bound:
    """The order to which a tower of abelian layers reproduces a product of exponentials of ``letters`` generators.

    ``at()`` is the order ``m``; ``at(eps=...)`` is ``eps^m``, the scale of the error and not a bound on it (no constant).

    Raises:
        ValueError: fewer than two letters or fewer than one layer.

    >>> tower(letters=2, layers=3).at()
    10.0
    >>> tower(letters=3, layers=2).expr
    eps**4
    """
    positive_integer("layers", layers, "the number of abelian layers of the tower")
    positive_integer("letters", letters, "the number of generators")
    order = derived_ideal_degree(letters, layers)
    eps = sympy.Symbol("eps", nonnegative=True)
    return Bound(
        expr=eps**order,
        quantity=f"the order in eps of the error of {layers} abelian layers on words in {letters} generators of size eps",
        assumes=(
            Hypothesis("the layers are the tower of the derived series of the free Lie algebra (taken as given)"),
            Hypothesis("the length of the word is fixed while eps goes to 0 (taken as given)"),
            Hypothesis("eps < 1", eps < 1),
        ),
        source="lowest degree of the derived ideal of the free Lie algebra (Shirshov-Witt dimensions; derived); sharpens the "
        "order 2^(layers-1)+1 of arXiv 2603.05573v1",
        order=order,
    )
