"""The truth of a formula at every position of words, all words at once.

Each kind of formula says how its truth follows from that of its parts (`theory.logic.formula`). This module reads the words,
walks over the parts, and holds what those rules compute with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from theory.automata.alphabet import alphabet_of, listed
from theory.exact.integers import SAFE

__all__ = ["at_least", "evaluate", "letters_of", "since"]


def letters_of(formula: Any, letters: str | Sequence[str] | None) -> tuple[str, ...]:
    """The given alphabet, or the letters that occur, filled up to two because one letter spells one word of each length.

    Raises:
        TypeError: It is no formula.
        ValueError: The formula uses a letter that the alphabet lacks, or the alphabet is empty or has a letter twice.
    """
    if not hasattr(formula, "subformulas"):
        raise TypeError(f"formula = {formula!r:.60}: expected a formula, such as parse('a S b').")
    return alphabet_of("the formula", formula.letters, letters, least=2)


def evaluate(formula: Any, words: np.ndarray | Sequence, letters: str | Sequence[str] | None = None) -> np.ndarray:
    """The truth of a formula at every position of words of one length: bool array of the shape of `words`.

    Cost: O(size of the formula * size of `words`), as one vector operation for each part and position.

    Args:
        formula: The formula.
        words: Indices into the alphabet, (..., length); or strings of letters, all of one length.
        letters: The alphabet; by default the letters that occur.

    Raises:
        ValueError: A letter is outside the alphabet, or the strings have different lengths, or one string is given alone.

    >>> from theory.logic import parse
    >>> evaluate(parse("a S b"), ["bbaab"]).astype(int).tolist()
    [[0, 1, 1, 1, 1]]
    """
    alphabet = letters_of(formula, letters)
    indices = _indices(words, alphabet)
    rows = math.prod(indices.shape[:-1])  # not -1, which words of no letters leave open
    flat = np.ascontiguousarray(indices.reshape(rows, indices.shape[-1]).T)  # one row a position, so that steps are contiguous
    parts = formula.subformulas
    truth: dict[Any, np.ndarray] = {}
    users = {child: index for index, part in enumerate(parts) for child in part.children}
    for index, part in enumerate(parts):
        truth[part] = part.truth(truth, flat, alphabet)
        for child in part.children:
            if users[child] == index:
                truth.pop(child, None)  # no later part needs it
    return truth[formula].T.reshape(indices.shape)


def _indices(words: np.ndarray | Sequence, alphabet: tuple[str, ...]) -> np.ndarray:
    if isinstance(words, str):
        raise ValueError(f"words = {words!r:.60}: expected a list of words; one word is given as [{words!r:.60}]")
    if not isinstance(words, np.ndarray):
        lengths = {len(word) for word in words}
        if len(lengths) > 1:
            raise ValueError(f"the words have lengths {sorted(lengths)}: evaluate one length at a time")
        unknown = sorted({letter for word in words for letter in word if letter not in alphabet})
        if unknown:
            raise ValueError(
                f"the words hold {unknown[0]!r}, which is not in the alphabet {listed(alphabet)}: name it in `letters`"
            )
        words = np.array([[alphabet.index(letter) for letter in word] for word in words], dtype=_letter_type(len(alphabet)))
        return words.reshape(len(words), max(lengths, default=0))
    if not np.issubdtype(words.dtype, np.integer):
        raise ValueError(f"words of type {words.dtype}: expected integers, indices into the alphabet {listed(alphabet)}")
    if words.size and not 0 <= int(words.min()) <= int(words.max()) < len(alphabet):
        raise ValueError(f"letters must be 0 .. {len(alphabet) - 1}, got {int(words.min())} .. {int(words.max())}")
    return words


def _letter_type(letters: int) -> np.dtype:
    return np.min_scalar_type(-letters)


def since(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Strict since, row by row: the row before a position decides what holds at the position."""
    result = np.zeros_like(right)
    for i in range(1, len(right)):
        np.logical_and(left[i - 1], result[i - 1], out=result[i])
        np.logical_or(right[i - 1], result[i], out=result[i])
    return result


def at_least(counts: Iterable[tuple[int, bool, np.ndarray]], bound: int) -> np.ndarray:
    """Whether a sum of counts is at least `bound`; a count is its factor, whether it looks ahead, and the counted truth.

    A count is at most the length. Sums that may leave int64 use Python integers.
    """
    counts = list(counts)
    held = counts[0][2]
    kind = np.int64 if sum(abs(factor) for factor, _, _ in counts) * len(held) < SAFE else object
    total = np.zeros(held.shape, kind)
    for factor, ahead, truth in counts:
        steps = truth.astype(kind)
        total += factor * (np.cumsum(steps[::-1], axis=0)[::-1] if ahead else np.cumsum(steps, axis=0))
    return np.asarray(total >= bound, bool)
