"""What both sides of the claim know."""

KINDS = ("float32", "float16", "bfloat16")
