"""Run directories as somebody else might have made them: files written byte by byte, around everything that would refuse.

Every attack on a page would set its title and add an element with the id PWNED, or ask a server for a file. A test that takes
``text``, ``latex`` or ``drawing`` runs once for each attack of that kind; the fixture ``attacks`` holds them all.
"""

import json
import types

import pytest

from depthjax.report import inert
from depthjax.report.page import write_report
from depthjax.runs.records import RunDirectory
from depthjax.runs.schema import SchemaError, check_verdict

FINDING = {
    "quantity": "error",
    "label": "an error",
    "units": "m",
    "cell": "letters=2",
    "where": {"step": 0.5, "name": "here"},
    "relation": "order",
    "budget": {"rounding": 1e-9, "sampling": 0.0},
    **{"predicted": 2.0, "measured": 2.001, "margin": 0.5, "tightness": None, "power": 0.3},
    "outcome": "REFUTED",
    "reason": "because",
    "points": 9,
    "dropped": 3,
    "resolved": True,
}
CLAIM = {name: name for name in ("title", "statement", "latex", "source", "refuted_by", "cost", "grid")} | {"assumes": ["one"]}
PLACE = {"device": "cpu", "devices": 1, "matmul_precision": "highest", "x64": True, "size": "quick", "seed": 0, "commit": "c"}
VERDICT = {
    "slug": "a_claim",
    "topic": "topic",
    "outcome": "REFUTED",
    "relation": "order",
    "quantity": "error",
    "where": {"step": 0.5},
    **{"predicted": 2.0, "measured": 2.001, "margin": 0.5, "tightness": None, "power": 0.3},
    "controls": [{"name": "one lower", "outcome": "REFUTED", "statement": "false", "reason": "so"}],
    "rivals": [{"name": "one higher", "outcome": "REFUTED", "statement": "false", "reason": "so"}],
    "reason": "because",
    "seconds": {"compile": 0.1, "run": 0.2},
    **{"device": "cpu", "size": "quick", "seed": 0, "date": "2026-01-01", "dtype": "float64", "figure": "not drawn"},
    "witness": "a_claim/letters=2",
    "findings": [FINDING],
    "skipped": ["one"],
    "claim": CLAIM,
    "provenance": PLACE | {"versions": {"jax": "1"}, "xla_flags": "flags"},
}
SETTINGS = {
    "size": "quick",
    "seed": 0,
    "precision": "float64",
    "slugs": ["a_claim"],
    "catalogue": "experiments",
    "provenance": {},
}


SCRIPT = "document.title='PWNED';document.documentElement.appendChild(document.createElement('b')).id='PWNED'"
SVG = "http://www.w3.org/2000/svg"
LINK = "http://www.w3.org/1999/xlink"
ADDRESS = "http://127.0.0.1:1/loaded"  # the tests that open a browser put a server's address here

TEXTS = [
    f"<script>{SCRIPT}</script>",
    f"</title></style></code></pre><script>{SCRIPT}</script>",
    f'"><img src=x onerror="{SCRIPT}">',
    f"' autofocus onfocus='{SCRIPT}' x='",
    f"<svg onload={SCRIPT.replace(' ', '')}>",
    f"<iframe srcdoc='<script>parent.{SCRIPT}</script>'></iframe>",
    f"--><script>{SCRIPT}</script><!--",
    f"]]><script>{SCRIPT}</script>",
    f"<img src='{ADDRESS}'><link rel=stylesheet href='{ADDRESS}'><style>@import url({ADDRESS});</style>",
    f"<object data='{ADDRESS}'></object><embed src='{ADDRESS}'><base href='{ADDRESS}'>",
    f"<meta http-equiv=refresh content='0;url={ADDRESS}'>",
    "{slug} {0.__class__} {style.__globals__} %s ${7*7} {{7*7}}",
    "&lt;script&gt;&#60;script&#62;",
    "\u202egnp.exe\u202c \x1b]0;title\x07 \x00 \ufeff \x9b31m",
]
FORMULAS = [
    rf"\text{{<script>{SCRIPT}</script>}}",
    rf"\text{{<img src=x onerror={SCRIPT}>}}",
    rf"\mathrm{{&lt;script&gt;{SCRIPT}&lt;/script&gt;}}",
    rf"\operatorname{{</math><script>{SCRIPT}</script>}}",
    rf"\href{{javascript:{SCRIPT}}}{{x}}",
    r"\style{background:url(" + ADDRESS + r")}{x}",
    r"\class{a onclick}{x}",
    rf"\textcolor{{red\" onclick=\"{SCRIPT}}}{{x}}",
    r"\color{url(" + ADDRESS + r")} x",
    r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\a",
    r"\newcommand{\a}{\a\a}\a",
    "{" * 5000,
    "x" * (inert.MAX_FORMULA + 1),
    "\\",
    "\x00",
]


def drawn(inside="", root="", before="", spaces=f'xmlns="{SVG}" xmlns:xlink="{LINK}"'):
    return f"<?xml version='1.0'?>{before}<svg {spaces} {root}>{inside}</svg>"


FIGURES = {
    "script": drawn(f"<script>{SCRIPT}</script>"),
    "script with an address": drawn(f'<script href="{ADDRESS}"/>'),
    "script in cdata": drawn(f"<script><![CDATA[{SCRIPT}]]></script>"),
    "script of another language": drawn(f'<h:script xmlns:h="http://www.w3.org/1999/xhtml">{SCRIPT}</h:script>'),
    "foreign object": drawn(
        f"<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><img src='{ADDRESS}'/></body></foreignObject>"
    ),
    "onload": drawn(root=f'onload="{SCRIPT}"'),
    "onload in capitals": drawn(root=f'ONLOAD="{SCRIPT}"'),
    "handler": drawn(f'<g onmouseover="{SCRIPT}"><path d="M 0 0"/></g>'),
    "link": drawn(f'<a xlink:href="javascript:{SCRIPT}"><path d="M 0 0 L 9 9"/></a>'),
    "link without language": drawn(f'<a href="javascript:{SCRIPT}"><path d="M 0 0 L 9 9"/></a>'),
    "copy from elsewhere": drawn(f'<use href="{ADDRESS}#x"/>'),
    "copy of data": drawn(f"<use href=\"data:image/svg+xml,&lt;svg onload='{SCRIPT}'/&gt;#x\"/>"),
    "import": drawn(f"<path d='M 0 0'/><defs><script/><style>@import url({ADDRESS});</style></defs>"),
    "style alone": drawn(f'<style>@import "{ADDRESS}"; * {{ background: url({ADDRESS}) }} body {{ display: none }}</style>'),
    "style with an end": drawn(f"<style>&lt;/style>&lt;script>{SCRIPT}&lt;/script></style>"),
    "title with an end": drawn(f"<title>&lt;/title>&lt;script>{SCRIPT}&lt;/script></title>"),
    "metadata": drawn(f"<metadata><x:script xmlns:x='http://www.w3.org/1999/xhtml'>{SCRIPT}</x:script></metadata>"),
    "fill from elsewhere": drawn(f'<path d="M 0 0" style="fill: url({ADDRESS}#x)"/>'),
    "style attribute": drawn(f'<path d="M 0 0" style="background: url({ADDRESS})"/>'),
    "style escaped": drawn(f'<path d="M 0 0" style="fi\\6c l: \\75 rl({ADDRESS})"/>'),
    "filter": drawn(f'<path d="M 0 0" filter="url({ADDRESS}#f)"/>'),
    "animation": drawn(f'<path d="M 0 0"><animate attributeName="href" values="javascript:{SCRIPT}" begin="0s"/></path>'),
    "set": drawn(f'<g><set attributeName="onmouseover" to="{SCRIPT}"/></g>'),
    "handler of time": drawn(f'<animate onbegin="{SCRIPT}" attributeName="x" dur="1s"/>'),
    "picture from elsewhere": drawn(f'<image href="{ADDRESS}" width="9" height="9"/>'),
    "picture that is a figure": drawn("<image href=\"data:image/svg+xml;base64,PHN2Zy8+\" width='9' height='9'/>"),
    "picture with an end": drawn("<image href='data:image/png;base64,AA\" onerror=\"x' width='9' height='9'/>"),
    "attribute with quotes": drawn(f"<path id='x\" onload=\"{SCRIPT}' d='M 0 0'/>"),
    "path with an end": drawn(f"<path d='M 0 0\"/&gt;&lt;script&gt;{SCRIPT}&lt;/script&gt;'/>"),
    "words with an end": drawn(f"<text>&lt;/text>&lt;script>{SCRIPT}&lt;/script></text>"),
    "words with a link": drawn(f'<text><a href="javascript:{SCRIPT}">x</a></text>'),
    "words with a style": drawn(f'<text style="font-family: url({ADDRESS})">x</text>'),
    "words of a font": drawn(f'<text style="font: 9px &quot;a&quot;; src: url({ADDRESS})">x</text>'),
    "words in words": drawn("<text><text>x</text></text>"),
    "parts of words alone": drawn("<tspan>x</tspan>"),
    "handler of words": drawn(f'<text><tspan onclick="{SCRIPT}">x</tspan></text>'),
    "figure in a figure": drawn(f'<svg onload="{SCRIPT}"/>'),
    "no namespace": f'<svg onload="{SCRIPT}"/>',
    "page": f"<html xmlns='http://www.w3.org/1999/xhtml'><script>{SCRIPT}</script></html>",
    "not xml": f"<svg xmlns='{SVG}'><path d=M0><script>{SCRIPT}</script>",
    "text before": f"<script>{SCRIPT}</script><svg xmlns='{SVG}'/>",
    "style sheet": drawn(before=f"<?xml-stylesheet href='{ADDRESS}'?>") + f"<script>{SCRIPT}</script>",
    "entities": drawn("&b;", before='<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'),
    "entity of a file": drawn("&a;", before='<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
    "entity of elsewhere": drawn("&a;", before=f'<!DOCTYPE svg SYSTEM "{ADDRESS}">'),
    "parameter entity": drawn(before=f'<!DOCTYPE svg [<!ENTITY % a SYSTEM "{ADDRESS}"> %a;]>'),
    "deep": drawn("<g>" * 100_000 + "</g>" * 100_000),
    "copies of copies": drawn(
        '<g id="a0"><path d="M 0 0"/></g>'
        + "".join(f'<g id="a{i + 1}"><use href="#a{i}"/><use href="#a{i}"/></g>' for i in range(40))
    ),
    "copy of itself": drawn('<g id="a"><use href="#a"/></g>'),
    "patterns of patterns": drawn('<pattern id="p"><path d="M 0 0" fill="url(#p)"/></pattern><path d="M 0 0" fill="url(#p)"/>'),
    "other code": drawn(f"<script>{SCRIPT}</script>").encode("utf-16"),
    "seven bits": f"<?xml version='1.0' encoding='utf-7'?>+ADw-script+AD4-{SCRIPT}+ADw-/script+AD4-<svg xmlns='{SVG}'/>",
    "zeros": b"\x00" * 1000,
    "nothing": b"",
}
HARMLESS = {"style alone", "style with an end", "title with an end", "metadata"}  # what they hold is left out
HARMLESS |= {"words with an end"}  # and these are words


def pytest_generate_tests(metafunc):
    for name, table in {"text": dict(enumerate(TEXTS)), "latex": dict(enumerate(FORMULAS)), "drawing": FIGURES}.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, table.values() if name != "drawing" else table, ids=map(str, table))


@pytest.fixture
def attacks():
    names = {
        "texts": TEXTS,
        "formulas": FORMULAS,
        "figures": FIGURES,
        "harmless": HARMLESS,
        "script": SCRIPT,
        "address": ADDRESS,
    }
    return types.SimpleNamespace(**names)


@pytest.fixture
def rendered():
    """The report of a run directory."""
    return lambda path: write_report(RunDirectory.open(path)).read_text()


@pytest.fixture
def everywhere():
    """A verdict with a text in every place that the schema leaves to texts, values and keys alike."""

    def leaves(value, at=()):
        if isinstance(value, str):
            yield at
        for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            yield from leaves(item, (*at, key))

    def put(value, at, new):
        if not at:
            return new
        copied = value.copy()
        copied[at[0]] = put(value.get(at[0]) if isinstance(value, dict) else value[at[0]], at[1:], new)
        return copied

    def everywhere(record, text):
        keys = [("where",), ("findings", 0, "where"), ("findings", 0, "budget"), ("provenance", "versions")]
        for at in leaves(record):
            try:
                record = check_verdict(put(record, at, text))
            except SchemaError:
                continue
        for at in keys:
            record = put(record, (*at, text), "1" if at[-1] == "versions" else 1.0)
        return check_verdict(record)

    return everywhere


@pytest.fixture
def verdict():
    return json.loads(json.dumps(VERDICT))


@pytest.fixture
def make(tmp_path):
    """Write a run directory as it is told: settings, lines (records or bytes), further files; returns its path."""

    def make(*lines, files=(), name="run", **settings):
        path = tmp_path / name
        path.mkdir(parents=True)
        (path / "run.json").write_text(json.dumps(SETTINGS | settings))
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        (path / "verdicts.jsonl").write_bytes(b"".join(line + b"\n" for line in raw))
        for file, content in dict(files).items():
            (path / file).parent.mkdir(parents=True, exist_ok=True)
            (path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make
