"""What both sides of the claim know."""

MASSES = 1 / 8, 6 / 8, 10 / 8  # beside the largest one of the cell; the radius is 2


BEYOND = 9 / 4  # a mass outside every radius
