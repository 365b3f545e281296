"""What a layer without positions says at the ends of pairs of words, and the floor that its own rounding gives."""

import jax
import numpy as np
import pytest

from experiments.logic.alternation_training_depth.block_prediction import BlockSetup, on_pairs, trained

SETUP = BlockSetup(layers=1, width=4, heads=2, longest=8, batch=2, steps=10, rate=1e-2, tests=4)
BLIND = [[0, 1, 1, 0, 0], [0, 1, 0, 1, 0]], [[0, 0, 1, 1, 0], [0, 1, 0, 1, 0]]  # the same letters, the same last one
OTHER = [[0, 1, 1, 0, 0], [1, 0, 0, 1, 0]], [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0]]


@pytest.mark.slow
@pytest.mark.parametrize(("pairs", "blind"), [(BLIND, True), (OTHER, False)])
def test_one_layer_says_the_same_exactly_where_the_counts_agree(pairs, blind):
    assert jax.config.read("jax_enable_x64")
    networks = trained(jax.random.key(0), SETUP, 3, 3, 1)
    said = on_pairs(SETUP, networks.params, 1, np.array(pairs), np.array([5, 5]))
    assert networks.whole.shape == (3, 3)
    assert ((np.asarray(said.gap) <= said.floor) == blind).all()
    assert (said.floor < 1e-12).all() and (said.floor > 0).all()
    assert networks.solved(0.5, 2).tolist() == [float(one[1] >= 0.5) for one in networks.whole]
    assert said.same.shape == (3,)


@pytest.mark.parametrize("depth", [-1, 2])
def test_depths_without_weights_are_refused(depth):
    with pytest.raises(ValueError, match="depth"):
        trained(jax.random.key(0), SETUP, 1, 3, depth)
