"""Networks answer as theory does, and their traces hold what each layer knows."""

import numpy as np
import pytest
from matplotlib.text import Text

from experiments import networks
from experiments.networks.cascade import drawing
from theory.automata import semiautomaton
from theory.groups import group
from theory.logic import evaluate, parse

WORDS = ("babbaaba", "aaaaaaaa", "bbbbbbba")
LAMP = {"off": {"p": "on", "c": "off"}, "on": {"p": "off", "c": "off"}}


@pytest.mark.parametrize("text", ["a S (b & P a)", "X a | b U a", "#[a] - 2 #>[b] >= 1"])
def test_a_formula_is_known_part_by_part(text):
    network, formula = networks.formula(text), parse(text)
    for word in WORDS:
        traced = network.trace(word)
        assert list(traced.answers) == evaluate(formula, [word])[0].tolist() == list(network(word))
        known = {name: row for layer in traced.layers for name, row in layer.knows.items()}
        for part in formula.subformulas:
            assert known[str(part)] == evaluate(part, [word], network.letters)[0].tolist()
        for layer in traced.layers[1:]:
            for weights in layer.attention.values():
                np.testing.assert_allclose(weights.sum(axis=1), 1)


def test_a_head_looks_at_the_witness():
    layer = networks.formula("P a").trace("babb").layers[1]
    assert layer.looks_at("P a") == [0, 1, 2, 2]
    layer = networks.formula("F a").trace("babb").layers[1]
    assert layer.looks_at("F a") == [2, 3, 4, 0]  # without an a ahead the nearest letter, and the end sees none


@pytest.mark.parametrize("to", ["attention", "scan"])
def test_an_automaton_narrows_its_state_level_by_level(to):
    for given, word in ((LAMP, "ppcpp"), ("gridworld3", ["2", "2", "0", "1", "0"])):
        automaton, network = semiautomaton(given), networks.automaton(given, to=to)
        numbers = network.numbers(word)
        states = automaton.run(numbers.tolist())
        traced = network.trace(word)
        assert traced.answers == network(word) == tuple(network.states[q] for q in states)
        narrowed = [layer.knows["state in"] for layer in traced.layers if "state in" in layer.knows]
        for row in narrowed:
            assert all(network.states[q] in text.strip("{}").split(",") for q, text in zip(states, row, strict=True))
        assert narrowed[-1] == ["{" + network.states[q] + "}" for q in states]


def test_a_reset_looks_at_the_last_write():
    traced = networks.automaton(LAMP).trace("ppcpp")
    (reset,) = [layer for layer in traced.layers if "reads the last write" in layer.attention]
    assert reset.looks_at("reads the last write") == [0, 0, 0, 3, 3]
    (counter,) = [layer for layer in traced.layers if "averages" in layer.attention]
    np.testing.assert_allclose(counter.attention["averages"][3], [1 / 4] * 4 + [0, 0], rtol=1e-6)


@pytest.mark.parametrize(("by", "length"), [("two_layer", 3), ("recurrent", 3), ("tree", 4)])
def test_products_are_those_of_the_group(by, length):
    s3, network = group("S3"), networks.composition("S3", length, by)
    for seed in range(3):
        word = np.random.default_rng(seed).integers(6, size=length)
        product = 0
        for element in word:
            product = int(s3.table[product, element])
        assert network([s3.names[element] for element in word]) == (s3.names[product],)


def test_pictures_have_a_row_a_layer():
    traced = networks.formula("a S (b & P a)").trace("bab")
    assert len(traced.figure().axes) == 3 * 2 and "<svg" in traced._repr_html_()
    assert repr(traced) == "<Trace of a S (b & P a) on b a b: 2 layers; 0 0 0>"
    assert networks.formula("P a").figure().axes


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: networks.formula("P a")(""), "the word is empty"),
        (lambda: networks.automaton(LAMP)("px"), "letter 'x' at place 2 is unknown: the letters are p, c"),
        (lambda: networks.automaton(LAMP, start="dim"), "state 'dim' is out of range"),
        (lambda: networks.automaton("S5"), "every group inside is solvable"),
        (lambda: networks.composition("S3", 3, "tree"), "2, 4, 8"),
        (lambda: networks.composition("S3", 3)(["e", "e"]), "has 2 letters"),
        (lambda: networks.composition("S3", 2, "loop"), "expected 'two_layer'"),
        (lambda: networks.hops(0, "ab"), "hops must be at least 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("given", "word"), [(LAMP, "ppcpp"), ("gridworld4", [2, 2, 0, 2, 1, 0]), ("D4", [0, 1, 1, 0])])
def test_the_drawn_cascade_ends_at_the_states_of_the_automaton(given, word):
    shown = drawing(semiautomaton(given).holonomy(), word)
    assert [chain[-1] for chain in shown.chains] == [f"{{{state}}}" for state in shown.run]
    assert all(len(chain) == len(shown.levels) for chain in shown.chains) and len(shown.run) == len(word) + 1


def test_the_picture_of_a_cascade_names_states_letters_and_levels():
    figure = networks.automaton(LAMP).cascade("ppc")
    texts = [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]
    assert {"off", "on", "p, c", "a group of order 2 on 2 tiles", "{on}"} <= {*texts}
    with pytest.raises(ValueError, match="letter 'x'"):
        networks.automaton(LAMP).cascade("x")
