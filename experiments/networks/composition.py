"""Products in a group by power units: one hidden layer, a recurrence, or a tree."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depthjax.constructions.composition.paths import recurrent_weights, tree_weights, two_layer_weights
from depthjax.figures.traces import TracedLayer
from depthjax.models import polynomial
from experiments.networks.network import Network
from theory.groups import FiniteGroup
from theory.groups import group as finite_group

__all__ = ["composition"]


def composition(given: str | FiniteGroup, length: int = 2, by: str = "two_layer") -> Network:
    """Return the network that answers with the product of a word of group elements; it answers once, at the last letter.

    Elements are one-hot codes, so all irreps of the group take part.

    Args:
        given: A group or its name; the letters are the names of its elements.
        length: Length of the words; 2, 4, 8, .. for a tree.
        by: "two_layer" (one hidden layer of powers), "recurrent" (squares, one letter a step) or "tree" (squares, in pairs).

    Raises:
        ValueError: There is no such group or network, a word has another length, or no tree has this length.

    >>> network = composition("C3", length=4, by="tree")
    >>> network.depth, network(["a", "a", "a^2", "a"]), network.trace(["a", "a", "a^2", "a"]).layers[1].knows
    (2, ('a^2',), {'product': ['', 'a^2', '', 'e']})
    """
    return _CompositionNetwork(finite_group(given), length, by)


class _CompositionNetwork(Network):
    def __init__(self, group: FiniteGroup, length: int, by: str) -> None:
        if by not in ("two_layer", "recurrent", "tree"):
            raise ValueError(f"by = {by!r}: expected 'two_layer', 'recurrent' or 'tree'")
        if length < 2 or (by == "tree" and length & (length - 1)):
            raise ValueError(
                f"length = {length}: a {by} network multiplies {'2, 4, 8, ..' if by == 'tree' else '2 or more'} letters"
            )
        self.letters, self.length, self.by = group.names, length, by
        self.title = f"products of {length} elements of {group.name}"
        depth = {"two_layer": 1, "recurrent": length - 1, "tree": length.bit_length() - 1}[by]
        self.kinds = (f"powers of {length}" if by == "two_layer" else "squares",) * depth
        one, irreps = np.eye(group.order, dtype=np.float32), [(irrep.kind, irrep.matrices) for irrep in group.irreps]
        # the code of g is x_g[h] = x[gh]: one-hot at the inverse of g
        self.codes = jnp.asarray(one[group.inverses])
        arguments = (one[0], irreps)
        if by == "two_layer":
            self.weights = two_layer_weights(*arguments, length)
        else:
            self.weights = (recurrent_weights if by == "recurrent" else tree_weights)(*arguments)

    def answers(self, word: np.ndarray) -> tuple[bool | str, ...]:
        return (self._products(word)[-1][-1],)

    def layers(self, word: np.ndarray) -> list[TracedLayer]:
        found = [TracedLayer("the letters", {}, {"letter": [self.letters[letter] for letter in word]})]
        for number, products in enumerate(self._products(word), 1):
            found.append(TracedLayer(f"layer {number}", {}, {"product": products}))
        return found

    def _products(self, word: np.ndarray) -> list[list[str]]:
        """For each layer the product that it holds at each letter, "" where it holds none."""
        if len(word) != self.length:
            raise ValueError(f"the word has {len(word)} letters, and this network multiplies {self.length}: build another one")
        words, weights = jnp.asarray(word)[None], self.weights
        if isinstance(weights, polynomial.TwoLayer):
            readings = [{self.length - 1: polynomial.two_layer(weights, self.codes, words)[0]}]
        elif isinstance(weights, polynomial.Tree):
            nodes = [layer[0] @ weights.out.T for layer in polynomial.tree_layers(weights, self.codes, words)]
            readings = [{(i + 1) * 2 ** (k + 1) - 1: row for i, row in enumerate(layer)} for k, layer in enumerate(nodes)]
        else:
            readings = [{i + 1: row} for i, row in enumerate(polynomial.recurrent_readings(weights, self.codes, words)[0])]
        named = [{place: self.letters[int((self.codes @ row).argmax())] for place, row in held.items()} for held in readings]
        return [[held.get(place, "") for place in range(self.length)] for held in named]
