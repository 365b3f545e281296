"""What the program does."""

import jax
import numpy as np

from depthjax.verify import Quantity, measured


def measure(cell, key):
    draws = np.sort(np.asarray(jax.random.uniform(key, (16,))))
    return measured(draw=Quantity(draws, "sample", floor=1e-7, label="largest draws"))
