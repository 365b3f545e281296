"""Laws of lengths, orders and long runs: true networks pass, and a failure names the smallest case and replays itself."""

import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import testing
from depthjax.scans import prefix_products
from theory.automata import regular

PARITY = np.array([[0, 1], [1, 0]])
NONE = np.zeros((2, 2), int)


def parity(tokens):
    return jnp.cumsum(tokens, axis=1) % 2


def until(end, tokens):
    return jnp.where(jnp.arange(tokens.shape[1]) < end, parity(tokens), 0)


def scored(answers):
    return 4.0 * jax.nn.one_hot(answers, 2, dtype=jnp.float32) - 1


# lengths


@pytest.mark.parametrize("read", [lambda a: a, scored, lambda a: {"y": scored(a)}], ids=["labels", "scores", "a dictionary"])
def test_a_right_network_generalises(read):
    answer = "y" if isinstance(read(jnp.zeros((1, 1), int)), dict) else None
    found = testing.length_generalises(lambda t: read(parity(t)), PARITY, 3, to=20, samples=256, answer=answer)
    assert found.startswith("all 8 words of length 3; all 64 words of length 6; all 4096 words of length 12; 256 drawn words")


@pytest.mark.parametrize(("end", "after"), [(2, 3), (5, 6), (13, 14), (19, 20)])
def test_the_length_from_which_it_is_wrong_is_named(end, after):
    with pytest.raises(AssertionError) as failed:
        testing.length_generalises(lambda t: until(end, t), PARITY, 5, to=20)
    said = str(failed.value)
    assert f"after {after} letters" in said and ("wrong already" in said) == (after <= 5)
    word = eval(re.search(r"words=\[(\(.*?\))\]", said)[1])
    assert len(word) == after and sum(word) % 2 == 1  # and the replayed word is wrong, the one without its last letter right
    with pytest.raises(AssertionError, match="first wrong word is"):
        testing.simulates(lambda t: until(end, t), PARITY, words=[word])
    testing.simulates(lambda t: until(end, t), PARITY, words=[word[:-1]])


def test_an_answer_for_the_word_generalises_too():
    testing.length_generalises(lambda t: scored(parity(t)[:, -1]), PARITY, 2, to=5)
    with pytest.raises(AssertionError, match="right on all 4 words of length 2, it is wrong after 4 letters"):
        testing.length_generalises(lambda t: scored(until(3, t)[:, -1]), PARITY, 2, to=5)


# the order of letters

BLIND = {
    "each letter alone": lambda t: t * 2,
    "the mean of all": lambda t: t.astype(float) - t.astype(float).mean(axis=1, keepdims=True),
    "attention without positions": lambda t: (
        jax.nn.softmax((t[:, :, None] * t[:, None, :]).astype(float), axis=-1) @ scored(t).astype(float)
    ),
    "the sum, for the word": lambda t: t.sum(axis=1),
    "as many scores as letters, for the word": lambda t: jax.nn.one_hot(t.sum(axis=1) % 4, 4),
}
SEEING = {
    "a prefix": parity,
    "the first letter, for the word": lambda t: t[:, 0],
    "as many scores as letters, for the word": lambda t: jax.nn.one_hot(t[:, 0], 4),
    "masked attention": lambda t: jnp.tril(jnp.ones((t.shape[1],) * 2)) @ scored(t).astype(float),
}


@pytest.mark.parametrize("network", BLIND)
def test_what_sees_no_order_passes(network):
    assert testing.permutation_equivariant(BLIND[network], 2, 4).endswith("each with every two neighbours exchanged")


@pytest.mark.parametrize("network", SEEING)
def test_what_sees_the_order_is_named_with_a_word_that_shows_it(network):
    with pytest.raises(AssertionError, match="sees the order of letters") as failed:
        testing.permutation_equivariant(SEEING[network], 2, 4)
    word = eval(re.search(r"words=\[(\(.*?\))\]", str(failed.value))[1])
    with pytest.raises(AssertionError, match="sees the order"):
        testing.permutation_equivariant(SEEING[network], 2, words=[word])
    orders = list(itertools.permutations(range(4)))  # by brute force: some permutation shows it
    plain, moved = (np.asarray(SEEING[network](jnp.array(words))) for words in ([word], np.array(word)[orders]))
    expected = [
        plain[0][list(order)] if moved.shape[1:2] == (4,) and "for the word" not in network else plain[0] for order in orders
    ]
    assert (moved != np.array(expected)).any()


# long runs

START = jnp.zeros(3, jnp.float32)
LETTERS = jnp.array([0, 1], jnp.float32)
TURN = jnp.array([[0.6, -0.8], [0.8, 0.6]], jnp.float32)
STABLE = {
    "a decay": (lambda h, x: 0.5 * h + x, START),
    "a turn": (lambda h, x: TURN @ h + x, jnp.ones(2, jnp.float32)),
    "a counter": (lambda h, x: h + x, START),
    "a state that is no float beside": (lambda s, x: {"n": s["n"] + 1, "h": jnp.tanh(s["h"]) + x}, {"n": 0, "h": START}),
    "in bfloat16": (lambda h, x: (0.5 * h + x.astype(h.dtype)).astype(h.dtype), START.astype("bfloat16")),
    "complex": (lambda h, x: 1j * h, START.astype("complex64")),
    "a snap": (lambda h, x: jnp.round(2.0 * h + x) % 2, START),
}


@pytest.mark.parametrize("case", STABLE)
def test_what_is_stable_passes(case):
    assert "a change of the state grows at most" in testing.stable(*STABLE[case], LETTERS, steps=600)


UNSTABLE = {
    "grows": (lambda h, x: 1.1 * h + x, START, r"after 84 of 600 letters a change .* 3e\+03 times.*The word is letter 0 again"),
    "grows by one letter": (lambda h, x: jnp.where(x > 0, 2.0, 0.5) * h, START, "after 12 of 600 .* letter 1 again and again"),
    "a doubled angle": (lambda h, x: (2.0 * h + x) % 1.0, START, "after 12 of 600 letters a change"),
    "overflows": (
        lambda h, x: h * jnp.float32(1e-3) + x * jnp.float32(3e38) * 2,
        START,
        "after 1 of 600 letters the state is not",
    ),
    "a logarithm": (lambda h, x: jnp.log(h - x), START + 1, "after 1 of 600 letters the state is not finite"),
}


@pytest.mark.parametrize("case", UNSTABLE)
def test_what_is_not_stable_is_named_with_the_step(case):
    step, initial, words = UNSTABLE[case]
    with pytest.raises(AssertionError, match=words) as failed:
        testing.stable(step, initial, LETTERS, steps=600)
    steps = int(re.search(r"steps=(\d+)", str(failed.value))[1])
    with pytest.raises(AssertionError, match=f"after {steps} of {steps} letters"):
        testing.stable(step, initial, LETTERS, steps=steps)
    if steps > 1:
        testing.stable(step, initial, LETTERS, steps=steps - 1)


def test_parameters_of_a_step_are_data_and_growth_can_be_given():
    pair = (lambda decay, h, x: decay * h + x, jnp.float32(1.001))
    testing.stable(pair, START, LETTERS, steps=600)
    with pytest.raises(AssertionError, match=r"at most 1.5 is allowed: the growth that was given.*growth=1.5"):
        testing.stable(pair, START, LETTERS, steps=600, growth=1.5)


# replaying


@pytest.mark.parametrize(
    "law",
    [
        lambda **told: testing.simulates(parity, NONE, **told),
        lambda **told: testing.causal(lambda t: t[:, ::-1], 2, **told),
        lambda **told: testing.computes(parity, Never(), **told),
    ],
)
def test_a_failure_replays_itself(law):
    with pytest.raises(AssertionError) as failed:
        law(length=4)
    said = str(failed.value)
    words = [eval(re.search(r"words=\[(\(.*?\))\]", said)[1])]
    assert "python -m pytest" in said and "test_laws_of_words.py::test_a_failure_replays_itself" in said
    with pytest.raises(AssertionError, match=r"1 given word|causal"):
        law(words=words)


def likely(tokens):
    return jnp.where(parity(tokens) == 1, 0.9, 0.1)


@pytest.mark.parametrize(
    ("automaton", "given"),
    [
        (PARITY, {"state": 1}),
        (NONE, {"threshold": 0.5}),
        (NONE, {"answer": "logit", "threshold": 0.5}),
        (NONE, {"answer": lambda outputs: outputs["logit"], "threshold": 0.5}),
    ],
)
@pytest.mark.parametrize("name", ["simulates", "length_generalises"])
def test_a_replay_holds_the_arguments_that_were_given(name, automaton, given):
    run = (lambda t: {"logit": likely(t)}) if "answer" in given else likely
    run, answer = (parity if "state" in given else run), given.get("answer")
    more = {"to": 6} if name == "length_generalises" else {}
    with pytest.raises(AssertionError) as failed:
        getattr(testing, name)(run, automaton, 3, **given, **more)
    call = re.search(r"Replay: (testing\.simulates\(.*?\)), or: python -m pytest", str(failed.value))[1]
    with pytest.raises(AssertionError, match="1 given word"):
        eval(call, {"testing": testing, "run": run, "automaton": automaton, "answer": answer})


def test_a_replay_of_a_formula_holds_its_alphabet():
    with pytest.raises(AssertionError, match=r"The first wrong word is \(2,\)") as failed:
        testing.computes(lambda tokens: tokens < 0, EndsWithA(), 3, letters="bca")
    assert "letters='bca'" in str(failed.value)


class EndsWithA:
    letters = "a"

    def evaluate(self, words, letters):
        return np.asarray(words) == letters.index("a")


class Never:
    letters = "ab"

    def evaluate(self, words, letters):
        return np.zeros(np.shape(words), bool)


REFUSED = [
    (lambda: testing.simulates(parity, PARITY), TypeError, "needs the length of the words"),
    (lambda: testing.simulates(parity, PARITY, words=[(0, 1), (0,)]), ValueError, "expected words of one length"),
    (lambda: testing.simulates(parity, PARITY, words=[(0, 2)]), ValueError, r"the letter 2: expected 0 \.\. 1"),
    (lambda: testing.simulates(parity, PARITY, words=[(0, -1)]), ValueError, "the letter -1"),
    (lambda: testing.causal(parity, 2), ValueError, "at least 2 of both"),
    (lambda: testing.length_generalises(parity, PARITY, 4, to=4), ValueError, "to must be at least 5"),
    (lambda: testing.permutation_equivariant(parity, 1, 4), ValueError, "at least 2 of both"),
    (lambda: testing.permutation_equivariant(parity, 2, 10**6), ValueError, "length must be smaller"),
    (lambda: testing.stable(lambda n, x: n + 1, jnp.array(0), 2, steps=5), ValueError, "the state holds no floats"),
    (lambda: testing.stable(lambda h, x: h, START, 2, steps=0), ValueError, "steps must be at least 1"),
    (lambda: testing.stable(lambda h, x: h, START, 2, steps=5, growth=-1), ValueError, "growth must be finite and above 0"),
    (lambda: testing.stable(3, START, 2, steps=5), TypeError, "expected a function"),
    (lambda: testing.stable(lambda h, x: h, START, True, steps=5), TypeError, "letters must be an integer, got True"),
    (lambda: testing.stable(lambda h, x: h, START, jnp.ones((0, 3)), steps=5), ValueError, r"\(0, 3\).*at least 1"),
    (lambda: testing.stable(lambda h, x: h, START, {}, steps=5), ValueError, "as many letters along the first axis"),
    (lambda: testing.stable(lambda h, x: h, START, [0.5, 0.25], steps=5), ValueError, "pass numbers as an array"),
    (lambda: testing.stable(lambda h, x: h, START, (jnp.ones(2), jnp.ones(3)), steps=5), ValueError, "as many letters"),
    (lambda: testing.length_generalises(parity, PARITY, 4, to=8, state=-1), ValueError, "expected a state of the automaton"),
    (lambda: testing.length_generalises(parity, PARITY, 4, to=8, state=2), ValueError, "expected a state of the automaton"),
    (lambda: testing.simulates(parity, [[0, -1], [1, 0]], 4), ValueError, "the table holds -1"),
    (lambda: testing.simulates(parity, PARITY, 40, samples=0), ValueError, "samples must be at least 1"),
    (lambda: testing.simulates(parity, PARITY, 4, samples=-1), ValueError, "samples must be at least 1"),
    (lambda: testing.causal(parity, "ab", 4), TypeError, "letters = 'ab': expected their number"),
    (lambda: testing.causal(parity, 2.7, 4), TypeError, "letters = 2.7: expected their number"),
    (lambda: testing.permutation_equivariant(parity, "2", 4), TypeError, "letters = '2': expected their number"),
    (lambda: testing.permutation_equivariant(parity, None, 4), TypeError, "letters = None: expected their number"),
    (lambda: testing.computes(parity, EndsWithA(), 4, letters=3), TypeError, "letters = 3: expected the alphabet"),
    (lambda: testing.simulates(likely, PARITY, 4, threshold=np.nan), ValueError, "a finite number"),
    (lambda: testing.simulates(likely, PARITY, 4, threshold=True), TypeError, "one real number"),
]


def test_as_many_words_are_drawn_as_were_asked_for():
    assert testing.simulates(parity, PARITY, 40, samples=1) == "1 drawn word of the about 2^40 of length 40"
    assert testing.simulates(parity, PARITY, 40, samples=300) == "300 drawn words of the about 2^40 of length 40"


def test_an_alphabet_is_a_number_or_that_of_a_table():
    for letters in (2, np.int64(2), jnp.int32(2), PARITY, PARITY.tolist()):
        assert testing.causal(parity, letters, 3).startswith("all 8 words")


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_a_law_cannot_be_asked_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(("expression", "letters"), [("(a*ba*b)*a*", "ab"), ("(a|b|c)*ab", "abc"), ("(aa|b)*", "ab")])
def test_an_automaton_that_accepts_is_read_as_it_comes_from_a_file(expression, letters):
    found = regular(expression, letters)
    table, accepting = jnp.asarray(found.automaton.table), jnp.asarray(found.accepting)
    states = lambda tokens: prefix_products(table, tokens)  # noqa: E731
    said = testing.simulates(states, found, 4)
    assert said == testing.simulates(states, found.automaton, 4) == testing.computes(lambda t: accepting[states(t)], found, 4)
    assert testing.length_generalises(states, found, 3, to=5) and testing.causal(states, found, 4)
    word = [letters.index(letter) for letter in "abab"]
    wrong = [bool(re.fullmatch(expression, "abab"[: end + 1])) for end in range(4)]  # of Python
    assert (accepting[states(jnp.array([word]))[0]] == jnp.array(wrong)).all()
    with pytest.raises(AssertionError, match="does not compute"):
        testing.computes(lambda tokens: ~accepting[states(tokens)], found, 4)
    with pytest.raises(ValueError, match="the automaton has the letters"):
        testing.computes(lambda tokens: accepting[states(tokens)], found, 4, letters=letters[::-1])
