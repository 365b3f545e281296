"""A few random kills of runs and sweeps; `benchmarks/results/kills.md` holds a hundred."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "benchmarks" / "kills.py").exists(), reason="the benchmarks are not installed")
@pytest.mark.parametrize(("only", "kills"), [("verify", 3), ("sweep", 2)])
def test_killed_runs_lose_nothing_and_repeat_nothing(only, kills):
    command = [sys.executable, "-m", "benchmarks.kills", f"--kills={kills}", "--seed=1", f"--only={only}"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"\n| **all** |  |  | {kills} |" in found.stdout
    assert found.stdout.rstrip().endswith("- none")
