"""What notebooks show: a sentence, a table, a picture; registered by name, so that no claim depends on it."""

import base64
import dataclasses
import importlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from depthjax import displays
from depthjax.report import shown
from depthjax.verify import Outcome, Verdict, judge_bound, judge_equal, judge_order, judge_trend
from theory.automata import regular, semiautomaton
from theory.groups import group

H = 0.5 ** np.arange(2, 10)
LAMP = {"off": {"p": "on", "c": "off"}, "on": {"p": "off", "c": "off"}}


def read(html: str) -> tuple[str, int]:
    """The words of a display that is well formed and its number of pictures, each of which is a whole SVG file."""
    tree = ElementTree.fromstring(f"<div>{html}</div>")
    images = tree.findall(".//img")
    for image in images:
        head, _, coded = image.attrib["src"].partition(",")
        assert head == "data:image/svg+xml;base64" and image.attrib["alt"]
        ElementTree.fromstring(base64.b64decode(coded))
    return " ".join(" ".join(tree.itertext()).split()), len(images)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (judge_order(H, 3 * H**2, 2, constant=3), "SUPPORTED : error has order 2, predicted 2"),
        (judge_order(H, 3 * H**2, 3), "REFUTED : error has order 2, predicted 3"),
        (judge_equal([2, 3, 6], [2, 3, 5]), "REFUTED : measured is 6, predicted 5"),
        (judge_equal(1j, 1j, floor=1e-9), "SUPPORTED"),
        (judge_equal(10**40, 10**40), "SUPPORTED"),
        (judge_equal(np.ones((0,)), 1.0, floor=0.1), "INCONCLUSIVE : nothing was measured"),
        (judge_equal(np.nan, 1.0, floor=0.1), "INCONCLUSIVE : the measurement is nan"),
        (judge_equal([True, False], [True, True]), "REFUTED"),
        (judge_bound(np.array([[0.2, 0.9], [0.5, 1.2]]), 1.0, floor=1e-9), "REFUTED : measured is 1.2, predicted at most 1"),
        (judge_trend([[True] * 12, [True] * 12]), "SUPPORTED : measured is 1, predicted 1"),
    ],
)
def test_a_verdict_is_its_line_its_findings_and_its_figure(verdict, words):
    text, pictures = read(shown.verdict(verdict))
    assert text.startswith(words)
    assert verdict.outcome.value in text and pictures == (not np.iscomplexobj(verdict.data[verdict.said.of]))
    assert repr(verdict) == str(verdict) and "findings" in vars(verdict)


def test_a_verdict_without_numbers_is_a_sentence_that_stays_text():
    bare = Verdict("mine", Outcome.INCONCLUSIVE, (), reason="<b>no</b> cell was measured")
    text, pictures = read(shown.verdict(bare))
    assert text == "INCONCLUSIVE : <b>no</b> cell was measured" and not pictures


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("S3", "a group of order 6, solvable: 2 abelian layers follow its words, and no fewer do"),
        ("S4", "24 > 12 > 4 > 1"),
        ("A5", "a group of order 60, not solvable"),
        ("C6", "commutative: 1 abelian layer follows its words"),
        ("C1", "trivial: no layer is needed"),
        ("S6", "a group of order 720"),
    ],
)
def test_a_group_says_how_many_layers_follow_it(name, words):
    text, pictures = read(shown.group(group(name)))
    assert words in text and pictures == (group(name).order <= shown.ELEMENTS)


@pytest.mark.parametrize("name", ["S3", "S4", "A5", "Q8", "D6", "C1"])
def test_cosets_are_stretches_of_the_drawn_table(name):
    one = group(name)
    near = shown._by_cosets(one.table, one.derived_series[1:])
    assert sorted(near) == [*range(one.order)]
    for part in one.derived_series:
        stretches = near.reshape(-1, len(part))
        cosets = {frozenset(one.table[element, part].tolist()) for element in range(one.order)}
        assert {frozenset(stretch.tolist()) for stretch in stretches} == cosets


@pytest.mark.parametrize(
    ("automaton", "words", "pictures"),
    [
        (semiautomaton(LAMP), "its words permute states as a group of order 2", 1),
        (semiautomaton("gridworld3"), "aperiodic", 1),
        (semiautomaton("A5"), "not solvable", 1),
        (semiautomaton("gridworld40"), "24 of 40 states", 0),
        (semiautomaton("flip_flop64"), "64 states, 65 letters", 0),
    ],
)
def test_an_automaton_says_which_groups_are_inside(automaton, words, pictures):
    text, drawn = read(shown.automaton(automaton))
    assert words in text and drawn == pictures and ("24 of" in text) == words.startswith("24 of")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("(ab)*", "star-free: no word counts"),
        ("(aa)*", "not star-free: a permutes states of the minimal automaton"),
        ("a{12}b|c", "15 states, 1 of them accepting"),
    ],
)
def test_a_language_says_whether_it_is_star_free(language, words):
    text, _ = read(shown.language(regular(language)))
    assert words in text and "(accepting)" in text


def test_an_empty_language_is_said_to_be_empty():
    everything = regular("a*")
    text, _ = read(shown.language(dataclasses.replace(everything, accepting=np.zeros_like(everything.accepting))))
    assert "the language is empty" in text


@pytest.mark.parametrize(
    ("automaton", "words"),
    [
        (semiautomaton(LAMP), "1 level, 2 abelian and reset layers"),
        (semiautomaton("A5"), "no number of layers, because a group is not solvable"),
        (semiautomaton([[0, 0]]), "0 levels, 0 abelian and reset layers"),
    ],
)
def test_a_cascade_is_its_levels(automaton, words):
    text, _ = read(shown.cascade(automaton.holonomy()))
    assert words in text


class Formatter:
    def __init__(self):
        self.known = {}

    def for_type_by_name(self, module, name, function):
        self.known[module, name] = function


class Kernel:
    def __init__(self):
        self.display_formatter = self
        self.formatters = {"text/html": Formatter()}


def test_every_display_is_registered_under_a_class_that_exists():
    kernel = Kernel()
    displays.load_ipython_extension(kernel)
    known = kernel.formatters["text/html"].known
    assert known.keys() == displays.DISPLAYS.keys()
    for (module, name), function in known.items():
        found = getattr(importlib.import_module(module), name)
        assert found.__module__ == module and found.__name__ == name and callable(function)
    assert "order 6" in known["theory.groups.group", "FiniteGroup"](group("S3"))


def test_a_program_that_is_no_notebook_loads_nothing_for_displays():
    code = "import sys, depthjax; print([m for m in sys.modules if m.split('.')[0] in ('IPython', 'matplotlib', 'numpy')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.needs("IPython")
def test_a_kernel_shows_what_was_registered():
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "from theory.groups import group\n"
        "formats, _ = shell.display_formatter.format(group('S3'))\n"
        "print(sorted(formats), 'abelian layers' in formats['text/html'], formats['text/plain'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.fullmatch(r"\['text/html', 'text/plain'\] True <FiniteGroup S3: order 6>\n", done.stdout), done.stderr
