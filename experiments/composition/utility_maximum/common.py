"""The shape of what is compared."""

SLOTS = 10  # cells share their shapes: the irreps are repeated up to this number
