"""Short words that share states: lists by steps of a walk against all words, and states of cascades against labels."""

from collections import Counter

import jax
import numpy as np
import pytest

from experiments.lie.word_problem_log_depth.paths import end, flow, sharing
from experiments.lie.word_problem_log_depth.paths import reduced_words as signed_words
from experiments.lie.words_that_layers_confuse.listed import fewest_of_three, words_sharing_ends, words_sharing_flows
from experiments.lie.words_that_layers_confuse.states import (
    apart,
    final_states,
    reduced_words,
    shared_layers,
    undoing,
    words_alike,
)
from theory.lie import derived_class, inverse
from theory.lie.confused import confused_pair


@pytest.mark.parametrize(("letters", "length"), [(2, 1), (2, 4), (2, 7), (3, 3), (3, 4)])
def test_words_that_share_are_those_of_all_words(letters, length):
    words = signed_words(letters, length)
    assert words_sharing_ends(letters, length) == sharing(words, 1)
    assert words_sharing_flows(letters, length) == sharing(words, 2)


def test_three_words_of_one_flow_by_all_words():
    lengths = {}
    for word in signed_words(2, 9):
        if len(word) % 2:  # words of one flow have lengths of one parity
            lengths.setdefault(flow(word), []).append(len(word))
    assert min(sum(sorted(found)[:3]) for found in lengths.values() if len(found) > 2) == fewest_of_three(2, 9) == 25
    assert fewest_of_three(2, 8) == 0


@pytest.mark.parametrize(("letters", "length"), [(1, 3), (2, 4), (3, 3)])
def test_reduced_words_are_all_of_them(letters, length):
    found = {tuple(int(x) for x in word if x < 2 * letters) for word in reduced_words(letters, length, filled=length + 2)}
    assert found == {tuple(i + letters * (s < 0) for i, s in word) for word in signed_words(letters, length)}
    assert reduced_words(letters, length, filled=length + 2).shape == (len(found), length + 2)


def test_states_are_alike_where_flows_are():
    words = reduced_words(2, 7)
    states, floor = final_states(jax.random.key(3)[None], words, undoing(2), 2, 3)
    signed = [tuple((int(x) % 2, 1 if x < 2 else -1) for x in word if x < 4) for word in words]
    for layers, image in ((1, end), (2, flow)):
        groups = words_alike([layer[0] for layer in states[:layers]], floor)
        found = {frozenset(signed[i] for i in group) for group in groups}
        images = Counter(map(image, signed))
        expected = {}
        for word in signed:
            if images[image(word)] > 1:
                expected.setdefault(image(word), set()).add(word)
        assert found == {frozenset(group) for group in expected.values()}


def test_layers_that_pairs_share_are_their_classes():
    pairs = [confused_pair(k) for k in (1, 2, 3)] + [("ab", "ab"), ("a", "b")]
    rows = [[("abAB").index(x) for x in word] + [4] * (24 - len(word)) for pair in pairs for word in pair]
    keys = jax.random.split(jax.random.key(0), 3)
    states, floor = final_states(keys, np.array(rows), undoing(2), 4, 3)
    assert shared_layers(states, floor).tolist() == [1, 2, 3, 4, 0]
    spelt = [[tuple(("ab".index(x.lower()), 1 if x.islower() else -1) for x in word) for word in pair] for pair in pairs[:3]]
    assert [derived_class((*v, *inverse(w))) for v, w in spelt] == [1, 2, 3]
    states, floor = final_states(keys, np.array(rows), apart(2), 4, 3)
    assert shared_layers(states, floor).tolist() == [1, 1, 1, 4, 0]
