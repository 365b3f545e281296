"""The site builds without warnings and without a network, shows every claim, and asks no other host for anything."""

import doctest
import html
import html.parser
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from depthjax.runs import catalogue
from tests.browser import needs_browser, too_wide

ROOT = Path(__file__).parents[1]
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
OUTSIDE = re.compile(r"(https?:)?//", re.IGNORECASE)
STYLED = re.compile(r"(url\(|@import\s)\s*['\"]?(https?:)?//", re.IGNORECASE)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "docs" / "conf.py").exists(), reason="no docs beside the tests"),
]


class Loads(html.parser.HTMLParser):
    """What a page loads by itself; links that a reader may follow are not among it."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if value and LOADING.get(tag) == name]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    for package in ("sphinx", "sphinx_book_theme", "myst_nb", "sphinx_design"):
        pytest.importorskip(package)
    out = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-d", str(out / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(out / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return out / "html"


def test_every_claim_has_a_page(site):
    own = [slug for slug, module in catalogue.modules().items() if catalogue.origin(module).package == catalogue.OWN]
    index = (site / "generated" / "claims" / "index.html").read_text("utf-8")
    assert own
    for slug in own:
        text = (site / "generated" / "claims" / f"{slug}.html").read_text("utf-8")
        assert "<math" in text and f"depthjax verify {slug}" in text.replace("</span>", "").replace("<span>", "")
        assert "<figcaption>" in text and f"{slug}.svg" in text
        (thumbnail,) = re.findall(rf'<img [^>]*/{slug}\.svg"[^>]*>', index)
        assert f'href="{slug}.html"' in index and 'loading="lazy"' in thumbnail


def test_no_page_asks_another_host(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(list((ROOT / "docs").glob("*.md")))
    for page in pages:
        assert not [url for url in Loads(page.read_text("utf-8")).found if OUTSIDE.match(url)], page
    for file in (*pages, *site.rglob("*.css")):
        assert not STYLED.search(file.read_text("utf-8")), file


@needs_browser
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_page_is_wider_than_a_window(site, width, tmp_path):
    assert too_wide(sorted(site.glob("**/[!_]*.html")), width, tmp_path) == []


@needs_browser
def test_a_page_that_is_too_wide_is_noticed(tmp_path):
    for name, width in (("narrow", 300), ("wide", 400)):
        (tmp_path / f"{name}.html").write_text(f'<div style="width:{width}px">words</div>', "utf-8")
    assert too_wide([tmp_path / "narrow.html", tmp_path / "wide.html"], 390, tmp_path) == ["wide"]


def test_pages_that_load_from_elsewhere_are_noticed():
    assert Loads('<a href="https://x"></a><script src="https://y/z.js"></script>').found == ["https://y/z.js"]
    assert STYLED.search("src: url('https://y/z.woff')") and not STYLED.search("url(../z.woff)")
    assert OUTSIDE.match("//y/z.js") and not OUTSIDE.match("../_static/z.js")


@pytest.mark.parametrize("name", ["docstrings", "claim_page"])
def test_examples_of_the_extension(name, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed
