"""The cascade of an automaton as a drawing: levels in words, and the sets of states along a word."""

from __future__ import annotations

from collections.abc import Sequence

from depthjax.figures.cascades import CascadeDrawing
from theory.automata.cascade import Cascade

__all__ = ["drawing"]


def drawing(cascade: Cascade, word: str | Sequence[str] | Sequence[int], start: int | str = 0) -> CascadeDrawing:
    """Return what a diagram of the cascade shows while it reads a word.

    Args:
        cascade: The cascade, as `theory.automata.Semiautomaton.holonomy` gives it.
        word: Letters by name or number.
        start: State before the first letter, by name or number.

    Raises:
        ValueError: A letter or the state is unknown.

    >>> from theory.automata import semiautomaton
    >>> lamp = {"off": {"p": "on", "c": "off"}, "on": {"p": "off", "c": "off"}}
    >>> shown = drawing(semiautomaton(lamp).holonomy(), "pc", "off")
    >>> shown.levels, shown.chains, shown.run
    (('a group of order 2 on 2 tiles',), (('{off}',), ('{on}',), ('{off}',)), ('off', 'on', 'off'))
    """
    automaton = cascade.images.automaton
    numbers, state = automaton.numbers(word, start)
    coordinates = cascade.encode(state)
    chains = [_chain(cascade, coordinates)]
    for letter in numbers:
        coordinates = cascade.step(coordinates, letter)
        chains.append(_chain(cascade, coordinates))
    states = automaton.states or tuple(map(str, range(automaton.num_states)))
    letters = automaton.letters or tuple(map(str, range(automaton.num_letters)))
    run = tuple(states[int(q)] for q in (state, *automaton.run(numbers, state)))
    levels = tuple(
        ", ".join(f"{part.acts} on {len(part.tiles)} tiles" for part in level.components) for level in cascade.levels
    )
    return CascadeDrawing(states, letters, automaton.table, levels, tuple(letters[i] for i in numbers), tuple(chains), run)


def _chain(cascade: Cascade, coordinates: Sequence[int]) -> tuple[str, ...]:
    """The set that each level has narrowed the state down to; a level that the chain skips keeps the set above."""
    automaton, index, sets = cascade.images.automaton, 0, []
    for height, tile in zip(range(cascade.height, 0, -1), coordinates, strict=True):
        if cascade.heights[index] == height:
            index = int(cascade.tiles[index, tile])
        names = [automaton.states[q] if automaton.states else str(q) for q in cascade.images.members(index)]
        sets.append("{" + ", ".join(names) + "}")
    return tuple(sets)
