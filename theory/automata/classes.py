"""How many layers of each class of network simulate a semiautomaton, and the classes of which no number does.

Every level of the holonomy cascade is a permutation-reset automaton, and a class simulates the levels one after the other:

* positive: diagonal recurrences with entries in [0, 1] write and forget, one layer a level, and have no group inside;
* signed: entries in [-1, 1] add stages of exponent 2, so exactly the automata whose groups are 2-groups remain;
* complex: entries in the unit disc add abelian stages, so exactly the solvable automata remain;
* delta_product: a permutation of n states that has c cycles is a product of n - c reflections I - 2 k k^T, and a reset of n
  states the n overwrites k = e_i: one layer a level, whatever its groups, if it has that many Householder factors;
* attention: the abelian and reset layers of the cascade as uniform and latest-write heads, if the automaton is solvable, or
  the doubling of the reach with the logarithm of the length;
* dense: a recurrence with any transition matrices, or an RNN or LSTM, keeps the state itself in one layer.

Counters and positions are exact and states are finitely many: the statements "never" are about finite precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.automata.cascade import Component, Level
from theory.automata.depth import automaton as depth_of
from theory.automata.depth import scan
from theory.automata.semiautomaton import Semiautomaton
from theory.checks import positive_integer
from theory.groups.group import FiniteGroup
from theory.groups.subgroups import sign_length

__all__ = ["CLASSES", "ClassDepth", "class_depth"]

CLASSES = ("positive", "signed", "complex", "delta_product", "attention", "dense")

_DIAGONAL = "Shakerinava, Khavari, Ravanbakhsh, Chandar, arXiv 2603.01959"
_SOURCES = {
    "positive": "Sarrof, Veitsman, Hahn, arXiv 2405.17394; the cascade's resets (derived)",
    "signed": f"{_DIAGONAL}; the cascade's levels (derived)",
    "complex": f"{_DIAGONAL}; the cascade's levels (derived)",
    "delta_product": "products of reflections (derived), as in Siems et al., arXiv 2502.10297",
    "attention": "Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749, Theorems 1 and 2",
    "dense": "the state is the recurrence's own",
}


@dataclass(frozen=True)
class ClassDepth:
    """The layers of one class for one semiautomaton.

    Attributes:
        kind: The class, one of `CLASSES`.
        layers: Number of layers that suffices, or None if no number does.
        fewest: A number of layers below which none suffice; equal to `layers` where the answer is tight.
        reason: The reason in a sentence.
        source: Where the statement is from.

    >>> print(ClassDepth("dense", 1, 1, "", ""))
    1 layer of dense suffices
    """

    kind: str
    layers: int | None
    fewest: int
    reason: str
    source: str

    @property
    def never(self) -> bool:
        """Whether no number of layers suffices."""
        return self.layers is None

    def __str__(self) -> str:
        if self.layers is None:
            return f"no number of {self.kind} layers suffices{': ' * bool(self.reason)}{self.reason}"
        number = f"{self.layers} layer{'s' * (self.layers != 1)} of {self.kind} suffice{'s' * (self.layers == 1)}"
        return f"{number}{': ' * bool(self.reason)}{self.reason}"


def class_depth(a: Semiautomaton, kind: str, length: int) -> ClassDepth:
    """Return the layers of a class that simulate a semiautomaton.

    Args:
        a: The semiautomaton.
        kind: The class, one of `CLASSES`.
        length: Number of letters of the longest word; only attention depends on it.

    Raises:
        ValueError: There is no such class, the length is below 1, or the automaton is too large to decompose.

    >>> from theory.automata import semiautomaton
    >>> q8, s3 = semiautomaton("Q8"), semiautomaton("S3")
    >>> [class_depth(q8, kind, 100).layers for kind in CLASSES]
    [None, 2, 2, 1, 2, 1]
    >>> [class_depth(s3, kind, 100).layers for kind in CLASSES]
    [None, None, 2, 1, 2, 1]
    """
    positive_integer("length", length, "the number of letters of the longest word")
    if kind not in CLASSES:
        raise ValueError(f"no class of layers is named {kind!r}: expected one of {', '.join(CLASSES)}")
    trivial = a.num_states == 1
    layers, reason = (0, "one state: the answer depends on the letter alone") if trivial else _ANSWERS[kind](a, length)
    fewest = 0 if trivial else 1
    if kind in ("signed", "complex") and layers and (group := _whole_group(a)) is not None:
        stages = sign_length(group) if kind == "signed" else group.derived_length
        fewest = max(fewest, stages or 0)
    return ClassDepth(kind, layers, fewest, reason, _SOURCES[kind])


def _positive(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if a.is_aperiodic:
        return len(a.holonomy().levels), "aperiodic, one layer of resets a level of the cascade"
    return None, f"a group is inside ({a.groups_inside()[0].description})"


def _signed(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    wrong = next((group for group in a.groups_inside() if group.order & (group.order - 1)), None)
    if wrong is not None:
        return None, f"a group inside is no 2-group ({wrong.description})"
    stages = [max((sign_length(_group(c)) or 0 for c in _permuting(level)), default=0) for level in a.holonomy().levels]
    return sum(stages) + len(stages) * _resets(a), f"stages of exponent 2 {stages}{_and_resets(a)}"


def _complex(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if not a.is_solvable:
        return None, f"a group inside is not solvable ({a.perfect_witness().description})"  # type: ignore[union-attr]
    stages = [level.derived_length for level in a.holonomy().levels]
    return int(depth_of(a).bound.at()), f"abelian stages {stages}{_and_resets(a)}"


def _delta_product(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    if not _resets(a):
        factors = max(a.num_states - _cycles(column) for column in a.table.T)
        return 1, f"letters permute the states, and are products of at most {factors} reflections (num_householder = {factors})"
    levels = a.holonomy().levels
    tiles = max(len(component.tiles) for level in levels for component in level.components)
    return len(levels), f"one layer a level, of at most {tiles} factors (num_householder = {tiles})"


def _attention(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    doubling = int(scan(length).at())
    if a.is_solvable and (layers := int(depth_of(a).bound.at())) <= doubling:
        return layers, "the layers of the cascade, whatever the length"
    words = f"the reach doubles with each layer, up to {length} letters"
    return max(
        doubling, 1
    ), words if a.is_solvable else f"{words}; no constant number of layers is known, and none exists unless TC0 = NC1"


def _dense(a: Semiautomaton, length: int) -> tuple[int | None, str]:
    return 1, "the recurrence keeps the state itself"


_ANSWERS = {
    "positive": _positive,
    "signed": _signed,
    "complex": _complex,
    "delta_product": _delta_product,
    "attention": _attention,
    "dense": _dense,
}


def _resets(a: Semiautomaton) -> bool:
    """Whether some letter merges states."""
    return any(len(np.unique(column)) < a.num_states for column in a.table.T)


def _and_resets(a: Semiautomaton) -> str:
    return ", and a layer of resets each" if _resets(a) else ""


def _permuting(level: Level) -> list[Component]:
    return [component for component in level.components if component.generators]


def _group(component: Component) -> FiniteGroup:
    return FiniteGroup.from_permutations(component.generators)


def _whole_group(a: Semiautomaton) -> FiniteGroup | None:
    """The group of all words, if letters permute the states."""
    return None if _resets(a) else FiniteGroup.from_permutations(a.table.T.tolist())


def _cycles(permutation: np.ndarray) -> int:
    """Number of cycles of a permutation, fixed points included."""
    left, cycles = set(range(len(permutation))), 0
    while left:
        cycles += 1
        here = left.pop()
        while (here := int(permutation[here])) in left:
            left.remove(here)
    return cycles
