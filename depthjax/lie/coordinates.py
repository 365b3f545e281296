"""Lie elements in other coordinates: coefficients at Lyndon words, or on right-normed brackets.

With z the sum of c_w P_w over Lyndon words w, P_w the standard bracket of w:

* ``"lyndon"``: the coefficients c_w, which this package computes with.
* ``"words"``: the coefficients of z, expanded in the tensor algebra, at the Lyndon words; some packages return these.
* ``"brackets"``: a coefficient for every word, such that z is their combination of right-normed brackets
  [w_1, [w_2, ... [w_{n-1}, w_n]]]. By the theorem of Dynkin, Specht and Wever it is the coefficient at the word, over its
  length n.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scipy.sparse import coo_array

from depthjax.lie.lyndon import lyndon_basis, word_expansion, words_from_brackets

BASES = ("lyndon", "words", "brackets")


@partial(jax.jit, static_argnums=(1, 2, 3))
def in_basis(element: Float[Array, "... dim"], channels: int, order: int, basis: str) -> Float[Array, "... coordinates"]:
    """Return the coordinates of Lie elements in one of `BASES`, by degree, then word.

    Args:
        element: Coefficients on Lyndon brackets of degrees 1 to `order`.
        channels: Number of letters.
        order: Highest degree.
        basis: One of `BASES`. The results have as many coordinates as `element`, except for "brackets": one for every word.

    Cost: a multiply-add for each word of each bracket.

    Raises:
        ValueError: There is no such basis.
    """
    if basis not in BASES:
        raise ValueError(f"basis = {basis!r}: expected one of {', '.join(map(repr, BASES))}")
    if basis == "lyndon":
        return element
    blocks = lyndon_basis(channels, order)
    parts = []
    for degree in range(1, order + 1):
        block = element[..., blocks.block(degree)]
        if basis == "words":
            parts.append(_times(block, words_from_brackets(channels, degree)))
        else:
            parts.append(_times(block, word_expansion(channels, degree).T) / degree)
    return jnp.concatenate(parts, axis=-1)


def _times(coordinates: Array, matrix: Any) -> Array:
    """The product of a sparse integral matrix with the last axis."""
    entries: Any = coo_array(matrix)
    factors = jnp.asarray(entries.data, coordinates.dtype).reshape((1,) * (coordinates.ndim - 1) + (-1,))
    terms = coordinates[..., entries.coords[1]] * factors
    empty = jnp.zeros((*coordinates.shape[:-1], entries.shape[0]), coordinates.dtype)
    return empty.at[..., entries.coords[0]].add(terms)
