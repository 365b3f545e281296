"""What both sides of the claim know."""

SHARED = 7
"""Letters of the words over which the best reader's share is taken."""


def longest(letters: int) -> int:
    """Return the letters of the longest words that are read: some ten thousand words are no longer."""
    return {1: 40, 2: 12, 3: 8}[letters]
