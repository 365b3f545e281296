"""What both sides of the claim know."""

SCALE = 0.5  # 1/sqrt(d) of the logits: queries and keys have size 4


LOGITS = (2.0**-9, 0.5, 2.0)  # m of the inputs of one layer


KEYS, VALUES, START = 8.0, 4.0, 2.0**-6  # sizes of the deep network's weights and input


KNOWN = (65536, 0.943, 16.68)  # tokens, the share of one of them, and logits of the known worst case
