"""What both sides of the claim know."""

DTYPES = ("float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")

FADING = (-0.25, -0.375, -0.5, -0.625, -0.75, -0.875)
"""Eigenvalues that all types hold; the recurrences h <- a h count by the sign alone."""

TURNS = {3: ((0, -1), (1, -1)), 4: ((0, -1), (1, 0)), 6: ((0, -1), (1, 1))}
"""The matrices of a turn by 1/m in the basis of 1 and that root of unity."""

BEFORE = 200
"""Letters before the last number to which a counter counts, from which it starts at the latest."""

MOST = 200_000
"""Steps after which an orbit that has not come back is given up."""
