"""Formulas compiled to masked attention against the exact evaluator, and the heads against their definitions."""

import itertools
from functools import partial

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from depthjax.constructions.compiled.formulas import attend, compile_formula, compile_formulas, directions, embedded
from experiments.logic.star_free_iff_aperiodic.pumping import pumping_period
from theory.logic import evaluate, parse
from theory.logic.program import program
from theory.logic.sampling import random_counting_formula, random_formula
from theory.strategies import dfas

SHORT = 6
BY_LENGTH = {n: np.array([*itertools.product((0, 1), repeat=n)], np.int8) for n in range(1, SHORT + 1)}
WORDS = np.concatenate([np.pad(words, ((0, 0), (0, SHORT - n))) for n, words in BY_LENGTH.items()])
LENGTHS = np.repeat(np.arange(1, SHORT + 1), [2**n for n in range(1, SHORT + 1)])


def answers(formula):
    found = np.zeros(WORDS.shape, bool)
    for n in range(1, SHORT + 1):
        found[LENGTHS == n, :n] = evaluate(formula, BY_LENGTH[n], "ab")
    return found


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=12)
def test_attention_gives_the_truth_at_every_position_with_as_many_layers_as_the_depth(seed, depth):
    rng = np.random.default_rng(seed)
    batch = [random_formula(rng, "ab", depth) for _ in range(6)] + [random_counting_formula(rng, "ab", depth, 2)]
    model = compile_formulas([program(formula, "ab") for formula in batch])
    truth = np.asarray(model(WORDS, lengths=LENGTHS))
    assert model.depth == depth
    for found, formula in zip(truth, batch, strict=True):
        np.testing.assert_array_equal(found, answers(formula), err_msg=str(formula))


@pytest.mark.parametrize(
    "text", ["a", "true", "!a", "a S b", "a U b", "#>[a] - #[b] >= 1", "a S (b U a) & #[a S b] >= 2", "H (a -> X b)", "a S a"]
)
def test_formulas_of_every_kind(text):
    formula = parse(text)
    np.testing.assert_array_equal(
        np.asarray(compile_formula(program(formula, "ab"))(WORDS, lengths=LENGTHS))[0], answers(formula)
    )


def test_less_depth_other_ties_and_other_masks_are_wrong():
    found = program(parse("a S (b & (b S a))"), "ab")
    right = answers(parse("a S (b & (b S a))"))
    for model, layers in (
        (compile_formula(found), 1),
        (compile_formula(found, ties="farthest"), None),
        (compile_formula(found, mask="causal"), None),
    ):
        assert (np.asarray(model(WORDS, layers, lengths=LENGTHS))[0] != right).any()
    assert (np.asarray(compile_formula(found)(WORDS, 9, lengths=LENGTHS))[0] == right).all()  # more layers change nothing


def random_streams(model, draw, length, words):
    """Streams of one formula whose bits at the letters are random."""
    plain = np.asarray(jax.vmap(partial(embedded, model, length=jnp.asarray(length)))(jnp.zeros((words, length), int)))
    streams, bits = plain.copy(), draw.random((words, length, directions(model).rows("bit").stop)) < 0.5
    streams[:, 1:-1, directions(model).rows("bit")] = bits
    return bits, np.asarray(jax.vmap(partial(attend, model))(jnp.asarray(streams)))[:, 1:-1]


def test_a_hard_head_is_the_masked_argmax():
    found = program(parse("a S b & b U a"), "ab")
    model = jax.tree.map(lambda array: array[0], compile_formula(found).counting(7))
    bits, after = random_streams(model, np.random.default_rng(0), 7, 5)
    for guard, value, write, ahead in zip(found.guard, found.value, found.write, found.ahead, strict=True):
        for word, i in np.ndindex(5, 7):
            visible = range(i + 1, 7) if ahead else range(i)
            order = sorted(visible, key=lambda j: (bits[word, j, guard], -j if ahead else j))
            assert after[word, i, write] == (bool(order) and bits[word, order[-1], value])


def test_a_uniform_head_is_softmax_of_equal_scores():
    found = program(parse("2 #[a] - 3 #>[b] >= 1"), "ab")
    model = jax.tree.map(lambda array: array[0], compile_formula(found).counting(9))
    bits, after = random_streams(model, np.random.default_rng(0), 9, 4)
    means = []
    for ahead in (False, True):
        visible = np.tri(9, dtype=bool).T if ahead else np.tri(9, dtype=bool)
        scores = np.where(np.pad(visible, ((0, 0), (1, 0)), constant_values=True), 0.0, -np.inf)  # the extra token first
        weights = np.asarray(jax.nn.softmax(jnp.asarray(scores), axis=1))
        means.append((np.einsum("ij,njw->wni", weights[:, 1:], bits), weights[:, 0][None]))
    (past, begin), (future, end) = means
    before, after_ = (np.pad(factors[0], (0, len(past) - factors.shape[1])) for factors in (found.before, found.after))
    total = np.tensordot(before, past, 1) * end + np.tensordot(after_, future, 1) * begin
    expected = total > (float(found.bound[0]) - 0.5) * begin * end
    np.testing.assert_array_equal(after[..., found.counted[0]] > 0, expected)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("16777217 #[a] - 16777216 #[b] >= 1", "aba"),
        ("5000 #[a] - 4999 #[b] = 0", "a" * 500 + "b" * 500 + "a"),
        ("-3 #[a] + 8388607 #>[b] >= 16777213", "abab"),
    ],
)
def test_counts_that_pass_single_precision(text, word):
    words = np.array([["ab".index(letter) for letter in word]])
    model, formula = compile_formula(program(parse(text), "ab")), parse(text)
    assert model.counting(len(word)).bound.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(model(words))[0], evaluate(formula, words, "ab"))
    with jax.enable_x64(False), pytest.raises(ValueError, match="takes float64, and float64 is switched off"):
        model.counting(len(word))


def test_counts_that_no_type_compares():
    model = compile_formula(program(parse("1000000007000 #[a] - 1000000006999 #[b] >= 1"), "ab"))
    with pytest.raises(ValueError, match=r"reach 20,010,000,140,059,997 at length 10005.*below 2\^52"):
        model.counting(10005)
    assert model.counting(40).bound.dtype == np.float64


def test_bad_input_is_refused():
    found = program(parse("a S b"), "ab")
    with pytest.raises(ValueError, match="mask must be one of"):
        compile_formula(found, mask="full")
    with pytest.raises(ValueError, match="same alphabet"):
        compile_formulas([found, program(parse("a S b"), "abc")])
    with pytest.raises(ValueError, match=r"words: 2 is out of range.*0 \.\. 1"):
        compile_formula(found)(np.array([[0, 2]]))
    with pytest.raises(ValueError, match="layers"):
        compile_formula(found)(WORDS, -1)


@given(dfas(max_states=5, minimal=True))
@settings(max_examples=30)
def test_the_period_under_pumping_is_that_of_the_minimal_monoid(dfa):
    n = dfa.num_states
    clocked = np.concatenate([dfa.automaton.table + n, dfa.automaton.table])  # same language, twice the states
    monoid = dfa.automaton.transition_monoid()
    longest = len(monoid.word(monoid.size - 1))
    period = dfa.index_and_period[1]
    assert pumping_period(dfa.automaton.table, dfa.accepting, longest) == period
    assert pumping_period(clocked, np.tile(dfa.accepting, 2), longest) == period
