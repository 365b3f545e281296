"""Cost estimates of automata, from the numbers of states and letters; see `theory.cost`."""

from __future__ import annotations

from collections.abc import Sequence

from theory.cost import Estimate, power

__all__ = [
    "alignment",
    "counts",
    "decomposition",
    "monoid",
    "permutations",
    "positions",
    "sets",
    "stabilizers",
    "subsets",
    "table",
]

_GIB = 2.0**30


def table(name: str, states: float, letters: float) -> Estimate:
    """Cost of a transition table."""
    entries = states * letters
    return Estimate(f"the table of {name} ({states:.6g} states, {letters:.6g} letters)", 1e-7 * entries, 60.0 * entries / _GIB)


def sets(name: str, found: int, states: int, letters: int) -> Estimate:
    """Cost of the images found so far, of their moves, and of the walk through them that finds the groups inside."""
    work = f"the images of {name} ({states} states, more than {found} sets; the scan needs the table alone)"
    cells = power(found, 1) * states
    return Estimate(
        work, found * letters * (1e-5 + 5e-8 * states), (cells * (letters + 10) + found * (300.0 + 20 * letters)) / _GIB
    )


def decomposition(name: str, found: int, states: int) -> Estimate:
    """Cost of comparing all pairs of images."""
    pairs = power(found, 2)
    work = f"the decomposition of {name} ({states} states, {found} sets in pairs; the scan needs the table alone)"
    return Estimate(work, pairs * (3e-8 + 4e-10 * states), 6.0 * pairs / _GIB)


def alignment(name: str, slides: float, states: int) -> Estimate:
    """Cost of the slides of images that were compared so far, each a permutation of at most this many states."""
    work = f"the levels that images of {name} share ({states} states, more than {slides:.6g} slides compared)"
    return Estimate(work, slides * (5e-6 + 2e-7 * states))


def monoid(name: str, size: int, states: int, letters: int) -> Estimate:
    """Cost of the elements listed so far, their products with the letters, and their powers."""
    cells = power(size, 1) * states
    work = f"the transition monoid of {name} ({states} states, more than {size} elements)"
    return Estimate(work, 1e-6 * size * letters + 3e-8 * cells * (letters + 20), (40.0 * cells + 16.0 * cells * letters) / _GIB)


def permutations(points: int) -> Estimate:
    """Cost of a first look at a group of permutations: the chain of stabilizers that random products show."""
    return Estimate(_series(points), 5e-7 * power(points, 3), 8e-6 * power(points, 2) / 1024)


def stabilizers(points: int, orbits: Sequence[int], generators: Sequence[int]) -> Estimate:
    """Cost of the order and the derived series of a group of permutations, from its chain of stabilizers (Schreier and Sims).

    Each point of an orbit and each generator give one product, which passes all orbits of the chain.
    """
    products = sum(orbit * number for orbit, number in zip(orbits, generators, strict=True))
    return Estimate(_series(points), 1e-7 * products * len(orbits) * points, 8.0 * sum(orbits) * points / _GIB)


def _series(points: int) -> str:
    return f"the derived series of a group of permutations of {points} states"


def positions(name: str, letters: int, positions: int) -> Estimate:
    """Cost of the positions of a regular expression: the set of positions that may follow each of them."""
    work = f"the {positions:.6g} positions of the expression {_short(name)}"
    cells = power(positions, 2)
    return Estimate(work, 1e-5 * positions + 1e-7 * positions * letters + 1e-10 * cells, (cells / 8 + 500.0 * positions) / _GIB)


def subsets(name: str, states: int, letters: int, positions: int) -> Estimate:
    """Cost of the sets of positions found so far, of their transitions, and of merging equivalent sets."""
    work = f"the automaton of the expression {_short(name)} (more than {states} states before any are merged)"
    seconds = states * (1e-7 * positions + 2e-5 * letters)
    return Estimate(work, seconds, states * (300.0 + positions / 8 + 60.0 * letters) / _GIB)


def counts(length: int, states: int, letters: int) -> Estimate:
    """Cost of the numbers of words by length: one long integer for each state, and all answers."""
    digits = power(length, 2) / 16  # bytes of the answer
    return Estimate(
        f"counts of words up to length {length}",
        1e-7 * power(length, 1) * states * letters + 1e-9 * digits * states,
        digits / _GIB,
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
