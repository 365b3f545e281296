"""A temporal formula as masked attention: one layer for each level of its depth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depthjax.constructions import compile_formula
from depthjax.constructions.compiled.traces import trace_formula
from depthjax.figures.traces import TracedLayer
from experiments.networks.network import Network
from theory.automata.alphabet import listed
from theory.logic import AtLeast, Formula, Since, Until, parse
from theory.logic.operators import reading
from theory.logic.program import program
from theory.logic.truth import letters_of

__all__ = ["formula"]


def formula(given: str | Formula, letters: str | Sequence[str] | None = None) -> Network:
    """Return the network that computes a temporal formula at every position.

    Args:
        given: The formula or its text, in the grammar of `theory.logic.syntax`.
        letters: The alphabet; by default the letters that occur.

    Raises:
        ParseError: The text is no formula.
        ValueError: The alphabet lacks a letter of the formula.

    >>> formula("P a").trace("ba").layers[1].looks_at("P a")
    [0, 1]
    """
    return _FormulaNetwork(parse(given) if isinstance(given, str) else given, letters)


class _FormulaNetwork(Network):
    def __init__(self, given: Formula, letters: str | Sequence[str] | None) -> None:
        self.parts, self.title = given.subformulas, str(given)
        self.letters = letters_of(given, letters)
        self.reading = f"truth at every position; {reading(given)}; letters {listed(self.letters)}"
        temporal = [part for part in self.parts if part.is_temporal]
        self.kinds = tuple(", ".join(str(p) for p in temporal if p.depth == d + 1) for d in range(given.depth))
        self.compiled = compile_formula(program(given, self.letters))

    def answers(self, word: np.ndarray) -> tuple[bool | str, ...]:
        return tuple(np.asarray(self.compiled(word[None])[0, 0]).tolist())

    def layers(self, word: np.ndarray) -> list[TracedLayer]:
        binary = [part for part in self.parts if isinstance(part, (Since, Until))]
        found = []
        for number, traced in enumerate(trace_formula(self.compiled, word)):
            looks = {
                p: weights
                for kind, found in ((Since, traced.back), (Until, traced.ahead))
                for p, weights in zip([p for p in binary if isinstance(p, kind)], found, strict=False)
            }
            heads = {str(p): looks[p] for p in binary if p.depth == number}
            counts = [p for p in self.parts if isinstance(p, AtLeast) and p.depth == number]
            sides = {count.ahead for part in counts for count in part.counts}
            heads |= {name: traced.future if ahead else traced.past for ahead, name in _SIDES.items() if ahead in sides}
            knows = {str(p): traced.bits[i].tolist() for i, p in enumerate(self.parts) if p.depth == number}
            title = f"layer {number}: formulas of depth {number}" if number else "the letters"
            found.append(TracedLayer(title, heads, knows))
        return found


_SIDES = {False: "averages up to here", True: "averages from here on"}
