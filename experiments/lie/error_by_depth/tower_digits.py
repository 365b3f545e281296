"""The error of towers of abelian layers on matrices, to as many digits as the error needs.

Four layers miss a product by eps^16 or less, far below one rounding of float64.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from depthjax.checks import at_least
from depthjax.instruments.fixed_point import exponential, fixed, moved, towers


def tower_errors_in_digits(
    word: Sequence[int], matrices: Float[np.ndarray, "letters size size"], layers: int, mass: float, bits: int
) -> Float[np.ndarray, " towers"]:
    """Return the distance of the product of a word's exponentials from towers of 0, 1, .., `layers` layers.

    Args:
        word: Letters from 0 on; each multiplies by the exponential of its matrix, times mass over the length of the word.
        matrices: One matrix for each letter.
        layers: Number of layers of the highest tower; the tower of none stays at the identity.
        mass: Sum of the weights of all letters; small enough that the logarithms converge, 1/4 for matrices of norm one.
        bits: Binary digits behind the point; errors are resolved down to about a thousand times 2^-bits.

    Returns:
        Operator 2-norms in float64.

    Cost: about `layers` logarithms for each letter, each of some dozen products of matrices.

    Raises:
        ValueError: The word is empty, the mass is not positive, or a number is below 1.
    """
    at_least("layers", layers, 1)
    at_least("bits", bits, 64)
    if not len(word) or not mass > 0:
        raise ValueError(f"a word of {len(word)} letters and mass {mass!r}: expected at least one letter and a positive mass")
    one = fixed(np.identity(matrices.shape[-1]), bits)
    letters = fixed(np.asarray(matrices, float), bits) * fixed(np.asarray(mass, float), bits) // (len(word) << bits)
    states, product = [0 * one] * layers, one
    for letter in word:
        product = product @ exponential(letters[letter], one, bits) >> bits
        states = moved(states, letters[letter], one, bits)
    return np.array([_norm(product - tower, bits) for tower in (one, *towers(states, one, bits))])


def _norm(difference: np.ndarray, bits: int) -> float:
    """Operator 2-norm, also where the numbers lie below the smallest square of a float."""
    largest = int(np.abs(difference).max())
    if largest == 0:
        return 0.0
    shift = largest.bit_length() - bits
    scaled = np.array([[entry / largest for entry in row] for row in difference.tolist()], float)
    return float(np.linalg.norm(scaled, 2)) * float(np.ldexp(largest / (1 << largest.bit_length()), shift))
