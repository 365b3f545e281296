"""The report stands alone, escapes everything, and survives what a run may lack."""

import re
from html.parser import HTMLParser

import pytest

from depthjax.report.page import write_report
from depthjax.report.strip import strip
from depthjax.report.templates import SCRIPT
from depthjax.report.words import bibtex, found
from depthjax.runs.entry import unrun
from depthjax.runs.records import RunDirectory, Settings

VOID = {"meta", "br", "link", "img", "hr", "input"}


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
    run.append(entry | {"slug": "another", "topic": "width"})
    assert all(f'<th colspan="10">{topic}</th>' in write_report(run).read_text() for topic in ("lie", "width"))


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
    assert {"link", "img", "iframe", "b", "i"} & checker.tags == set()
    assert SCRIPT in text and write_report(directory).read_text().count("<script") == 1
    assert "math" in checker.tags
    assert "Not finished: another" in text


def test_nothing_comes_from_elsewhere(directory, entry):
    (directory.path / "a_claim.svg").write_text(
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><path id="x" d="M 0 0"/><use href="#x"/></svg>'
    )
    directory.append(entry)
    page = write_report(directory).read_text()
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert 'id="f0-0"' in page


def test_a_formula_that_cannot_be_typeset_is_shown_as_written(directory, entry):
    entry["claim"]["latex"] = r"\frac{1}{"
    directory.append(entry)
    assert r"\frac{1}{" in "".join(read(write_report(directory)).text)


def test_an_empty_run_has_a_page(directory):
    assert "nothing finished" in "".join(read(write_report(directory)).text)
    directory.append(unrun("a_claim", "lie", "cannot be loaded"))
    assert "cannot be loaded" in "".join(read(write_report(directory)).text)


def test_what_is_not_supported_stands_first_and_rows_speak(directory, entry):
    directory.append(entry | {"outcome": "REFUTED", "reason": "it is <wrong>"})
    text = "".join(read(write_report(directory)).text)
    assert text.index("it is <wrong>") < text.index("an <error>: order 2.001, predicted 2")
    assert (
        "Refuted, as they must be: – controls with a measurement of their own, – informative rivals, 1/1 checks of the program."
        in text
    )


def test_mutants_and_chance_are_told(directory, entry):
    directory.append(entry | {"rate": 0.01})
    text = write_report(directory, {"a_claim": "3/4, generated 1/2"}, worth="First try 1 of 3.").read_text()
    assert "3/4, generated 1/2" in text and "First try 1 of 3. At least one verdict" in text
    assert "with probability at most 0.01." in text


def test_another_outcome_at_full_size_is_told(directory, entry):
    directory.append(entry)
    told = "at full size"
    assert told not in write_report(directory, full={"a_claim": entry["outcome"]}).read_text()
    text = write_report(directory, full={"a_claim": "SUPPORTED"}).read_text()
    assert f"{entry['outcome']} in this run of size quick" in re.sub(r"<[^>]*>", "", text) and told in text


def places(*findings):
    return [float(x) for x in re.findall(r'<rect x="([\d.]+)" y="3"', strip(findings))]


@pytest.mark.parametrize(
    ("relation", "predicted", "measured", "place"),
    [
        ("order", 2.0, 2.0, 60),
        ("order", 2.0, 2.125, 60 + 22),
        ("equals", 2.0, 1.75, 60 - 44),
        ("equals", 2.0, 9.0, 60 + 1.25 * 44),
        ("order at least", 2.0, 9.0, 60),
        ("at most", 1.0, 0.5, 60),
        ("trend", 1.0, 1.0, 60 + 44),
    ],
)
def test_the_small_picture_places_a_finding_within_its_budget(entry, relation, predicted, measured, place):
    finding = entry["findings"][0] | {"relation": relation, "predicted": predicted, "measured": measured, "tightness": 0.5}
    finding["budget"] = {"rounding": 0.25, "truncation": 0.0, "sampling": 0.0}
    assert places(finding) == [pytest.approx(place - 0.8, abs=0.06)]


def test_the_small_picture_is_empty_without_findings_and_bounded_with_many(entry):
    assert strip([]) == strip([entry["findings"][1]]) == ""
    assert len(places(*entry["findings"][:1] * 500)) == 80


def test_an_exact_finding_off_by_anything_lies_outside(entry):
    finding = entry["findings"][0] | {"relation": "equals", "predicted": 3, "measured": 4, "budget": {}}
    assert places(finding) == [pytest.approx(60 + 1.25 * 44 - 0.8, abs=0.06)]


def test_words_take_the_most_telling_finding(entry):
    exact = entry["findings"][0] | {"relation": "equals", "label": "errors", "predicted": 0.0, "measured": 0.0, "margin": 1}
    assert found(entry | {"findings": [exact, entry["findings"][0]]}) == "an <error>: order 2.001, predicted 2"
    assert found(entry | {"findings": [exact]}) == "errors: 0, predicted 0 at each of 9 points"
    assert found(entry | {"findings": [], "reason": "nothing"}) == "nothing"


def test_a_source_without_a_title_has_no_bibtex():
    assert bibtex("this project", "a_claim") == bibtex("this project, “theory.lie”", "a_claim") == ""
    assert "eprint = {1234.5678}" in bibtex("A, B, “C”, arXiv 1234.5678", "a_claim")
