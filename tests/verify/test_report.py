"""The report stands alone, escapes everything, and survives what a run may lack."""

import re
from html.parser import HTMLParser

import pytest

from depthjax.report.page import write_report
from depthjax.runs.entry import unrun
from depthjax.runs.records import RunDirectory, Settings

VOID = {"meta", "br", "link", "img", "hr"}


class Checker(HTMLParser):
    """Tags must close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def entry():
    finding = {
        "quantity": "error",
        "label": "an <error>",
        "units": "m & s",
        "cell": "letters=<2>",
        "where": {"step": 0.5},
        "relation": "order",
        "budget": {"rounding": 1e-9, "truncation": 0.25, "sampling": 0.0},
        "predicted": 2.0,
        "measured": 2.001,
        "margin": None,
        "tightness": None,
        "power": 0.3,
        "outcome": "SUPPORTED",
        "reason": "",
        "points": 9,
        "dropped": 3,
        "resolved": True,
    }
    return unrun("a_claim", "lie", "because <b>") | {
        "relation": "order",
        "findings": [finding, finding | {"resolved": False}],
        "skipped": ["letters=3: <too> small"],
        "controls": [{"name": "<one>", "outcome": "REFUTED", "statement": "x < y", "reason": ""}],
        "witness": "a_claim/letters=<2>",
        "claim": {
            "title": "<script>alert(1)</script>",
            "statement": "a < b & c",
            "latex": r"x < \frac{1}{2}",
            "assumes": ["<i>h</i>"],
            "source": "“A & B”",
            "refuted_by": "x > y",
            "cost": "",
            "grid": "Sizes(<...>)",
        },
    }


@pytest.fixture
def directory(tmp_path):
    return RunDirectory.create(tmp_path, Settings("quick", 0, "float64", ("a_claim", "another")))


def read(path):
    checker = Checker()
    checker.feed(path.read_text())
    assert checker.open == []
    return checker


def test_claims_of_several_topics_stand_under_their_names(tmp_path, entry):
    run = RunDirectory.create(tmp_path, Settings("quick", 0, "float64", ("a_claim", "another")))
    run.append(entry)
    assert '<th colspan="11">lie</th>' not in write_report(run).read_text()
    run.append(entry | {"slug": "another", "topic": "width"})
    assert all(f'<th colspan="11">{topic}</th>' in write_report(run).read_text() for topic in ("lie", "width"))


def test_the_page_is_well_formed_and_escaped(directory, entry):
    directory.append(entry)
    checker = read(write_report(directory))
    text = "".join(checker.text)
    for part in (
        "<script>alert(1)</script>",
        "a < b & c",
        "letters=<2>",
        "<one>",
        "because <b>",
        "letters=3: <too> small",
        "(−3)",
    ):
        assert part in text
    assert {"script", "link", "img", "iframe", "b", "i"} & checker.tags == set()
    assert "math" in checker.tags
    assert "Not finished: another" in text


def test_nothing_comes_from_elsewhere(directory, entry):
    (directory.path / "a_claim.svg").write_text(
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><g id="x"/></svg>'
    )
    directory.append(entry)
    page = write_report(directory).read_text()
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert 'id="a_claim-x"' in page


def test_a_formula_that_cannot_be_typeset_is_shown_as_written(directory, entry):
    entry["claim"]["latex"] = r"\frac{1}{"
    directory.append(entry)
    assert r"\frac{1}{" in "".join(read(write_report(directory)).text)


def test_an_empty_run_has_a_page(directory):
    assert "nothing finished" in "".join(read(write_report(directory)).text)
    directory.append(unrun("a_claim", "lie", "cannot be loaded"))
    assert "cannot be loaded" in "".join(read(write_report(directory)).text)
