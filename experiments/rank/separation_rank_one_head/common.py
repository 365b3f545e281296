"""What both sides of the claim know."""

SHOWN = 2  # templates of each half whose outputs are compared one by one


FLOAT_LAYERS = 2  # beyond, the degree is 13 and more, and float64 shows no gap
