"""Medians of the Lie engine on one core, beside what they must and should reach: ``python -m benchmarks.lie``.

Each row is a name, a preparation, the work that is timed, and its two targets in milliseconds. ``first`` is the first call in
this process (tables built), ``median`` that of the following ones.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks import log_signature
from benchmarks.rows import Row, table
from theory.lie import LieAlgebra, bch, named


def _series(constants: np.ndarray) -> tuple:
    algebra = LieAlgebra(constants)
    return algebra.derived_dimensions, algebra.lower_central_dimensions


def _fractions(order: int) -> object:
    return bch(order).terms  # without reading them, the series has its integers over a common denominator alone


def _bch_row(order: int, must: float, aim: float, repeats: int = 7) -> Row:
    return Row(f"BCH, Lyndon, exact, order {order}", lambda: order, _fractions, must, aim, repeats)


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


def peak_memory() -> float:
    """Peak memory in MiB of a fresh process that computes BCH to order 20."""
    code = "from resource import *; from theory.lie import bch; bch(20).terms; print(getrusage(RUSAGE_SELF).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) / 1024


def main() -> None:
    """Print the table."""
    table(THEORY)
    print(f"{'peak memory, BCH order 20, MiB':48}{peak_memory():20.0f}{2048:10}{300:8}")
    log_signature.main()  # value, gradient and compilation, with signax beside them


if __name__ == "__main__":
    main()
