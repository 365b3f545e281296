"""What both sides of the claim know."""

TIMES = 24
"""Letters of a word for each element of the group, at the most 240."""


def length(order: int) -> int:
    """Return the letters of words in a group of this order."""
    return min(240, TIMES * order)
