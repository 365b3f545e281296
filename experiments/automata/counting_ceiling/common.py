"""What both sides of the claim call the readers, and how near is near."""

# reader -> whether it knows counts, whether modulo the cell's modulus, and how many of the last letters
READERS = {
    "counts": (True, False, 0),
    "counts, last": (True, False, 1),
    "counts modulo": (True, True, 0),
    "counts modulo, last": (True, True, 1),
    "last two": (False, False, 2),
}

ENOUGH = 0.95  # of the ceiling
