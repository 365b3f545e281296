"""Normed attention in more digits than double precision has: what rounding explains is more than what it does."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.collapse import Weights, layer_norm
from experiments.collapse.layer_norm_both_ways import normed_attention
from experiments.collapse.layer_norm_both_ways.normed_attention import residuals


def wide_residuals(query_key, value, tokens, scale):
    """The residual after every layer, in numpy's longest floats."""
    tokens, found = tokens.astype(np.longdouble), []
    for a, w in zip(query_key.astype(np.longdouble), value.astype(np.longdouble), strict=True):
        moved = 0 * tokens
        for head in range(len(a)):
            logits = scale * tokens @ a[head] @ tokens.T
            weights = np.exp(logits - logits.max(axis=1, keepdims=True))
            moved = moved + weights / weights.sum(axis=1, keepdims=True) @ tokens @ w[head]
        moved = moved - moved.mean(axis=1, keepdims=True)
        tokens = moved / np.sqrt((moved**2).mean(axis=1, keepdims=True))
        found.append(np.linalg.norm((tokens - tokens.mean(axis=0)).astype(float)))
    return np.array(found)


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no floats longer than double precision here")
@pytest.mark.parametrize(("seed", "heads", "tokens", "width"), [(0, 1, 4, 3), (1, 3, 7, 5), (2, 8, 16, 8), (3, 4, 5, 4)])
def test_rounding_of_a_normed_stack_is_below_what_explains_it(seed, heads, tokens, width):
    source = np.random.default_rng(seed)
    layers = Weights(*map(jnp.asarray, source.normal(size=(2, 5, heads, width, width))))
    start = layer_norm(jnp.asarray(source.normal(size=(tokens, width))))
    found, floor = residuals(layers, start, 0.5)
    exact = wide_residuals(np.asarray(layers.query_key), np.asarray(layers.value), np.asarray(start), np.longdouble(0.5))
    assert found.dtype == np.float64 and (np.abs(found - exact) <= floor + 1e-14).all()
    assert (floor < 1e-6).all()


def test_an_error_that_does_not_follow_derivatives_explains_everything(monkeypatch):
    source = np.random.default_rng(0)
    layers = Weights(*map(jnp.asarray, source.normal(size=(2, 5, 2, 4, 4))))
    monkeypatch.setattr(normed_attention, "SMALL", 1e-12)  # of single precision every error is larger
    assert np.isinf(residuals(layers, layer_norm(jnp.asarray(source.normal(size=(9, 4)))), 0.5)[1]).all()
