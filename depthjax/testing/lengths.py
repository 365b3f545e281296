"""The law that a network which is right on short words is right on long ones."""

from __future__ import annotations

from typing import Any

from depthjax.adapters.network import adapted
from depthjax.checks import at_least
from depthjax.testing.network import replay, shown, spelled, state_of, table_of, word_shown
from depthjax.testing.words import asked_of, first_wrong, judged_by, states_of


def length_generalises(
    run: Any,
    automaton: Any,
    length: int,
    *,
    to: int,
    state: int = 0,
    samples: int = 1024,
    threshold: float | int | None = None,
    answer: Any = None,
) -> str:
    """Assert that a network follows an automaton on words up to a length, and on longer ones too.

    Words of `length` letters are tried first, then those of twice as many, and so on up to `to`: of each length all where there
    are few, else the powers of the letters and uniform ones.

    Args:
        run: A network of any library (`depthjax.adapters`), with answers as for `simulates`.
        automaton: As for `simulates`.
        length: Number of letters up to which the network must be right, such as that of the words that it was trained on.
        to: Number of letters of the longest words.
        state: State before the first letter.
        samples: Number of words of a length that are drawn where there are too many for all.
        threshold: As for `simulates`.
        answer: As for `simulates`.

    Returns:
        Which words were tried.

    Raises:
        AssertionError: Some word is answered wrongly; the message says up to which length the network is right, and names the
            shortest wrong word that was found. Or an answer is NaN, or another one in another batch.
        ValueError: `to` is not above `length`, or as `simulates`.
        TypeError: As `simulates`.

    Cost: log2(to / length) + 1 compilations; of a network that answers whole words, one for each length.

    >>> import jax.numpy as jnp
    >>> parity = lambda tokens: jnp.cumsum(tokens, axis=1) % 2
    >>> length_generalises(parity, [[0, 1], [1, 0]], 6, to=24)
    'all 64 words of length 6; all 4096 words of length 12; 1024 drawn words of the about 2^24 of length 24'
    >>> forgets = lambda tokens: jnp.where(jnp.arange(tokens.shape[1]) < 10, parity(tokens), 0)
    >>> length_generalises(forgets, [[0, 1], [1, 0]], 6, to=24)
    Traceback (most recent call last):
    AssertionError: the network does not generalise: right on all 64 words of length 6, it is wrong after 11 letters. ...
    """
    at_least("length", length, 1)
    at_least("to", to, length + 1, "longer words are those that nobody has tried")
    network, table, tried = adapted(run, answer), table_of(automaton), []
    state = state_of(table, state)
    for size in _doubled(length, to):
        words, which = spelled(table.shape[1], size, samples)
        states = states_of(table, words, state)
        found = judged_by(network, words, table.shape[1], len(table), threshold)
        wrong = first_wrong(found, states)
        if wrong is not None:
            row, at = wrong
            word = words[row, : at + 1]
            given = {"state": state or None, "threshold": threshold, "answer": network.answer}
            right = f"right on {tried[-1]}, it is wrong" if tried else "it is wrong already"
            raise AssertionError(
                f"the network does not generalise: {right} after {at + 1} letters. The first wrong word that was found is "
                f"{word_shown(word)}: after it comes {shown(found[row, at])}, expected {shown(states[row, at])}. "
                + replay(f"simulates(run, automaton, words=[{word_shown(word)}]", **given)
            )
        tried.append(which)
    return asked_of(network, "; ".join(tried))


def _doubled(length: int, to: int) -> list[int]:
    sizes = [length]
    while sizes[-1] < to:
        sizes.append(min(2 * sizes[-1], to))
    return sizes
