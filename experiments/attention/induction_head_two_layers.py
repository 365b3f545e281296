r"""Two attention layers of width 8 + 2 ceil(log2 V) compute the induction head over V letters.

Statement: Under the ordinary causal mask, two layers of explicit softmax attention with one head each compute hop_1 at every
    position over V letters with 8 + 2 ceil(log2 V) residual directions.
    $$ L = 2,\qquad m = 8 + 2\lceil \log_2 V \rceil $$
Hypotheses: every layer has the causal mask; the sharpness exceeds ln(4 max(N, V)); numbers are rounded in both layers.
Source: Sanford, Hsu, Telgarsky, “One-layer Transformers Fail to Solve the Induction Heads Task”, arXiv 2408.14332, Section 1.
Refuted by: a wrong position over any alphabet, or another width.
Cost: quick 3 s on a CPU; full a minute.

The source gives the depth; the weights and the width are derived here. The width is O(log N) while V <= N. What one layer
cannot do with any weights is the claim `one_layer_bottleneck`.
"""

import dataclasses

import jax
import jax.numpy as jnp
import xarray as xr

from depthjax.constructions.hop import hop_transformer
from depthjax.probe.hops import wrong_by_depth
from depthjax.tasks.hops import hop_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory import bounds

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
    """No wrong position after two layers of this width."""
    return (
        Prediction(0, of="wrong_positions"),
        Prediction(int(bounds.hop(1, "causal").at()), of="depth"),
        Prediction(bounds.hop_width(cell.alphabet, "causal"), of="width", formula=r"8 + 2\lceil\log_2 V\rceil"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions after the first layer and after the second."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    first, second = wrong_by_depth(model, weights, _words(cell, key), (1,)).sum(axis=0)[:, 0]
    return measured(
        wrong_positions=Quantity(int(second), label="wrong positions"),
        wrong_after_one=Quantity(int(first), label="wrong positions after the first layer"),
        depth=Quantity(model.depth, label="layers"),
        width=Quantity(model.width, label="residual directions"),
    )


def _words(cell: Sizes, key: jax.Array) -> jax.Array:
    """Words over all letters, which have few matches, and words over a few letters, which have many."""
    plain, equal = jax.random.split(key)
    few = max(2, cell.alphabet // 8)
    rare = hop_words(plain, cell.alphabet, cell.samples, cell.length)
    return jnp.concatenate([rare, hop_words(equal, few, cell.samples, cell.length, equal_neighbours=True)])


def _strict(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions of the same weights where no position sees itself: the last match may be the position itself."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    model = dataclasses.replace(model, masks=("strict", "strict"))
    wrong = wrong_by_depth(model, weights, _words(cell, key), (1,))[:, -1].sum()
    return measured(wrong_positions=Quantity(int(wrong)))


CONTROLS = (
    control("one layer", "the first of the two layers is enough", instead={"wrong_positions": "wrong_after_one"}),
    control("strict masks", "the same weights are right where no position sees itself", measure=_strict),
)
RIVALS = (
    off_by(-2, of="width", name="one bit fewer", statement="the residual stream holds codes of ceil(log2 V) - 1 bits"),
    off_by(-1, of="depth", name="a layer fewer"),
)
