r"""Hidden Markov models that masked prediction of single symbols cannot tell apart: the family, its dimension, and members.

Let (O', T') have the same pair predictors as (O, T), with O of full column rank, T invertible and the law of x unique.
Averaging x2|x1 over the law of x gives that law back, so D' = D. The column space of O T Phi is that of O, so ``O' = O G`` with
``1^t G = 1^t``, and D' = D means ``G 1 = 1``. Then x2|x1 says ``G T' G^t = T`` and x3|x1 says ``G T'^2 G^t = T^2``. Putting
``T' = G^-1 T G^-t`` into the second equation leaves ``(G G^t)^-1 = 1``. Hence **exactly** the models

    O' = O R,  T' = R^t T R,   R orthogonal, R 1 = 1,   with non-negative entries

look alike to pairs: a family of dimension (k-1)(k-2)/2, with permutations alone for k = 2. Without x3|x1 and x1|x3 every G
whose rows and columns sum to 1 is allowed; that family has dimension (k-1)^2.

Source: Liu, Hsu, Ravikumar, Risteski, arXiv 2202.09305 (pairs do not identify); that R must fix 1 and that there are no further
models is derived above. Notation: `theory.identify.markov`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from theory.bound import Assumption, Bound
from theory.checks import exact_expression, fraction, integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.exact.rotation import cayley
from theory.identify.markov import HiddenMarkov
from theory.registry import registered

__all__ = ["allowed_turn", "cayley", "masked_pairs", "pair_freedom", "rotated", "three_cycle", "turn_angle"]


@registered
def masked_pairs(states: int, symbols: int | None = None, *, adjacent: bool = False) -> Bound:
    """Return the dimension of the hidden Markov models that pairwise masked prediction cannot separate.

    These models predict one symbol from another alike. The dimension is ``(k-1)(k-2)/2``, or ``(k-1)^2`` if only neighbours
    are predicted.

    Args:
        states: Number of hidden states k.
        symbols: Number of symbols, at least k; by default k.
        adjacent: Predict neighbours only, instead of neighbours and symbols two apart.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> masked_pairs(states=4).at()
    3.0
    >>> masked_pairs(4, adjacent=True).at()
    9.0
    """
    k, d = sympy.symbols("states symbols", positive=True, integer=True)
    values = {k: sympy.Integer(positive_integer("states", states, "the number of hidden states"))}
    size = positive_integer("symbols", states if symbols is None else symbols, "the number of symbols")
    return Bound(
        side="exact",
        expr=(k - 1) ** 2 if adjacent else (k - 1) * (k - 2) / 2,
        quantity="the dimension of the hidden Markov models that predict one symbol from another alike",
        assumes=(
            Assumption("at least as many symbols as states", sympy.Ge(d, k)),
            Assumption(
                "the emission has full column rank, the transition is invertible and doubly stochastic (taken as given)"
            ),
            Assumption(
                f"predicted are {'neighbours only' if adjacent else 'neighbours and symbols two apart'} (taken as given)"
            ),
        ),
        source="arXiv 2202.09305 for the fact that pairs do not identify; the family is derived (theory.identify.pairs)",
        values=values | {d: sympy.Integer(size)},
    )


def pair_freedom(states: int, *, adjacent: bool = False) -> int:
    """Return the dimension of `masked_pairs` as an integer: (k-1)(k-2)/2, or (k-1)^2 if only neighbours are predicted.

    >>> [pair_freedom(k) for k in (2, 3, 4, 5)], [pair_freedom(k, adjacent=True) for k in (2, 3, 4, 5)]
    ([0, 1, 3, 6], [1, 4, 9, 16])
    """
    states = positive_integer("states", states, "the number of hidden states")
    return (states - 1) ** 2 if adjacent else (states - 1) * (states - 2) // 2


def rotated(model: HiddenMarkov, rotation: np.ndarray) -> HiddenMarkov:
    """Return the model (O R, R^t T R).

    Raises:
        ValueError: An entry is negative or R does not fix the ones vector, so that the result is no model.
    """
    return HiddenMarkov(model.emission @ rotation, rotation.T @ model.transition @ rotation)


def three_cycle(states: int, amount: Fraction | int = 1) -> np.ndarray:
    """Return the skew matrix that turns the first three coordinates about their diagonal; its kernel contains the ones vector.

    Its Cayley transform turns by the angle ``turn_angle(amount)``.

    Raises:
        ValueError: There are fewer than three states.
    """
    refuse(Estimate(f"a matrix of {states:.6g} states", 1e-8 * power(states, 2), 1e-8 * power(states, 2)))
    if states < 3:
        raise ValueError(f"{states} states: expected at least 3, because a rotation that fixes the ones vector needs a plane.")
    amount = fraction("amount", amount)
    skew = np.full((states, states), Fraction(0))
    for i in range(3):
        skew[i, (i + 1) % 3], skew[(i + 1) % 3, i] = amount, -amount
    return skew


def turn_angle(amount: Any) -> float:
    """Return the angle of ``cayley(three_cycle(states, amount))`` in radians: ``2 atan(sqrt(3) amount)``."""
    return float(2 * sympy.atan(sympy.sqrt(3) * exact_expression("amount", amount)))


def allowed_turn(model: HiddenMarkov) -> sympy.Expr:
    """Return the largest amount of the three-cycle before an entry of the rotated model turns negative; algebraic or infinite.

    The entries are rational functions of the amount, with the denominator ``1 + 3 amount^2`` (emission) or its square
    (transition). So the answer is the smallest positive root at which a numerator changes its sign, and 0 if an entry that is 0
    without a turn turns negative at once.

    Raises:
        ValueError: The model has fewer than three states, so there is no three-cycle.
    """
    integer("states", model.states, "because a three-cycle moves three of them", least=3)
    s = sympy.Symbol("s")
    scaled = sympy.eye(model.states) * (1 + 3 * s**2)
    corner = [1 - s**2, 2 * s**2 - 2 * s, 2 * s**2 + 2 * s]
    for i in range(3):
        for j in range(3):
            scaled[i, j] = corner[(j - i) % 3]
    o, t = sympy.Matrix(model.emission), sympy.Matrix(model.transition)
    numerators = [sympy.Poly(sympy.expand(entry), s) for entry in (*(o * scaled), *(scaled.T * t * scaled))]
    if any(numerator.EC() < 0 for numerator in numerators):  # the sign just above 0, because no entry is negative at 0
        return sympy.Integer(0)
    roots: list[Any] = [root for each in numerators for root, times in each.real_roots(multiple=False) if times % 2]
    return min((root for root in roots if root > 0), key=lambda root: root.evalf(30), default=sympy.oo)
