"""What words and automata of formulas cost, from lengths and sizes; see `theory.cost`."""

from __future__ import annotations

from theory.cost import Estimate, power

__all__ = ["counting", "words"]

_GIB = 2.0**30


def words(letters: int, length: int) -> Estimate:
    """All words of a length, a number a letter."""
    cells = power(letters, length) * max(length, 1)
    return Estimate(f"all words of length {length} over {letters} letters", 1e-8 * cells, 32.0 * cells / _GIB)


def counting(length: int, states: int, letters: int) -> Estimate:
    """Counts of accepted words by length: long integers, one a state, all kept for the answer."""
    digits = power(length, 2) / 16  # bytes of the answer
    return Estimate(
        f"counts of words up to length {length}",
        1e-7 * power(length, 1) * states * letters + 1e-9 * digits * states,
        digits / _GIB,
    )
