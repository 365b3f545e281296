"""Laws about what a network answers to words: the automaton it simulates, the formula it computes, and causality."""

from __future__ import annotations

from typing import Any

import numpy as np

from depthjax import dtypes
from depthjax.testing.network import all_words, check_letters, outputs, shown, table_of, unlike, word_shown

SAMPLED = 32
"""Words that `causal` takes where there are too many for all of them."""


def simulates(run: Any, automaton: Any, length: int, *, state: int = 0) -> None:
    """Assert that a network gives the state of an automaton after every letter of all words up to a length.

    Words of the full length are read, and every position is judged, so each shorter word is tried as a prefix; `causal` says
    that the network reads it in the same way alone.

    Args:
        run: A network; its answers are states (batch, length), or scores (batch, length, states), the largest counts.
        automaton: Has a ``table``, or is one: ``table[state, letter]`` is the next state.
        length: Length of the words.
        state: State before the first letter.

    Raises:
        AssertionError: Some word is answered wrongly; the message names the shortest, and of these the first.
        ValueError: The answers have another shape, the alphabets differ, or there are too many words.
        TypeError: The network cannot be called or compiled.

    Cost: one compilation for each structure of the network and length; letters^length words in batches of 256.

    >>> import jax.numpy as jnp
    >>> simulates(lambda tokens: jnp.cumsum(tokens, axis=1) % 2, [[0, 1], [1, 0]], 5)
    >>> simulates(lambda tokens: jnp.cumsum(tokens, axis=1) % 3, [[0, 1], [1, 0]], 5)
    Traceback (most recent call last):
    AssertionError: the network does not simulate the automaton. The first wrong word is (1, 1): after it comes 2, ...
    """
    table = table_of(automaton)
    if not 0 <= state < len(table):
        raise ValueError(f"state = {state}: expected a state of the automaton, 0 .. {len(table) - 1}")
    words = all_words(table.shape[1], length)
    check_letters(run, table.shape[1])
    states, now = np.zeros(words.shape, np.int64), np.full(len(words), state)
    for position in range(length):
        now = states[:, position] = table[now, words[:, position]]
    found = _decided(outputs(run, words), len(table), "states of the automaton")
    _same(found, states, words, "the network does not simulate the automaton", "after it comes")


def computes(run: Any, formula: Any, length: int, *, letters: Any = None) -> None:
    """Assert that a network gives the truth of a formula at every position of all words up to a length.

    Words of the full length try all shorter ones as prefixes. If the formula looks ahead, its truth depends on what follows,
    and every length is tried by itself, with a compilation for each.

    Args:
        run: A network; its answers are truth values or scores, positive for true, (batch, length), or scores for false and
            true, (batch, length, 2).
        formula: Has ``evaluate(words, letters)``, which gives bool (words, length), and ``letters``, the letters that occur; as
            the formulas of `theory.logic`.
        length: Length of the words.
        letters: The alphabet; letter i of it is token i. None for the letters that occur.

    Raises:
        AssertionError: Some word is answered wrongly; the message names the shortest, and of these the first.
        ValueError: The answers have another shape, the alphabets differ, or there are too many words.
        TypeError: The formula has no ``evaluate``, or the network cannot be called or compiled.

    Cost: as for `simulates`.

    >>> class EndsWithB:
    ...     letters = ("a", "b")
    ...     def evaluate(self, words, letters):
    ...         return words == letters.index("b")
    >>> computes(lambda tokens: tokens == 1, EndsWithB(), 4)
    >>> computes(lambda tokens: tokens == 0, EndsWithB(), 4)
    Traceback (most recent call last):
    AssertionError: the network does not compute the formula. The first wrong word is (0,): its truth comes as 1, ...
    """
    if not callable(getattr(formula, "evaluate", None)):
        raise TypeError(
            f"formula = {formula!r:.60}: expected an object with a method evaluate(words, letters), such as the formulas of "
            "theory.logic; parse a text first"
        )
    alphabet = tuple(formula.letters if letters is None else letters)
    words = all_words(len(alphabet), length)
    check_letters(run, len(alphabet))
    whole = np.asarray(formula.evaluate(words, alphabet))
    ahead = any(
        (np.asarray(formula.evaluate(words[:, :short], alphabet)) != whole[:, :short]).any() for short in range(1, length)
    )
    for short in range(1 if ahead else length, length + 1):
        tried = all_words(len(alphabet), short)
        truth = np.asarray(formula.evaluate(tried, alphabet))
        scores = _decided(outputs(run, tried), 2, "truth values")
        found = np.where(np.isnan(scores), -1, scores > 0)
        _same(found, truth.astype(int), tried, "the network does not compute the formula", "its truth comes as")


def causal(network: Any, letters: Any, length: int) -> None:
    """Assert that no answer depends on later letters.

    Every word is compared with the words that differ from it in one letter, all words where there are few, else 32 drawn ones.

    Args:
        network: A network with any answers of shape (batch, length, ...).
        letters: Number of letters, or an object with a ``table`` (states, letters).
        length: Length of the words, at least 2.

    Raises:
        AssertionError: An answer changes with a later letter; the message names the earliest answer that does.
        ValueError: The answers have another shape, or the alphabets differ.
        TypeError: The network cannot be called or compiled.

    Cost: one compilation; at most 256 words, and length - 1 variants of each.

    >>> import jax.numpy as jnp
    >>> causal(lambda tokens: jnp.cumsum(tokens, axis=1), 2, 4)
    >>> causal(lambda tokens: tokens[:, ::-1], 2, 4)
    Traceback (most recent call last):
    AssertionError: the network is not causal: on (0, 0, 0, 0) the answer at position 0 is 0, and 1 when the letter ...
    """
    count = table_of(letters).shape[1] if hasattr(letters, "table") else int(letters)
    if length < 2 or count < 2:
        raise ValueError(
            f"letters = {count}, length = {length}: expected at least 2 of both, so that a later letter can change"
        )
    check_letters(network, count)
    if count**length <= 256:
        words = all_words(count, length)
    else:
        words = np.random.default_rng(0).integers(0, count, (SAMPLED, length)).astype(np.int32)
        words[0] = 0
    places = np.arange(1, length)
    variants = np.repeat(words[:, None], len(places), axis=1)
    variants[:, places - 1, places] = (variants[:, places - 1, places] + 1) % count
    answers = outputs(network, np.concatenate([words, variants.reshape(-1, length)]))
    plain, changed = answers[: len(words), None], answers[len(words) :].reshape(len(words), len(places), *answers.shape[1:])
    wrong = unlike(changed, np.broadcast_to(plain, changed.shape)).reshape(*changed.shape[:3], -1).any(axis=-1)
    wrong &= np.arange(length) < places[:, None]  # only answers before the changed letter
    if not wrong.any():
        return
    at = int(np.argmax(wrong.any(axis=(0, 1))))
    word, place = (int(i) for i in np.argwhere(wrong[:, :, at])[0])
    raise AssertionError(
        f"the network is not causal: on {word_shown(words[word])} the answer at position {at} is {shown(plain[word, 0, at])}, "
        f"and {shown(changed[word, place, at])} when the letter at position {places[place]} becomes "
        f"{variants[word, place, places[place]]}; expected no change (positions count from 0)"
    )


def _decided(answers: np.ndarray, classes: int, what: str) -> np.ndarray:
    """Answers (words, length) as they are, or the class of the largest score."""
    if answers.ndim == 2:
        return answers
    if answers.ndim != 3 or answers.shape[2] < classes:
        raise ValueError(
            f"the network gives shape {answers.shape} (words, length, ...): expected (words, length), or scores "
            f"(words, length, {classes}) for the {classes} {what}"
        )
    scores = dtypes.wide(answers)
    return np.where(np.isnan(scores).any(axis=2), -1, scores.argmax(axis=2))


def _same(found: np.ndarray, expected: np.ndarray, words: np.ndarray, failure: str, meaning: str) -> None:
    wrong = unlike(found, expected)
    if not wrong.any():
        return
    at = int(np.argmax(wrong.any(axis=0)))
    row = int(np.argmax(wrong[:, at]))
    raise AssertionError(
        f"{failure}. The first wrong word is {word_shown(words[row, : at + 1])}: {meaning} {shown(found[row, at])}, expected "
        f"{shown(expected[row, at])}. Of the {len(words)} words of length {words.shape[1]}, {wrong.any(axis=1).sum()} go wrong "
        "somewhere."
    )
