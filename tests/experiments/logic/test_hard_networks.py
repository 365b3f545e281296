"""The universal hard attention network beside networks with a head for every set of states, and sampled networks beside it."""

import itertools

import jax
import numpy as np
import pytest

from depthjax.tasks.short_words import short_words
from experiments.logic.hard_attention_depth_strict.hard_networks import knowledge, random_networks, telling_networks

SHORT = short_words(2, 4)


def subsets(words, lengths, layers, sides, mask, ties):
    """States by a head for every set of states: the nearest state in the set, written out."""
    rows = [[int(letter) for letter in word[:n]] for word, n in zip(words, lengths, strict=True)]
    for _ in range(layers):
        states = sorted({state for row in rows for state in row})
        sets = [set(some) for r in range(1, len(states) + 1) for some in itertools.combinations(states, r)]
        seen: dict = {}
        for row in rows:
            new = []
            for i in range(len(row)):
                own = [] if mask == "strict" else [row[i]]
                ways = [own + row[:i][::-1]] + ([own + row[i + 1 :]] if sides == "both" else [])
                ways = [way if ties == "nearest" else way[::-1] for way in ways]
                read = tuple(next((state for state in way if state in some), -1) for way in ways for some in sets)
                new.append(seen.setdefault((row[i], read), len(seen)))
            row[:] = new
    return [state for row in rows for state in row]


@pytest.mark.parametrize(
    ("sides", "mask", "ties"),
    [
        ("past", "strict", "nearest"),
        ("both", "strict", "nearest"),
        ("past", "causal", "nearest"),
        ("both", "strict", "farthest"),
    ],
)
def test_duels_know_what_all_sets_know(sides, mask, ties):
    words, lengths = SHORT.words[::2], SHORT.lengths[::2]
    layers = 2 if sides == "past" else 1
    found = knowledge(words, lengths, layers, sides=sides, mask=mask, ties=ties)[-1]
    expected = subsets(words, lengths, layers, sides, mask, ties)
    pairs = set(zip(found[found >= 0].tolist(), expected, strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("sides", ["past", "both"])
def test_sampled_networks_know_no_more(sides):
    pairs = np.array([[[0, 0, 1, 1], [0, 1, 1, 1]], [[0, 1, 0, 0], [1, 0, 0, 0]], [[0, 1, 0, 0], [1, 1, 0, 0]]])
    lengths = np.array([4, 4, 3])
    told = telling_networks(random_networks(jax.random.key(0), 48, 3, 2), pairs, lengths, sides=sides)
    for pair, length, numbers in zip(pairs, lengths, told.T, strict=True):
        known = knowledge(pair, np.full(2, length), 3, sides=sides)[:, :, length - 1]
        np.testing.assert_array_equal(numbers > 0, known[:, 0] != known[:, 1])


def test_refusals():
    words = np.zeros((1, 2), int)
    for wrong in ({"sides": "ahead"}, {"mask": "open"}, {"ties": "last"}):
        with pytest.raises(ValueError, match="it is one of"):
            knowledge(words, np.array([2]), 1, **wrong)
    with pytest.raises(ValueError, match="layers must be at least 0"):
        knowledge(words, np.array([2]), -1)
    with pytest.raises(ValueError, match="it is one of"):
        telling_networks(random_networks(jax.random.key(0), 1, 1, 2), np.zeros((1, 2, 2), int), np.array([2]), sides="ahead")
