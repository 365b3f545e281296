r"""A formula as the plain arrays of a masked attention program: what `depthjax.constructions.compile_formula` reads.

One bit of the residual stream for each part of the formula, and one more, the guard "not f or g", for each since and until.

    embedding      letter -> the bits of the atoms
    gates          a bit is 1 iff sum_c weights[bit, c] x_c >= thresholds[bit]: not, and, or, guards, constants
    hard heads     read bit `value` at the other position with the largest (guard bit, nearness): since looks back, until ahead
    counts         a bit is 1 iff a sum of counts of bits, up to here and from here on, reaches a bound

Why the guard is enough, for f S g: let j < i be the position with the largest (guard, j). If no j' < i has guard 1, then f
holds and g fails at all of them, so since is false, and the head reads g(j) = 0. Otherwise guard(j) = 1, and all later j' < i
have guard 0: f holds there and g fails. If g(j) = 1, then j is the witness. If g(j) = 0, then f fails at j too, and no position
before j can be a witness. In both cases the head reads g(j). On an empty set the head reads 0. (Stated in arXiv 2310.13897;
derived here.)

The gates of all Boolean levels between two temporal operators are one feed-forward part of `rounds` threshold layers. This part
and the heads are the same in every layer: the program is one layer, repeated `depth` times. A bit of depth d is right after d
repetitions, whatever the other bits hold by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theory.logic.formula import And, AtLeast, Atom, Formula, Not, Or, Since, Truth, Until
from theory.logic.truth import letters_of

__all__ = ["LogicProgram", "program"]


class LogicProgram(NamedTuple):
    """Arrays of a program; width = number of bits.

    Attributes:
        embedding: Bool (letters, width).
        weights: Int (width, width), with thresholds: int (width,) and gated: bool (width,), the bits that gates set.
        guard, value, write: Int (heads,), bits; ahead: bool (heads,), whether the head looks at later positions.
        before, after: Int (counts, width), factors; bound, counted: int (counts,), bounds and the bits that they set.
        output: The bit that holds the truth of the formula.
        depth: Number of layers, the nesting depth.
        rounds: Number of threshold layers of the feed-forward part.
    """

    embedding: np.ndarray
    weights: np.ndarray
    thresholds: np.ndarray
    gated: np.ndarray
    guard: np.ndarray
    value: np.ndarray
    write: np.ndarray
    ahead: np.ndarray
    before: np.ndarray
    after: np.ndarray
    bound: np.ndarray
    counted: np.ndarray
    output: int
    depth: int
    rounds: int


def program(formula: Formula, letters: str | Sequence[str] | None = None) -> LogicProgram:
    """The program of a formula over an alphabet (by default the letters that occur).

    >>> from theory.logic import parse
    >>> found = program(parse("a S (b & P a)"))
    >>> found.depth, len(found.guard), found.rounds
    (2, 2, 2)
    """
    alphabet = letters_of(formula, letters)
    parts = formula.subformulas
    index = {part: i for i, part in enumerate(parts)}
    binary = [part for part in parts if isinstance(part, (Since, Until))]
    counts = [part for part in parts if isinstance(part, AtLeast)]
    width = len(parts) + len(binary)
    embedding = np.zeros((len(alphabet), width), bool)
    weights, thresholds = np.zeros((width, width), np.int64), np.zeros(width, np.int64)
    gated = np.zeros(width, bool)
    for part, i in index.items():
        match part:
            case Atom(letter):
                embedding[alphabet.index(letter), i] = True
            case Truth(value):
                gated[i], thresholds[i] = True, 0 if value else 1
            case Not(of):
                gated[i], weights[i, index[of]] = True, -1
            case And(joined) | Or(joined):
                gated[i] = True
                np.add.at(weights[i], [index[p] for p in joined], 1)
                thresholds[i] = len(joined) if isinstance(part, And) else 1
    for h, part in enumerate(binary):
        i = len(parts) + h
        gated[i] = True
        weights[i, index[part.left]] -= 1
        weights[i, index[part.right]] += 1
    before, after = np.zeros((2, len(counts), width), np.int64)
    for c, part in enumerate(counts):
        for count in part.counts:
            (after if count.ahead else before)[c, index[count.of]] += count.factor
    return LogicProgram(
        embedding,
        weights,
        thresholds,
        gated,
        guard=np.arange(len(parts), width),
        value=np.array([index[part.right] for part in binary], np.int64),
        write=np.array([index[part] for part in binary], np.int64),
        ahead=np.array([isinstance(part, Until) for part in binary], bool),
        before=before,
        after=after,
        bound=np.array([part.bound for part in counts], np.int64),
        counted=np.array([index[part] for part in counts], np.int64),
        output=index[formula],
        depth=formula.depth,
        rounds=_rounds(parts),
    )


def _rounds(parts: Sequence[Formula]) -> int:
    """The longest chain of gates, guards included, between embedding, temporal operators and output."""
    height: dict[Formula, int] = {}
    for part in parts:
        gate = isinstance(part, (Not, And, Or, Truth))
        height[part] = 1 + max((height[child] for child in part.children), default=0) if gate else 0
    guards = [1 + max(height[part.left], height[part.right]) for part in parts if isinstance(part, (Since, Until))]
    return max([*height.values(), *guards], default=0)
