"""Horizons from rounded roots, against all states that words reach and against the errors of single products."""

from fractions import Fraction

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from experiments.lie.precision_horizon.phases import earliest_failure, rounding
from theory.lie.rounded_roots import _costs, nearest, reachable_states, root_horizon, rounded_roots

TYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}


def _roots(order, dtype):
    return np.array(rounded_roots(order, dtype), float).T.astype(TYPES[dtype])


def _products(states, order, dtype):
    """States (2, n) times all letters, in the arithmetic of the type itself: (2, n, order)."""
    (c, s), (x, y) = _roots(order, dtype), states[:, :, None]
    return np.stack([x * c - y * s, x * s + y * c])


def _ahead(states, counts, order):
    angle = np.arctan2(*states[::-1].astype(float)) - 2 * np.pi * counts / order
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))


def _walk(order, dtype, most):
    """Yield, for each step, what new states are ahead of their roots, until one is misread or nothing is new."""
    states, counts, seen = np.array([[1], [0]], TYPES[dtype]), np.zeros(1, int), np.zeros(0, np.uint32)
    for _ in range(most):
        new = _products(states, order, dtype)
        counts = ((counts[:, None] + np.arange(order)) % order).ravel()
        new = new.reshape(2, -1) + TYPES[dtype](0)  # no negative zeros
        codes = new.view(np.uint16).astype(np.uint32)
        codes, at = np.unique(codes[0] << 16 | codes[1], return_index=True)
        at = at[~np.isin(codes, seen, assume_unique=True)]
        seen = np.union1d(seen, codes)
        if not at.size:
            return
        states, counts = new[:, at], counts[at]
        yield np.abs(_ahead(states, counts, order)).max()


@pytest.mark.parametrize("order", [24, 33])
def test_lifetime_in_bfloat16_lies_between_the_guarantee_and_four_times_it(order):
    """All states are listed, so the step is the lifetime itself; the search finds it."""
    ahead = list(_next_misread(order, "bfloat16"))
    assert root_horizon(order, "bfloat16").at() <= len(ahead) <= 4 * root_horizon(order, "bfloat16").at()
    assert int(earliest_failure(order, jnp.dtype("bfloat16"), 100, 128)) == len(ahead)


def _next_misread(order, dtype):
    for ahead in _walk(order, dtype, 100):
        yield ahead
        if ahead > np.pi / order:
            return


def test_no_short_word_is_ahead_by_more_than_the_costs_of_its_letters():
    """Order 5 in bfloat16: every state within 12 letters, and every letter on it."""
    order, dtype = 5, "bfloat16"
    states, counts = np.array([[1], [0]], TYPES[dtype]), np.zeros(1, int)
    band = 0.0, 0.25
    costs = _costs(order, dtype, (-band[1], band[1]), 0.35)
    for _ in range(12):
        before = _ahead(states, counts, order)
        assert np.abs(before).max() < band[1]
        new, after = _products(states, order, dtype), (counts[:, None] + np.arange(order)) % order
        ahead = _ahead(new, after, order) - before[:, None]
        assert (ahead <= costs[counts]).all()
        flat = new.reshape(2, -1)
        _, at = np.unique(flat.astype(float), axis=1, return_index=True)
        states, counts = flat[:, at], after.ravel()[at]
    assert states.shape[1] > 500


@pytest.mark.parametrize(("order", "dtype", "states"), [(5, "float16", 5), (12, "bfloat16", 108), (8, "float16", 8)])
def test_closed_sets_of_states(order, dtype, states):
    ends = list(_walk(order, dtype, 200))
    assert len(ends) < 200 and max(ends) < np.pi / order
    assert reachable_states(order, dtype) == states
    assert int(earliest_failure(order, jnp.dtype(dtype), 300, 8)) == 301


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_nearest_and_roots_are_those_of_the_type(dtype):
    values = np.random.default_rng(0).standard_normal(200) * 2.0 ** -np.arange(200).clip(0, 30)
    near = np.asarray(rounding(jnp.dtype(dtype))(jnp.asarray(values)))
    assert [float(nearest(Fraction(x), dtype)) for x in values] == near.tolist()
    order = 60
    turns = 2 * jnp.pi * (jnp.arange(order, dtype=float) / order)
    exact = jnp.round(jnp.stack([jnp.cos(turns), jnp.sin(turns)]) * 2.0**50) / 2**50
    stored = np.asarray(rounding(jnp.dtype(dtype))(exact))
    assert np.array(rounded_roots(order, dtype), float).T.tolist() == stored.tolist()


def test_refusals():
    assert reachable_states(24, "bfloat16", most=50) is None
    with pytest.raises(ValueError, match="dtype"):
        root_horizon(5, "float64")
    with pytest.raises(ValueError, match="order"):
        root_horizon(0, "float16")
    with pytest.raises(ValueError):
        root_horizon(400, "bfloat16").at()
