"""k hops as a softmax transformer of about log2(k) layers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import jax.numpy as jnp
import numpy as np

from depthjax.constructions import hop_transformer
from depthjax.figures.traces import TracedLayer
from experiments.networks.network import Network

__all__ = ["hops"]


def hops(k: int, letters: str | Sequence[str], mask: str = "strict") -> Network:
    """Return the transformer that answers, at every position, with the letter k hops back ("none" where there is none).

    One hop leads to the position after the last earlier occurrence of the letter.

    Args:
        k: Number of hops, at least 1 and at most the length of the words.
        letters: The alphabet, at least two letters.
        mask: What layer 1 sees: "strict" (earlier positions) or "causal" (its own position too; one more layer).

    Raises:
        ValueError: A value is outside its range; also when a word is shorter than k.

    >>> hops(2, "abc").trace("abacab").layers[1].knows["pointer"]
    ['0', '0', '2', '0', '4', '3']
    """
    return _HopNetwork(k, letters, mask)


class _HopNetwork(Network):
    def __init__(self, k: int, letters: str | Sequence[str], mask: str) -> None:
        self.letters, self.title = tuple(letters), f"{k} hop{'s' * (k != 1)}"
        # a model reads words up to a length: one model for each length that is asked
        self.built = lru_cache(lambda length: hop_transformer(k, length, len(self.letters), mask))
        self.kinds = tuple(f"attention, {seen}" for seen in self.built(k)[0].masks)

    def answers(self, word: np.ndarray) -> tuple[bool | str, ...]:
        model, weights = self.built(len(word))
        classes = np.asarray(model.apply(weights, jnp.asarray(word)[None])[0].argmax(axis=-1))
        return tuple(self._named(number) for number in classes.tolist())

    def layers(self, word: np.ndarray) -> list[TracedLayer]:
        model, weights = self.built(len(word))
        found = []
        for number, traced in enumerate(model.trace(weights, jnp.asarray(word))):
            knows = {"token": [self._named(round(float(token))) for token in traced["token"][1:]]}
            title, heads = "the letters", {}
            if number:
                knows = {"pointer": [str(round(float(place))) for place in traced["pointer"][1:]]} | knows
                mask = model.masks[number - 1]
                title, heads = f"layer {number} ({mask} mask)", {"looks": traced["attention"][1:]}
            found.append(TracedLayer(title, heads, knows))
        return found

    def _named(self, number: int) -> str:
        return [*self.letters, "none"][number]
