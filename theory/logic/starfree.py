r"""From an aperiodic automaton back to a formula: one since-operator for each level of its reset cascade.

The minimal automaton of a star-free language is aperiodic, so all holonomy groups are trivial, and each level of its cascade
either writes a tile or keeps its tile, as the letter and the levels above decide. Tile c stands before position i if

    v_c  =  (!w) S w_c   or   [c is the initial tile] and H !w,

where w_c = "this level writes c here" and w = "this level writes here" are formulas over the letter and the tiles of the levels
above *before* this letter; their depth is one less. The state after the last letter is a Boolean combination of the letter and
of the tiles before the letter. So the depth is the number of levels, and with one attention layer for each level the language
has a hard attention program.

This is the direction "aperiodic implies star-free" of Schuetzenberger's theorem (1965) by the proof of Meyer (1969) and of
Maler and Pnueli (1990); the formulas are derived here and checked against the automaton.
"""

from __future__ import annotations

import itertools

import numpy as np

from theory.automata import Dfa
from theory.automata.images import images
from theory.cost import refuse
from theory.errors import OutsideHypotheses
from theory.logic.cost import levels
from theory.logic.formula import FALSE, Atom, Formula, Not, Since
from theory.logic.operators import all_of, always_before, any_of

__all__ = ["formula_of"]

# when the chains before and after a letter are at two sets, by these sets and the letter
_Here = dict[tuple[int, int, int], Formula]


def formula_of(dfa: Dfa) -> Formula:
    """A formula of the past that holds at the last position of exactly the non-empty words of a star-free language.

    Its depth is at most the number of levels of the holonomy cascade of the minimal automaton, hence at most its number of
    classes of images with several states. The formula shares its parts; printed as a tree, it may be very long.

    Raises:
        OutsideHypotheses: The language is not star-free; the message shows a word that permutes states without fixing them.
        TooExpensive: The automaton has too many images, see `theory.cost`; a chain of 2000 states takes half a minute.

    >>> from theory.logic import minimal_dfa, regular
    >>> dfa = regular("(ab)*")
    >>> formula = formula_of(dfa)
    >>> formula.depth, bool((minimal_dfa(formula, "ab").counts(6)[1:] == dfa.counts(6)[1:]))
    (2, True)
    """
    if not isinstance(dfa, Dfa):
        raise TypeError(f"dfa = {dfa!r:.60}: expected an automaton that accepts words, such as regular('(ab)*').")
    minimal = dfa.minimal
    witness = minimal.period_witness()
    if witness is not None:
        word, states = witness
        raise OutsideHypotheses(
            "a formula of linear temporal logic",
            [
                (
                    f"the minimal automaton is aperiodic; {' '.join(word)} permutes its states {', '.join(map(str, states))}",
                    False,
                )
            ],
            given=minimal.automaton.name,
            remedy="a counter modulo the period is needed, which a cascade of resets lacks (theory.automata: holonomy)",
        )
    refuse(levels(minimal.automaton.name, images(minimal.automaton).sizes))
    cascade = minimal.automaton.holonomy("group")  # no group grows, so there are none
    initial, tiles, heights = cascade.encode(0), cascade.tiles, np.asarray(cascade.heights).tolist()
    here: _Here = {(0, 0, i): Atom(letter) for i, letter in enumerate(minimal.letters)}
    for level, height in enumerate(range(cascade.height, 0, -1)):
        writes: dict[int, list[Formula]] = {}
        for (old, new, letter), when in here.items():
            if heights[new] == height and isinstance(tile := cascade.action(old, new, letter), int):
                writes.setdefault(tile, []).append(when)
        width = tiles.shape[1]
        written = any_of(itertools.chain.from_iterable(writes.values()))
        value = {tile: _value(any_of(writes.get(tile, [])), written, tile == initial[level]) for tile in range(width)}
        below: dict[tuple[int, int, int], list[Formula]] = {}
        for key, when in here.items():
            old, new, letter = key
            if height not in (heights[old], heights[new]):  # most of a long chain, at every level
                below.setdefault(key, []).append(when)
                continue
            for tile in range(width):
                after = tile
                if heights[new] == height and isinstance(action := cascade.action(old, new, letter), int):
                    after = action
                next_old, next_new = (int(tiles[s, t]) if heights[s] == height else s for s, t in ((old, tile), (new, after)))
                if min(next_old, next_new) >= 0:
                    below.setdefault((next_old, next_new, letter), []).append(all_of([when, value[tile]]))
        here = {
            key: found for key, parts in below.items() if (found := parts[0] if len(parts) == 1 else any_of(parts)) != FALSE
        }
    ends = cascade.images.contains.argmax(axis=1)  # the state in a singleton
    found = any_of(when for (_, new, _), when in here.items() if minimal.accepting[ends[new]])
    return found


def _value(writes: Formula, written: Formula, initial: bool) -> Formula:
    """When the coordinate before this letter is a tile: the tile was written last, or is initial and nothing was written."""
    last = any_of([]) if writes == any_of([]) else Since(Not(written), writes)
    return any_of([last, always_before(Not(written))]) if initial else last
