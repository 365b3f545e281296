"""What both sides of several claims of this topic know."""

SLOTS = 3  # cells share their shapes: irreps are repeated up to this number
