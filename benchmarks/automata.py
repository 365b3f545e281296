"""Medians of decompositions of automata beside their targets: ``python -m benchmarks.automata``."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from theory.automata import Semiautomaton, semiautomaton


class Row(NamedTuple):
    """A piece of work over several automata; the median over them must stay below so many seconds of processor time."""

    name: str
    automata: Iterable[Semiautomaton]
    work: Callable[[Semiautomaton], Any]
    must: float


def _random(states: int, letters: int = 3, number: int = 15) -> list[Semiautomaton]:
    rng = np.random.default_rng(states)
    return [semiautomaton(rng.integers(0, states, (states, letters))) for _ in range(number)]


def _programmed(automaton: Semiautomaton) -> Any:
    cascade = automaton.holonomy()
    return cascade.levels, automaton.is_solvable and cascade.program()


ROWS = [
    Row("monoid of A9, 181440 elements", [semiautomaton("A9")], Semiautomaton.transition_monoid, 5.0),
    Row("monoids, 7 states, 2 random letters", _random(7, 2), Semiautomaton.transition_monoid, 5.0),
    Row("holonomy and its program, 6 states", _random(6), _programmed, 1.0),
    Row("holonomy and its program, 8 states", _random(8), _programmed, 20.0),
    Row("holonomy and its program, 10 states", _random(10, number=5), _programmed, 60.0),
]


def memory() -> float:
    """MiB that the largest of the monoids above takes at its highest."""
    tracemalloc.start()
    semiautomaton("A9").transition_monoid()
    return tracemalloc.get_traced_memory()[1] / 2**20


def main() -> None:
    """Print the table."""
    print(f"{'work':40}{'median':>10}{'slowest':>10}{'must':>8}  s")
    for row in ROWS:
        seconds = []
        for automaton in row.automata:
            start = time.process_time()
            row.work(automaton)
            seconds.append(time.process_time() - start)
        median = statistics.median(seconds)
        print(
            f"{row.name:40}{median:10.3f}{max(seconds):10.3f}{row.must:8g}  {'' if median <= row.must else 'MISSED'}",
            flush=True,
        )
    print(f"{'memory of the monoid of A9':40}{memory():10.0f}{'':10}{500:8}  MiB")


if __name__ == "__main__":
    main()
