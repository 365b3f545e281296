r"""The language of a formula as its minimal automaton, exactly.

A word belongs to the language of a formula if the formula holds at its last position (or at its first). For a formula of the
past, the state of the automaton is the truth of the since-formulas at the next position, which the letter and the state
determine. The truth of an until-formula depends on later letters: it is guessed at each position and checked at the next,

    (f S g)(i+1) = g(i) or f(i) and (f S g)(i),      (f U g)(i) = g(i+1) or f(i+1) and (f U g)(i+1),      (f U g)(n) = false,

and sets of guesses are the states. Every such language is star-free, that is, the monoid of its minimal automaton is aperiodic
(Kamp 1968; McNaughton and Papert 1971; Schuetzenberger 1965). The tests check this for random formulas. The period of an
automaton that is not minimal says nothing about the language.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from theory.automata import Dfa
from theory.errors import OutsideHypotheses
from theory.logic.cost import guesses
from theory.logic.formula import And, AtLeast, Atom, Formula, Not, Or, Since, Truth, Until, shortened
from theory.logic.operators import any_of, once_after
from theory.logic.truth import evaluate, letters_of

__all__ = ["difference", "minimal_dfa"]

GUESSES = 12
"""Largest number of until-formulas whose truth is guessed."""


def minimal_dfa(
    formula: Formula,
    letters: str | Sequence[str] | None = None,
    at: Literal["last", "first"] = "last",
) -> Dfa:
    """The minimal automaton of the words at whose last (or first) position a formula holds; the empty word never belongs.

    Cost: states * letters * 2^(until-formulas) * size before merging. The number of states is at worst 2^(since-formulas) for
    a formula of the past, and doubly exponential otherwise.

    Args:
        formula: A formula of linear temporal logic, without counts.
        letters: The alphabet; by default the letters that occur.
        at: The position at which the formula is asked.

    Raises:
        TypeError: It is no formula.
        OutsideHypotheses: The formula compares counts, and languages with counts need not be regular.
        ValueError: `at` is neither "last" nor "first", or there are more than `GUESSES` until-formulas.
        TooExpensive: The states found so far exceed the limit of `theory.cost`.

    >>> from theory.logic import parse
    >>> dfa = minimal_dfa(parse("b & (b -> Y a) & H (b -> Y a) & H (a -> (Y b | !Y true)) & (b -> Y true)"))
    >>> dfa.num_states, bool(dfa.accepts("abab")), bool(dfa.accepts("abba"))
    (4, True, False)
    """
    alphabet = letters_of(formula, letters)
    if formula.counts_positions:
        raise OutsideHypotheses(
            "the minimal automaton of a formula",
            [("the formula is of linear temporal logic: it compares no counts", False)],
            given=shortened(formula, 80),
            remedy="ask evaluate, which needs no automaton",
        )
    if at not in ("last", "first"):
        raise ValueError(f"at = {at!r}: a formula is asked at the 'last' or at the 'first' position of a word")
    guesser = _Guesser(formula, at == "first")
    shown = shortened(formula, 60)
    cost = partial(guesses, shown, letters=len(alphabet), until=len(guesser.until))
    name = f"the language of {shown}"
    return Dfa.explored(guesser.start, guesser.step, guesser.accepts, alphabet, name=name, cost=cost).minimal


def difference(
    first: Formula, second: Formula, letters: str | Sequence[str] | None = None
) -> tuple[tuple[str, ...], int] | None:
    """A shortest word, and a position in it (from 1), where two formulas differ; None if they agree on all words.

    Raises:
        TypeError: One of them is no formula.
        ValueError: As for `minimal_dfa`.

    >>> from theory.logic import parse
    >>> difference(parse("a S b"), parse("Y b | Y (a & (a S b))"))
    >>> difference(parse("P Y a"), parse("P a"))
    (('a', 'a'), 2)
    """
    alphabet = letters_of(Or((first, second)), letters)
    differ = (first & ~second) | (second & ~first)
    word = minimal_dfa(any_of([differ, once_after(differ)]), alphabet, "first").shortest_word()
    if word is None:
        return None
    indices = np.array([[alphabet.index(letter) for letter in word]])
    return word, int(np.argmax(evaluate(differ, indices, alphabet)[0])) + 1


# the since-formulas at the next position, as bits; the formula's truth; begun
_Seen = tuple[int, bool, bool]
# with each of them the guesses that are possible, as bits; a guess is the truth of the until-formulas at this position, as bits
_States = frozenset[tuple[_Seen, int]]


class _Guesser:
    """The subset construction: a set holds every combination of truths that some guess about the future allows."""

    start: _States = frozenset([((0, False, False), 1)])

    def __init__(self, formula: Formula, first: bool) -> None:
        self.parts, self.first = formula.subformulas, first
        self.since = {part: k for k, part in enumerate(part for part in self.parts if isinstance(part, Since))}
        self.until = {part: k for k, part in enumerate(part for part in self.parts if isinstance(part, Until))}
        if len(self.until) > GUESSES:
            raise ValueError(
                f"the formula has {len(self.until)} different until-formulas, but at most {GUESSES} are followed exactly, "
                "because there are 2^k combinations of their truth. Ask about a smaller part, or evaluate it on bounded words"
            )
        number = 1 << len(self.until)
        self.every = (1 << number) - 1
        self.claims = [sum(1 << g for g in range(number) if g >> k & 1) for k in range(len(self.until))]
        self.memory: dict[tuple[int, str], tuple[dict[int, int], dict[int, int], int]] = {}

    def step(self, states: _States, letter: str) -> _States:
        found: dict[_Seen, int] = {}
        for (since, top, begun), claimed in states:
            by_claim, by_then, value = self._readings(since, letter)
            kept = [implying for claim, implying in by_claim.items() if not begun or claimed >> claim & 1]
            possible = functools.reduce(operator.or_, kept, 0)
            fixed = self.first and begun
            for true, under in ((top, self.every),) if fixed else ((True, value), (False, self.every ^ value)):
                for then, leading in by_then.items():
                    if some := possible & under & leading:
                        found[then, true, True] = found.get((then, true, True), 0) | some
        return frozenset(found.items())

    def accepts(self, states: _States) -> bool:
        """Whether some guess claims nothing about later positions and makes the formula true."""
        return any(begun and top and possible & 1 for (_, top, begun), possible in states)

    def _readings(self, since: int, letter: str) -> tuple[dict[int, int], dict[int, int], int]:
        """The guesses at a letter, as bits.

        By the until-formulas one position earlier that they imply; by the since-formulas one position later; and those under
        which the formula is true.
        """
        if (since, letter) not in self.memory:
            truth = self._truth(since, letter)
            earlier, then = (
                self._divided([truth[part.right] | (truth[part.left] & truth[part]) for part in kind])
                for kind in (self.until, self.since)
            )
            self.memory[since, letter] = earlier, then, truth[self.parts[-1]]
        return self.memory[since, letter]

    def _divided(self, truths: Sequence[int]) -> dict[int, int]:
        """All guesses by the truths under them, which are the bits of an integer."""
        groups = {0: self.every}
        for k, truth in enumerate(truths):
            sides = (1 << k, truth), (0, ~truth)
            halves = ((bits | bit, under & side) for bits, under in groups.items() for bit, side in sides)
            groups = {bits: under for bits, under in halves if under}
        return groups

    def _truth(self, since: int, letter: str) -> dict[Formula, int]:
        """The guesses under which each part is true, as bits."""
        truth: dict[Formula, int] = {}
        for part in self.parts:
            match part:
                case Atom(name):
                    truth[part] = self.every if name == letter else 0
                case Truth(value):
                    truth[part] = self.every if value else 0
                case Not(inside):
                    truth[part] = self.every ^ truth[inside]
                case And(parts):
                    truth[part] = functools.reduce(operator.and_, [truth[p] for p in parts])
                case Or(parts):
                    truth[part] = functools.reduce(operator.or_, [truth[p] for p in parts])
                case Since():
                    truth[part] = self.every if since >> self.since[part] & 1 else 0
                case Until():
                    truth[part] = self.claims[self.until[part]]
                case AtLeast():
                    raise TypeError("counts have no finite memory")
        return truth
