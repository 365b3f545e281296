"""Mean errors over all words in fixed-point numbers, against word after word and against floats."""

import itertools

import numpy as np
import pytest

from experiments.lie.average_error_by_depth.all_words import root_mean_square_errors
from experiments.lie.error_by_depth.tower_digits import tower_errors_in_digits

PAIR = np.array([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], float)
ROTATIONS = np.array(
    [[[0, -1, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, -1], [0, 1, 0]]], float
)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_mean_is_that_of_word_after_word(length):
    # the Frobenius norm of a matrix of size two lies between its operator norm and the root of two times that
    found = root_mean_square_errors(PAIR, length, 2, 2.0**-6, 200)
    words = [tower_errors_in_digits(word, PAIR, 2, 2.0**-6, 200)[1:] for word in itertools.product((0, 1), repeat=length)]
    mean = np.sqrt(np.mean(np.square(words), axis=0))
    assert (mean <= found * (1 + 1e-12)).all() and (found <= np.sqrt(2) * mean * (1 + 1e-12)).all()


def test_one_layer_in_floats():
    mass, length = 0.02, 3
    squares = []
    for word in itertools.product(range(3), repeat=length):
        product, total = np.identity(3), np.zeros((3, 3))
        for letter in word:
            product, total = (
                product @ _exponential(ROTATIONS[letter] * mass / length),
                total + ROTATIONS[letter] * mass / length,
            )
        squares.append(((product - _exponential(total)) ** 2).sum())
    found = root_mean_square_errors(ROTATIONS, length, 1, mass, 128)[0]
    assert found == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-9)


def test_letters_in_pairs_are_words_of_half_the_letters():
    # a letter that comes twice commutes with itself, so two of them are one letter of twice the weight
    pairs = root_mean_square_errors(ROTATIONS, 4, 2, 0.01, 200, doubled=True)
    assert pairs == pytest.approx(root_mean_square_errors(ROTATIONS, 2, 2, 0.01, 200), rel=1e-12)


@pytest.mark.parametrize(
    ("length", "layers", "bits", "words"), [(0, 1, 64, "length"), (1, 0, 64, "layers"), (1, 1, 63, "bits")]
)
def test_bad_sizes_are_named(length, layers, bits, words):
    with pytest.raises(ValueError, match=words):
        root_mean_square_errors(PAIR, length, layers, 0.1, bits)


def _exponential(x):
    result = term = np.identity(len(x))
    for count in range(1, 30):
        term = term @ x / count
        result = result + term
    return result
