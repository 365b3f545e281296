"""One layer on INDEX: its sums against the definition, the layer that packs bits, pairs that fool it, and two layers."""

from itertools import product

import jax
import numpy as np
import pytest

from experiments.attention.one_layer_bottleneck.fooling import (
    answers,
    answers_all,
    errs,
    fooling_pair,
    questions,
    searched_layers,
    summaries,
    two_layers_answer_all,
    two_layers_err,
)
from experiments.attention.one_layer_bottleneck.one_layer import index_layer, random_one_layer


def naive_sums(layer, word, positions, bits):
    """Numerators and denominators of every head, one position after the other."""
    found = []
    for raised, values, span in zip(layer.raised, layer.values, layer.span, strict=True):
        terms = [np.append(raised[at, word[at]] * values[at, word[at]], raised[at, word[at]]) for at in positions]
        found.append([int(total / one * 2**bits) for total, one in zip(sum(terms), span, strict=True)])
    return found


def test_sums_follow_the_definition():
    layer = random_one_layer(np.random.default_rng(0), 3, 2, 2)
    words, mine = questions(3)[1], np.array([1, 3, 5])
    assert layer.sums(words, mine, 9).tolist() == [naive_sums(layer, word, mine, 9) for word in words]
    assert layer.held(words, mine, 2).max() <= 3


def test_answers_are_the_bits():
    assert answers(3).tolist() == [list(bits) for bits in product((0, 1), repeat=3)]


@pytest.mark.parametrize(("heads", "width"), [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_the_packed_layer_answers_from_the_least_precision_on(heads, width):
    bits, numbers = 7, heads * (width + 1)
    for precision in range(1, 5):
        layer = index_layer(bits, heads, width, precision)
        assert summaries(layer, bits, precision).max() + 1 == 2 ** min(bits, numbers * precision)
        assert answers_all(layer, bits, precision) == (numbers * precision >= bits)


def test_the_shortcut_of_the_outputs_is_the_whole_layer():
    """Sums over the bits and over the rest, taken from different words, are those of the word that has both."""
    layer, mine, rest = index_layer(4, 1, 1, 2), np.arange(1, 8, 2), np.arange(0, 9, 2)
    for index, words in enumerate(questions(4)):
        assert (layer.held(words, mine, 2) == layer.held(questions(4)[0], mine, 2)).all()
        assert (layer.sums(words, rest, 2) == layer.sums(questions(4)[index, :1], rest, 2)).all()


def test_layers_below_are_fooled_and_two_layers_are_not():
    for layer in searched_layers(jax.random.key(0), 5, 1, 1, 2, layers=3, rounds=4):
        pair = fooling_pair(layer, 5, 2)
        assert pair is not None
        assert errs(layer, pair, 5, 2)
        assert two_layers_err(pair, 5, 2) == (False, 4)  # one letter behind the asked one in each word, of weight 2^1
    assert two_layers_answer_all(5, 1)
    assert fooling_pair(index_layer(5, 1, 1, 3), 5, 3) is None
