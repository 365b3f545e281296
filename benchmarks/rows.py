"""Rows of a table of times: a piece of work, its first call, the median of the following ones, and its targets."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A piece of work and its targets in milliseconds; ``prepare`` is not timed."""

    name: str
    prepare: Callable[[], Any]
    work: Callable[[Any], Any]
    must: float
    aim: float
    repeats: int = 7


def measure(row: Row, fresh: bool) -> tuple[float, float]:
    """The first call, and the median of the following ones, in milliseconds; `fresh` prepares every call anew."""
    times, given = [], row.prepare()
    for number in range(row.repeats + 1):
        given = row.prepare() if fresh and number else given
        start = time.perf_counter()
        row.work(given)
        times.append(1e3 * (time.perf_counter() - start))
    return times[0], statistics.median(times[1:])


def table(rows: Sequence[Row], fresh: bool = False) -> None:
    """Print the rows with their verdicts."""
    print(f"{'work':48}{'first':>10}{'median':>10}{'must':>10}{'aim':>8}  ms")
    for row in rows:
        first, median = measure(row, fresh)
        verdict = "aim" if median <= row.aim else "must" if median <= row.must else "MISSED"
        print(f"{row.name:48}{first:10.2f}{median:10.2f}{row.must:10g}{row.aim:8g}  {verdict}")
