"""The scales of branches, and the depths at which the 1/n term is judged."""

RULES = ("1", "1/sqrt L", "1/L")


FEW = (2, 3)  # depths at which the 1/n term shows and the terms beyond are small
