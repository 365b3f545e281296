"""What both sides of the claim know."""

DTYPES = ("float32", "float64")
