"""Counting formulas of alternating blocks, their fooling pairs, and bounds on logic."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.tasks.alternation import block_numbers
from depthjax.tasks.words import all_words
from experiments.logic.alternation_pairs_blind.counting import told_apart_by_depth_three, told_apart_by_depth_two
from theory import OutsideHypotheses, bounds
from theory.logic import evaluate, parse
from theory.logic.counting import blind_lengths, block_counts, crossing, fooling_pair, parity, predictor, recogniser
from theory.logic.log_depth import reach
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
def test_the_lengths_for_depth_two_are_the_least_and_longer_blocks_do_as_well(size):
    p, q = blind_lengths(size)
    for more in (0, 1, 5):
        assert not told_apart_by_depth_two(*fooling_pair((p, q + more)), size)
    assert told_apart_by_depth_two(*fooling_pair((p - 1, q)), size)
    assert told_apart_by_depth_two(*fooling_pair((p, q - 1)), size)
    assert told_apart_by_depth_two(*fooling_pair((20, 20)), size)


@pytest.mark.parametrize(("size", "total"), [(1, 2), (1, 4), (2, 2), (2, 3), (2, 5), (3, 3)])
def test_the_lengths_for_depth_three_are_the_least_one_after_the_other(size, total):
    p, q, r = blind_lengths(size, total)
    for more in (0, 1, 7):
        assert not told_apart_by_depth_three(*fooling_pair((p, q + more, r)), size, total)
    for shorter in ((p - 1, q, r), (p, q, r - 1), (p, 3 * q, r - 1), (p, q - 1, r)):
        assert told_apart_by_depth_three(*fooling_pair(shorter), size, total)


def test_depth_three_by_all_weights_one_by_one():
    """The twin tries every weight of every class and every bound; short words have few classes."""

    def twin(first, second, total):
        names, vectors = {}, []
        for word in (first, second):
            seen, ones = {}, 0
            for index, letter in enumerate(word.tolist()):
                ones += letter
                zeros = index + 1 - ones
                tests = tuple(a * zeros + b * ones >= c for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1))
                kind = names.setdefault((letter, tests), len(names))
                seen[kind] = seen.get(kind, 0) + 1
                vectors.append((kind, dict(seen)))
        weights = [
            w
            for w in itertools.product(range(-total, total + 1), repeat=len(names))
            if max(max(w), 0) + max(max(-x for x in w), 0) <= total
        ]
        results = [
            (kind, tuple(sum(w[k] * n for k, n in seen.items()) >= b for w in weights for b in range(-total, total + 1)))
            for kind, seen in vectors
        ]
        ours, theirs = results[: len(first)], results[len(first) :]
        return ours[-1] != theirs[-1] or sorted(ours) != sorted(theirs)

    for lengths in ((1,), (3,), (1, 1), (2, 1), (2, 4)):
        for first, second in (fooling_pair(lengths), [word[:-1] for word in fooling_pair(lengths)]):
            assert told_apart_by_depth_three(first, second, 1, 1) == twin(first, second, 1), lengths


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
        assert reach(depth, repeated, fixed) == max((n for n, cost in needed.items() if cost <= depth), default=0)


def test_bounds_of_formulas():
    found = bounds.logic("a S (b & P a)")
    assert found.at() == 2 and "4 states" in found.quantity and "star-free" in found.quantity
    assert "need not be regular" in bounds.logic("#[a] - #[b] >= 0").quantity
    with pytest.raises(OutsideHypotheses, match="the word a permutes the states 0, 1"):
        bounds.logic("(aa)*", expression=True).at()
    with pytest.raises(ValueError, match="position 3"):
        bounds.logic("a b")
    assert parse("true").depth == 0 and bounds.logic("true").at() == 0
