"""What both sides of the claim know."""

LONGEST = 4  # layers of any size
