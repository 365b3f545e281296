"""How a law calls what it tests: one compilation for each structure and shape, and errors that name the smallest case."""

from __future__ import annotations

import math
import operator
import os
import shlex
from typing import Any

import jax
import numpy as np

from depthjax import dtypes
from depthjax.adapters.letters import unknown_letters
from depthjax.adapters.modes import unsteady
from depthjax.adapters.network import Adapted
from depthjax.checks import at_least

BATCH = 256
"""Words in one call: fewer are padded, more are cut into several calls."""
MOST = 2**16
"""Largest number of words that a law enumerates."""
AGAIN = 4
"""Batches in which words are asked again: two values that a batch decides at random agree by chance in one of 16 cases."""
TOKENS = 2**24
"""Largest number of letters that a law asks in all: 64 MiB, and as much again for each output."""


def outputs(network: Adapted, words: np.ndarray) -> np.ndarray:
    """Return what a network gives for words, shape (words, ...), computed in batches of one shape.

    Raises:
        TypeError: The network does not return one array.
        ValueError: The array has no axis of words.
    """
    rows = -(-len(words) // BATCH) * BATCH
    filled = np.concatenate([words, np.broadcast_to(words[:1], (rows - len(words), words.shape[1]))]).astype(np.int32)
    parts = [np.asarray(network(filled[at : at + BATCH])) for at in range(0, rows, BATCH)]
    if parts[0].shape[:1] != (BATCH,):
        raise ValueError(
            f"the network gives shape {parts[0].shape} for tokens of shape {(BATCH, words.shape[1])}: expected an answer for "
            "each position, (batch, length, ...), or for each word, (batch, ...); the law pads batches, so take shapes from "
            "the tokens"
        )
    return np.concatenate(parts)[: len(words)]


def asked(network: Adapted, words: np.ndarray, letters: int) -> np.ndarray:
    """Return what a network gives for words, after a check that it is a function of the word whose values are numbers.

    Words of the first batch are asked a second time, in other rows and in other company. On one device the program is the same,
    so the answers may differ by `roundings` alone.

    Raises:
        AssertionError: An answer is NaN or infinite, or another one in another batch.
        TypeError: The network cannot be called or compiled, or does not return one array.
        ValueError: It has no row for some letter, or its array has no axis of words.
    """
    check_letters(network, letters, words.shape[1])
    found = outputs(network, words)
    _check_finite(found, words)
    draw = np.random.default_rng(1)
    for _ in range(AGAIN):
        company = draw.integers(0, letters, (BATCH, words.shape[1]))
        rows = draw.permutation(BATCH)[: BATCH // 2]  # the others hold new words
        chosen = draw.integers(0, min(len(words), BATCH), len(rows))
        company[rows] = words[chosen]
        again = outputs(network, company)
        _check_finite(again, company)
        wrong = unlike(again[rows], found[chosen], roundings=roundings(words.shape[1])).reshape(len(rows), -1).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            word, answers = word_shown(words[chosen[row]]), (found[chosen[row]], again[rows[row]])
            raise AssertionError(unsteady(network.given, word, *map(shown, answers)))
    return found


def roundings(length: int) -> float:
    """Return by how many roundings, of the largest answer, two answers of one program to one prefix may differ.

    The same program rounds the same numbers alike, unless it sums over the whole word: a transform over a word, forth and back,
    as in convolutions by FFT, rounds once at each of log2(2 length) stages either way.
    """
    return 2 * math.log2(2 * length)


def _check_finite(found: np.ndarray, words: np.ndarray) -> None:
    numbers = dtypes.wide(found)
    if not dtypes.is_inexact(numbers.dtype):
        return
    bad = np.isnan(numbers) | (numbers == np.inf)  # minus infinity is the score of a class that is ruled out
    if bad.any():
        place = np.argwhere(bad)[0]
        at = place[1] if numbers.ndim > 1 and numbers.shape[1] == words.shape[1] else words.shape[1] - 1
        raise AssertionError(
            f"the network answers {numbers[tuple(place)]} to the word {word_shown(words[place[0], : at + 1])}: look for an "
            "overflow, or for a letter that it was not built for"
        )


def spelled(letters: int, length: int, samples: int) -> tuple[np.ndarray, str]:
    """Return all words of a length where there are at most `MOST`, else drawn ones, and which they are in words.

    The drawn words are the powers of the letters, and uniform ones.

    Raises:
        ValueError: A batch of such words would not fit into memory.
    """
    at_least("letters", letters, 1, "a word needs an alphabet")
    at_least("length", length, 1, "an empty word has no answers")
    at_least("samples", samples, 1, "a law tries a word")
    if length * math.log2(letters) <= math.log2(MOST):
        words = all_words(letters, length)
        return words, f"all {len(words)} words of length {length}" if letters > 1 else f"the only word of length {length}"
    if length * BATCH > TOKENS:
        raise ValueError(
            f"length must be smaller, got {length}: a batch of {BATCH} words has {length * BATCH} letters, and a law reads at "
            f"most {TOKENS} at a time"
        )
    number = min(samples, TOKENS // length)
    words = np.random.default_rng(0).integers(0, letters, (number, length), np.int32)
    powers = min(letters, number // 2)
    words[:powers] = np.arange(powers)[:, None]
    power = round(length * math.log2(letters))
    return words, f"{number} drawn word{'s' * (number != 1)} of the about 2^{power} of length {length}"


def given_words(words: Any, letters: int) -> tuple[np.ndarray, str]:
    """Return words that somebody chose, shape (words, length), and which they are in words.

    Raises:
        ValueError: They are not words of one length, or hold another letter.
    """
    try:
        found = np.asarray(words)
    except ValueError:
        found = np.empty(0)
    if found.ndim != 2 or not found.size or not dtypes.is_integer(found.dtype):
        raise ValueError(f"words = {words!r:.60}: expected words of one length, at least one, as [(0, 1, 1), (1, 0, 0)]")
    if found.min() < 0 or found.max() >= letters:
        raise ValueError(
            f"words hold the letter {found.max() if found.min() >= 0 else found.min()}: expected 0 .. {letters - 1}"
        )
    return found.astype(np.int32), f"{len(found)} given word{'s' * (len(found) > 1)} of length {found.shape[-1]}"


def replay(call: str, **given: Any) -> str:
    """Return how to try a failure again: the call of the law with the arguments that were given, and under pytest the command.

    >>> replay("causal(network, 2, words=[(0, 1)]", answer="logits", threshold=None).partition(", or")[0]
    "Replay: testing.causal(network, 2, words=[(0, 1)], answer='logits')"
    """
    call += "".join(
        f", {name}={name if callable(value) else repr(value)}" for name, value in given.items() if value is not None
    )
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    command = f", or: python -m pytest {shlex.quote(test)}" if test else ""
    return f"Replay: testing.{call}){command}"


def all_words(letters: int, length: int) -> np.ndarray:
    """Return all words of a length in lexicographic order, shape (letters^length, length).

    Raises:
        ValueError: There are more than `MOST`.

    >>> all_words(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    at_least("letters", letters, 1, "a word needs an alphabet")
    at_least("length", length, 1, "an empty word has no answers")
    if length * math.log2(letters) > math.log2(MOST):
        raise ValueError(
            f"length must be smaller, got {length}: {letters} letters spell about 2^{round(length * math.log2(letters))} "
            f"words, and a law enumerates at most {MOST}"
        )
    if letters == 1:
        return np.zeros((1, length), np.int32)
    return np.indices((letters,) * length, dtype=np.int32).reshape(length, -1).T


def check_letters(network: Adapted, letters: int, length: int) -> None:
    """Refuse a network that was built for fewer letters: one that says so by an attribute ``letters``, or has no row for some.

    Raises:
        ValueError: The two alphabets differ.
    """
    function = network.given[0] if isinstance(network.given, tuple) else network.given
    own = getattr(getattr(function, "__self__", function), "letters", None)
    if not isinstance(own, int):
        unknown = unknown_letters(network, range(letters), (BATCH, length))
        own = unknown[0] if unknown else letters
    if own < letters:
        raise ValueError(
            f"the network reads {own} letters, but the words are spelled with {letters}: expected at least as many; build it "
            "for the larger alphabet"
        )


def table_of(automaton: Any) -> np.ndarray:
    """Return the table of an automaton, of one that accepts, or a table itself, as integers of shape (states, letters).

    Raises:
        ValueError: There is no such table, or an entry is not a state.
    """
    machine = automaton if hasattr(automaton, "table") else getattr(automaton, "automaton", automaton)  # of one that accepts
    table = np.asarray(getattr(machine, "table", machine))
    if table.ndim != 2 or not table.size or not dtypes.is_integer(table.dtype):
        raise ValueError(
            f"automaton = {automaton!r:.60}: expected a table of next states, integers of shape (states, letters), or an "
            "object with such a `table`"
        )
    if table.min() < 0 or table.max() >= len(table):
        wrong = table.min() if table.min() < 0 else table.max()
        raise ValueError(f"the table holds {wrong}: expected states 0 .. {len(table) - 1}")
    return table


def state_of(table: np.ndarray, state: Any) -> int:
    """Return a state of a table, from which words are read.

    Raises:
        TypeError: It is no integer.
        ValueError: The table has no such state.
    """
    if isinstance(state, (bool, np.bool_)) or not isinstance(state, (int, np.integer)):
        raise TypeError(f"state = {state!r:.60}: expected the number of a state, 0 .. {len(table) - 1}")
    if not 0 <= state < len(table):
        raise ValueError(f"state = {state}: expected a state of the automaton, 0 .. {len(table) - 1}")
    return int(state)


def letters_of(letters: Any) -> int:
    """Return the number of letters of an alphabet: the number itself, or that of the columns of an automaton or its table.

    Raises:
        TypeError: It is neither.
        ValueError: There is no letter, or the table has an entry that is no state.
    """
    if hasattr(letters, "table") or hasattr(letters, "automaton") or np.ndim(letters) == 2:
        return table_of(letters).shape[1]
    try:
        return at_least("letters", operator.index(letters), 1, "a word needs an alphabet")
    except TypeError:
        raise TypeError(f"letters = {letters!r:.60}: expected their number, or an automaton with a table") from None


def along_letters(letters: Any, least: int = 0) -> int:
    """Return how many letters lie along the first axis of every array of a tree.

    Raises:
        ValueError: The arrays have no such axis, differ in it, or hold fewer letters than `least`.
    """
    shapes = [np.shape(leaf) for leaf in jax.tree.leaves(letters)]
    if len({shape[:1] for shape in shapes}) != 1 or not shapes[0] or shapes[0][0] < least:
        raise ValueError(
            f"letters have the shapes {shapes}: expected arrays with as many letters along the first axis of each, at least "
            f"{least}; a list is a tree of its entries, so pass numbers as an array"
        )
    return shapes[0][0]


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


def unlike(
    found: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    roundings: float | None = None,
    scale: float | None = None,
) -> np.ndarray:
    """Return where two arrays differ: integers exactly, others in the first half of their digits.

    Rounding errors stay far below half of the digits and a wrong program far above, so no law needs a tolerance of its own.
    Where it is known how often numbers are rounded, that many roundings are allowed instead. The scale is the largest expected
    number, unless it or tolerances are given. A NaN differs from everything, and an infinity equals itself.
    """
    found, expected = np.asarray(found), np.asarray(expected)
    rounded = [dtypes.eps(side.dtype) for side in (found, expected) if dtypes.is_inexact(side.dtype)]
    if not rounded:
        return np.asarray(found != expected, bool)
    found, expected = dtypes.wide(found), dtypes.wide(expected)
    with np.errstate(invalid="ignore"):
        distance = np.where(found == expected, 0.0, np.abs(found - expected))
        if rtol is not None:
            return ~(distance <= atol + rtol * np.abs(expected))
        size = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)) or 1.0 if scale is None else scale
        return ~(distance <= (max(rounded) ** 0.5 if roundings is None else roundings * max(rounded)) * size)


def shown(value: Any) -> str:
    """Return a number or a small array as short text."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}" if dtypes.is_floating(array.dtype) else str(array.item())
    return np.array2string(array, precision=6, threshold=12, separator=", ").replace("\n", "")


def word_shown(word: Any) -> str:
    """Return a word as text."""
    return "(" + ", ".join(map(str, np.asarray(word).tolist())) + ("," if len(word) == 1 else "") + ")"
