"""Temporal formulas, by nesting depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_lowercase
from typing import Any

from hypothesis import strategies as st

from theory.checks import integer
from theory.logic import FALSE, TRUE, And, AtLeast, Atom, Count, Formula, Not, Or, Since, Until
from theory.strategies.sizes import alphabet, interval

__all__ = ["formulas"]

Draw = Callable[[st.SearchStrategy[Any]], Any]


def formulas(
    letters: str | Sequence[str] | int = "ab",
    *,
    min_depth: int = 0,
    max_depth: int = 2,
    past: bool = False,
    counts: bool = False,
    max_factor: int = 2,
) -> st.SearchStrategy[Formula]:
    """Formulas of temporal logic, of every shape that a nesting depth allows.

    Shrinks towards a single letter, through shorter formulas of smaller depth.

    Args:
        letters: The alphabet; or a number n, and the alphabet is drawn first: up to n of the letters a, b, c, ..
        min_depth: Smallest nesting depth.
        max_depth: Largest nesting depth.
        past: No operator looks at later positions.
        counts: Allow comparisons of counts, whose languages need not be regular.
        max_factor: Largest size of a factor or bound in such a comparison.

    Raises:
        ValueError: No depth is allowed, or the alphabet is not one.

    >>> from hypothesis import find, settings
    >>> print(find(formulas(), lambda formula: formula.depth == 1, settings=settings(database=None)))
    a S a
    """
    if isinstance(letters, int):
        most = integer("letters", letters, "the largest number of letters", least=1)
        if most > len(ascii_lowercase):
            raise ValueError(
                f"letters = {letters}: expected at most {len(ascii_lowercase)} letters a, b, c, ..; name more of them."
            )
        bounds = {"min_depth": min_depth, "max_depth": max_depth, "past": past, "counts": counts, "max_factor": max_factor}
        return st.integers(1, most).flatmap(lambda count: formulas(ascii_lowercase[:count], **bounds))
    names = alphabet(letters)
    low, high = interval("depth", min_depth, max_depth, smallest=0)
    interval("factor", 1, max_factor)
    kinds = ["since", *(["until"] * (not past)), *(["counts"] * counts)]
    return _formulas(low, high, (*map(Atom, names), TRUE, FALSE), kinds, st.integers(-max_factor, max_factor))


@st.composite
def _formulas(
    draw: Draw, low: int, high: int, leaves: tuple[Formula, ...], kinds: list[str], number: st.SearchStrategy[int]
) -> Formula:
    def temporal(depth: int) -> Formula:
        """A temporal operator: one of its parts has the depth below it, the others any smaller one."""
        deep, kind = dressed(depth - 1), draw(st.sampled_from(kinds))
        if kind == "counts":
            parts = [deep, *(shallow(depth - 1) for _ in range(draw(st.integers(0, 2))))]
            ahead = "until" in kinds
            return AtLeast(tuple(Count(draw(number), part, ahead and draw(st.booleans())) for part in parts), draw(number))
        sides = [deep, shallow(depth - 1)]
        left, right = sides[::-1] if draw(st.booleans()) else sides
        return Since(left, right) if kind == "since" else Until(left, right)

    def shallow(depth: int) -> Formula:
        return dressed(draw(st.integers(0, depth)))

    def plain(depth: int) -> Formula:
        return temporal(depth) if depth else draw(st.sampled_from(leaves))

    def dressed(depth: int) -> Formula:
        """A formula of exactly this depth, alone, negated, or joined with another one that is no deeper."""
        match draw(st.sampled_from(["alone", "not", "and", "or"])):
            case "alone":
                return plain(depth)
            case "not":
                return Not(plain(depth))
            case joined:
                parts = (plain(depth), plain(draw(st.integers(0, depth))))
                return And(parts) if joined == "and" else Or(parts)

    return dressed(draw(st.integers(low, high)))
