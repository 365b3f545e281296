"""The law that a network sees no order: what it answers moves along with the letters, or stays if there is one answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from depthjax.adapters.network import adapted
from depthjax.checks import at_least
from depthjax.testing.network import (
    BATCH,
    TOKENS,
    asked,
    given_words,
    letters_of,
    outputs,
    replay,
    shown,
    spelled,
    unlike,
    word_shown,
)
from depthjax.testing.words import SAMPLED, asked_of


def permutation_equivariant(
    network: Any, letters: Any, length: int | None = None, *, answer: Any = None, words: Any = None
) -> str:
    """Assert that a network sees no order: if letters change places, its answers change places with them.

    Neighbours change places, which generates all permutations. An answer for the whole word must stay. Answers are compared in
    the first half of their digits, since sums in another order round otherwise.

    Args:
        network: A network of any library (`depthjax.adapters`), with any answers of shape (batch, length, ...) or (batch, ...).
        letters: Number of letters, or an object with a ``table`` (states, letters).
        length: Length of the words, at least 2: all of them where there are few, else 32 drawn ones.
        answer: Which part of the outputs is the answer, as in answer="logits".
        words: The words to try instead, such as the one that a failure names.

    Returns:
        Which words were tried.

    Raises:
        AssertionError: An answer does not move along; the message names the first word and the two places. Or an answer is NaN,
            or another one in another batch.
        ValueError: A size is too small, or the network has no row for a letter.
        TypeError: The network cannot be called.

    Cost: two or three compilations; at most 256 words, and length - 1 variants of each.

    >>> import jax.numpy as jnp
    >>> permutation_equivariant(lambda tokens: tokens - tokens.min(axis=1, keepdims=True), 3, 4)
    'all 81 words of length 4, each with every two neighbours exchanged'
    >>> permutation_equivariant(lambda tokens: jnp.cumsum(tokens, axis=1), 2, 4)
    Traceback (most recent call last):
    AssertionError: the network sees the order of letters: on (0, 0, 0, 1) the answer to the letter at position 2 is 0, and ...
    """
    network, count = adapted(network, answer), letters_of(letters)
    if words is not None:
        words, which = given_words(words, count)
    elif length is None or at_least("length", length, 0) < 2 or count < 2:
        raise ValueError(
            f"letters = {count}, length = {length}: expected at least 2 of both, so that letters can change places"
        )
    elif length**2 > TOKENS:
        raise ValueError(f"length must be smaller, got {length}: a word with its variants has {length**2} letters")
    elif length <= 8 and count**length <= BATCH:
        words, which = spelled(count, length, BATCH)
    else:
        number = min(SAMPLED, TOKENS // length**2)
        words = np.random.default_rng(0).integers(0, count, (number, length)).astype(np.int32)
        which = f"{number} drawn words of length {length}"
    size = words.shape[1]
    orders = np.tile(np.arange(size), (size - 1, 1))
    for place, order in enumerate(orders):
        order[[place, place + 1]] = place + 1, place
    variants = words[:, orders]
    found = asked(network, np.concatenate([words, variants.reshape(-1, size)]), count)
    plain = found[: len(words)]
    changed = found[len(words) :].reshape(len(words), size - 1, *found.shape[1:])
    everywhere = found.ndim > 1 and found.shape[1] == size
    if everywhere and found.ndim == 2 and size > 1:  # as many classes as letters?
        everywhere = outputs(network, words[:1, :-1]).shape[1:] == (size - 1,)
    expected = plain[:, orders] if everywhere else np.broadcast_to(plain[:, None], changed.shape)
    wrong = unlike(changed, expected).reshape(*changed.shape[: 2 + everywhere], -1).any(axis=-1)
    if not wrong.any():
        return asked_of(network, f"{which}, each with every two neighbours exchanged")
    row, place, *at = (int(i) for i in np.argwhere(wrong)[0])
    where = f"the answer to the letter at position {orders[place, at[0]]}" if everywhere else "the answer"
    numbers = [shown(side[row, place, at[0]] if everywhere else side[row, place]) for side in (expected, changed)]
    raise AssertionError(
        f"the network sees the order of letters: on {word_shown(words[row])} {where} is {numbers[0]}, and {numbers[1]} when "
        f"the letters at positions {place} and {place + 1} change places (positions count from 0). "
        + replay(f"permutation_equivariant(network, {count}, words=[{word_shown(words[row])}]", answer=network.answer)
    )
