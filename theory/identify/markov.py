r"""Hidden Markov models with rational entries: what masked prediction sees of them, and which models look alike.

States ``h`` and symbols ``x`` with ``P(x | h) = O[x, h]`` (columns sum to 1) and ``P(h' = i | h = j) = T[i, j]`` (rows and
columns sum to 1, so the uniform law is stationary). With ``D = diag(O 1)`` and ``Phi = (D^-1 O)^t``, the posterior
``P(h | x)``, the law of one of three consecutive symbols given another is

    x2|x1: O T Phi,   x3|x1: O T^2 Phi,   x1|x2: O T^t Phi,   x1|x3: O (T^t)^2 Phi,

and the law of two given the third is ``23|1: sum_i O_i (OT)_i (T Phi)_i``, ``13|2: sum_i (O T^t)_i (OT)_i Phi_i``,
``12|3: sum_i (O T^t)_i O_i (T^t Phi)_i`` (columns of the first two factors, rows of the third): given the state of the middle
symbol the three are independent.

**Which models look alike to pairs.** Let (O', T') have the same pair predictors, O of full column rank, T invertible, the law
of x unique. Averaging x2|x1 over the law of x gives that law back, so D' = D. The column space of O T Phi is that of O, so
``O' = O G`` with ``1^t G = 1^t``, and D' = D means ``G 1 = 1``. Then x2|x1 says ``G T' G^t = T`` and x3|x1 says
``G T'^2 G^t = T^2``; putting ``T' = G^-1 T G^-t`` into the second leaves ``(G G^t)^-1 = 1``. Hence **exactly** the models

    O' = O R,  T' = R^t T R,   R orthogonal, R 1 = 1,   with non-negative entries

look alike: a family of dimension (k-1)(k-2)/2, only permutations for k = 2. Without x3|x1 and x1|x3 every G with rows and
columns that sum to 1 is allowed, dimension (k-1)^2.

Source: Liu, Hsu, Ravikumar, Risteski, arXiv 2202.09305 (pairs do not identify, triplets do); that R must fix 1, and that there
are no further models: derived above.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import sympy

from theory.checks import exact_expression, fraction
from theory.errors import OutsideHypotheses
from theory.exact.linear import rank

__all__ = ["HiddenMarkov", "allowed_turn", "cayley", "kruskal_rank", "pair_freedom", "rotated", "three_cycle", "turn_angle"]


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """A hidden Markov model in its uniform law.

    Attributes:
        emission: Shape (symbols, states), Fractions; columns sum to 1.
        transition: Shape (states, states), Fractions; rows and columns sum to 1.

    >>> model = HiddenMarkov.random(states=3, symbols=3, seed=1)
    >>> all(holds for _, holds in model.hypotheses())
    True
    """

    emission: np.ndarray
    transition: np.ndarray

    def __post_init__(self) -> None:
        for name in ("emission", "transition"):
            object.__setattr__(self, name, _fractions(name, getattr(self, name)))
        states = self.emission.shape[1]
        if self.transition.shape != (states, states):
            raise ValueError(
                f"transition has shape {self.transition.shape}, but emission has {states} columns: expected "
                f"({states}, {states}), a row and a column for every state."
            )
        sums = [("emission", self.emission, 0), ("transition", self.transition, 0), ("transition", self.transition, 1)]
        for name, matrix, axis in sums:
            if (matrix < 0).any() or (matrix.sum(axis=axis) != 1).any():
                sides, found = "columns" if axis == 0 else "rows", ", ".join(map(str, matrix.sum(axis=axis)))
                raise ValueError(
                    f"the {sides} of {name} sum to {found}, the smallest entry is {matrix.min()}: expected non-negative "
                    "entries with sums 1, because they are probabilities and the uniform law is to be stationary."
                )

    @classmethod
    def random(cls, states: int, symbols: int, seed: int) -> HiddenMarkov:
        """A model with positive entries: a mixture of permutations that favours staying, and integer weights as emissions."""
        draw = random.Random(seed)
        transition = np.full((states, states), Fraction(1, 8 * states))
        left = Fraction(7, 8)
        for share in (Fraction(5, 8), Fraction(1, 2), Fraction(1, 2), Fraction(1)):
            order = list(range(states))
            if left != Fraction(7, 8):
                draw.shuffle(order)
            transition[order, range(states)] += left * share
            left -= left * share
        weights = np.array([[Fraction(draw.randint(1, 9)) for _ in range(states)] for _ in range(symbols)])
        for state in range(states):
            weights[state % symbols, state] += 24
        return cls(weights / weights.sum(axis=0), transition)

    @property
    def states(self) -> int:
        """K."""
        return self.emission.shape[1]

    def hypotheses(self) -> list[tuple[str, bool]]:
        """What identifiability asks for, each with whether it holds."""
        k, (symbols, _) = self.states, self.emission.shape
        emission, transition = rank(self.emission), rank(self.transition)
        return [
            (f"as many symbols as states ({symbols} for {k})", symbols >= k),
            (f"the emission has full column rank (rank {emission} of {k})", emission == k),
            (f"the transition is invertible (rank {transition} of {k})", transition == k),
        ]

    def identifiable(self) -> HiddenMarkov:
        """This model, where masked prediction of pairs given one determines it.

        Raises:
            OutsideHypotheses: a rank is deficient; every failed hypothesis is listed.
        """
        checks = self.hypotheses()
        if not all(holds for _, holds in checks):
            remedy = "give every state a law of symbols that is no mixture of the others', and an invertible transition"
            given = f"a model with {self.states} states"
            raise OutsideHypotheses("recovery from triplets", checks, given=given, remedy=remedy)
        return self

    def posterior(self) -> np.ndarray:
        """Phi, the law of the state given its symbol: shape (states, symbols)."""
        return (self.emission / self.emission.sum(axis=1, keepdims=True)).T

    def pairs(self) -> dict[str, np.ndarray]:
        """The law of one symbol (rows) given another (columns), by "2|1", "3|1", "1|2" and "1|3"."""
        o, t, phi = self.emission, self.transition, self.posterior()
        return {"2|1": o @ t @ phi, "3|1": o @ t @ t @ phi, "1|2": o @ t.T @ phi, "1|3": o @ t.T @ t.T @ phi}

    def factors(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """A, B, C such that the law of two symbols given the third is ``sum_i A[a, i] B[b, i] C[i, x]``."""
        o, t, phi = self.emission, self.transition, self.posterior()
        return {"23|1": (o, o @ t, t @ phi), "13|2": (o @ t.T, o @ t, phi), "12|3": (o @ t.T, o, t.T @ phi)}

    def triplets(self) -> dict[str, np.ndarray]:
        """The law of two symbols given the third, indexed [first, second, condition]."""
        return {
            name: (a[:, None, None, :] * b[None, :, None, :] * c.T[None, None, :, :]).sum(axis=3)
            for name, (a, b, c) in self.factors().items()
        }


def pair_freedom(states: int, *, adjacent: bool = False) -> int:
    """Dimension of the models with the same pair predictors: (k-1)(k-2)/2, or (k-1)^2 where only neighbours are predicted.

    >>> [pair_freedom(k) for k in (2, 3, 4, 5)], [pair_freedom(k, adjacent=True) for k in (2, 3, 4, 5)]
    ([0, 1, 3, 6], [1, 4, 9, 16])
    """
    return (states - 1) ** 2 if adjacent else (states - 1) * (states - 2) // 2


def cayley(skew: Any) -> np.ndarray:
    """The rational rotation ``(1 - A)(1 + A)^-1`` of a skew matrix; it fixes the vectors that A kills.

    >>> (cayley(three_cycle(3)) @ [1, 1, 1]).tolist() == [1, 1, 1]
    True
    """
    matrix = sympy.Matrix(_fractions("skew", skew, stochastic=False))
    eye = sympy.eye(matrix.rows)
    if matrix.T != -matrix:
        raise ValueError("the matrix is not skew: expected A^t = -A, because only then is (1 - A)(1 + A)^-1 a rotation.")
    return _fractions("rotation", np.array((eye - matrix) * (eye + matrix).inv(), dtype=object), stochastic=False)


def three_cycle(states: int, amount: Fraction | int = 1) -> np.ndarray:
    """The skew matrix, killing the ones vector, that turns the first three coordinates about their diagonal.

    Its Cayley transform turns by the angle ``turn_angle(amount)``.
    """
    if states < 3:
        raise ValueError(f"{states} states: expected at least 3, because a rotation that fixes the ones vector needs a plane.")
    amount = fraction("amount", amount)
    skew = np.full((states, states), Fraction(0))
    for i in range(3):
        skew[i, (i + 1) % 3], skew[(i + 1) % 3, i] = amount, -amount
    return skew


def turn_angle(amount: Any) -> float:
    """The angle, in radians, of ``cayley(three_cycle(states, amount))``: ``2 atan(sqrt(3) amount)``."""
    return float(2 * sympy.atan(sympy.sqrt(3) * exact_expression("amount", amount)))


def rotated(model: HiddenMarkov, rotation: np.ndarray) -> HiddenMarkov:
    """The model (O R, R^t T R).

    Raises:
        ValueError: an entry is negative, or R does not fix the ones vector: no model then.
    """
    return HiddenMarkov(model.emission @ rotation, rotation.T @ model.transition @ rotation)


def allowed_turn(model: HiddenMarkov) -> sympy.Expr:
    """The largest amount of the three-cycle before an entry of the rotated model turns negative: algebraic, or infinite.

    The entries are rational functions of the amount with the denominator ``1 + 3 amount^2`` (emission) or its square
    (transition), so this is the smallest positive root of their numerators.
    """
    s = sympy.Symbol("s")
    scaled = sympy.eye(model.states) * (1 + 3 * s**2)
    corner = [1 - s**2, 2 * s**2 - 2 * s, 2 * s**2 + 2 * s]
    for i in range(3):
        for j in range(3):
            scaled[i, j] = corner[(j - i) % 3]
    o, t = sympy.Matrix(model.emission), sympy.Matrix(model.transition)
    entries = [*(o * scaled), *(scaled.T * t * scaled)]
    roots: list[Any] = [root for entry in entries for root in sympy.Poly(sympy.expand(entry), s).real_roots()]
    return min((root for root in roots if root > 0), key=lambda root: root.evalf(30), default=sympy.oo)


def kruskal_rank(columns: np.ndarray) -> int:
    """The largest r such that any r columns are linearly independent.

    >>> kruskal_rank(np.array([[1, 0, 1], [0, 1, 0]])), kruskal_rank(np.array([[1, 0, 1], [0, 1, 1]]))
    (1, 2)
    """
    count = columns.shape[1]
    for size in range(1, count + 1):
        if any(rank(columns[:, list(chosen)].T) < size for chosen in combinations(range(count), size)):
            return size - 1
    return count


def _fractions(name: str, matrix: Any, *, stochastic: bool = True) -> np.ndarray:
    array = np.asarray(matrix, dtype=object)
    if array.ndim != 2 or (stochastic and any(isinstance(entry, (float, np.floating)) for entry in array.ravel())):
        raise ValueError(
            f"{name} has shape {array.shape} and type {np.asarray(matrix).dtype}: expected a matrix of integers or "
            "Fractions, because ranks are exact."
        )
    result = np.empty(array.shape, object)
    for index, entry in np.ndenumerate(array):
        result[index] = fraction(f"{name}[{', '.join(map(str, index))}]", entry)
    return result
