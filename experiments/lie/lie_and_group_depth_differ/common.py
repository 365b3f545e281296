"""What both sides of the claim know."""

TYPES = {"bfloat16": 8, "float16": 11, "float32": 24}  # bits of the significand, the leading one included


DEPTHS = 3  # of the iterated commutators
