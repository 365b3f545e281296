"""Layers of sums against a loop over positions, and what one layer forgets."""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.lie.law_words_separate_classes.sums import Sums

LAYER = Sums(width=3, heads=1, dtype=jnp.dtype("float32"), carry=jnp.dtype("float32"))
INPUTS = jnp.asarray(np.random.default_rng(0).standard_normal((6, 2, 3)), "float32")


def test_all_positions_at_once_agree_with_one_after_another():
    weights = LAYER.init(jax.random.key(1), INPUTS)
    state, outputs = LAYER.initial(2, 6), []
    for x in INPUTS:
        (*state,), read = LAYER.apply(weights, tuple(state), x, method="step")  # type: ignore[misc]
        outputs.append(np.asarray(read))
    np.testing.assert_allclose(np.stack(outputs), np.asarray(LAYER.apply(weights, INPUTS)), rtol=1e-5, atol=1e-6)


def test_one_layer_forgets_the_order_of_letters():
    weights = LAYER.init(jax.random.key(1), INPUTS)
    forwards, backwards = (np.asarray(LAYER.apply(weights, order))[-1] for order in (INPUTS, INPUTS[::-1]))
    np.testing.assert_allclose(forwards, backwards, rtol=1e-5, atol=1e-6)
