"""What both sides of the claim know."""

from fractions import Fraction

MASSES = tuple(Fraction(k, 8) for k in (1, 6, 10, 14))  # from a sixteenth to seven eighths of the radius 2


BEYOND = Fraction(9, 4)  # a mass outside every radius
