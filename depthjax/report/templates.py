"""The frame of a run's page: its style, its templates, and the policy that the browser enforces."""

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #ffffff; --faint: #5f6368; --line: #d8dade; --soft: #f4f5f7;
  --yes: #0b6b3a; --no: #b3261e; --open: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e8; --paper: #17181b; --faint: #a3a7ae; --line: #393c42;
  --soft: #212328; --yes: #5fd08f; --no: #ff8a80; --open: #f0b849; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
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
.figure svg { width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .25rem 1rem; margin: .8rem 0; }
dt { color: var(--faint); } dd { margin: 0; } ul { margin: 0; padding-left: 1.1rem; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; font-size: .85rem; margin: .3rem 0; }
summary { cursor: pointer; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } }
"""


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>depthjax: {size} run, seed {seed}</title><style>{style}</style></head>
<body><header><h1>Predicted against measured</h1>
<p>{tally} <span class="faint">of {claims} claims · size {size}, seed
{seed}, {precision}</span></p>{unfinished}
<p class="faint">A measurement supports a statement or refutes it; it never proves one. Margin is what is left of the error
budget: 1 is exact agreement, 0 the edge, negative refuted; of an order, how far the nearest rival lies beyond the budget, as a
share of its distance. A control is a measurement for which the theorem must
fail; a rival is another prediction of the same data. The same judge had to refute them all.</p>
</header>
{summary}
{sections}
</body></html>
"""

SECTION = """<section id="{slug}"><h2>{title}</h2><p class="faint"><code>{slug}</code></p>
<p>{outcome}{reason}</p>
<p>{statement}</p>
{formula}
<dl>{facts}</dl>
{figure}
{findings}
{set_aside}
{controls}
{rivals}
{provenance}
</section>
"""


def policy() -> str:
    """Nothing runs and nothing is loaded; pictures inside figures are data; the one style is this file's, by its hash."""
    style = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'"
