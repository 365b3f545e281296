"""Images of words in simpler free groups, and what they leave of a product: against groups of matrices and all words."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from experiments.training.trained_decay_by_depth.measure import _patterns, _variances, _walk
from experiments.training.trained_decay_by_depth.order_classes import left, of_class, of_two_layers
from experiments.training.trained_decay_by_depth.towers import tower_squares
from theory.exact.rotation import cayley


def image(kind, word):
    found, longer = kind
    for letter in word:
        found = longer(found, letter)
    return found


def words_of(letters, length):
    return list(itertools.product(range(letters), repeat=length))


def heisenberg(word):
    """The product in the free nilpotent group of class 2 on two letters: integer matrices with three free entries."""
    letters = np.array([[[1, 1, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1], [0, 0, 1]]])
    product = np.eye(3, dtype=int)
    for letter in word:
        product = product @ letters[letter]
    return tuple(product.ravel().tolist())


def same_classes(one, other, words):
    pairs = {(one(word), other(word)) for word in words}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("length", [1, 3, 6])
def test_patterns_of_two_letters_are_the_heisenberg_group(length):
    assert same_classes(lambda word: image(of_class(2), word), heisenberg, words_of(2, length))


@pytest.mark.parametrize("letters", [2, 3])
def test_images_are_what_the_measurement_counts(letters):
    words = words_of(letters, 4)
    for degree in (1, 2, 3):
        counted = dict(zip(words, map(tuple, _patterns(np.array(words), degree).tolist()), strict=True))
        assert same_classes(lambda word, d=degree: image(of_class(d), word), counted.get, words)
    walks = dict(zip(words, map(tuple, _walk(np.array(words)).tolist()), strict=True))
    assert same_classes(lambda word: image(of_two_layers(letters), word), walks.get, words)


@pytest.mark.parametrize("letters", [2, 3])
def test_two_layers_record_the_word(letters):
    words = words_of(letters, 5)
    assert len({image(of_two_layers(letters), word) for word in words}) == len(words)


@pytest.mark.parametrize("kind", [of_class(1), of_class(2), of_two_layers(2)])
def test_what_is_left_is_the_variance_within_images(kind):
    turns = np.array([cayley([[0, a, b], [-a, 0, c], [-b, -c, 0]]) for a, b, c in ((1, 0, 2), (0, 1, 1))])
    start = np.array([Fraction(2, 3), Fraction(1, 3), Fraction(2, 3)])
    found = left(turns, start, 4, kind)
    assert found[0] == 0 and all(isinstance(part, Fraction) for part in found)
    ends = {}
    for word in words_of(2, 4):
        end = start
        for letter in word:
            end = turns[letter] @ end
        ends.setdefault(image(kind, word), []).append(end)
    exact = sum(
        sum((end - sum(each) * Fraction(1, len(each))) @ (end - sum(each) * Fraction(1, len(each))) for end in each)
        for each in ends.values()
    )
    assert found[4] == exact * Fraction(1, 16)


def test_finer_images_leave_less():
    turns = np.array([cayley([[0, a, 0], [-a, 0, c], [0, -c, 0]]) for a, c in ((1, 2), (3, 1), (1, -1))])
    start = np.array([1, 0, 0])
    by_class = [left(turns, start, 4, of_class(degree))[-1] for degree in (1, 2, 3, 4)]
    assert by_class == sorted(by_class, reverse=True) and by_class[0] > by_class[1] > 0 and by_class[3] == 0


def test_a_tower_of_letters_about_one_axis_misses_nothing_and_others_fall_with_their_order():
    words = np.array(words_of(2, 4))
    start = np.array([1.0, 2.0, 2.0]) / 3

    def turns(size, axes):
        skew = [np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) for x, y, z in axes]
        return np.array([np.linalg.solve(np.eye(3) - size / 2 * one, np.eye(3) + size / 2 * one) for one in skew])

    assert tower_squares(turns(0.3, ((0, 0, 1), (0, 0, 2))), start, words, 2).max() < 1e-25
    found = np.array([tower_squares(turns(size, ((1, 0, 0), (0, 1, 1))), start, words, 2) for size in (0.02, 0.01)])
    assert np.log2(found[0] / found[1]) == pytest.approx([4, 10], abs=0.1)


def test_one_layer_is_left_with_what_counts_leave_a_letter_earlier():
    turns = np.array([cayley([[0, a, b], [-a, 0, c], [-b, -c, 0]]) for a, b, c in ((1, 0, 2), (0, 1, 1))])
    start = np.array([Fraction(2, 3), Fraction(1, 3), Fraction(2, 3)])
    words = np.array(words_of(2, 4))
    ends = np.array([np.array([end.astype(float) for end in _path(turns, start, word)]) for word in words])
    found = _variances(words, ends)["layer_floor"].values
    assert found == pytest.approx([float(part) for part in left(turns, start, 3, of_class(1))], abs=1e-14)


def _path(turns, start, word):
    for letter in word:
        start = turns[letter] @ start
        yield start
