"""What both sides of the claim know."""

SLOTS = 10  # cells share their shapes: the irreps are repeated up to so many
