"""One page for a run: every verdict, and for each claim what was said, predicted, measured, and how to see it again.

The page stands alone: figures are inline SVG, formulas MathML, no script and nothing from elsewhere; it follows the reader's
light or dark setting. It is made from the run directory only, so it can be made again at any time.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import latex2mathml.converter

from depthjax.verify.plots import INK, PAPER
from depthjax.verify.records import RunDirectory

MAX_FINDINGS, OPEN_FINDINGS = 200, 16
MARKS = {"SUPPORTED": "✓", "REFUTED": "✗", "INCONCLUSIVE": "?"}

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #ffffff; --faint: #5f6368; --line: #d8dade; --soft: #f4f5f7;
  --yes: #0b6b3a; --no: #b3261e; --open: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e8; --paper: #17181b; --faint: #a3a7ae; --line: #393c42;
  --soft: #212328; --yes: #5fd08f; --no: #ff8a80; --open: #f0b849; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 0; }
h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
a { color: inherit; } code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .28rem .6rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--faint); } td.n, th.n { text-align: right; white-space: nowrap; }
.wide { overflow-x: auto; } .faint { color: var(--faint); }
.math { overflow: auto hidden; padding: .2rem 0; margin: .6rem 0; font-size: 1.1rem; }
section { border-top: 2px solid var(--line); margin-top: 2.2rem; padding-top: 1.2rem; }
.SUPPORTED { color: var(--yes); } .REFUTED { color: var(--no); } .INCONCLUSIVE { color: var(--open); }
.verdict { font-weight: 650; white-space: nowrap; }
.figure svg { width: 100%; height: auto; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; margin: .8rem 0; }
dt { color: var(--faint); } dd { margin: 0; } ul { margin: 0; padding-left: 1.1rem; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; font-size: .85rem; margin: .3rem 0; }
summary { cursor: pointer; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } }
"""


def write_report(run: RunDirectory) -> Path:
    """Write ``report.html`` of a run and return its path.

    Raises:
        RecordError: if it cannot be written.
    """
    found = run.verdicts()
    entries = [found[slug] for slug in run.settings.slugs if slug in found]
    run.save_text("report.html", page(run, entries))
    return run.path / "report.html"


def page(run: RunDirectory, entries: Sequence[dict[str, Any]]) -> str:
    """The page as HTML."""
    settings, count = run.settings, {name: sum(e["outcome"] == name for e in entries) for name in MARKS}
    tally = ", ".join(f'<span class="{name}">{number} {name}</span>' for name, number in count.items() if number)
    missing = [slug for slug in settings.slugs if slug not in {entry["slug"] for entry in entries}]
    unfinished = f'<p class="INCONCLUSIVE">Not finished: {escape(", ".join(missing))}</p>' if missing else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>depthjax: {escape(settings.size)} run, seed {settings.seed}</title><style>{STYLE}</style></head>
<body><header><h1>Predicted against measured</h1>
<p>{tally or "nothing finished"} <span class="faint">of {len(settings.slugs)} claims · size {escape(settings.size)}, seed
{settings.seed}, {escape(settings.precision)}</span></p>{unfinished}
<p class="faint">A measurement supports a statement or refutes it; it never proves one. Margin is what is left of the error
budget: 1 is exact agreement, 0 the edge, negative refuted. A control is a neighbouring falsehood that the same judge
had to refute.</p>
</header>
{_summary(entries)}
{"".join(_section(run, entry) for entry in entries)}
</body></html>
"""


def _summary(entries: Sequence[dict[str, Any]]) -> str:
    head = ("claim", "relation", ">predicted", ">measured", ">margin", ">tightness", ">controls", "verdict", ">seconds")
    rows, topics = [], [entry["topic"] for entry in entries]
    for entry, before in zip(entries, ["", *topics], strict=False):
        if entry["topic"] != before and len(set(topics)) > 1:
            rows.append(entry["topic"])
        controls = entry["controls"]
        refuted = sum(control["outcome"] == "REFUTED" for control in controls)
        constant = " (constant)" if "constant" in entry["where"] else ""
        rows.append(
            (
                f'<a href="#{escape(entry["slug"])}">{escape(entry["slug"])}</a>',
                escape(entry["relation"] + constant),
                *(_number(entry[name]) for name in ("predicted", "measured", "margin", "tightness")),
                f"{refuted}/{len(controls)}",
                _outcome(entry["outcome"]),
                f"{entry['seconds']['compile'] + entry['seconds']['run']:.1f}",
            )
        )
    return _table(head, rows)


def _section(run: RunDirectory, entry: dict[str, Any]) -> str:
    claim = entry["claim"]
    title = f'<h2>{escape(claim.get("title") or entry["slug"])}</h2><p class="faint"><code>{escape(entry["slug"])}</code></p>'
    reason = f": {escape(entry['reason'])}" if entry["reason"] else ""
    facts = {
        "assumes": _list(claim.get("assumes", ())),
        "source": escape(claim.get("source", "")),
        "refuted by": escape(claim.get("refuted_by", "")),
        "worst case": _witness(run, entry),
    }
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items() if text)
    return f"""<section id="{escape(entry["slug"])}">{title}
<p>{_outcome(entry["outcome"])}{reason}</p>
<p>{escape(claim.get("statement", ""))}</p>
{_formula(claim.get("latex", ""))}
<dl>{rows}</dl>
{_figure(run, entry)}
{_findings(entry["findings"])}
{_set_aside(entry["skipped"])}
{_controls(entry["controls"])}
{_provenance(entry)}
</section>
"""


def _formula(latex: str) -> str:
    # sizes by hand (\Bigl) are for paper; delimiters that stretch do the same here, and the converter knows them all
    latex = re.sub(r"\\[bB]igg?(l|r)(?![a-z])", lambda size: r"\left" if size[1] == "l" else r"\right", latex)
    if not latex:
        return ""
    try:
        return f'<div class="math">{latex2mathml.converter.convert(latex, display="block")}</div>'
    except Exception:  # its parser raises many kinds; the formula is still readable as it was written
        return f"<pre>{escape(latex)}</pre>"


def _figure(run: RunDirectory, entry: dict[str, Any]) -> str:
    file = run.path / f"{entry['slug']}.svg"
    if not file.exists():
        return f'<p class="faint">No figure {escape(entry["figure"])}</p>'
    svg = re.sub(r"^.*?(?=<svg)", "", file.read_text(), flags=re.DOTALL)
    # ids must differ between the figures of one page, and a matplotlib id says nothing of its figure
    svg = re.sub(r'(\bid="|"#|url\(#)', lambda match: match[0] + entry["slug"] + "-", svg)
    svg = svg.replace(INK, "currentColor").replace(f"fill: {PAPER}", "fill: none")
    label = f"{entry['slug']}: predicted against measured"
    return f'<div class="figure" role="img" aria-label="{escape(label)}">{svg}</div>'


def _findings(findings: Sequence[dict[str, Any]]) -> str:
    if not findings:
        return ""
    head = ("", "cell", "quantity", ">predicted", ">measured", ">budget", ">margin", ">tightness", ">power", ">points")
    rows = []
    for finding in findings[:MAX_FINDINGS]:
        where = ", ".join(f"{name}={value}" for name, value in finding["where"].items())
        dropped = f" (−{finding['dropped']})" if finding["dropped"] else ""
        rows.append(
            (
                _mark(finding["outcome"]) if finding["resolved"] else '<span class="faint" title="set aside">∅</span>',
                f"{escape(finding['cell'])}<br><span class='faint'>{escape(where)}</span>",
                f"{escape(finding['label'])} <span class='faint'>{escape(finding['units'])}</span>",
                _number(finding["predicted"]),
                _number(finding["measured"]),
                _budget(finding["budget"]),
                *(_number(finding[name], 3) for name in ("margin", "tightness", "power")),
                f"{finding['points']}{dropped}",
            )
        )
    more = f'<p class="faint">{MAX_FINDINGS} of {len(findings)} shown</p>' if len(findings) > MAX_FINDINGS else ""
    text = "the worst point of each cell, its error budget by cause, and the points judged (−dropped under the rounding floor)"
    state = " open" if len(findings) <= OPEN_FINDINGS else ""
    return f"<details{state}><summary><strong>Findings</strong>: {text}</summary>{_table(head, rows)}{more}</details>"


def _budget(parts: dict[str, float | None]) -> str:
    known = {name: value for name, value in parts.items() if value}
    split = "<br>".join(f"<span class='faint'>{name} {_number(value, 2)}</span>" for name, value in known.items())
    return f"{_number(sum(known.values()), 3)}<br>{split}" if split else "0"


def _set_aside(lines: Sequence[str]) -> str:
    return f"<h3>Set aside</h3>{_list(lines)}" if lines else ""


def _controls(controls: Sequence[dict[str, Any]]) -> str:
    rows = [
        (escape(c["name"]), escape(c["statement"]), _refuted(c["outcome"]), f'<span class="faint">{escape(c["reason"])}</span>')
        for c in controls
    ]
    return f"<h3>Controls: false on purpose</h3>{_table(('name', 'statement', 'verdict', ''), rows)}" if rows else ""


def _witness(run: RunDirectory, entry: dict[str, Any]) -> str:
    if not entry["witness"]:
        return ""
    witness = entry["witness"] if re.fullmatch(r"[\w./=,+-]+", entry["witness"]) else f"'{entry['witness']}'"
    return f"<code>depthjax replay {escape(str(run.path))} {escape(witness)}</code>"


def _provenance(entry: dict[str, Any]) -> str:
    place = entry["provenance"]
    if not place:
        return ""
    seconds = entry["seconds"]
    facts = {
        "device": f"{place['device']} × {place['devices']}",
        "numbers": f"{entry['dtype']}, matrix products {place['matmul_precision']}, x64 {'on' if place['x64'] else 'off'}",
        "grid": f"{place['size']}: {entry['claim'].get('grid', '')}",
        "seed": place["seed"],
        "seconds": f"{seconds['compile']:.2f} to compile, {seconds['run']:.2f} to run",
        "compiler": place.get("xla_flags") or "default flags",
        "commit": place["commit"] or "not in a checkout",
        "versions": ", ".join(f"{name} {version}" for name, version in place["versions"].items()),
    }
    rows = "".join(f"<dt>{name}</dt><dd>{escape(str(text))}</dd>" for name, text in facts.items())
    return f"<details><summary>Provenance</summary><dl>{rows}</dl></details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of HTML cells; a heading with ``>`` in front is a column of numbers, a row that is a text a heading of rows."""
    kinds = [' class="n"' if name.startswith(">") else "" for name in head]
    top = "".join(f"<th{kind}>{name.lstrip('>')}</th>" for name, kind in zip(head, kinds, strict=True))
    body = "".join(
        f'<tr><th colspan="{len(head)}">{escape(row)}</th></tr>'
        if isinstance(row, str)
        else "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def _outcome(name: str) -> str:
    return f'<span class="verdict {name}">{MARKS.get(name, "")} {name}</span>'


def _mark(name: str) -> str:
    return f'<span class="verdict {name}" title="{name}">{MARKS.get(name, "")}</span>'


def _refuted(name: str) -> str:
    """A control is as it should be when it is refuted."""
    return f'<span class="verdict SUPPORTED">{name}, as it must be</span>' if name == "REFUTED" else _outcome(name)


def _number(value: float | None, digits: int = 5) -> str:
    return "–" if value is None else str(int(value)) if value == int(value) and abs(value) < 1e7 else f"{value:.{digits}g}"
