"""The alphabet, and all short words over it as texts."""

from itertools import product

LETTERS = "ab"


def short(length: int) -> list[str]:
    """Return all words of 1 to `length` letters, in the order of `depthjax.tasks.short_words`."""
    return ["".join(word) for letters in range(1, length + 1) for word in product(LETTERS, repeat=letters)]
