"""Every scan in every form against its recurrence, written as a loop: values, derivatives, types, lengths, and what is refused.

A kernel is one row: how its inputs are drawn, and one step of its recurrence. An accumulation is another kind of row: the state
after a letter, and which increments there are.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from depthjax.scans import affine_scan, gated_scan, householder_scan, matrix_affine_scan, matrix_products, prefix_sum
from depthjax.scans.cascade import ADDITION, folding
from depthjax.scans.choice import chosen
from depthjax.scans.counters import ROUTES, last_write, modular_sum
from depthjax.scans.tables import prefix_products
from depthjax.testing import traced_at_most

# length, chunk, batch
SHAPES = [(0, 16, (2,)), (1, 1, (2,)), (7, 7, (2,)), (22, 11, (1,)), (48, 16, (1,)), (6, 3, ()), (6, 2, (2, 3)), (4, 1, (0,))]


class Kernel(NamedTuple):
    """A scan, its inputs of a length and a batch, and its recurrence: first state and `step(state, *now)`."""

    scan: Callable
    draw: Callable[[np.random.Generator, int, tuple[int, ...]], list[np.ndarray]]
    first: Callable[..., Any]
    step: Callable[..., tuple[Any, Any]]
    forms: tuple[str, ...] = ("associative", "chunked", "sequential")
    number: str = "float64"


def normal(draw, *shape):
    return draw.normal(size=shape)


def complex_normal(draw, *shape):
    return draw.normal(size=shape) + 1j * draw.normal(size=shape)


def affine(draw, length, batch, numbers=normal):
    return [numbers(draw, length, *batch, 3) / 2, numbers(draw, length, *batch, 3)]


def matrices(draw, length, batch, size=2, numbers=normal):
    return [numbers(draw, length, *batch, size, size) * size**-0.5]


def pushed(draw, length, batch, size=2, numbers=normal):
    return [*matrices(draw, length, batch, size, numbers), numbers(draw, length, *batch, size)]


def gates(draw, length, batch):
    query, key, decay = (normal(draw, length, *batch, 3) for _ in range(3))
    return [query, key, normal(draw, length, *batch, 2), 1 / (1 + np.exp(-decay))]


def reflections(draw, length, batch, steps=2, first=False):
    keys = normal(draw, length, *batch, steps, 3)
    strength = 2 / (1 + np.exp(-normal(draw, length, *batch, steps)))
    keys = keys / np.linalg.norm(keys, axis=-1, keepdims=True)
    parts = [normal(draw, length, *batch, 3), keys, normal(draw, length, *batch, steps, 2), strength]
    return [*parts, normal(draw, *batch, 3, 2)] if first else parts


def zeros(shape):
    return lambda *inputs: np.zeros(shape(*inputs), inputs[-1].dtype)


def gated_step(state, query, key, value, decay):
    state = decay[..., None] * state + key[..., None] * value[..., None, :]
    return state, (query[..., None] * state).sum(axis=-2)


def reflected_step(state, query, keys, values, strengths):
    for place in range(keys.shape[-2]):
        key, value, strength = keys[..., place, :], values[..., place, :], strengths[..., place, None, None]
        projected = key[..., :, None] * key[..., None, :]
        state = state - strength * (projected[..., None] * state[..., None, :, :]).sum(axis=-2)
        state = state + strength * key[..., None] * value[..., None, :]
    return state, (query[..., None] * state).sum(axis=-2)


def times(left, right):
    return (left[..., :, :, None] * right[..., None, :, :]).sum(axis=-2)


of_drive = zeros(lambda *inputs: inputs[-1].shape[1:])
of_gates = zeros(lambda query, key, value, decay: (*key.shape[1:], value.shape[-1]))
of_keys = zeros(lambda query, keys, values, strengths: (*query.shape[1:], values.shape[-1]))
affine_step = lambda h, a, b: (a * h + b,) * 2  # noqa: E731
product_step = lambda p, a: (times(a, p),) * 2  # noqa: E731
pushed_step = lambda h, a, b: ((a * h[..., None, :]).sum(axis=-1) + b,) * 2  # noqa: E731
identity = lambda a: np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape[1:])  # noqa: E731
SPREAD = lambda draw, length, batch: [  # noqa: E731
    normal(draw, length, *(1 for _ in batch), 1) / 2,
    normal(draw, length, *batch, 3),
]
TWO = ("chunked", "sequential")
KERNELS = {
    "affine": Kernel(affine_scan, affine, of_drive, affine_step),
    "affine, one decay for all": Kernel(affine_scan, SPREAD, of_drive, affine_step),
    "affine, complex": Kernel(affine_scan, partial(affine, numbers=complex_normal), of_drive, affine_step, number="complex128"),
    "products": Kernel(matrix_products, matrices, identity, product_step),
    "products, complex": Kernel(
        matrix_products, partial(matrices, numbers=complex_normal), identity, product_step, number="complex128"
    ),
    "products of large matrices": Kernel(matrix_products, partial(matrices, size=9), identity, product_step),
    "matrix affine": Kernel(matrix_affine_scan, pushed, of_drive, pushed_step),
    "matrix affine, complex": Kernel(
        matrix_affine_scan, partial(pushed, numbers=complex_normal), of_drive, pushed_step, number="complex128"
    ),
    "matrix affine, large": Kernel(matrix_affine_scan, partial(pushed, size=9), of_drive, pushed_step),
    "gated": Kernel(gated_scan, gates, of_gates, gated_step, TWO),
    "one reflection": Kernel(householder_scan, partial(reflections, steps=1), of_keys, reflected_step, TWO),
    "reflections": Kernel(householder_scan, partial(reflections, steps=3), of_keys, reflected_step, TWO),
    "reflections from a state": Kernel(
        householder_scan, partial(reflections, first=True), lambda *inputs: inputs[-1], reflected_step, TWO
    ),
}
PLAIN = ("affine", "products", "matrix affine", "gated", "one reflection", "reflections from a state")
MANY = {name: row for name, row in KERNELS.items() if row.number == "float64"}


def inputs_of(row, seed, length, batch, kind=None):
    kind = kind or row.number
    return [jnp.asarray(part).astype(kind) for part in row.draw(np.random.default_rng(seed), length, batch)]


def looped(row, *inputs, stack=np.stack):
    """What is read after each step, by a loop in Python; a fifth input of reflections is the first state."""
    state, rows = row.first(*inputs), []
    elements = inputs[:4] if row.scan is householder_scan else inputs
    for now in zip(*elements, strict=True):
        state, read = row.step(state, *now)
        rows.append(read)
    return stack(rows)


def in_forms(row, chunk):
    return [partial(row.scan, method=form, chunk=chunk) for form in row.forms]


@pytest.mark.parametrize("name", KERNELS)
def test_every_form_is_the_loop_at_every_length_and_batch(name):
    row = KERNELS[name]
    shapes = SHAPES if name in PLAIN else SHAPES[1::3]
    drawn = [inputs_of(row, seed, length, batch) for seed, (length, _, batch) in enumerate(shapes)]
    run = jax.jit(
        lambda drawn: [[form(*one) for form in in_forms(row, shape[1])] for one, shape in zip(drawn, shapes, strict=True)]
    )
    for found, inputs, (length, _, _) in zip(run(drawn), drawn, shapes, strict=True):
        arrays = list(map(np.asarray, inputs))
        wanted = looped(row, *arrays) if length else np.zeros((0, *found[0].shape[1:]))
        for got in found:
            assert got.shape == wanted.shape and got.dtype == row.number
            np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max(initial=1.0))


@pytest.mark.parametrize("name", KERNELS)
def test_auto_takes_a_form_that_there_is_and_a_chunk_that_cuts(name):
    row = KERNELS[name]
    for length in range(100):
        method, chunk = chosen(row.scan.__name__, length, "gpu")
        assert method in row.forms and (method != "chunked" or length % chunk == 0)
        assert chosen(row.scan.__name__, length, "cpu") == ("sequential", 1)
    tried = {chunk for length, chunk, _ in SHAPES if chosen(row.scan.__name__, length, "gpu") == ("chunked", chunk)}
    assert row.forms != TWO or tried == {7, 11, 16}  # its own choices are among those above


@pytest.mark.parametrize("name", KERNELS)
def test_every_form_has_the_derivatives_of_the_loop_in_both_modes(name):
    row = KERNELS[name]
    inputs, moved = inputs_of(row, 0, 4, (2,)), inputs_of(row, 1, 4, (2,))
    weight = jnp.asarray(looped(row, *map(np.asarray, inputs_of(row, 2, 4, (2,)))))

    def loss(run, *inputs):
        return (jnp.abs(run(*inputs) - weight) ** 2).sum()

    def both(run, inputs):
        every = tuple(range(len(inputs)))
        return jax.grad(partial(loss, run), argnums=every)(*inputs), jax.jvp(run, tuple(inputs), tuple(moved))[1]

    runs = [partial(looped, row, stack=jnp.stack), *in_forms(row, 2)]
    wanted, *found = jax.jit(lambda inputs: [both(run, inputs) for run in runs])(inputs)
    for slopes in found:
        for got, want in zip(jax.tree.leaves(slopes), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", MANY)
def test_every_form_keeps_the_type_and_errs_by_its_roundings(name, kind):
    row = MANY[name]
    narrow = inputs_of(row, 3, 12, (2,), kind)
    wanted = looped(row, *(np.asarray(part.astype("float64")) for part in narrow))
    for got in jax.jit(lambda inputs: [form(*inputs) for form in in_forms(row, 6)])(narrow):
        assert got.dtype == kind
        allowed = 50 * float(jnp.finfo(kind).eps) * max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(got.astype("float64"), wanted, rtol=0, atol=allowed)


@pytest.mark.parametrize("name", PLAIN)
def test_one_program_serves_every_input_and_maps_over_batches(name):
    row = KERNELS[name]
    once = traced_at_most(1, lambda inputs: [form(*inputs) for form in in_forms(row, 2)])
    rows = [once(inputs_of(row, seed, 4, (2,))) for seed in range(2)]
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *(inputs_of(row, seed, 4, (2,)) for seed in range(2)))
    mapped = jax.jit(jax.vmap(lambda inputs: [form(*inputs) for form in in_forms(row, 2)]))(stacked)
    for form, found in enumerate(mapped):
        np.testing.assert_allclose(found, np.stack([one[form] for one in rows]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", MANY)
def test_lengths_and_forms_that_there_are_not(name):
    row = MANY[name]
    inputs = inputs_of(row, 0, 6, (2,))
    for chunk in (4, 0, -2):
        with pytest.raises(ValueError, match=rf"chunks of {chunk} do not cut a sequence of length 6.*divisor"):
            row.scan(*inputs, method="chunked", chunk=chunk)
    with pytest.raises(ValueError, match="a scan is auto, associative"):
        row.scan(*inputs, method="fast")
    if "associative" not in row.forms:
        with pytest.raises(ValueError, match="the associative one holds all states"):
            row.scan(*inputs, method="associative")


BATCH, LENGTH = 3, 8
POISONS = st.sampled_from([np.nan, np.inf, -np.inf, "largest"])


@partial(jax.jit, static_argnums=0)
def values_and_slopes(name, inputs):
    def total(run, inputs):
        return (jnp.sin(read := run(*inputs)).sum(), read)

    forms = [form for form in in_forms(MANY[name], 4) if form.keywords["method"] != "associative"]
    return [jax.value_and_grad(partial(total, form), has_aux=True)(inputs) for form in forms]


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=4)
@given(st.integers(0, BATCH - 1), st.integers(0, LENGTH - 1), POISONS, st.data())
def test_a_sequence_that_is_not_finite_leaves_the_others_of_its_batch(name, spoilt, step, poison, data):
    kind = ("float32", "float64")[PLAIN.index(name) % 2]
    clean = inputs_of(MANY[name], 0, LENGTH, (BATCH,), kind)
    part = data.draw(st.integers(0, len(clean) - 1))
    place = (step, spoilt) if clean[part].shape[0] == LENGTH else (spoilt,)
    number = float(jnp.finfo(kind).max) if poison == "largest" else poison
    bad = [x.at[place].set(jnp.asarray(number, kind)) if i == part else x for i, x in enumerate(clean)]
    others = np.arange(BATCH) != spoilt

    def of_others(found):
        return [np.moveaxis(x, x.shape.index(BATCH), 0)[others] for x in jax.tree.leaves([(read, s) for (_, read), s in found])]

    for got, want in zip(of_others(values_and_slopes(name, bad)), of_others(values_and_slopes(name, clean)), strict=True):
        np.testing.assert_array_equal(got, want)


# gates that close at once, where a quotient of products of decays overflows

EXTREME = st.lists(st.sampled_from([0.0, 1e-38, 1e-30, 1e-3, 0.5, 1 - 1e-7, 1.0]), min_size=1, max_size=3)


@partial(jax.jit, static_argnames=("method", "chunk"))
def gated_slopes(inputs, method, chunk):
    return jax.value_and_grad(
        lambda parts: (jnp.sin(y := gated_scan(*parts, method=method, chunk=chunk)).sum(), y), has_aux=True
    )(inputs)


@settings(max_examples=12)
@given(EXTREME, st.sampled_from([1, 2, 3, 12, 24]), st.sampled_from([np.float32, np.float64]), st.integers(0, 2**16))
@example([1e-3, 1.0], 12, np.float32, 0)
def test_gated_scan_with_extreme_decays(decays, chunk, dtype, seed):
    draw, shape = np.random.default_rng(seed), (24, 2, 3)
    inputs = [normal(draw, *shape).astype(dtype) for _ in range(3)]
    inputs.append(np.random.default_rng(seed).choice(decays, size=shape).astype(dtype))
    # a sum of at most 24 * 3 products of four numbers, each of a few roundings
    floor = 200 * np.finfo(dtype).eps * np.prod([1 + float(np.abs(part).max()) for part in inputs[:3]])
    expected = looped(KERNELS["gated"], *(part.astype(np.longdouble) for part in inputs))
    (_, sequential), wanted = gated_slopes(list(map(jnp.asarray, inputs)), "sequential", 1)
    (_, chunked), slopes = gated_slopes(list(map(jnp.asarray, inputs)), "chunked", chunk)
    np.testing.assert_allclose(sequential, expected.astype(dtype), rtol=0, atol=floor)
    np.testing.assert_allclose(chunked, expected.astype(dtype), rtol=0, atol=floor)
    for slope, want in zip(slopes, wanted, strict=True):
        assert np.isfinite(slope).all()
        np.testing.assert_allclose(slope, want, rtol=0, atol=24 * floor * (1 + float(np.abs(want).max())))


@pytest.mark.parametrize("method", KERNELS["affine"].forms)
def test_the_affine_scan_has_second_derivatives(method, key):
    decay, drive = jax.random.normal(key, (4, 1, 2)), jax.random.normal(jax.random.key(1), (4, 2, 2))

    def summed(decay):
        return jnp.sin(affine_scan(decay, drive, method=method, chunk=2)).sum()

    modes = jax.jit(lambda x: [f(summed)(x) for f in (jax.jacfwd, jax.grad, jax.hessian, lambda f: jax.jacfwd(jax.jacfwd(f)))])
    forwards, backwards, mixed, twice = modes(decay)
    np.testing.assert_allclose(forwards, backwards, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mixed, twice, rtol=1e-10, atol=1e-10)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="does not spread"):
        affine_scan(jnp.ones((4, 2)), jnp.ones((4, 3)))
    with pytest.raises(TypeError, match="convert one"):
        affine_scan(jnp.ones((4, 2)), jnp.ones((4, 2), complex))
    with pytest.raises(ValueError, match="initial has shape"):
        prefix_sum(jnp.zeros((4, 3)), jnp.zeros(2))
    x = jnp.ones
    for call, words in (
        (
            lambda: householder_scan(x((4, 2)), x((4, 2, 2)), x((4, 2, 1)), x((4, 3))),
            r"strengths has shape \(4, 3\): .*steps = 2",
        ),
        (lambda: householder_scan(x((4, 2)), x((4, 1, 2)), x((4, 2, 1)), x((4, 2))), r"values has shape .*steps = 1"),
        (lambda: householder_scan(x((4, 2)), x((4, 1, 2)), x((4, 1, 1)), x((4, 1)), x((3, 1))), r"initial has shape .*key = 2"),
        (lambda: gated_scan(x((4, 2)), x((4, 2)), x((4, 3)), x((4, 1))), r"decay has shape \(4, 1\): .*key = 2"),
        (lambda: gated_scan(x((4, 2, 2)), x((4, 1, 2)), x((4, 2, 3)), x((4, 2, 2))), r"keys has shape .*batch = \(2,\)"),
        (lambda: matrix_affine_scan(x((1, 2, 2)), x((4, 2))), r"drive has shape \(4, 2\): .*length = 1"),
        (lambda: matrix_products(x((4, 2, 1))), r"matrices has shape \(4, 2, 1\): expected \(length, \*batch, n, n\)"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(ValueError, match="modulus must be at least 1"):
        modular_sum([0])


# accumulations: the state before each letter is the loop's, an identity moves nothing, and the fold is associative


class Fold(NamedTuple):
    """An accumulation, what its states and increments are drawn from, and the state after one letter by hand."""

    accumulation: Any
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    by_hand: Callable[[np.ndarray, np.ndarray], np.ndarray]


MODULI = np.array([2, 5, 1])


def flagged(draw, shape):
    rows = draw.integers(0, 9, (*shape, 3))
    rows[..., 0] = draw.random(shape) < 0.3
    return rows.astype(np.int32)


def counted(draw, shape):
    return draw.integers(0, MODULI, (*shape, 3)).astype(np.int32)


def whole(draw, shape):
    return draw.integers(-9, 10, (*shape, 3))


FOLDS = {
    "sums": Fold(ADDITION, whole, np.add),
    "sums of numbers": Fold(ADDITION, lambda draw, shape: whole(draw, shape).astype(float), np.add),
    "largest": Fold(folding(jnp.maximum, -(10**6)), whole, np.maximum),
    "signs": Fold(folding(jnp.multiply, 1.0), lambda draw, shape: draw.choice([-1.0, 1.0], (*shape, 3)), np.multiply),
    **{f"counters by {to}": Fold(modular_sum(MODULI, to), counted, lambda a, b: (a + b) % MODULI) for to in ROUTES},
    **{f"memory by {to}": Fold(last_write(9, to), flagged, lambda a, b: b if b[0] else a) for to in ROUTES},
}


@pytest.mark.parametrize("name", FOLDS)
def test_an_accumulation_is_its_letter_by_letter_loop(name):
    fold, draw = FOLDS[name], np.random.default_rng(len(name))
    lengths = (1, 2, 5, 40)
    given_ = [(fold.draw(draw, ()), fold.draw(draw, (length,))) for length in lengths]
    for first, _ in given_:
        first[..., 0] = 1 if "memory" in name else first[..., 0]  # its initial state was written

    @jax.jit
    def run(given_):
        return [(fold.accumulation.before(*one), fold.accumulation.step(one[0][None], one[1])) for one in given_]

    for (before, after), (first, increments) in zip(run(given_), given_, strict=True):
        state = first
        for found, increment in zip(before, increments, strict=True):
            np.testing.assert_array_equal(found, state)
            state = fold.by_hand(state, increment)
        np.testing.assert_array_equal(after, [fold.by_hand(first, one) for one in increments])
        assert before.dtype == first.dtype
    step, identity = fold.accumulation.step, fold.accumulation.identity
    a, b, c = map(jnp.asarray, fold.draw(draw, (3, 20)))
    np.testing.assert_array_equal(step(step(a, b), c), step(a, step(b, c)))
    np.testing.assert_array_equal(step(a, jnp.broadcast_to(jnp.asarray(identity, a.dtype), a.shape)), a)


@pytest.mark.parametrize("length", [0, 1, 5, 9])
def test_prefix_sums(length):
    terms, start = np.random.default_rng(0).integers(-9, 10, (length, 2, 3)), np.arange(6).reshape(2, 3)
    inclusive = start + np.cumsum(terms, axis=0)
    np.testing.assert_array_equal(prefix_sum(jnp.asarray(terms), jnp.asarray(start)), inclusive)
    np.testing.assert_array_equal(prefix_sum(jnp.asarray(terms), jnp.asarray(start), inclusive=False), inclusive - terms)
    np.testing.assert_array_equal(prefix_sum(jnp.asarray(terms)), np.cumsum(terms, axis=0))


@pytest.mark.parametrize("to", ["modular", "last"])
def test_attention_refuses_stretches_that_its_type_does_not_hold(to):
    accumulation = modular_sum(np.array([2**12]), "attention") if to == "modular" else last_write(3, "attention")
    width, length = (1, 2**10 + 1) if to == "modular" else (2, 2**21)
    initial = jnp.zeros(width, jnp.int32)
    with pytest.raises(ValueError, match="give a chunk, a wider dtype, or another"):
        jax.eval_shape(accumulation.before, initial, jax.ShapeDtypeStruct((length, width), jnp.int32))


def test_under_jit_a_table_entry_that_is_no_state_has_no_answers():
    table = jnp.array([[0, 1], [7, 0]])
    words = jnp.array([[0, 1, 0, 1], [0, 1, 1, 1]])
    assert jax.jit(prefix_products)(table, words).tolist() == [[0, 1, -1, -1], [0, 1, 0, 1]]
