import itertools
from fractions import Fraction
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import theory.lie
from depthjax import log_signature
from depthjax.lie.brackets import bracket_matrices
from depthjax.lie.lyndon import lyndon_basis, words_from_brackets
from depthjax.testing import traced_at_most
from tests import twins

SHAPES = [((2, 6, 2), 5), ((20, 3, 3), 3), ((3, 22, 2), 3), ((1, 2), 4), ((2, 1, 5, 4), 2)]
HALVED = [((20, 16, 2), 4), ((17, 33, 3), 3), ((4, 66, 2), 3)]  # halves that run side by side: even, odd, of pieces


def path(shape, seed, scale=0.5):
    return scale * np.random.default_rng(seed).normal(size=shape)


def exact_log_signature(increments, order):
    """Fractions through and through: the logarithm of the product of exponentials, in words, then brackets."""
    channels = increments.shape[-1]
    product = {(): Fraction(1)}
    for step in increments:
        x = {(i,): Fraction(float(c)) for i, c in enumerate(step)}
        product = twins.multiply(product, twins.exponential(x, order), order)
    terms = twins.lyndon_terms(twins.logarithm(product, order))
    return [float(terms.get(word, 0)) for word in lyndon_basis(channels, order).words]


@pytest.mark.parametrize(("length", "channels", "order"), [(3, 2, 5), (4, 3, 3), (1, 2, 4), (5, 1, 3), (3, 3, 1), (4, 2, 2)])
def test_agrees_with_exact_arithmetic(length, channels, order):
    increments = path((length, channels), 0)
    np.testing.assert_allclose(
        log_signature(jnp.asarray(increments), order), exact_log_signature(increments, order), atol=1e-14
    )


def test_two_steps_are_the_bch_series():
    terms = theory.lie.bch(7).terms
    x, y = 0.7, -1.3
    expected = [float(terms.get(w, 0)) * x ** w.count(0) * y ** w.count(1) for w in lyndon_basis(2, 7).words]
    np.testing.assert_allclose(log_signature(jnp.array([[x, 0.0], [0.0, y]]), 7), expected, rtol=1e-10, atol=1e-15)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_nilpotent_matrices_see_the_logarithm_of_the_product(seed):
    generators = np.triu(np.random.default_rng(seed).normal(size=(3, 5, 5)), 1)
    increments = path((6, 3), seed)
    product = np.eye(5)
    for step in increments:
        product = product @ scipy.linalg.expm(np.tensordot(step, generators, 1))
    element = np.tensordot(
        log_signature(jnp.asarray(increments), 4), jax.jit(bracket_matrices, static_argnums=1)(jnp.asarray(generators), 4), 1
    )
    np.testing.assert_allclose(scipy.linalg.expm(element), product, atol=1e-11 * np.abs(product).max())


@pytest.mark.parametrize("pieces", [1, 3])
def test_steps_along_one_line_add_up(pieces):
    direction = jnp.array([0.3, -0.5, 0.2])
    steps = jnp.tile(direction, (4 * pieces, 1))
    expected = np.zeros(lyndon_basis(3, 4).dimension)
    expected[:3] = 4 * pieces * direction
    np.testing.assert_allclose(log_signature(steps, 4), expected, atol=1e-12)


@settings(max_examples=8)
@given(st.sampled_from(SHAPES[:3]), st.integers(0, 2**32 - 1))
def test_the_path_backwards_has_the_opposite_logarithm(shape_and_order, seed):
    shape, order = shape_and_order
    increments = jnp.asarray(path(shape, seed))
    back = log_signature(-increments[..., ::-1, :], order)
    np.testing.assert_allclose(back, -log_signature(increments, order), atol=1e-11)


@pytest.mark.parametrize(("shape", "order"), SHAPES + HALVED)
def test_stream_holds_every_prefix(shape, order):
    increments = jnp.asarray(path(shape, 1))
    every = log_signature(increments, order, stream=True)
    assert every.shape == (*shape[:-1], lyndon_basis(shape[-1], order).dimension)
    for length in {1, max(1, shape[-2] // 2), shape[-2]}:
        expected = log_signature(increments[..., :length, :], order)
        np.testing.assert_allclose(every[..., length - 1, :], expected, atol=1e-11)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("shape", "order"), [*SHAPES, *HALVED, ((3, 2), 1), ((4, 1), 3)])
def test_gradient_is_the_limit_of_differences(shape, order, stream, key):
    increments, keys = jnp.asarray(path(shape, 2)), jax.random.split(key)
    run = partial(log_signature, order=order, stream=stream)
    weights = jax.random.normal(keys[0], jax.eval_shape(run, increments).shape)
    both = jax.jit(jax.value_and_grad(lambda x: jnp.sum(weights * jnp.sin(run(x)))))
    direction, step = jax.random.normal(keys[1], shape), 1e-5
    slope = (both(increments + step * direction)[0] - both(increments - step * direction)[0]) / (2 * step)
    np.testing.assert_allclose(jnp.sum(both(increments)[1] * direction), slope, rtol=1e-6, atol=1e-6)


def test_hessian_is_symmetric():
    increments = jnp.asarray(path((4, 2), 3))
    hessian = jax.jit(jax.jacrev(jax.grad(lambda x: jnp.sum(log_signature(x, 4) ** 2))))(increments).reshape(8, 8)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-13)


def test_vmap_and_dtype_follow_the_input():
    increments = jnp.asarray(path((5, 6, 2), 4))
    mapped = jax.jit(jax.vmap(lambda x: log_signature(x, 4)))(increments)
    np.testing.assert_allclose(mapped, log_signature(increments, 4), atol=1e-14)
    for stream in (False, True):
        both = jax.jit(jax.value_and_grad(lambda x, stream=stream: log_signature(x, 4, stream=stream).sum()))
        value, gradient = both(increments.astype(jnp.float32))
        assert value.dtype == gradient.dtype == jnp.float32
        np.testing.assert_allclose(gradient, both(increments)[1], rtol=1e-3, atol=1e-4)


def test_nan_spreads_to_the_gradient():
    increments = jnp.asarray(path((4, 2), 5)).at[1, 0].set(jnp.nan)
    assert jnp.isnan(jax.grad(lambda x: log_signature(x, 3).sum())(increments)).all()


def test_one_compilation_for_every_path_of_a_shape():
    run = traced_at_most(1, lambda x: log_signature(x, 3))
    for seed in range(3):
        run(jnp.asarray(path((3, 5, 2), seed)))


@pytest.mark.needs("iisignature")
@pytest.mark.parametrize(("channels", "order"), [(2, 6), (3, 4), (4, 3)])
def test_agrees_with_iisignature_on_brackets(channels, order):
    import iisignature

    increments = np.random.default_rng(channels).standard_normal((9, channels))
    points = np.concatenate([np.zeros((1, channels)), np.cumsum(increments, axis=0)])
    theirs = iisignature.logsig(points, iisignature.prepare(channels, order))
    assert np.allclose(log_signature(jnp.asarray(increments), order), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.needs("signax")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("shape", "order"), [((4, 20, 3), 4), ((1, 100, 2), 6)])
def test_agrees_with_signax_on_lyndon_words(shape, order):
    import signax

    increments = jnp.asarray(path(shape, 6, 0.2))
    points = jnp.concatenate([jnp.zeros((shape[0], 1, shape[2])), jnp.cumsum(increments, axis=1)], axis=1)
    ours, basis = np.asarray(log_signature(increments, order)), lyndon_basis(shape[2], order)
    words = [ours[:, basis.block(m)] @ words_from_brackets(shape[2], m).T for m in range(1, order + 1)]
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        theirs = signax.logsignature(points, order)
    np.testing.assert_allclose(np.concatenate(words, axis=1), theirs, atol=1e-11)


@pytest.mark.parametrize(
    ("increments", "order", "error", "words"),
    [
        (jnp.zeros((4, 2)), 0, ValueError, "order must be at least 1"),
        (jnp.zeros((4, 2)), -3, ValueError, "order must be at least 1"),
        (jnp.zeros((0, 2)), 3, ValueError, "length of the increments must be at least 1"),
        (jnp.zeros((4, 0)), 3, ValueError, "channels of the increments must be at least 1"),
        (None, 3, ValueError, "one of the two"),
    ],
)
def test_bad_input_is_refused(increments, order, error, words):
    with pytest.raises(error, match=words):
        log_signature(increments, order)


@pytest.mark.parametrize("stream", [False, True])
def test_forward_mode_where_it_is_asked_for(stream):
    x, dx = (jnp.asarray(path((9, 2), seed)) for seed in (0, 1))
    out, tangent = jax.jvp(lambda y: log_signature(y, 4, stream=stream, forward=True), (x,), (dx,))
    reverse, pull = jax.vjp(lambda y: log_signature(y, 4, stream=stream), x)
    cotangent = jnp.asarray(path(out.shape, 2))
    np.testing.assert_array_equal(out, reverse)
    np.testing.assert_allclose(jnp.vdot(cotangent, tangent), jnp.vdot(pull(cotangent)[0], dx), rtol=1e-11)
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda y: log_signature(y, 4, stream=stream), (x,), (dx,))


def test_points_and_steps_of_a_path_agree():
    points = jnp.asarray(path((2, 7, 3), 4))
    for stream in (False, True):
        expected = log_signature(jnp.diff(points, axis=1), 4, stream=stream)
        np.testing.assert_array_equal(log_signature(path=points, order=4, stream=stream), expected)
    with pytest.raises(ValueError, match="one of the two"):
        log_signature(points, 4, path=points)
    with pytest.raises(ValueError, match="length of the increments"):
        log_signature(path=points[:, :1], order=4)
    with pytest.raises(ValueError, match="expected one of 'lyndon', 'words', 'brackets'"):
        log_signature(points, 4, basis="hall")


@pytest.mark.parametrize(("channels", "order"), [(2, 5), (3, 3), (1, 4), (2, 1)])
def test_every_basis_gives_the_same_element_of_the_tensor_algebra(channels, order):
    increments = path((4, channels), channels)
    product = {(): Fraction(1)}
    for step in increments:
        product = twins.multiply(
            product, twins.exponential({(i,): Fraction(float(c)) for i, c in enumerate(step)}, order), order
        )
    words = twins.logarithm(product, order)
    steps = jnp.asarray(increments)
    expected = [float(words.get(word, 0)) for word in lyndon_basis(channels, order).words]
    np.testing.assert_allclose(log_signature(steps, order, basis="words"), expected, atol=1e-13)

    found, total = np.asarray(log_signature(steps, order, basis="brackets")), {}
    every = [word for degree in range(1, order + 1) for word in itertools.product(range(channels), repeat=degree)]
    assert len(found) == len(every)
    for word, coefficient in zip(every, found, strict=True):
        bracket = {(word[-1],): 1}
        for letter in reversed(word[:-1]):
            left = {(letter, *w): c for w, c in bracket.items()}
            bracket = left | {(*w, letter): left.get((*w, letter), 0) - c for w, c in bracket.items()}
        for w, c in bracket.items():
            total[w] = total.get(w, 0) + coefficient * c
    np.testing.assert_allclose([total[w] for w in every], [float(words.get(w, 0)) for w in every], atol=1e-13)
