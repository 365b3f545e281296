"""What both sides of the claim know."""

from fractions import Fraction

SIGNS = (-1, 1)  # of the values W = -I and W = I


SCALE = Fraction(1, 2)  # 1/sqrt(d) of the logits: queries and keys have size 4
