"""The law that a recurrence can run for long: its states stay finite, and a small change of its state stays small."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax import dtypes
from depthjax.adapters.network import adapted
from depthjax.checks import at_least, positive
from depthjax.testing.network import along_letters, replay, shown, word_shown

DIRECTIONS = 4
"""Changes of the first state that are followed: a random one grows as the fastest does, unless it misses its direction."""


def stable(step: Any, initial: Any, letters: Any, steps: int, *, growth: float | int | None = None, samples: int = 16) -> str:
    """Assert that states stay finite over many letters, and that a small change of the first state does not grow.

    The change is followed by derivatives, in random directions. So what is found holds for changes as small as a rounding.

    Args:
        step: ``step(state, letter)``, the next state; a pair ``(step, params)`` with ``step(params, state, letter)``, or a
            module of any library that is called so.
        initial: The first state, an array or a tree of arrays of which some are floats.
        letters: The letters, along the first axis of an array or a tree of arrays; or their number.
        steps: Number of letters of a word.
        growth: How many times a change may grow; None for one over the root of the rounding of the states, 2900 in float32:
            then no rounding reaches half of the digits.
        samples: Number of words: the powers of the letters, and uniform ones.

    Returns:
        How many words were tried, and how much a change grew.

    Raises:
        AssertionError: A state is infinite or NaN, or a change grows too much; the message names the word where this comes
            first.
        ValueError: A size is too small, or the state holds no floats.
        TypeError: The step cannot be called or traced.

    Cost: one compilation; `samples` words, with four derivatives at each step.

    >>> letters, initial = jnp.array([0, 1], "float32"), jnp.zeros(3, "float32")
    >>> stable(lambda h, x: 0.5 * h + x, initial, letters, steps=1000)
    '16 words of 1000 letters; a change of the state grows at most 0.5 times'
    >>> stable(lambda h, x: 1.01 * h + x, initial, letters, steps=1000)
    Traceback (most recent call last):
    AssertionError: not stable: after 802 of 1000 letters a change of the first state has grown 2.92e+03 times, and ...
    """
    at_least("steps", steps, 1, "a state changes with each letter")
    network = adapted(step)
    if isinstance(letters, (int, np.integer, np.bool_)):
        letters = jnp.arange(at_least("letters", letters, 1, "a word needs an alphabet"))  # type: ignore[arg-type]
    letters = jax.tree.map(jnp.asarray, letters)
    count = along_letters(letters, 1)
    initial = jax.tree.map(jnp.asarray, initial)
    floats = [leaf for leaf in jax.tree.leaves(initial) if dtypes.is_inexact(leaf.dtype)]
    if not floats:
        raise ValueError("the state holds no floats: nothing of it is rounded, and no change of it is small")
    limit = max(dtypes.eps(leaf.dtype) for leaf in floats) ** -0.5
    limit = limit if growth is None else positive("growth", float(growth), "a change may grow so many times")
    words = (
        np.random.default_rng(0).integers(0, count, (steps, at_least("samples", samples, 1))).T
    )  # a shorter run begins alike
    powers = min(count, max(1, samples // 2))
    words[:powers] = np.arange(powers)[:, None]
    finite, grown = (np.asarray(part) for part in _followed(network.function, network.data, initial, letters, words))
    bad = ~finite | ~(grown <= limit)
    if not bad.any():
        return f"{samples} words of {steps} letters; a change of the state grows at most {shown(grown.max())} times"
    at = int(np.argmax(bad.any(axis=0)))
    row = int(np.argmax(bad[:, at]))
    word = f"letter {row} again and again" if row < powers else word_shown(words[row, : at + 1])
    what = (
        f"a change of the first state has grown {grown[row, at]:.3g} times, and at most {limit:.3g} is allowed: "
        + ("so many times that a rounding reaches half of the digits" if growth is None else "the growth that was given")
        if finite[row, at]
        else "the state is not finite"
    )
    raise AssertionError(
        f"not stable: after {at + 1} of {steps} letters {what}. The word is {word}. "
        + replay(f"stable(step, initial, letters, steps={at + 1}", growth=growth, samples=samples)
    )


@partial(jax.jit, static_argnums=0)
def _followed(step: Callable, data: Any, initial: Any, letters: Any, words: Any) -> tuple[Any, Any]:
    """Whether the state is finite after each letter of each word, and how many times the largest change has grown."""
    leaves, structure = jax.tree.flatten(initial)
    moves = [dtypes.is_inexact(leaf.dtype) for leaf in leaves]
    keys = jax.random.split(jax.random.key(0), len(leaves))

    def joined(floats: list[Any], others: list[Any]) -> Any:
        one, other = iter(floats), iter(others)
        return jax.tree.unflatten(structure, [next(one) if move else next(other) for move in moves])

    def parts(state: Any) -> tuple[list[Any], list[Any]]:
        found = jax.tree.leaves(state)
        return [x for x, move in zip(found, moves, strict=True) if move], [
            x for x, move in zip(found, moves, strict=True) if not move
        ]

    def size(changes: list[Any]) -> Any:
        return jnp.sqrt(sum(jnp.sum(jnp.abs(c.astype(_real(c))) ** 2, axis=tuple(range(1, c.ndim))) for c in changes))

    floats, others = parts(initial)
    drawn = [jax.random.normal(key, (DIRECTIONS, *x.shape), x.dtype) for key, x in zip(keys, floats, strict=False)]
    first = size(drawn)
    lengths = [first.reshape(-1, *(1,) * (c.ndim - 1)).astype(_real(c)) for c in drawn]
    changes = [(c.astype(_real(c)) / length).astype(c.dtype) for c, length in zip(drawn, lengths, strict=True)]

    def one(carry: Any, letter: Any) -> tuple[Any, Any]:
        floats, others, changes = carry
        now = jax.tree.map(lambda leaf: leaf[letter], letters)
        after = lambda floats: parts(step(data, joined(floats, others), now))  # noqa: E731
        new, linear, rest = jax.linearize(after, floats, has_aux=True)
        changes = jax.vmap(linear)(changes)
        finite = jnp.all(jnp.array([jnp.isfinite(x).all() for x in new]))
        return (new, rest, changes), (finite, size(changes).max())

    begin = (floats, others, changes)
    return jax.vmap(lambda word: jax.lax.scan(one, begin, word)[1])(words)


def _real(array: Any) -> Any:
    """A type with room for the size of a change: float32 at least."""
    return array.dtype if dtypes.eps(array.dtype) <= dtypes.eps("float32") else jnp.dtype("float32")
