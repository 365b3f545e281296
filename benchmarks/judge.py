"""How often the judge is wrong: its operating characteristic, as a table and a figure.

Run with ``python benchmarks/judge.py``; writes ``judge.md`` and ``judge.svg`` in ``benchmarks/results``. Target: ten minutes on
two cores. Where it gives a verdict the judge supports at most 1 % of false statements and refutes at most 1 % of true ones, in
every family that keeps to its hypotheses.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import math
import time
import zlib
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr
from judge_data import GROUPS, Family, Trial, claim
from matplotlib.figure import Figure

from depthjax.verify import Finding, Outcome, Relation, Verdict, judge
from depthjax.verify.seeds import binomial_limits

LIMIT = 0.01
MORE = {"Orders": 3, "Seeds and trials": 5}  # times as many datasets where a verdict costs less
TRUE = {True: "yes", False: "no", None: "neither"}
OUTCOMES = (Outcome.SUPPORTED, Outcome.REFUTED, Outcome.INCONCLUSIVE)


@dataclasses.dataclass(frozen=True)
class Row:
    """Verdicts on one statement about one family."""

    group: str
    family: str
    outside: str
    statement: str
    true: bool | None
    counts: tuple[int, int, int]
    loose: int
    named: int

    @property
    def datasets(self) -> int:
        """How many."""
        return sum(self.counts)

    @property
    def wrong(self) -> int:
        """False refutations of a true statement, false supports of a false one, that do not name the hypothesis that fails."""
        return (sum(self.counts[:2]) if self.true is None else self.counts[1] if self.true else self.counts[0]) - self.named

    @property
    def right(self) -> int:
        """Verdicts that say what is."""
        return self.counts[2] if self.true is None else self.counts[0] if self.true else self.counts[1]


def verdicts(family: Family, seed: int, datasets: int) -> collections.Counter:
    """How often each statement met each outcome; statements as ``(name, true)``."""
    rng = np.random.default_rng([seed, zlib.crc32(family.name.encode())])
    trials = [family.draw(rng) for _ in range(datasets)]
    counts = collections.Counter()
    for number, statement in enumerate(trials[0].statements):
        together = trials[0].relation is Relation.ORDER and "i" not in trials[0].dataset.dims
        for verdict in _together(trials, number) if together else map(partial(_alone, number=number), trials):
            counts[statement.name, statement.true, verdict.outcome] += 1
            counts[statement.name, statement.true, "loose"] += verdict.loose
            wrong = {True: (Outcome.REFUTED,), False: (Outcome.SUPPORTED,), None: OUTCOMES[:2]}[statement.true]
            named = family.fails and verdict.outcome in wrong and any(family.fails in one for one in verdict.hypotheses)
            counts[statement.name, statement.true, "named"] += bool(named)
    return counts


def _alone(trial: Trial, number: int) -> Verdict:
    return judge(claim(trial.relation), trial.statements[number].prediction, trial.dataset)


def _together(trials: list[Trial], number: int) -> list[Verdict]:
    """Curves of one family in one judging, which treats every curve on its own; errors in units of their constant."""
    said = [trial.statements[number].prediction for trial in trials]
    units = [trial.unit for trial in trials]
    data = xr.concat([trial.dataset / unit for trial, unit in zip(trials, units, strict=True)], "trial")
    constant = None if said[0].constant is None else said[0].constant / units[0]
    prediction = dataclasses.replace(said[0], value=[p.value for p in said], dims=("trial",), constant=constant)
    by_trial: dict[int, list[Finding]] = {}
    for finding in judge(claim(Relation.ORDER), prediction, data).findings:
        by_trial.setdefault(finding.where["trial"], []).append(finding)
    return [Verdict("trial", Outcome.of_all(found), tuple(found)) for found in by_trial.values()]


def _part(place: tuple[str, int], seed: int, datasets: int) -> collections.Counter:
    return verdicts(GROUPS[place[0]][place[1]], seed, datasets * MORE.get(place[0], 1))


def campaign(datasets: int, jobs: int, parts: int = 4) -> list[Row]:
    """All families, each in several parts over the processes."""
    places = [(group, index) for group, families in GROUPS.items() for index in range(len(families))]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        futures = {place: [pool.submit(_part, place, part, -(-datasets // parts)) for part in range(parts)] for place in places}
        rows = []
        for (group, index), found in futures.items():
            counts = sum((future.result() for future in found), collections.Counter())
            family = GROUPS[group][index]
            for name, true in dict.fromkeys((name, true) for name, true, _ in counts):
                outcomes = tuple(counts[name, true, outcome] for outcome in OUTCOMES)
                loose = counts[name, true, "loose"]
                named = counts[name, true, "named"]
                rows.append(Row(group, family.name, family.outside, name, true, outcomes, loose, named))  # type: ignore[arg-type]
    return rows


def table(rows: list[Row]) -> str:
    """Markdown: percent by outcome, percent wrong with its 95 % interval."""
    worst = max((row for row in rows if not row.outside), key=lambda row: row.wrong / row.datasets)
    upper = max(binomial_limits(row.wrong, row.datasets)[1] for row in rows if not row.outside)
    lines = [
        "# How often the judge is wrong",
        "",
        f"Made by `python benchmarks/judge.py`: {min(r.datasets for r in rows)} to {max(r.datasets for r in rows)} datasets a "
        f"family, {sum(r.datasets for r in rows)} verdicts. S, R, I: percent SUPPORTED, REFUTED, INCONCLUSIVE. Wrong: percent "
        "of true statements refuted or of false ones supported, with Clopper and Pearson's 95 % interval. Goal: at most 1 %.",
        "",
        f"Largest rate within the hypotheses: {_percent(worst.wrong, worst)} % ({worst.family}: {worst.statement}); the "
        f"largest upper end of an interval is {100 * upper:.2f} %.",
        "",
        "What a verdict means. An order: told from those one apart, as far as terms above one ten-thousandth of the error show "
        "at the finest steps, and with a declared error at the coarsest. A bound: no data pass it and some come near (within a "
        "tenth, unless the claim says that its bound only holds: then the "
        "verdict is marked loose, and a false bound that no data break is supported like a true one). An equality: told from "
        "rivals at the stated resolution. A mean: samples are independent and no more skewed than stated. Seeds: they are "
        "independent, which no rule can see. What data cannot show, a verdict names as its hypothesis; where this is what "
        "fails, the verdict is not counted as wrong, and the table says how often. Beside a logarithm an order is neither "
        "true nor false: to support it and to refute it are both wrong.",
    ]
    for group in GROUPS:
        lines += [
            "",
            f"## {group}",
            "",
            "| data | said | true | S | R | I | wrong | 95 % |",
            "|---|---|---|--:|--:|--:|--:|---|",
        ]
        for row in (row for row in rows if row.group == group):
            low, high = binomial_limits(row.wrong, row.datasets)
            mark = f" (outside: {row.outside})" if row.outside else ""
            shares = " | ".join(_percent(count, row) for count in row.counts)
            loose = f", loose {_percent(row.loose, row)}" if row.loose else ""
            loose += f", rests on what fails {_percent(row.named, row)}" if row.named else ""
            wrong = f"{_percent(row.wrong, row)} | {100 * low:.2f} to {100 * high:.2f}"
            lines.append(f"| {row.family}{mark} | {row.statement}{loose} | {TRUE[row.true]} | {shares} | {wrong} |")
    return "\n".join(lines) + "\n"


def _percent(count: int, row: Row) -> str:
    return f"{100 * count / row.datasets:.3g}"


def figure(rows: list[Row]) -> Figure:
    """Two panels of one row each family: the worst rate of error with its interval, the least rate of right verdicts."""
    families: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        families.setdefault((row.group, row.family), []).append(row)
    canvas = Figure(figsize=(11, 0.24 * len(families) + 1.6), layout="constrained")
    wrong, right = canvas.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    for place, found in enumerate(families.values()):
        for true, colour, shift in ((True, "#0072b2", -0.18), (False, "#d55e00", 0.18)):
            kind = [row for row in found if row.true is true]
            if not kind:
                continue
            worst = max(kind, key=lambda row: row.wrong)
            rate = worst.wrong / worst.datasets
            low, high = binomial_limits(worst.wrong, worst.datasets)
            mfc = "none" if worst.outside else colour
            bars = [[100 * (rate - low)], [100 * (high - rate)]]
            wrong.errorbar(100 * rate, place + shift, xerr=bars, fmt="o", ms=4, color=colour, mfc=mfc, elinewidth=1)
            shares = [100 * row.right / row.datasets for row in kind]
            right.plot([min(shares), max(shares)], [place + shift] * 2, "-", color=colour, lw=1)
            right.plot([sum(shares) / len(shares)], [place + shift], "o", ms=4, color=colour, mfc=mfc)
    wrong.axvline(100 * LIMIT, color="0.4", lw=1, ls="--")
    wrong.set_xscale("symlog", linthresh=1.0)
    wrong.set(xlim=(-0.05, 110), xlabel="percent wrong, worst statement, 95 % interval (dashed: 1 %)")
    wrong.set_xticks([0, 0.5, 1, 10, 100], ["0", "0.5", "1", "10", "100"])
    wrong.set_yticks(range(len(families)), [name + (" *" if found[0].outside else "") for (_, name), found in families.items()])
    wrong.set_ylim(len(families) - 0.4, -0.6)
    wrong.tick_params(axis="y", labelsize=7.5)
    right.set(xlabel="percent right: mean, range", xlim=(-3, 103))
    wrong.plot([], [], "o", color="#0072b2", label="true statements")
    wrong.plot([], [], "o", color="#d55e00", label="false statements")
    wrong.plot([], [], "o", color="0.4", mfc="none", label="* outside the hypotheses")
    wrong.legend(loc="lower right", fontsize=8)
    return canvas


def main() -> None:
    """Run the campaign and write its two files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    start = time.perf_counter()
    rows = campaign(given.datasets, given.jobs)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "judge.md").write_text(table(rows))
    matplotlib.rcParams["svg.hashsalt"] = "judge"
    figure(rows).savefig(given.out / "judge.svg", metadata={"Date": None})
    bad = [row for row in rows if not row.outside and row.wrong > LIMIT * row.datasets]
    for row in bad:
        print(f"{row.family}: {row.statement}: {_percent(row.wrong, row)} % wrong")
    undecided = sum(row.counts[2] for row in rows) / math.fsum(row.datasets for row in rows)
    print(f"{len(rows)} rows, {len(bad)} above 1 %, {100 * undecided:.0f} % undecided, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
