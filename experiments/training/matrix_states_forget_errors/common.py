"""What both sides of the claim know."""

SMALL = 1e-6
"""The error whose share of itself is left after a letter; what is not linear in it is left out."""

LONG = 4000
"""Letters after which a bit counts as held for ever."""

MOST = 8
"""Entries of a row at most, of which the last is driven and all patterns of the others are tried."""
