"""Bounds on automata and on formulas of temporal logic."""

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import tyro

from experiments.commands.queries.query import Query
from experiments.commands.usage import UsageError

if TYPE_CHECKING:
    from theory.bounds import AutomatonDepth
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Automaton(Query):
    """Layers that simulate a semiautomaton: by its Krohn-Rhodes cascade, whatever the length, or by doubling.

    Example: depthjax bound automaton D4
    """

    target: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE.json|NAME")]
    """A file with a table (state, letter), or parity, C5, D4, Q8, S5, A5, gridworld4, flip_flop, dyck3, abab, adder, car,
    or regex:EXPRESSION."""
    scan: int | None = None
    """Length of the words, for the depth by doubling instead of the cascade's."""

    @cached_property
    def found(self) -> "AutomatonDepth":
        """The report of the automaton."""
        from theory.automata import load, semiautomaton
        from theory.bounds import automaton

        if self.scan is not None and self.scan < 1:
            raise ValueError(f"--scan {self.scan}: expected an integer >= 1, the length of the words")
        try:
            target = load(self.target) if self.target.endswith(".json") else semiautomaton(self.target)
        except ImportError as error:
            raise UsageError(str(error)) from error
        return automaton(target, self.scan)

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.automaton`."""
        return self.found.bound if self.scan is None else self.found.scan

    def details(self) -> dict[str, tuple[str, ...]]:
        """What its depth is in words, its levels, the groups inside, and the depth by each route."""
        found = self.found
        return {
            "in words": (found.statement,),
            "levels": found.levels or ("none: one state",),
            "groups": found.groups or ("none: aperiodic",),
            "routes": found.routes,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logic(Query):
    """Attention layers of a formula of temporal logic, its minimal automaton, and whether that is star-free.

    Example: depthjax bound logic "a S (b & P a)"
    """

    formula: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FORMULA")]
    """Letters, ! & | -> <->, S (since), U (until), Y P H X F G, counts such as '#[a] - #>[b] >= 1'."""
    letters: str | None = None
    """The alphabet, one character a letter; by default the letters that occur."""
    expression: bool = False
    """The text is a regular expression, such as (ab)*; one that is not star-free is refused, with a witness."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.logic`."""
        from theory.bounds import logic

        return logic(self.formula, self.letters, expression=self.expression)
