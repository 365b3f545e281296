r"""When second-layer attention solves a bounded Dyck language at every length: the balance condition, exactly.

k types of brackets nested at most D deep. The first layer leaves a symbol (side, depth, type): an opener that opens *to* that
depth, or the closer of a bracket *at* that depth. A score table ``W[t, q]`` gives attention ``exp W`` from a query symbol q;
values are ``+e`` for an opener and ``-exp(lambda) e`` for its closer, e the unit vector of (depth, type). Then

    output = sum over pairs (d, i) of e_{i,d} (openers exp W[open, q] - closers exp(lambda + W[close, q])),

and if ``W[open, q] - W[close, q] = lambda`` for every closer q, what was closed cancels exactly, at every length: what is left
is ``exp W[open, q]`` for each open bracket, of which there is one for each depth, so the stack is read off whatever the scale.
If not, m closed pairs leave ``m exp W[open, q] (1 - exp(-delta))``, delta the deviation from lambda, which hides the stack once
m is large. Opener queries carry the top of the stack themselves, and closers at depth 1 leave an empty stack: both are free.

The nearest balanced table (Frobenius) takes half of each row's deviation from either row.

Source: the condition as in Wen, Li, Liu, Risteski, arXiv 2312.01429 (two layers); cancellation, projection and the length at
which a violation shows: derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import numpy as np

from theory.checks import exact_entries, fraction, positive_integer
from theory.errors import OutsideHypotheses
from theory.exact.integers import widened

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of the second layer between symbols, exact.

    Attributes:
        types: k. depth: D.
        scores: Shape (2 D k, 2 D k), Fractions; entry [key, query]. Symbol (side, depth d, type i) has the index
            ``side D k + (d - 1) k + i``; side 0 opens, side 1 closes.

    >>> table = ScoreTable.random(types=2, depth=3, seed=1)
    >>> table.imbalance() > 0, table.balanced().imbalance()
    (True, Fraction(0, 1))
    """

    types: int
    depth: int
    scores: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", positive_integer("types", self.types, "the number of types of brackets"))
        object.__setattr__(self, "depth", positive_integer("depth", self.depth, "how deep brackets nest"))
        object.__setattr__(self, "scores", widened(exact_entries("scores", self.scores)))
        size = 2 * self.pairs
        if self.scores.shape != (size, size):
            raise ValueError(
                f"scores have shape {self.scores.shape}: expected ({size}, {size}), a key and a query for each of the "
                f"{size} symbols (side, depth, type)."
            )

    @classmethod
    def uniform(cls, types: int, depth: int) -> ScoreTable:
        """All scores zero: every symbol attends to all before it alike."""
        return cls(types, depth, np.full((2 * types * depth, 2 * types * depth), Fraction(0)))

    @classmethod
    def random(cls, types: int, depth: int, seed: int) -> ScoreTable:
        """Scores that are multiples of 1/64 in [-1, 1]."""
        draw, size = Random(seed), 2 * types * depth
        return cls(types, depth, np.array([[Fraction(draw.randint(-64, 64), 64) for _ in range(size)] for _ in range(size)]))

    @property
    def pairs(self) -> int:
        """D k, the brackets that differ in depth or type."""
        return self.types * self.depth

    def closers(self) -> slice:
        """The queries that the condition speaks of: closers that leave an open bracket."""
        return slice(self.pairs + self.types, 2 * self.pairs)

    def openers(self) -> slice:
        """The other queries, which are free."""
        return slice(0, self.pairs)

    def differences(self, queries: slice | None = None) -> np.ndarray:
        """W[open, q] - W[close, q] by pair and query (the closers by default): the condition asks for equal rows."""
        rows = self.scores[: self.pairs] - self.scores[self.pairs :]
        return rows[:, self.closers() if queries is None else queries]

    def imbalance(self) -> Fraction:
        """The largest spread of a pair's difference over the closers: 0 iff the table is balanced."""
        differences = self.differences()
        return (differences.max(axis=1) - differences.min(axis=1)).max()

    def log_ratios(self) -> np.ndarray:
        """Lambda by pair: the mean difference over the closers."""
        differences = self.differences()
        return differences.sum(axis=1) / Fraction(differences.shape[1])

    def balanced(self, queries: slice | None = None) -> ScoreTable:
        """The nearest table (Frobenius) that is balanced over these queries, the closers by default."""
        queries = self.closers() if queries is None else queries
        differences = self.differences(queries)
        excess = (differences - differences.sum(axis=1, keepdims=True) / Fraction(differences.shape[1])) / 2
        scores = self.scores.copy()
        scores[: self.pairs, queries] -= excess
        scores[self.pairs :, queries] += excess
        return ScoreTable(self.types, self.depth, scores)

    def shifted(self, key: int, query: int, amount: Fraction) -> ScoreTable:
        """The table with one score changed."""
        scores = self.scores.copy()
        scores[key, query] += fraction("amount", amount)
        return ScoreTable(self.types, self.depth, scores)

    def tolerance(self) -> float:
        """Half of the smallest ratio of weights of two openers for one query: below it an entry of the output is no bracket."""
        openers = self.scores[: self.pairs, self.closers()]
        return float(mpmath.exp(_real((openers.min(axis=0) - openers.max(axis=0)).min())) / 2)

    def first_failure(self, deviation: Fraction, tolerance: float) -> int:
        """How many closed pairs of type 1 at depth 2, above an opener of type 0, first show as an open bracket.

        The score of the opener of these pairs is off by `deviation` > 0 for the query that closes them: m pairs leave
        ``m exp W[open, q] (exp(deviation) - 1)``, taken for a bracket once it passes ``tolerance exp W[open(1, 0), q]``.

        Raises:
            OutsideHypotheses: the table is not balanced, has one type or depth 1, or the deviation is not positive.

        >>> ScoreTable.uniform(2, 2).first_failure(Fraction(1, 1000), 0.5)
        500
        """
        deviation = fraction("deviation", deviation)
        checks = [
            ("the table is balanced but for this deviation", self.imbalance() == 0),
            ("two types and depth 2 at least", self.types > 1 and self.depth > 1),
            ("deviation > 0", deviation > 0),
        ]
        if not all(holds for _, holds in checks):
            raise OutsideHypotheses("the length at which a violation shows", checks, remedy="balance the table first")
        opener = self.types + 1
        query = self.pairs + opener
        with mpmath.workdps(40):
            lift = mpmath.exp(_real(self.scores[0, query] - self.scores[opener, query]))
            return int(mpmath.floor(tolerance * lift / mpmath.expm1(_real(deviation)))) + 1


def _real(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator
