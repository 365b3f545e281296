"""How a law calls what it tests: one compilation for each structure and shape, and errors that name the smallest case."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax import dtypes
from depthjax.checks import at_least

BATCH = 256
"""Words in one call: fewer are padded, more are cut into several calls."""
MOST = 2**16
"""Largest number of words that a law enumerates."""


@dataclass(frozen=True)
class _Plain:
    """A function without parameters."""

    function: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True)
class _Pair:
    """A function whose first argument holds its parameters."""

    function: Callable[..., Any]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        return self.function(data, *arguments)


@dataclass(frozen=True)
class _Tree:
    """A callable tree of arrays, such as a module of flax.nnx or equinox: the arrays are its parameters."""

    structure: Any
    fixed: tuple[Hashable, ...]

    def __call__(self, data: Any, *arguments: Any) -> Any:
        leaves = [own if given is None else given for own, given in zip(self.fixed, data, strict=True)]
        return jax.tree.unflatten(self.structure, leaves)(*arguments)


def taken_apart(network: Any) -> tuple[Callable[..., Any], Any]:
    """Return a network as a hashable function of (parameters, *arguments), and its parameters.

    Raises:
        TypeError: The network is neither callable nor a pair of a function and parameters.
    """
    if isinstance(network, tuple) and len(network) == 2 and callable(network[0]):
        return _Pair(network[0]), network[1]
    if not callable(network):
        raise TypeError(
            f"network = {network!r:.60}: expected a function apply(tokens), or a pair (apply, params) with "
            "apply(params, tokens); pass the module's apply method together with its parameters"
        )
    leaves, structure = jax.tree.flatten(network)
    if len(leaves) == 1 and leaves[0] is network:
        return _Plain(network), ()
    arrays = [isinstance(leaf, (jax.Array, np.ndarray)) for leaf in leaves]
    fixed = tuple(None if data else leaf for data, leaf in zip(arrays, leaves, strict=True))
    return _Tree(structure, fixed), [leaf if data else None for data, leaf in zip(arrays, leaves, strict=True)]


@partial(jax.jit, static_argnums=0)
def _compiled(function: Callable[..., Any], data: Any, *arguments: Any) -> Any:
    return function(data, *arguments)


def called(network: Any, *arguments: Any) -> Any:
    """Return the compiled network's answer; equal functions share their compilation, whatever their parameters.

    Raises:
        TypeError: The network cannot be called, or needs concrete numbers where JAX traces it.
    """
    function, data = taken_apart(network)
    try:
        return _compiled(function, data, *arguments)
    except jax.errors.JAXTypeError as error:
        raise TypeError(
            f"{network!r:.60} cannot be compiled, because it needs concrete numbers: {str(error).splitlines()[0]}. Write it "
            "with jax.numpy and without Python conditions on arrays"
        ) from error


def outputs(network: Any, words: np.ndarray) -> np.ndarray:
    """Return the answers to words, shape (words, length, ...), computed in batches of one shape.

    Raises:
        ValueError: The answers are not one for each position of each word.
    """
    rows = -(-len(words) // BATCH) * BATCH
    filled = np.concatenate([words, np.broadcast_to(words[:1], (rows - len(words), words.shape[1]))]).astype(np.int32)
    parts = [np.asarray(called(network, jnp.asarray(filled[at : at + BATCH]))) for at in range(0, rows, BATCH)]
    if parts[0].shape[:2] != (BATCH, words.shape[1]):
        raise ValueError(
            f"the network gives shape {parts[0].shape} for tokens of shape {(BATCH, words.shape[1])}: expected an answer for "
            "each position, (batch, length, ...); the law pads batches, so take shapes from the tokens"
        )
    return np.concatenate(parts)[: len(words)]


def all_words(letters: int, length: int) -> np.ndarray:
    """Return all words of a length in lexicographic order, shape (letters^length, length).

    Raises:
        ValueError: There are more than `MOST`.

    >>> all_words(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    at_least("letters", letters, 1, "a word needs an alphabet")
    at_least("length", length, 1, "an empty word has no answers")
    if letters**length > MOST:
        raise ValueError(
            f"length must be smaller, got {length}: {letters} letters spell {letters**length} words, and a law enumerates at "
            f"most {MOST}"
        )
    return np.indices((letters,) * length, dtype=np.int32).reshape(length, -1).T


def check_letters(network: Any, letters: int) -> None:
    """Refuse a network that says that it has fewer letters (an attribute ``letters``, also of a bound method's object).

    Raises:
        ValueError: The two alphabets differ.
    """
    function = network[0] if isinstance(network, tuple) else network
    own = getattr(getattr(function, "__self__", function), "letters", None)
    if isinstance(own, int) and own < letters:
        raise ValueError(
            f"the network reads {own} letters, but the words are spelled with {letters}: expected at least as many; build it "
            "for the larger alphabet"
        )


def table_of(automaton: Any) -> np.ndarray:
    """Return the table of an automaton, or a table itself, as integers of shape (states, letters).

    Raises:
        ValueError: There is no such table, or an entry is not a state.
    """
    table = np.asarray(getattr(automaton, "table", automaton))
    if table.ndim != 2 or not table.size or not dtypes.is_integer(table.dtype):
        raise ValueError(
            f"automaton = {automaton!r:.60}: expected a table of next states, integers of shape (states, letters), or an "
            "object with such a `table`"
        )
    if table.min() < 0 or table.max() >= len(table):
        raise ValueError(f"the table holds {table.max()}: expected states 0 .. {len(table) - 1}")
    return table


def padded(automaton: Any, states: int, letters: int) -> np.ndarray:
    """Return the table of an automaton with further states that stay and further letters that idle: automata of one shape.

    Raises:
        ValueError: The automaton has more states or letters than that.

    >>> padded([[1], [0]], states=3, letters=2).tolist()
    [[1, 0], [0, 1], [2, 2]]
    """
    table = table_of(automaton)
    if len(table) > states or table.shape[1] > letters:
        raise ValueError(
            f"the automaton has {len(table)} states and {table.shape[1]} letters: expected at most {states} and {letters}; pad "
            "it to a larger table"
        )
    result = np.tile(np.arange(states, dtype=np.int32)[:, None], (1, letters))
    result[: len(table), : table.shape[1]] = table
    return result


def unlike(found: Any, expected: Any, *, rtol: float | None = None, atol: float = 0.0) -> np.ndarray:
    """Return where two arrays differ: integers exactly, others in the first half of their digits.

    Rounding errors stay far below half of the digits and a wrong program far above, so no law needs a tolerance of its own.
    The scale is the largest expected number, unless tolerances are given. A NaN differs from everything.
    """
    found, expected = np.asarray(found), np.asarray(expected)
    if not any(dtypes.is_inexact(side.dtype) for side in (found, expected)):
        return np.asarray(found != expected, bool)
    with np.errstate(invalid="ignore"):
        if rtol is not None:
            return ~(np.abs(found - expected) <= atol + rtol * np.abs(expected))
        eps = max(dtypes.eps(side.dtype) for side in (found, expected) if dtypes.is_inexact(side.dtype))
        scale = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
        return ~(np.abs(found - expected) <= float(eps) ** 0.5 * (scale or 1.0))


def shown(value: Any) -> str:
    """Return a number or a small array as short text."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}" if dtypes.is_floating(array.dtype) else str(array.item())
    return np.array2string(array, precision=6, threshold=12, separator=", ").replace("\n", "")


def word_shown(word: Any) -> str:
    """Return a word as text."""
    return "(" + ", ".join(map(str, np.asarray(word).tolist())) + ("," if len(word) == 1 else "") + ")"
