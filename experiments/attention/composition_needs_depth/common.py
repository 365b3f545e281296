"""Sizes that both sides know."""

NETWORKS = "drawn", "drawn", "drawn", "knows one value"
"""Two-layer networks of one bit of every cell: functions drawn at random, and one that is right for one start."""

HELD = 1, 2, 3, 4
"""Bits that a layer holds of a table, where a network reads half of the last table in each of two layers."""

OF_TWO_BITS = "drawn", "knows two values"
"""Networks of two bits of every cell, of which a sample of first tables is tried."""

BRANCH, FIRST = 5, 69
"""Entries of their second table and of their first one, which is no longer than the proof needs."""

SAMPLED = 2**20
"""First tables of the sample. Half as many are likely to hold five that share all 22 bits which reach later positions."""
