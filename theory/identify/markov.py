r"""Hidden Markov models with rational entries, and the predictors that masked prediction learns from them.

A model has hidden states ``h`` and symbols ``x`` with ``P(x | h) = O[x, h]`` (columns sum to 1) and ``P(h' = i | h = j) =
T[i, j]`` (rows and columns sum to 1, so the uniform law is stationary). Let ``D = diag(O 1)``, and let ``Phi = (D^-1 O)^t`` be
the posterior ``P(h | x)``. Among three consecutive symbols, the law of one symbol given another is

    x2|x1: O T Phi,   x3|x1: O T^2 Phi,   x1|x2: O T^t Phi,   x1|x3: O (T^t)^2 Phi,

and the law of two symbols given the third is

    23|1: sum_i O_i (OT)_i (T Phi)_i,   13|2: sum_i (O T^t)_i (OT)_i Phi_i,   12|3: sum_i (O T^t)_i O_i (T^t Phi)_i

(columns of the first two factors, rows of the third), because the three symbols are independent given the middle state. Pairs
do not determine the model (`theory.identify.pairs`); triplets do.

Source: Liu, Hsu, Ravikumar, Risteski, arXiv 2202.09305.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from depthjax.refusal import refusing
from theory.checks import fraction
from theory.cost import Estimate, power, refuse
from theory.errors import OutsideHypotheses
from theory.exact.linear import rank
from theory.facts import fact

__all__ = ["HiddenMarkov", "fractions", "kruskal_rank"]


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """A hidden Markov model whose states follow the uniform law.

    Attributes:
        emission: Shape (symbols, states), Fractions; columns sum to 1.
        transition: Shape (states, states), Fractions; rows and columns sum to 1.

    >>> model = HiddenMarkov.random(states=3, symbols=3, seed=1)
    >>> all(holds for _, holds in model.hypotheses)
    True
    """

    emission: np.ndarray
    transition: np.ndarray

    def __post_init__(self) -> None:
        for name in ("emission", "transition"):
            object.__setattr__(self, name, fractions(name, getattr(self, name)))
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
        """Draw a model with positive entries: a mixture of permutations that favours staying, and integer emission weights."""
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
        """Number of hidden states."""
        return self.emission.shape[1]

    @fact
    def hypotheses(self) -> list[tuple[str, bool]]:
        """The hypotheses of identifiability as ``(statement, holds)``."""
        k, (symbols, _) = self.states, self.emission.shape
        emission, transition = rank(self.emission), rank(self.transition)
        return [
            (f"as many symbols as states ({symbols} for {k})", symbols >= k),
            (f"the emission has full column rank (rank {emission} of {k})", emission == k),
            (f"the transition is invertible (rank {transition} of {k})", transition == k),
        ]

    def identifiable(self) -> HiddenMarkov:
        """Return this model if masked prediction of two symbols given the third determines it.

        Raises:
            OutsideHypotheses: A rank is deficient; the error lists every hypothesis that fails.
        """
        checks = self.hypotheses
        if not all(holds for _, holds in checks):
            remedy = "give every state a law of symbols that is no mixture of the others', and an invertible transition"
            given = f"a model with {self.states} states"
            raise OutsideHypotheses("recovery from triplets", checks, given=given, remedy=remedy)
        return self

    @fact
    @refusing(lambda self: _all_occur(self.emission))
    def posterior(self) -> np.ndarray:
        """Phi, the law of the state given its symbol; shape (states, symbols).

        Raises:
            OutsideHypotheses: Some symbol never occurs.
        """
        return (self.emission / self.emission.sum(axis=1, keepdims=True)).T

    @fact
    def pairs(self) -> dict[str, np.ndarray]:
        """The laws of one symbol (rows) given another (columns), named "2|1", "3|1", "1|2" and "1|3"."""
        o, t, phi = self.emission, self.transition, self.posterior
        return {"2|1": o @ t @ phi, "3|1": o @ t @ t @ phi, "1|2": o @ t.T @ phi, "1|3": o @ t.T @ t.T @ phi}

    @fact
    def factors(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """A, B, C such that the law of two symbols given the third is ``sum_i A[a, i] B[b, i] C[i, x]``."""
        o, t, phi = self.emission, self.transition, self.posterior
        return {"23|1": (o, o @ t, t @ phi), "13|2": (o @ t.T, o @ t, phi), "12|3": (o @ t.T, o, t.T @ phi)}

    @fact
    def triplets(self) -> dict[str, np.ndarray]:
        """The laws of two symbols given the third, indexed [first, second, condition]."""
        return {
            name: (a[:, None, None, :] * b[None, :, None, :] * c.T[None, None, :, :]).sum(axis=3)
            for name, (a, b, c) in self.factors.items()
        }


def kruskal_rank(columns: np.ndarray) -> int:
    """Return the largest r such that any r columns are linearly independent.

    Raises:
        TooExpensive: There are too many sets of dependent columns, see `theory.cost`; independent ones are one set.

    >>> kruskal_rank(np.array([[1, 0, 1], [0, 1, 0]])), kruskal_rank(np.array([[1, 0, 1], [0, 1, 1]]))
    (1, 2)
    """
    count, most = columns.shape[1], rank(columns.T)
    if most == count:
        return count
    for size in range(1, most + 1):
        sets = comb(count, size)
        refuse(Estimate(f"the ranks of {power(sets, 1):.6g} sets of columns", 2e-6 * power(sets, 1) * size**2 * len(columns)))
        if any(rank(columns[:, list(chosen)].T) < size for chosen in combinations(range(count), size)):
            return size - 1
    return most


def fractions(name: str, matrix: Any, *, stochastic: bool = True) -> np.ndarray:
    """Return a matrix with entries of type Fraction; floats are refused if the entries are probabilities (`stochastic`).

    Raises:
        ValueError: The argument is no matrix, or an entry is not rational.
    """
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


def _all_occur(emission: np.ndarray) -> None:
    if not emission.sum(axis=1).all():
        checks = [("every symbol occurs: no row of the emission is 0", False)]
        raise OutsideHypotheses("the law of a state given its symbol", checks, remedy="leave such symbols out")
