"""A network that answers the questions of a learner: words in batches of one shape, each answer checked and kept.

The answer at a position must depend on the letters up to it alone. So one word of full length answers all its prefixes, a
shorter word is continued at random, and its continuation is a random test of its own. Where a prefix is answered twice the two
answers are compared: a network that is not causal is refused with the two words.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Int

from depthjax import dtypes
from depthjax.checks import at_least

ROWS = 256  # words of a batch: the shape of the one compiled program
NO_PROGRAM = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)

Word = tuple[int, ...]


class OutOfQueries(Exception):
    """The learner may ask no further word, or needs a word that is longer than the network is asked."""


class Teacher:
    """A network as the answers to words over an alphabet.

    Attributes:
        alphabet: The network's tokens. A word is a tuple of their positions here.
        length: Number of letters of the words that are asked.
        queries: Number of words that may be asked.
        asked: Number of words that were asked.
        whole_words: Whether the network answers words as a whole, so that every prefix is a question of its own.
        words: All words that were asked, of full length.
        answers: Answers after every letter of these words.

    Args:
        apply: Tokens (batch, length) -> logits (batch, length, classes) or integer answers (batch, length) at every position;
            or logits (batch, classes) or integer answers (batch,) of whole words. Tokens are an int32 array of one shape,
            so a compiled function is compiled once (whole words: once for each length).
        alphabet: The tokens, or their number.
        length: Number of letters of the longest words, at least 1.
        queries: Largest number of words that are asked.
        seed: Seed of the random continuations.

    Raises:
        TypeError: `apply` does not return an array, or `alphabet`, `length` or `queries` are not integers.
        ValueError: A size is too small, a token is given twice, or the network's answers have another shape, are not numbers,
            do not exist for a token or are not causal.
    """

    def __init__(self, apply: Callable[..., Any], alphabet: int | Sequence[int], length: int, queries: int, seed: int = 0):
        self.length = at_least("length", length, 1, "an empty word has no last letter at which to answer")
        self.queries = at_least("queries", queries, 1, "nothing is learned of a network without asking it")
        self.alphabet = _tokens(alphabet)
        self.asked = 0
        self.words = np.empty((0, self.length), int)
        self.answers = np.empty((0, self.length), int)
        self._apply = apply
        self._draw = np.random.default_rng(seed)
        self._known: dict[Word, int] = {}
        self.whole_words = self._answers_whole_words()
        self._introduce()

    @property
    def letters(self) -> int:
        """Number of letters of the alphabet."""
        return len(self.alphabet)

    @property
    def left(self) -> int:
        """Number of words that may still be asked."""
        return self.queries - self.asked

    def spelled(self, word: Sequence[int]) -> Word:
        """Return a word as tokens of the network."""
        return tuple(self.alphabet[letter] for letter in word)

    def random_words(self, number: int) -> Int[np.ndarray, "number length"]:
        """Return uniform words of full length."""
        return self._draw.integers(0, self.letters, (number, self.length))

    def known(self, word: Word) -> list[int] | None:
        """Return the answers after every letter of a word, or None if some of them were never asked for."""
        found = [self._known.get(word[:end]) for end in range(1, len(word) + 1)]
        return None if None in found else found  # type: ignore[return-value]

    def ask(self, words: Sequence[Word] | Int[np.ndarray, "number letters"]) -> Int[np.ndarray, "number length"]:
        """Return the network's answers after every letter of these words, each continued at random to the full length.

        Raises:
            OutOfQueries: There are more words than may still be asked, or one of them is too long.
            ValueError: An answer is not a number, or differs from the answer to the same prefix of an earlier word.
        """
        longest = max(map(len, words))
        if longest > self.length:
            raise OutOfQueries(
                f"the learner needs the answer to a word of {longest} letters, and words have at most {self.length}; "
                f"give length = {longest} or more if the network reads so far"
            )
        if len(words) > self.left:
            raise OutOfQueries(f"the learner needs more than queries = {self.queries} words; allow more of them")
        full = self.random_words(len(words))
        for row, word in zip(full, words, strict=True):
            row[: len(word)] = word
        self.asked += len(full)
        answers = np.concatenate([self._batch(full[at : at + ROWS]) for at in range(0, len(full), ROWS)])
        self.words, self.answers = np.concatenate([self.words, full]), np.concatenate([self.answers, answers])
        for word, row, found in zip(words, full, answers.tolist(), strict=True):
            self._keep(tuple(row.tolist()), found, len(word))
        return answers

    def _batch(self, words: np.ndarray) -> np.ndarray:
        """The answers to at most `ROWS` words; missing rows repeat the first word."""
        rows = np.concatenate([words, np.repeat(words[:1], ROWS - len(words), axis=0)])
        tokens = np.asarray(self.alphabet, np.int32)[rows]
        if self.whole_words:
            found = np.stack([self._classes(tokens[:, :end], (ROWS,)) for end in range(1, self.length + 1)], axis=1)
        else:
            found = self._classes(tokens, tokens.shape)
        found = found[: len(words)]
        if (wrong := np.argwhere(found < 0)).size:
            word = self.spelled(words[wrong[0, 0], : wrong[0, 1] + 1].tolist())
            raise ValueError(
                f"the network's answer to the word {word} is not a number (NaN, or a negative class): an automaton answers "
                "every word; look for an overflow, or for a letter that the network does not know"
            )
        return found

    def _classes(self, tokens: np.ndarray, *shapes: tuple[int, ...]) -> np.ndarray:
        """The network's answers as integers of one of these shapes, -1 where they are not numbers."""
        outputs = np.asarray(self._apply(tokens))
        if dtypes.is_exact(outputs.dtype):
            expected, classes = "(batch,) or (batch, length)", outputs
        elif dtypes.is_floating(outputs.dtype):
            expected = "(batch, classes) or (batch, length, classes)"
            classes = np.where(np.isnan(outputs).any(-1), -1, outputs.argmax(-1)) if outputs.ndim > 1 else outputs
        else:
            raise TypeError(
                f"apply returned {outputs.dtype}: expected logits (real numbers) or integer answers, because an automaton's "
                "outputs are classes"
            )
        if classes.shape not in shapes or dtypes.is_floating(classes.dtype):
            raise ValueError(
                f"apply returned {outputs.dtype} of shape {outputs.shape} for tokens of shape {tokens.shape}: "
                f"expected {expected}, logits or integer answers for every position or for every word; wrap the network, and "
                "drop the answer at a beginning-of-sequence token"
            )
        return classes.astype(int)

    def _answers_whole_words(self) -> bool:
        """Whether the answers have no axis of positions."""
        tokens = np.full((ROWS, self.length), self.alphabet[0], np.int32)
        whole = self._classes(tokens, (ROWS,), tokens.shape).ndim == 1
        if whole and self.length > 1:
            long, short = (np.shape(self._apply(part)) for part in (tokens, tokens[:, :-1]))
            if long != short:
                raise ValueError(
                    f"apply returned arrays of shape {long} for words of {self.length} letters and {short} for words of "
                    f"{self.length - 1}: expected one number of classes; scores for every position need an axis of classes, "
                    "(batch, length, classes), or integer answers (batch, length)"
                )
        return whole

    def _introduce(self) -> None:
        """Ask for every letter alone, then for random words with two endings each: the network must be causal."""
        unknown = {}
        for letter in range(self.letters):
            try:
                self._batch(np.full((1, self.length), letter))
            except (ValueError, IndexError) as error:
                unknown[self.alphabet[letter]] = error
        if unknown:
            letters = "every letter" if len(unknown) == self.letters else f"letter {', '.join(map(str, unknown))}"
            raise ValueError(f"{letters} of the alphabet has no answers: {next(iter(unknown.values()))}")
        if self.length > 1 and not self.whole_words:
            first = self.random_words(ROWS // 2)
            second, ends = self.random_words(len(first)), self._draw.integers(1, self.length, len(first))
            shared = np.arange(self.length) < ends[:, None]
            second = np.where(shared, first, second)
            answers = self._batch(np.concatenate([first, second]))
            wrong = np.argwhere((answers[: len(first)] != answers[len(first) :]) & shared)
            if len(wrong):
                row, at = wrong[0].tolist()
                one, other = answers[[row, len(first) + row], at].tolist()
                self._refuse(tuple(first[row].tolist()), tuple(second[row].tolist()), at + 1, one, other)

    def _keep(self, word: Word, answers: list[int], end: int) -> None:
        """Remember the answers to the prefixes that were asked for; the rest of a word is remembered in `words` alone."""
        for length in range(1, end + 1):
            before = self._known.setdefault(word[:length], answers[length - 1])
            if before != answers[length - 1]:
                earlier = next(tuple(row) for row in self.words.tolist() if tuple(row[:length]) == word[:length])
                self._refuse(earlier, word, length, before, answers[length - 1])

    def _refuse(self, first: Word, second: Word, length: int, one: int, other: int) -> None:
        raise ValueError(
            f"the network is not causal: after the letters {self.spelled(first[:length])} it answers {one} in the word "
            f"{self.spelled(first)} and {other} in the word {self.spelled(second)}. Its answer to a prefix depends on later "
            "letters (or on rounding, where two logits tie), so no automaton computes it; mask later positions, or let apply "
            "answer whole words"
        )


def _tokens(alphabet: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(alphabet, (int, np.integer)) or isinstance(alphabet, str):
        return tuple(range(at_least("alphabet", alphabet, 1, "words need a letter")))  # type: ignore[arg-type]
    tokens = tuple(at_least("each letter", token, 0, "tokens number the rows of an embedding") for token in alphabet)
    at_least("the number of letters", len(tokens), 1, "words need a letter")
    if len(set(tokens)) < len(tokens):
        raise ValueError(f"alphabet = {tokens}: a letter is given twice; give every token of the network once")
    return tokens
