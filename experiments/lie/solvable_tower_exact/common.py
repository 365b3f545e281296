"""What both sides of the claim know."""

LETTERS = 3  # generators in the law


SERIES = 5  # steps of the derived series that are compared
