"""The error of towers of abelian layers on matrices, to as many digits as the error needs.

Four layers miss a product by eps^16 or less, far below one rounding of float64. Here matrices hold fixed-point numbers, which
are integers of any size in units of 2^-bits. The tower is that of `depthjax.constructions.towers.lie`, run on matrices: layer
j + 1 is driven by log(e^u e^x e^{-(u + x)}), where u is the state of layer j and x its increment.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from depthjax.checks import at_least


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
    one = _fixed(np.identity(matrices.shape[-1]), bits)
    letters = [_fixed(matrix, bits) * _fixed(np.asarray(mass), bits) // (len(word) << bits) for matrix in matrices]
    states = [0 * one] * layers
    product = one
    for letter in word:
        increment = letters[letter]
        product = product @ _exponential(increment, one, bits) >> bits
        for j in range(layers):
            u, states[j] = states[j], states[j] + increment
            if j + 1 < layers:
                increment = _driven(u, increment, one, bits)
    tower, distances = one, [_norm(product - one, bits)]
    for state in states:
        tower = _exponential(state, one, bits) @ tower >> bits
        distances.append(_norm(product - tower, bits))
    return np.array(distances)


def _driven(u: np.ndarray, x: np.ndarray, one: np.ndarray, bits: int) -> np.ndarray:
    """``log(e^u e^x e^{-(u + x)})``."""
    product = _exponential(u, one, bits) @ _exponential(x, one, bits) >> bits
    excess = (product @ _exponential(-(u + x), one, bits) >> bits) - one
    result, power, count = excess, excess, 1
    # rounding towards minus infinity never ends a series at zero, but at one unit
    while np.abs(power).max() > 1:
        power, count = power @ excess >> bits, count + 1
        result = result + power // (count if count % 2 else -count)
    return result


def _exponential(x: np.ndarray, one: np.ndarray, bits: int) -> np.ndarray:
    result, term, count = one, one, 0
    while np.abs(term).max() > 1:
        count += 1
        term = (term @ x >> bits) // count
        result = result + term
    return result


def _fixed(array: Float[np.ndarray, "..."], bits: int) -> np.ndarray:
    """The numbers of an array in units of 2^-bits."""
    found = np.empty(array.shape, object)
    for place, number in np.ndenumerate(np.asarray(array, float)):
        numerator, denominator = float(number).as_integer_ratio()
        found[place] = (numerator << bits) // denominator
    return found


def _norm(difference: np.ndarray, bits: int) -> float:
    """Operator 2-norm, also where the numbers lie below the smallest square of a float."""
    largest = int(np.abs(difference).max())
    if largest == 0:
        return 0.0
    shift = largest.bit_length() - bits
    scaled = np.array([[entry / largest for entry in row] for row in difference.tolist()], float)
    return float(np.linalg.norm(scaled, 2)) * float(np.ldexp(largest / (1 << largest.bit_length()), shift))
