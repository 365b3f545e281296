"""The law of three consecutive symbols from each predictor of a triple."""

import numpy as np
import pytest

from depthjax.instruments import hidden_markov as markov
from experiments.identify.triplet_permutations import triples


@pytest.mark.parametrize("name", triples.SIX)
def test_every_predictor_of_a_triple_gives_the_joint_law_back(name, key):
    emission = np.array([[0.6, 0.1], [0.2, 0.7], [0.2, 0.2]])
    joint = markov.joint_law(emission, np.array([[0.8, 0.2], [0.2, 0.8]]))
    found = triples.law_from(key, triples.predictor(joint, name), name, 2)
    assert found.solutions == 1
    np.testing.assert_allclose(found.joint, joint, atol=1e-10)
    wrong = triples.law_from(key, triples.predictor(joint + 0.01 * np.eye(3)[:, :, None], name), name, 2)
    assert np.abs(wrong.joint - joint).max() > 1e-4


def test_a_predictor_of_a_triple_must_be_known(key):
    with pytest.raises(ValueError, match=r"no predictor '1\|1' of a triple"):
        triples.law_from(key, np.ones((2, 2, 2)) / 2, "1|1", 2)
