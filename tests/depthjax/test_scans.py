"""Every form of every scan against the recurrence written as a loop in numpy, values and gradients."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from depthjax.scans import affine_scan, gated_scan, householder_scan, matrix_affine_scan, matrix_products
from depthjax.scans.choice import chosen

FORMS = ("associative", "chunked", "sequential")
few = settings(max_examples=4)
shapes = st.tuples(st.integers(1, 3), st.sampled_from([1, 2, 4]), st.integers(1, 3), st.integers(1, 3))
seeds = st.integers(0, 2**16)


def draws(seed, *shapes, dtype=float):
    rng = np.random.default_rng(seed)
    if dtype is complex:
        return [rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in shapes]
    return [rng.normal(size=shape) for shape in shapes]


def looped(step, state, *elements):
    """States after each step, and what was read."""
    rows = []
    for now in zip(*elements, strict=True):
        state, read = step(state, *now)
        rows.append(read)
    return np.stack(rows)


def every_form(scan, forms, chunk, *inputs):
    """What each form returns, from one compilation."""
    return jax.jit(lambda *inputs: [scan(*inputs, method=form, chunk=chunk) for form in forms])(*inputs)


@few
@given(shapes, seeds, st.booleans())
def test_affine_scan(shape, seed, complex_numbers):
    count, chunk, batch, width = shape
    size = (count * chunk, batch, width)
    decay, drive = draws(seed, (*size[:2], 1), size, dtype=complex if complex_numbers else float)
    expected = looped(lambda h, a, b: (a * h + b,) * 2, np.zeros(size[1:]), decay, drive)
    for got in every_form(affine_scan, FORMS, chunk, decay, drive):
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", [float, complex])
def test_gradient_of_the_affine_scan_is_that_of_the_plain_loop(kind):
    decay, drive = map(jnp.asarray, draws(3, (8, 2, 1), (8, 2, 3), dtype=kind))
    weight = jnp.asarray(draws(4, (8, 2, 3), dtype=kind)[0])

    def plain(a, b):
        return jax.lax.scan(lambda h, now: (now[0] * h + now[1],) * 2, jnp.zeros_like(b[0]), (a, b))[1]

    def loss(run, a, b):
        return (jnp.abs(run(a, b) - weight) ** 2).sum()

    runs = [plain, *(partial(affine_scan, method=form, chunk=4) for form in FORMS)]
    slopes = jax.jit(lambda a, b: [jax.grad(partial(loss, run), argnums=(0, 1))(a, b) for run in runs])(decay, drive)
    for slope in slopes[1:]:
        for got, want in zip(slope, slopes[0], strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10)


@few
@given(shapes, seeds)
def test_matrix_scans(shape, seed):
    count, chunk, batch, n = shape
    matrices, drive = draws(seed, (count * chunk, batch, n, n), (count * chunk, batch, n))
    products = looped(lambda p, a: (a @ p,) * 2, np.broadcast_to(np.eye(n), (batch, n, n)), matrices)
    states = looped(lambda h, a, b: ((a @ h[..., None])[..., 0] + b,) * 2, np.zeros((batch, n)), matrices, drive)
    for scan, inputs, expected in ((matrix_products, [matrices], products), (matrix_affine_scan, [matrices, drive], states)):
        for got in every_form(scan, FORMS, chunk, *inputs):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@few
@given(shapes, seeds)
def test_gated_scan(shape, seed):
    count, chunk, batch, size = shape
    query, key, value, decay = draws(seed, *[(count * chunk, batch, size)] * 3, (count * chunk, batch, size))
    decay = 1 / (1 + np.exp(-decay))

    def step(state, q, k, v, a):
        state = a[..., None] * state + k[..., None] * v[..., None, :]
        return state, (np.swapaxes(state, -1, -2) @ q[..., None])[..., 0]

    expected = looped(step, np.zeros((batch, size, size)), query, key, value, decay)
    for got in every_form(gated_scan, FORMS[1:], chunk, query, key, value, decay):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10)


@few
@given(shapes, st.integers(1, 3), seeds)
def test_householder_scan(shape, steps, seed):
    count, chunk, batch, size = shape
    length = count * chunk
    query, key, value, strength, initial = draws(
        seed, (length, batch, size), *[(length, batch, steps, size)] * 2, (length, batch, steps), (batch, size, size)
    )
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    strength = 2 / (1 + np.exp(-strength))

    def step(state, q, ks, vs, bs):
        for k, v, b in zip(*(np.moveaxis(part, 1, 0) for part in (ks, vs, bs)), strict=True):
            outer = k[..., None] * k[..., None, :]
            state = (np.eye(size) - b[..., None, None] * outer) @ state
            state = state + b[..., None, None] * k[..., None] * v[..., None, :]
        return state, (np.swapaxes(state, -1, -2) @ q[..., None])[..., 0]

    expected = looped(step, initial, query, key, value, strength)
    for got in every_form(householder_scan, FORMS[1:], chunk, query, key, value, strength, initial):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def test_gradients_of_the_chunked_forms_are_those_of_the_sequential_ones():
    query, key, value, strength = map(jnp.asarray, draws(5, (8, 2, 3), (8, 2, 2, 3), (8, 2, 2, 3), (8, 2, 2)))
    matrices, drive = map(jnp.asarray, draws(6, (8, 2, 3, 3), (8, 2, 3)))
    cases = {
        householder_scan: (query, key / 2, value, strength),
        gated_scan: (query, key[:, :, 0], value[:, :, 0], jax.nn.sigmoid(query)),
        matrix_affine_scan: (matrices / 2, drive),
    }
    for scan, inputs in cases.items():
        slopes = [
            jax.jit(jax.grad(lambda parts, m=method, s=scan: (s(*parts, method=m, chunk=4) ** 2).sum()))(inputs)
            for method in ("sequential", "chunked")
        ]
        for sequential, chunked in zip(*slopes, strict=True):
            np.testing.assert_allclose(chunked, sequential, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scan", [gated_scan, householder_scan, affine_scan, matrix_products])
def test_a_length_that_chunks_cannot_cut(scan):
    one, two = jnp.ones((6, 2, 3)), jnp.ones((6, 2, 1, 3))
    inputs = {
        gated_scan: (one, one, one, one),
        householder_scan: (one, two, two, jnp.ones((6, 2, 1))),
        affine_scan: (one, one),
        matrix_products: (jnp.ones((6, 3, 3)),),
    }
    with pytest.raises(ValueError, match=r"chunks of 4 do not cut a sequence of length 6.*divisor"):
        scan(*inputs[scan], method="chunked", chunk=4)
    with pytest.raises(ValueError, match="a scan is auto, associative"):
        scan(*inputs[scan], method="fast")


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="does not spread"):
        affine_scan(jnp.ones((4, 2)), jnp.ones((4, 3)))
    with pytest.raises(TypeError, match="convert one"):
        affine_scan(jnp.ones((4, 2)), jnp.ones((4, 2), complex))


def naive_gated(query, key, value, decay):
    """The recurrence in extended precision, one number after the other."""
    query, key, value, decay = (np.asarray(part, np.longdouble) for part in (query, key, value, decay))
    state, rows = np.zeros((*key.shape[1:], value.shape[-1]), np.longdouble), []
    for q, k, v, a in zip(query, key, value, decay, strict=True):
        state = a[..., None] * state + k[..., None] * v[..., None, :]
        rows.append((q[..., None] * state).sum(axis=-2))
    return np.stack(rows)


EXTREME = st.lists(st.sampled_from([0.0, 1e-38, 1e-30, 1e-3, 0.5, 1 - 1e-7, 1.0]), min_size=1, max_size=3)


@partial(jax.jit, static_argnames=("method", "chunk"))
def gated_slopes(inputs, method, chunk):
    return jax.value_and_grad(
        lambda parts: (jnp.sin(y := gated_scan(*parts, method=method, chunk=chunk)).sum(), y), has_aux=True
    )(inputs)


@settings(max_examples=12)
@given(EXTREME, st.sampled_from([1, 2, 3, 12, 24]), st.sampled_from([np.float32, np.float64]), seeds)
@example([1e-3, 1.0], 12, np.float32, 0)
def test_gated_scan_with_extreme_decays(decays, chunk, dtype, seed):
    shape = 24, 2, 3
    inputs = [part.astype(dtype) for part in draws(seed, shape, shape, shape)]
    inputs.append(np.random.default_rng(seed).choice(decays, size=shape).astype(dtype))
    inputs = [jnp.asarray(part) for part in inputs]
    # a sum of at most 24 * 3 products of four numbers, each of a few roundings
    floor = 200 * np.finfo(dtype).eps * np.prod([1 + float(np.abs(part).max()) for part in inputs[:3]])
    expected = naive_gated(*inputs)
    (_, sequential), wanted = gated_slopes(inputs, "sequential", 1)
    (_, chunked), slopes = gated_slopes(inputs, "chunked", chunk)
    np.testing.assert_allclose(sequential, expected.astype(dtype), rtol=0, atol=floor)
    np.testing.assert_allclose(chunked, expected.astype(dtype), rtol=0, atol=floor)
    for slope, want in zip(slopes, wanted, strict=True):
        assert np.isfinite(slope).all()
        np.testing.assert_allclose(slope, want, rtol=0, atol=24 * floor * (1 + float(np.abs(want).max())))


@pytest.mark.parametrize("length", [0, 1, 7, 12, 16, 22, 37, 48])
def test_what_auto_chooses_off_the_processor_gives_the_same(length):
    shape = length, 2, 3
    inputs = [jnp.asarray(part, jnp.float32) for part in draws(length, shape, shape, shape)]
    inputs.append(jnp.full(shape, 1e-3, jnp.float32))
    method, chunk = chosen("gated_scan", length, "gpu")
    got = gated_scan(*inputs, method=method, chunk=chunk)
    np.testing.assert_allclose(got, gated_scan(*inputs, method="sequential"), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("method", ["sequential", "associative", "chunked"])
def test_the_affine_scan_has_derivatives_of_both_modes(method, key):
    decay, drive = jax.random.normal(key, (8, 1, 3)), jax.random.normal(jax.random.key(1), (8, 2, 3))

    def run(decay, drive):
        return affine_scan(decay, drive, method=method, chunk=4)

    def plain(decay, drive):
        states = [drive[0]]
        for a, b in zip(decay[1:], drive[1:], strict=True):
            states.append(a * states[-1] + b)
        return jnp.stack(states)

    moved = jnp.cos(decay), jnp.sin(drive)
    got, want = (jax.jvp(scan, (decay, drive), moved) for scan in (run, plain))
    np.testing.assert_allclose(got[1], want[1], rtol=1e-12, atol=1e-12)

    def summed(decay):
        return jnp.sin(run(decay, drive)).sum()

    np.testing.assert_allclose(jax.jacfwd(summed)(decay), jax.grad(summed)(decay), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(jax.hessian(summed)(decay), jax.jacfwd(jax.jacfwd(summed))(decay), rtol=1e-10, atol=1e-10)
