"""What both sides of the claim know."""

from fractions import Fraction

SUMS = tuple(Fraction(k, 8) for k in (1, 6, 10, 14))  # of the two norms: from a sixteenth to seven eighths of the radius 2


BEYOND = Fraction(9, 4)  # a sum outside the radius of the bound
