"""What automata cost, from their states and letters; see `theory.cost`. A monoid is told of as far as it has been listed."""

from __future__ import annotations

from theory.cost import Estimate, power

__all__ = ["monoid", "table"]

_GIB = 2.0**30


def table(name: str, states: float, letters: float) -> Estimate:
    """Writing down a table."""
    entries = states * letters
    return Estimate(f"the table of {name} ({states:.6g} states, {letters:.6g} letters)", 1e-7 * entries, 60.0 * entries / _GIB)


def monoid(name: str, size: int, states: int, letters: int) -> Estimate:
    """Listing so many elements and their products with the letters, and their powers."""
    cells = power(size, 1) * states
    work = f"the transition monoid of {name} ({states} states, more than {size} elements)"
    return Estimate(work, 1e-6 * size * letters + 3e-8 * cells * (letters + 20), (40.0 * cells + 16.0 * cells * letters) / _GIB)
