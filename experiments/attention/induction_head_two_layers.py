r"""Two attention layers of width 8 + 2 ceil(log2 V) compute the induction head exactly.

Statement: under the ordinary causal mask two layers of explicit softmax attention, one head each, compute hop_1 at every
position over V letters with 8 + 2 ceil(log2 V) residual directions:

    L = 2,    m = 8 + 2 ceil(log2 V) = O(log N) for V <= N.

Hypotheses: sharpness beta > ln(4 max(N, V)). Source: Sanford, Hsu and Telgarsky, for depth 2; the weights and the width are
derived here. Refuted by: a wrong position, or a wider residual stream. What one layer cannot do whatever its weights is
`one_layer_bottleneck`. Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import xarray as xr

from depthjax.constructions.hop import hop_transformer
from depthjax.probe.hops import wrong_by_depth
from depthjax.tasks.hops import hop_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="induction_head_two_layers",
    title="Two attention layers of width 8 + 2 ceil(log2 V) compute the induction head over V letters",
    statement=(
        "Two causally masked softmax layers with one head each and 8 + 2 ceil(log2 V) residual directions compute the "
        "induction head exactly over V letters."
    ),
    latex=r"L = 2,\qquad m = 8 + 2\lceil \log_2 V \rceil",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "One-layer Transformers Fail to Solve the Induction Heads Task",
        "arXiv 2408.14332",
        "Section 1",
    ),
    assumes=("sharpness above ln(4 max(N, V))", "numbers are rounded in both layers"),
    refuted_by="a wrong position over any alphabet, or another width",
    cost="3 s on a CPU; full: a minute",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The alphabet is the axis."""

    alphabet: int = axis(2, 3, 16, 100)
    length: int = 100
    samples: int = 64


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=256),
    "paper": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No wrong position in two layers of this width."""
    return (
        Prediction(0, of="wrong_positions"),
        Prediction(int(bounds.hop(1, "causal").at()), of="depth"),
        Prediction(bounds.hop_width(cell.alphabet, "causal"), of="width", formula=r"8 + 2\lceil\log_2 V\rceil"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions after the second layer and after the first."""
    model, weights = hop_transformer(1, cell.length, cell.alphabet, "causal")
    plain, equal = jax.random.split(key)
    few = max(2, cell.alphabet // 8)  # words over few letters have many matches, words over all of them have few
    words = jnp.concatenate(
        [
            hop_words(plain, cell.alphabet, cell.samples, cell.length),
            hop_words(equal, few, cell.samples, cell.length, equal_neighbours=True),
        ]
    )
    first, second = wrong_by_depth(model, weights, words, (1,)).sum(axis=0)[:, 0]
    return xr.Dataset(
        {
            "wrong_positions": ((), int(second), {"long_name": "wrong positions"}),
            "wrong_after_one": ((), int(first), {"long_name": "wrong positions of the first layer alone"}),
            "depth": ((), model.depth, {"long_name": "layers"}),
            "width": ((), model.width, {"long_name": "residual directions"}),
        }
    )


CONTROLS = (
    Control("one layer", "the first of the two layers is enough", lambda cell: Prediction(0, of="wrong_after_one")),
    Control(
        "one bit fewer",
        "codes of ceil(log2 V) - 1 bits are what the residual stream holds",
        lambda cell: Prediction(bounds.hop_width(cell.alphabet, "causal") - 2, of="width"),
    ),
)
