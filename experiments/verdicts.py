"""The committed verdicts: the last one of every claim, the README's table made from them, and the check that nothing changed.

``python -m experiments.verdicts update RUN`` writes experiments/verdicts.json and the README's table from a run;
``python -m experiments.verdicts check RUN`` fails if an outcome differs from the committed one, or a claim has none.
Whether trained seeds are enough to tell may differ between processors, whose rounding differs: there SUPPORTED and INCONCLUSIVE
do not contradict each other, and the change is only told.
"""

import json
import sys
from pathlib import Path

from experiments import catalogue
from experiments.commands.usage import printable, warn

FILE = Path(__file__).parent / "verdicts.json"
README = FILE.parent.parent / "README.md"
PICTURE = FILE.parent / "figures" / "tower_error_order.svg"
BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"
KEPT = ("outcome", "relation", "predicted", "measured", "margin", "tightness", "loose")
KEPT += ("controls", "rivals", "device", "dtype", "size", "date")


def committed() -> dict[str, dict]:
    """The last committed verdict of every claim, by slug; empty where there is none."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def table(verdicts: dict[str, dict]) -> str:
    """The README's table, in Markdown."""
    lines = [
        "| claim | relation | predicted | measured | margin | refuted | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for slug, entry in verdicts.items():
        tried = entry["controls"] + entry.get("rivals", [])
        refuted = sum(one["outcome"] == "REFUTED" for one in tried)
        numbers = [_number(entry[name]) for name in ("predicted", "measured", "margin")]
        outcome = entry["outcome"] + (" (loose)" if entry.get("loose") else "")
        cells = [f"`{slug}`", entry["relation"], *numbers, f"{refuted} of {len(tried)}", outcome]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def update(run: Path) -> None:
    """Write the verdicts of a run, keeping those of claims it did not run, and the README's table."""
    known = committed() | {entry["slug"]: {name: entry.get(name) for name in KEPT} for entry in _entries(run)}
    ordered = {slug: known[slug] for slug in catalogue.modules() if slug in known}
    FILE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    before, rest = README.read_text().split(BEGIN)
    if (run / f"{PICTURE.stem}.nc").exists():
        PICTURE.write_text(picture(run, PICTURE.stem))
    README.write_text(f"{before}{BEGIN}\n{table(ordered)}\n{END}{rest.split(END)[1]}")


def picture(run: Path, slug: str) -> str:
    """The first panel of a claim's figure as SVG, from the measurements of a run."""
    from depthjax.report.plots import figure
    from depthjax.runs.records import RunDirectory, load
    from depthjax.verify import judge

    experiment = catalogue.experiment(slug)
    directory = RunDirectory.open(run)
    cells = experiment.grids[directory.settings.size].cells()
    given = [experiment.given(cell) for cell in cells]
    predictions = [experiment.said(cell, more) for cell, more in zip(cells, given, strict=True)]
    falsehoods = [
        [trial.said(own, cell, more) for own, cell, more in zip(predictions, cells, given, strict=True)]
        for trial in experiment.trials
    ]
    dataset = load(directory.file(f"{slug}.nc"))
    verdict = judge(experiment.claim, predictions, dataset)
    return figure(experiment, predictions, falsehoods, dataset, verdict, most=1)


def check(run: Path) -> tuple[list[str], list[str]]:
    """What contradicts the committed verdicts, and what differs without contradicting them, a line each."""
    known, seen = committed(), {entry["slug"]: entry for entry in _entries(run)}
    problems = [
        f"{slug}: has no committed verdict; run `python -m experiments.verdicts update`" for slug in seen if slug not in known
    ]
    notes = []
    for slug, entry in known.items():
        if slug not in seen:
            problems.append(f"{slug}: committed, but not in this run")
        elif seen[slug]["outcome"] != entry["outcome"]:
            open_either_way = entry["relation"] == "trend" and "REFUTED" not in (entry["outcome"], seen[slug]["outcome"])
            line = f"{slug}: {entry['outcome']} committed, {seen[slug]['outcome']} now: {seen[slug].get('reason')}"
            (notes if open_either_way else problems).append(line)
    return problems, notes


def _entries(run: Path) -> list[dict]:
    """The verdicts of a run; every line has to be one, for a line that is skipped would be a claim that nobody misses.

    Raises:
        RecordError: a line is none, or the directory is no run.
    """
    from depthjax.runs.records import RecordError, RunDirectory

    complaints: list[str] = []
    directory = RunDirectory.open(run)
    if not directory.file("verdicts.jsonl").exists():
        raise RecordError(f"{run} has no verdicts.jsonl: nothing is finished in it")
    found = directory.verdicts(complaints.append)
    if complaints:
        raise RecordError("; ".join(complaints))
    return list(found.values())


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def main(arguments: list[str]) -> int:
    """Command line of this module; returns the exit code."""
    if len(arguments) != 2 or arguments[0] not in ("update", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    from depthjax.runs.records import RecordError

    run = Path(arguments[1])
    try:
        if arguments[0] == "update":
            update(run)
            return 0
        problems, notes = check(run)
    except RecordError as error:
        warn(str(error))
        return 2
    print("\n".join(map(printable, [*notes, *problems])) or f"{len(committed())} verdicts as committed")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
