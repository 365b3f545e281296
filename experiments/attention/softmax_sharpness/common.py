"""The types of numbers whose longest exact words are found, and the lengths along which the picture runs."""

KINDS = ("float32", "float16", "bfloat16")
DRAWN = tuple(round(2 ** (quarter / 4)) for quarter in range(12, 53))
