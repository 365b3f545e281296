r"""The best that any reader of letter counts can do: what one commutative layer cannot pass, and depth must beat.

A word of T letters, each uniform over the alphabet, moves an automaton from a state. A reader of counts knows how often each
letter occurred, perhaps only modulo m, and perhaps the last w letters as well. One layer of prefix sums knows the counts and
the last letter. All words with the same knowledge are equally likely. So with N(c, q) of the |A|^T words having knowledge c and
ending in state q, the best answer is right with probability

    (sum over c of max over q of N(c, q)) / |A|^T,

and the least mean square error of any estimate of the state, written as a unit vector, is

    1 - (sum over c of (sum over q of N(c, q)^2) / (sum over q of N(c, q))) / |A|^T.

Both are exact fractions. N follows from the shorter words letter by letter. Letters that fix every state tell nothing when they
are counted exactly: words of m moving letters are counted once, and j of T letters stand still in binomial(T, j) s^j ways.

Source: derived; words with equal counts are the classes that arXiv 2603.05573 shows one abelian layer to confuse.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from theory.automata.dfa import Dfa
from theory.automata.named import semiautomaton
from theory.automata.semiautomaton import Semiautomaton
from theory.bound import GIVEN, Assumption, Bound, Report
from theory.checks import integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.groups import FiniteGroup, group
from theory.groups.spelling import standard_name
from theory.registry import registered

__all__ = ["Ceiling", "ceiling"]

SECONDS = 1.5e-7  # to add two integers of many digits, measured
DIGIT = 2e-10  # to divide by a small number, for each bit
KERNEL = 3e-7  # to follow one state
POSITION = 1e-6  # to keep and to add up answers
BYTES = 60  # of such an integer and its place
MANY = 10**300  # classes, as good as endless
SETS = ("generators", "all")


@dataclass(frozen=True, repr=False)
class Ceiling(Report):
    """The best accuracy and the least mean square error of a reader of counts, at every position.

    Attributes:
        of: What is followed, and over which letters.
        knows: What the reader knows of a word, in words.
        accuracy: The best share of right states after 1, 2, ... letters.
        error: The least mean square error of states as unit vectors after 1, 2, ... letters.
        bound: The accuracy after the last letter.
    """

    of: str
    knows: str
    accuracy: tuple[Fraction, ...]
    error: tuple[Fraction, ...]
    bound: Bound

    @property
    def mean(self) -> Fraction:
        """The best share of right states over all positions."""
        return sum(self.accuracy, Fraction(0)) / len(self.accuracy)

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The accuracy at a few positions, its mean over all of them, and the least mean square error at the end."""
        length = len(self.accuracy)
        places = sorted({1, 2, 4, *(length * k // 4 for k in range(1, 5))} & {*range(1, length + 1)})
        shown = tuple(f"after {place} letter{'s' * (place > 1)}: {float(self.accuracy[place - 1]):.6g}" for place in places)
        more = (
            f"mean over all positions: {float(self.mean):.6g}",
            f"least mean square error at the end: {float(self.error[-1]):.6g}",
        )
        return {"the reader knows": (self.knows,), "best accuracy": (*shown, more[0]), "error": (more[1],)}


@registered(subject="NAME", usual={"length": 20})
def ceiling(
    target: str | FiniteGroup | Semiautomaton | Dfa | Mapping[Any, Any],
    length: int,
    *,
    letters: str | Sequence[int | str] = "generators",
    modulus: int = 0,
    last: int = 0,
    start: int | str = 0,
) -> Ceiling:
    """Return the best accuracy of any reader of letter counts on random words, at every position.

    Args:
        target: A group or its name, such as S5, A5, Q8, whose products are followed; or else an automaton, its name
            (gridworld4, flip_flop, dyck3, ...), a JSON file, or a dictionary, whose states are followed.
        length: Number of letters of the longest word.
        letters: Of a group: its "generators" and the identity (of S_n an n-cycle and (1 2), of A_n all (1 2 x)), "all"
            elements, or a list of elements by number or name. An automaton has its own letters.
        modulus: The reader knows the counts modulo this number; 0 stands for the counts themselves, 1 for nothing of them.
        last: The reader knows this many last letters as well, in their order.
        start: The state before the first letter; of a group the identity.

    Returns:
        The best accuracy and the least mean square error at every position, as fractions.

    Raises:
        ValueError: There is no such group, automaton, letter or state; the length is not positive.
        TooExpensive: There are too many classes of words, see `theory.cost`.

    Cost: classes of words of `length - last` letters times states times letters, each an addition of integers of `length`
        digits; and how endings of up to `last` letters merge states, each of these partitions times states times letters.

    >>> [str(share) for share in ceiling("S3", 4).accuracy], ceiling("S3", 4).bound.expr
    (['1', '8/9', '7/9', '56/81'], 56/81)
    >>> set(ceiling("C5", 20).accuracy), float(ceiling("S5", 20, last=1).mean)
    ({Fraction(1, 1)}, 0.44105...)
    """
    automaton, named = _moves(target, letters)
    length, last = positive_integer("length", length, "a number of letters"), integer("last", last, "a number of letters", 0)
    modulus = integer("modulus", modulus, "what counts are known by; 0 for the counts themselves", 0)
    knows = _knowledge(modulus, last)
    moves, initial = automaton.table, automaton.numbers((), start)[1]
    last = min(last, length)
    longest = length - last  # letters before the last ones, of which the counts are known
    modulus = modulus if modulus <= longest else 0  # no count comes as far as such a modulus
    still = [a for a in range(moves.shape[1]) if (moves[:, a] == np.arange(len(moves))).all()]
    moving = moves if modulus else np.delete(moves, still, axis=1)
    cost = functools.partial(_cost, named, moves, moving, length, longest, modulus)
    kernels = _kernels(moves, last if longest else 0, cost)
    refuse(cost(len(kernels)))
    before = _modular(moving, initial, modulus) if modulus else _counted(moving, initial)
    shares = [_known(classes, kernels) for classes in itertools.islice(before, longest + 1)]
    shares = shares if modulus else _with_still(shares, len(still))
    found = [(Fraction(1), Fraction(0))] * last  # the whole word is known
    found += [
        (best / moves.shape[1] ** (count + last), 1 - squares / moves.shape[1] ** (count + last))
        for count, (best, squares) in enumerate(shares)
        if count
    ]
    accuracy, error = zip(*found, strict=True)
    return Ceiling(
        of=named,
        knows=knows,
        accuracy=accuracy,
        error=error,
        bound=Bound(
            sympy.Rational(accuracy[-1].numerator, accuracy[-1].denominator),
            f"the share of random words of {length} letters ({named}) whose state a reader names that knows {knows}",
            (Assumption(f"the reader knows nothing else of the word ({GIVEN})"),),
            "exact counts of the words of every class (derived)",
            side="exact",
        ),
    )


def _moves(target: Any, letters: str | Sequence[int | str]) -> tuple[Semiautomaton, str]:
    """What the letters do to the states, and the task in words: a name that is that of a group means its products."""
    found = (_group_of(target) or target) if isinstance(target, str) else target
    if not isinstance(found, FiniteGroup):
        if letters != "generators":
            raise ValueError(f"letters = {letters!r:.80}: an automaton has letters of its own; only of a group are they chosen")
        automaton = semiautomaton(found)
        return automaton, f"{automaton.num_letters} letters of {automaton.name}"
    if isinstance(letters, str) and letters not in SETS:
        raise ValueError(f"letters = {letters!r:.80}: expected {' or '.join(map(repr, SETS))}, or a list of elements")
    if letters == "generators":
        chosen: Sequence[int] = (0, *found.generators)
    else:
        chosen = range(found.order) if letters == "all" else [_element(found, one) for one in letters]
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"letters = {letters!r:.80}: expected at least one element, and each once")
    names = f" ({', '.join(found.names[element] for element in chosen)})" if len(chosen) <= 8 else ""
    words = f"{len(chosen)} letters of {found.name}{names}"
    return Semiautomaton(np.asarray(found.table)[:, list(chosen)], found.name, tuple(found.names)), words


def _group_of(name: str) -> FiniteGroup | None:
    try:
        return group(standard_name(name))
    except ValueError:
        return None


def _element(found: FiniteGroup, given: int | str) -> int:
    if isinstance(given, str) and given in found.names:
        return found.names.index(given)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and 0 <= given < found.order:
        return int(given)
    raise ValueError(
        f"{given!r:.80} is no element of {found.name}: expected a number in 0 .. {found.order - 1}, or a name such as "
        f"{', '.join(found.names[:4])}"
    )


def _knowledge(modulus: int, last: int) -> str:
    counts = {0: "how often each letter occurred", 1: ""}.get(modulus, f"how often each letter occurred modulo {modulus}")
    ending = f"the last {'letter' if last == 1 else f'{last} letters'}" * (last > 0)
    return " and ".join(part for part in (counts, ending) if part) or "nothing of the word but its length"


def _counted(moves: np.ndarray, initial: int) -> Iterator[np.ndarray]:
    """The words of 0, 1, 2, ... letters by their counts and the state they end in: arrays (counts, states) of integers."""
    letters = moves.shape[1]
    rows, words = {(0,) * letters: 0}, _nothing(1, len(moves))
    words[0, initial] = 1
    while True:
        yield words
        longer = {_more(counts, a): None for counts in rows for a in range(letters)}
        place = {counts: row for row, counts in enumerate(longer)}
        next_words = _nothing(len(place), len(moves))
        for a in range(letters):
            _move(words, moves[:, a], next_words, np.array([place[_more(counts, a)] for counts in rows]))
        rows, words = place, next_words


def _modular(moves: np.ndarray, initial: int, modulus: int) -> Iterator[np.ndarray]:
    """The same by counts modulo a number."""
    states, letters = moves.shape
    places = np.arange(modulus**letters)  # the residues are the digits of a place
    words = _nothing(len(places), states)
    words[0, initial] = 1
    while True:
        yield words
        longer = _nothing(len(words), states)
        for a in range(letters):
            digit = places // modulus**a % modulus
            _move(words, moves[:, a], longer, places + ((digit + 1) % modulus - digit) * modulus**a)
        words = longer


def _move(words: np.ndarray, move: np.ndarray, into: np.ndarray, rows: np.ndarray) -> None:
    """Add words that a letter moves to those in other rows, each of which occurs once."""
    for state, target in enumerate(move):
        into[rows, target] += words[:, state]


def _known(words: np.ndarray, kernels: Mapping[tuple[int, ...], int]) -> tuple[Fraction, Fraction]:
    """Sum of the largest numbers of words, and of mean squares, over all classes and all endings that are known."""
    best, squares = 0, Fraction(0)
    for kernel, endings in kernels.items():
        ended = _nothing(len(words), max(kernel) + 1)
        _move(words, np.array(kernel), ended, np.arange(len(words)))
        size = ended.sum(axis=1)
        ended, size = ended[size > 0], size[size > 0]
        best += endings * int(ended.max(axis=1).sum())
        common = math.lcm(*map(int, size))
        squares += endings * Fraction(int(((ended**2).sum(axis=1) * (common // size)).sum()), common)
    return Fraction(best), squares


def _with_still(shares: Sequence[tuple[Fraction, Fraction]], still: int) -> list[tuple[Fraction, Fraction]]:
    """The same sums over words among whose letters some stand still, each of which adds nothing to a shorter word."""

    def over(part: int) -> Iterator[Fraction]:
        common = math.lcm(*(share[part].denominator for share in shares))
        sums = [int(share[part] * common) for share in shares]
        while sums:
            yield Fraction(sums[0], common)
            sums = [still * shorter + longer for shorter, longer in itertools.pairwise(sums)]

    return list(zip(over(0), over(1), strict=True))


def _kernels(moves: np.ndarray, last: int, cost: Callable[[int, int], Estimate]) -> dict[tuple[int, ...], int]:
    """Which states words of a length lead to the same state, as a number for each state, and how many words do."""
    every, letters = tuple(range(len(moves))), moves.shape[1]
    refuse(cost(1, 0))
    if _permute(moves):
        return {every: letters**last}
    found, passed = Counter({every: 1}), 0
    for left in range(last, 0, -1):
        passed += len(found)
        refuse(cost(1, passed + left))
        # the letter comes first, so kernels are those of maps that are already known
        longer: Counter[tuple[int, ...]] = Counter()
        for kernel, words in found.items():
            for a in range(letters):
                longer[_numbered(kernel[target] for target in moves[:, a])] += words
        found = longer
    return dict(found)


def _numbered(values: Iterable[int]) -> tuple[int, ...]:
    """The values by the order in which they occur first."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(value, len(seen)) for value in values)


def _permute(moves: np.ndarray) -> bool:
    return all(len({*column}) == len(moves) for column in moves.T.tolist())


def _more(counts: tuple[int, ...], letter: int) -> tuple[int, ...]:
    return (*counts[:letter], counts[letter] + 1, *counts[letter + 1 :])


def _nothing(rows: int, columns: int) -> np.ndarray:
    return np.zeros((rows, columns), object)


def _cost(
    named: str, moves: np.ndarray, moving: np.ndarray, length: int, longest: int, modulus: int, kernels: int, passed: int = 0
) -> Estimate:
    """The cost of all positions, with so many kernels of endings, and so many of shorter endings on the way to them."""
    (states, letters), every_letter = moving.shape, moves.shape[1]
    if modulus:
        largest, every = power(modulus, letters), power(modulus, letters) * longest
    else:
        every, largest = math.comb(longest + letters, letters), math.comb(longest + max(letters - 1, 0), max(letters - 1, 0))
    every, largest = float(min(every, MANY)), float(min(largest, MANY))
    work = f"the best answers of a reader of counts over words of {length} letters ({every:.3g} classes of words; {named})"
    length = min(length, MANY)
    longer = 1 + length / 300  # integers of more digits
    seconds = SECONDS * every * states * (letters + 2 * kernels) * longer + POSITION * length
    seconds += passed * every_letter * (KERNEL * states + SECONDS * longer)
    if modulus:  # sizes of classes have few divisors in common, so a sum of their inverses has as many digits as all of them
        seconds += DIGIT * every * largest * kernels * length * math.log2(1 + every_letter)
    elif letters < every_letter:
        seconds += SECONDS * min(longest, MANY) ** 2 * longer
    return Estimate(work, seconds, BYTES * (2 * longer * largest * states + length) / 2**30)
