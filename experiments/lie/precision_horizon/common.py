"""What both sides of the claim know."""

import numpy as np

OFF = 8 + np.arange(16) / 16  # of a letter's angle, in ulp: the rounding of its root goes either way


NARROW = "bfloat16", "float16"  # types in which the walk to the standstill is affordable
