"""Scans that begin at a state and end at one: a word is read piece by piece, as it comes or as memory allows.

Every function returns what its scan returns, and the state after the last letter, from which the next piece goes on. So a word
in pieces gives what the whole word gives, up to rounding. `in_chunks` reads a word in pieces of one length; with ``truncated``
no gradient passes from one piece into the one before, as in truncated backpropagation through time (Williams and Peng, Neural
Computation 2 (1990), 490).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Inexact, Int, Integer, Num, PyTree

from depthjax.checks import at_least, in_alphabet, next_states
from depthjax.scans import affine, gated, householder, products
from depthjax.scans.affine import affine_scan
from depthjax.scans.axes import Axes
from depthjax.scans.cascade import Accumulation, ScanCascade
from depthjax.scans.choice import method_named
from depthjax.scans.gated import gated_scan, gated_step
from depthjax.scans.householder import householder_scan, householder_step
from depthjax.scans.products import matrix_affine_scan, matrix_products
from depthjax.scans.sums import prefix_sum
from depthjax.scans.tables import prefix_products

__all__ = [
    "Streamed",
    "accumulation_stream",
    "affine_stream",
    "cascade_stream",
    "gated_stream",
    "householder_stream",
    "in_chunks",
    "matrix_affine_stream",
    "product_stream",
    "sum_stream",
    "table_stream",
]


class Streamed(NamedTuple):
    """What a scan has read.

    Attributes:
        outputs: What the scan returns for these letters, time first.
        final: The state after the last of them.

    >>> Streamed._fields
    ('outputs', 'final')
    """

    outputs: Any
    final: Any


def affine_stream(
    decay: Inexact[Array, "length ..."],
    drive: Inexact[Array, "length ..."],
    initial: Inexact[Array, "..."] | None = None,
    *,
    method: str = "auto",
    chunk: int = affine.CHUNK,
) -> Streamed:
    """Return h_1 ... h_T of h_t = a_t h_{t-1} + b_t, and h_T; as `depthjax.scans.affine_scan`, from h_0 on.

    Args:
        decay: The coefficients a.
        drive: The inputs b.
        initial: The state h_0; zero if None.
        method: As for `affine_scan`.
        chunk: As for `affine_scan`.

    Raises:
        ValueError: As `affine_scan`, or `initial` does not have the shape of one state.
        TypeError: The dtypes differ.

    >>> one = affine_stream(jnp.full(2, 0.5), jnp.ones(2))
    >>> affine_stream(jnp.full(2, 0.5), jnp.ones(2), one.final).outputs.tolist()
    [1.75, 1.875]
    """
    decay, drive = Axes("h_t = a_t h_{t-1} + b_t", decay="length *decays", drive="length *state").arrays(
        decay=decay, drive=drive
    )
    state = _state(initial, drive.shape[1:], drive.dtype)
    spreads = decay.ndim == drive.ndim and all(a in (1, b) for a, b in zip(decay.shape[1:], drive.shape[1:], strict=True))
    if len(drive) and spreads and len(decay) == len(drive):  # the scan refuses what does not fit
        drive = drive.at[0].add(decay[0] * state)
    states = affine_scan(decay, drive, method=method, chunk=chunk)
    return Streamed(states, states[-1] if len(drive) else state)


def matrix_affine_stream(
    matrices: Inexact[Array, "length *batch n n"],
    drive: Inexact[Array, "length *batch n"],
    initial: Inexact[Array, "*batch n"] | None = None,
    *,
    method: str = "auto",
    chunk: int = products.CHUNK,
) -> Streamed:
    """Return h_1 ... h_T of h_t = A_t h_{t-1} + b_t, and h_T; as `depthjax.scans.matrix_affine_scan`, from h_0 on.

    Args:
        matrices: The matrices A.
        drive: The inputs b.
        initial: The state h_0; zero if None.
        method: As for `matrix_affine_scan`.
        chunk: As for `matrix_affine_scan`.

    Raises:
        ValueError: As `matrix_affine_scan`, or `initial` does not have the shape of one state.
        TypeError: The dtypes differ.

    >>> matrix_affine_stream(jnp.stack([jnp.eye(2)] * 2), jnp.ones((2, 2)), 3 * jnp.ones(2)).final.tolist()
    [5.0, 5.0]
    """
    matrices, drive = products.STEPS.arrays(matrices=matrices, drive=drive)
    state = _state(initial, drive.shape[1:], drive.dtype)
    if len(drive):
        drive = drive.at[0].add(jnp.einsum("...ij,...j->...i", matrices[0], state, precision="highest"))
    states = matrix_affine_scan(matrices, drive, method=method, chunk=chunk)
    return Streamed(states, states[-1] if len(drive) else state)


def product_stream(
    matrices: Inexact[Array, "length *batch n n"],
    initial: Inexact[Array, "*batch n n"] | None = None,
    *,
    method: str = "auto",
    chunk: int = products.CHUNK,
) -> Streamed:
    """Return A_t ... A_1 P_0 for every t, and the last of them; as `depthjax.scans.matrix_products`, from P_0 on.

    Args:
        matrices: The matrices A.
        initial: The product P_0 so far; the identity if None.
        method: As for `matrix_products`.
        chunk: As for `matrix_products`.

    Raises:
        ValueError: As `matrix_products`, or `initial` does not have the shape of one matrix.
        TypeError: The dtypes differ.

    >>> shear = jnp.array([[1.0, 1.0], [0.0, 1.0]])
    >>> product_stream(jnp.stack([shear] * 2), product_stream(shear[None]).final).final.tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    (matrices,) = products.MATRICES.arrays(matrices=matrices)
    state = _state(initial, matrices.shape[1:], matrices.dtype)
    if initial is None:
        state = state + jnp.eye(matrices.shape[-1], dtype=matrices.dtype).reshape((1,) * (state.ndim - 2) + matrices.shape[-2:])
    elif len(matrices):
        matrices = matrices.at[0].set(jnp.einsum("...ij,...jk->...ik", matrices[0], state, precision="highest"))
    found = matrix_products(matrices, method=method, chunk=chunk)
    return Streamed(found, found[-1] if len(matrices) else state)


def sum_stream(
    terms: Num[Array, "length ..."], initial: Num[Array, "..."] | None = None, *, inclusive: bool = True
) -> Streamed:
    """Return the running sums, and the whole sum; as `depthjax.scans.prefix_sum`.

    Args:
        terms: The terms.
        initial: The sum so far; zero if None.
        inclusive: Whether a running sum holds the term at its position.

    Raises:
        ValueError: `initial` does not have the shape of one term.

    >>> sums = sum_stream(jnp.arange(4), inclusive=False)
    >>> sums.outputs.tolist(), sums.final.item()
    ([0, 0, 1, 3], 6)
    """
    (terms,) = Axes("a sum runs over the letters", terms="length *term").arrays(inexact=False, terms=terms)
    state = _state(initial, terms.shape[1:], terms.dtype)
    sums = prefix_sum(terms, state, inclusive=inclusive)
    if not len(terms):
        return Streamed(sums, state)
    return Streamed(sums, sums[-1] if inclusive else sums[-1] + terms[-1])


def gated_stream(
    queries: Float[Array, "length *batch key"],
    keys: Float[Array, "length *batch key"],
    values: Float[Array, "length *batch value"],
    decay: Float[Array, "length *batch key"],
    initial: Float[Array, "*batch key value"] | None = None,
    *,
    method: str = "auto",
    chunk: int = gated.CHUNK,
) -> Streamed:
    """Return o_1 ... o_T, and the state S_T; as `depthjax.scans.gated_scan`, from S_0 on.

    In the chunked form, o_t is what the scan reads from zero, and S_0^T (a_{1..t} q_t); the final state takes one product more.

    Args:
        queries: The queries q.
        keys: The keys k.
        values: The values v.
        decay: The decays a, in [0, 1].
        initial: The state S_0; zero if None.
        method: "chunked", "sequential" or "auto".
        chunk: Steps of each piece of the chunked form.

    Raises:
        ValueError: As `gated_scan`, or `initial` does not have the shape of one state.
        TypeError: The dtypes differ.

    >>> ones = jnp.ones((2, 1))
    >>> gated_stream(ones, ones, ones, 0.5 * ones, jnp.ones((1, 1))).outputs.ravel().tolist()
    [1.5, 1.75]
    """
    queries, keys, values, decay = gated.LETTERS.arrays(queries=queries, keys=keys, values=values, decay=decay)
    state = _state(initial, (*keys.shape[1:], values.shape[-1]), values.dtype)
    method, chunk = method_named("gated_scan", method, len(queries), chunk)
    if method == "sequential":
        final, read = jax.lax.scan(gated_step, state, (queries, keys, values, decay))
        return Streamed(read, final)
    if not len(queries):
        return Streamed(values, state)
    read = gated_scan(queries, keys, values, decay, method=method, chunk=chunk)
    since = jnp.cumprod(decay, axis=0)
    after = jnp.concatenate([jnp.cumprod(decay[:0:-1], axis=0)[::-1], jnp.ones_like(decay[:1])])  # of the steps that follow
    read = read + jnp.einsum("t...k,...kv->t...v", queries * since, state, precision="highest")
    written = jnp.einsum("t...k,t...v->...kv", keys * after, values, precision="highest")
    return Streamed(read, since[-1][..., None] * state + written)


def householder_stream(
    queries: Float[Array, "length *batch key"],
    keys: Float[Array, "length *batch steps key"],
    values: Float[Array, "length *batch steps value"],
    strengths: Float[Array, "length *batch steps"],
    initial: Float[Array, "*batch key value"] | None = None,
    *,
    method: str = "auto",
    chunk: int = householder.CHUNK,
) -> Streamed:
    """Return o_1 ... o_T, and the state H_T; as `depthjax.scans.householder_scan`.

    In the chunked form, further tokens that write nothing read H_T row by row.

    Args:
        queries: The queries q.
        keys: The keys k.
        values: The values v.
        strengths: The strengths b.
        initial: The state H_0; zero if None.
        method: "chunked", "sequential" or "auto".
        chunk: Tokens of each piece of the chunked form.

    Raises:
        ValueError: As `householder_scan`, or `initial` does not have the shape of one state.
        TypeError: The dtypes differ.

    >>> key, value = jnp.array([[[1.0, 0.0]]]), jnp.array([[[3.0]]])
    >>> householder_stream(jnp.ones((1, 2)), key, value, jnp.ones((1, 1))).final.tolist()
    [[3.0], [0.0]]
    """
    queries, keys, values, strengths = householder.LETTERS.arrays(
        queries=queries, keys=keys, values=values, strengths=strengths
    )
    size = queries.shape[-1]
    state = _state(initial, (*queries.shape[1:], values.shape[-1]), values.dtype)
    method, chunk = method_named("householder_scan", method, len(queries), chunk)
    if method == "sequential":
        final, read = jax.lax.scan(householder_step, state, (queries, keys, values, strengths))
        return Streamed(read, final)
    length, more = len(queries), -(-size // chunk) * chunk
    batch = (1,) * (queries.ndim - 2)
    rows = jnp.eye(more, size, dtype=queries.dtype).reshape(more, *batch, size)
    asked = jnp.concatenate([queries, jnp.broadcast_to(rows, (more, *queries.shape[1:]))])
    k, v, b = (jnp.pad(part, [(0, more)] + [(0, 0)] * (part.ndim - 1)) for part in (keys, values, strengths))
    read = householder_scan(asked, k, v, b, state, method=method, chunk=chunk)
    return Streamed(read[:length], jnp.moveaxis(read[length : length + size], 0, -2))


def table_stream(
    table: Integer[Array, "states letters"] | Integer[np.ndarray, "states letters"],
    words: Integer[Array, "batch length"],
    initial: Integer[Array, " batch"] | None = None,
) -> Streamed:
    """Return the states after every letter, and the last ones; as `depthjax.scans.prefix_products`, from any states on.

    Under jit a word with a letter out of range has -1 everywhere and ends in -1, and a word that begins at -1 stays there.

    Args:
        table: Next states, table[state, letter]; of a group, its Cayley table.
        words: Letters.
        initial: The state of each word so far; 0 if None.

    Raises:
        TypeError: The table, the words or the states do not hold integers.
        ValueError: The table leads to a state that it does not have, does not have one of the letters, or does not have one of
            the initial states.

    >>> parity = jnp.array([[0, 1], [1, 0]])
    >>> table_stream(parity, jnp.array([[1, 0]]), jnp.array([1])).outputs.tolist()
    [[0, 0]]
    """
    table = jnp.asarray(next_states("table", table))
    states, letters = table.shape
    (words,) = Axes("a word is a row of letters", words="batch length").arrays(inexact=False, words=words)
    words = in_alphabet("words", words, letters)
    state = jnp.zeros(words.shape[:1], words.dtype) if initial is None else initial
    state = state if isinstance(state, Tracer) else jnp.asarray(state)
    if state.shape != words.shape[:1]:
        raise ValueError(f"initial has shape {state.shape}: expected {words.shape[:1]}, a state for each word")
    state = in_alphabet("initial", state, states).astype(words.dtype)
    # a further letter for each state leads there from everywhere
    longer = jnp.concatenate([table, jnp.broadcast_to(jnp.arange(states, dtype=table.dtype), (states, states))], axis=1)
    entered = jnp.where(state < 0, state, state + letters)
    found = prefix_products(longer, jnp.concatenate([entered[:, None], words], axis=1))
    return Streamed(found[:, 1:], found[:, -1])


def accumulation_stream(
    accumulation: Accumulation, increments: Int[Array, "length width"], initial: Int[Array, " width"]
) -> Streamed:
    """Return the states *before* each increment, and the state after the last, of an accumulation of a cascade.

    Args:
        accumulation: Such as `depthjax.scans.counters.modular_sum` or `last_write`, by any of their routes.
        increments: The increments.
        initial: The state before the first.

    Raises:
        ValueError: The increments are no rows of the width of the state.

    >>> from depthjax.scans.counters import modular_sum
    >>> counted = accumulation_stream(modular_sum([3]), jnp.array([[2], [2]]), jnp.array([1]))
    >>> counted.outputs.ravel().tolist(), counted.final.tolist()
    ([1, 0], [2])
    """
    changes = Axes("an increment changes every entry of the state", initial="width", increments="length width")
    initial, increments = changes.arrays(inexact=False, initial=initial, increments=increments)
    if not len(increments):
        return Streamed(increments, initial)
    before = accumulation.before(initial, increments)
    return Streamed(before, accumulation.step(before[-1], increments[-1]))


def cascade_stream(
    cascade: ScanCascade, letters: PyTree[Array], initial: tuple[Any, ...], *, chunk: int | None = None
) -> Streamed:
    """Return the states of every stage after each letter, and the last ones.

    Args:
        cascade: The cascade.
        letters: Arrays with a leading time axis, of at least one letter.
        initial: One state for each stage.
        chunk: Number of letters held in memory at a time.

    Raises:
        ValueError: As `ScanCascade.run`; or the letters are no arrays of one length, of at least one letter.

    >>> from depthjax.scans.cascade import Stage
    >>> cascade = ScanCascade((Stage(lambda letters, below: letters),))
    >>> cascade_stream(cascade, jnp.array([1, 2]), (jnp.array(4),)).final[0].item()
    7
    """
    if _length(letters, 0, "letters") == 0:
        raise ValueError("letters has no letter: expected one at least, because the states after the last one are returned")
    after = cascade.run(letters, initial, chunk=chunk, stream=True)
    return Streamed(after, jax.tree.map(lambda states: states[-1], after))


def in_chunks(
    stream: Callable[..., Streamed],
    inputs: tuple[PyTree[Array], ...],
    chunk: int,
    initial: Any = None,
    *,
    truncated: bool = False,
    axis: int = 0,
) -> Streamed:
    """Return what a stream gives for a word that is read in pieces, each from the state in which the one before ended.

    Args:
        stream: ``stream(*inputs, initial)``, as the functions of this module; `functools.partial` gives other arguments.
        inputs: The arrays of a word, each with an axis of time.
        chunk: Letters of each piece; the last may be shorter.
        initial: The state before the first piece; None for the stream's own.
        truncated: Whether gradients stop at the ends of pieces. Values are the same.
        axis: The axis of time of inputs and outputs, such as 1 for words (batch, length).

    Raises:
        ValueError: The chunk is below 1, or the inputs differ in length.

    Cost: the pieces of full length run in one compiled loop, so memory is that of one piece and of the outputs.

    >>> decay, drive = jnp.full(5, 0.5), jnp.ones(5)
    >>> in_chunks(affine_stream, (decay, drive), 2).outputs.tolist()
    [1.0, 1.5, 1.75, 1.875, 1.9375]
    >>> ended = lambda drive, truncated: in_chunks(affine_stream, (decay, drive), 2, truncated=truncated).final
    >>> jax.grad(ended)(drive, False).tolist(), jax.grad(ended)(drive, True).tolist()
    ([0.0625, 0.125, 0.25, 0.5, 1.0], [0.0, 0.0, 0.0, 0.0, 1.0])
    """
    at_least("chunk", chunk, 1, "a piece holds a letter")
    length = _length(inputs, axis, "inputs")
    moved = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, axis, 0), inputs)

    def read(state: Any, piece: Any) -> tuple[Any, Any]:
        found = stream(*jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, axis), piece), state)
        return found.final, jax.tree.map(lambda leaf: jnp.moveaxis(leaf, axis, 0), found.outputs)

    def entered(state: Any, piece: Any) -> tuple[Any, Any]:
        return read(jax.lax.stop_gradient(state) if truncated else state, piece)

    state, outputs = read(initial, jax.tree.map(lambda leaf: leaf[:chunk], moved))
    parts = [outputs]
    whole = max(length - chunk, 0) // chunk
    if whole:
        cut = jax.tree.map(lambda leaf: leaf[chunk : (whole + 1) * chunk].reshape(whole, chunk, *leaf.shape[1:]), moved)
        state, outputs = jax.lax.scan(entered, state, cut)
        parts.append(jax.tree.map(lambda leaf: leaf.reshape(whole * chunk, *leaf.shape[2:]), outputs))
    if length > (whole + 1) * chunk:
        state, outputs = entered(state, jax.tree.map(lambda leaf: leaf[(whole + 1) * chunk :], moved))
        parts.append(outputs)
    joined = jax.tree.map(lambda *leaves: jnp.moveaxis(jnp.concatenate(leaves), 0, axis), *parts)
    return Streamed(joined, state)


def _length(arrays: PyTree[Array], axis: int, name: str) -> int:
    """The length of arrays along an axis.

    Raises:
        ValueError: There is no array, one has no such axis, or they differ in length.
    """
    shapes = [np.shape(leaf) for leaf in jax.tree.leaves(arrays)]
    if not shapes or any(not -len(shape) <= axis < len(shape) for shape in shapes):
        raise ValueError(f"{name} have the shapes {shapes}: expected an axis {axis} in each, because it counts the letters")
    lengths = {shape[axis] for shape in shapes}
    if len(lengths) != 1:
        raise ValueError(f"{name} have lengths {sorted(lengths)} along axis {axis}: expected one length, that of the word")
    return lengths.pop()


def _state(initial: Any, shape: tuple[int, ...], dtype: Any) -> Array:
    """The first state of a stream; zero if it is None.

    Raises:
        ValueError: It has another shape.
        TypeError: It has another dtype, so that the scan would end in another type than it began.
    """
    if initial is None:
        return jnp.zeros(shape, dtype)
    if not isinstance(initial, Tracer):
        initial = jnp.asarray(initial)
    if initial.shape != shape:
        raise ValueError(f"initial has shape {initial.shape}: expected {shape}, the shape of one state")
    if initial.dtype != dtype:
        raise TypeError(f"initial is {initial.dtype}: expected {dtype}, the type of the states; convert it with .astype")
    return initial
