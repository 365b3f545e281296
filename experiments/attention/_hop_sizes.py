"""What both sides of the claims on the two routes to k hops know."""

ALPHABETS = (8,)
"""Where the width is measured beside a cell's own alphabet: a power of two, which is far from its own logarithm."""
