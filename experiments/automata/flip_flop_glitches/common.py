"""The margins that are tried, and which words are long."""

import numpy as np

MARGINS = np.array([0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])

SOFT = np.array([0.6, 0.68, 0.7])  # margins around ln 2

LONG = 64  # instructions from which on q^T is below the rounding of a sum of weights, at these margins
