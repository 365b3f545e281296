"""The frame of a run's page: its style, its one script, its templates, and the policy that the browser enforces."""

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #ffffff; --faint: #5f6368; --line: #d8dade; --soft: #f4f5f7;
  --yes: #0b6b3a; --no: #b3261e; --open: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e8; --paper: #17181b; --faint: #a3a7ae; --line: #393c42;
  --soft: #212328; --yes: #5fd08f; --no: #ff8a80; --open: #f0b849; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 0; }
h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
a { color: inherit; } code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .28rem .6rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--faint); } td.n, th.n { text-align: right; white-space: nowrap; } td.w { text-align: right; }
.wide { overflow-x: auto; } .faint { color: var(--faint); }
.math { overflow: auto hidden; padding: .2rem 0; margin: .6rem 0; font-size: 1.1rem; }
section { border-top: 2px solid var(--line); margin-top: 2.2rem; padding-top: 1.2rem; }
.SUPPORTED { color: var(--yes); } .REFUTED { color: var(--no); } .INCONCLUSIVE { color: var(--open); }
.verdict { font-weight: 650; white-space: nowrap; }
figure { margin: 0; } figcaption { font-size: .9rem; color: var(--faint); max-width: 60rem; } figcaption p { margin: .3rem 0; }
.figure svg { width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt; }
.figure text, .picture text { font-family: "DejaVu Sans", Verdana, sans-serif; }
:is(.figure, .picture) text:not([fill]) { fill: currentColor; }
.pictures { display: flex; flex-wrap: wrap; gap: .6rem 2rem; } .picture { max-width: 100%; }
.picture svg { max-width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt; }
.answers { margin: .8rem 0; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; margin: .8rem 0; }
dt { color: var(--faint); } dd { margin: 0; } ul { margin: 0; padding-left: 1.1rem; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; font-size: .85rem; margin: .3rem 0; }
summary { cursor: pointer; }
.tally { font-size: 1.15rem; }
.filter label, .filter select { max-width: 100%; }
.filter { display: flex; flex-wrap: wrap; gap: .4rem 1rem; margin: 1rem 0 .4rem; font-size: .9rem; position: sticky; top: 0;
  background: var(--paper); padding: .4rem 0; }
.filter input, .filter select { font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line);
  border-radius: 4px; padding: .1rem .35rem; }
.summary td.title { min-width: 16rem; max-width: 26rem; } .summary td.found { min-width: 14rem; }
.title code { display: block; } .strip svg { width: 7.5rem; height: 1.25rem; display: block; }
.summary tbody th { padding-top: 1rem; font-size: .95rem; color: var(--ink); }
section { scroll-margin-top: 3rem; content-visibility: auto; contain-intrinsic-size: auto 70rem; } /* drawn when it is near */
[hidden] { display: none !important; }
@media (max-width: 48rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; }
  .summary thead { display: none; } .summary tr { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .5rem 0;
  border-bottom: 1px solid var(--line); } .summary td { border: 0; padding: 0; } .summary td.title, .summary td.found
  { flex-basis: 100%; min-width: 0; max-width: none; } .summary th { border: 0; }
  .summary td:nth-child(4)::before { content: "controls "; } .summary td:nth-child(5)::before { content: "rivals "; }
  .summary td:nth-child(6)::before { content: "mutants "; } .summary td:nth-child(8)::after { content: " s"; }
  .filter { position: static; } .figure { overflow-x: auto; } .figure svg { min-width: 40rem; }
  .answers thead { display: none; } .answers tr { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .4rem 0;
  border-bottom: 1px solid var(--line); } .answers td { border: 0; padding: 0; overflow-wrap: anywhere; }
  .answers td:first-child { font-weight: 600; } .answers td:last-child { flex-basis: 100%; } }
@media print { :root { font-size: 11px; } body { font-size: 1rem; max-width: none; padding: 0; }
  .filter, details:not([open]) { display: none; } .summary tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; } .summary td.title, .summary td.found { min-width: 0; }
  section { content-visibility: visible; margin-top: 1.4rem; padding-top: .8rem; } .wide { overflow: visible; }
  .figure svg { width: auto; max-width: 100%; max-height: 20cm; } } /* a figure and its statement on one page */
"""


SCRIPT = """
const fields = [...document.querySelectorAll(".filter select")], words = document.getElementById("filter-words");
function show() {
  const wanted = words.value.toLowerCase();
  for (const row of document.querySelectorAll("tr[data-slug]")) {
    const named = fields.every((f) => !f.value || row.dataset[f.id.slice(7)] === f.value);
    row.hidden = !(named && row.textContent.toLowerCase().includes(wanted));
    document.getElementById(row.dataset.slug).hidden = row.hidden;
  }
  for (const group of document.querySelectorAll(".summary tbody"))
    group.hidden = !group.querySelector("tr[data-slug]:not([hidden])");
}
document.querySelector(".filter").addEventListener("input", show);
document.querySelector(".filter").addEventListener("submit", (event) => event.preventDefault());
show(); // a browser may bring back what was chosen before
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>depthjax: {size} run, seed {seed}</title><style>{style}</style></head>
<body><header><h1>Predicted against measured</h1>
<p class="tally">{tally} <span class="faint">of {claims} claims · size {size}, seed {seed}, {precision}</span></p>
{unfinished}{left}{other}
<p>{worth}</p>
<details><summary>How to read this page</summary>
<p>A measurement supports a statement or refutes it; it never proves one. The small picture shows every finding between the
prediction, in the middle, and the edges of its error budget; under a bound it shows the share of the bound that is reached, and
over seeds the share that succeeds. A control is a measurement for which the theorem must fail; a rival is another prediction of
the same data. The same judge had to refute them all. Counted are controls with a measurement of their own, and rivals that data
could leave standing where they support the claim, with the distance of the nearest in budgets; the others follow from the
verdict or read the same data, and are checks of the program. Mutants are programs with one wrong line of mathematics that the
claim noticed, of those about it. Margin is what is left of the error budget: 1 is exact agreement, 0 the edge, negative
refuted; of an order, how far the nearest rival lies beyond the budget, as a share of its distance.</p></details>
</header>
{filters}
{summary}
{sections}
<script>{script}</script>
</body></html>
"""

SUMMARY = """<div class="wide summary"><table><thead><tr><th>claim</th><th>what was found</th><th>within its budget</th>
<th class="n">controls</th><th class="n">rivals</th><th class="n">nearest</th>
<th class="n">checks</th><th class="n">mutants</th><th>verdict</th><th class="n">seconds</th></tr>
</thead>
{groups}</table></div>"""

ROW = """<tr data-slug="{slug}" data-topic="{topic}" data-outcome="{outcome}" data-relation="{relation}">
<td class="title"><a href="#{slug}">{title}</a> <code class="faint">{slug}</code></td><td class="found">{found}</td>
<td>{picture}</td><td class="n">{controls}</td><td class="n">{rivals}</td><td class="n">{nearest}</td>
<td class="n">{checks}</td><td class="w">{mutants}</td><td>{verdict}</td>
<td class="n">{seconds}</td></tr>
"""

SECTION = """<section id="{slug}"><h2>{title}</h2>
<p>{outcome}{reason} <code class="faint">{slug}</code></p>
<p>{statement}</p>
{formula}
{figure}
<dl>{facts}</dl>
{findings}
{set_aside}
{controls}
{rivals}
{provenance}
{citation}
</section>
"""


def policy() -> str:
    """Nothing is loaded, and only this file's style and script count, by their hashes; pictures inside figures are data."""
    style, script = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (STYLE, SCRIPT))
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
