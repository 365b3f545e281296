"""Temporal formulas, by nesting depth."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from theory.logic import And, AtLeast, Atom, Count, Formula, Not, Or, Since, Until
from theory.strategies.sizes import alphabet, interval

__all__ = ["formulas"]

LEAVES = 3
"""Largest number of parts that Boolean operators join between two temporal operators."""


def formulas(
    letters: str | Sequence[str] = "ab",
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
        letters: The alphabet.
        min_depth: Smallest nesting depth.
        max_depth: Largest nesting depth.
        past: No operator looks at later positions.
        counts: Allow comparisons of counts, whose languages need not be regular.
        max_factor: Largest size of a factor or bound in such a comparison.

    Raises:
        ValueError: The depths are none, or the alphabet is none.

    >>> from hypothesis import find, settings
    >>> print(find(formulas(), lambda formula: formula.depth == 1, settings=settings(database=None)))
    a S a
    """
    names = alphabet(letters)
    low, high = interval("depth", min_depth, max_depth, smallest=0)
    interval("factor", 1, max_factor)
    number = st.integers(-max_factor, max_factor)
    at_most: list[st.SearchStrategy[Formula]] = []  # formulas of depth at most d
    exactly: list[st.SearchStrategy[Formula]] = []
    for depth in range(high + 1):
        if depth == 0:
            exact: st.SearchStrategy[Formula] = _boolean(st.sampled_from(names).map(Atom))
        else:
            deep, any_depth = exactly[-1], at_most[-1]
            sides = st.one_of(st.tuples(deep, any_depth), st.tuples(any_depth, deep))
            kinds = [sides.map(lambda pair: Since(*pair))]
            if not past:
                kinds.append(sides.map(lambda pair: Until(*pair)))
            if counts:
                ahead = st.just(False) if past else st.booleans()
                first, others = (st.builds(Count, number, of, ahead) for of in (deep, any_depth))
                several = st.tuples(first, st.lists(others, max_size=2)).map(lambda parts: (parts[0], *parts[1]))
                kinds.append(st.builds(AtLeast, several, number))
            temporal = st.one_of(kinds)
            with_others = st.tuples(temporal, _boolean(st.one_of(any_depth, temporal)))
            joined = [temporal, temporal.map(Not), with_others.map(And), with_others.map(Or)]
            exact = st.one_of(joined)
        exactly.append(exact)
        at_most.append(st.one_of(at_most[-1], exact) if at_most else exact)
    return st.one_of(exactly[low:])


def _boolean(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    """Combinations of a few parts by Boolean operators."""

    def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        pairs = st.tuples(inner, inner)
        return st.one_of(inner.map(Not), pairs.map(And), pairs.map(Or))

    return st.recursive(parts, larger, max_leaves=LEAVES)
