"""What the program does."""

import jax
import numpy as np

from depthjax.verify import Quantity, measured


def measure(cell, key: jax.Array, given):
    return measured(
        word=["aa", "ab", "ba", "ü"],
        subsets=Quantity(np.int64(2 ** given["elements"]), label="subsets", unit="sets"),
        errors=Quantity(0 * np.arange(4), "word", label="wrong words"),
        finite=Quantity(given["elements"] > 0),
        kind=Quantity("a set"),
    )


def shifted(cell, key, given):
    return measure(cell, key, given).assign(subsets=((), np.int64(2 ** given["elements"] + 1)))
