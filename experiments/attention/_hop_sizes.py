"""What both sides of the claims on the two routes to k hops know."""

ALPHABETS = (4, 5)
"""Alphabets whose codes tell a power of two from the number after it; the width is measured for each."""
