"""Inputs of parallel problems and their answers, against loops."""

import numpy as np
import pytest

from experiments.attention.mpc_two_way.parallel import cycle_minima, prefix_sums, sorted_shares


def draw():
    return np.random.default_rng(0)


def test_sums_and_shares():
    words, sums = prefix_sums(draw(), 5, 4, 7)
    assert words.min() >= 1 and words.max() <= 6
    assert sums[..., 0].tolist() == [[sum(word[: i + 1]) for i in range(4)] for word in words.tolist()]
    words, shares = sorted_shares(draw(), 5, 4, 3, 7)
    assert shares.shape == (5, 4, 3) and shares.reshape(5, 12).tolist() == [sorted(word) for word in words.tolist()]


@pytest.mark.parametrize("vertices", [2, 5, 8])
def test_cycles_are_followed_to_their_least_vertex(vertices):
    words, least = cycle_minima(draw(), 4, vertices)
    for word, found in zip(words.tolist(), least[..., 0].tolist(), strict=True):
        left, right = ([at // vertices for at in word], [at % vertices for at in word])
        assert all(right[left[v]] == v for v in range(vertices))
        for v in range(vertices):
            cycle = [v]
            while right[cycle[-1]] != v:
                cycle.append(right[cycle[-1]])
            assert found[v] == min(cycle)
    assert [len(set(found)) for found in least[..., 0].tolist()] == [1, 2, 1, 2]


def test_one_letter_is_refused():
    with pytest.raises(ValueError, match="letters"):
        prefix_sums(draw(), 1, 2, 1)
