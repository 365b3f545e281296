"""What ``--dry-run`` prints: the cost of a sweep or of claims, counted where it can be counted and else said as an estimate."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from depthjax.runs.children import machine_memory
from experiments.studies.accelerators import ACCELERATORS, CardTooSmall, check_memory, hours
from experiments.terminal import console, number, print_json, printable, usage, warn

GIB = 2**30
PAUSE = 10.0  # seconds between two words about what is counted


def sweep_cost(sweep, accelerator: str | None, utilisation: float, *, as_json: bool) -> int:
    """Print what a sweep costs, and return exit code 0.

    Raises:
        UsageError: the largest cell does not fit into the accelerator that was named.
    """
    if as_json:
        print_json(found := _estimated(sweep, accelerator, utilisation))
    else:
        found = _estimated(sweep, accelerator, utilisation, _print)
        _print(_measured(found))
    if device := found["accelerator"]:
        with usage(CardTooSmall):
            check_memory(f"the largest cell, on {accelerator},", device["needed_gib"] * GIB, device["memory_gib"] * GIB)
    return 0


def tell_paper(paper, setting: str, sweep) -> None:
    """Say on standard error what a study is, where it deviates from its paper, and what its setting costs."""
    warn(f"{paper.title}; {paper.source}")
    for sentence in paper.deviations:
        warn(sentence)
    if setting == "reduced":
        warn("its sizes were chosen for two hours of two cores; --dry-run estimates the hours here")
        return

    def tell(lines: Sequence[str]) -> None:
        for line in lines:
            warn(line)

    tell(_measured(_estimated(sweep, None, 0.0, tell)))


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        console().print(line, markup=False, soft_wrap=True)


def _telling() -> Callable[[str], None]:
    """Return what says on standard error, now and then, how far an estimate is."""
    last = time.monotonic()

    def tell(how_far: str) -> None:
        nonlocal last
        if time.monotonic() - last > PAUSE:
            last = time.monotonic()
            warn(how_far)

    return tell


def _estimated(
    sweep, accelerator: str | None, utilisation: float, tell_counted: Callable[[Sequence[str]], None] = lambda lines: None
) -> dict[str, Any]:
    """Count, say what is counted, and then measure, which takes longer."""
    from depthjax.runs.provenance import configure
    from experiments.studies.configuration import SweepError
    from experiments.studies.cost import CALIBRATION, calibrate, cost

    configure("float32", cache=True, split=True)
    tell = _telling()
    with usage(SweepError, ValueError):
        studies = sweep.studies()
        found = cost(studies, lambda done: tell(f"{done} of {len(studies)} cells are counted"))
    said: dict[str, Any] = {
        "cells": found.cells,
        "network_steps": found.network_steps,
        "tokens": found.tokens,
        "operations": found.operations,
        "memory_gib": found.memory / GIB,
    }
    tell_counted(_counted(said))
    fits = found.memory <= machine_memory()  # a network that this machine cannot hold is not tried on it
    with usage(SweepError, ValueError):
        speed = calibrate(studies, CALIBRATION, lambda kind: tell(f"the speed of {kind} is measured")) if fits else None
    said["hours_here"] = speed and speed.hours(found)
    said["calibration"] = speed and {
        "seconds": CALIBRATION,
        "network_steps_per_second": dict(speed.rate),
        "cells": dict(speed.cell),
        "uncertainty": speed.uncertainty(found),
    }
    return said | {"accelerator": _on(accelerator, found.operations, utilisation, found.together)}


def _on(accelerator: str | None, operations: float, utilisation: float, needs: float) -> dict[str, Any] | None:
    """What is known of an accelerator, and estimated of so many operations and a cell that needs so many bytes there."""
    if accelerator is None:
        return None
    device = ACCELERATORS[accelerator]
    known = {"name": accelerator, "peak": device.peak, "arithmetic": device.how, "utilisation": utilisation}
    memory = {"memory_gib": device.memory / GIB, "needed_gib": needs / GIB}
    return known | {"hours": hours(operations, accelerator, utilisation)} | memory


def _counted(found: Mapping[str, Any]) -> Sequence[str]:
    """What is counted, as text."""
    return [
        f"cells          {found['cells']:,}",
        f"network-steps  {found['network_steps']:,} at most; a run that reaches its metric stops earlier",
        f"tokens         {number(found['tokens'], 3)}",
        f"memory         {number(found['memory_gib'], 3)} GiB for the largest cell: weights, moments, and a gradient as XLA "
        f"plans it{_unfit(found['memory_gib'], machine_memory() / GIB)}",
    ]


def _measured(found: Mapping[str, Any]) -> Sequence[str]:
    """The hours as text, said as the estimates that they are."""
    device = found["accelerator"]
    return [f"this machine   {_here(found)}"] + ([_device_line(device)] if device else [])


def _here(found: Mapping[str, Any]) -> str:
    if (calibration := found["calibration"]) is None:
        return "no estimate, because the largest cell does not fit"
    said = ", ".join(f"{kind} {number(rate, 3)}" for kind, rate in calibration["network_steps_per_second"].items())
    return (
        f"{number(found['hours_here'], 3)} hours, an estimate from {calibration['seconds']:g} s of training as busy as it is "
        f"now, whose own error is {number(100 * calibration['uncertainty'], 2)} % (network-steps per second: {said})"
    )


def _device_line(device: Mapping[str, Any]) -> str:
    return (
        f"{device['name']:14} {number(device['hours'], 3)} hours, an estimate: six operations for each weight and token, "
        f"{number(device['peak'] / 1e12, 3)} TFLOP/s published ({device['arithmetic']}), utilisation assumed "
        f"{device['utilisation']:.0%}; the runs of the largest cell, side by side, need {number(device['needed_gib'], 3)} of "
        f"its {number(device['memory_gib'], 3)} GiB{_unfit(device['needed_gib'], device['memory_gib'])}"
    )


def _unfit(needed: float, there: float) -> str:
    return "; this does not fit: take fewer seeds, or smaller batches or widths" if needed > there else ""


def verify_cost(modules: Mapping[str, str], size: str, accelerator: str | None, utilisation: float, *, as_json: bool) -> int:
    """Print what claims cost at a size, and return exit code 0."""
    from depthjax.card import CardError
    from experiments.commands.claim_cost import Training, claim_costs, scale

    with usage(CardError, ImportError, TypeError):
        found = claim_costs(modules, size)
    trained = sum((training for training, _ in found if training.whole), Training())
    measured = scale() if any(training.network_steps for training, _ in found) else None
    claims = [_claim(training, said, measured, accelerator, utilisation) for training, said in found]
    device = _claimed(trained, measured, accelerator, utilisation) if trained.network_steps else None
    if as_json:
        rate = 0.0 if measured is None else measured.rate
        print_json({"size": size, "claims": claims, "calibration": {"network_steps_per_second": rate}, "accelerator": device})
        return 0
    _print_claims(claims)
    screen = console()
    screen.print(f"{sum(one['cells'] for one in claims):,} cells of {len(claims)} claims", markup=False)
    if measured is not None:
        total = sum(one["hours_here"] or 0.0 for one in claims)
        screen.print(
            f"training on this machine: {number(total, 3)} hours, an estimate from seconds of training a small network as "
            f"busy as it is now ({number(measured.rate, 3)} network-steps per second)",
            markup=False,
            soft_wrap=True,
        )
        screen.print("memory: GiB of the largest cell, an estimate from what XLA plans for that network", markup=False)
        if device:
            screen.print(_device_line(device), markup=False, soft_wrap=True)
        if left := [one["slug"] for one in claims if one["trains"] and one["hours_here"] is None]:
            why = "left out of the estimate, because their sizes do not name batch, steps, width and length"
            screen.print(f"{why}: {', '.join(left)}", markup=False, soft_wrap=True)
        what = "further tasks of one cell, controls with networks of their own, and what costs more than a small transformer"
        screen.print(
            f"not counted: {what}; where a card says more, trust the card: it was measured", markup=False, soft_wrap=True
        )
    screen.print("all else costs what the card of each claim says", markup=False)
    return 0


def _claim(training, said: dict[str, Any], scale, accelerator: str | None, utilisation: float) -> dict[str, Any]:
    """One claim as JSON values; None stands for what is not known because its sizes do not say it."""
    from experiments.studies.cost import side_by_side

    counts = {name: getattr(training, name) for name in ("network_steps", "tokens", "operations", "whole")}
    known = {"hours_here": None, "memory_gib": None, "accelerator": None}
    if scale is not None and training.network_steps and training.whole:
        cell = training.largest
        known |= {
            "hours_here": training.rule_seconds * scale.factor / 3600,
            "memory_gib": cell.memory(side_by_side(cell.work, cell.runs), scale.kept) / GIB,
            "accelerator": _claimed(training, scale, accelerator, utilisation),
        }
    return said | counts | known


def _claimed(training, scale, accelerator: str | None, utilisation: float) -> dict[str, Any] | None:
    cell = training.largest
    return _on(accelerator, training.operations, utilisation, cell.memory(cell.runs, scale.kept))


def _print_claims(found: Sequence[Mapping[str, Any]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("claim", "cells", "network-steps", "tokens", "memory", "hours here", "its card says"):
        table.add_column(name, justify="left" if name in ("claim", "its card says") else "right")
    for one in found:
        steps, tokens = (f"{one[name]:.3g}" if one[name] else "–" for name in ("network_steps", "tokens"))
        table.add_row(
            escape(one["slug"]),
            str(one["cells"]),
            steps,
            tokens,
            number(one["memory_gib"], 2),
            number(one["hours_here"], 2),
            escape(printable(one["card"])),
        )
    console().print(table)
