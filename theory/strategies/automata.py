"""Semiautomata, automata with accepting states, and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory.automata import Dfa, Semiautomaton
from theory.checks import positive_integer
from theory.strategies.sizes import alphabet, interval, refused

__all__ = ["dfas", "semiautomata", "words"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

_FIVE_CYCLE, _THREE_CYCLE = (1, 2, 3, 4, 0), (1, 2, 0, 3, 4)  # they generate A5


def semiautomata(
    *,
    min_states: int = 1,
    max_states: int = 4,
    min_letters: int = 1,
    max_letters: int = 3,
    invertible: bool = False,
    aperiodic: bool | None = None,
    solvable: bool | None = None,
) -> st.SearchStrategy[Semiautomaton]:
    """Semiautomata with any table of the given size.

    Shrinks towards one state and one letter, and towards letters that lead to state 0.

    Args:
        min_states: Smallest number of states.
        max_states: Largest number of states.
        min_letters: Smallest number of letters.
        max_letters: Largest number of letters.
        invertible: Every letter permutes the states.
        aperiodic: True: every letter preserves one hidden order of the states, which makes all groups inside trivial (a large
            class of aperiodic automata, not all). False: some word permutes states without fixing them. None: any table.
        solvable: True: every group inside is solvable. False: two letters generate A5 on five of the states. None: any table.

    Raises:
        ValueError: The bounds are no sizes, or contradict each other.

    >>> from hypothesis import find, settings
    >>> find(semiautomata(), lambda automaton: not automaton.is_aperiodic, settings=settings(database=None)).table.tolist()
    [[1], [0]]
    """
    low, high = interval("states", min_states, max_states)
    fewest, most = interval("letters", min_letters, max_letters)
    if aperiodic and solvable is False:
        raise refused("semiautomata", "aperiodic=True, solvable=False", "trivial groups are solvable", "drop one of the two")
    if aperiodic and invertible:
        why = "the letters of such an automaton move nothing"
        raise refused("semiautomata", "aperiodic=True, invertible=True", why, "drop one of the two")
    if aperiodic is False and high < 2:
        raise refused("semiautomata", f"max_states={high}, aperiodic=False", "one state never moves", "raise max_states to 2")
    if solvable is False and (high < 5 or most < 2):
        why = "all groups on fewer than five states, and all groups with one generator, are solvable"
        wanted = f"max_states={high}, max_letters={most}, solvable=False"
        raise refused("semiautomata", wanted, why, "allow five states and two letters")
    low = max(low, 5 if solvable is False else 2 if aperiodic is False else 1)
    fewest = max(fewest, 2 if solvable is False else 1)

    @st.composite
    def drawn(draw: Draw) -> Semiautomaton:
        states, letters = draw(st.integers(low, high)), draw(st.integers(fewest, most))
        columns = [draw(_letter(states, invertible, bool(aperiodic))) for _ in range(letters)]
        if solvable is False:
            columns[:2] = [[*cycle, *column[5:]] for cycle, column in zip((_FIVE_CYCLE, _THREE_CYCLE), columns, strict=False)]
            if invertible:
                columns[:2] = [[*column[:5], *range(5, states)] for column in columns[:2]]
        table = np.array(columns, np.int64).T
        if aperiodic:
            new = np.array(draw(st.permutations(range(states))))
            table = new[table[np.argsort(new)]]
        return Semiautomaton.from_table(table.tolist())

    found = drawn()
    if aperiodic is False:
        found = found.filter(lambda automaton: not automaton.is_aperiodic)
    return found.filter(lambda automaton: automaton.is_solvable) if solvable and high > 4 else found


def _letter(states: int, invertible: bool, ordered: bool) -> st.SearchStrategy[Sequence[int]]:
    if invertible:
        return st.permutations(range(states))
    column = st.lists(st.integers(0, states - 1), min_size=states, max_size=states)
    return column.map(sorted) if ordered else column


def dfas(
    *,
    letters: str | Sequence[str] = "ab",
    min_states: int = 1,
    max_states: int = 4,
    star_free: bool | None = None,
    minimal: bool = False,
) -> st.SearchStrategy[Dfa]:
    """Deterministic automata with accepting states; state 0 is the initial state.

    Shrinks towards one state that rejects everything.

    Args:
        letters: The alphabet.
        min_states: Smallest number of states, before unreachable and equivalent states are merged.
        max_states: Largest number of states.
        star_free: Whether the language is star-free; None for any.
        minimal: Return the minimal automaton, which may have fewer states.

    Raises:
        ValueError: The bounds are not sizes, or contradict each other, or the alphabet is not one.

    >>> from hypothesis import find, settings
    >>> find(dfas(), lambda dfa: bool(dfa.accepts("ab")), settings=settings(database=None)).num_states
    1
    """
    names = alphabet(letters)
    if star_free is False and max_states < 2:
        raise refused("dfas", f"max_states={max_states}, star_free=False", "one state has no period", "raise max_states to 2")
    tables = semiautomata(
        min_states=min_states,
        max_states=max_states,
        min_letters=len(names),
        max_letters=len(names),
        aperiodic=star_free,
    )

    @st.composite
    def drawn(draw: Draw) -> Dfa:
        automaton = draw(tables)
        accepting = draw(st.lists(st.booleans(), min_size=automaton.num_states, max_size=automaton.num_states))
        dfa = Dfa(automaton, np.array(accepting), names)
        return dfa.minimal if minimal else dfa

    found = drawn()
    return found.filter(lambda dfa: not dfa.is_star_free) if star_free is False else found


def words(
    letters: int | Sequence[str] | Any = 2, *, min_length: int = 0, max_length: int = 8
) -> st.SearchStrategy[tuple[int, ...]] | st.SearchStrategy[tuple[str, ...]]:
    """Words as tuples of letters; they shrink towards short words of the first letter.

    Args:
        letters: The number of letters, for words of the indices 0 .. letters - 1; an automaton, for words over its letters; or
            an alphabet of texts, for words of these texts.
        min_length: Smallest length.
        max_length: Largest length.

    Raises:
        ValueError: No length is allowed, or there is no letter.

    >>> from hypothesis import find, settings
    >>> find(words(3), lambda word: 2 in word, settings=settings(database=None))
    (2,)
    """
    low, high = interval("length", min_length, max_length, smallest=0)
    count = getattr(letters, "num_letters", letters)
    if isinstance(count, Sequence):
        names: Any = st.sampled_from(alphabet(count))
    else:
        names = st.integers(0, positive_integer("letters", count, "the size of the alphabet") - 1)
    return st.lists(names, min_size=low, max_size=high).map(tuple)
