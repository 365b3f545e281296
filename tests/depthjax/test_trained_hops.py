"""Errors of trained hops, and attention patterns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.hops import hop_errors
from depthjax.models import sequence_model
from depthjax.tasks.hops import hop_batch
from experiments.attention.hop_training_depth.patterns import attention_patterns, likeness


def test_errors_by_k_count_answers_only(key):
    batch = hop_batch(key, 4, 64, 20, 3)
    right = jax.nn.one_hot(batch.labels, 5)
    assert hop_errors(right, batch, 4, 3).tolist() == [0, 0, 0]
    # wrong wherever the answer is "none", and at every second hop
    two = (jnp.arange(60)[None, :] % 3 == 1) | (batch.labels == 4)
    wrong = jax.nn.one_hot(jnp.where(two, (batch.labels + 1) % 5, batch.labels), 5)
    assert hop_errors(wrong, batch, 4, 3).tolist() == [0, 1, 0]


def test_patterns_are_the_weights_that_the_model_uses(key):
    model = sequence_model("transformer", letters=6, classes=5, width=16, max_depth=2, heads=2)
    params = jax.jit(model.init)(key)
    word = jnp.array([5, 0, 1, 2, 0, 3, 1])
    patterns = np.asarray(jax.jit(lambda params: attention_patterns(model, params, word))(params))
    assert patterns.shape == (2, 2, 7, 7)
    np.testing.assert_allclose(patterns.sum(axis=-1), 1, rtol=1e-5)
    assert (np.triu(patterns, 1) == 0).all()
    # layer 1 by hand: scores of the first two positions, turned by 0 and 1 (head size 8, four frequencies)
    params = jax.tree.map(np.asarray, params)
    embedded = params["embedding"][[5, 0]]
    normed = embedded / np.sqrt((embedded**2).mean(axis=1, keepdims=True) + 1e-5)
    query, other, _ = np.split(normed @ params["layers"]["mixer"]["projections"]["kernel"][0], 3, axis=1)
    for head in range(2):
        q, k = query[1, 8 * head : 8 * head + 8], other[:, 8 * head : 8 * head + 8]
        turn = np.exp(1j * 1e4 ** (-np.arange(4) / 4))
        pairs = (k[:, :4] + 1j * k[:, 4:]) * np.stack([np.ones(4), turn])
        scores = np.real(np.conj((q[:4] + 1j * q[4:]) * turn)[None, :] * pairs).sum(axis=1) / 8**0.5
        expected = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(patterns[0, head, 1, :2], expected, rtol=1e-4)
    with pytest.raises(ValueError, match="got 'rnn'"):
        attention_patterns(sequence_model("rnn", letters=6, classes=5, width=8, max_depth=1), {}, word)


def test_likeness_is_a_cosine():
    ideal = jnp.array([[0.0, 0.0], [1.0, 0.0]])
    heads = jnp.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]])
    np.testing.assert_allclose(likeness(heads, ideal), [1, 2**-0.5], rtol=1e-6)
