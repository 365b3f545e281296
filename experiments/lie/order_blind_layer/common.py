"""What both sides of the claim know."""

SIZE = 3  # all matrices stand in a corner of 3x3 ones: one program
