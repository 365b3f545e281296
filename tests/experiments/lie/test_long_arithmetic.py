"""Functions of JAX in mpmath's numbers: against float64, and against sums of whole numbers."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from depthjax.models.kinds import sequence_model
from experiments.lie.law_words_separate_classes.long_arithmetic import exactly, in_long_arithmetic
from experiments.lie.law_words_separate_classes.measure import SWITCHES
from experiments.lie.law_words_separate_classes.signed_stack import _drawn, _layer, _long_run, signed_run
from theory import lie


def numbers(array) -> np.ndarray:
    """Objects as floats."""
    return np.array([complex(x) if isinstance(x, mpmath.mpc) else float(x) for x in array.ravel()]).reshape(array.shape)


FUNCTIONS = {
    "products": lambda x, y: jnp.einsum("bij,bkj->bik", x, y),
    "norms": lambda x, y: x * jax.lax.rsqrt((y**2).mean(axis=-1, keepdims=True) + 1e-6),
    "gates": lambda x, y: jax.nn.softplus(x) * jax.nn.sigmoid(y) - jnp.tanh(x),
    "parts": lambda x, y: jnp.concatenate([x[:, 1:], y[:, :1]], axis=1).swapaxes(1, 2),
    "choices": lambda x, y: jnp.where(x != y, jnp.maximum(x, y), jnp.abs(x)),
    "turns": lambda x, y: (jax.lax.complex(jnp.cos(x), jnp.sin(y)) * jax.lax.complex(x, y)).imag,
    "ones": lambda x, y: x + jnp.eye(3)[None] - y.reshape(2, 3, 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_with_few_digits_it_is_the_function_in_float64(name):
    x, y = np.random.default_rng(3).normal(size=(2, 2, 3, 3))
    with mpmath.workdps(40):
        found = numbers(in_long_arithmetic(FUNCTIONS[name], x, y)(exactly(x), exactly(y)))
    np.testing.assert_allclose(found, FUNCTIONS[name](x, y), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("kind", [kind for kind in SWITCHES if kind != "sums"])  # which is no model
def test_a_layer_of_every_kind_is_that_in_float64(kind):
    model = sequence_model(kind, letters=2, classes=2, width=2, max_depth=2, dtype="float64", **SWITCHES[kind])
    weights = jax.tree.map(lambda part: part[0], jax.jit(model.init)(jax.random.key(4))["layers"])
    size = model.initial(1, 1)[1][1][0].size * (2 if kind == "aussm" else 1)
    state, x = jax.random.normal(jax.random.key(5), (size,)), jnp.array([[0.3, -1.1]])
    with mpmath.workdps(40):
        found = in_long_arithmetic(_layer(model), weights, state, x)(weights, state, x)
    for mine, theirs in zip(found, jax.jit(_layer(model))(weights, state, x), strict=True):
        np.testing.assert_allclose(numbers(mine), theirs, rtol=1e-12, atol=1e-13)


def test_digits_are_those_of_the_call():
    """1 + 2^-400 - 1 is 2^-400 with 130 digits and 0 with 100."""
    function = in_long_arithmetic(lambda x: (x[0] + x[1]) - x[0], np.ones(2))
    given = np.array([mpmath.mpf(1), mpmath.mpf(2) ** -400], dtype=object)
    with mpmath.workdps(130):
        assert function(given) == mpmath.mpf(2) ** -400
    with mpmath.workdps(100):
        assert function(given) == 0


def test_a_primitive_without_a_rule_is_named():
    with pytest.raises(NotImplementedError, match="'sort'"):
        in_long_arithmetic(jnp.sort, np.ones(3))(exactly(np.ones(3)))


def law(c: int, length: int) -> np.ndarray:
    """The law of class c in signed letters, silent to the end."""
    indices = [letter + 2 * (sign < 0) for letter, sign in lie.solvable_law(2, c)]
    return np.array(indices + [4] * (length - len(indices)))


@pytest.mark.parametrize("kind", ["gla", "mamba"])
def test_laws_return_or_move_every_draw(kind):
    """With one layer the law of class 2 returns all draws, and that of class 1 moves them, however small decays are."""
    model = sequence_model(kind, letters=2, classes=2, width=2, max_depth=2, dtype="float64", **SWITCHES[kind])
    words = np.stack([law(1, 16), law(2, 16)])
    run = signed_run(model, jax.random.key(1000), words, 24, told=1)
    moved = run.change.max(axis=3) > run.floor
    assert moved[:, 0, 0].all() and not moved[:, 1, 0].any()
    assert run.long.any() == (kind == "mamba")
    assert (run.floor[:, :, 0] < 1e-6).all()


def test_longer_arithmetic_agrees_with_float64_where_its_floor_holds():
    model = sequence_model("signed_mamba", letters=2, classes=2, width=2, max_depth=1, dtype="float64", **SWITCHES["mamba"])
    words = np.stack([law(1, 16), law(2, 16)])
    short = signed_run(model, jax.random.key(1001), words, 6)
    assert not short.long.any()
    params, start, _ = jax.tree.map(np.asarray, _drawn(model, jax.random.key(1001), words.shape[1], 6))
    change, _ = _long_run(model, params, start, words[0])
    assert (abs(change - short.change[:, 0]) <= short.floor[:, 0, :, None]).all()
