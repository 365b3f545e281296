"""The report of a run directory that somebody else made holds texts, shapes and formulas: nothing that could run or load."""

import re
from html.parser import HTMLParser

import pytest

from depthjax.report import inert
from depthjax.report import page as report
from depthjax.report.inert import NotInert, figure, formula
from depthjax.report.templates import SCRIPT
from depthjax.runs.records import RunDirectory
from experiments.standalone import made_from, standalone

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "h1",
    "h2",
    "h3",
    "p",
    "span",
    "div",
    "table",
    "thead",
    "tbody",
}
TAGS |= {"form", "label", "input", "select", "option", "script", "figure", "figcaption"}
TAGS |= {"tr", "th", "td", "a", "section", "code", "dl", "dt", "dd", "ul", "li", "details", "summary", "strong", "br", "pre"}
TAGS |= {name.lower() for name in inert._FIGURE} | inert._MATH
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "title", "href", "colspan", "open", "role"}
ATTRIBUTES |= {"aria-label", "type", "value", "data-slug", "data-topic", "data-outcome", "data-relation"}
ATTRIBUTES |= {name.lower() for name in [*inert._SHAPE, *inert._SAYING]}
FILTER = {"filter-words", "filter-topic", "filter-outcome", "filter-relation"}


class Page(HTMLParser):
    """Refuses every tag and attribute that a report does not have; keeps texts and ids."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.ids = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in TAGS, tag
        given = dict(attributes)
        assert len(given) == len(attributes) and set(given) <= ATTRIBUTES, attributes
        assert given.get("href", "#").startswith(("#", "data:image/png;base64,"))
        assert tag != "meta" or given.get("http-equiv") in (None, "Content-Security-Policy")
        assert all(
            re.fullmatch(r"#[\w.-]+", place)
            for name, value in given.items()
            for place in re.findall(r"url\((.*?)\)", value or "")
            if not name.startswith("data-")
        )
        if given.get("id") not in {None, *FILTER}:
            self.ids.append(given["id"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        assert self.open[-1:] != ["script"] or data == SCRIPT
        self.texts.append((self.open[-1:], data))

    @property
    def text(self):
        return "".join(data for where, data in self.texts if where not in (["style"], ["script"]))


def test_a_text_is_a_text_wherever_it_stands(make, rendered, everywhere, verdict, text):
    page = Page(rendered(make(everywhere(verdict, text))))
    seen = re.sub("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ufeff]", "\ufffd", text)
    assert page.text.count(seen) > 15
    assert page.ids == ["a_claim"]
    assert not re.search("[\u202a-\u202e\x00-\x08\x0e-\x1f\x80-\x9f]", page.text)


def test_a_formula_is_mathematics_or_shown_as_written(make, rendered, verdict, latex):
    verdict["claim"]["latex"] = latex
    page = Page(rendered(make(verdict)))
    assert page.ids == ["a_claim"] and "because" in page.text


def test_a_figure_is_shapes_or_not_shown(make, rendered, attacks, verdict, drawing):
    text = rendered(make(verdict, files={"a_claim.svg": attacks.figures[drawing]}))
    page = Page(text)
    assert ("not shown" in page.text) == (drawing not in attacks.harmless)
    text = re.sub("not shown: [^<]*|<text>[^<]*</text>", "", text)
    assert "PWNED" not in text and "127.0.0.1" not in text
    assert len(text) < 20_000


@pytest.mark.parametrize("size", ["MAX_BYTES", "MAX_PARTS"])
def test_a_figure_without_end_is_not_shown(monkeypatch, size):
    paths = '<path d="M 0 0"/>' * 100
    source = f"<svg xmlns='{inert.SVG}'>{paths}</svg>".encode()
    assert figure(source, "a", {}).shapes.count("<path") == 100
    monkeypatch.setattr(inert, size, 50)
    with pytest.raises(NotInert, match="more than 50"):
        figure(source, "a", {})


def test_a_figure_of_ours_is_shown_with_all_its_shapes():
    import matplotlib.figure
    import numpy as np

    from depthjax.figures.inks import INK, PAPER
    from depthjax.figures.plots import styled, svg

    with styled("salt"):
        canvas = matplotlib.figure.Figure()
        left, right = canvas.subplots(1, 2)
        left.plot([1, 2], [3, 4], "o--", label="a < b & $x^2$")
        left.fill_between([1, 2], 3, 4, alpha=0.1, hatch="//")
        left.legend()
        right.imshow(np.eye(3))
        text = svg(canvas, "a title")
    shown = figure(text.encode(), "slug", report.COLOURS).shapes
    for part in ("<path", "<use", "<clipPath", "<image", "<pattern", "<text"):
        assert shown.count(part) == text.count(part) > 0
    assert "a &lt; b &amp; " in re.sub("<[^>]*>", "", shown) and "a title" not in shown and len(shown) < len(text) / 2
    assert INK not in shown and "currentColor" in shown and f'fill="{PAPER}"' not in shown and " style=" not in shown
    ids = re.findall(r'\bid="([^"]*)"', shown)
    assert len(ids) == len(set(ids)) and all(name.startswith("slug-") for name in ids)
    assert {*re.findall(r'(?:href="|url\()#([\w.-]+)', shown)} <= {*ids}


def test_formulas_keep_their_signs():
    assert "<mo>&lt;</mo>" in formula(r"a < b") and "≤" in formula(r"a \leq b")
    assert "a &amp; b\xa0&lt;c" not in formula("x") and "&lt;i&gt;" in formula(r"\text{<i>}")


def test_links_that_leave_the_run_are_not_followed(make, rendered, verdict, tmp_path):
    (tmp_path / "secret.svg").write_text(f'<svg xmlns="{inert.SVG}"><path id="secret" d="M 0 0"/></svg>')
    path = make(verdict)
    (path / "a_claim.svg").symlink_to(tmp_path / "secret.svg")
    text = rendered(path)
    assert "leads out of" in text and 'id="a_claim-secret"' not in text


@pytest.mark.parametrize("field", ["slug", "outcome", "relation"])
@pytest.mark.parametrize("name", ["<script>PWNED</script>", "' onload='PWNED", "../../PWNED", "PWNED\x1b[31m"])
def test_names_that_are_none_never_reach_the_page(make, rendered, verdict, field, name):
    path = make(verdict, verdict | {field: name}, b"[" * 100_000, b'{"slug": NaN}', b"x" * 1000)
    complaints = []
    assert list(RunDirectory.open(path).verdicts(complaints.append)) == ["a_claim"] and len(complaints) == 4
    assert "PWNED" not in rendered(path)


def test_a_line_of_a_hundred_megabytes_is_skipped(make, verdict):
    path = make(verdict)
    with open(path / "verdicts.jsonl", "ab") as stream:
        stream.write(b'{"slug": "')
        stream.seek(100 * 2**20, 2)  # a hole: the disk holds nothing
        stream.write(b'"}\n')
    complaints = []
    assert list(RunDirectory.open(path).verdicts(complaints.append)) == ["a_claim"]
    assert len(complaints) == 1 and "line 2 is not a verdict" in complaints[0] and len(complaints[0]) < 1000


def test_a_description_is_a_caption_and_only_text(make, rendered, verdict):
    words = "First &lt;b id='PWNED'&gt;line.\n Second\u202e line."
    svg = f"<svg xmlns='{inert.SVG}'><title>t</title><desc>{words}</desc><g><desc>inside</desc></g><path d='M 0 0'/></svg>"
    text = rendered(make(verdict, files={"a_claim.svg": svg}))
    page = Page(text)
    assert "<figcaption><p>First &lt;b id=&#x27;PWNED&#x27;&gt;line.</p><p>Second\ufffd line.</p></figcaption>" in text
    assert "inside" not in page.text and page.ids == ["a_claim"]


def test_a_description_without_end_is_refused():
    with pytest.raises(NotInert, match="description has more than"):
        figure(f"<svg xmlns='{inert.SVG}'><desc>{'x' * 20_000}</desc></svg>".encode(), "a", {})


def test_a_figure_on_its_own_reads_as_it_was():
    shapes = "<text><tspan x='0'>a</tspan><tspan x='5.25'>b</tspan></text><path d='M 0 0 L 1 1' style='stroke: #000000'/>"
    source = f"<svg xmlns='{inert.SVG}' viewBox='0 0 9 9'><desc>One &amp; two.</desc>{shapes}</svg>"
    drawn = figure(source.encode(), "p", {})
    file = standalone(drawn, "<title>", {"seed": 3})
    again = figure(file.encode(), "p", {})
    assert again.caption == "One & two." and again.shapes.partition(">")[2] == drawn.shapes.partition(">")[2]
    assert made_from(file) == {"seed": 3} and made_from(source) == {} and "&lt;title&gt;" in file
