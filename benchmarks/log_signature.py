"""Log-signature against signax in the same run: medians in milliseconds, value, value and gradient, compilation.

Run with `python benchmarks/log_signature.py` in an environment with the `oracles` extra. Targets (one core): must be
faster than signax and compile in 3 s; aim at the numbers in the column of that name.
"""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from rich.console import Console
from rich.table import Table

from depthjax import log_signature


class Workload(NamedTuple):
    """Sizes, and the aims in milliseconds for the value and for value and gradient."""

    batch: int
    length: int
    channels: int
    order: int
    aim_value: float
    aim_gradient: float


WORKLOADS = (Workload(32, 128, 3, 5, 1.0, 6.5), Workload(32, 128, 2, 8, 2.3, 16.0), Workload(1, 1000, 3, 6, 0.8, 5.0))


def seconds(function: Callable[[Array], object], argument: Array, repetitions: int) -> tuple[float, float]:
    """Seconds to trace and compile, and the median of the warm runs."""
    start = time.perf_counter()
    compiled = jax.jit(function).lower(argument).compile()
    compilation = time.perf_counter() - start
    runs = []
    for _ in range(repetitions + 1):
        start = time.perf_counter()
        jax.block_until_ready(compiled(argument))
        runs.append(time.perf_counter() - start)
    return compilation, statistics.median(runs[1:])


def rows(workload: Workload, repetitions: int = 100) -> list[dict[str, object]]:
    """One row for the value and one for value and gradient, each with signax beside it (None where it is not installed)."""
    try:
        import signax
    except ImportError:
        signax = None
    batch, length, channels, order = workload[:4]
    key = jax.random.key(0)
    increments = jax.random.normal(key, (batch, length, channels), jnp.float64) / length**0.5
    path = jnp.concatenate([jnp.zeros((batch, 1, channels)), jnp.cumsum(increments, axis=1)], axis=1)
    result = []
    for what, aim in (("value", workload.aim_value), ("value and gradient", workload.aim_gradient)):
        row: dict[str, object] = {"workload": str(workload[:4]), "what": what, "aim": aim}
        contenders = {"depthjax": (lambda x: log_signature(x, order), increments)}
        if signax is not None:
            contenders["signax"] = (lambda x: signax.logsignature(x, order), path)
        for name, (function, argument) in contenders.items():
            if what != "value":
                function = jax.value_and_grad(lambda x, f=function: jnp.sum(f(x) ** 2))
            compilation, run = seconds(function, argument, repetitions)
            row[name], row[f"{name} compile"] = 1e3 * run, compilation
        result.append(row)
    return result


def main() -> None:
    """Print the table."""
    jax.config.update("jax_enable_x64", True)
    table = Table(title="log-signature, float64, ms (median); compile in s")
    for heading in (
        "batch, length, channels, order",
        "what",
        "depthjax",
        "signax (must)",
        "aim",
        "ratio",
        "compile (aim 0.7, must 3)",
    ):
        table.add_column(heading, justify="right")
    for workload in WORKLOADS:
        for row in rows(workload):
            peer = row.get("signax")
            ratio = f"{peer / row['depthjax']:.1f}x" if peer else "-"
            peer = f"{peer:.2f} (compile {row['signax compile']:.2f})" if peer else "not installed"
            ours = f"{row['depthjax']:.2f}"
            table.add_row(row["workload"], row["what"], ours, peer, str(row["aim"]), ratio, f"{row['depthjax compile']:.2f}")
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
