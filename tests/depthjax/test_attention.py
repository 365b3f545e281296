"""Masks and heads against their definitions, on rows that see nothing, ties, and scores that are not numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.attention import MASKS, average, hard, softmax, visible

SEES = {
    "full": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "strict": lambda i, j: j < i,
    "window": lambda i, j: i - 1 <= j <= i,
}


@pytest.mark.parametrize("mask", MASKS)
def test_masks_follow_their_definition_from_any_offset(mask):
    found = np.asarray(visible(jnp.arange(2, 6), jnp.arange(5), mask))
    assert found.tolist() == [[SEES[mask](i, j) for j in range(5)] for i in range(2, 6)]
    assert np.array_equal(visible(jnp.asarray(3), jnp.arange(5), mask), found[1])


def test_softmax_is_that_of_the_visible_scores():
    scores = jax.random.normal(jax.random.key(0), (3, 6, 6)) * 30
    seen = visible(jnp.arange(6), jnp.arange(6), "strict")
    found = np.asarray(softmax(scores, seen))
    expected = np.asarray(jax.nn.softmax(jnp.where(seen[None], scores, -jnp.inf), axis=-1))
    np.testing.assert_array_equal(found[:, 1:], expected[:, 1:])
    assert (found[:, 0] == 0).all()
    np.testing.assert_array_equal(softmax(scores), jax.nn.softmax(scores, axis=-1))


def test_a_row_that_sees_nothing_has_gradient_zero():
    seen = visible(jnp.arange(4), jnp.arange(4), "strict")
    slope = jax.grad(lambda scores: (softmax(scores, seen) ** 2).sum())(jnp.ones((4, 4)))
    assert jnp.isfinite(slope).all() and (slope[0] == 0).all()


def test_hidden_scores_may_be_anything_and_visible_ones_spoil_their_row_alone():
    scores = jnp.zeros((2, 3)).at[0, 2].set(jnp.nan).at[1, 1].set(jnp.nan)
    found = np.asarray(softmax(scores, jnp.array([[True, True, False]] * 2)))
    assert found[0].tolist() == [0.5, 0.5, 0] and np.isnan(found[1]).all()


def test_ties_of_hard_heads_go_to_the_left_or_are_shared():
    scores, seen = jnp.array([[1.0, 3.0, 3.0, 5.0]]), jnp.array([[True, True, True, False]])
    assert hard(scores, seen).tolist() == [[0, 0.5, 0.5, 0]]
    assert hard(scores, seen, first=True).tolist() == [[0, 1, 0, 0]]
    assert average(seen, jnp.float32).tolist() == [[np.float32(1 / 3)] * 3 + [0]]
    nothing = jnp.zeros((1, 4), bool)
    assert not any(
        np.asarray(head).any() for head in (hard(scores, nothing), average(nothing, float), softmax(scores, nothing))
    )
