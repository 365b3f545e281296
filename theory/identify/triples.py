r"""The six predictors of a triple of symbols, and what each of them determines about the law of the triple.

Let J[x1, x2, x3] be the law of three consecutive symbols of a stationary sequence. A predictor gives the law of some of them
given the others: "23|1" that of two given one, "3|12" that of one given two. It lacks the law of its condition, so J is its
product with an unknown law. Each predictor gets this law back from linear equations whose solutions form a line.

**Five predictors, by stationarity.** The symbols (x1, x2) and (x2, x3) have the same law, so J[a, b, +] = J[+, a, b]. If a
predictor is put in for J, these are linear equations for the law of the condition (`balance`). For 3|12 they say that it is a
stationary law of the chain of pairs (a, b) -> (b, c), for 1|23 of the reversed chain. For two symbols given one they imply that
it is a stationary law of the chain of symbols. All three are unique if every entry of J is positive, by Perron and Frobenius.
Ranks of the hidden states do not matter.

**The middle symbol given both neighbours.** Here balance is not enough: with d symbols and k states, and f, g any two vectors
with f^t O = g^t O = 0, the function f(x) g(y) has mean zero on both sides, so that the equations have 1 + (d - k)^2 solutions
or more. But the law of a hidden Markov model is ``J[a, b, c] = sum_h A[a, h] O[b, h] C[c, h] / k`` with A = O T^t, C = O T.
So for every c the vectors x(a, c) = J[a, ., c] / N[a, c], N the law of (x1, x3), are

    N[a, c] x(a, c) = O diag(C[c]) A[a]^t / k,    hence    N[a, c] x(a, c) = G_c N[a, 0] x(a, 0),   G_c a map of the span of O.

A projective map of a k-dimensional space is determined by k + 1 points in general position. So with d >= k + 1 symbols
(`frame`) the ratios N[a, c] / N[a, 0] are determined up to a factor for each c, and the tensor is known up to factors of its
rows a and its columns c. Jennrich's algorithm then gives O, and so the law O 1 / k of one symbol. Positive factors of rows and
columns that give both margins this law are unique (Sinkhorn).

So with d >= k + 1 whatever determines the model from J determines it from each predictor, and directions that J does not see
are seen by none. With fewer symbols the first five predictors see as much as J, and the middle one may see less: with two
symbols and three states J leaves three directions of the parameters free, and 2|13 leaves four.

Source: Liu, Hsu, Ravikumar, Risteski, arXiv 2202.09305 (two symbols given the third); everything else is derived above.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.exact.linear import rank, row_space
from theory.identify.markov import HiddenMarkov

__all__ = ["SIX", "balance", "conditional", "frame", "freedom", "joint", "solutions"]

SIX = ("23|1", "13|2", "12|3", "1|23", "2|13", "3|12")


def joint(model: HiddenMarkov) -> np.ndarray:
    """Return J, the law of three consecutive symbols, as Fractions; shape (symbols, symbols, symbols)."""
    o, t = model.emission, model.transition
    before, after = o @ t.T, o @ t
    return (before[:, None, None, :] * o[None, :, None, :] * after[None, None, :, :]).sum(axis=3) / Fraction(model.states)


def conditional(law: np.ndarray, name: str) -> np.ndarray:
    """Return the predictor `name` of a law of three symbols, shape of the law: the axes stay x1, x2, x3.

    Raises:
        ValueError: There is no such predictor.

    >>> model = HiddenMarkov.random(states=2, symbols=3, seed=0)
    >>> set(conditional(joint(model), "2|13").sum(axis=1).ravel().tolist()) == {1}
    True
    """
    return law / law.sum(axis=_places(name)[0], keepdims=True)


def balance(law: np.ndarray, name: str) -> np.ndarray:
    """Return the equations of stationarity for the law of the condition, one column for each value of the condition."""
    predictor, given = conditional(law, name), _places(name)[1]
    d = len(law)
    columns = []
    for value in np.ndindex(*(d for _ in given)):
        part = np.zeros_like(predictor)
        at = dict(zip(given, value, strict=True))
        chosen = tuple(at.get(place, slice(None)) for place in range(3))
        part[chosen] = predictor[chosen]
        columns.append((part.sum(axis=2) - part.sum(axis=0)).ravel())
    return np.array(columns).T


def frame(law: np.ndarray, column: int) -> np.ndarray:
    """Return the equations x(a, c) mu_a = G x(a, 0) for G and mu, c = `column`; coordinates are those of the span of x."""
    predictor = conditional(law, "2|13")
    d = len(law)
    points = predictor.transpose(0, 2, 1).reshape(d * d, d)
    span = row_space(points)
    pivots = [int(np.flatnonzero(row)[0]) for row in span]
    here, there = predictor[:, pivots, 0], predictor[:, pivots, column]
    k = len(pivots)
    rows = np.full((d, k, k * k + d), Fraction(0))
    for a in range(d):
        for i in range(k):
            rows[a, i, k * i : k * (i + 1)] = here[a]
            rows[a, i, k * k + a] = -there[a, i]
    return rows.reshape(d * k, k * k + d)


def solutions(law: np.ndarray, name: str) -> int:
    """Return the dimension of the laws that a predictor leaves, which is 1 if it determines the law of its condition.

    Cost: exact elimination of symbols^2 unknowns, or of symbols times as many for the middle symbol.

    >>> law = joint(HiddenMarkov.random(states=2, symbols=3, seed=0))
    >>> [solutions(law, name) for name in SIX], 9 - rank(balance(law, "2|13"))
    ([1, 1, 1, 1, 1, 1], 3)
    """
    if name != "2|13":
        equations = balance(law, name)
        return equations.shape[1] - rank(equations)
    systems = [frame(law, column) for column in range(1, len(law))]
    return max(system.shape[1] - rank(system) for system in systems)


def freedom(model: HiddenMarkov) -> int:
    """Return the number of directions of O and T, sums of rows and columns kept, in which J does not change.

    >>> freedom(HiddenMarkov.random(states=3, symbols=4, seed=0))
    0
    """
    o, t = model.emission, model.transition
    (d, k), slopes = o.shape, []

    def product(before: np.ndarray, middle: np.ndarray, after: np.ndarray) -> np.ndarray:
        return (before[:, None, None, :] * middle[None, :, None, :] * after[None, None, :, :]).sum(axis=3).ravel()

    for state in range(k):
        for symbol in range(1, d):
            move = np.full((d, k), Fraction(0))
            move[symbol, state], move[0, state] = Fraction(1), Fraction(-1)
            slopes.append(product(move @ t.T, o, o @ t) + product(o @ t.T, move, o @ t) + product(o @ t.T, o, move @ t))
    for row in range(1, k):
        for column in range(1, k):
            turn = np.full((k, k), Fraction(0))
            turn[row, column], turn[0, 0] = Fraction(1), Fraction(1)
            turn[row, 0], turn[0, column] = Fraction(-1), Fraction(-1)
            slopes.append(product(o @ turn.T, o, o @ t) + product(o @ t.T, o, o @ turn))
    return len(slopes) - rank(np.array(slopes))


def _places(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of the predicted symbols and of the given ones."""
    if name not in SIX:
        raise ValueError(f"no predictor {name!r} of a triple: expected one of {', '.join(SIX)}.")
    wanted, _, given = name.partition("|")
    return tuple(int(symbol) - 1 for symbol in wanted), tuple(int(symbol) - 1 for symbol in given)
