"""Inputs of parallel problems and their answers, against loops and against the protocols."""

import numpy as np
import pytest

from experiments.attention.mpc_two_way.parallel import cycle_minima, prefix_sums, sorted_shares
from experiments.attention.mpc_two_way.posed import inputs, outputs
from theory.attention.rounds import protocol_rounds


def posed(problem: str, machines: int, share: int = 3, letters: int = 7, samples: int = 5) -> np.ndarray:
    return inputs(problem, np.random.default_rng(0), samples, machines, share, letters)


def test_sums_and_shares():
    words = posed("prefix sums", 4)
    assert words.min() >= 1 and words.max() <= 6
    assert prefix_sums(words)[..., 0].tolist() == [[sum(word[: i + 1]) for i in range(4)] for word in words.tolist()]
    words = posed("sorting", 4)
    shares = sorted_shares(words, 4)
    assert shares.shape == (5, 4, 3) and shares.reshape(5, 12).tolist() == [sorted(word) for word in words.tolist()]


@pytest.mark.parametrize("vertices", [2, 5, 8])
def test_cycles_are_followed_to_their_least_vertex(vertices):
    words = posed("components", vertices, samples=4)
    least = cycle_minima(words)[..., 0].tolist()
    for word, found in zip(words.tolist(), least, strict=True):
        left, right = ([at // vertices for at in word], [at % vertices for at in word])
        assert all(right[left[v]] == v for v in range(vertices))
        for v in range(vertices):
            cycle = [v]
            while right[cycle[-1]] != v:
                cycle.append(right[cycle[-1]])
            assert found[v] == min(cycle)
    assert [len(set(found)) for found in least] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("problem", "machines", "share"),
    [("prefix sums", 9, 3), ("prefix sums", 11, 2), ("sorting", 8, 2), ("components", 7, 3), ("components", 8, 3)],
)
def test_the_last_round_is_right_and_the_one_before_is_not(problem, machines, share):
    words, rounds = posed(problem, machines, share, samples=12), protocol_rounds(problem, machines, share)
    right = {"prefix sums": prefix_sums, "components": cycle_minima}.get(problem, lambda words: sorted_shares(words, machines))(
        words
    )
    found = outputs(problem, words, machines, share, rounds)
    assert found.shape == (12, rounds + 1, *right.shape[1:])
    assert (found[:, -1] == right).all() and (found[:, -2] != right).any()
