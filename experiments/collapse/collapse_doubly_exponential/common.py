"""What both sides of the claim know."""

LOGITS = (2.0**-9, 0.5, 2.0)  # m of the inputs of one layer


KEYS, VALUES, START = 8.0, 4.0, 2.0**-6  # sizes of the deep network's weights and input


KNOWN = (65536, 0.943, 16.68)  # tokens, the share of one of them, and logits of the known worst case


BESIDE = (0.95, 1.05)  # shares of the border's values: further from it than the ascent is from the layer that keeps most
