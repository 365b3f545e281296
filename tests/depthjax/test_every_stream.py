"""Every scan from a state to a state: a word in pieces against the whole word and against a loop, values and gradients."""

import inspect
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import scans, testing
from depthjax.scans.cascade import ADDITION, ScanCascade, Stage
from depthjax.scans.counters import ROUTES, last_write, modular_sum

LENGTH, SHORT = 12, 7
DRAW = np.random.default_rng(0)


def normal(*shape, kind=float):
    found = DRAW.normal(size=shape)
    return jnp.asarray(found + 1j * DRAW.normal(size=shape) if kind is complex else found)


def unit(*shape):
    found = DRAW.normal(size=shape)
    return jnp.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def plain(step, read=lambda state, letter: state):
    return step, read


def gate(state, letter):
    _, key, value, decay = letter
    return decay[..., None] * state + key[..., None] * value[..., None, :]


def reflect(state, letter):
    _, keys, values, strengths = letter
    for at in range(keys.shape[-2]):
        key, value = keys[..., at, :], values[..., at, :]
        old = jnp.einsum("...kv,...k->...v", state, key)
        state = state + strengths[..., at, None, None] * key[..., None] * (value - old)[..., None, :]
    return state


def asked(state, letter):
    return jnp.einsum("...kv,...k->...v", state, letter[0])


# name: stream, letters, initial state, and its recurrence as step and reading
STREAMS: dict[str, tuple[Any, ...]] = {
    "affine": (
        scans.affine_stream,
        (normal(LENGTH, 2, 3) / 2, normal(LENGTH, 2, 3)),
        normal(2, 3),
        *plain(lambda h, x: x[0] * h + x[1]),
    ),
    "affine, one decay for all": (
        scans.affine_stream,
        (normal(LENGTH, 1, 1) / 2, normal(LENGTH, 2, 3)),
        normal(2, 3),
        *plain(lambda h, x: x[0] * h + x[1]),
    ),
    "affine, complex": (
        scans.affine_stream,
        (normal(LENGTH, 3, kind=complex) / 2, normal(LENGTH, 3, kind=complex)),
        normal(3, kind=complex),
        *plain(lambda h, x: x[0] * h + x[1]),
    ),
    "matrix affine": (
        scans.matrix_affine_stream,
        (normal(LENGTH, 2, 3, 3) / 2, normal(LENGTH, 2, 3)),
        normal(2, 3),
        *plain(lambda h, x: jnp.einsum("...ij,...j->...i", x[0], h) + x[1]),
    ),
    "products": (scans.product_stream, (normal(LENGTH, 2, 3, 3) / 2,), normal(2, 3, 3), *plain(lambda p, x: x[0] @ p)),
    "sums": (scans.sum_stream, (normal(LENGTH, 3),), normal(3), *plain(lambda s, x: s + x[0])),
    "sums before": (
        partial(scans.sum_stream, inclusive=False),
        (normal(LENGTH, 3),),
        normal(3),
        lambda s, x: s + x[0],
        lambda s, x: s - x[0],
    ),
    "gated": (
        scans.gated_stream,
        (normal(LENGTH, 2, 3), normal(LENGTH, 2, 3), normal(LENGTH, 2, 4), jax.nn.sigmoid(normal(LENGTH, 2, 3))),
        normal(2, 3, 4),
        gate,
        asked,
    ),
    "gated, that forgets": (
        scans.gated_stream,
        (normal(LENGTH, 3), normal(LENGTH, 3), normal(LENGTH, 2), jnp.zeros((LENGTH, 3)).at[::3].set(1.0)),
        normal(3, 2),
        gate,
        asked,
    ),
    "reflections": (
        scans.householder_stream,
        (normal(LENGTH, 2, 3), unit(LENGTH, 2, 2, 3), normal(LENGTH, 2, 2, 4), 2 * jax.nn.sigmoid(normal(LENGTH, 2, 2))),
        normal(2, 3, 4),
        reflect,
        asked,
    ),
}
FORMS = {"affine_stream": 4, "matrix_affine_stream": 4, "product_stream": 4, "gated_stream": 3, "householder_stream": 3}


def forms_of(stream):
    number = FORMS.get(getattr(stream, "__name__", ""), 1)
    return ["auto", "chunked", "sequential", "associative"][:number] if number > 1 else [None]


def formed(stream, form, chunk):
    return stream if form is None else partial(stream, method=form, chunk=chunk)


CASES = [(name, form) for name, row in STREAMS.items() for form in forms_of(row[0])]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_word_in_pieces_is_the_recurrence(name, form):
    stream, letters, initial, step, read = STREAMS[name]
    cut = formed(stream, form, 3)  # a chunk of the scan's own, which divides every piece
    testing.scan_matches_recurrence(
        lambda state, letters: cut(*letters, state), step, initial, letters, read=read, chunks=[3, 6, 0, 3]
    )
    chunks = (3, 9, 24)
    whole, *others = jax.jit(
        lambda letters, initial: [cut(*letters, initial), *(scans.in_chunks(cut, letters, size, initial) for size in chunks)]
    )(letters, initial)
    for pieces in others:
        for one, other in zip(jax.tree.leaves(pieces), jax.tree.leaves(whole), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def by_loop(step, read, letters, initial, chunk, truncated):
    """What is read of a recurrence, in a loop; gradients stop where a piece ends if they are truncated."""
    state, found = initial, []
    for at in range(SHORT):
        state = jax.lax.stop_gradient(state) if truncated and at and at % chunk == 0 else state
        letter = tuple(part[at] for part in letters)
        state = step(state, letter)
        found.append(read(state, letter))
    return jnp.stack(found), state


@pytest.mark.parametrize("truncated", [False, True])
@pytest.mark.parametrize("name", [name for name in STREAMS if "complex" not in name])
def test_gradients_of_pieces_are_those_of_a_loop(name, truncated):
    stream, letters, initial, step, read = STREAMS[name]
    letters = tuple(part[:SHORT] for part in letters)

    def loss(run, letters, initial):
        outputs, final = run(letters, initial)
        return (jnp.sin(outputs) * jnp.arange(1.0, SHORT + 1).reshape(-1, *(1,) * (outputs.ndim - 1))).sum() + (final**2).sum()

    @jax.jit
    def both(letters, initial):
        pieces = lambda letters, initial: scans.in_chunks(stream, letters, 3, initial, truncated=truncated)  # noqa: E731
        loop = lambda letters, initial: by_loop(step, read, letters, initial, 3, truncated)  # noqa: E731
        return [jax.grad(partial(loss, run), argnums=(0, 1))(letters, initial) for run in (pieces, loop)]

    for one, other in zip(*map(jax.tree.leaves, both(letters, initial)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("name", ["affine", "sums", "products", "gated", "reflections"])
def test_a_stream_keeps_its_type_and_an_empty_piece_its_state(name, kind):
    stream, letters, initial, *_ = STREAMS[name]
    letters, initial = jax.tree.map(lambda part: part.astype(kind), (letters, initial))
    run = jax.jit(stream)
    whole = run(*letters, initial)
    empty = run(*(part[:0] for part in letters), initial)
    assert whole.outputs.dtype == whole.final.dtype == kind and whole.final.shape == initial.shape
    assert (empty.final == initial).all() and len(empty.outputs) == 0
    begun = run(*letters)  # from the scan's own first state
    if name == "products":
        np.testing.assert_array_equal(begun.outputs, jax.jit(scans.matrix_products)(*letters))
    else:
        np.testing.assert_array_equal(begun.outputs, run(*letters, jnp.zeros_like(initial)).outputs)


S3 = np.array(
    [[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], [2, 0, 1, 5, 3, 4], [3, 5, 4, 0, 2, 1], [4, 3, 5, 1, 0, 2], [5, 4, 3, 2, 1, 0]]
)


@pytest.mark.parametrize("table", [S3, np.array([[0, 1, 0], [1, 1, 0]])], ids=["a group", "an automaton"])
def test_words_in_pieces_have_the_states_of_words(table):
    words = jnp.asarray(DRAW.integers(0, table.shape[1], (5, LENGTH)))
    initial = jnp.asarray(DRAW.integers(0, len(table), 5))
    states, now = [], np.asarray(initial)
    for letters in np.asarray(words).T:
        states.append(now := table[now, letters])
    stream = partial(scans.table_stream, table)
    for chunk in (1, 5, LENGTH, 40):
        found = jax.jit(lambda w, s, chunk=chunk: scans.in_chunks(stream, (w,), chunk, s, axis=1))(words, initial)
        assert (found.outputs == np.stack(states, axis=1)).all() and (found.final == now).all()
    assert (stream(words).outputs == scans.prefix_products(table, words)).all()
    assert stream(words[:, :0], initial).final.tolist() == initial.tolist()


def test_what_is_no_state_stays_none():
    table, words = jnp.array([[0, 1], [1, 0]]), jnp.array([[1, 1, 0], [1, 2, 0]])
    stream = jax.jit(lambda words, initial: scans.table_stream(table, words, initial))
    found = stream(words, jnp.array([1, 1]))
    assert found.outputs.tolist() == [[0, 1, 1], [-1, -1, -1]] and found.final.tolist() == [1, -1]
    assert stream(words[:, :1], found.final).final.tolist() == [0, -1]
    assert stream(words[:, :1], jnp.array([5, 0])).final.tolist() == [-1, 1]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("make", [lambda to: modular_sum([3, 4], to), lambda to: last_write(5, to)], ids=["counter", "write"])
def test_an_accumulation_in_pieces_is_whole(make, route):
    accumulation = make(route)
    increments = jnp.asarray(DRAW.integers(0, 2, (LENGTH, 2)), jnp.int32)
    initial = jnp.array([1, 2], jnp.int32)
    state, before = initial, []
    for increment in increments:
        before.append(state)
        state = accumulation.step(state, increment)
    stream = partial(scans.accumulation_stream, accumulation)
    found = jax.jit(lambda increments, initial: scans.in_chunks(stream, (increments,), 5, initial))(increments, initial)
    assert (found.outputs == jnp.stack(before)).all() and (found.final == state).all()


def test_a_cascade_in_pieces_is_whole():
    cascade = ScanCascade((Stage(lambda x, below: x), Stage(lambda x, below: x * below[0].before, ADDITION)))
    letters, initial = normal(LENGTH), (jnp.array(0.5), jnp.array(-1.0))
    low, high, states = *map(float, initial), []
    for x in letters.tolist():
        low, high = low + x, high + x * low
        states.append((low, high))
    found = scans.in_chunks(partial(scans.cascade_stream, cascade, chunk=2), (letters,), 5, initial)
    np.testing.assert_allclose(np.stack(found.outputs, axis=1), states, rtol=1e-12)
    np.testing.assert_allclose(found.final, states[-1], rtol=1e-12)


def forgets(initial, letters):
    return scans.affine_stream(*letters)


def ends_early(initial, letters):
    found = scans.affine_stream(*letters, initial)
    return found.outputs, found.outputs[0]


AFFINE = STREAMS["affine"]
FALSE = {
    "forgets its state": (forgets, {"chunks": 4}, r"position 0 of 12, in the piece of 4 letters from position 0 on"),
    "ends at the first state": (
        ends_early,
        {"chunks": [5, 7]},
        r"position 4 of 12, in the last state of the piece of 5",
    ),
}


@pytest.mark.parametrize("case", FALSE)
def test_a_stream_that_is_wrong_at_a_seam_is_named(case):
    scan, told, words = FALSE[case]
    with pytest.raises(AssertionError, match=words):
        testing.scan_matches_recurrence(scan, AFFINE[3], AFFINE[2], AFFINE[1], **told)


@pytest.mark.parametrize("name", ["affine", "matrix affine", "sums", "products", "gated", "reflections"])
def test_arrays_of_numpy_are_read(name):
    stream, letters, initial, *_ = STREAMS[name]
    of_numpy = jax.tree.map(np.asarray, (letters, initial))
    plain = inspect.unwrap(stream)  # as users have it: tests check the annotations of JAX, too
    for one, other in zip(plain(*of_numpy[0], of_numpy[1]), stream(*letters, initial), strict=True):
        np.testing.assert_array_equal(one, other)


REFUSED = [
    (lambda: scans.affine_stream(jnp.ones((4, 3)), jnp.ones((4, 2)), jnp.ones(2)), ValueError, "does not spread to drive"),
    (lambda: scans.affine_stream(*AFFINE[1], AFFINE[2][0]), ValueError, r"initial has shape \(3,\): expected \(2, 3\)"),
    (lambda: scans.affine_stream(*AFFINE[1], AFFINE[2].astype("float32")), TypeError, "initial is float32: expected float64"),
    (
        lambda: scans.gated_stream(*STREAMS["gated"][1], jnp.zeros((3, 4))),
        (ValueError, TypeError),
        "the shape of one state|initial",
    ),
    (lambda: scans.gated_stream(*STREAMS["gated"][1], method="associative"), ValueError, "holds all states"),
    (lambda: scans.table_stream(S3, jnp.array([[0]]), jnp.array([6])), ValueError, "initial: 6 is out of range"),
    (lambda: scans.table_stream(S3, jnp.array([[6]])), ValueError, "words: 6 is out of range"),
    (
        lambda: scans.table_stream(S3, jnp.array([[0]]), jnp.array([0, 1])),
        (ValueError, TypeError),
        "a state for each word|initial",
    ),
    (lambda: scans.in_chunks(scans.affine_stream, AFFINE[1], 0), ValueError, "chunk must be at least 1"),
    (lambda: scans.in_chunks(scans.sum_stream, (jnp.ones(3), jnp.ones(4)), 2), ValueError, r"lengths \[3, 4\]"),
    (
        lambda: testing.scan_matches_recurrence(forgets, AFFINE[3], AFFINE[2], AFFINE[1], chunks=[5, 6]),
        ValueError,
        "have 11 letters: expected 12",
    ),
    (
        lambda: testing.scan_matches_recurrence(lambda h, x: h, AFFINE[3], AFFINE[2], AFFINE[1], chunks=4),
        TypeError,
        "expected a pair, the states after its letters and the last one",
    ),
]


ONES = jnp.ones
CASCADE = ScanCascade((Stage(lambda letters, below: letters),))
UNFIT = [  # the arguments of a stream, which one is wrong, and the shape that was expected; then why
    ("affine_stream", (ONES((4, 3)), ONES((5, 3))), r"drive has shape \(5, 3\): expected \(length = 4, \*state\), because h_t"),
    ("affine_stream", (ONES(()), ONES(())), r"decay has shape \(\): expected \(length, \*decays\)"),
    (
        "matrix_affine_stream",
        (ONES((4, 2, 3)), ONES((4, 2))),
        r"matrices has shape \(4, 2, 3\): expected \(length, \*batch, n, n\)",
    ),
    (
        "matrix_affine_stream",
        (ONES((4, 2, 2)), ONES((4, 3))),
        r"drive has shape \(4, 3\): expected \(length = 4, \*batch = \(\), n = 2\), because h_t = A_t h_\{t-1\} \+ b_t has a",
    ),
    ("matrix_affine_stream", (ONES((4, 2, 2)), ONES((5, 2))), r"drive has shape \(5, 2\): expected \(length = 4"),
    (
        "matrix_affine_stream",
        (ONES((4, 5, 2, 2)), ONES((4, 2))),
        r"drive has shape \(4, 2\): expected .*\*batch = \(5,\), n = 2",
    ),
    ("matrix_affine_stream", (ONES((2, 2)), ONES((2,))), r"matrices has shape \(2, 2\): expected"),
    ("matrix_affine_stream", (ONES((4, 2, 2)), ONES((4, 2)), ONES(3)), r"initial has shape \(3,\): expected \(2,\)"),
    ("product_stream", (ONES((4, 2, 3)),), r"matrices has shape \(4, 2, 3\): expected .*, because A_t"),
    ("product_stream", (ONES((4, 2, 2)), ONES(2)), r"initial has shape \(2,\): expected \(2, 2\)"),
    ("sum_stream", (ONES(()),), r"terms has shape \(\): expected \(length, \*term\), because a sum runs over the letters"),
    ("sum_stream", (ONES((4, 2)), ONES(3)), r"initial has shape \(3,\): expected \(2,\)"),
    ("gated_stream", (ONES((4, 2)), ONES((4, 3)), ONES((4, 1)), ONES((4, 2))), r"keys has shape \(4, 3\): expected .*key = 2"),
    ("gated_stream", (ONES((4, 2)), ONES((4, 2)), ONES((5, 1)), ONES((4, 2))), r"values has shape \(5, 1\): .*length = 4"),
    (
        "gated_stream",
        (ONES((4, 2)), ONES((4, 2)), ONES((4, 1)), ONES(4)),
        r"decay has shape \(4,\): expected .*key = 2\), because",
    ),
    (
        "householder_stream",
        (ONES((4, 2)), ONES((4, 2)), ONES((4, 1)), ONES(4)),
        r"keys has shape \(4, 2\): expected .*steps, key = 2",
    ),
    (
        "householder_stream",
        (ONES((4, 2)), ONES((4, 3, 2)), ONES((4, 2, 1)), ONES((4, 3))),
        r"values has shape .*steps = 3, value\)",
    ),
    (
        "householder_stream",
        (ONES((4, 2)), ONES((4, 3, 2)), ONES((4, 3, 1)), ONES((4, 2))),
        r"strengths has shape .*steps = 3\)",
    ),
    ("table_stream", (S3, jnp.array([0, 1])), r"words has shape \(2,\): expected \(batch, length\), because a word is a row"),
    ("table_stream", (S3[0], jnp.array([[0, 1]])), r"table has shape \(6,\): expected \(states, letters\)"),
    ("table_stream", (S3, jnp.array([[0, 1]]), jnp.array([[0]])), r"initial has shape \(1, 1\): expected \(1,\)"),
    (
        "accumulation_stream",
        (modular_sum([3]), jnp.array([2]), jnp.array([1])),
        r"increments has shape .*\(length, width = 1\)",
    ),
    ("accumulation_stream", (modular_sum([3]), jnp.array([[2]]), jnp.array(1)), r"initial has shape \(\): expected \(width\)"),
    ("cascade_stream", (CASCADE, jnp.zeros(0, int), (jnp.array(0),)), "letters has no letter: expected one at least"),
    ("cascade_stream", (CASCADE, jnp.array(1), (jnp.array(0),)), r"letters have the shapes \[\(\)\]: expected an axis 0"),
    ("cascade_stream", (CASCADE, jnp.array([1]), ()), "one state for each of the 1 stages, got 0"),
    ("in_chunks", (scans.sum_stream, (jnp.array(1),), 2), r"inputs have the shapes \[\(\)\]: expected an axis 0"),
    ("in_chunks", (scans.sum_stream, (), 2), r"inputs have the shapes \[\]: expected an axis 0"),
]
UNLIKE = [  # arguments of the wrong type
    ("affine_stream", (jnp.ones(3, int), jnp.ones(3)), "decay holds int"),
    ("matrix_affine_stream", (jnp.ones((4, 2, 2), "float32"), ONES((4, 2))), "matrices is float32 and drive float64"),
    ("matrix_affine_stream", (jnp.ones((4, 2, 2), int), jnp.ones((4, 2), int)), "matrices holds int.*expected floating point"),
    ("product_stream", (jnp.ones((4, 2, 2), bool),), "matrices holds bool"),
    ("gated_stream", (ONES((4, 2)), ONES((4, 2)), jnp.ones((4, 1), "bfloat16"), ONES((4, 2))), "values bfloat16: convert one"),
    ("householder_stream", (ONES((4, 2)), ONES((4, 3, 2)), ONES((4, 3, 1)), jnp.ones((4, 3), int)), "strengths holds int"),
]


@pytest.mark.parametrize(
    ("name", "arguments", "error", "words"),
    [
        (name, given, error, words)
        for error, table in ((ValueError, UNFIT), (TypeError, UNLIKE))
        for name, given, words in table
    ],
)
def test_every_stream_says_what_was_given_and_expected(name, arguments, error, words):
    plain = inspect.unwrap(getattr(scans, name))  # as users have it: tests check the annotations of JAX, too
    with pytest.raises(error, match=words):
        plain(*arguments)


def test_every_stream_has_bad_input():
    streams = {name for name in dir(scans) if name.endswith("_stream")} | {"in_chunks"}
    assert {name for name, *_ in UNFIT} == streams


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_does_not_fit_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
