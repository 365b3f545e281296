"""Sizes that both sides know."""

NETWORKS = "drawn", "drawn", "drawn", "knows one value"
"""Two-layer networks of one bit of every cell: functions drawn at random, and one that is right for one start."""

HELD = 1, 2, 3, 4
"""Bits that a layer holds of a table, where a network reads half of the last table in each of two layers."""
