"""Laws about what a network answers to words: the automaton it simulates, the formula it computes, and causality."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from depthjax.adapters.network import Adapted, adapted
from depthjax.checks import at_least
from depthjax.readout import head_of
from depthjax.testing.network import (
    BATCH,
    TOKENS,
    asked,
    given_words,
    letters_of,
    outputs,
    replay,
    roundings,
    shown,
    spelled,
    state_of,
    table_of,
    unlike,
    word_shown,
)

SAMPLED = 32
"""Words that `causal` takes where there are too many for all of them."""


def simulates(
    run: Any,
    automaton: Any,
    length: int | None = None,
    *,
    state: int = 0,
    samples: int = 4096,
    threshold: float | int | None = None,
    answer: Any = None,
    words: Any = None,
) -> str:
    """Assert that a network gives the state of an automaton after every letter of all words up to a length.

    Words of the full length are read, and every position is judged, so each shorter word is tried as a prefix; `causal` says
    that the network reads it in the same way alone. A network that answers for the whole word is asked for every prefix.

    Args:
        run: A network of any library (`depthjax.adapters`). Its answers are states, or scores of the states, the largest
            counts; or, of two states, one logit, positive for state 1. They have shape (batch, length) or
            (batch, length, states or 1), or no axis of positions if they are for the whole word: `depthjax.readout` has the
            table.
        automaton: Has a ``table``, or is one: ``table[state, letter]`` is the next state. Of a `theory.automata.Dfa` the states
            are compared; `computes` compares whether it accepts.
        length: Length of the words. All of them are tried where there are at most 65536; else `samples` of them.
        state: State before the first letter.
        samples: Number of words that are drawn where there are too many for all: the powers of the letters, and uniform words.
        threshold: A single logit above it is state 1, such as 0.5 for probabilities. None stands for 0.
        answer: Which part of the outputs is the answer, as in answer="logits"; `depthjax.adapters` has the forms.
        words: Words of one length that are tried instead, such as the one that a failure names.

    Returns:
        Which words were tried, such as "all 32 words of length 5" or "4096 drawn words of the about 2^40 of length 40".

    Raises:
        AssertionError: Some word is answered wrongly; the message names the shortest, and of these the first. Or an answer is
            NaN, or another one in another batch.
        ValueError: The answers have another shape, the network has no row for a letter, or the words do not fit into memory.
        TypeError: The network cannot be called or compiled, or does not return one array of real numbers.

    Cost: two or three compilations for each structure of the network and length (one for each length if it answers whole
    words); at most 65536 words in batches of 256.

    >>> import jax.numpy as jnp
    >>> simulates(lambda tokens: jnp.cumsum(tokens, axis=1) % 2, [[0, 1], [1, 0]], 5)
    'all 32 words of length 5'
    >>> simulates(lambda tokens: jnp.cumsum(tokens, axis=1) % 3, [[0, 1], [1, 0]], 5)
    Traceback (most recent call last):
    AssertionError: the network does not simulate the automaton. The first wrong word is (1, 1): after it comes 2, ...
    """
    run, table = adapted(run, answer), table_of(automaton)
    state = state_of(table, state)
    words, which = _tried(words, table.shape[1], length, samples)
    states = states_of(table, words, state)
    found = judged_by(run, words, table.shape[1], len(table), threshold)
    failure, given = "the network does not simulate the automaton", {"threshold": threshold, "answer": run.answer}
    call = "simulates(run, automaton"
    _same(found, states, words, which, failure, "after it comes", call, state=state or None, **given)
    return asked_of(run, which)


def computes(
    run: Any,
    formula: Any,
    length: int | None = None,
    *,
    letters: Any = None,
    samples: int = 4096,
    threshold: float | int | None = None,
    answer: Any = None,
    words: Any = None,
) -> str:
    """Assert that a network gives the truth of a formula at every position of all words up to a length.

    Words of the full length try all shorter ones as prefixes. If the formula looks ahead, its truth depends on what follows,
    and every length is tried by itself, with a compilation for each.

    Args:
        run: A network. Its answers are truth values, one logit, positive for true, or scores for false and true; for every
            position, or for the whole word: `depthjax.readout` has the table.
        formula: Has ``evaluate(words, letters)``, which gives bool (words, length), and ``letters``, the letters that occur; as
            the formulas of `theory.logic`. Or a `theory.automata.Dfa`: the truth is whether it accepts the word so far.
        length: Length of the words. All of them are tried where there are at most 65536; else `samples` of them.
        letters: The alphabet; letter i of it is token i. None for the letters that occur.
        samples: As for `simulates`.
        threshold: A single logit above it is true, such as 0.5 for probabilities. None stands for 0.
        answer: As for `simulates`.
        words: As for `simulates`.

    Returns:
        Which words were tried.

    Raises:
        AssertionError: Some word is answered wrongly; the message names the shortest, and of these the first. Or an answer is
            NaN, or another one in another batch.
        ValueError: The answers have another shape, the network has no row for a letter, or the words do not fit into memory.
        TypeError: The formula has no ``evaluate``, or the network cannot be called or compiled.

    Cost: as for `simulates`.

    >>> class EndsWithB:
    ...     letters = ("a", "b")
    ...     def evaluate(self, words, letters):
    ...         return words == letters.index("b")
    >>> computes(lambda tokens: tokens == 1, EndsWithB(), 4)
    'all 16 words of length 4'
    >>> computes(lambda tokens: tokens == 0, EndsWithB(), 4)
    Traceback (most recent call last):
    AssertionError: the network does not compute the formula. The first wrong word is (0,): its truth comes as 1, ...
    """
    formula = _Accepted(formula) if hasattr(formula, "accepting") and callable(getattr(formula, "states", None)) else formula
    if not callable(getattr(formula, "evaluate", None)):
        raise TypeError(
            f"formula = {formula!r:.60}: expected an object with a method evaluate(words, letters), such as the formulas of "
            "theory.logic; parse a text first"
        )
    if letters is not None and not isinstance(letters, Iterable):
        raise TypeError(f"letters = {letters!r:.60}: expected the alphabet, as letters='abc'; letter i of it is token i")
    run, alphabet = adapted(run, answer), tuple(formula.letters if letters is None else letters)
    chosen = words
    words, which = _tried(words, len(alphabet), length, samples)
    longest = words.shape[1]
    whole = np.asarray(formula.evaluate(words, alphabet))
    ahead = any(
        (np.asarray(formula.evaluate(words[:, :short], alphabet)) != whole[:, :short]).any() for short in range(1, longest)
    )
    for short in range(1 if ahead else longest, longest + 1):
        tried, these = spelled(len(alphabet), short, samples) if chosen is None else (words[:, :short], which)
        truth = np.asarray(formula.evaluate(tried, alphabet))
        found = judged_by(run, tried, len(alphabet), 2, threshold, ahead=ahead)
        at = slice(-1, None) if found.shape[1] == 1 else slice(None)  # an answer for the whole word is that at its end
        failure = "the network does not compute the formula"
        given = {"letters": letters, "threshold": threshold, "answer": run.answer}
        call = "computes(run, formula"
        _same(found, truth[:, at].astype(int), tried, these, failure, "its truth comes as", call, **given)
    return asked_of(run, which)


class _Accepted:
    """Whether an automaton accepts, as a formula."""

    def __init__(self, automaton: Any):
        self.automaton, self.letters = automaton, tuple(automaton.letters)

    def evaluate(self, words: np.ndarray, letters: Any) -> np.ndarray:
        """Return whether each prefix of these words is accepted.

        Raises:
            ValueError: The letters are not those of the automaton.
        """
        if tuple(letters) != self.letters:
            raise ValueError(f"letters = {letters!r:.60}: the automaton has the letters {self.letters}, in this order")
        return np.asarray(self.automaton.accepting)[self.automaton.states(words)]


def causal(network: Any, letters: Any, length: int | None = None, *, answer: Any = None, words: Any = None) -> str:
    """Assert that no answer depends on later letters.

    Every word is compared with the words that differ from it in one letter, all words where there are few, else 32 drawn ones.
    The same program reads both, so answers may differ by a few roundings alone, 2 log2(2 length) of the largest answer: that
    much a transform over the whole word may leave, as in convolutions by FFT.

    Args:
        network: A network with any answers of shape (batch, length, ...).
        letters: Number of letters, or an object with a ``table`` (states, letters).
        length: Length of the words, at least 2.
        answer: As for `simulates`.
        words: As for `simulates`.

    Returns:
        Which words were tried.

    Raises:
        AssertionError: An answer changes with a later letter; the message names the earliest answer that does. Or an answer is
            NaN, or another one in another batch.
        ValueError: The answers have another shape, the network has no row for a letter, or the words do not fit into memory.
        TypeError: The network cannot be called or compiled.

    Cost: one compilation, two where the network looks rows up; at most 256 words, and length - 1 variants of each.

    >>> import jax.numpy as jnp
    >>> causal(lambda tokens: jnp.cumsum(tokens, axis=1), 2, 4)
    'all 16 words of length 4, each with every later letter changed'
    >>> causal(lambda tokens: tokens[:, ::-1], 2, 4)
    Traceback (most recent call last):
    AssertionError: the network is not causal: on (0, 0, 0, 0) the answer at position 0 is 0, and 1 when the letter ...
    """
    network, count = adapted(network, answer), letters_of(letters)
    if words is not None:
        words, which = given_words(words, count)
        length = words.shape[1]
    if length is None or at_least("length", length, 0) < 2 or count < 2:
        raise ValueError(
            f"letters = {count}, length = {length}: expected at least 2 of both, so that a later letter can change"
        )
    if length**2 > TOKENS:
        raise ValueError(
            f"length must be smaller, got {length}: a word with its {length - 1} variants has {length**2} letters, "
            f"{length**2 * 4 / 2**30:.3g} GiB, and a law reads at most {TOKENS} at a time"
        )
    if words is not None:
        pass
    elif length <= 8 and count**length <= BATCH:
        words, which = spelled(count, length, BATCH)
    else:
        number = min(SAMPLED, TOKENS // length**2)
        words = np.random.default_rng(0).integers(0, count, (number, length)).astype(np.int32)
        words[0], which = 0, f"{number} drawn words of length {length}"
    places = np.arange(1, length)
    variants = np.repeat(words[:, None], len(places), axis=1)
    variants[:, places - 1, places] = (variants[:, places - 1, places] + 1) % count
    answers = asked(network, np.concatenate([words, variants.reshape(-1, length)]), count)
    if answers.ndim < 2 or answers.shape[1] != length:
        raise ValueError(
            f"the network gives shape {answers.shape} (words, ...) for words of {length} letters: expected an answer for each "
            "position, (batch, length, ...); one answer for the whole word has no later letters"
        )
    plain, changed = answers[: len(words), None], answers[len(words) :].reshape(len(words), len(places), *answers.shape[1:])
    wrong = unlike(changed, np.broadcast_to(plain, changed.shape), roundings=roundings(length))
    wrong = wrong.reshape(*changed.shape[:3], -1).any(axis=-1)
    wrong &= np.arange(length) < places[:, None]  # only answers before the changed letter
    if not wrong.any():
        return asked_of(network, f"{which}, each with every later letter changed")
    at = int(np.argmax(wrong.any(axis=(0, 1))))
    word, place = (int(i) for i in np.argwhere(wrong[:, :, at])[0])
    raise AssertionError(
        f"the network is not causal: on {word_shown(words[word])} the answer at position {at} is {shown(plain[word, 0, at])}, "
        f"and {shown(changed[word, place, at])} when the letter at position {places[place]} becomes "
        f"{variants[word, place, places[place]]}; expected no change (positions count from 0). "
        + replay(f"causal(network, {count}, words=[{word_shown(words[word])}]", answer=network.answer)
    )


def asked_of(network: Adapted, which: str) -> str:
    """Return which words a network was asked, and how where it was not compiled."""
    return f"{which}; {network.note}" if network.note else which


def judged_by(
    run: Adapted, words: np.ndarray, letters: int, classes: int, threshold: float | int | None, *, ahead: bool = False
) -> np.ndarray:
    """The answers to words as integers, (words, length); those of whole words alone, (words, 1), if prefixes do not count."""
    given = asked(run, words, letters)
    head = head_of(
        lambda tokens: given if tokens is words else outputs(run, tokens), words, classes=classes, threshold=threshold
    )
    if not head.whole:
        return head.answers(given, words.shape)
    last = head.answers(given, words.shape)[:, None]
    if ahead:
        return last
    found = []
    for short in range(1, words.shape[1]):
        prefixes, number = np.unique(words[:, :short], axis=0, return_inverse=True)
        found.append(head.answers(asked(run, prefixes, letters), prefixes.shape)[number.ravel(), None])
    return np.concatenate([*found, last], axis=1)


def states_of(table: np.ndarray, words: np.ndarray, state: int) -> np.ndarray:
    """Return the states of an automaton after every letter of words, from a state on."""
    states, now = np.zeros(words.shape, np.int64), np.full(len(words), state)
    for position in range(words.shape[1]):
        now = states[:, position] = table[now, words[:, position]]
    return states


def first_wrong(found: np.ndarray, expected: np.ndarray) -> tuple[int, int] | None:
    """Return the first word with the earliest wrong answer, and the place of the answer; None if all are right."""
    wrong = found != expected
    if not wrong.any():
        return None
    at = int(np.argmax(wrong.any(axis=0)))
    return int(np.argmax(wrong[:, at])), at


def _tried(words: Any, letters: int, length: int | None, samples: int) -> tuple[np.ndarray, str]:
    """The given words, or those of a length."""
    if words is not None:
        return given_words(words, letters)
    if length is None:
        raise TypeError("the law needs the length of the words, or words=[...] to try")
    return spelled(letters, length, samples)


def _same(
    found: np.ndarray,
    expected: np.ndarray,
    words: np.ndarray,
    which: str,
    failure: str,
    meaning: str,
    call: str,
    **given: Any,
) -> None:
    wrong = first_wrong(found, expected)
    if wrong is None:
        return
    row, at = wrong
    word = word_shown(words[row, : at + 1 + words.shape[1] - found.shape[1]])
    raise AssertionError(
        f"{failure}. The first wrong word is {word}: {meaning} {shown(found[row, at])}, expected "
        f"{shown(expected[row, at])}. Of {'the ' * which.startswith('all')}{which.removeprefix('all ')}, "
        f"{(found != expected).any(axis=1).sum()} go wrong somewhere. {replay(f'{call}, words=[{word}]', **given)}"
    )
