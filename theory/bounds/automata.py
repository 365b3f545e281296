"""What the structure of a semiautomaton says about depth."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.automata import Cascade, Semiautomaton, semiautomaton
from theory.automata.inside import GroupInside
from theory.bounds.bound import Bound, Hypothesis, positive_integer

__all__ = ["AutomatonDepth", "automaton", "scan"]

_SOURCE = "Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2210.10749"


def scan(length: int | None = None) -> Bound:
    """Layers that read words of this length by doubling, for any semiautomaton: ``ceil(log2(length))``.

    Raises:
        ValueError: a length below one.

    >>> [scan(length).at() for length in (1, 2, 100, 128, 129)]
    [0.0, 1.0, 7.0, 7.0, 8.0]
    """
    symbol = sympy.Symbol("length", positive=True)
    values = {} if length is None else {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol, 2)),
        quantity="the number of attention layers that read words of at most this length by doubling",
        assumes=(Hypothesis("length is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),),
        source=f"{_SOURCE}, Theorem 1: a layer doubles the window whose map a position knows",
        values=values,
    )


@dataclass(frozen=True)
class AutomatonDepth:
    """The decomposition of a semiautomaton and the depth it means.

    Attributes:
        automaton: The semiautomaton.
        cascade: Its holonomy cascade.
        is_aperiodic: Whether every group inside is trivial.
        is_solvable: Whether every group inside is solvable.
        statement: What depth that means, in a sentence.
        bound: Layers of the cascade, whatever the length, as a `Bound`; it refuses to evaluate where there is no such cascade.
        scan: Layers by doubling, a function of the length.
    """

    automaton: Semiautomaton
    cascade: Cascade
    is_aperiodic: bool
    is_solvable: bool
    statement: str
    bound: Bound
    scan: Bound

    @property
    def levels(self) -> tuple[str, ...]:
        """One line per level, highest first."""
        lines = []
        for level in self.cascade.levels:
            groups = [component.group for component in level.components if component.generators]
            orders = ", ".join(str(group.order) for group in groups)
            line = f"{len(level.components)} component{'s' * (len(level.components) > 1)}"
            line += f", group{'s' * (len(groups) > 1)} of order {orders}" if groups else ", no group"
            abelian = "not solvable" if level.derived_length is None else f"{level.derived_length} abelian"
            lines.append(f"height {level.height}: {line}; {abelian}{' + 1 reset' if self.resets else ''}")
        return tuple(lines)

    @property
    def groups(self) -> tuple[str, ...]:
        """One line per non-trivial group inside."""
        return tuple(f"{group.description}{'' if group.is_solvable else ': not solvable'}" for group in self.groups_inside)

    @property
    def routes(self) -> tuple[str, ...]:
        """Depth by each route, or why a route is closed."""
        if self.is_solvable:
            cascade = f"cascade: {_layers(int(self.bound.at()))}, whatever the length"
        else:
            cascade = "cascade: none, a group inside is not solvable"
        lengths = ", ".join(f"{int(scan(length).at())} at {length}" for length in (32, 1024))
        return cascade, f"scan: ceil(log2(length)) layers ({lengths})"

    @property
    def groups_inside(self) -> tuple[GroupInside, ...]:
        """The non-trivial groups by which words permute an image."""
        return self.automaton.groups_inside()

    @property
    def resets(self) -> bool:
        """Whether some letter is not a permutation of the states."""
        return bool((self.cascade.images.move[0] != 0).any())


def automaton(target: str | Semiautomaton, length: int | None = None) -> AutomatonDepth:
    """The depth report of a semiautomaton, by name or as it is: every level costs its abelian stages, and one reset.

    Raises:
        ValueError: an unknown name, or too many states for the decomposition.

    >>> automaton("Q8").bound.at(), automaton("gridworld4").bound.at()
    (2.0, 3.0)
    >>> print(automaton("S5").statement)
    S5 is not solvable (a group of order 120 on ..., whose perfect subgroup has order 60 (A5)): only the scan.
    """
    a = target if isinstance(target, Semiautomaton) else semiautomaton(target)
    cascade, witness = a.holonomy(), a.perfect_witness()
    resets = int((a.images.move[0] != 0).any())
    layers = None if witness else sum(length + resets for length in cascade.derived_lengths if length is not None)
    if witness is not None:
        statement = f"{a.name} is not solvable ({witness.description}): only the scan."
        reason = f"every group inside is solvable ({a.name} holds {witness.description})"
    else:
        kind = "aperiodic, resets alone" if a.is_aperiodic else "solvable"
        statement = f"{a.name} is {kind}: {_layers(int(layers or 0))}, whatever the length."
        reason = "every group inside is solvable"
    return AutomatonDepth(
        automaton=a,
        cascade=cascade,
        is_aperiodic=a.is_aperiodic,
        is_solvable=witness is None,
        statement=statement,
        bound=Bound(
            expr=sympy.oo if layers is None else sympy.Integer(layers),
            quantity=f"the number of abelian and reset layers of the cascade that simulates {a.name} on words of any length",
            assumes=(
                Hypothesis(reason, sympy.true if witness is None else sympy.false),
                Hypothesis("counters and positions are exact: log(length) bits of precision (taken as given)"),
            ),
            source=f"Krohn and Rhodes 1965; holonomy levels and their derived series (derived); {_SOURCE}, Theorem 2",
        ),
        scan=scan(length),
    )


def _layers(number: int) -> str:
    return f"{number} layer{'s' * (number != 1)}"
