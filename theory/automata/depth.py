"""The number of layers that simulate a semiautomaton: by its Krohn-Rhodes cascade, or by doubling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from theory.automata import Cascade, Dfa, Semiautomaton, named_or_loaded
from theory.automata.alphabet import listed
from theory.automata.holonomy import CONSTRUCTIONS
from theory.automata.inside import GroupInside
from theory.bound import Assumption, Bound, Report, integral
from theory.checks import positive_integer
from theory.groups.series import spelled
from theory.registry import registered

__all__ = ["AutomatonDepth", "automaton", "scan"]

_SOURCE = "Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749"


@registered
def scan(length: int | None = None) -> Bound:
    """Return the attention layers with which any semiautomaton reads a word by doubling.

    The number is ``ceil(log2(length))``, because each layer doubles the window whose map a position knows.

    Args:
        length: Number of letters of the longest word, at least 1; None leaves the length open.

    Raises:
        ValueError: `length` is not an integer >= 1.

    >>> scan(length=100).at()
    7.0
    >>> [scan(length).at() for length in (1, 2, 128, 129)]
    [0.0, 1.0, 7.0, 8.0]
    """
    symbol = sympy.Symbol("length", positive=True)
    values = {} if length is None else {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol, 2)),
        quantity="the number of attention layers that read words of at most this length by doubling",
        assumes=(integral(symbol),),
        source=f"{_SOURCE}, Theorem 1: a layer doubles the window whose map a position knows",
        values=values,
    )


@dataclass(frozen=True, repr=False)
class AutomatonDepth(Report):
    """The decomposition of a semiautomaton and the depth that follows from it.

    Attributes:
        automaton: The semiautomaton.
        cascade: Its holonomy cascade, by the construction with the fewest layers.
        is_aperiodic: Whether every group inside is trivial.
        is_solvable: Whether every group inside is solvable.
        statement: The depth in a sentence.
        bound: The layers of the cascade, for words of any length; it refuses to evaluate if a group inside is not solvable.
        scan: The layers by doubling, a function of the length.
    """

    automaton: Semiautomaton
    cascade: Cascade
    is_aperiodic: bool
    is_solvable: bool
    statement: str
    bound: Bound
    scan: Bound

    @property
    def answer(self) -> Bound:
        """The depth by doubling if a length was given, else the depth of the cascade."""
        return self.scan if self.scan.values else self.bound

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The statement, the levels, the groups inside, and the depth by each route."""
        return {
            "in words": (self.statement,),
            "letters": (listed(self.automaton.letters) or f"{self.automaton.num_letters}, by number",),
            "levels": self.levels or ("none: one state",),
            "groups": self.groups or ("none: aperiodic",),
            "routes": self.routes,
        }

    @property
    def levels(self) -> tuple[str, ...]:
        """One line for each level, highest first; a height counts the levels from here down."""
        lines = []
        for level in self.cascade.levels:
            groups = [component.group for component in level.components if component.generators]
            orders = ", ".join(spelled(group.order) for group in groups)
            line = f"{len(level.components)} component{'s' * (len(level.components) > 1)}"
            line += f", group{'s' * (len(groups) > 1)} of order {orders}" if groups else ", no group"
            abelian = "not solvable" if level.derived_length is None else f"{level.derived_length} abelian"
            lines.append(f"height {level.height}: {line}; {abelian}{' + 1 reset' if level.resets else ''}")
        return tuple(lines)

    @property
    def groups(self) -> tuple[str, ...]:
        """One line for each non-trivial group inside."""
        return tuple(f"{group.description}{'' if group.is_solvable else ': not solvable'}" for group in self.groups_inside)

    @property
    def routes(self) -> tuple[str, ...]:
        """The depth by each route, or the reason why a route is closed."""
        if self.is_solvable:
            cascade = f"cascade: at most {_layers(int(self.bound.at()))}, whatever the length ({self.construction})"
        else:
            cascade = "cascade: none, a group inside is not solvable"
        lengths = ", ".join(f"{int(scan(length).at())} at {length}" for length in (32, 1024))
        return cascade, f"scan: ceil(log2(length)) layers ({lengths})"

    @property
    def groups_inside(self) -> tuple[GroupInside, ...]:
        """The non-trivial groups by which words permute an image of the state set."""
        return self.automaton.groups_inside

    @property
    def construction(self) -> str:
        """The construction of the cascade in words; the least of those that are known."""
        return CONSTRUCTIONS[self.cascade.by]


@registered(subject="FILE.json|NAME")
def automaton(
    target: str | Path | Semiautomaton | Dfa | Mapping[Any, Any],
    scan: int | None = None,
    letters: str | Sequence[str] | None = None,
) -> AutomatonDepth:
    """Return layers that simulate a semiautomaton, by its Krohn-Rhodes cascade or by doubling.

    The layers of the cascade suffice at every length; fewer may do as well. Every level takes the abelian stages of its groups,
    and one layer of resets if some letter resets it. Of the constructions that are known (`theory.automata.holonomy`), that
    with the fewest layers is taken.

    Args:
        target: A semiautomaton, its name (parity, C5, D4, Q8, S5, A5, gridworld4, flip_flop, dyck3, abab, adder, car, or
            regex:EXPRESSION), a dictionary {state: {letter: next state}}, the path of a file in HOA, DOT, BA or JSON, or an
            automaton of another library.
        scan: Length of the words; asks for the depth by doubling instead of the depth of the cascade.
        letters: The alphabet of regex:EXPRESSION, one character for each letter; by default the letters that occur.

    Returns:
        The levels and groups of the cascade and the depth by either route.

    Raises:
        ValueError: No semiautomaton has this name, or the file holds none.
        TooExpensive: There are too many images to decompose, see `theory.cost`.

    >>> automaton("Q8").bound.at()
    2.0
    >>> print(automaton([[0, 0], [0, 0], [1, 2]]).statement)
    this automaton is aperiodic, resets alone: at most 2 layers, whatever the length (classes of images of equal size share a...
    >>> print(automaton("S5").statement)
    S5 is not solvable (a group of order 120 on ..., whose perfect subgroup has order 60 (A5)): only the scan.
    """
    if scan is not None:
        scan = positive_integer("scan", scan, "the length of the words that are read by doubling")
    found = named_or_loaded(target, letters)
    over = f" (letters {listed(found.letters)})" if found.letters and isinstance(target, (str, Path)) else ""
    return _report(found, scan, f"{found.name}{over}")


def _report(a: Semiautomaton, length: int | None, what: str) -> AutomatonDepth:
    cascade, witness = a.holonomy("fewest"), a.perfect_witness()
    layers = None if witness else sum(level.layers for level in cascade.levels if level.layers is not None)
    if witness is not None:
        statement = f"{what} is not solvable ({witness.description}): only the scan."
        reason = f"every group inside is solvable ({a.name} holds {witness.description})"
    else:
        kind = "aperiodic, resets alone" if a.is_aperiodic else "solvable"
        at_most = f"at most {_layers(int(layers or 0))}, whatever the length"
        statement = f"{what} is {kind}: {at_most} ({CONSTRUCTIONS[cascade.by]})."
        reason = "every group inside is solvable"
    return AutomatonDepth(
        automaton=a,
        cascade=cascade,
        is_aperiodic=a.is_aperiodic,
        is_solvable=witness is None,
        statement=statement,
        bound=Bound(
            expr=sympy.oo if layers is None else sympy.Integer(layers),
            quantity=f"a number of abelian and reset layers that simulate {what} on words of any length: those of a cascade "
            f"({CONSTRUCTIONS[cascade.by]}), the least that is known; fewer may do",
            assumes=(
                Assumption(reason, sympy.true if witness is None else sympy.false),
                Assumption("counters and positions are exact: log(length) bits of precision (taken as given)"),
            ),
            source=f"Krohn and Rhodes 1965; holonomy levels and their derived series (derived); {_SOURCE}, Theorem 2",
        ),
        scan=scan(length),
    )


def _layers(number: int) -> str:
    return f"{number} layer{'s' * (number != 1)}"
