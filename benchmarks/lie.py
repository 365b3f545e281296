"""Medians of the Lie engine on one core, beside what they must and should reach: ``python -m benchmarks.lie``.

Each row is a name, a preparation, the work that is timed, and its two targets in milliseconds. ``first`` is the first call in
this process (tables built), ``warm`` the median of the following ones.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks import log_signature
from theory.lie import LieAlgebra, bch, named


class Row(NamedTuple):
    """A piece of work and its targets in milliseconds."""

    name: str
    prepare: Callable[[], Any]
    work: Callable[[Any], Any]
    must: float
    aim: float
    repeats: int = 7


def _series(constants: np.ndarray) -> tuple:
    algebra = LieAlgebra(constants)
    return algebra.derived_dimensions, algebra.lower_central_dimensions


def _bch_row(order: int, must: float, aim: float, repeats: int = 7) -> Row:
    return Row(f"BCH, Lyndon, exact, order {order}", lambda: order, bch, must, aim, repeats)


def _algebra_row(name: str, must: float, aim: float) -> Row:
    return Row(f"derived + lower central series, {name}", lambda: named(name).constants, _series, must, aim, 21)


THEORY = [
    _bch_row(10, 20, 2, 21),
    _bch_row(12, 100, 8, 21),
    _bch_row(14, 500, 30),
    _bch_row(16, 2000, 100),
    _bch_row(20, 120_000, 5000, 3),
    _algebra_row("so3", 1, 0.2),
    _algebra_row("sl3", 2, 0.5),
    _algebra_row("gl4", 30, 6),
    _algebra_row("upper6", 60, 16),
]


def measure(row: Row) -> tuple[float, float]:
    """The first call, and the median of the following ones, in milliseconds."""
    given = row.prepare()
    times = []
    for _ in range(row.repeats + 1):
        start = time.perf_counter()
        row.work(given)
        times.append(1e3 * (time.perf_counter() - start))
    return times[0], statistics.median(times[1:])


def peak_memory() -> float:
    """Peak memory in MiB of a fresh process that computes BCH to order 20."""
    code = "import resource; from theory.lie import bch; bch(20); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) / 1024


def main() -> None:
    """Print the table."""
    print(f"{'work':48}{'first':>10}{'warm':>10}{'must':>10}{'aim':>8}  ms")
    for row in THEORY:
        first, warm = measure(row)
        verdict = "aim" if warm <= row.aim else "must" if warm <= row.must else "MISSED"
        print(f"{row.name:48}{first:10.2f}{warm:10.2f}{row.must:10g}{row.aim:8g}  {verdict}")
    print(f"{'peak memory, BCH order 20, MiB':48}{peak_memory():20.0f}{2048:10}{300:8}")
    log_signature.main()  # value, gradient and compilation, with signax beside them


if __name__ == "__main__":
    main()
