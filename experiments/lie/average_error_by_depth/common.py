"""What both sides of the claim know."""

LAYERS = 3
