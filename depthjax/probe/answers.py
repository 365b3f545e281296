"""What theory says of what the instruments have found: the one file of this package that may import `theory`.

Everything here takes and returns plain numbers, arrays and words. While a claim measures, the names from `theory` refuse to be
used here as they do in the claim (`depthjax.runs.border`).
"""

from typing import NamedTuple

import numpy as np

from theory import automata, bounds, groups, lie
from theory.automata import classes
from theory.automata.classes import CLASSES as CLASSES
from theory.automata.classes import ClassDepth
from theory.automata.inside import GroupInside
from theory.groups import recognition


def error_order(letters: int, layers: int) -> int:
    """Return the order of the error of a tower of abelian layers on letters without relations: m_k(n).

    It is the lowest degree of the k-th derived ideal of the free Lie algebra on n letters, for k >= 1 layers and n >= 2.
    """
    return lie.derived_ideal_degree(letters, layers)


class Decomposition(NamedTuple):
    """A semiautomaton taken apart; exact.

    Attributes:
        levels: The levels of its holonomy cascade, highest first, one line each.
        groups: The groups inside, one line each; empty if it is aperiodic.
        is_aperiodic: Whether every group inside is trivial.
        is_solvable: Whether every group inside is solvable.
        group: Name of the group of all words, or its order; None if some letter merges states.
        is_cayley: Whether the automaton is the Cayley machine of this group: words that move one state alike are equal in it.
    """

    levels: tuple[str, ...]
    groups: tuple[str, ...]
    is_aperiodic: bool
    is_solvable: bool
    group: str | None
    is_cayley: bool

    @property
    def statement(self) -> str:
        """What the automaton is, in a few words."""
        if self.group is not None:
            return f"{'the Cayley machine of' if self.is_cayley else 'permutations by'} {self.group}"
        if self.is_aperiodic:
            return "aperiodic"
        return f"{'solvable' if self.is_solvable else 'not solvable'}, with groups inside"


def decomposition(table: np.ndarray) -> Decomposition:
    """Return the cascade of a semiautomaton and its groups with their names.

    Raises:
        ValueError: It has too many states to decompose.
    """
    given = automata.semiautomaton(table)
    whole = given.groups_inside()[0] if given.groups_inside() else None
    permutes = all(len(np.unique(column)) == given.num_states for column in given.table.T)
    return Decomposition(
        levels=bounds.automaton(given).levels,
        groups=tuple(f"{_name(group)} on {len(group.states)} states" for group in given.groups_inside()),
        is_aperiodic=given.is_aperiodic,
        is_solvable=given.is_solvable,
        group=None if not permutes else "C1" if whole is None else _name(whole),
        is_cayley=permutes and (1 if whole is None else whole.order) == given.num_states,
    )


def class_depth(table: np.ndarray, kind: str, length: int) -> ClassDepth:
    """Return how many layers of a class simulate a semiautomaton on words of at most this length, or that none do.

    Raises:
        ValueError: There is no such class, or the automaton has too many states to decompose.
    """
    return classes.class_depth(automata.semiautomaton(table), kind, length)


def _name(inside: GroupInside) -> str:
    """The usual name of a group of permutations, or its order."""
    name = None
    if inside.order <= recognition.MOST:
        name = recognition.usual_name(groups.FiniteGroup.from_permutations(inside.generators))
    return name or f"a group of order {inside.order}"
