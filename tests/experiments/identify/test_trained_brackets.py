"""Layers that read brackets from counts: symbols, the imbalance, balance by hand, and pairs that hide the stack."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks.dyck import dyck_prefixes
from depthjax.training import Recipe
from experiments.identify.balance_regulariser.bracket_layers import (
    FOREVER,
    BracketLayer,
    Brackets,
    balanced,
    imbalance,
    logits,
    misread,
    pairs_until_misread,
    stacks_with_pairs,
)
from experiments.identify.balance_regulariser.trained_brackets import (
    PENALTIES,
    SPANS,
    initial_weights,
    layer,
    symbols_of,
    trained_layers,
)
from theory.attention.dyck import ScoreTable

BRACKETS = Brackets(2, 3, 8)
RECIPE = Recipe(60, 1e-2, warmup=3, clip=1.0, record_every=60)


@pytest.fixture
def random_layer(key) -> BracketLayer:
    return layer(initial_weights(key, BRACKETS, 8))


def test_symbols_are_those_of_a_stack_machine():
    words = dyck_prefixes(2, 3, 7)
    symbols, tops = (np.asarray(part) for part in symbols_of(jnp.asarray(words), BRACKETS))
    for word, said, top in zip(words, symbols, tops, strict=True):
        stack = []
        for place, letter in enumerate(word):
            if letter < 2:
                stack.append(int(letter))
                wanted = (len(stack) - 1) * 2 + letter
            else:
                wanted = 6 + (len(stack) - 1) * 2 + stack.pop()
            assert said[place] == wanted
            assert top[place] == (stack[-1] if stack else -1)


def test_logits_of_counts_are_those_of_attention_over_letters(random_layer, key):
    symbols = jax.random.randint(key, (9,), 0, 12)
    counts = jnp.bincount(symbols, length=12).astype(float)
    for query in (4, 10):
        weights = jax.nn.softmax(random_layer.table[symbols, query])
        output = weights @ random_layer.value[symbols]
        scaled = (output - output.mean()) / output.std()
        found = logits(random_layer, counts, jnp.asarray(query))
        np.testing.assert_allclose(found, random_layer.read[query] @ scaled, rtol=1e-6)


def test_the_imbalance_vanishes_just_where_the_theory_says():
    table = ScoreTable.random(2, 3, 5)
    even, either = (jnp.asarray(each.scores.astype(float)) for each in (table.balanced(), table))
    assert imbalance(even, BRACKETS)[0] == pytest.approx(0, abs=1e-12)
    assert min(imbalance(either, BRACKETS)) > 0.1
    openers = jnp.asarray(table.balanced(table.openers).scores.astype(float))
    assert imbalance(openers, BRACKETS)[1] == pytest.approx(0, abs=1e-12) and imbalance(openers, BRACKETS)[0] > 0.1


def test_balance_by_hand_is_the_nearest_table_of_the_theory(random_layer):
    exact = np.vectorize(lambda x: Fraction(round(x * 2**30), 2**30))(np.asarray(random_layer.table))
    wanted = ScoreTable(2, 3, exact).balanced()
    found = balanced(random_layer, BRACKETS)
    np.testing.assert_allclose(found.table, wanted.scores.astype(float), atol=1e-8)
    ratios = np.exp(wanted.log_ratios.astype(float))
    np.testing.assert_allclose(found.value[6:], -ratios[:, None] * np.asarray(random_layer.value[:6]), rtol=1e-7)


def test_cases_are_all_stacks_with_all_pairs():
    cases = stacks_with_pairs(BRACKETS)
    assert len(cases.top) == 2**2 + 2**3
    np.testing.assert_array_equal(cases.stack.sum(axis=1), [1] * 4 + [2] * 8)
    for stack, pair, query, top in zip(*cases, strict=True):
        innermost = int(np.flatnonzero(stack).max())  # symbols of openers are numbered by depth
        assert innermost % 2 == top and pair.sum() == 2 and pair[query] == pair[query - 6] == 1
        assert (query - 6) // 2 == innermost // 2 + 1


@pytest.mark.parametrize("seed", range(3))
def test_the_first_failure_is_the_first_of_all_numbers_of_pairs(seed):
    one = layer(initial_weights(jax.random.key(seed), BRACKETS, 8))
    cases = stacks_with_pairs(BRACKETS)
    wrong = np.stack([misread(one, cases, jnp.full(12, float(pairs))) for pairs in range(200)])
    slow = np.where(wrong.any(axis=0), wrong.argmax(axis=0), 200)
    run, foretold, _ = pairs_until_misread(one, cases)
    np.testing.assert_array_equal(np.minimum(run, 200), slow)
    np.testing.assert_array_equal(run, foretold)


@pytest.mark.parametrize(("types", "depth"), [(2, 2), (2, 3), (3, 3)])
def test_endless_pairs_leave_one_stack_of_k(key, types, depth):
    brackets = Brackets(types, depth, 8)
    one, cases = layer(initial_weights(key, brackets, 8)), stacks_with_pairs(brackets)
    forever = jnp.full(len(cases.top), FOREVER)
    assert misread(one, cases, forever).sum() == types**depth - types
    level = balanced(one, brackets)
    np.testing.assert_array_equal(misread(level, cases, forever), misread(level, cases, jnp.zeros(len(cases.top))))


def test_penalties_share_seeds_and_the_penalty_balances(key):
    found = trained_layers(key, BRACKETS, RECIPE, 10.0, 8, 8, 8, 3)
    assert list(found) == list(PENALTIES)
    assert all(each.errors.shape == (3, len(SPANS)) for each in found.values())
    assert (found["balance"].imbalance < found["none"].imbalance).all()
    assert all(each.letters.tolist() == [[64, 64, 64, 128, 256]] * 3 for each in found.values())
    assert all(each.facts.steps.tolist() == [60] * 3 and each.facts.parts.tolist() == [4] * 3 for each in found.values())
    alone = trained_layers(key, BRACKETS, RECIPE, 0.0, 8, 8, 8, 3)
    np.testing.assert_array_equal(alone["balance"].errors, alone["none"].errors)


def test_a_run_that_leaves_the_floats_is_not_a_number(key):
    found = trained_layers(key, BRACKETS, Recipe(30, 1e300, clip=None, record_every=30), 10.0, 8, 8, 8, 2)
    assert np.isnan(found["none"].errors).all()
