"""The step at which counting modulo m, by a unit complex number or by an angle, is first wrong in arithmetic of few bits.

Random words show the typical step, `earliest_failure` and `growing_word` search for early ones.

Every operation is computed in float64 and rounded once to the type under test, ties to even, with gradual underflow. For sums
and products this is exactly the arithmetic of that type, because 53 >= 2 * 24 + 2 (Figueroa 1995), and no compiler can keep
extra digits or fuse operations.

States are read exactly, as the nearest of the m roots, so only the recurrence is measured.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Integer

from depthjax.checks import in_alphabet, marked, strange

Rounding = Callable[[Float[Array, "..."]], Float[Array, "..."]]


def rounding(dtype: jnp.dtype) -> Rounding:
    """Return the map from float64 to the nearest number of a narrower type, still written in float64.

    Raises:
        ValueError: The type has more than 24 bits, so double rounding would change results.
    """
    kind = jnp.finfo(dtype)
    if kind.nmant > 23:
        raise ValueError(f"{dtype} has {kind.nmant + 1} bits: float64 can stand in only for types of at most 24")
    small, step = float(kind.tiny), float(kind.smallest_subnormal)

    def rounded(x: Array) -> Array:
        normal = jax.lax.reduce_precision(x, kind.nexp, kind.nmant)
        return jnp.where(jnp.abs(x) < small, jnp.round(x / step) * step, normal)

    return rounded


def unitary_failures(
    words: Integer[Array, "length batch"],
    order: int,
    dtype: jnp.dtype,
    *,
    offset: Float[Array, ""] | float = 0.0,
    snapped: bool = False,
) -> Int[Array, " batch"]:
    """Return the first step at which z <- exp(2 pi i a / m) z is read wrongly, length + 1 if it never is.

    Args:
        words: Letters a, counted modulo `order`.
        order: Modulus m.
        dtype: Type of both components after every operation.
        offset: Error of the angle of every letter, before its cosine and sine are rounded.
        snapped: Whether z is replaced by its nearest root, rounded to the type, after every step.

    Raises:
        ValueError: A letter is out of range (under jit: -1 for that word).
    """
    words = in_alphabet("words", words, order)
    return _unitary_failures(words.astype(int), order, dtype, offset, snapped)


@partial(jax.jit, static_argnums=(1, 2, 4))
def _unitary_failures(words: Array, order: int, dtype: jnp.dtype, offset: Array | float, snapped: bool) -> Array:
    near = rounding(dtype)
    roots, (cos, sin) = _roots(order, near), _roots(order, near, offset)

    def step(state: tuple[Array, ...], letters: Array) -> tuple[tuple[Array, ...], None]:
        x, y, count, time, first = state
        c, s = cos[letters], sin[letters]
        x, y = near(near(x * c) - near(y * s)), near(near(x * s) + near(y * c))
        count = (count + letters) % order
        read = _nearest(jnp.arctan2(y, x), order)
        if snapped:
            x, y = (part[read] for part in roots)
        return (x, y, count, time + 1, _first(first, time + 1, read != count)), None

    batch = words.shape[1]
    one, zero = jnp.ones(batch), jnp.zeros(batch, int)
    never = jnp.full(batch, words.shape[0] + 1)
    return marked(jax.lax.scan(step, (one, 0 * one, zero, jnp.zeros((), int), never), words)[0][-1], strange(words, 0))


def offset_failures(order: int, dtype: jnp.dtype, offsets: Float[Array, " offsets"], length: int) -> Int[Array, " offsets"]:
    """Return `unitary_failures` of the word of the letter 1, whose angle is off by each of the offsets."""
    ones = jnp.ones((length, 1), int)
    return jax.vmap(lambda offset: _unitary_failures(ones, order, dtype, offset, False)[0])(offsets)


def angle_failures(words: Integer[Array, "length batch"], order: int, dtype: jnp.dtype) -> Int[Array, " batch"]:
    """Return the same for a prefix sum of angles, s <- s + 2 pi a / m, which is never reduced.

    Raises:
        ValueError: A letter is out of range (under jit: -1 for that word).
    """
    return _angle_failures(in_alphabet("words", words, order).astype(int), order, dtype)


@partial(jax.jit, static_argnums=(1, 2))
def _angle_failures(words: Array, order: int, dtype: jnp.dtype) -> Array:
    near = rounding(dtype)
    angles = near(2 * jnp.pi * jnp.arange(order, dtype=float) / order)

    def step(state: tuple[Array, ...], letters: Array) -> tuple[tuple[Array, ...], None]:
        angle, count, time, first = state
        angle = near(angle + angles[letters])
        count = (count + letters) % order
        wrong = _nearest(angle, order) != count
        return (angle, count, time + 1, _first(first, time + 1, wrong)), None

    batch = words.shape[1]
    never = jnp.full(batch, words.shape[0] + 1)
    start = jnp.zeros(batch), jnp.zeros(batch, int), jnp.zeros((), int), never
    return marked(jax.lax.scan(step, start, words)[0][-1], strange(words, 0))


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def earliest_failure(order: int, dtype: jnp.dtype, length: int, width: int) -> Int[Array, ""]:
    """Return the first step at which some word is found whose unit complex number is misread, length + 1 if none is.

    A beam search: of all states that one more letter makes of the kept ones, the `width` different ones that lie farthest
    ahead of their root are kept. Every state is that of a word, so the step is one at which a word fails; a wider beam might
    find an earlier one.

    Args:
        order: Modulus m, at least 3.
        dtype: Type of both components after every operation.
        length: Number of letters.
        width: Number of states that are kept.

    Cost: width * order complex products and a sort of them per step, until a word fails.
    """
    near, letters = rounding(dtype), jnp.arange(order)[None]
    cos, sin = (part[None] for part in _roots(order, near))
    turns = 2 * jnp.pi * (letters[0].astype(float) / order)
    right = jnp.cos(turns), jnp.sin(turns)

    def step(state: tuple[Array, ...]) -> tuple[Array, ...]:
        time, _, x, y, count = state
        u, v = near(near(x * cos) - near(y * sin)).ravel(), near(near(x * sin) + near(y * cos)).ravel()
        counts = ((count + letters) % order).ravel()
        c, s = (part[counts] for part in right)
        along, ahead = u * c + v * s, v * c - u * s
        ahead = jnp.where((u != 0) | (v != 0), ahead / along, -jnp.inf)  # the tangent of the angle; empty places are last
        failed = (ahead > jnp.tan(jnp.pi / order)).any()
        if width == 1:
            best = jnp.argmax(ahead)[None]
        else:
            sort = jnp.lexsort((v, u))  # equal states lie side by side, and ties are broken by u and v
            new = ((u[sort] != jnp.roll(u[sort], 1)) | (v[sort] != jnp.roll(v[sort], 1))).at[0].set(True)
            best = sort[jax.lax.top_k(jnp.where(new, ahead[sort], -jnp.inf), width)[1]]
        return time + 1, failed, u[best, None], v[best, None], counts[best, None]

    empty = jnp.zeros((width, 1))
    start = jnp.zeros((), int), jnp.array(False), empty.at[0].set(1.0), empty, empty.astype(int)
    time, failed, *_ = jax.lax.while_loop(lambda state: ~state[1] & (state[0] < length), step, start)
    return jnp.where(failed, time, length + 1)


@partial(jax.jit, static_argnums=(0, 1, 2))
def growing_word(order: int, dtype: jnp.dtype, length: int) -> Int[Array, " length"]:
    """Return a word of letters of half a turn and more: each is the one whose rounding puts the sum of angles farthest ahead.

    Cost: length * order additions.
    """
    near = rounding(dtype)
    letters = jnp.arange(order // 2, order)
    turns = 2 * jnp.pi * (letters.astype(float) / order)

    def step(state: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], Array]:
        total, right = state
        best = jnp.argmax(near(total + near(turns)) - (right + turns))
        return (near(total + near(turns[best])), right + turns[best]), letters[best]

    return jax.lax.scan(step, (jnp.array(0.0), jnp.array(0.0)), None, length)[1]


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def standstill(order: int, dtype: jnp.dtype, length: int, reduced: bool = False) -> Int[Array, ""]:
    """Return the last step at which the sum of angles of the letter 1 moves, at most `length`.

    Args:
        order: Modulus m.
        dtype: Type of the sum.
        length: Number of letters.
        reduced: Whether the sum is reduced modulo the rounded 2 pi after every step.
    """
    near = rounding(dtype)
    angle, turn = near(jnp.array(2 * jnp.pi / order)), near(jnp.array(2 * jnp.pi))

    def step(state: tuple[Array, Array], time: Array) -> tuple[tuple[Array, Array], None]:
        total, last = state
        moved = near(total + angle)
        if reduced:
            moved = jnp.where(moved >= turn, near(moved - turn), moved)
        return (moved, jnp.where(moved != total, time, last)), None

    return jax.lax.scan(step, (0 * angle, jnp.array(0)), jnp.arange(1, length + 1))[0][1]


def _roots(order: int, near: Rounding, offset: Array | float = 0.0) -> tuple[Array, Array]:
    """Real and imaginary parts of the m-th roots, turned by the offset and rounded; of quarter turns they are exact."""
    angles = 2 * jnp.pi * (jnp.arange(order, dtype=float) / order) + offset  # quarter turns are exact
    cos, sin = (near(jnp.round(part * 2.0**50) / 2**50) for part in (jnp.cos(angles), jnp.sin(angles)))
    return cos, sin


def _nearest(angle: Array, order: int) -> Array:
    return jnp.round(angle * (order / (2 * jnp.pi))).astype(int) % order


def _first(first: Array, time: Array, wrong: Array) -> Array:
    return jnp.where(wrong, jnp.minimum(first, time), first)
