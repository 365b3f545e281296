"""An automaton or a group as the layers of its Krohn-Rhodes cascade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.constructions import compile_cascade
from depthjax.constructions.compiled.traces import trace_automaton
from depthjax.figures.cascades import draw_cascade
from depthjax.figures.plots import WIDTH, styled
from depthjax.figures.traces import TracedLayer
from experiments.networks.cascade import drawing
from experiments.networks.network import Network
from theory.automata import Dfa, Semiautomaton, semiautomaton
from theory.groups import FiniteGroup

__all__ = ["automaton"]


def automaton(
    given: str | Semiautomaton | Dfa | Mapping[Any, Any] | FiniteGroup,
    start: int | str = 0,
    to: str = "attention",
    letters: str | Sequence[str] | None = None,
) -> Network:
    """Return the network that follows the states of an automaton, on words of any length.

    Args:
        given: An automaton, its name (such as D4, gridworld4, regex:(ab)*), a dictionary {state: {letter: next state}}, or a
            group, which acts on itself.
        start: State before the first letter, by name or number.
        to: Kind of the layers: "attention", "recurrence" or "scan"; a trace shows the attention in any case.
        letters: The alphabet of regex:EXPRESSION; by default the letters that occur.

    Raises:
        ValueError: No automaton has this name, the dictionary holds none, or it has no such state.
        OutsideHypotheses: A group inside is not solvable; no number of such layers serves all lengths.

    >>> door = automaton({"open": {"x": "shut", "y": "open"}, "shut": {"x": "open", "y": "shut"}})
    >>> door, door.trace("xy").layers[1].knows
    (<Network for this automaton: 1 layer, letters x y>, {'adds in C2': ['1', '1'], 'state in': ['{shut}', '{shut}']})
    """
    return _AutomatonNetwork(semiautomaton(given, letters=letters), start, to)


class _AutomatonNetwork(Network):
    def __init__(self, given: Semiautomaton, start: int | str, to: str) -> None:
        self.title = given.name
        self.letters = given.letters or tuple(map(str, range(given.num_letters)))
        self.states = given.states or tuple(map(str, range(given.num_states)))
        self.start = given.numbers((), start)[1]
        self.decomposition = given.holonomy("fewest")
        self.images = self.decomposition.images
        self.compiled = compile_cascade(self.decomposition, to=to)
        self.run = jax.jit(self.compiled)
        self.kinds = self.compiled.layers

    def answers(self, word: np.ndarray) -> tuple[bool | str, ...]:
        return tuple(self.states[q] for q in np.asarray(self.run(jnp.asarray(word), self.start)).tolist())

    def layers(self, word: np.ndarray) -> list[TracedLayer]:
        found = [TracedLayer("the letters", {}, {"letter": [self.letters[letter] for letter in word]})]
        for number, (kind, traced) in enumerate(
            zip(self.kinds, trace_automaton(self.compiled, word, self.start), strict=True), 1
        ):
            reset = kind == "reset"
            held = "last tile written" if reset else f"adds in {kind}"
            knows = {held: [",".join(map(str, row)) for row in traced.holds.tolist()]}
            if (traced.sets >= 0).all():
                knows["state in"] = [self._set(index) for index in traced.sets.tolist()]
            head = "reads the last write" if reset else "averages"
            found.append(TracedLayer(f"layer {number}: {kind}", {head: traced.attention}, knows))
        return found

    def cascade(self, word: str | Sequence[str]) -> Figure:
        """Return the picture of the automaton and of its Krohn-Rhodes cascade, while it reads a word.

        Raises:
            ValueError: The word is empty, or a letter is unknown.
        """
        shown = drawing(self.decomposition, self.numbers(word).tolist(), self.start)
        with styled(self.title):
            page = Figure(figsize=(WIDTH, shown.height), layout="constrained")
            FigureCanvasSVG(page)
            draw_cascade(page, shown)
        return page

    def _set(self, index: int) -> str:
        return "{" + ",".join(self.states[q] for q in self.images.members(index)) + "}"
