r"""The language of a formula as its minimal automaton, exactly, and what that automaton says of the language.

A word belongs to the language of a formula if the formula holds at its last position (or at its first). For a formula of the
past the automaton's state is the truth of its since-formulas at the next position, which the letter and the state determine.
An until-formula speaks of what is still to come: its truth is guessed at each position and checked at the next one,

    (f S g)(i+1) = g(i) or f(i) and (f S g)(i),      (f U g)(i) = g(i+1) or f(i+1) and (f U g)(i+1),      (f U g)(n) = false,

and sets of guesses are made deterministic. Equivalent states are merged (Moore) and numbered breadth first, so that equal
languages have equal tables. Every such language is star-free, that is, the monoid of its minimal automaton is aperiodic
(Kamp 1968; McNaughton and Papert 1971; Schuetzenberger 1965): the tests hold this against random formulas. Of an automaton that
is not minimal a period says nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from theory.automata import Semiautomaton
from theory.checks import integer
from theory.cost import refuse
from theory.errors import OutsideHypotheses
from theory.logic.cost import counting
from theory.logic.formula import And, AtLeast, Atom, Formula, Not, Or, Since, Truth, Until, any_of, once_after
from theory.logic.words import letters_of

__all__ = ["Dfa", "difference", "index_and_period", "minimal_dfa"]

LIMIT = 20_000
_Node = TypeVar("_Node", bound=Hashable)

GUESSES = 12  # until-formulas whose truth is guessed at once


@dataclasses.dataclass(frozen=True, eq=False)
class Dfa:
    """A deterministic automaton with accepting states; state 0 is the initial one.

    Attributes:
        automaton: states and letters, see `theory.automata.Semiautomaton`.
        accepting: bool array (states,).
        letters: names of the letters.
    """

    automaton: Semiautomaton
    accepting: np.ndarray
    letters: tuple[str, ...]

    @classmethod
    def explored(
        cls,
        start: _Node,
        step: Callable[[_Node, str], _Node],
        accepts: Callable[[_Node], bool],
        letters: Iterable[str],
        *,
        name: str = "this language",
        limit: int = LIMIT,
    ) -> Dfa:
        """The automaton of everything that `step` reaches from `start`, not minimal yet.

        Raises:
            ValueError: more than `limit` states.
        """
        alphabet = tuple(letters)
        index, rows = {start: 0}, []
        order = [start]
        for state in order:  # grows while it is walked
            row = []
            for letter in alphabet:
                target = step(state, letter)
                if target not in index:
                    index[target] = len(order)
                    order.append(target)
                row.append(index[target])
            rows.append(row)
            if len(order) > limit:
                raise ValueError(f"{name}: more than {limit} states before any are merged; raise the limit or ask for less")
        table = np.array(rows, dtype=np.int64)
        return cls(Semiautomaton(table, name), np.array([accepts(state) for state in order]), alphabet)

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.automaton.num_states

    @cached_property
    def minimal(self) -> Dfa:
        """The minimal automaton of the same language, states numbered breadth first: O(states^2 * letters) at worst."""
        table = self.automaton.table
        classes = self.accepting.astype(np.int64)
        while True:
            # two states stay together if all their letters lead to states that are together
            refined = np.unique(np.column_stack([classes, classes[table]]), axis=0, return_inverse=True)[1].ravel()
            if refined.max() == classes.max():
                break
            classes = refined
        first = np.unique(classes, return_index=True)[1]
        merged = classes[table[first]]
        found = Dfa.explored(
            int(classes[0]),
            lambda state, letter: int(merged[state, self.letters.index(letter)]),
            lambda state: bool(self.accepting[first[state]]),
            self.letters,
            name=self.automaton.name,
            limit=len(first),
        )
        return found

    def accepts(self, words: np.ndarray | str) -> np.ndarray:
        """Which words belong: words as letter indices (..., length) give bool (...); a string of letters gives one bool."""
        if isinstance(words, str):
            unknown = next((letter for letter in words if letter not in self.letters), None)
            if unknown is not None:
                raise ValueError(f"the word holds {unknown!r}, which is not among the letters {', '.join(self.letters)}")
            words = np.array([self.letters.index(letter) for letter in words], dtype=np.int64)
        words = np.asarray(words) if len(words) else np.zeros(np.shape(words), np.int64)
        return self.accepting[self.states(words)[..., -1] if words.shape[-1] else np.zeros(words.shape[:-1], np.int64)]

    def states(self, words: np.ndarray) -> np.ndarray:
        """The state after each letter: int array of the shape of `words`, which are letter indices of any integer type.

        Raises:
            ValueError: words that are not integers, or a letter out of range.
        """
        words = np.asarray(words)
        if words.dtype.kind not in "iu" and words.size:
            raise ValueError(
                f"words of type {words.dtype}: expected integers, indices of the letters {', '.join(self.letters)}"
            )
        if words.size and not 0 <= int(words.min()) <= int(words.max()) < len(self.letters):
            raise ValueError(f"letters must be 0 .. {len(self.letters) - 1}, got {int(words.min())} .. {int(words.max())}")
        result = np.zeros(words.shape, dtype=np.int64)
        state = np.zeros(words.shape[:-1], dtype=np.int64)
        for i in range(words.shape[-1]):
            state = result[..., i] = self.automaton.table[state, words[..., i]]
        return result

    def counts(self, length: int) -> tuple[int, ...]:
        """How many words of length 0, 1, ..., `length` belong, exactly: the automaton's transfer matrix.

        >>> from theory.logic import parse
        >>> minimal_dfa(parse("a & H b")).counts(5)  # b...ba
        (0, 1, 1, 1, 1, 1)

        Raises:
            ValueError: a negative length.
        """
        length = integer("length", length, "the length of the longest words counted", least=0)
        refuse(counting(length, self.num_states, len(self.letters)))
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
        """A shortest word that belongs; None for the empty language."""
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
        """Whether the language is star-free: the *minimal* automaton, which is taken first, is aperiodic."""
        return self.minimal.automaton.is_aperiodic()

    def period_witness(self) -> tuple[tuple[str, ...], tuple[int, ...]] | None:
        """A word that permutes states of the minimal automaton without fixing them, and these states; None if star-free.

        >>> from theory.logic import regular
        >>> regular("(aa)*").period_witness(), regular("(ab)*").period_witness()
        ((('a',), (0, 1)), None)
        """
        witness = self.minimal.automaton.period_witness()
        return None if witness is None else (tuple(self.letters[i] for i in witness[0]), witness[1])

    def index_and_period(self) -> tuple[int, int]:
        """The least n and p with s^n = s^(n + p) for every element s of the minimal automaton's monoid; p = 1: star-free.

        So membership of x u^m y, for any words x, u, y, has period p in m from m = n on. Enumerates the monoid:
        O(size * states * (index + period)).

        >>> from theory.logic import regular
        >>> regular("(ab)*").index_and_period(), regular("(aaa)*").index_and_period()
        ((2, 1), (0, 3))
        """
        return index_and_period(self.minimal.automaton)


def index_and_period(automaton: Semiautomaton) -> tuple[int, int]:
    """The least n and p with s^n = s^(n + p) for every element s of the transition monoid of an automaton.

    >>> from theory.automata import semiautomaton
    >>> index_and_period(semiautomaton("C5")), index_and_period(semiautomaton("gridworld4"))
    ((0, 5), (3, 1))
    """
    elements = automaton.transition_monoid().elements.astype(np.int64)
    late = elements
    for _ in range(elements.shape[1].bit_length()):  # the index of a map of n points is below n, and 2^j passes n
        late = np.take_along_axis(late, late, axis=1)
    period, current = np.ones(len(elements), np.int64), np.take_along_axis(elements, late, axis=1)
    while (moving := (current != late).any(axis=1)).any():
        period[moving] += 1
        current = np.where(moving[:, None], np.take_along_axis(elements, current, axis=1), current)
    common = math.lcm(*set(period.tolist()))
    cycle = _powers(elements, common)  # s^common: it brings s^n back iff s^n is in the cycle of s
    index, power = 0, np.broadcast_to(np.arange(elements.shape[1]), elements.shape)
    while (out := (np.take_along_axis(cycle, power, axis=1) != power).any(axis=1)).any():
        elements, cycle = elements[out], cycle[out]  # few are outside for long
        index, power = index + 1, np.take_along_axis(elements, power[out], axis=1)
    return index, common


def _powers(maps: np.ndarray, exponent: int) -> np.ndarray:
    """Every map as often after itself, by squaring."""
    result = np.broadcast_to(np.arange(maps.shape[1]), maps.shape)
    while exponent:
        if exponent & 1:
            result = np.take_along_axis(maps, result, axis=1)
        maps, exponent = np.take_along_axis(maps, maps, axis=1), exponent >> 1
    return result


def minimal_dfa(
    formula: Formula,
    letters: str | Sequence[str] | None = None,
    at: Literal["last", "first"] = "last",
    *,
    limit: int = LIMIT,
) -> Dfa:
    """The minimal automaton of the words at whose last (or first) position a formula holds; the empty word never belongs.

    Args:
        formula: of linear temporal logic; counts are refused.
        letters: the alphabet; by default the letters that occur.
        at: where the formula is asked.
        limit: of states before they are merged.

    Cost: states * letters * 2^(until-formulas) * size before merging; the number of states is at worst 2^(since-formulas) for
    a formula of the past and doubly exponential otherwise.

    Raises:
        OutsideHypotheses: the formula compares counts, whose languages need not be regular.
        ValueError: `at` is neither, more states than `limit`, or more than 12 until-formulas.

    >>> from theory.logic import parse
    >>> dfa = minimal_dfa(parse("b & (b -> Y a) & H (b -> Y a) & H (a -> (Y b | !Y true)) & (b -> Y true)"))
    >>> dfa.num_states, bool(dfa.accepts("abab")), bool(dfa.accepts("abba"))
    (4, True, False)
    """
    if formula.counts_positions:
        raise OutsideHypotheses(
            "the minimal automaton of a formula",
            [("the formula is of linear temporal logic: it compares no counts", False)],
            given=str(formula)[:80],
            remedy="ask evaluate, which needs no automaton",
        )
    if at not in ("last", "first"):
        raise ValueError(f"at = {at!r}: a formula is asked at the 'last' or at the 'first' position of a word")
    alphabet = letters_of(formula, letters)
    guesser = _Guesser(formula, at == "first")
    return Dfa.explored(
        frozenset([_START]),
        guesser.step,
        guesser.accepts,
        alphabet,
        name=f"the language of {text if len(text := str(formula)) <= 60 else text[:57] + '...'}",
        limit=limit,
    ).minimal


def difference(
    first: Formula, second: Formula, letters: str | Sequence[str] | None = None
) -> tuple[tuple[str, ...], int] | None:
    """A shortest word, and a position in it (from 1), where two formulas differ; None if they agree on all words.

    >>> from theory.logic import parse
    >>> difference(parse("a S b"), parse("Y b | Y (a & (a S b))"))
    >>> difference(parse("P Y a"), parse("P a"))
    (('a', 'a'), 2)
    """
    from theory.logic.words import evaluate

    alphabet = letters_of(first | second, letters)
    differ = (first & ~second) | (second & ~first)
    word = minimal_dfa(any_of([differ, once_after(differ)]), alphabet, "first").shortest_word()
    if word is None:
        return None
    indices = np.array([[alphabet.index(letter) for letter in word]])
    return word, int(np.argmax(evaluate(differ, indices, alphabet)[0])) + 1


# truth of the since-formulas at the next position and of the until-formulas at this one, as bits; of the formula; begun
_State = tuple[int, int, bool, bool]
_START: _State = (0, 0, False, False)


class _Guesser:
    """Runs of a formula over a word: everything that may be true so far, if the guesses about the future come true."""

    def __init__(self, formula: Formula, first: bool) -> None:
        self.parts, self.first = formula.subformulas(), first
        self.since = {part: k for k, part in enumerate(part for part in self.parts if isinstance(part, Since))}
        self.until = {part: k for k, part in enumerate(part for part in self.parts if isinstance(part, Until))}
        if len(self.until) > GUESSES:
            raise ValueError(
                f"the formula has {len(self.until)} different until-formulas; at most {GUESSES} are followed exactly, because "
                "all 2^k combinations of their truth are. Ask about a smaller part, or evaluate it on bounded words"
            )
        self.memory: dict[tuple[int, str], dict[int, list[tuple[int, int, bool]]]] = {}

    def step(self, states: frozenset[_State], letter: str) -> frozenset[_State]:
        found = set()
        for since, claimed, top, begun in states:
            by_claim = self._readings(since, letter)
            for reading in [by_claim.get(claimed, [])] if begun else by_claim.values():
                found.update((then, guess, top if self.first and begun else value, True) for then, guess, value in reading)
        return frozenset(found)

    def accepts(self, states: frozenset[_State]) -> bool:
        """Whether some run ends without a promise for the future and with the formula true."""
        return any(begun and top and not claimed for _, claimed, top, begun in states)

    def _readings(self, since: int, letter: str) -> dict[int, list[tuple[int, int, bool]]]:
        """All guesses at a letter, by what they say of the until-formulas one position earlier.

        Each comes with the since-formulas at the next position and the formula's truth here.
        """
        if (since, letter) not in self.memory:
            earlier, then, value = self._truth(since, letter)
            readings: dict[int, list[tuple[int, int, bool]]] = {}
            for guess, claim in enumerate(earlier.tolist()):
                readings.setdefault(claim, []).append((int(then[guess]), guess, bool(value[guess])))
            self.memory[since, letter] = readings
        return self.memory[since, letter]

    def _truth(self, since: int, letter: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every guess: until-formulas one position earlier, since-formulas at the next one, the formula here."""
        guesses = np.arange(1 << len(self.until))
        truth: dict[Formula, np.ndarray] = {}
        for part in self.parts:
            match part:
                case Atom(name):
                    truth[part] = np.full(len(guesses), name == letter)
                case Truth(value):
                    truth[part] = np.full(len(guesses), value)
                case Not(inside):
                    truth[part] = ~truth[inside]
                case And(parts):
                    truth[part] = np.logical_and.reduce([truth[p] for p in parts])
                case Or(parts):
                    truth[part] = np.logical_or.reduce([truth[p] for p in parts])
                case Since():
                    truth[part] = np.full(len(guesses), bool(since >> self.since[part] & 1))
                case Until():
                    truth[part] = (guesses >> self.until[part] & 1).astype(bool)
                case AtLeast():
                    raise TypeError("counts have no finite memory")

        def moved(kind: dict) -> np.ndarray:
            bits = [(truth[part.right] | (truth[part.left] & truth[part])).astype(object) << k for part, k in kind.items()]
            return np.sum(bits, axis=0) if bits else np.zeros(len(guesses), object)

        return moved(self.until), moved(self.since), truth[self.parts[-1]]
