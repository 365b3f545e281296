"""Orders of exactness of a tower of abelian layers."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.lie.derived import derived_ideal_degree
from theory.lie.tower import tower_remainder

__all__ = ["tower", "tower_leading"]

_MOST_LAYERS = 10_000


def tower(letters: int, layers: int) -> Bound:
    """The order to which a tower of abelian layers reproduces a product of exponentials of ``letters`` generators.

    ``at()`` is the order ``m``; ``at(eps=...)`` is ``eps^m``, the scale of the error and not a bound on it (no constant).

    Raises:
        ValueError: fewer than two letters, fewer than one layer, or more than ten thousand.

    >>> tower(letters=2, layers=3).at()
    10.0
    >>> tower(letters=3, layers=2).expr
    eps**4
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = positive_integer("letters", letters, "the number of generators")
    if layers > _MOST_LAYERS:
        raise ValueError(
            f"layers = {layers}: expected at most {_MOST_LAYERS}, because the order is 2^layers or more and has thousands of "
            "digits."
        )
    order = derived_ideal_degree(letters, layers)
    eps = sympy.Symbol("eps", nonnegative=True)
    return Bound(
        side="exact",
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


def tower_leading(word: Sequence[int], letters: int, layers: int, leading: Number | None = None) -> Bound:
    """The leading term of the error of a tower on one word: ``leading * eps^m``, with its bracket named.

    Args:
        word: letters ``0 .. letters - 1``, of increments ``eps`` each.
        letters: generators.
        layers: abelian layers.
        leading: norm of the leading bracket at the generators, `theory.lie.tower_remainder` evaluated there; left symbolic
            by default.

    Returns:
        A bound whose ``quantity`` names the bracket. It is what the error tends to, divided by ``eps^m``; not a bound at
        finite ``eps``.

    Raises:
        ValueError: as `theory.lie.tower_remainder`.

    >>> tower_leading((0, 1), letters=2, layers=1).expr
    eps**2*leading
    >>> tower_leading((0, 1), 2, 1, leading=2).at(eps=0.5)
    0.5
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = positive_integer("letters", letters, "the number of generators")
    remainder = tower_remainder(word, letters, layers)
    eps, norm = sympy.symbols("eps leading", nonnegative=True)
    return Bound(
        side="exact",
        expr=norm * eps ** derived_ideal_degree(letters, layers),
        quantity=f"the leading term of the error of {layers} abelian layers on this word: the norm of {remainder.as_expr()}",
        assumes=(
            Hypothesis("the layers are the tower of the derived series of the free Lie algebra (taken as given)"),
            Hypothesis(
                "the word's leading bracket does not vanish in the free Lie algebra",
                sympy.true if remainder.terms else sympy.false,
            ),
            Hypothesis("eps < 1", eps < 1),
        ),
        source="exact remainder of the tower in the free Lie algebra (derived, theory.lie.tower)",
        values={} if leading is None else {norm: exact_number("leading", leading)},
    )
