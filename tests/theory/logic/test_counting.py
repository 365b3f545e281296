"""Counting formulas of alternating blocks, their fooling pairs, and bounds on logic."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.probe.counting import separating_classes
from depthjax.tasks.alternation import block_numbers
from depthjax.tasks.words import all_words
from theory import OutsideHypotheses, bounds
from theory.logic import evaluate, parse
from theory.logic.counting import (
    blind_lengths,
    block_counts,
    crossing,
    fooling_pair,
    parity,
    predictor,
    recogniser,
)
from theory.logic.sampling import random_counting_formula


@pytest.mark.parametrize("k", range(1, 7))
def test_recogniser_and_predictor_have_their_depth_and_are_right(k):
    assert recogniser(k).depth == k == bounds.alternation(k).at()
    assert predictor(k).depth == max(k - 2, 0) == bounds.alternation(k, "predict").at()
    words = np.asarray(all_words(2, 10))
    ends = (words[:, :1] == 0) & (np.asarray(block_numbers(jnp.asarray(words))) == k)
    np.testing.assert_array_equal(evaluate(recogniser(k), words, "ab"), ends)
    promised = (words[:, :1] == 0) & (np.asarray(block_numbers(jnp.asarray(words))) <= k)
    np.testing.assert_array_equal(evaluate(predictor(k), words, "ab")[promised], ends[promised])
    assert ends[:, -1].sum() == block_counts(k, 10)[10]


def test_parity_needs_both_sides_in_this_formula():
    for length in range(1, 9):
        words = np.asarray(all_words(2, length))
        odd = words.sum(axis=1) % 2 == 1
        np.testing.assert_array_equal(evaluate(parity(), words, "01")[:, -1], odd)
    assert (evaluate(parity(two_sided=False), words, "01")[:, -1] != odd).any()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_lemma_of_depth_two_is_sharp_in_the_first_block(size):
    p, q = blind_lengths(size)
    for more in (0, 1, 5):
        assert separating_classes(*fooling_pair((p, q + more)), size) == 0
    assert separating_classes(*fooling_pair((p - 1, q)), size) > 0
    assert separating_classes(*fooling_pair((20, 20)), size) > 0


def test_growing_blocks_do_not_fool_depth_three_and_the_lemmas_blocks_do():
    formula = crossing()
    assert formula.depth == 3
    for lengths in ((3, 10, 20), (12, 200, 3000)):
        first, second = evaluate(formula, np.stack(fooling_pair(lengths)), "ab")[:, -1]
        assert (first, second) == (False, True)
    rng = np.random.default_rng(0)
    pair = np.stack(fooling_pair(blind_lengths(1, 3)))
    for sample in [formula, *(random_counting_formula(rng, "ab", 3, 1) for _ in range(150))]:
        first, second = evaluate(sample, pair, "ab")[:, -1]
        assert first == second
    first, second = evaluate(recogniser(4), pair, "ab")[:, -1]
    assert first and not second


@pytest.mark.parametrize(("repeated", "fixed", "layers"), [(4, 5, bounds.regular_language), (2, 18, bounds.connectivity)])
def test_the_longest_input_within_a_budget(repeated, fixed, layers):
    needed = {n: int(layers(n).at()) for n in range(1, 18)}
    for depth in range(fixed - 2, fixed + 4 * repeated):  # up to 8 letters, or 8 vertices, and one more layer
        assert bounds.reach(depth, repeated, fixed) == max((n for n, cost in needed.items() if cost <= depth), default=0)


def test_bounds_of_formulas():
    found = bounds.logic("a S (b & P a)")
    assert found.at() == 2 and "4 states" in found.quantity and "star-free" in found.quantity
    assert "need not be regular" in bounds.logic("#[a] - #[b] >= 0").quantity
    with pytest.raises(OutsideHypotheses, match="the word a permutes the states 0, 1"):
        bounds.logic("(aa)*", expression=True).at()
    with pytest.raises(ValueError, match="position 3"):
        bounds.logic("a b")
    assert parse("true").depth == 0 and bounds.logic("true").at() == 0
