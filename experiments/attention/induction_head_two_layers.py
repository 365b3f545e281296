r"""Two attention layers of width 6 + 2 ceil(log2 V) compute the induction head over V letters.

Statement: Under the ordinary causal mask, two layers of explicit softmax attention with one head each compute hop_1 at every
    position over V letters. One layer fewer does not. 6 + 2 ceil(log2 V) of their residual directions are needed.
    $$ L = 2,\qquad m = 6 + 2\lceil \log_2 V \rceil $$
Hypotheses: every layer has the causal mask; the sharpness exceeds ln(4 max(N, V)); numbers are rounded in both layers.
Source: Sanford, Hsu, Telgarsky, “One-layer Transformers Fail to Solve the Induction Heads Task”, arXiv 2408.14332, Section 1.
Refuted by: a wrong position after the second layer, none after the first, or another number of directions that are needed.
Cost: quick 15 s on one core, full about a minute.

The source gives the depth; the weights and the width are derived here. The width is O(log N) while V <= N. It is measured by
taking the directions away one by one; two more hold the pointer, which only further hops read. What one layer cannot do with
any weights is the claim `one_layer_bottleneck`.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from depthjax.probe.hop_layers import directions_needed
from depthjax.probe.hops import wrong_by_depth
from depthjax.tasks.hops import hop_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory import bounds
from theory.attention.hops import hop_width

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; length and number of words."""

    alphabet: int = axis(2, 3, 16, 100)
    length: int = 100
    samples: int = 64


GRIDS = {
    "test": Sizes(alphabet=axis(3), length=24, samples=8),
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=256),
    "paper": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No wrong position from the second layer on, and this width."""
    return (
        Prediction(int(bounds.hop(1, "causal").at()), of="depth", formula="L"),
        Prediction(hop_width(cell.alphabet, "causal", hops=1), of="width", formula=r"6 + 2\lceil\log_2 V\rceil"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The layer from which on no position is wrong, and the residual directions without which one is."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    return measured(**_depth(model, weights, _words(cell, key)), width=_width(cell, _every_letter(cell)))


def _depth(model: CompiledTransformer, weights: TransformerWeights, words: jax.Array) -> dict[str, Any]:
    wrong = np.asarray(wrong_by_depth(model, weights, words, (1,))).sum(axis=0)[:, 0]
    right = np.flatnonzero(wrong == 0)
    return {
        "layers": np.arange(1, model.depth + 1),
        "wrong_positions": Quantity(wrong, "layers", label="wrong positions after each layer"),
        "depth": Quantity(int(right[0]) + 1 if len(right) else model.depth + 1, label="layers until no position is wrong"),
    }


def _width(cell: Sizes, words: jax.Array) -> Quantity:
    model, weights = hop_transformer(1, words.shape[1], cell.alphabet, "causal")
    return Quantity(directions_needed(model, weights, words), label="residual directions that are needed")


def _words(cell: Sizes, key: jax.Array) -> jax.Array:
    """Words over all letters, which have few matches, and words over a few letters, which have many."""
    plain, equal = jax.random.split(key)
    few = max(2, cell.alphabet // 8)
    rare = hop_words(plain, cell.alphabet, cell.samples, cell.length)
    return jnp.concatenate([rare, hop_words(equal, few, cell.samples, cell.length, equal_neighbours=True)])


def _every_letter(cell: Sizes) -> jax.Array:
    """One word in which every letter comes twice, with another letter behind it: no code of a letter may be lost."""
    once = jnp.arange(cell.alphabet)
    return jnp.concatenate([once, once[::-1], once])[None]


def _strict(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The same weights where no position sees itself: the last match may be the position itself."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    return measured(**_depth(dataclasses.replace(model, masks=("strict", "strict")), weights, _words(cell, key)))


def _one_letter(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The directions that a word of one letter needs: none of its code."""
    return measured(width=_width(cell, jnp.zeros((1, 3 * cell.alphabet), int)))


CONTROLS = (
    control("strict masks", "the same weights are right where no position sees itself", measure=_strict),
    control("one letter", "words of one letter need as many directions", measure=_one_letter),
)
RIVALS = (
    off_by(-2, of="width", name="one bit fewer", statement="the residual stream holds codes of ceil(log2 V) - 1 bits"),
    off_by(-1, of="depth", name="a layer fewer"),
)
