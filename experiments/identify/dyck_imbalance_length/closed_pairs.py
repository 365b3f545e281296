"""How many closed pairs over an open bracket the second layer of a Dyck attention reads.

A word is an opener of type 0 at depth 1, which stays open, and pairs of type 1 that close at depth 2, one after the other. So
the layer needs two types and depth 2 at least. It reads the stack correctly if it finds the open bracket and nothing else.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from depthjax.constructions.directions.dyck import DyckAttention

__all__ = ["FAMILIES", "first_failure", "latest_failure", "read_right", "word"]

FAMILIES = ("pairs", "mixed", "later")
"""Pairs of type 1 only; pairs of types 0 and 1 in turn; pairs of type 1 after another closed bracket."""

HALVINGS = 40  # of an interval of factors


def read_right(
    model: DyckAttention, longest: int, family: str = "pairs", *, query: int | None = None
) -> Bool[np.ndarray, " longest"]:
    """Return whether the stack is read correctly after 1, 2, ..., `longest` closed pairs.

    Args:
        model: Second layer.
        longest: Number of pairs of the longest word.
        family: One of `FAMILIES`.
        query: Symbol that reads the stack; by default the closer of the pairs.

    Cost: linear in `longest`.
    """
    before, repeated = _parts(model, family)
    found = _stacks_for(model, word(model, longest, family), _pair(model)[1] if query is None else query)
    stacks = np.asarray(found)[len(before) + len(repeated) - 1 :: len(repeated)]
    return (stacks == np.eye(stacks.shape[1], dtype=bool)[0]).all(axis=1)


def word(model: DyckAttention, longest: int, family: str) -> Int[Array, " length"]:
    """Return the symbols of the word of a family that closes `longest` pairs, all of whose prefixes are read."""
    before, repeated = _parts(model, family)
    return jnp.concatenate([jnp.array(before), jnp.tile(jnp.array(repeated), longest)])


def _parts(model: DyckAttention, family: str) -> tuple[list[int], list[int]]:
    """The symbols of a word of this family before its first closed pair, and those that are repeated."""
    opener, closer = _pair(model)
    pair, other = [opener, closer], [opener - 1, closer - 1]
    closed = [1, *other, 1 + model.types * model.depth]  # a bracket of type 1 at depth 1, and what is in it
    return {"pairs": ([0], pair), "mixed": ([0], [*other, *pair]), "later": ([*closed, 0], pair)}[family]


_stacks_for = jax.jit(DyckAttention.stacks_for)


def _pair(model: DyckAttention) -> tuple[int, int]:
    """The symbols of the opener and of the closer of type 1 at depth 2."""
    opener = model.types + 1
    return opener, model.types * model.depth + opener


def first_failure(right: Bool[np.ndarray, " longest"]) -> int:
    """Return the number of closed pairs at the first failure, 0 if there is none.

    >>> first_failure(np.array([True, True, False, True]))
    3
    """
    return 0 if right.all() else int(np.argmin(right)) + 1


def latest_failure(model: DyckAttention, longest: int, highest: float) -> int:
    """Return the latest first failure over all values of the closer, for words of the family "pairs".

    A larger value serves the query that closes the pairs, until it fails for the closer of type 0 at depth 2. So a bisection
    finds the factor of the value at which the two fail together. A query that reads all words counts as `longest` + 1.

    Args:
        model: Second layer.
        longest: Number of pairs of the longest word.
        highest: Largest factor of the value that is tried; the smallest is 1.
    """
    opener, closer = _pair(model)

    def reached(factor: float) -> list[int]:
        changed = dataclasses.replace(model, ratios=model.ratios.at[opener].multiply(factor))
        first = (first_failure(read_right(changed, longest, query=query)) for query in (closer, closer - 1))
        return [one or longest + 1 for one in first]

    # where the pairs are balanced a larger value serves neither query, and the smallest one is the best
    low, high, latest = 1.0, highest, min(reached(1.0))
    for _ in range(HALVINGS):
        factor = (low + high) / 2
        own, other = reached(factor)
        latest = max(latest, min(own, other))
        low, high = (factor, high) if own < other else (low, factor)
    return latest
