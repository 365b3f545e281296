"""The automaton of a network: learned, compared with known ones, decomposed; what is refused, and what is said of a part."""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions import compile_cascade
from depthjax.constructions.doubling.automaton import scan_automaton
from depthjax.instruments.least_machine import least_machine
from depthjax.probe.learning import learned
from depthjax.probe.machine import Machine
from depthjax.probe.networks import NetworkReport, network
from depthjax.probe.teacher import OutOfQueries, Teacher
from depthjax.report.inert import figure
from depthjax.scans.tables import prefix_products
from theory.automata import semiautomaton
from theory.automata.classes import DEPTHS
from theory.groups import group

NAMES = {  # states from state 0 on, what it is, layers by class, in the order of DEPTHS
    "parity": (2, "the Cayley machine of C2", (1, None, 1, 1, 1, 1, None, 1)),
    "flip_flop": (2, "aperiodic", (None, 1, 1, 1, 1, 1, None, 1)),
    "D4": (4, "permutations by D4", (2, None, 2, 2, 1, 2, None, 1)),
    "Q8": (8, "the Cayley machine of Q8", (2, None, 2, 2, 1, 2, None, 1)),
    "A5": (5, "permutations by A5", (None, None, None, None, 1, 3, None, 1)),
    "abab": (5, "solvable, with groups inside", None),
}


def tracker(table, start: int = 0):
    """The network that follows a table, as integers at every position."""
    table = jnp.asarray(np.asarray(table), jnp.int32)
    return lambda tokens: prefix_products(table, tokens) if start == 0 else table[start, tokens]


@pytest.mark.parametrize("name", NAMES)
def test_networks_that_track_a_semiautomaton_are_it(name):
    states, statement, layers = NAMES[name]
    automaton = semiautomaton(name)
    report = network(tracker(automaton.table), automaton.num_letters, 8, 2000)
    assert report.complete and not report.disagreements and not report.reason
    assert report.automaton.states == states and report.first_difference(automaton.table) is None
    assert report.decomposition.statement == statement
    assert report.decomposition.is_aperiodic == automaton.is_aperiodic
    if layers is not None:
        assert tuple(report.layers(kind).layers for kind in DEPTHS) == layers
    rows = report.rows()
    assert len(rows) == 2 + len(DEPTHS) and all(row[2] in ("certain", "sampled") for row in rows)


@pytest.mark.parametrize("name", ["S3", "A5"])
def test_the_network_of_all_products_is_the_cayley_machine(name):
    table = group(name).table
    report = network(tracker(table), len(table), 4, 20_000)
    assert report.automaton.states == len(table) and report.first_difference(table) is None
    assert report.decomposition.is_cayley and report.decomposition.group == name
    assert report.standing == ("certain" if report.exhausted == 4 else "sampled")


def test_constructions_compute_their_automaton():
    q8, walk = semiautomaton("Q8"), semiautomaton("gridworld4")
    by_doubling = network(lambda tokens: scan_automaton(q8.table, tokens), 2, 6, 1000)
    assert by_doubling.decomposition.group == "Q8" and by_doubling.first_difference(q8.table) is None
    by_cascade = network(compile_cascade(walk.holonomy()), 3, 6, 1000)
    assert by_cascade.first_difference(walk.table) is None and by_cascade.layers("positive").layers is not None
    # the same network with one layer fewer has not seen the first letters of words above 4
    damaged = network(lambda tokens: scan_automaton(q8.table, tokens, layers=2), 2, 6, 1000)
    assert len(damaged.disagreements[0]) == 5 or len(damaged.first_difference(q8.table)) == 5


def test_one_wrong_weight_is_named_by_the_first_wrong_word():
    table = group("S3").table.copy()
    table[2, 3], table[2, 4] = table[2, 4], table[2, 3]  # after element 2, letters 3 and 4 are exchanged
    report = network(tracker(table), 6, 5, 4000)
    assert report.complete and not report.decomposition.is_cayley
    assert report.first_difference(group("S3").table) == (2, 3)


def test_an_error_far_inside_is_a_disagreement_with_the_automaton_before_it():
    def forgetful(tokens):  # right up to five letters, then it answers 0
        return jnp.where(jnp.arange(8) < 5, prefix_products(jnp.asarray(group("S3").table, jnp.int32), tokens), 0)

    report = network(forgetful, 6, 8, 2000)
    assert not report.complete and report.reason and report.standing == "sampled"
    assert report.automaton.states == 6 and report.first_difference(group("S3").table) is None
    assert len(report.disagreements[0]) == 6 and repr(report).startswith("<NetworkReport: 6 states; partial: ")
    assert "layers" not in report.as_dict() and report._repr_html_()


def test_learners_agree():
    table = semiautomaton("D4").table
    teachers = [Teacher(jax.jit(tracker(table)), 2, 8, 2000, seed) for seed in (0, 1)]
    least = least_machine(lambda words: teachers[0].ask(words)[:, words.shape[1] - 1], 2)
    found = learned(teachers[1]).machine
    assert (found.table == least.table).all() and (found.outputs == least.outputs).all() and found.access == least.access


def test_words_are_answered_whole_or_by_position_and_letters_are_tokens():
    def last(tokens):  # logits of whole words: the parity of tokens 7
        parity = (tokens == 7).sum(axis=1) % 2
        return jax.nn.one_hot(parity, 2)

    report = network(last, (4, 7), 5, 200)
    assert report.standing == "certain" and report.asked <= 200 and report.exhausted == 5
    assert report.decomposition.group == "C2" and report.first_difference([[0, 1], [1, 1]]) == (7, 7)
    by_numpy = network(lambda tokens: np.cumsum(np.array([bool(x) for x in tokens.ravel()]).reshape(tokens.shape), 1) % 2, 2, 5)
    assert by_numpy.decomposition.group == "C2"  # JAX cannot trace it


def test_a_report_shows_itself():
    report = network(tracker([[0, 1], [1, 0]]), 2, 4, 200)
    assert repr(report) == "<NetworkReport: 2 states, the Cayley machine of C2; certain for all words up to 4 letters>"
    found = json.loads(json.dumps(report.as_dict()))
    assert found["layers"]["positive"]["layers"] is None and found["group"] == "C2" and found["table"] == [[0, 1], [1, 0]]
    assert figure(report.picture().encode(), "probe", {})  # nothing but shapes
    assert report.picture() == report.picture() and "<table" in report._repr_html_()


def counted(tokens):
    return jnp.cumsum(tokens, axis=1) % 2


def logit(tokens):
    return jnp.where(counted(tokens) == 1, 0.5, -0.5)


REFUSED = {
    "no letters": (dict(alphabet=0), ValueError, "alphabet must be at least 1"),
    "a letter twice": (dict(alphabet=(1, 1)), ValueError, "a letter is given twice"),
    "a negative letter": (dict(alphabet=(-1, 0)), ValueError, "each letter must be at least 0"),
    "no word": (dict(length=0), ValueError, "length must be at least 1"),
    "no question": (dict(queries=0), ValueError, "queries must be at least 1"),
    "letters that do not exist": (
        dict(apply=lambda tokens: jnp.stack([jnp.where(tokens < 2, 1.0, jnp.nan)] * 2, axis=-1), alphabet=4),
        ValueError,
        "letter 2, 3 of the alphabet has no answers",
    ),
    "a part that is not there": (
        dict(apply=lambda tokens: (counted(tokens), tokens), answer=5),
        ValueError,
        r"^answer=5: the network returns a tuple",
    ),
    "not a number": (dict(apply=lambda tokens: jnp.full((*tokens.shape, 2), jnp.nan)), ValueError, "every letter of the alpha"),
    "one number": (dict(apply=lambda tokens: jnp.float32(1.0)), ValueError, r"apply returned float32 of shape \(\)"),
    "scores of as many classes as letters": (
        dict(apply=lambda tokens: jnp.zeros((len(tokens), 6 if tokens.shape[1] == 6 else 4))),
        ValueError,
        "one number of classes",
    ),
    "half a letter": (dict(alphabet=2.5), TypeError, "alphabet"),
    "a token beyond int32": (dict(alphabet=[0, 2**40]), ValueError, "the letter 1099511627776: expected tokens of int32"),
    "a seed below 0": (dict(seed=-1), ValueError, "seed must be at least 0"),
    "a threshold that is no number": (dict(apply=logit, threshold=np.nan), ValueError, "a finite number"),
    "an infinite threshold": (dict(apply=logit, threshold=np.inf), ValueError, "a finite number"),
    "a threshold of truth": (dict(apply=logit, threshold=True), TypeError, "expected one real number"),
    "too many letters": (dict(alphabet=10**9), ValueError, "alphabet = 1000000000 letters and queries = 20000"),
    "too many words": (dict(length=10**6), ValueError, "298 GiB with their answers"),
    "too few positions": (dict(apply=lambda tokens: tokens[:, 1:]), ValueError, "expected"),
    "a first answer before all letters": (dict(apply=lambda tokens: tokens[:, :1].repeat(7, axis=1)), ValueError, "beginning"),
    "complex logits": (dict(apply=lambda tokens: tokens[..., None].astype(complex)), TypeError, "expected logits"),
    "not causal": (dict(apply=lambda tokens: counted(tokens[:, ::-1])[:, ::-1]), ValueError, "not causal: after the letters"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_network_is_refused(case):
    given, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        network(**{"apply": counted, "alphabet": 2, "length": 6} | given)


def test_a_few_questions_give_a_partial_report():
    for queries in (1, 2, 3, 5, 7):
        report = network(counted, 2, 4, queries)
        assert report.asked <= queries and not report.complete and f"queries = {queries}" in report.reason


@pytest.mark.parametrize(
    ("table", "outputs", "error", "words"),
    [
        ([[0, 7], [1, 0]], None, ValueError, r"the table holds 7: expected states 0 \.\. 1"),
        ([[0, -1], [1, 0]], None, ValueError, "the table holds -1"),
        ([[0.0, 1.0], [1.0, 0.0]], None, TypeError, "table hold float64: expected integers"),
        ([[0, 1], [1, 0]], [0, 1], ValueError, r"outputs have shape \(2,\): expected \(2, 2\)"),
        ([[0, 1], [1, 0]], [["a", "b"], ["b", "a"]], TypeError, "outputs hold <U1"),
        (np.zeros((0, 2), int), None, ValueError, "a row for each state"),
        ([[0], [1]], None, ValueError, "a column for each of the 2 letters"),
    ],
)
def test_what_is_no_automaton_is_not_compared(table, outputs, error, words):
    with pytest.raises(error, match=words):
        network(counted, 2, 4, 200).first_difference(table, outputs)


def test_an_automaton_is_compared_as_it_comes():
    report, machine = network(counted, 2, 4, 200), semiautomaton("C2^2")
    assert report.first_difference(machine) == report.first_difference(np.asarray(machine.table))


def test_a_network_that_looks_ahead_at_rare_words_is_caught_when_they_are_asked():
    def peeks(tokens):  # the first answer depends on the last letter, after 1 1 1 1 1 1 alone
        late = (tokens[:, :7].sum(axis=1) == 7) & (tokens[:, 7] == 1)
        return jnp.where(late[:, None], 1 - counted(tokens), counted(tokens))

    with pytest.raises(ValueError, match=re.escape("(1, 1, 1, 1, 1, 1, 1, 1)")):
        network(peeks, 2, 8, 2000)


def test_a_budget_that_ends_is_said():
    table = group("S3").table
    few = network(tracker(table), 6, 6, 5)
    assert not few.complete and "queries = 5" in few.reason and few.automaton.states == 1
    short = network(tracker(semiautomaton("C5").table), 2, 4, 100)
    assert isinstance(short, NetworkReport) and (short.complete or "length = " in short.reason)
    with pytest.raises(OutOfQueries, match="a word of 7 letters"):
        Teacher(counted, 2, 6, 100).ask([(0,) * 7])


def test_wrong_tables_and_classes_are_refused():
    report = network(counted, 2, 4, 100)
    with pytest.raises(ValueError, match="the 2 letters"):
        report.first_difference([[0, 1, 2]])
    with pytest.raises(ValueError, match="no class of layers is named 'mamba'"):
        report.layers("mamba")


def test_least_machines_are_equal_exactly_if_the_answers_are():
    draw = np.random.default_rng(3)
    words = np.array([[int(x) for x in np.binary_repr(number, 8)] for number in range(256)])
    same = 0
    for _ in range(60):
        first, second = (Machine(draw.integers(0, 3, (3, 2)), draw.integers(0, 2, (3, 2)), []) for _ in range(2))
        least = first.least()
        assert (least.run(words) == first.run(words)).all() and least.states <= 3
        assert least.least().table.tolist() == least.table.tolist()
        other = second.least()
        equal = least.table.tolist() == other.table.tolist() and least.outputs.tolist() == other.outputs.tolist()
        word = first.first_difference(second)
        assert equal == (word is None) == bool((first.run(words) == second.run(words)).all())
        if word is not None:
            differ = first.run(words) != second.run(words)
            assert len(word) == 1 + differ.any(axis=0).argmax()
            assert (first.run(np.array([word])) != second.run(np.array([word])))[0, -1]
        same += equal
    assert same < 60
