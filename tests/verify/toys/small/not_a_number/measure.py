"""What the program does."""

import numpy as np

from depthjax.verify import Quantity, measured


def measure(cell, key):
    return measured(value=Quantity(np.array([1.0, np.nan]), "point", floor=0.0))
