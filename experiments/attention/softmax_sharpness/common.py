"""The types of numbers whose longest exact words are found."""

KINDS = ("float32", "float16", "bfloat16")
