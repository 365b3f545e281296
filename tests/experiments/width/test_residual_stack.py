"""A residual stack of perceptrons against its formula, layer by layer."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.width.sixty_layers_train.residual import init_residual_stack, residual_logits


@pytest.mark.parametrize("before", [True, False])
def test_residual_stack_is_its_formula(key, before):
    params = init_residual_stack(key, inputs=3, width=4, depth=2, classes=2, dtype=jnp.dtype("float64"))
    inputs = np.random.default_rng(0).standard_normal((5, 3))

    def norm(x):
        return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)

    x = norm(inputs @ np.asarray(params.entry))
    for first, second, weight in zip(np.asarray(params.first), np.asarray(params.second), (1.0, 1.5), strict=True):
        x = weight * x + np.maximum((norm(x) if before else x) @ first, 0) @ second
        x = x if before else norm(x)
    found = jax.jit(residual_logits)(params, jnp.asarray(inputs), jnp.array([1.0, 1.5]), jnp.asarray(before))
    assert np.allclose(found, norm(x) @ np.asarray(params.readout))
    with pytest.raises(ValueError, match="depth must be at least 1"):
        init_residual_stack(key, inputs=3, width=4, depth=0, classes=2, dtype=jnp.dtype("float64"))
