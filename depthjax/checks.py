"""Guards on user input. Every error says what was given, what was expected, why, and what to do."""

import difflib
import math
from collections.abc import Collection
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Int, Integer

OUTSIDE = -1  # marks a letter out of range where it cannot be refused, and the answers for its word


def at_least(name: str, value: int, smallest: int, why: str = "") -> int:
    """Return `value` if it is an integer of at least `smallest`.

    Raises:
        TypeError: `value` is not an integer; a bool is not one either.
        ValueError: `value` is too small.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}: it sets the shape of arrays; pass a Python int")
    if value < smallest:
        raise ValueError(f"{name} must be at least {smallest}, got {value}{': ' + why if why else ''}")
    return int(value)


def positive(name: str, value: float, why: str) -> float:
    """Return `value` as a float if it is a finite number above 0.

    Raises:
        TypeError: `value` is no real number.
        ValueError: `value` is not finite, or not above 0.
    """
    if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value) or np.iscomplexobj(value) or value is None:
        raise TypeError(f"{name} must be a number, got {value!r:.60}: {why}")
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be finite and above 0, got {value!r}: {why}")
    return number


def one_of(name: str, value: str, known: Collection[str]) -> str:
    """Return `value` if it is one of the known ones.

    Raises:
        ValueError: It is not; suggests what was meant.
    """
    if value not in known:
        raise ValueError(f"{name} {value!r}{nearest(str(value), known)}; it is one of {', '.join(known)}")
    return value


def nearest(name: str, known: Collection[str]) -> str:
    """Return a question in parentheses about the known name that is nearest; empty if none is near.

    >>> nearest("transfomer", ["transformer", "rnn"])
    " (did you mean 'transformer'?)"
    """
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def floating(name: str, array: jax.Array, why: str = "exponentials and fractions of it are taken") -> jax.Array:
    """Return `array` as a JAX array if its entries are real floating point numbers.

    Raises:
        TypeError: The entries are integers, booleans or complex numbers.
    """
    array = jnp.asarray(array)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        raise TypeError(f"{name} must hold floating point numbers, got {array.dtype}: {why}; convert with .astype(float)")
    return array


def dimension(name: str, array: jax.Array, axis: int, size: int, meaning: str) -> None:
    """Refuse an array whose `axis`, which counts `meaning`, does not have `size` entries.

    Raises:
        ValueError: The axis is missing or has another size.
    """
    shape = jnp.shape(array)
    given = shape[axis] if -len(shape) <= axis < len(shape) else "no such axis"
    if given != size:
        raise ValueError(f"{name} has shape {shape}: axis {axis} counts {meaning} and must have {size}, got {given}")


def in_alphabet(name: str, words: Integer[Array, "..."] | np.ndarray, alphabet: int | None) -> Int[Array, "..."]:
    """Return words of letters 0 ... alphabet - 1 as int32, or as int64 if they came in 64 bits.

    Both types have room for positions and for -1. Concrete letters out of range are refused. Under jit, vmap and grad values
    are
    unknown: there such a letter becomes `OUTSIDE`, and `marked` propagates it to the answers.

    Args:
        name: Name of the argument in errors.
        words: Letters, of any integer type.
        alphabet: Number of letters; None allows all integers from 0 on.

    Raises:
        TypeError: The letters are not integers.
        ValueError: A concrete letter is out of range.
    """
    wide = np.int64 if words.dtype.itemsize == 8 else np.int32
    limit = np.iinfo(wide).max if alphabet is None else alphabet
    if not isinstance(words, Tracer):
        known = np.asarray(words)
        if not np.issubdtype(known.dtype, np.integer):
            raise TypeError(f"{name} must be integers, got {known.dtype}: they number letters; convert with .astype(int)")
        wrong = known[(known < 0) | (known >= limit)]
        if wrong.size:
            expected = "0 or more" if alphabet is None else f"0 .. {alphabet - 1}"
            raise ValueError(
                f"{name}: {wrong[0]} is out of range, {wrong.size} of {known.size} are; expected {expected}: a lookup would"
                " silently take another letter's row"
            )
        return words if isinstance(words, jax.Array) and words.dtype == wide else jnp.asarray(known.astype(wide))
    if not jnp.issubdtype(words.dtype, jnp.integer):
        raise TypeError(f"{name} must be integers, got {words.dtype}: they number letters; convert with .astype(int)")
    if words.dtype.itemsize < 4:
        words = words.astype(wide)  # before it is compared with an alphabet that a byte may not hold
    return jnp.where((words >= 0) & (words < limit), words.astype(wide), OUTSIDE)


def next_states(name: str, table: Any, state: int = 0) -> Any:
    """Return a table of next states, `table[state, letter]`, unchanged if every entry and `state` are states of it.

    Under jit and grad the entries are unknown: there one that is no state becomes `OUTSIDE`.

    Raises:
        TypeError: The entries are not integers.
        ValueError: The table has no states or letters, leads to a state that it does not have, or does not have `state`.
    """
    shape, why = np.shape(table), "a lookup would silently take another state's row"
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"{name} has shape {shape}: expected (states, letters), because {name}[state, letter] is a state")
    entries = table if isinstance(table, Tracer) else np.asarray(table)
    if not jnp.issubdtype(entries.dtype, jnp.integer):
        raise TypeError(f"{name} must hold integers, got {entries.dtype}: they number states; convert with .astype(int)")
    if not isinstance(entries, Tracer) and not 0 <= int(entries.min()) <= int(entries.max()) < shape[0]:
        row, letter = np.argwhere((entries < 0) | (entries >= shape[0]))[0]
        raise ValueError(
            f"{name}[{row}, {letter}] = {entries[row, letter]} is not a state: every entry is a state, 0 .. {shape[0] - 1}, "
            f"because {why}"
        )
    if not isinstance(state, Tracer) and not 0 <= state < shape[0]:
        raise ValueError(f"state {state} is out of range: the automaton has states 0 .. {shape[0] - 1}")
    return in_alphabet(name, table, shape[0]) if isinstance(table, Tracer) else table


def marked(answers: Array, outside: Bool[Array, "..."], sentinel: int = OUTSIDE) -> Array:
    """Return the answers with NaN, or `sentinel` if they are integers, where `outside` holds on the leading axes.

    XLA fuses the selection with the computation of the answers: it costs no synchronisation and no measurable time.
    """
    mask = outside.reshape(outside.shape + (1,) * (answers.ndim - outside.ndim))
    nothing = sentinel if jnp.issubdtype(answers.dtype, jnp.integer) else jnp.nan
    return jnp.where(mask, jnp.asarray(nothing, answers.dtype), answers)


def strange(words: Integer[Array, "..."], axis: int = -1) -> Bool[Array, "..."]:
    """Return which words from `in_alphabet` hold a letter out of range; `axis` runs along a word."""
    return (words < 0).any(axis=axis)
