"""Towers of abelian layers on matrices, over all words of a length at once, in fixed-point numbers.

A matrix holds integers in units of 2^-bits, because three layers miss a product by eps^8 and less. Layer j + 1 is driven by
log(e^u e^x e^-(u + x)), where u is the state of layer j and x its increment. Words grow letter by letter, so what words have in
common is computed once.
"""

import math

import numpy as np
from jaxtyping import Float

from depthjax.checks import at_least


def root_mean_square_errors(
    matrices: Float[np.ndarray, "letters size size"], length: int, layers: int, mass: float, bits: int, *, doubled: bool = False
) -> Float[np.ndarray, " towers"]:
    """Return the root mean square, over all words, of the distance of the product from towers of 1, .., `layers` layers.

    Args:
        matrices: One matrix for each letter.
        length: Number of letters of a word.
        layers: Number of layers of the highest tower.
        mass: Sum of the weights of all letters of a word.
        bits: Binary digits behind the point.
        doubled: Every letter comes twice in a row, so letters are not independent; an odd length is rounded up.

    Returns:
        Frobenius norms in float64.

    Cost: about `layers` logarithms a word, each of some hundred products of matrices.

    Raises:
        ValueError: A number is below 1, or `bits` is below 64.
    """
    for name, number in {"length": length, "layers": layers}.items():
        at_least(name, number, 1)
    at_least("bits", bits, 64)
    times = 2 if doubled else 1
    steps = -(-length // times)
    one = _fixed(np.identity(matrices.shape[-1])[None], bits)
    letters = _fixed(np.asarray(matrices, float), bits) * _fixed(np.asarray([mass]), bits)[0] // (steps * times << bits)
    states, product = [0 * one] * layers, one
    for _ in range(steps):
        product, *states = (np.repeat(state, len(letters), axis=0) for state in (product, *states))
        letter = np.tile(letters, (len(product) // len(letters), 1, 1))
        factor = _exponential(letter, one, bits)
        for _ in range(times):
            increment, product = letter, product @ factor >> bits
            for j in range(layers):
                before, states[j] = states[j], states[j] + increment
                if j + 1 < layers:
                    increment = _driven(before, increment, one, bits)
    tower, errors = one, []
    for state in states:
        tower = _exponential(state, one, bits) @ tower >> bits
        errors.append(_root_mean_square(product - tower, bits))
    return np.array(errors)


def _driven(u: np.ndarray, x: np.ndarray, one: np.ndarray, bits: int) -> np.ndarray:
    """``log(e^u e^x e^-(u + x))`` for every word."""
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
    for place, number in np.ndenumerate(array):
        numerator, denominator = float(number).as_integer_ratio()
        found[place] = (numerator << bits) // denominator
    return found


def _root_mean_square(differences: np.ndarray, bits: int) -> float:
    """The root of the mean of the squared Frobenius norms, also where the squares lie below all floats."""
    total = sum(int(entry) ** 2 for entry in differences.flat)
    root = math.isqrt((total << 128) // len(differences))  # in units of 2^-(bits + 64)
    shift = max(root.bit_length() - 62, 0)
    return math.ldexp(root >> shift, shift - bits - 64)
