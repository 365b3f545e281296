"""Towers of abelian layers on matrices, in fixed-point numbers: an error of eps^16 lies far below one rounding of float64.

A matrix holds integers of any size in units of 2^-bits, and leading axes hold many matrices. The tower is that of
`depthjax.constructions.towers.lie`, run on matrices: layer j + 1 is driven by log(e^u e^x e^-(u + x)), where u is the state of
layer j and x its increment.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float


def fixed(array: Float[np.ndarray, "..."], bits: int) -> np.ndarray:
    """Return the numbers of an array in units of 2^-bits, rounded down.

    >>> fixed(np.array([0.75, -0.25]), 2).tolist()
    [3, -1]
    """
    found = np.empty(array.shape, object)
    for place, number in np.ndenumerate(array):
        numerator, denominator = float(number).as_integer_ratio()
        found[place] = (numerator << bits) // denominator
    return found


def exponential(x: np.ndarray, one: np.ndarray, bits: int) -> np.ndarray:
    """Return the exponentials of matrices.

    Args:
        x: Matrices in units of 2^-bits.
        one: The identity in these units.
        bits: Binary digits behind the point.

    >>> one = fixed(np.identity(2), 20)
    >>> exponential(0 * one, one, 20).tolist() == one.tolist()
    True
    """
    result, term, count = one, one, 0
    while np.abs(term).max() > 1:
        count += 1
        term = (term @ x >> bits) // count
        result = result + term
    return result


def moved(states: Sequence[np.ndarray], increment: np.ndarray, one: np.ndarray, bits: int) -> list[np.ndarray]:
    """Return the states of the layers after a letter, whose matrix is the increment of the first layer.

    Args:
        states: Of every layer before the letter, in units of 2^-bits.
        increment: The letter's matrix.
        one: The identity.
        bits: Binary digits behind the point.

    >>> one = fixed(np.identity(2), 20)
    >>> [int(np.abs(state).max()) >> 10 for state in moved([0 * one, 0 * one], one, one, 20)]  # one letter: no bracket
    [1024, 0]
    """
    found = []
    for j, state in enumerate(states):
        found.append(state + increment)
        if j + 1 < len(states):
            increment = _driven(state, increment, one, bits)
    return found


def towers(states: Sequence[np.ndarray], one: np.ndarray, bits: int) -> Iterator[np.ndarray]:
    """Yield what towers of 1, 2, ... layers make of their states: the product of exponentials, the last layer's on the left.

    >>> one = fixed(np.identity(2), 20)
    >>> [tower.tolist() == one.tolist() for tower in towers([0 * one, 0 * one], one, 20)]
    [True, True]
    """
    tower = one
    for state in states:
        tower = exponential(state, one, bits) @ tower >> bits
        yield tower


def _driven(u: np.ndarray, x: np.ndarray, one: np.ndarray, bits: int) -> np.ndarray:
    """``log(e^u e^x e^-(u + x))``."""
    product = exponential(u, one, bits) @ exponential(x, one, bits) >> bits
    excess = (product @ exponential(-(u + x), one, bits) >> bits) - one
    result, power, count = excess, excess, 1
    # rounding towards minus infinity never ends a series at zero, but at one unit
    while np.abs(power).max() > 1:
        power, count = power @ excess >> bits, count + 1
        result = result + power // (count if count % 2 else -count)
    return result
