"""Towers of abelian layers on matrices, over all words of a length at once, in fixed-point numbers.

Three layers miss a product by eps^8 and less. Words grow letter by letter, so what words have in common is computed once.
"""

import math

import numpy as np
from jaxtyping import Float

from depthjax.checks import at_least
from depthjax.instruments.fixed_point import exponential, fixed, moved, towers


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
    one = fixed(np.identity(matrices.shape[-1])[None], bits)
    letters = fixed(np.asarray(matrices, float), bits) * fixed(np.asarray([mass]), bits)[0] // (steps * times << bits)
    states, product = [0 * one] * layers, one
    for _ in range(steps):
        product, *states = (np.repeat(state, len(letters), axis=0) for state in (product, *states))
        letter = np.tile(letters, (len(product) // len(letters), 1, 1))
        factor = exponential(letter, one, bits)
        for _ in range(times):
            product, states = product @ factor >> bits, moved(states, letter, one, bits)
    return np.array([_root_mean_square(product - tower, bits) for tower in towers(states, one, bits)])


def _root_mean_square(differences: np.ndarray, bits: int) -> float:
    """The root of the mean of the squared Frobenius norms, also where the squares lie below all floats."""
    total = sum(int(entry) ** 2 for entry in differences.flat)
    root = math.isqrt((total << 128) // len(differences))  # in units of 2^-(bits + 64)
    shift = max(root.bit_length() - 62, 0)
    return math.ldexp(root >> shift, shift - bits - 64)
