"""The parts of the benchmark: what each measures, at which sizes, and its share of the time."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Part:
    """A part.

    Attributes:
        weight: Its share of the time; what a part leaves, the following ones have.
        wide: It needs float64.
        rows: (toy, late, bytes of the device or None) -> its rows; it begins nothing new when `late()` holds.
        columns: Of its table.
    """

    weight: float
    wide: bool
    rows: Callable[[bool, Callable[[], bool], int | None], Iterator[Row]]
    columns: tuple[str, ...]


def _kernels(toy: bool, late: Callable[[], bool], room: int | None) -> Iterator[Row]:
    from benchmarks.accelerator.kernels import rows
    from benchmarks.accelerator.programs import Sizes

    some = ("affine_scan, sequential", "modular_sum by scan", "mixer rnn")
    if toy:
        return rows(Sizes(16, 1, 8), late, lambda program: program.name.endswith(some))
    return rows(Sizes(), late)


def _speed(toy: bool, late: Callable[[], bool], room: int | None) -> Iterator[Row]:
    from benchmarks.accelerator.speed import ALONE, ALONE_TOYS, SHAPES, TOYS, rows

    return rows(TOYS, late, ("rnn",), room, ALONE_TOYS) if toy else rows(SHAPES, late, room=room, alone=ALONE)


def _ensemble(toy: bool, late: Callable[[], bool], room: int | None) -> Iterator[Row]:
    from benchmarks.accelerator.side_by_side import TOY, Grid, rows

    return rows(TOY if toy else Grid(), late)


def _studies(toy: bool, late: Callable[[], bool], room: int | None) -> Iterator[Row]:
    from benchmarks.accelerator.cells import ORDER, rows

    if toy:
        return rows("reduced", late, room, seconds=0.0, least=1, names=("composition",))
    return rows("card", late, room, names=ORDER)


def _memory(toy: bool, late: Callable[[], bool], room: int | None) -> Iterator[Row]:
    from benchmarks.accelerator.speed import SHAPES, TOYS, memory_rows

    return memory_rows(TOYS[0], late, ("rnn",), room) if toy else memory_rows(SHAPES[0], late, room=room)


# in the order of their worth
PARTS = {
    "kernels": Part(3, True, _kernels, ("kernel", "dtype", "error", "budget", "gradient_error", "gradient_budget", "verdict")),
    "speed": Part(
        3,
        False,
        _speed,
        (
            "mixer",
            "shape",
            "arithmetic",
            "what",
            "seconds",
            "tokens_per_second",
            "published",
            "tflops",
            "gb_per_second",
            "planned_bytes",
            "compile_seconds",
        ),
    ),
    "ensemble": Part(1, False, _ensemble, ("way", "runs", "seconds_a_network_step", "seconds", "compile_seconds", "lanes")),
    "studies": Part(
        2.5,
        False,
        _studies,
        (
            "study",
            "cell",
            "runs",
            "seconds_a_step",
            "tokens_per_second",
            "utilisation",
            "hours",
            "dry_run_hours",
            "needed_bytes",
            "peak_bytes",
            "compile_seconds",
        ),
    ),
    "memory": Part(0.5, False, _memory, ("mixer", "length", "width", "bytes_per_token", "fixed_bytes", "largest_batch")),
}
