r"""The balance condition under which second-layer attention solves a bounded Dyck language at every length.

The language has k types of brackets, nested at most D deep. The first layer turns each bracket into a symbol (side, depth,
type): an opener that opens *to* this depth, or the closer of a bracket *at* this depth. A score table ``W[t, q]`` gives the
attention ``exp W`` from a query symbol q. The values are ``+e`` for an opener and ``-exp(lambda) e`` for its closer, e the unit
vector of (depth, type). Then

    output = sum over pairs (d, i) of e_{i,d} (openers exp W[open, q] - closers exp(lambda + W[close, q])).

If ``W[open, q] - W[close, q] = lambda`` for every closer q, closed pairs cancel exactly, at every length. The output then holds
``exp W[open, q]`` for each open bracket; there is one open bracket for each depth, so the stack can be read at any scale.
Otherwise m closed pairs leave ``m exp W[open, q] (1 - exp(-delta))``, delta the deviation from lambda, which hides the stack
once m is large. The scores of opener queries and of closers at depth 1 are free: an opener carries the top of the stack itself,
and such a closer leaves an empty stack.

The nearest balanced table in the Frobenius norm takes half of each pair's deviation from either of its rows.

Source: the condition as in Wen, Li, Liu, Risteski, arXiv 2312.01429 (two layers); cancellation, projection and the length at
which a violation shows are derived above.
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
    """The exact scores of the second layer between symbols.

    Attributes:
        types: Number k of types of brackets.
        depth: Largest nesting depth D.
        scores: Shape (2 D k, 2 D k), Fractions; entry [key, query]. Symbol (side, depth d, type i) has the index
            ``side D k + (d - 1) k + i``; side 0 opens, side 1 closes.

    >>> table = ScoreTable.random(types=2, depth=3, seed=1)
    >>> table.imbalance > 0, table.balanced().imbalance
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
        """Return the table of zeros: every symbol attends equally to all symbols before it."""
        return cls(types, depth, np.full((2 * types * depth, 2 * types * depth), Fraction(0)))

    @classmethod
    def random(cls, types: int, depth: int, seed: int) -> ScoreTable:
        """Draw a table of multiples of 1/64 in [-1, 1]."""
        draw, size = Random(seed), 2 * types * depth
        return cls(types, depth, np.array([[Fraction(draw.randint(-64, 64), 64) for _ in range(size)] for _ in range(size)]))

    @property
    def pairs(self) -> int:
        """Number D k of brackets that differ in depth or type."""
        return self.types * self.depth

    @property
    def closers(self) -> slice:
        """The queries to which the condition applies: closers that leave an open bracket."""
        return slice(self.pairs + self.types, 2 * self.pairs)

    @property
    def openers(self) -> slice:
        """The opener queries, whose scores are free."""
        return slice(0, self.pairs)

    def differences(self, queries: slice | None = None) -> np.ndarray:
        """Return W[open, q] - W[close, q] by pair and query, by default the closers; balanced tables have constant rows."""
        rows = self.scores[: self.pairs] - self.scores[self.pairs :]
        return rows[:, self.closers if queries is None else queries]

    @property
    def imbalance(self) -> Fraction:
        """The largest spread of a pair's difference over the closers; it is 0 if and only if the table is balanced."""
        differences = self.differences()
        if not differences.size:  # at depth 1 no closer leaves an open bracket
            return Fraction(0)
        return (differences.max(axis=1) - differences.min(axis=1)).max()

    @property
    def log_ratios(self) -> np.ndarray:
        """Lambda for each pair: the mean difference over the closers.

        Raises:
            ValueError: The depth is 1, so no closer leaves an open bracket.
        """
        differences = self.differences(self._asked(None))
        return differences.sum(axis=1) / Fraction(differences.shape[1])

    def balanced(self, queries: slice | None = None) -> ScoreTable:
        """Return the nearest table, in the Frobenius norm, that is balanced over these queries, by default the closers."""
        if queries is None and self.depth == 1:
            return self
        queries = self._asked(queries)
        differences = self.differences(queries)
        excess = (differences - differences.sum(axis=1, keepdims=True) / Fraction(differences.shape[1])) / 2
        scores = self.scores.copy()
        scores[: self.pairs, queries] -= excess
        scores[self.pairs :, queries] += excess
        return ScoreTable(self.types, self.depth, scores)

    def _asked(self, queries: slice | None) -> slice:
        """The queries that are asked about, by default the closers."""
        if queries is None and self.depth == 1:
            raise ValueError("depth = 1: expected at least 2, because at depth 1 no closer leaves an open bracket.")
        return self.closers if queries is None else queries

    def shifted(self, key: int, query: int, amount: Fraction) -> ScoreTable:
        """Return the table with one score changed by this amount."""
        scores = self.scores.copy()
        scores[key, query] += fraction("amount", amount)
        return ScoreTable(self.types, self.depth, scores)

    def tolerance(self, queries: slice | None = None) -> float:
        """Return half of the smallest ratio of two openers' weights for one query; smaller outputs are no brackets.

        The queries are by default the closers.

        Raises:
            ValueError: The depth is 1, so no closer leaves an open bracket, and no other queries are given.
        """
        openers = self.scores[: self.pairs, self._asked(queries)]
        return float(mpmath.exp(_real((openers.min(axis=0) - openers.max(axis=0)).min())) / 2)

    def first_failure(self, deviation: Fraction, tolerance: float, *, best_value: bool = False) -> int:
        """Return the least number of closed pairs of type 1 at depth 2, above an opener of type 0, that look open.

        The score of the opener of these pairs is too large by `deviation` for the query q that closes them. So m pairs leave
        ``m exp W[open, q] (exp(deviation) - 1)``, which passes for a bracket above ``tolerance exp W[open(1, 0), q]``.

        No value of the closer helps for ever. If it is raised by the share ``s (exp(deviation) - 1)``, the pairs leave the
        share 1 - s for q, and minus the share s for the query p that closes type 0 at depth 2, where nothing was left before.
        The two fail together at best, so the lengths for p and for q add up.

        Args:
            deviation: By how much the score is too large.
            tolerance: Share of the largest output below which nothing is read.
            best_value: The value of the closer is the best for this word, over both queries, instead of the table's.

        Raises:
            OutsideHypotheses: The table is not balanced, has one type or depth 1, or the deviation is not positive.

        >>> table = ScoreTable.uniform(2, 2)
        >>> table.first_failure(Fraction(1, 1000), 0.5), table.first_failure(Fraction(1, 1000), 0.5, best_value=True)
        (500, 1000)
        """
        deviation = fraction("deviation", deviation)
        checks = [
            ("the table is balanced but for this deviation", self.imbalance == 0),
            ("two types and depth 2 at least", self.types > 1 and self.depth > 1),
            ("deviation > 0", deviation > 0),
        ]
        if not all(holds for _, holds in checks):
            raise OutsideHypotheses("the length at which a violation shows", checks, remedy="balance the table first")
        opener = self.types + 1
        query = self.pairs + opener
        with mpmath.workdps(40):
            queries = (query - 1, query) if best_value else (query,)
            lift = sum(mpmath.exp(_real(self.scores[0, q] - self.scores[opener, q])) for q in queries)
            return int(mpmath.floor(tolerance * lift / mpmath.expm1(_real(deviation)))) + 1


def _real(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator
