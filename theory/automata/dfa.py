"""Deterministic automata with accepting states: minimal automata of regular languages, and what they say about them."""

from __future__ import annotations

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np

from theory.automata.alphabet import listed
from theory.automata.cost import counts as counts_cost
from theory.automata.monoid import index_and_period
from theory.automata.semiautomaton import Semiautomaton
from theory.checks import integer
from theory.cost import Estimate, refuse
from theory.facts import fact

__all__ = ["Dfa"]

_Node = TypeVar("_Node", bound=Hashable)

FEW = 8192
"""Number of states from which on random words estimate how many more there are."""
_WORDS, _AT_ONCE, _LENGTH = 8192, 512, 64  # of the random words


@dataclasses.dataclass(frozen=True, eq=False)
class Dfa:
    """A deterministic automaton with accepting states; state 0 is the initial state.

    Attributes:
        automaton: States and letters.
        accepting: Bool array (states,).
        letters: Names of the letters.

    Raises:
        ValueError: There is not one truth value for each state, or not one name for each letter.
    """

    automaton: Semiautomaton
    accepting: np.ndarray
    letters: tuple[str, ...]

    def __post_init__(self) -> None:
        accepting, name = np.asarray(self.accepting), self.automaton.name
        states, letters = self.automaton.num_states, self.automaton.num_letters
        if accepting.dtype != bool or accepting.shape != (states,):
            raise ValueError(
                f"accepting = {self.accepting!r:.80}: expected {states} truth values, one for each state of {name}"
            )
        names = tuple(self.letters)
        if not len(set(names)) == len(names) == letters:
            raise ValueError(
                f"letters = {self.letters!r:.80}: expected {letters} different names, one for each letter of {name}"
            )
        object.__setattr__(self, "accepting", accepting)
        object.__setattr__(self, "letters", names)

    def __repr__(self) -> str:
        states, accepting = self.automaton.num_states, int(self.accepting.sum())
        return f"<Dfa {self.automaton.name}: {states} states, {accepting} accepting, letters {listed(self.letters)}>"

    @classmethod
    def explored(
        cls,
        start: _Node,
        step: Callable[[_Node, str], _Node],
        accepts: Callable[[_Node], bool],
        letters: Iterable[str],
        *,
        name: str = "this language",
        cost: Callable[[int], Estimate] | None = None,
    ) -> Dfa:
        """The automaton of all states that `step` reaches from `start`, numbered breadth first; not minimal yet.

        Where there are more than `FEW` states, random words estimate how many there are, so that a hopeless search ends early.

        Args:
            start: The initial state.
            step: The next state for a state and a letter.
            accepts: Whether a state accepts.
            letters: The alphabet.
            name: Name used in messages.
            cost: Cost of an automaton with a number of states, compared with the limit at each state; None refuses nothing.

        Raises:
            TooExpensive: The states found so far, or those that random words promise, exceed the limit of `theory.cost`.
        """
        alphabet = tuple(letters)
        index, rows = {start: 0}, []
        order = [start]
        for state in order:  # grows while it is walked
            if cost is not None:
                refuse(cost(len(order)))
                if len(rows) == FEW:
                    for states in _promised(start, step, alphabet):
                        refuse(cost(states))
            row = []
            for letter in alphabet:
                target = step(state, letter)
                if target not in index:
                    index[target] = len(order)
                    order.append(target)
                row.append(index[target])
            rows.append(row)
        table = np.array(rows, dtype=np.int64)
        return cls(Semiautomaton(table, name, letters=alphabet), np.array([bool(accepts(state)) for state in order]), alphabet)

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.automaton.num_states

    @cached_property
    def minimal(self) -> Dfa:
        """The minimal automaton of the same language (Moore), states numbered breadth first, so equal languages are equal.

        Cost: O(states^2 * letters) at worst.
        """
        table = self.automaton.table
        classes = self.accepting.astype(np.int64)
        while True:
            # two states stay together if all their letters lead to states that are together
            number, refined = int(classes.max()) + 1, classes
            for column in table.T:
                refined = np.unique(refined * number + classes[column], return_inverse=True)[1].ravel()
            if refined.max() + 1 == number:
                break
            classes = refined
        first, number_of = np.unique(classes, return_index=True)[1], {letter: i for i, letter in enumerate(self.letters)}
        merged = classes[table[first]]
        return Dfa.explored(
            int(classes[0]),
            lambda state, letter: int(merged[state, number_of[letter]]),
            lambda state: bool(self.accepting[first[state]]),
            self.letters,
            name=self.automaton.name,
        )

    def accepts(self, words: np.ndarray | str) -> np.ndarray:
        """Whether words belong to the language: letter indices (..., length) give bool (...), a string gives one bool.

        Raises:
            ValueError: A letter is unknown.
        """
        if isinstance(words, str):
            unknown = next((letter for letter in words if letter not in self.letters), None)
            if unknown is not None:
                raise ValueError(f"the word holds {unknown!r}, which is not among the letters {listed(self.letters)}")
            words = np.array([self.letters.index(letter) for letter in words], dtype=np.int64)
        words = np.asarray(words) if len(words) else np.zeros(np.shape(words), np.int64)
        return self.accepting[self.states(words)[..., -1] if words.shape[-1] else np.zeros(words.shape[:-1], np.int64)]

    def states(self, words: np.ndarray) -> np.ndarray:
        """The state after each letter: int array of the shape of `words`, which hold letter indices of any integer type.

        Raises:
            ValueError: The words are not integers, or a letter is out of range.
        """
        words = np.asarray(words)
        if words.size and not np.issubdtype(words.dtype, np.integer):
            raise ValueError(f"words of type {words.dtype}: expected integers, indices of the letters {listed(self.letters)}")
        if words.size and not 0 <= int(words.min()) <= int(words.max()) < len(self.letters):
            raise ValueError(f"letters must be 0 .. {len(self.letters) - 1}, got {int(words.min())} .. {int(words.max())}")
        result = np.zeros(words.shape, dtype=np.int64)
        state = np.zeros(words.shape[:-1], dtype=np.int64)
        for i in range(words.shape[-1]):
            state = result[..., i] = self.automaton.table[state, words[..., i]]
        return result

    def counts(self, length: int) -> tuple[int, ...]:
        """The exact number of words of length 0, 1, ..., `length` in the language, by the transfer matrix.

        >>> from theory.automata import regular
        >>> regular("b*a").counts(5)
        (0, 1, 1, 1, 1, 1)

        Raises:
            ValueError: The length is negative.
            TooExpensive: The counts would exceed the limit of `theory.cost`.
        """
        length = integer("length", length, "the length of the longest words counted", least=0)
        refuse(counts_cost(length, self.num_states, len(self.letters)))
        ways = [1] + [0] * (self.num_states - 1)
        found = [int(self.accepting[0])]
        for _ in range(length):
            after = [0] * self.num_states
            for state, number in enumerate(ways):
                for target in self.automaton.table[state].tolist():
                    after[target] += number
            ways = after
            found.append(sum(number for number, accepting in zip(ways, self.accepting, strict=True) if accepting))
        return tuple(found)

    def shortest_word(self) -> tuple[str, ...] | None:
        """A shortest word of the language; None if the language is empty."""
        reached: dict[int, tuple[str, ...]] = {0: ()}
        queue = [0]
        for state in queue:  # grows while it is walked
            if self.accepting[state]:
                return reached[state]
            for letter, target in enumerate(self.automaton.table[state].tolist()):
                if target not in reached:
                    reached[target] = (*reached[state], self.letters[letter])
                    queue.append(target)
        return None

    @property
    def is_star_free(self) -> bool:
        """Whether the language is star-free, that is, whether its minimal automaton is aperiodic."""
        return self.minimal.automaton.is_aperiodic

    def period_witness(self) -> tuple[tuple[str, ...], tuple[int, ...]] | None:
        """A word that permutes states of the minimal automaton without fixing them, and these states; None if star-free.

        >>> from theory.automata import regular
        >>> regular("(aa)*").period_witness(), regular("(ab)*").period_witness()
        ((('a',), (0, 1)), None)
        """
        witness = self.minimal.automaton.period_witness()
        return None if witness is None else (tuple(self.letters[i] for i in witness[0]), witness[1])

    @fact
    def index_and_period(self) -> tuple[int, int]:
        """The least n and p with s^n = s^(n + p) for every element s of the minimal automaton's monoid; p = 1 if star-free.

        So for any words x, u, y, membership of x u^m y has period p in m from m = n on. Enumerates the monoid.

        >>> from theory.automata import regular
        >>> regular("(ab)*").index_and_period, regular("(aaa)*").index_and_period
        ((2, 1), (0, 3))
        """
        return index_and_period(self.minimal.automaton)


def _promised(start: _Node, step: Callable[[_Node, str], _Node], letters: tuple[str, ...]) -> Iterator[int]:
    """Numbers of states that are reached, but for rare chance: random words seldom end in one state if there are many.

    Whatever the distribution of the last state is, two independent words share it with a chance of at least 1 / states. So
    `pairs` pairs of words share it pairs / states times on average, or more often. If they do so m times, the average is
    below m + 3 sqrt(m) + 9 but for a chance of about 10^-4. More and more words promise larger and larger numbers.
    """
    draw, ends = random.Random(0), Counter()
    for words in range(_AT_ONCE, _WORDS + 1, _AT_ONCE):
        for _ in range(_AT_ONCE):
            state = start
            for letter in draw.choices(letters, k=_LENGTH):
                state = step(state, letter)
            ends[state] += 1
        shared = sum(n * (n - 1) // 2 for n in ends.values())
        yield int(words * (words - 1) / 2 / (shared + 3 * math.sqrt(shared) + 9))
