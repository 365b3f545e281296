"""Explicit weights that compose k elements of an abelian group by counting: polynomially many units in k.

A word has counts m, one for each letter, with sum k, and its product depends on m alone. One unit for each a of the same form
holds (a . m)^k. The matrix of these numbers over all a and m is V D V^T, with the monomials m^alpha of degree k in V and
multinomial coefficients in D. Monomials of degree k are unisolvent on the points with sum k, so the matrix is positive
definite, and some output weights fit every function of the counts.

Source: derived here.
"""

import itertools
import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from depthjax.checks import at_least
from depthjax.models.polynomial import TwoLayer

_MOST_UNITS = 10_000  # their system is a dense matrix, 0.8 GB


def counting_weights(codes: Float[np.ndarray, "order order"], table: Int[np.ndarray, "order order"], length: int) -> TwoLayer:
    """Return one hidden layer of z^length that composes words by their counts, with the same block at every position.

    For a group that is not abelian it returns the product of the sorted word.

    Args:
        codes: The codes of the elements, linearly independent (so the encoding is not centred).
        table: The Cayley table.
        length: Length k of the words.

    Raises:
        ValueError: The codes are linearly dependent, or the counts are too many for a linear system.
    """
    at_least("length", length, 1, "a word has a letter")
    order = len(codes)
    if np.linalg.matrix_rank(codes) < order:
        raise ValueError(
            "the codes of the elements are linearly dependent, so that counts cannot be read off their sum; choose an encoding "
            "with invertible Fourier coefficients, the trivial one included"
        )
    units = math.comb(order + length - 1, length)
    if units > _MOST_UNITS:
        raise ValueError(
            f"words of {length} letters over {order} elements have {units} counts, each with a unit and an equation: expected "
            f"at most {_MOST_UNITS}; take a smaller group or shorter words"
        )
    words, counts = _counts(order, length)
    products = words[:, 0]
    for letters in words[:, 1:].T:
        products = table[products, letters]
    forms = counts.T / length
    out = np.linalg.solve((counts @ forms) ** length, codes[products])
    inputs = np.linalg.solve(codes, forms)
    return TwoLayer(jnp.asarray(np.tile(inputs, (length, 1, 1))), jnp.asarray(out.T))


def last_unit_amplifies(order: int, length: int) -> float:
    """Return how many times as large as those of the network the errors may be of what its last unit brings.

    The output weights are a symmetric matrix times what the network says of all counts: its last row is asked for. The largest
    value of the unit is length^length.
    """
    _, counts = _counts(order, length)
    row = np.linalg.solve((counts @ counts.T / length) ** length, np.arange(len(counts)) == len(counts) - 1)
    return float(length**length * np.abs(row).sum())


def _counts(order: int, length: int) -> tuple[Int[np.ndarray, "units length"], Int[np.ndarray, "units order"]]:
    """One word for each of the counts, its letters sorted, and the counts."""
    words = np.array(list(itertools.combinations_with_replacement(range(order), length)))
    return words, (words[:, :, None] == np.arange(order)).sum(axis=1)
