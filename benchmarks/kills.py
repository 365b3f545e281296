"""Runs killed at random moments: ``python -m benchmarks.kills [--kills N] [--seed S] [--lanes L] [--write FILE]``.

Every round starts a small `verify` (two claims of six cells) or a small `sweep` (two cells of four segments), with one process
or two, kills the launcher, one of its processes, or all at once with SIGKILL at a random moment, and resumes. After a few kills
the run may finish and is compared with one that nobody killed:

- lost: a cell that was on disk before a kill and is not kept afterwards;
- twice: a cell that was on disk and is measured again, or a claim with two verdict lines;
- differs: a number of a cell, dataset or verdict, or an exit code, that is not that of the unbroken run;
- orphans: processes of the run that live ten seconds after their launcher is dead (every process carries a mark in its
  environment; where the launcher is alive, it may replace a process that was killed).
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from depthjax.runs.records import load

ROOT = Path(__file__).resolve().parents[1]
KINDS = [  # command, processes, who is killed, weight
    ("verify", 1, "the process", 28),
    ("verify", 2, "launcher", 14),
    ("verify", 2, "worker", 13),
    ("verify", 2, "all", 13),
    ("sweep", 1, "the process", 14),
    ("sweep", 2, "launcher", 6),
    ("sweep", 2, "worker", 6),
    ("sweep", 2, "all", 6),
]
IN_A_ROUND = 4  # kills, before the run may finish
MARK = "DEPTHJAX_KILLED_RUN"
CLAIM = '''
r"""Draws stay below one.

Statement: Draws from [0, 1) are at most 1. $$ u $$
Hypotheses: none.
Source: everybody, “folklore”.
Refuted by: a draw above one.
Cost: a second, and every measurement leaves a line.
"""
import dataclasses
from depthjax.verify import Grid, Prediction, Relation, axis, claim, scaled

CLAIM = claim(Relation.AT_MOST)

@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    part: int = axis(0, 1, 2, 3, 4, 5)

GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}

def predict(cell):
    return Prediction(1.0, of="draw")

RIVALS = (scaled(-1.0, of="draw", name="below zero"),)
'''
MEASURE = """
import os, time
import jax
from depthjax.verify import Quantity, measured

def measure(cell, key):
    with open(os.environ["KILLS_LOG"], "a") as log:
        log.write(f"SLUG {cell.part}\\n")
    time.sleep(0.1)
    return measured(draw=Quantity(jax.random.uniform(key, (50,)), "sample", floor=1e-7))
"""
SWEEP = """
groups = ["C2"]
models = ["rnn"]
widths = [4]
learning_rates = [1e-2, 3e-3]
batches = [8]
depths = [1]
seeds = 12
length = 3
tests = 50
segments = 4
[recipe]
steps = 80
record_every = 20
"""


class Run:
    """One run directory, launched as often as it takes."""

    def __init__(self, base: Path, name: str, command: str, processes: int):
        self.out, self.log, self.command = base / name, base / f"{name}.log", command
        self.log.touch()
        own = ["draws", "more_draws", f"--jobs={processes}"] if command == "verify" else [str(base / "sweep.toml")]
        own += ["--processes=2"] * (command == "sweep" and processes == 2)
        self.arguments = [sys.executable, "-P", "-m", "experiments.cli", command, *own, f"--out={self.out}", "--resume"]
        variables = {"PYTHONPATH": f"{ROOT}:{base}", "DEPTHJAX_CATALOGUE": "killed", "JAX_PLATFORMS": "cpu"}
        variables |= {"XDG_CACHE_HOME": str(base / "cache"), "KILLS_LOG": str(self.log), MARK: str(self.out)}
        self.environment = os.environ | variables

    def launch(self) -> subprocess.Popen:
        """Start it, or go on with it."""
        return subprocess.Popen(
            self.arguments,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.out.parent,
        )

    def alive(self) -> list[int]:
        """Processes of this run."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._ours(pid)]

    def _ours(self, pid: int) -> bool:
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes() + b"\0" + Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return f"{self.out}\0".encode() in words.replace(b"\n", b"\0") + b"\0"

    def workers(self, launcher: int) -> list[int]:
        """Processes that compute, beside the launcher."""
        found = []
        for pid in self.alive():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if pid != launcher and (b"spawn_main" in words or b"--process\0" in words):
                found.append(pid)
        return found

    def cells(self) -> set[str]:
        """Files of finished cells."""
        return {str(file.relative_to(self.out)) for file in self.out.glob("cells/**/*.nc")}

    def steps(self) -> int:
        """How far the run is: measurements that were begun, or segments that were stored."""
        if self.command == "verify":
            return len(self.log.read_text().splitlines())
        last = [max((int(s.name) for s in group.iterdir() if s.name.isdigit()), default=0) for group in self._groups()]
        return sum(last) + len(self.cells())

    def _groups(self) -> Iterator[Path]:
        for group in self.out.glob("states/*/*"):
            if group.is_dir():
                yield group

    def result(self) -> dict:
        """All numbers of the finished run, and nothing of when and how long."""
        lines = [json.loads(line) for line in (self.out / "verdicts.jsonl").read_text().splitlines()]
        for line in lines:
            line.pop("seconds", None), line.pop("date", None)
        data = {}
        for file in sorted([*self.out.glob("*.nc"), *self.out.glob("cells/**/*.nc")]):
            variables = {str(n): np.asarray(v.to_numpy()).tobytes() for n, v in load(file).variables.items()}
            data[str(file.relative_to(self.out))] = variables
        key = "slug" if self.command == "verify" else "cell"
        return {"verdicts": {line[key]: line for line in lines}, "lines": len(lines), "data": data}


class Campaign:
    """Counts by kind."""

    def __init__(self, base: Path, seed: int, only: str):
        self.base, self.seed, self.lock = base, seed, threading.Lock()
        self.total: dict[str, int] = {}
        self.table: dict[tuple, collections.Counter] = {kind[:3]: collections.Counter() for kind in KINDS}
        self.slowest: dict[tuple, float] = collections.defaultdict(float)
        self.troubles: list[str] = []
        (base / "killed" / "tiny").mkdir(parents=True)
        for folder in (base / "killed", base / "killed" / "tiny"):
            (folder / "__init__.py").write_text('"""Claims."""\n')
        for slug in ("draws", "more_draws"):
            room = base / "killed" / "tiny" / slug
            room.mkdir()
            for name, text in (("__init__", ""), ("claim", CLAIM), ("measure", MEASURE.replace("SLUG", slug))):
                (room / f"{name}.py").write_text(text)
        (base / "sweep.toml").write_text(SWEEP)
        self.whole, self.codes = {}, {}
        for command in filter(lambda command: only in command, ("verify", "sweep")):
            run = Run(base, f"whole-{command}", command, 1)
            process = run.launch()
            process.communicate()
            self.codes[command], self.whole[command] = process.returncode, run.result()
            self.total[command] = run.steps()
            print(f"unbroken {command}: code {process.returncode}, {run.steps()} steps", flush=True)

    def round(self, number: int, kind: tuple, kills: int) -> int:
        """A run with up to so many kills; returns how many there were."""
        command, processes, target = kind
        dice = random.Random(f"{self.seed} {number} {kind}")
        run, count, done = Run(self.base, f"run-{number}", command, processes), self.table[kind], 0
        before: set[str] = set()
        for launch in range(10 * kills):
            mark = len(run.log.read_text().splitlines())
            process = run.launch()
            killed = done < kills and self._kill(run, process, target, dice, kind)
            said = process.communicate()[1]
            count["launches"] += 1
            count[f"code {process.returncode}"] += 1
            done += killed
            count["kills"] += killed
            again = self._again(run, before, mark, said)
            count["twice"] += len(again)
            count["lost"] += len(before - run.cells())
            for line in said.splitlines():
                if re.search("again|removed|Traceback|failed:", line):
                    self._trouble(f"round {number}, launch {launch}, {kind}: {line}")
            if again or before - run.cells():
                self._trouble(f"round {number}, launch {launch}, {kind}: again {again}, lost {before - run.cells()}")
            before = run.cells()
            if killed and target != "worker" and dice.random() < 0.5:
                self._wait(run, kind)  # the other half is resumed at once
            if process.returncode == self.codes[command] and (done >= kills or not killed):
                break
        self._wait(run, kind)
        count["rounds"] += 1
        self._compare(run, number, kind)
        shutil.rmtree(run.out)
        return done

    def _kill(self, run: Run, process: subprocess.Popen, target: str, dice: random.Random, kind: tuple) -> bool:
        """SIGKILL at a random step, and a random moment after it; False where the run was faster."""
        now, total = run.steps(), self.total[run.command]
        wanted = dice.randint(now, max(now, total))
        pause = dice.uniform(0, 4.0) if wanted == now else dice.uniform(0, 0.4)
        while process.poll() is None and run.steps() < wanted:
            time.sleep(0.01)
        time.sleep(pause)
        if process.poll() is not None:
            return False
        workers = run.workers(process.pid)
        if target == "worker" and not workers:
            return False
        victims = {"worker": workers[:1] if dice.random() < 0.5 else workers[-1:], "all": [process.pid, *workers]}
        hit = 0
        for pid in victims.get(target, [process.pid]):
            try:
                os.kill(pid, signal.SIGKILL)
                hit += 1
            except ProcessLookupError:
                pass
        moment = "before" if not run.cells() else "after" if len(run.cells()) == self._cells(run) else "between"
        self.table[kind][moment] += bool(hit)
        return bool(hit)

    def _cells(self, run: Run) -> int:
        return sum(name.startswith("cells/") for name in self.whole[run.command]["data"])

    def _again(self, run: Run, before: set[str], mark: int, said: str) -> set[str]:
        """Cells that were on disk before this launch and were measured in it."""
        if run.command == "sweep":
            trained = re.findall(r"trained  (\S+)", said)
            return before & {f"cells/{name}.nc" for name in trained}
        lines = [line.split() for line in run.log.read_text().splitlines()[mark:]]
        return {n for slug, part in lines for n in before if n.startswith(f"cells/{slug}/") and n.endswith(f"part={part}.nc")}

    def _wait(self, run: Run, kind: tuple) -> None:
        """No process may be left."""
        begun = time.monotonic()
        while run.alive() and time.monotonic() - begun < 10:
            time.sleep(0.02)
        self.slowest[kind] = max(self.slowest[kind], time.monotonic() - begun)
        if left := run.alive():
            self.table[kind]["orphans"] += len(left)
            self._trouble(f"{kind}: processes {left} of {run.out} are alive")

    def _compare(self, run: Run, number: int, kind: tuple) -> None:
        whole, found = self.whole[run.command], run.result()
        wrong = [name for name in whole["data"] if found["data"].get(name) != whole["data"][name]]
        wrong += [name for name in found["data"] if name not in whole["data"]]
        for name, line in whole["verdicts"].items():
            other = found["verdicts"].get(name, {})
            wrong += [f"{name}.{field}" for field in line if other.get(field) != line[field]]
        finished = [json.loads(line) for line in (run.out / "verdicts.jsonl").read_text().splitlines()]
        extra = sum(bool(line.get("provenance", True)) for line in finished) - whole["lines"]
        self.table[kind]["differs"] += len(wrong)
        self.table[kind]["twice"] += extra
        self.table[kind]["claims that the run gave up and took up again"] += found["lines"] - whole["lines"] - extra
        left = [str(file) for file in run.out.rglob(".*")]
        if wrong or extra or left:
            self._trouble(f"round {number}, {kind}: differs {wrong}, {extra} lines too many, left behind {left}")

    def _trouble(self, text: str) -> None:
        with self.lock:
            self.troubles.append(text.replace(str(self.base), "."))
            print("!", self.troubles[-1], flush=True)

    def report(self, arguments: str, seconds: float) -> str:
        """The table, as Markdown."""
        names = ("kills", "before", "between", "after", "launches", "rounds", "lost", "twice", "differs", "orphans")
        head = ("command", "processes", "killed", *names, "longest farewell, s")
        rows = [head, ["---"] * len(head)]
        whole = collections.Counter()
        for kind, count in self.table.items():
            if count["launches"]:
                rows.append((*kind, *(count[name] for name in names), f"{self.slowest[kind]:.2f}"))
                whole.update(count)
        rows.append(("**all**", "", "", *(whole[name] for name in names), f"{max(self.slowest.values(), default=0):.2f}"))
        table = "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
        codes = ", ".join(f"{name} {count}" for name, count in sorted(whole.items()) if name.startswith("code"))
        unbroken = ", ".join(f"{name} {code}" for name, code in self.codes.items())
        gave_up = whole["claims that the run gave up and took up again"]
        troubles = "\n".join(f"- {text}" for text in self.troubles) or "- none"
        return f"""# Runs killed at random moments

`python -m benchmarks.kills {arguments}`, {seconds / 60:.0f} minutes on {os.cpu_count()} cores shared with other work, Python
{sys.version.split()[0]}. Before, between and after: whether no cell, some or all cells were on disk at the kill. What counts as
lost, twice, different and orphaned stands in `benchmarks/kills.py`.

{table}

Exit codes of all launches: {codes} (unbroken: {unbroken}; 2 is a sweep whose process was killed; -9 a killed launcher).
Claims given up because their process was killed twice, and measured by the next `--resume`: {gave_up}.

Messages of the runs and of the comparison:

{troubles}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lanes", type=int, default=1, help="runs at a time")
    parser.add_argument("--only", default="", help="verify or sweep")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no round after so many")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    begun, kinds = time.monotonic(), [kind for kind in KINDS if options.only in kind[0]]
    left = [kind[:3] for kind in kinds for _ in range(round(options.kills * kind[3] / sum(k[3] for k in kinds)))]
    random.Random(options.seed).shuffle(left)
    left = (left + [kind[:3] for kind in kinds] * options.kills)[: options.kills]
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        campaign, lock, rounds = Campaign(Path(folder), options.seed, options.only), threading.Lock(), iter(range(10**6))

        def lane() -> None:
            while time.monotonic() - begun < 60 * options.minutes:
                with lock:
                    if not left:
                        return
                    kind, number = left[0], next(rounds)
                    kills = min(left.count(kind), IN_A_ROUND)
                    for _ in range(kills):
                        left.remove(kind)
                try:
                    done = campaign.round(number, kind, kills)
                except Exception as error:
                    campaign._trouble(f"round {number}, {kind}: {type(error).__name__}: {error}")
                    done = kills
                with lock:
                    left.extend([kind] * (kills - done))
                    print(f"{time.monotonic() - begun:.0f} s: {len(left)} kills to go", flush=True)

        lanes = [threading.Thread(target=lane) for _ in range(options.lanes)]
        for thread in lanes:
            thread.start()
        for thread in lanes:
            thread.join()
        text = campaign.report(" ".join(sys.argv[1:]), time.monotonic() - begun)
    print(text)
    if options.write:
        options.write.write_text(text)
    bad = sum(count[name] for count in campaign.table.values() for name in ("lost", "twice", "differs", "orphans"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
