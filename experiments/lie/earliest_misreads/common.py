"""What both sides of the claim know."""

TYPES = "float8_e5m2", "float8_e4m3", "float8_e3m4", "bfloat16"
