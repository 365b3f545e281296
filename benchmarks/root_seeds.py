"""Verdicts over root seeds: ``python -m benchmarks.root_seeds [CLAIM ...] [--seeds 0:9] --out DIR``.

Runs ``depthjax verify`` at quick size once for each root seed, all claims where none is named, and writes a table of all that
DIR holds to ``benchmarks/results/root_seeds.md`` and ``.json``. A claim of the catalogue that DIR lacks keeps its row there.
Outcomes of a registered program are kept with its registration (`experiments.register`).
Seeds that follow on those of a committed row are counted with them, if the program is the same.
DIR has a run directory for each seed (`experiments.collected`). A claim that has a verdict of its present program at a seed is
not run again there, and a run that was broken off goes on. A row names the seal of the program that all its runs had, and the
table marks the rows of an earlier one. ``--again`` runs the named claims anew.

Exit codes: 0 if nothing is refuted and every claim is SUPPORTED at nine tenths of its seeds, 1 otherwise, 4 if a run failed.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from depthjax import files
from depthjax.runs import catalogue
from depthjax.runs.records import RecordError
from depthjax.runs.registered import judged
from experiments import collected, seals
from experiments.terminal import FAILED, Failure

RESULTS = Path(__file__).parent / "results"
ENOUGH = 0.9  # of the seeds
OUTCOMES = ("SUPPORTED", "INCONCLUSIVE", "REFUTED")


def main() -> int:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CLAIM", help="claims or topics; all where none is given")
    parser.add_argument(
        "--seeds", default="100:109", help="first and last root seed (default 100:109; those below 100 are for tuning)"
    )
    parser.add_argument("--out", type=Path, required=True, help="where the runs are, or go")
    parser.add_argument("--jobs", type=int, help="processes of each run; as verify chooses where not given")
    parser.add_argument("--again", action="store_true", help="run the named claims at every seed, whatever there is")
    parser.add_argument("--table", action="store_true", help="run nothing, write the table of what there is")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the table goes")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    wanted = tuple(catalogue.select(tuple(options.names)))
    if not options.table:
        for seed in range(first, last + 1):
            collected.complete(options.out, wanted, seed, jobs=options.jobs, again=options.again)
    rows = newest(options.out, range(first, last + 1), wanted)
    fresh = summarise(rows)
    summary = joined(committed(options.results / "root_seeds.json"), fresh)
    files.write(options.results / "root_seeds.json", (json.dumps(summary, indent=1, ensure_ascii=False) + "\n").encode())
    files.write(options.results / "root_seeds.md", table(summary).encode())
    for slug in fresh["claims"]:
        one = summary["claims"][slug]
        told = {name: one[name] for name in ("first", "last", "seeds", *(outcome.lower() for outcome in OUTCOMES))}
        judged(seals.module(slug), one["seal"], told)
    print(table(summary))
    good = all(not c["refuted"] and c["supported"] >= ENOUGH * c["seeds"] for c in summary["claims"].values())
    return 0 if good else 1


def newest(out: Path, seeds: Iterable[int], wanted: Sequence[str]) -> list[dict]:
    """The newest verdicts of the wanted claims at these seeds."""
    found = [collected.verdicts(out, seed) for seed in seeds]
    return [entry for one in found for slug, (_, entry) in one.items() if slug in wanted]


def summarise(rows: Iterable[dict]) -> dict[str, Any]:
    """Counts by claim, with seeds and reasons of what is not SUPPORTED; and what ran them."""
    claims: dict[str, dict] = {}
    ran: dict[str, list] = {"commits": [], "versions": [], "devices": [], "sizes": []}
    for entry in sorted(rows, key=lambda entry: (entry["slug"], entry["seed"])):
        place = entry["provenance"]
        for name, value in zip(ran, (place["commit"], place["versions"], entry["device"], entry["size"]), strict=True):
            if value not in ran[name]:
                ran[name].append(value)
        claim = claims.setdefault(
            entry["slug"],
            {"seeds": 0, **{o.lower(): 0 for o in OUTCOMES}, "least_margin": None, "seconds": 0.0, "not_supported": []}
            | {"grid": entry["claim"]["grid"], "seal": seals.of(entry), "first": entry["seed"], "last": entry["seed"]}
            | {"registered": entry["provenance"].get("registered", "")},
        )
        claim["seal"] = claim["seal"] if claim["seal"] == seals.of(entry) else ""  # of several programs
        claim["seeds"] += 1
        claim["last"] = entry["seed"]
        claim[entry["outcome"].lower()] += 1
        claim["seconds"] += sum(entry["seconds"].values())
        margins = [m for m in (claim["least_margin"], entry["margin"]) if m is not None]
        claim["least_margin"] = min(margins, default=None)
        if entry["outcome"] != "SUPPORTED":
            claim["not_supported"].append({"seed": entry["seed"], "outcome": entry["outcome"], "reason": entry["reason"]})
    for claim in claims.values():
        claim["seconds"] = round(claim["seconds"] / claim["seeds"], 1)
    return {**ran, "claims": claims}


def committed(path: Path) -> dict[str, Any]:
    """The summary in a file, of the claims that the catalogue still has; an empty one where there is no file."""
    summary = json.loads(path.read_text()) if path.exists() else summarise([])
    known = set(catalogue.select(()))
    return summary | {"claims": {slug: claim for slug, claim in summary["claims"].items() if slug in known}}


def joined(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Two summaries in one. Of a claim in both the new row counts, and the old one too where its seeds come just before."""
    ran = {name: new[name] + [value for value in old[name] if value not in new[name]] for name in new if name != "claims"}
    fresh = {slug: _counted_on(old["claims"].get(slug), claim) for slug, claim in new["claims"].items()}
    return {**ran, "claims": dict(sorted((old["claims"] | fresh).items()))}


def _counted_on(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """The row of both, where one program ran at seeds that follow one another; else the new row."""
    if not old or not new["seal"] or old["seal"] != new["seal"] or old.get("last", new["first"]) + 1 != new["first"]:
        return new
    seeds = old["seeds"] + new["seeds"]
    margins = [one["least_margin"] for one in (old, new) if one["least_margin"] is not None]
    return new | {
        "seeds": seeds,
        **{name: old[name] + new[name] for name in (o.lower() for o in OUTCOMES)},
        "first": old["first"],
        "registered": new.get("registered", "") if old.get("registered") else "",  # before all of these runs
        "least_margin": min(margins, default=None),
        "seconds": round(sum(one["seconds"] * one["seeds"] for one in (old, new)) / seeds, 1),
        "not_supported": old["not_supported"] + new["not_supported"],
    }


def table(summary: dict[str, Any]) -> str:
    """The summary in Markdown."""
    claims, commits = summary["claims"], [str(commit).partition("+") for commit in summary["commits"]]
    whole = sum(c["supported"] == c["seeds"] for c in claims.values())
    lines = [
        "# Verdicts over root seeds",
        "",
        f"{len(claims)} claims at size {', '.join(summary['sizes'])}; {whole} are SUPPORTED at every seed tried. Seconds are "
        f"the mean of a run of the claim on {', '.join(summary['devices'])}, compilation included.",
        "",
        *(f"Versions: {', '.join(f'{name} {value}' for name, value in v.items())}." for v in summary["versions"]),
        f"Commits: {', '.join(f'{commit[:12]}{plus}{changes}' for commit, plus, changes in commits)}.",
        "",
        "Root seeds below 100 were looked at while claims were written. *Registered* is the day on which the program was "
        "written down (`python -m experiments.register`), where that was before these runs.",
        "",
        "| claim | root seeds | registered | SUPPORTED | INCONCLUSIVE | REFUTED | least margin | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for slug, c in claims.items():
        margin = "" if c["least_margin"] is None else f"{c['least_margin']:.2f}"
        counts = " | ".join(str(c[name.lower()]) for name in OUTCOMES)
        roots = f"{c['seeds']}: {c['first']} to {c['last']}" if "first" in c else str(c["seeds"])
        day = c.get("registered") or "–"
        lines.append(f"| `{slug}`{seals.mark(slug, c)} | {roots} | {day} | {counts} | {margin} | {c['seconds']} |")
    lines += ["", f"{seals.MARK} {seals.EARLIER}"] if any(seals.MARK in line for line in lines) else []
    open_ = [(slug, one) for slug, c in claims.items() for one in c["not_supported"]]
    lines += ["", "## Not SUPPORTED", ""] if open_ else []
    lines += [f"- `{slug}`, seed {one['seed']}, {one['outcome']}: {one['reason']}" for slug, one in open_]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except (RecordError, catalogue.UnknownClaim) as error:
        raise SystemExit(f"root_seeds: {error}") from error
    except Failure as error:
        print(f"root_seeds: {error}", file=sys.stderr)
        raise SystemExit(FAILED) from error
