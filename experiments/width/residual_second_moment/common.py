"""The scales of branches, and the few numbers for which the 1/n term is judged."""

RULES = ("1", "1/sqrt L", "1/L")


FEW, STRONG = (2, 3), (1.0, 0.5)  # depths and alpha at which the 1/n term shows and the terms beyond are small
