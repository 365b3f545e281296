"""The flow against its own definitions: shares and losses that belong together, jumps and plateaus."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.linear import affine_loss, losses_by_letters
from depthjax.models.polynomial import TwoLayer, two_layer
from depthjax.tasks.composition import isotypic_part
from depthjax.training.flow import Trajectory, gradient_flow, jump_times, plateaus
from tests import groups_by_hand


def test_parts_add_up_to_the_encoding():
    table, irreps = groups_by_hand.CASES["D3xC3"]()
    x = np.random.default_rng(1).normal(size=len(table))
    kept = []
    for kind, matrices in irreps:
        part = isotypic_part(x, kind, matrices)
        if not any(np.abs(part - other).max() < 1e-9 for other in kept):
            kept.append(part)
    assert np.abs(sum(kept) - x).max() < 1e-12


def test_a_sum_of_codes_is_affine_and_a_product_is_not():
    table, _ = groups_by_hand.cyclic(5)
    x = np.random.default_rng(3).normal(size=5)
    vectors = (x - x.mean())[table]
    words = np.array(list(itertools.product(range(5), repeat=2)))
    inputs = jnp.asarray(vectors[words].reshape(25, 10))
    assert affine_loss(inputs, jnp.asarray(vectors[words].sum(axis=1))) < 1e-12
    left = affine_loss(inputs, jnp.asarray(vectors[table[words[:, 0], words[:, 1]]]))
    targets = jnp.pad(jnp.asarray(vectors[table[words[:, 0], words[:, 1]]]), ((0, 7), (0, 0)))
    assert abs(affine_loss(jnp.pad(inputs, ((0, 7), (0, 3))), targets, 25) - left) < 1e-12
    assert abs(left - 0.5 * ((x - x.mean()) ** 2).sum()) < 1e-12


def test_the_flow_falls_and_its_shares_belong_to_its_loss():
    table, irreps = groups_by_hand.triangle()
    x = np.random.default_rng(4).normal(size=6)
    x = (x - x.mean()) / np.linalg.norm(x - x.mean())
    parts = np.stack([isotypic_part(x, *irrep) for irrep in irreps[1:]])[:, table]
    run = gradient_flow(
        jax.random.key(1),
        jnp.asarray(parts),
        jnp.asarray(table),
        length=2,
        width=12,
        log_scale=6.0,
        horizon=10.0,
        seeds=2,
        records=20,
    )
    assert run.losses.shape == (2, 20) and run.shares.shape == (2, 20, 2)
    assert bool((jnp.diff(run.losses, axis=1) < 1e-9).all())
    # the loss is at least what the shares leave: |1 - share|^2 of every part
    left = 0.5 * (((1 - np.asarray(run.shares)) ** 2) * (parts[:, 0] ** 2).sum(axis=1)).sum(axis=2)
    assert (np.asarray(run.losses) > left - 1e-12).all()


def test_jumps_and_plateaus_of_a_drawn_staircase():
    times = jnp.arange(100.0)
    shares = jnp.stack([jax.nn.sigmoid(times - 20.5), jax.nn.sigmoid(times - 60.25)], axis=1)
    losses = 3.0 - shares @ jnp.array([1.0, 2.0])
    found = jump_times(Trajectory(times, losses[None], shares[None]))
    assert np.abs(np.asarray(found)[0] - [20.5, 60.25]).max() < 0.05
    levels, falls = plateaus(losses, shares)
    assert np.abs(np.asarray(levels) - [3, 2, 0]).max() < 1e-6 and float(falls.max()) < 1e-3


def test_a_code_for_every_position_is_asked_for():
    weights = TwoLayer(jnp.ones((2, 4, 3)), jnp.ones((4, 3)))
    with pytest.raises(ValueError, match="positions"):
        two_layer(weights, jnp.eye(4), jnp.zeros((1, 3), int))


def test_losses_by_letters_are_those_of_least_squares_on_indicators():
    """The best functions of one letter, and of two, by regression on the indicators of letters and of pairs of letters."""
    target = np.random.default_rng(5).normal(size=(3, 3, 3, 2))
    words = np.indices((3, 3, 3)).reshape(3, -1).T
    flat, letters = target.reshape(-1, 2), np.eye(3)[words]
    singles = letters.reshape(len(words), -1)
    pairs = [np.einsum("wa,wb->wab", letters[:, i], letters[:, j]).reshape(len(words), -1) for i, j in ((0, 1), (0, 2), (1, 2))]
    found = losses_by_letters(target)
    assert abs(found[0] - 0.5 * flat.var(axis=0).sum()) < 1e-12
    for count, features in ((1, singles), (2, np.concatenate(pairs, axis=1))):
        residual = flat - features @ np.linalg.lstsq(features, flat, rcond=None)[0]
        assert abs(found[count] - 0.5 * (residual**2).sum() / len(words)) < 1e-12
    assert abs(found[3]) < 1e-12
