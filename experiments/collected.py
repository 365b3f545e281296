"""A folder of runs: a directory for each size and root seed, and more of them beside it where claims were added.

A claim that has a verdict of its present program is not run again. A run that was broken off goes on from its stored cells.
What no run was asked for gets a directory of its own, such as ``quick-3-2``; the newest verdict of a claim counts.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from depthjax.runs.records import RunDirectory
from experiments import seals
from experiments.terminal import Failure, warn


def complete(
    folder: Path, wanted: Sequence[str], seed: int, size: str = "quick", *, jobs: int | None = None, again: bool = False
) -> None:
    """Run the wanted claims that have no verdict of their present program: first what a broken run still owes.

    Raises:
        Failure: a run ended before every claim had a verdict; the same command goes on from there.
    """
    for directory in directories(folder, seed, size):
        if _owed(RunDirectory.open(directory)) & set(wanted):
            verify(directory, ["--resume"], seed, size, jobs)
    there = verdicts(folder, seed, size)
    lacking = [slug for slug in wanted if again or slug not in there or _stale(*there[slug])]
    if lacking:
        verify(_next(folder, seed, size), lacking, seed, size, jobs)


def verdicts(folder: Path, seed: int, size: str = "quick") -> dict[str, tuple[Path, dict[str, Any]]]:
    """The newest verdict of every claim at a size and root seed, with the run that it stands in."""
    found: dict[str, tuple[Path, dict]] = {}
    for directory in directories(folder, seed, size):
        run = RunDirectory.open(directory)
        if (run.settings.seed, run.settings.size) == (seed, size):
            found |= {slug: (directory, entry) for slug, entry in run.verdicts().items()}
    return found


def directories(folder: Path, seed: int, size: str = "quick") -> list[Path]:
    """The runs of a size and root seed, oldest first."""
    name = re.compile(rf"{size}-{seed}(?:-(\d+))?")
    numbered = [(int(match[1] or 1), path) for path in folder.glob(f"{size}-{seed}*") if (match := name.fullmatch(path.name))]
    return [path for _, path in sorted(numbered) if (path / "run.json").exists()]


def verify(directory: Path, more: Sequence[str], seed: int, size: str, jobs: int | None) -> None:
    """Run claims, or resume a run, in a process of its own.

    Raises:
        Failure: as `complete`.
    """
    command = [sys.executable, "-m", "experiments.cli", "verify", *more, "--seed", str(seed), "--size", size]
    command += ["--out", str(directory), "--json"] + ([] if jobs is None else ["--jobs", str(jobs)])
    warn(f"{size} size, root seed {seed}: {directory}")
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if not (directory / "run.json").exists() or _owed(
        RunDirectory.open(directory)
    ):  # a claim that failed has a verdict that says so
        raise Failure(f"the run in {directory} ended with code {code}; the same command goes on from there")


def _owed(run: RunDirectory) -> set[str]:
    """The claims of a run that have no verdict there."""
    return set(run.settings.slugs) - set(run.verdicts())


def _stale(run: Path, entry: dict[str, Any]) -> bool:
    return seals.of(entry) != seals.program(entry["slug"])


def _next(folder: Path, seed: int, size: str) -> Path:
    """A directory without a run; one that was made but holds no run is empty, and taken."""
    number = 1
    while (path := folder / (f"{size}-{seed}" + f"-{number}" * (number > 1))).exists() and (path / "run.json").exists():
        number += 1
    return path
