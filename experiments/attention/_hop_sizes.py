"""What both sides of the claims on the two routes to k hops know."""

ALPHABETS = (8,)
"""Where the width is measured beside a cell's own alphabet: a power of two, which is far from its own logarithm."""

FAR = 100, 127, 128, 129, 1000, 2047, 2048, 2049
"""Hops beyond those that are answered. The layers of their constructions are counted."""
