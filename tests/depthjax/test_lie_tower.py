from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import theory.lie
from depthjax import log_signature
from depthjax.constructions.towers.lie import derived_lowest_degrees, lie_tower
from depthjax.lie.brackets import Span, bracket_matrices
from depthjax.lie.lyndon import lyndon_basis
from depthjax.lie.products import exponential_product, word_excess
from depthjax.lie.series import bernoulli, defect_series
from depthjax.lie.steps import deeper_increment, first_increment
from depthjax.testing import traced_at_most
from depthjax.verify.orders import local_slopes
from tests import twins

SEEDS = st.integers(0, 2**32 - 1)
SO3 = np.array(
    [[[0, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 0]]], float
)
SL2 = np.array([[[1, 0], [0, -1]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]], float)


brackets_of = jax.jit(bracket_matrices, static_argnums=1)
products = jax.jit(exponential_product)


def product_of_exponentials(increments, generators):
    result = np.eye(generators.shape[-1])
    for step in increments:
        result = result @ scipy.linalg.expm(np.tensordot(step, generators, 1))
    return result


def test_defect_series_is_exact():
    x, y = {(0,): Fraction(1)}, {(1,): Fraction(1)}
    minus = {(0,): Fraction(-1), (1,): Fraction(-1)}
    factors = [twins.exponential(z, 6) for z in (x, y, minus)]
    terms = twins.lyndon_terms(twins.logarithm(twins.multiply(twins.multiply(*factors[:2], 6), factors[2], 6), 6))
    words = lyndon_basis(2, 6).words
    for weight in range(2, 7):
        expected = [terms.get(word, 0) for word in words if len(word) == weight]
        assert list(defect_series(weight)) == expected


def test_bernoulli_numbers():
    known = [Fraction(1), Fraction(-1, 2), Fraction(1, 6), 0, Fraction(-1, 30), 0, Fraction(1, 42)]
    assert [bernoulli(n) for n in range(7)] == known


@settings(max_examples=10)
@given(st.sampled_from([2, 3]), SEEDS)
def test_first_increment_is_the_defect_of_nilpotent_matrices(letters, seed):
    rng = np.random.default_rng(seed)
    generators = np.triu(rng.normal(size=(letters, 7, 7)), 1)
    u, x = rng.normal(size=(2, letters, 1))
    defect = jax.jit(first_increment, static_argnums=2)(jnp.asarray(u), jnp.asarray(x), 6)[:, 0]
    found = np.tensordot(defect, brackets_of(jnp.asarray(generators), 6)[letters:], 1)
    a, b = (np.tensordot(v[:, 0], generators, 1) for v in (u, x))
    expected = scipy.linalg.expm(a) @ scipy.linalg.expm(b) @ scipy.linalg.expm(-a - b)
    np.testing.assert_allclose(scipy.linalg.expm(found), expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("letters", "lowest", "klass", "out"), [(2, 1, 6, 2), (3, 1, 4, 2), (2, 2, 9, 5), (3, 2, 6, 4)])
def test_deeper_increment_is_the_defect_in_the_tensor_algebra(letters, lowest, klass, out, key):
    # faithful enough: random matrices graded by a nilpotent shift, so that degrees beyond the class vanish
    size = klass + 1
    generators = jnp.asarray(np.triu(np.random.default_rng(0).normal(size=(letters, size, size)), 1))
    span = Span(lowest, klass)
    a, b = jax.random.normal(key, (2, span.dimension(letters), 1)) * 0.3
    found = jax.jit(deeper_increment, static_argnames=("span", "out", "letters"))(a, b, span, Span(out, klass), letters=letters)
    brackets = np.asarray(brackets_of(generators, klass))
    a, b = (np.tensordot(v[:, 0], brackets[span.rows(letters)], 1) for v in (a, b))
    expected = scipy.linalg.expm(a) @ scipy.linalg.expm(b) @ scipy.linalg.expm(-a - b)
    element = np.tensordot(found[:, 0], brackets[Span(out, klass).rows(letters)], 1)
    np.testing.assert_allclose(scipy.linalg.expm(element), expected, atol=1e-11 * np.abs(expected).max())


@cache
def of_words(sizes):
    tower = lie_tower(*sizes)
    return jax.jit(lambda increments, matrices: tower.evaluate(tower.apply(increments), matrices, jnp.ones(1))[0])


@settings(max_examples=8)
@given(st.sampled_from([(2, 1, 1), (2, 2, 3), (3, 2, 3), (2, 3, 6)]), SEEDS)
def test_tower_is_exact_on_nilpotent_matrices(sizes, seed):
    letters, _, klass = sizes
    generators = np.triu(np.random.default_rng(seed).normal(size=(letters, klass + 1, klass + 1)), 1)
    increments = np.random.default_rng(seed + 1).normal(size=(2, 5, letters)) * 0.5
    found = of_words(sizes)(increments, generators)
    for one, steps in zip(found, increments, strict=True):
        expected = product_of_exponentials(steps, generators)
        np.testing.assert_allclose(one, expected, atol=1e-12 * np.abs(expected).max())


def test_full_tower_and_log_signature_are_one_group_element(key):
    increments = jax.random.normal(key, (3, 6, 2)) * 0.4
    tower, matrices = lie_tower(2, 3, 7), jnp.asarray(SL2[1:])
    one = jax.jit(lambda x: tower.evaluate(tower.apply(x), matrices, jnp.array([0.01]))[0])(increments)
    degrees = 0.01 ** lyndon_basis(2, 7).degrees
    element = np.einsum("bw,w,wij->bij", log_signature(increments, 7), degrees, brackets_of(matrices, 7))
    np.testing.assert_allclose(one, scipy.linalg.expm(element), atol=1e-15)


@cache
def states(letters, layers, klass):
    increments = jax.random.normal(jax.random.key(letters), (4, 12, letters)) / 12**0.5
    tower = lie_tower(letters, layers, klass)
    return jax.jit(tower.evaluate), increments, jax.jit(tower.apply)(increments)


def slopes(letters, layers, klass, matrices, largest):
    evaluate, increments, state = states(letters, layers, klass)
    scales = largest * 2.0 ** -jnp.arange(4.0)
    gap = np.asarray(evaluate(state, matrices, scales)) - products(increments, matrices, scales)
    return local_slopes(np.asarray(scales), np.sqrt(np.mean(gap**2, axis=(1, 2, 3))))


@pytest.mark.parametrize(
    ("letters", "layers", "klass", "largest"), [(2, 1, 3, 0.02), (3, 1, 3, 0.02), (2, 2, 6, 0.3), (3, 2, 5, 0.1)]
)
def test_error_has_the_order_of_the_derived_ideal(letters, layers, klass, largest):
    for every in (SO3, SL2[::-1].copy(), np.random.default_rng(1).normal(size=(3, 4, 4)) / 2):
        found = slopes(letters, layers, klass, jnp.asarray(every[:letters]), largest)
        assert abs(found[-1] - theory.lie.derived_ideal_degree(letters, layers)) < 0.2, found


@pytest.mark.parametrize(("letters", "layers"), [(2, 3), (3, 3)])
def test_three_layers_miss_exactly_one_degree_of_a_nilpotent_algebra(letters, layers):
    # brackets beyond the order vanish on these matrices, so that the error is one power of the scale
    order = theory.lie.derived_ideal_degree(letters, layers)
    generators = np.triu(np.random.default_rng(2).normal(size=(letters, order + 1, order + 1)), 1)
    found = slopes(letters, layers, order, jnp.asarray(generators), 4.0)
    np.testing.assert_allclose(found, order, atol=1e-3)


def test_lowest_degrees_agree_with_the_exact_engine():
    for letters, klass in ((2, 10), (3, 8), (4, 4)):
        found = derived_lowest_degrees(letters, klass)
        assert found == (1, *(theory.lie.derived_ideal_degree(letters, k) for k in range(1, len(found))))


def test_stream_holds_every_prefix_and_chunks_do_not_matter(key):
    increments = jax.random.normal(key, (3, 7, 2))
    tower = lie_tower(2, 2, 5)
    every = jax.jit(lambda x: tower.apply(x, stream=True))(increments)
    apply = jax.jit(tower.apply, static_argnames="chunk")
    for chunk, length in ((None, 7), (1, 3), (3, 7)):
        for full, prefix in zip(every, apply(increments[:, :length], chunk=chunk), strict=True):
            np.testing.assert_allclose(full[:, length - 1], prefix, rtol=1e-12, atol=1e-12)


def test_dtype_follows_the_input(key):
    increments = jax.random.normal(key, (2, 3, 2), jnp.float32)
    tower = lie_tower(2, 2, 4)
    apply = jax.jit(tower.apply)
    single, double = apply(increments), apply(increments.astype(float))
    for a, b in zip(single, double, strict=True):
        assert a.dtype == jnp.float32
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_nan_spreads(key):
    increments = jax.random.normal(key, (1, 3, 2)).at[0, 1, 0].set(jnp.nan)
    assert all(jnp.isnan(state).any() for state in lie_tower(2, 2, 4).apply(increments))


def test_words_and_one_hot_increments_have_the_same_product(key):
    words = jax.random.randint(key, (3, 9), 0, 3)
    scales = jnp.array([0.5, 0.1])
    found = jnp.eye(3)[None, None] + word_excess(words, jnp.asarray(SO3), scales)
    np.testing.assert_allclose(found, exponential_product(jax.nn.one_hot(words, 3), jnp.asarray(SO3), scales), atol=1e-14)


def test_one_compilation_for_every_scale_and_algebra(key):
    tower = lie_tower(2, 2, 4)
    apply = traced_at_most(1, lambda x: tower.apply(x))
    for seed in jax.random.split(key, 3):
        apply(jax.random.normal(seed, (2, 4, 2)))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: lie_tower(0, 1, 3), ValueError, "letters must be at least 1"),
        (lambda: lie_tower(2, 0, 3), ValueError, "layers must be at least 1"),
        (lambda: lie_tower(2, 1, 0), ValueError, "nilpotency must be at least 1"),
        (lambda: lie_tower(2, 3, 4), ValueError, "layers must be at most 2 for 2 letters and class 4, got 3"),
        (lambda: lie_tower(2, 1.0, 4), TypeError, "layers"),
        (lambda: lie_tower(2, 1, 3).apply(jnp.zeros((1, 4, 3))), ValueError, "counts letters and must have 2, got 3"),
        (lambda: lie_tower(2, 1, 3).apply(jnp.zeros((1, 0, 2))), ValueError, "length must be at least 1"),
        (
            lambda: lie_tower(2, 1, 3).evaluate((jnp.zeros((1, 2)),), jnp.zeros((3, 4, 4)), jnp.ones(1)),
            ValueError,
            "must have 2, got 3",
        ),
        (lambda: lie_tower(2, 1, 3).evaluate((), jnp.zeros((2, 4, 4)), jnp.ones(1)), ValueError, "each of the 1 layers, got 0"),
    ],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
