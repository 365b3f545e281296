"""What both sides of the claim know."""

LETTERS = 2
