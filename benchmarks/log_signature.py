"""Log-signature against its peers in the same run: medians in milliseconds, value, value and gradient, compilation.

Run with `python benchmarks/log_signature.py` in an environment with the `oracles` and `bench` extras. Targets (one core): must
be faster than signax and compile in 3 s; aim at the numbers in the column of that name and, for the value, at the time of
pysiglib (C++).

A step costs 348, 670 and 1,086 multiply-adds of Horner's rule on the three workloads: 0.07, 0.13 and 0.05 ms in all on a core
that does eight in a cycle of 2.6 GHz. The rest of the time is the traffic of the signature between registers and cache, and
about 16 kernels and copies for each step.
"""

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
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


def compiled(function: Callable[[Array], object], argument: Array) -> tuple[Callable[[], object], float]:
    """The compiled call, and the seconds to trace and compile it."""
    start = time.perf_counter()
    call = jax.jit(function).lower(argument).compile()
    return lambda: jax.block_until_ready(call(argument)), time.perf_counter() - start


def medians(calls: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Median milliseconds of each call; the calls alternate, so other work on the machine slows all of them alike."""
    runs = {name: [] for name in calls}
    for _ in range(repetitions + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            runs[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(times[1:]) for name, times in runs.items()}


def rows(workload: Workload, repetitions: int = 100) -> list[dict[str, Any]]:
    """One row for the value and one for value and gradient, with the peers that are installed beside it."""
    signax, pysiglib = (import_module(name) if find_spec(name) else None for name in ("signax", "pysiglib"))
    batch, length, channels, order = workload[:4]
    key = jax.random.key(0)
    increments = jax.random.normal(key, (batch, length, channels), jnp.float64) / length**0.5
    path = jnp.concatenate([jnp.zeros((batch, 1, channels)), jnp.cumsum(increments, axis=1)], axis=1)
    result = []
    for what, aim in (("value", workload.aim_value), ("value and gradient", workload.aim_gradient)):
        row: dict[str, Any] = {"workload": str(workload[:4]), "what": what, "aim": aim}
        contenders = {"depthjax": (lambda x: log_signature(x, order), increments)}
        if signax is not None:
            contenders["signax"] = (lambda x: signax.logsignature(x, order), path)
        calls = {}
        for name, (function, argument) in contenders.items():
            if what != "value":
                function = jax.value_and_grad(lambda x, f=function: jnp.sum(f(x) ** 2))
            calls[name], row[f"{name} compile"] = compiled(function, argument)
        if pysiglib is not None and what == "value":
            points = np.array(path)
            pysiglib.prepare_log_sig(channels, order, 2)
            calls["pysiglib"] = lambda points=points: pysiglib.log_sig(points, order, method=2)
        result.append(row | medians(calls, repetitions))
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
        "ratio",
        "pysiglib (aim)",
        "ratio",
        "aim",
        "compile (aim 0.7, must 3)",
    ):
        table.add_column(heading, justify="right")
    for workload in WORKLOADS:
        for row in rows(workload):
            beside = []
            for peer in ("signax", "pysiglib"):
                time_of = row.get(peer)
                beside += [f"{time_of:.2f}", f"{time_of / row['depthjax']:.1f}x"] if time_of else ["-", "-"]
            ours, compilation = f"{row['depthjax']:.2f}", f"{row['depthjax compile']:.2f}"
            table.add_row(row["workload"], row["what"], ours, *beside, str(row["aim"]), compilation)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
