"""Reports of run directories that somebody else made, opened in a Chromium where there is one: nothing runs, nothing is loaded.

The same attacks are opened without the report as well, so that it is known that they work, and with the policy of the page as
the only thing that stops them.
"""

import http.server
import re
import threading

import latex2mathml.converter
import numpy as np
import pytest
from matplotlib.image import imread

from depthjax.report import page as report
from depthjax.report.inert import Drawn
from depthjax.report.markup import Html
from tests.browser import browse, needs_browser, too_wide


class Server:
    """Counts who asks it for anything."""

    def __enter__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def armed(self, attack):
        """The attack with this server's port."""
        return attack if isinstance(attack, bytes) else attack.replace(":1/loaded", f":{self.server.server_port}/loaded")

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def opened(file):
    """What became of a page."""
    dom, complaints = browse(file, "--dump-dom")
    assert "<html" in dom, complaints[-1000:]
    return dom


def ran(dom):
    return re.search(r"<b id=.?PWNED", dom) is not None or re.search(r"<title>\s*PWNED", dom) is not None


@needs_browser
def test_the_attacks_work_where_nothing_stops_them(tmp_path, attacks):
    formula = latex2mathml.converter.convert(attacks.formulas[0])
    parts = [attacks.texts[0], attacks.texts[2], attacks.figures["onload"], attacks.figures["script"], formula]
    numbered = [part.replace("PWNED", f"PWNED{number}") for number, part in enumerate(parts)]
    with Server() as server:
        loading = server.armed(attacks.texts[8] + attacks.figures["style alone"])
        (tmp_path / "page.html").write_text(f"<!doctype html><html><title>page</title>{''.join(numbered)}{loading}")
        dom = opened(tmp_path / "page.html")
        assert [number for number in range(len(parts)) if f'<b id="PWNED{number}' not in dom] == []
        assert ran(dom) and "/loaded" in server.asked


@needs_browser
def test_reports_of_all_attacks_run_nothing_and_load_nothing(make, rendered, everywhere, attacks, verdict):
    with Server() as server:
        slugs, lines, files = [], [], {}
        for number, text in enumerate(attacks.texts):
            slugs.append(f"text_{number}")
            lines.append(everywhere(verdict, server.armed(text)) | {"slug": slugs[-1]})
        for number, latex in enumerate(attacks.formulas):
            slugs.append(f"formula_{number}")
            lines.append(verdict | {"slug": slugs[-1], "claim": verdict["claim"] | {"latex": server.armed(latex)}})
        for number, source in enumerate(attacks.figures.values()):
            slugs.append(f"figure_{number}")
            lines.append(verdict | {"slug": slugs[-1]})
            files[f"{slugs[-1]}.svg"] = server.armed(source)
        path = make(*lines, slugs=slugs, files=files)
        rendered(path)
        dom = opened(path / "report.html")
        assert not ran(dom) and server.asked == []
        assert dom.count("<section id=") == len(slugs) and "<title>depthjax: quick run, seed 0</title>" in dom


@needs_browser
def test_the_policy_alone_stops_figures_that_nobody_looked_at(make, rendered, attacks, verdict, monkeypatch):
    monkeypatch.setattr(report, "figure", lambda source, *_: Drawn(Html(re.sub("<[?!].*?>", "", source.decode())), ""))
    with Server() as server:
        growing = ("deep", "copies of copies")  # these keep a browser busy for ever
        texts = [source for name, source in attacks.figures.items() if isinstance(source, str) and name not in growing]
        slugs = [f"figure_{number}" for number in range(len(texts))]
        files = {f"{slug}.svg": server.armed(source) for slug, source in zip(slugs, texts, strict=True)}
        path = make(*[verdict | {"slug": slug} for slug in slugs], slugs=slugs, files=files)
        text = rendered(path)
        assert f"<script>{attacks.script}</script>" in text
        assert not ran(opened(path / "report.html")) and server.asked == []
        (path / "report.html").write_text(re.sub('<meta http-equiv="Content-Security-Policy".*?>', "", text))
        assert ran(opened(path / "report.html")) and server.asked


@needs_browser
def test_the_policy_lets_the_style_of_the_page_through(make, rendered, verdict):
    path = make(verdict)
    rendered(path)
    browse(path / "report.html", "--hide-scrollbars", "--window-size=1600,900", f"--screenshot={path / 'page.png'}")
    pixels = imread(path / "page.png")[..., :3]
    inked = np.flatnonzero((pixels < 0.5).all(axis=2).any(axis=0))
    assert inked.min() > 100  # a page without its style begins at the edge: this one is centred, at most 76rem wide


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_long_words_in_every_place_leave_the_page_as_wide_as_the_window(make, rendered, everywhere, verdict, width, tmp_path):
    long = "/a_long_name" * 12
    claims = [everywhere(verdict, long) | {"slug": "all"}, verdict | {"slug": "why", "reason": f"it opens {long}: rename it"}]
    path = make(*claims, slugs=["all", "why"])
    rendered(path)
    assert too_wide([path / "report.html"], width, tmp_path) == []


@needs_browser
@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({}, ["first", "second", "third"]),
        ({"words": "Wanted"}, ["second"]),
        ({"topic": "other"}, ["third"]),
        ({"topic": "other", "words": "wanted"}, []),
        ({"outcome": "SUPPORTED"}, ["first"]),
    ],
)
def test_the_filter_hides_what_is_not_wanted(make, rendered, verdict, chosen, left):
    wanted = verdict["claim"] | {"title": "what is wanted"}
    claims = [
        verdict | {"slug": "first", "outcome": "SUPPORTED"},
        verdict | {"slug": "second", "claim": wanted},
        verdict | {"slug": "third", "topic": "other"},
    ]
    path = make(*claims, slugs=[claim["slug"] for claim in claims])
    text = rendered(path)
    for name, value in chosen.items():
        if name == "words":
            text = text.replace('id="filter-words" type="search"', f'id="filter-words" type="search" value="{value}"')
        else:
            text = text.replace(f"<option>{value}</option>", f"<option selected>{value}</option>", 1)
    (path / "report.html").write_text(text)
    dom = opened(path / "report.html")
    rows = re.findall(r'<tr data-slug="(\w+)"[^>]*?( hidden="")?>', dom)
    sections = re.findall(r'<section id="(\w+)"( hidden="")?>', dom)
    assert [slug for slug, hidden in rows if not hidden] == [slug for slug, hidden in sections if not hidden] == left


@needs_browser
@pytest.mark.parametrize("spoilt", [False, True])
def test_a_report_with_figures_stands_alone(make, rendered, verdict, spoilt):
    """Links lead somewhere, words are seen, nothing is asked for, and the console stays empty unless something is wrong."""
    from matplotlib.figure import Figure

    from depthjax.figures.plots import styled, svg

    with styled("salt"):
        canvas = Figure(figsize=(3, 2))
        canvas.subplots().plot([1, 2], [3, 4], "o-")
        canvas.supxlabel("what was measured: $10^{-3}$")
        drawn = svg(canvas, "a title")
    slugs = ["first", "second"]
    path = make(*[verdict | {"slug": slug} for slug in slugs], slugs=slugs, files={f"{slug}.svg": drawn for slug in slugs})
    text = rendered(path)
    if spoilt:
        (path / "report.html").write_text(text.replace("<header>", '<header style="color: red">'))
    dom, said = browse(path / "report.html", "--dump-dom", "--enable-logging=stderr")
    assert ("CONSOLE" in said) == spoilt, said[-1000:]
    ids = re.findall(r'\bid="([^"]*)"', dom)
    assert (
        len(ids) == len({*ids})
        and {*re.findall(r'(?:href="|url\(&quot;|url\()#([\w.-]+)', dom)} <= {*ids}
        and {*slugs} <= {*ids}
    )
    assert re.search(r"<text[^>]*>(<tspan[^>]*>)?what", dom)
    assert not re.search(r"\b(?:src|href)=[\"'](?!#|data:)", dom)
