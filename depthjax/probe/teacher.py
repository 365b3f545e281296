"""A network that answers the questions of a learner: words in batches of one shape, each answer checked and kept.

The answer at a position must depend on the letters up to it alone. So one word of full length answers all its prefixes, a
shorter word is continued at random, and its continuation is a random test of its own. Where a prefix is answered twice the two
answers are compared: a network that is not causal is refused with the two words.
"""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from depthjax.adapters.letters import unknown_letters
from depthjax.adapters.modes import unsteady
from depthjax.adapters.network import adapted
from depthjax.checks import at_least
from depthjax.readout import head_of

ROWS = 256  # words of a batch: the shape of the one compiled program
AGAIN = 4  # batches in which words are asked again
FEW = 7  # words of a batch of another size
LETTERS = 2**27  # of all words that are asked: with the answers, 2 GiB

NO_NUMBER = (
    "the network's answer to the word {word} is not a number (NaN, or a negative class): an automaton answers every word; look "
    "for an overflow, or for a letter that the network does not know"
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
        head: How the network's outputs are read.
        whole_words: Whether the network answers words as a whole, so that every prefix is a question of its own.
        words: All words that were asked, of full length.
        answers: Answers after every letter of these words.

    Args:
        apply: A network, as `depthjax.adapters` takes them, with answers that `depthjax.readout` can read. Tokens are an int32
            array of one shape, so it is compiled once, and once more for a small batch (whole words: for each length).
        alphabet: The tokens, or their number.
        length: Number of letters of the longest words, at least 1.
        queries: Largest number of words that are asked.
        seed: Seed of the random continuations.
        threshold: A single logit above it is the answer 1; None stands for 0.
        answer: Which part of the outputs is the answer.

    Raises:
        TypeError: `apply` is no network or does not return one array, or `alphabet`, `length` or `queries` are not integers.
        ValueError: A size is too small, a token is given twice, or the network's answers have another shape, are not numbers,
            do not exist for a token, differ from batch to batch or are not causal; or the words do not fit into memory.
    """

    def __init__(
        self,
        apply: Any,
        alphabet: int | Sequence[int],
        length: int,
        queries: int,
        seed: int = 0,
        threshold: float | int | None = None,
        answer: Any = None,
    ):
        self.length = at_least("length", length, 1, "an empty word has no last letter at which to answer")
        self.queries = at_least("queries", queries, 1, "nothing is learned of a network without asking it")
        if (most := max(self.queries, ROWS) * self.length) > LETTERS:
            raise ValueError(
                f"length = {length} with queries = {queries}: the words would have {most} letters, {most * 16 / 2**30:.3g} GiB "
                f"with their answers, and at most {LETTERS} are kept; ask fewer or shorter words"
            )
        self.alphabet = _tokens(alphabet, self.queries)
        self.asked = 0
        self.words = np.empty((0, self.length), int)
        self.answers = np.empty((0, self.length), int)
        self._apply = adapted(apply, answer)
        self._draw = np.random.default_rng(at_least("seed", seed, 0, "it begins a stream of random numbers"))
        self._known: dict[Word, int] = {}
        self._refuse_letters()
        varied = np.asarray(self.alphabet, np.int32)[np.random.default_rng(seed).integers(0, self.letters, (ROWS, self.length))]
        self.head = head_of(self._apply, varied, threshold=threshold)
        self.whole_words = self.head.whole
        self._introduce()

    @property
    def letters(self) -> int:
        """Number of letters of the alphabet."""
        return len(self.alphabet)

    @property
    def note(self) -> str:
        """What a reader should know of how the network was asked; empty for compiled ones."""
        return self._apply.note

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
        longest = max(map(len, words), default=0)
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
        batches = [self._batch(full[at : at + ROWS]) for at in range(0, len(full), ROWS)]
        answers = np.concatenate([self.answers[:0], *batches])
        self.words, self.answers = np.concatenate([self.words, full]), np.concatenate([self.answers, answers])
        for word, row, found in zip(words, full, answers.tolist(), strict=True):
            self._keep(tuple(row.tolist()), found, len(word))
        return answers

    def _batch(self, words: np.ndarray) -> np.ndarray:
        """The answers to at most `ROWS` words; missing rows repeat the first word."""
        rows = np.concatenate([words, np.repeat(words[:1], ROWS - len(words), axis=0)])
        found = self._every_position(rows)[: len(words)]
        if (wrong := np.argwhere(found < 0)).size:
            word = self.spelled(words[wrong[0, 0], : wrong[0, 1] + 1].tolist())
            raise ValueError(NO_NUMBER.format(word=word))
        return found

    def _every_position(self, words: np.ndarray) -> np.ndarray:
        """The answers to words after every letter, -1 where there is none; prefix by prefix if words are answered whole."""
        tokens = np.asarray(self.alphabet, np.int32)[words]
        if not self.whole_words:
            return self._classes(tokens)
        return np.stack([self._classes(tokens[:, :end]) for end in range(1, self.length + 1)], axis=1)

    def _classes(self, tokens: np.ndarray) -> np.ndarray:
        """The network's answers as integers, `NO_ANSWER` where they are not numbers."""
        return self.head.answers(self._apply(tokens), tokens.shape)

    def _refuse_letters(self) -> None:
        """Refuse letters for which the network has no row, or fails."""
        unknown: dict[int, Any] = {
            token: "the network has no row for it" + ("" if self._apply.host else ", and JAX would read another letter's")
            for token in unknown_letters(self._apply, self.alphabet, (ROWS, self.length))
        }
        tokens = [token for token in self.alphabet if token not in unknown]
        for at in range(0, len(tokens), ROWS):
            rows = np.resize(np.array(tokens[at : at + ROWS], np.int32), ROWS)
            try:
                self._apply(np.repeat(rows[:, None], self.length, axis=1))
            except (ValueError, IndexError):  # of numpy, say; one of these letters is unknown
                unknown |= {token: error for token in tokens[at : at + ROWS] if (error := self._failure(token)) is not None}
        self._no_answers(unknown)

    def _failure(self, token: int) -> Exception | None:
        try:
            self._apply(np.full((ROWS, self.length), token, np.int32))
        except (ValueError, IndexError) as error:
            return error
        return None

    def _no_answers(self, unknown: dict[int, Any]) -> None:
        if unknown:
            found = next(iter(unknown.values()))
            if len(unknown) == self.letters and isinstance(found, Exception):  # it fails whatever it reads
                raise ValueError(str(found)) from found
            letters = "every letter" if len(unknown) == self.letters else f"letter {', '.join(map(str, unknown))}"
            raise ValueError(f"{letters} of the alphabet has no answers: {found}")

    def _introduce(self) -> None:
        """Ask for every letter alone, then for random words in two batches, and with two endings each.

        The network must be a function of the word, and causal.
        """
        unknown = {}
        for at in range(0, self.letters, ROWS):
            letters = np.resize(np.arange(at, min(at + ROWS, self.letters)), ROWS)
            found = self._every_position(np.repeat(letters[:, None], self.length, axis=1))
            for letter in np.unique(letters[(found < 0).any(axis=1)]).tolist():
                unknown[self.alphabet[letter]] = NO_NUMBER.format(word=self.spelled([letter]))
        self._no_answers(unknown)
        first = self.random_words(ROWS // 2)
        answers = self._batch(first)
        for _ in range(AGAIN):
            company = self.random_words(ROWS // 2)
            self._check_steady(first, answers, self._batch(np.concatenate([company, first[::-1]]))[: -len(first) - 1 : -1])
        few = first[:FEW]
        try:
            alone = self._every_position(few)
        except Exception:  # a network may be built for batches of one size
            alone = answers[:FEW]
        self._check_steady(few, answers[:FEW], alone)
        if self.length > 1 and not self.whole_words:
            second, ends = self.random_words(len(first)), self._draw.integers(1, self.length, len(first))
            shared = np.arange(self.length) < ends[:, None]
            second = np.where(shared, first, second)
            other = self._batch(second)
            wrong = np.argwhere((answers != other) & shared)
            if len(wrong):
                row, at = wrong[0].tolist()
                self._refuse(
                    tuple(first[row].tolist()),
                    tuple(second[row].tolist()),
                    at + 1,
                    *(int(x[row, at]) for x in (answers, other)),
                )

    def _check_steady(self, words: np.ndarray, one: np.ndarray, other: np.ndarray) -> None:
        wrong = np.argwhere(one != other)
        if len(wrong):
            row, at = wrong[0].tolist()
            word = str(self.spelled(words[row, : at + 1].tolist()))
            raise ValueError(
                unsteady(self._apply.given, word, str(one[row, at]), f"{other[row, at]} (or two logits tie up to rounding)")
            )

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


def _tokens(alphabet: int | Sequence[int], queries: int) -> tuple[int, ...]:
    count: Any = alphabet
    if not isinstance(alphabet, str):
        with contextlib.suppress(TypeError):  # a number has no length
            count = len(alphabet)  # type: ignore[arg-type]
    if at_least("alphabet", count, 0) > max(queries, ROWS):
        raise ValueError(
            f"alphabet = {count} letters and queries = {queries}: every letter is a word that must be asked; allow more queries"
        )
    if count is alphabet:
        return tuple(range(at_least("alphabet", count, 1, "words need a letter")))
    tokens = tuple(at_least("each letter", token, 0, "tokens number the rows of an embedding") for token in alphabet)  # type: ignore[union-attr]
    at_least("the number of letters", len(tokens), 1, "words need a letter")
    if max(tokens) > np.iinfo(np.int32).max:
        raise ValueError(f"the letter {max(tokens)}: expected tokens of int32, in which the network is asked")
    if len(set(tokens)) < len(tokens):
        raise ValueError(f"alphabet = {tokens}: a letter is given twice; give every token of the network once")
    return tokens
