"""One page for a run: every verdict, and for each claim its statement, prediction, measurement, and how to repeat it.

The page stands alone: its figures are inline SVG, its formulas MathML, and it holds no address. It follows the reader's light
or dark setting. It is made from the run directory and from what its caller knows of mutants, so it can be made again at any
time. It is inert whatever that directory holds: templates escape texts, figures and formulas are rebuilt from allowed elements,
and the page's policy tells the browser to load nothing and to run one script, the filter of the table, known by its hash.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from depthjax.figures.inks import INK, PAPER
from depthjax.report.inert import MAX_BYTES, NotInert, figure, formula
from depthjax.report.markup import Html, fill, joined
from depthjax.report.strip import strip
from depthjax.report.templates import PAGE, ROW, SCRIPT, SECTION, STYLE, SUMMARY, policy
from depthjax.report.words import bibtex, found
from depthjax.runs.records import RecordError, RunDirectory
from depthjax.verify.rates import family_rate
from depthjax.verify.verdict import checks, nearest, tally

FINDINGS = "the worst point of each cell, its error budget by cause, and the points judged (−dropped under the rounding floor)"
MAX_FINDINGS, OPEN_FINDINGS = 200, 16
FILTERS = ("topic", "outcome", "relation")
MARKS = {"SUPPORTED": "✓", "REFUTED": "✗", "INCONCLUSIVE": "?"}

COLOURS = {INK: "currentColor", f"fill {PAPER}": "none"}  # a figure follows light and dark


def write_report(
    run: RunDirectory,
    mutants: Mapping[str, str] | None = None,
    *,
    worth: str = "",
    full: Mapping[str, str] | None = None,
    earlier: Collection[str] = (),
) -> Path:
    """Write ``report.html`` of a run and return its path.

    Args:
        run: The run.
        mutants: How many mutants a claim noticed, in words, by slug; the page shows them beside controls and rivals.
        worth: What is known of the claims' mutants together, a sentence for the head of the page.
        full: The outcome of a claim at full size, by slug, where it is known; the page shows those that differ from the run's.
        earlier: The claims whose outcome at full size comes from an earlier program; the page says so.

    Raises:
        RecordError: if it cannot be written.
    """
    found = run.verdicts()
    entries = [found[slug] for slug in run.settings.slugs if slug in found]
    run.save_text("report.html", page(run, entries, mutants or {}, worth=worth, full=full or {}, earlier=earlier))
    return run.path / "report.html"


def page(
    run: RunDirectory,
    entries: Sequence[dict[str, Any]],
    mutants: Mapping[str, str],
    *,
    worth: str = "",
    full: Mapping[str, str] | None = None,
    earlier: Collection[str] = (),
) -> str:
    """The page as HTML.

    Args:
        run: supplies settings and figures.
        entries: verdicts as `depthjax.runs.schema.check_verdict` accepts them.
        mutants: as for `write_report`.
        worth: as for `write_report`.
        full: as for `write_report`.
        earlier: as for `write_report`.
    """
    settings, count = run.settings, {name: sum(e["outcome"] == name for e in entries) for name in MARKS}
    counts = (fill('<span class="{name}">{number} {name}</span>', name=n, number=k) for n, k in count.items() if k)
    missing = [slug for slug in settings.slugs if slug not in {entry["slug"] for entry in entries}]
    unfinished = fill('<p class="INCONCLUSIVE">Not finished: {slugs}</p>', slugs=", ".join(missing)) if missing else ""
    return fill(
        PAGE,
        policy=policy(),
        style=Html(STYLE),
        size=settings.size,
        seed=settings.seed,
        precision=settings.precision,
        claims=len(settings.slugs),
        tally=joined(counts, ", ") or "nothing finished",
        unfinished=unfinished,
        left=_left(entries),
        worth=_worth(entries, worth),
        other=_other(settings.size, entries, full or {}, earlier),
        filters=_filters(entries),
        summary=_summary(entries, mutants),
        sections=joined(_section(run, entry, mutants, f"f{number}") for number, entry in enumerate(entries)),
        script=Html(SCRIPT),
    )


def _left(entries: Sequence[dict[str, Any]]) -> Html:
    """The claims that are not supported, with the reason, first of all."""
    lines = [
        fill(
            '<a href="#{slug}">{title}</a>: {outcome} {reason}',
            slug=entry["slug"],
            title=_title(entry),
            outcome=_outcome(entry["outcome"]),
            reason=entry["reason"],
        )
        for entry in entries
        if entry["outcome"] != "SUPPORTED"
    ]
    return _list(lines)


def _worth(entries: Sequence[dict[str, Any]], worth: str) -> str:
    """What the verdicts of a run are worth: what the same judge refuted, and how often a verdict is false by chance."""
    every = {kind: [one for entry in entries for one in entry.get(kind) or ()] for kind in ("controls", "rivals")}
    controls, rivals = map(tally, every.values())
    told = f"{controls} controls with a measurement of their own, {rivals} informative rivals"
    told += f", {checks(every)} checks of the program"
    return " ".join(filter(None, [f"Refuted, as they must be: {told}.", worth, _chance(entries)]))


def _other(size: str, entries: Sequence[dict[str, Any]], full: Mapping[str, str], earlier: Collection[str]) -> Html:
    """The claims whose outcome at full size is known to differ from that of this run."""
    lines = [
        fill(
            '<a href="#{slug}">{title}</a>: {here} in this run of size {size}, {there} at full size{earlier}',
            slug=entry["slug"],
            title=_title(entry),
            here=_outcome(entry["outcome"]),
            size=size,
            there=_outcome(full[entry["slug"]]),
            earlier=", judged with an earlier program" * (entry["slug"] in earlier),
        )
        for entry in entries
        if size != "full" and full.get(entry["slug"], entry["outcome"]) != entry["outcome"]
    ]
    return _list(lines)


def _chance(entries: Sequence[dict[str, Any]]) -> str:
    rate = family_rate(entries)
    return f"At least one verdict is false by chance with probability at most {rate:.1g}." if rate else ""


def _filters(entries: Sequence[dict[str, Any]]) -> Html:
    """What the reader may choose; the page's script hides the rest."""
    lists = joined(
        fill(
            '<label>{name} <select id="filter-{name}"><option value="">all</option>{options}</select></label>',
            name=name,
            options=joined(fill("<option>{value}</option>", value=value) for value in dict.fromkeys(e[name] for e in entries)),
        )
        for name in FILTERS
    )
    return fill('<form class="filter"><label>find <input id="filter-words" type="search"></label>{lists}</form>', lists=lists)


def _summary(entries: Sequence[dict[str, Any]], mutants: Mapping[str, str]) -> Html:
    """A row for each claim, under its topic."""
    topics: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        topics.setdefault(entry["topic"], []).append(entry)
    groups = joined(
        fill(
            '<tbody><tr><th colspan="10">{topic}</th></tr>{rows}</tbody>',
            topic=topic,
            rows=joined(_row(entry, mutants) for entry in of_topic),
        )
        for topic, of_topic in topics.items()
    )
    return fill(SUMMARY, groups=groups) if entries else Html()


def _row(entry: dict[str, Any], mutants: Mapping[str, str]) -> Html:
    return fill(
        ROW,
        slug=entry["slug"],
        topic=entry["topic"],
        outcome=entry["outcome"],
        relation=entry["relation"],
        title=_title(entry),
        found=found(entry),
        picture=strip(entry["findings"]),
        controls=tally(entry.get("controls") or ()),
        rivals=tally(entry.get("rivals") or ()),
        nearest="–" if (distance := nearest(entry)) is None else f"{distance:.3g}",
        checks=checks(entry),
        mutants=mutants.get(entry["slug"], "–"),
        verdict=joined((_outcome(entry["outcome"]), _loose(entry))),
        seconds=f"{entry['seconds']['compile'] + entry['seconds']['run']:.1f}",
    )


def _title(entry: dict[str, Any]) -> str:
    return entry["claim"].get("title") or entry["slug"]


def _section(run: RunDirectory, entry: dict[str, Any], mutants: Mapping[str, str], prefix: str) -> Html:
    claim = entry["claim"]
    return fill(
        SECTION,
        slug=entry["slug"],
        title=_title(entry),
        outcome=_outcome(entry["outcome"]),
        reason=f"{_loose(entry)}: {entry['reason']}" if entry["reason"] else _loose(entry),
        statement=claim.get("statement", ""),
        formula=_formula(claim.get("latex", "")),
        facts=_facts(
            {
                "assumes": _list(claim.get("assumes", ())),
                "source": claim.get("source", ""),
                "refuted by": claim.get("refuted_by", ""),
                "domain": _list(claim.get("domain", ())),
                "drawn by the seed": _list(entry.get("drawn", ())),
                "worst case": _witness(run, entry),
                "mutants noticed": mutants.get(entry["slug"], ""),
                "rests on": _list(entry.get("hypotheses") or ()),
                "false by chance": f"with probability at most {rate:.1g}" if (rate := entry.get("rate")) else "",
            }
        ),
        figure=_figure(run, entry, prefix),
        citation=_citation(claim.get("source", ""), entry["slug"]),
        findings=_findings(entry["findings"]),
        set_aside=fill("<h3>Set aside</h3>{lines}", lines=_list(entry["skipped"])) if entry["skipped"] else "",
        controls=_tried("Controls: measured where the theorem must fail", entry["controls"]),
        rivals=_tried("Rivals: other predictions of the same data", entry.get("rivals", [])),
        provenance=_provenance(entry),
    )


def _formula(latex: str) -> Html:
    # sizes by hand (\Bigl) are for paper; delimiters that stretch do the same here, and the converter knows them all
    latex = re.sub(r"\\[bB]igg?(l|r)(?![a-z])", lambda size: r"\left" if size[1] == "l" else r"\right", latex)
    if not latex:
        return Html()
    try:
        return fill('<div class="math">{formula}</div>', formula=formula(latex))
    except Exception:  # its parser raises many kinds; the formula is still readable as it was written
        return fill("<pre>{latex}</pre>", latex=latex)


def _figure(run: RunDirectory, entry: dict[str, Any], prefix: str) -> Html:
    slug = entry["slug"]
    try:
        file = run.file(f"{slug}.svg")
        if not file.exists():
            return fill('<p class="faint">No figure {why}</p>', why=entry["figure"])
        drawn = figure(run.read(file.name, MAX_BYTES), prefix, COLOURS)
    except (NotInert, RecordError, OSError) as error:
        return fill('<p class="faint">The figure {slug}.svg is not shown: {why}</p>', slug=slug, why=error)
    return fill(
        '<figure><div class="figure" role="img" aria-label="{label}">{shapes}</div><figcaption>{caption}</figcaption></figure>',
        label=f"{slug}: predicted against measured",
        shapes=drawn.shapes,
        caption=joined(fill("<p>{line}</p>", line=line) for line in drawn.caption.splitlines()),
    )


def _citation(source: str, slug: str) -> Html:
    entry = bibtex(source, slug)
    return fill("<details><summary>BibTeX</summary><pre>{entry}</pre></details>", entry=entry) if entry else Html()


def _findings(findings: Sequence[dict[str, Any]]) -> Html:
    if not findings:
        return Html()
    head = ("", "cell", "quantity", ">predicted", ">measured", ">budget", ">margin", ">tightness", ">power", ">points")
    rows = []
    for finding in findings[:MAX_FINDINGS]:
        where = ", ".join(f"{name}={value}" for name, value in finding["where"].items())
        dropped = f" (−{finding['dropped']})" if finding["dropped"] else ""
        rows.append(
            (
                _mark(finding["outcome"]) if finding["resolved"] else Html('<span class="faint" title="set aside">∅</span>'),
                fill("{cell}<br>{where}", cell=finding["cell"], where=_faint(where)),
                fill("{label} {units}", label=finding["label"], units=_faint(finding["units"])),
                _number(finding["predicted"]),
                _number(finding["measured"]),
                _budget(finding["budget"]),
                *(_number(finding[name], 3) for name in ("margin", "tightness", "power")),
                f"{finding['points']}{dropped}",
            )
        )
    more = f"{MAX_FINDINGS} of {len(findings)} shown" if len(findings) > MAX_FINDINGS else ""
    return fill(
        "<details{state}><summary><strong>Findings</strong>: {text}</summary>{table}{more}</details>",
        state=" open" if len(findings) <= OPEN_FINDINGS else "",
        text=FINDINGS,
        table=_table(head, rows),
        more=fill('<p class="faint">{more}</p>', more=more) if more else "",
    )


def _budget(parts: dict[str, float | int | None]) -> Html | str:
    known = {name: value for name, value in parts.items() if value}
    split = joined((_faint(f"{name} {_number(value, 2)}") for name, value in known.items()), "<br>")
    return fill("{total}<br>{split}", total=_number(sum(map(float, known.values())), 3), split=split) if split else "0"


def _tried(heading: str, tried: Sequence[dict[str, Any]]) -> Html:
    rows = [
        (
            one["name"],
            one["statement"],
            "evidence" if one.get("evidence") else "check",
            "–" if one.get("distance") is None else f"{one['distance']:.3g}",
            _refuted(one["outcome"]),
            _faint(one["reason"] or one.get("found", "")),
        )
        for one in tried
    ]
    table = _table(("name", "statement", "counts as", "budgets away", "verdict", ""), rows)
    return fill("<h3>{heading}</h3>{table}", heading=heading, table=table) if rows else Html()


def _witness(run: RunDirectory, entry: dict[str, Any]) -> Html:
    if not entry["witness"]:
        return Html()
    return fill("<code>depthjax replay {run} {witness}</code>", run=_quoted(str(run.path)), witness=_quoted(entry["witness"]))


def _quoted(word: str) -> str:
    """Quote a word for the shell, because readers copy the commands that the page shows."""
    return word if re.fullmatch(r"[\w./=,+-]+", word) else shlex.quote(word)


def _provenance(entry: dict[str, Any]) -> Html:
    place = entry["provenance"]
    if not place:
        return Html()
    seconds = entry["seconds"]
    facts = {
        "device": f"{place['device']} × {place['devices']}",
        "numbers": f"{entry['dtype']}, matrix products {place['matmul_precision']}, x64 {'on' if place['x64'] else 'off'}",
        "grid": f"{place['size']}: {entry['claim'].get('grid', '')}",
        "seed": place["seed"],
        "seconds": f"{seconds['compile']:.2f} to compile, {seconds['run']:.2f} to run",
        "compiler": place.get("xla_flags") or "default flags",
        "commit": place["commit"] or "not in a checkout",
        "program": f"registered on {place['registered']}" if place.get("registered") else "not registered before it was judged",
        "versions": ", ".join(f"{name} {version}" for name, version in place["versions"].items()),
    }
    return fill("<details><summary>Provenance</summary><dl>{facts}</dl></details>", facts=_facts(facts))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Return a table. A heading with ``>`` in front heads a column of numbers."""
    kinds = [Html(' class="n"') if name.startswith(">") else Html() for name in head]

    def line(kind: str, cells: Sequence[str]) -> Html:
        return joined(
            fill(f"<{kind}{{kind}}>{{cell}}</{kind}>", kind=look, cell=cell) for cell, look in zip(cells, kinds, strict=True)
        )

    body = (fill("<tr>{cells}</tr>", cells=line("td", row)) for row in rows)
    return fill(
        '<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>',
        top=line("th", [name.lstrip(">") for name in head]),
        body=joined(body),
    )


def _facts(facts: dict[str, Any]) -> Html:
    return joined(fill("<dt>{name}</dt><dd>{text}</dd>", name=name, text=text) for name, text in facts.items() if text != "")


def _list(items: Sequence[str]) -> Html:
    return fill("<ul>{items}</ul>", items=joined(fill("<li>{item}</li>", item=item) for item in items)) if items else Html()


def _faint(text: str) -> Html:
    return fill('<span class="faint">{text}</span>', text=text)


def _outcome(name: str) -> Html:
    return fill('<span class="verdict {name}">{mark} {name}</span>', name=name, mark=MARKS.get(name, ""))


def _loose(entry: dict[str, Any]) -> str:
    return ", loose" if entry.get("loose") else ""


def _mark(name: str) -> Html:
    return fill('<span class="verdict {name}" title="{name}">{mark}</span>', name=name, mark=MARKS.get(name, ""))


def _refuted(name: str) -> Html:
    """A control is as it should be when it is refuted."""
    kept = fill('<span class="verdict SUPPORTED">{name}, as it must be</span>', name=name)
    return kept if name == "REFUTED" else _outcome(name)


def _number(value: float | int | None, digits: int = 5) -> str:
    if value is None:
        return "–"
    return str(int(value)) if abs(value) < 1e7 and value == int(value) else f"{value:.{digits}g}"
