"""The committed verdicts: the last one of every claim and size, the tables made from them, and the check that nothing changed.

``python -m experiments.renew`` makes all of it again that an earlier program made, by the commands that follow.

``python -m experiments.verdicts update RUN`` writes experiments/verdicts.json, docs/verdicts.md and the README's table from a
run. Each entry names the seal of the program that it was judged with (`experiments.seals`), and the tables mark those whose
program has changed since. ``python -m experiments.verdicts tables`` writes the tables alone.
``python -m experiments.verdicts check RUN`` fails if an outcome differs from the committed one, or a claim that the run was
asked for has none, there or here. ``python -m experiments.verdicts due N`` names the claims to run before a change lands: those
that an earlier program judged, and N of the others, drawn by the content of the program.
Processors round differently, so a trained claim may be SUPPORTED on one and INCONCLUSIVE on another. Such a change is reported
without being an error. ``python -m experiments.verdicts pictures RUN [SLUG ...]`` draws the pictures of the gallery, in
some minutes for all claims (`experiments.pictures`).
"""

import json
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depthjax import files
from depthjax.card import read_card
from depthjax.report.words import found
from depthjax.runs import catalogue
from experiments import seals
from experiments.mutants import rates
from experiments.mutants.choice import content, sample
from experiments.mutants.digest import key
from experiments.mutants.mutant import Mutant, written
from experiments.mutants.results import Results
from experiments.mutants.results import committed as committed_results
from experiments.terminal import printable, warn

if TYPE_CHECKING:
    from depthjax.runs.records import RunDirectory, Settings

FILE = Path(__file__).parent / "verdicts.json"
ROOT = FILE.parent.parent
WORTH, WORTH_END = "<!-- worth: begin -->", "<!-- worth: end -->"
README, DOCS, DOMAINS = ROOT / "README.md", ROOT / "docs" / "verdicts.md", ROOT / "docs" / "domains.md"
SEEDS = ROOT / "benchmarks" / "results" / "root_seeds.json"
BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"
KEPT = ("slug", "topic", "size", "outcome", "relation", "predicted", "measured", "margin", "tightness", "loose")
KEPT += ("controls", "rivals", "drawn", "device", "dtype", "date")
COMMANDS = ("update", "check", "pictures")
CHOSEN = (  # of the README's table
    "tower_error_order",
    "magnus_tail_bound",
    "group_tower_exact",
    "krohn_rhodes_simulates",
    "hop_depth_strict",
    "softmax_sharpness",
    "agf_dynamics",
    "ltl_depth_compiles",
    "word_problem_depth",
)


def committed(size: str = "quick") -> dict[str, dict]:
    """The committed verdicts of this size, by slug; empty where there are none."""
    return {entry["slug"]: entry for entry in _all() if entry["size"] == size}


def shown() -> dict[str, dict]:
    """The verdict of every claim that is shown: of the newest program, and there of the full size where it was run.

    Root seeds are those of the quick size, which alone is run at several. A verdict of a program that had no domain yet has the
    domain and the drawn cells of the quick size.
    """
    quick, full = committed(), committed("full")

    def lent(slug: str, entry: dict) -> dict:
        own = full.get(slug, {})
        return {
            name: entry[name]
            for name in ("seeds", "domain", "drawn")
            if name in entry and (name == "seeds" or not own.get(name))
        }

    def newer(slug: str, entry: dict) -> dict:
        other = full[slug]
        return other if seals.of(other) == seals.of(entry) or other["date"] > entry["date"] else entry

    return {slug: (newer(slug, entry) if slug in full else entry) | lent(slug, entry) for slug, entry in quick.items()}


def beside(run: "RunDirectory") -> dict[str, Any]:
    """What a report shows beside its run: counts of mutants, their rates, and the committed outcomes at full size."""
    found = run.verdicts()
    full = {slug: entry for slug, entry in committed("full").items() if slug in found}
    other = [slug for slug, entry in full.items() if entry["outcome"] != found[slug]["outcome"]]
    return {
        "mutants": noticed("(tried with an earlier program)", [*found]),
        "worth": rates.sentence(),
        "full": {slug: full[slug]["outcome"] for slug in other},
        "earlier": [slug for slug in other if not seals.present(slug, full[slug])],
    }


def table(verdicts: dict[str, dict]) -> str:
    """Verdicts as a Markdown table: the claim, what was found at which size, what was refuted and noticed, the outcome."""
    from depthjax.verify.verdict import checks, nearest, tally  # loads arrays, which lists of claims do without

    head = ("claim", "what was found", "size", "controls", "rivals", "nearest", "checks", "mutants", "seeds", "verdict", "full")
    rows, mutants, full = [head, ("---",) * len(head)], noticed(seals.MARK), committed("full")
    for slug, entry in verdicts.items():
        tallies = (tally(entry[kind]) for kind in ("controls", "rivals"))
        distance = "–" if (told := nearest(entry)) is None else f"{told:.3g}"
        seeds = entry.get("seeds") or {}
        share = f"{seeds['agree']}/{seeds['tried']}{seals.mark(slug, seeds)}" if seeds.get("tried") else "–"
        outcome = _outcome(slug, entry)
        whole = _outcome(slug, full[slug]) if slug in full else "–"
        words = entry["found"].replace("|", "∣")
        rows.append(
            (
                f"`{slug}`",
                words,
                entry["size"],
                *tallies,
                distance,
                checks(entry),
                mutants.get(slug, "–"),
                share,
                outcome,
                whole,
            )
        )
    lines = [f"| {' | '.join(row)} |" for row in rows]
    legend = ["", f"{seals.MARK} {seals.EARLIER}"] if any(seals.MARK in line for line in lines) else []
    return "\n".join([*lines, *legend])


def _outcome(slug: str, entry: Mapping[str, Any]) -> str:
    return entry["outcome"] + (" (loose)" if entry.get("loose") else "") + seals.mark(slug, entry)


def worth(noticed: str) -> str:
    """What verdicts are worth: the mutants that were noticed, the verdicts at the two sizes, and the root seeds that agree."""
    sizes = []
    for size, words in (("quick", "at quick size"), ("full", "at full size")):
        entries = committed(size)
        outcomes = Counter(entry["outcome"] for entry in entries.values())
        told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        left = len(committed()) - outcomes.total()
        earlier = sum(not seals.present(slug, entry) for slug, entry in entries.items())
        told += f" ({earlier} {seals.EARLIER})" * (earlier > 0)
        sizes.append(f"{words} {told}" + f", {left} not run" * (left > 0))
    seeds = {slug: entry["seeds"] for slug, entry in committed().items()}
    agree, tried = (sum(one[part] for one in seeds.values()) for part in ("agree", "tried"))
    earlier = sum(one["tried"] for slug, one in seeds.items() if not seals.present(slug, one))
    rest = f" ({earlier} {seals.EARLIER})" * (earlier > 0)
    return f"{noticed} Verdicts: {'; '.join(sizes)}. Of {tried} quick verdicts at several root seeds, {agree} agree{rest}."


def noticed(earlier: str, slugs: Collection[str] = ()) -> dict[str, str]:
    """How many mutants each claim noticed, in words.

    Args:
        earlier: What stands behind the words where some mutant was not tried with the present program.
        slugs: Claims to look at; all of them where none is named.
    """
    left = untried(slugs)
    return {slug: words + f" {earlier}" * (slug in left) for slug, words in rates.every().items()}


def untried(slugs: Collection[str] = ()) -> dict[str, list[Mutant]]:
    """The written mutants that their claims' present programs were not tried with, by claim; equivalent ones are left out.

    Args:
        slugs: Claims to look at; all of them where none is named.

    Where the catalogue leaves this project's claims out, nothing is committed of the others.
    """
    if catalogue.OWN not in catalogue.packages():
        return {}
    results, found = Results.read(committed_results(catalogue.OWN)).mutants, {}
    for mutant in written(catalogue.OWN):
        if mutant.equivalent or (slugs and not {*slugs} & {*mutant.claims}):
            continue
        if results.get(mutant.name, {}).get("key") != key(mutant):
            for slug in mutant.claims:
                found.setdefault(slug, []).append(mutant)
    return found


def _earlier() -> str:
    """How many written mutants are not tried with the present program, in a sentence; empty if all are."""
    results = Results.read(committed_results(catalogue.OWN)).mutants
    every = {mutant.name for mutants in untried().values() for mutant in mutants}
    never = len(every - results.keys())
    told = [f"{len(every) - never} of the written ones were tried with an earlier program"] * (len(every) > never)
    told += [f"{never} more {'is' if never == 1 else 'are'} written and not yet tried"] * (never > 0)
    return f" {'; '.join(told)}." if told else ""


def update(run: Path) -> None:
    """Write the verdicts of a run, keeping those of claims that it did not run, and the tables made from them."""
    keep(_read(run)[1])
    tables()


def keep(entries: Sequence[Mapping[str, Any]] = ()) -> None:
    """Commit these entries of runs, with the seals of their programs, and what the committed root seeds say of all claims."""
    known = {(entry["slug"], entry["size"]): entry for entry in _all()}
    for entry in entries:
        new = {name: entry.get(name) for name in KEPT} | {"found": found(entry), "seal": seals.of(entry)}
        new |= {name: new[name] or [] for name in ("rivals", "drawn")} | {
            "domain": (entry.get("claim") or {}).get("domain", [])
        }
        new["seconds"] = round(sum((entry.get("seconds") or {}).values()), 1)
        known[entry["slug"], entry["size"]] = new
    ordered = [known[slug, size] for size in ("quick", "full") for slug in catalogue.modules() if (slug, size) in known]
    seeds = root_seeds()
    for entry in ordered:
        tried = seeds.get(entry["slug"], {}) if entry["size"] == "quick" else {}
        entry["seeds"] = {"tried": tried.get("seeds", 0), "agree": tried.get(entry["outcome"].lower(), 0)}
        entry["seeds"] |= {"seal": tried.get("seal", "")} if tried else {}
    files.write(FILE, (json.dumps(ordered, indent=1, ensure_ascii=False) + "\n").encode())


def root_seeds() -> dict[str, dict]:
    """The committed rows of the claims that were run at several root seeds, by slug."""
    return json.loads(SEEDS.read_text(encoding="utf-8"))["claims"] if SEEDS.exists() else {}


def tables() -> None:
    """Write the tables of README and docs from the committed verdicts and the committed results of mutants."""
    every = shown()
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    chosen = {slug: every[slug] for slug in CHOSEN if slug in every}
    text = f"{before}{BEGIN}\n{table(chosen)}\n{END}{rest.split(END)[1]}"
    before, rest = text.split(WORTH)
    brief = worth(f"{rates.brief()} [How they were drawn](docs/verdicts.md).")
    files.write(README, f"{before}{WORTH}{brief}{rest[rest.index(WORTH_END) :]}".encode())
    files.write(DOCS, _page(every).encode())
    files.write(DOMAINS, _domains(every).encode())


def _domains(every: Mapping[str, Mapping[str, Any]]) -> str:
    """What the statement of every claim quantifies over, and which cells of it the committed run drew."""
    parts = [
        "# Domains",
        "A statement is as wide as its domain. A run judges the chosen cells of a size, and beside them cells that its root "
        "seed draws from the domain. A claim that lists its cells says why nothing is drawn. `depthjax show CLAIM --grids` "
        "prints the domain with the chosen cells, and `depthjax replay RUN CLAIM/CELL` measures a drawn cell again.",
    ]
    for topic in dict.fromkeys(entry["topic"] for entry in every.values()):
        rows = [("claim", "domain", "cells that the committed run drew"), ("---",) * 3]
        for slug, entry in every.items():
            if entry["topic"] == topic:
                words, cells = ("<br>".join(entry.get(name) or ()).replace("|", "∣") for name in ("domain", "drawn"))
                rows.append((f"`{slug}`", words or "–", cells or "–"))
        parts += [f"## {topic}", "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    return "\n\n".join(parts) + "\n"


def _page(every: dict[str, dict]) -> str:
    """All verdicts, a table for each topic."""
    parts = [
        "# Verdicts",
        "The last verdict of every claim on one CPU, with the newest program, and there of the full size where it was run; "
        "*full* is the last verdict of the full size, whatever its program. *Loose* marks a claim with a bound "
        "that no data come near. *Controls* with a measurement of their own and informative *rivals*, which data that support "
        "the claim could leave standing, are counted where the judge refuted them, as it must; *nearest* is the distance of "
        "the nearest such rival from the data, in budgets. *Checks* of the program are the other controls and rivals: they "
        "read the claim's own data, or their refutation follows from the verdict. *Seeds* counts the root seeds that agree at "
        "quick size. *Mutants* counts the programs with one wrong line of mathematics that the claim noticed, of those about "
        "it: first the written ones, then the generated ones.",
        worth(rates.sentence() + _earlier()),
    ]
    for topic in dict.fromkeys(entry["topic"] for entry in every.values()):
        of_topic = {slug: entry for slug, entry in every.items() if entry["topic"] == topic}
        parts += [f"## {topic}", table(of_topic)]
    return "\n\n".join(parts) + "\n"


def check(run: Path) -> tuple[list[str], list[str]]:
    """Return the contradictions of the committed verdicts, and the differences that do not contradict them, a line each."""
    asked, entries = _read(run)
    seen, known = {entry["slug"]: entry for entry in entries}, committed(asked.size)
    problems, notes = [], []
    for slug in asked.slugs:
        if slug not in known:
            problems.append(f"{slug}: has no committed verdict; run `python -m experiments.verdicts update`")
        elif slug not in seen:
            problems.append(f"{slug}: this run was asked for it, and has no verdict of it")
        elif seen[slug]["outcome"] != known[slug]["outcome"]:
            open_either_way = trains(slug) and "REFUTED" not in (known[slug]["outcome"], seen[slug]["outcome"])
            line = f"{slug}: {known[slug]['outcome']} committed, {seen[slug]['outcome']} now: {seen[slug].get('reason')}"
            (notes if open_either_way else problems).append(line)
    return problems, notes


def due(count: int) -> list[str]:
    """The claims to run before a change lands: those of earlier programs, and so many others, drawn by the content."""
    known, slugs = committed(), sorted(catalogue.modules())
    fresh = [slug for slug in slugs if seals.present(slug, known.get(slug, {}))]
    return sorted({*slugs} - {*fresh} | {*sample(fresh, count, content())})


def trains(slug: str) -> bool:
    """Whether a claim of the catalogue judges trained networks."""
    return bool(read_card(catalogue.modules()[slug]).options.get("trains"))


def _all() -> list[dict]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []


def _read(run: Path) -> "tuple[Settings, list[dict]]":
    """Return what a run was asked for, and its verdicts.

    Every line must be a verdict: a skipped line would be a claim that nobody misses.

    Raises:
        RecordError: a line is not a verdict, or the directory is not a run.
    """
    from depthjax.runs.records import RecordError, RunDirectory

    complaints: list[str] = []
    directory = RunDirectory.open(run)
    if not directory.file("verdicts.jsonl").exists():
        raise RecordError(f"{run} has no verdicts.jsonl: nothing is finished in it")
    entries = directory.verdicts(complaints.append)
    if complaints:
        raise RecordError("; ".join(complaints))
    return directory.settings, [entry | {"size": directory.settings.size} for entry in entries.values()]


def main(arguments: list[str]) -> int:
    """Command line of this module; returns the exit code."""
    if {"-h", "--help"} & {*arguments}:
        print(__doc__)
        return 0
    if arguments == ["tables"]:
        tables()
        return 0
    if len(arguments) == 2 and arguments[0] == "due" and arguments[1].isdecimal():
        print(*due(int(arguments[1])), sep="\n")
        return 0
    if len(arguments) < 2 or arguments[0] not in COMMANDS or (arguments[0] != "pictures" and len(arguments) > 2):
        print(__doc__, file=sys.stderr)
        return 2
    from depthjax.runs.records import RecordError

    run = Path(arguments[1])
    try:
        if arguments[0] == "pictures":
            from experiments import pictures  # loads matplotlib, which lists of claims do without

            for file in pictures.write(run, arguments[2:]):
                print(f"{file.name}: {file.stat().st_size:,} bytes", flush=True)
            return 0
        if arguments[0] == "update":
            update(run)
            return 0
        problems, notes = check(run)
    except (RecordError, catalogue.UnknownClaim) as error:
        warn(str(error))
        return 2
    print("\n".join(map(printable, [*notes, *problems])) or f"{len(_read(run)[1])} verdicts as committed")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
