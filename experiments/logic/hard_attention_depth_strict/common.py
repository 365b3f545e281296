"""What both sides of the claim know."""

from depthjax.tasks.short_words import short_words
from depthjax.verify import Cell

LETTERS = "ab"


def _short(cell: Cell) -> list[str]:
    words, lengths = short_words(len(LETTERS), cell.length)
    return ["".join(LETTERS[letter] for letter in word[:n]) for word, n in zip(words, lengths, strict=True)]
