"""The layer of explicit transformers against its formula, and heads in linear time against the same heads with queries."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.attention import hard, softmax
from depthjax.constructions.directions.layer import Heads, Layer, Units, attended, retrieve, run, step, weights
from depthjax.constructions.directions.stream import Stream

ROWS, WIDTH = 7, 5


def drawn(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape)


def seen(mask, row, column):
    return {"full": True, "causal": column <= row, "strict": column < row or row == column == 0}[mask]


@pytest.mark.parametrize("mask", ["full", "causal", "strict"])
@pytest.mark.parametrize("normed", [None, jnp.array([1.0, 1.0, 0.0, 1.0, 0.0])])
def test_a_layer_is_its_formula(mask, normed):
    heads = Heads(*(drawn(i, 2, *shape) for i, shape in enumerate([(WIDTH, 3), (WIDTH, 3), (WIDTH, 2), (2, WIDTH)])))
    heads = dataclasses.replace(heads, kept=jnp.arange(5.0) % 2, normed=normed)
    units = Units(drawn(4, WIDTH, 6), drawn(5, 6, WIDTH), kept=jnp.array([1.0, 0.0, 1.0, 1.0, 1.0]), normed=normed)
    x = np.asarray(drawn(6, ROWS, WIDTH))

    def norm(stream):
        read = stream * (1 if normed is None else np.asarray(normed))
        return read if normed is None else read / np.linalg.norm(read, axis=1, keepdims=True)

    z, expected = norm(x), x * np.asarray(heads.kept)
    for query, key, value, output in zip(*map(np.asarray, (heads.query, heads.key, heads.value, heads.output)), strict=True):
        for i in range(ROWS):
            exponentials = [np.exp((z[i] @ query) @ (z[j] @ key)) if seen(mask, i, j) else 0.0 for j in range(ROWS)]
            expected[i] += (np.array(exponentials) / sum(exponentials)) @ (z @ value) @ output
    found = np.maximum(norm(expected) @ np.asarray(units.gather), 0)
    expected = expected * np.asarray(units.kept) + found @ np.asarray(units.write)
    np.testing.assert_allclose(run(Layer(heads, units), jnp.asarray(x), mask, jax.nn.relu), expected, atol=1e-12)


@pytest.mark.parametrize("mask", ["causal", "strict"])
@pytest.mark.parametrize("attention", [softmax, hard])
@pytest.mark.parametrize("key", [True, False])
def test_heads_without_queries_are_those_whose_query_is_one(mask, attention, key):
    stream = jnp.round(3 * drawn(0, ROWS, WIDTH)).at[:, 0].set(1)  # few values, so that scores tie
    one = jnp.zeros((2, WIDTH, 1)).at[:, 0].set(1)
    keys = jnp.round(drawn(1, 2, WIDTH, 1)) if key else jnp.zeros((2, WIDTH, 1))
    value, output = drawn(2, 2, WIDTH, 3), drawn(3, 2, 3, WIDTH)
    dense, running = Heads(one, keys, value, output), Heads(None, keys if key else None, value, output)
    found, expected = (retrieve(heads, stream, mask, attention) for heads in (running, dense))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    shares = np.asarray(weights(running, stream, mask, attention))
    np.testing.assert_allclose(shares, weights(dense, stream, mask, attention), atol=1e-12)
    np.testing.assert_allclose(shares @ (np.asarray(stream) @ np.asarray(value)), expected, atol=1e-12)


def test_long_words_are_read_in_stretches():
    heads = Heads(*(drawn(i, *shape) for i, shape in enumerate([(WIDTH, 3), (WIDTH, 3), (WIDTH, 2), (2, WIDTH)])))
    stream = drawn(4, 300, WIDTH)
    for mask in ("full", "causal", "strict"):
        whole = weights(heads, stream, mask) @ (stream @ heads.value)
        np.testing.assert_allclose(retrieve(heads, stream, mask), whole, atol=1e-12)


def test_units_without_a_write_set_the_direction_of_their_number():
    stream = Stream({"one": 1, "sum": 2})
    units = Units(jnp.asarray(stream.columns({"one": -1}, {("sum", 0): 1, "one": -2}, {})), None, stream.marks(["one"]))
    layer = Layer(stream.heads(None, [{}], {("sum", 0): {("sum", 1): 0}}), units)
    rows = jnp.array([[1.0, 2.0, 5.0], [1.0, 1.0, 5.0]])
    assert run(layer, rows, "causal", step).tolist() == [[1, 1, 1], [1, 0, 1]]


def test_directions_are_read_written_and_cleared_by_name():
    stream = Stream({"one": 1, "letter": 2, "read": 2})
    assert stream.columns({"letter": 1, ("read", 1): -2}).ravel().tolist() == [0, 1, 1, 0, -2]
    heads = stream.heads([{"one": 1}], [{("letter", 0): 9}], {("read", i): {("letter", i): 1} for i in range(2)})
    rows = jnp.array([[1.0, 0, 1, 0, 0], [1.0, 1, 0, 0, 0]])
    after = attended(heads, rows, retrieve(heads, rows, "full", hard))
    assert after[:, stream.rows("read")].tolist() == [[1, 0], [1, 0]]
    units = stream.units([({("read", 0): 1}, {("letter", 1): 1})], ["letter", "read"])
    assert run(Layer(heads, units), rows, "full", jnp.round, hard).tolist() == [[1, 0, 1, 0, 0]] * 2


def test_a_head_without_a_query_sees_no_later_position():
    heads = Heads(None, None, jnp.ones((WIDTH, 1)), jnp.ones((1, WIDTH)))
    with pytest.raises(ValueError, match="mask must be 'causal' or 'strict', got 'full'"):
        retrieve(heads, jnp.ones((3, WIDTH)), "full")
