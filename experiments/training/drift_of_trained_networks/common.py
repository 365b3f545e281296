"""What both sides of the claim know."""

KINDS = ("affine", "tanh")
