"""Learning times against neurons that grow, at the rate that the answer assumes and at rate 1."""

import itertools

import numpy as np
import pytest

from theory.bounds import learning_time


def sign_utility(tokens):
    """The largest utility of a unit neuron in the sign of C2, over all angles that a neuron may have there."""
    signs = np.array([1.0, -1.0]) / np.sqrt(2)  # what the sign sees of a one-hot code, times the unit vector of the sign
    words = list(itertools.product((0, 1), repeat=tokens))
    unit = 1 / np.sqrt(tokens + 1)
    return np.mean([signs[sum(word) % 2] * unit * sum(signs[x] * unit for x in word) ** tokens for word in words])


@pytest.mark.parametrize("tokens", [2, 3, 4])
def test_a_neuron_of_the_sign(tokens):
    answer, utility = learning_time("C2", tokens=tokens), abs(sign_utility(tokens))
    assert answer.at() == pytest.approx(1 / ((tokens + 1) * utility))
    assert any("rate ||theta||^(1 - tokens)" in text for text, _ in answer.bound.check())
    # d r / d t = rate (k + 1) U r^k, from alpha to 1
    for alpha in (1e-2, 1e-4):
        radii = np.geomspace(alpha, 1, 20_001)
        middle, width = np.sqrt(radii[1:] * radii[:-1]), np.diff(radii)
        speed = (tokens + 1) * utility * middle**tokens
        assert (width / (speed * middle ** (1 - tokens))).sum() == pytest.approx(answer.at() * np.log(1 / alpha), rel=1e-4)
        plain = (alpha ** (1 - tokens) - 1) / (tokens - 1) / ((tokens + 1) * utility)
        assert (width / speed).sum() == pytest.approx(plain, rel=1e-4)


def test_the_trivial_group_has_nothing_to_learn():
    with pytest.raises(ValueError, match=r"C1 has the trivial irrep alone.*expected a group of two elements"):
        learning_time("C1")
