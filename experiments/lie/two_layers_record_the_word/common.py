"""Which short words are tried, all of them."""

import math


def short_words(exhaustive: int, order: int) -> tuple[int, int]:
    """At most three letters, and a length of which there are few enough words."""
    letters = min(order, 3)
    return letters, int(math.log(exhaustive) / math.log(letters))
