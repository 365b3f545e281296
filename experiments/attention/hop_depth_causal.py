r"""k hops take ceil(log2 k) + 2 layers of attention under the ordinary causal mask.

Statement: explicit softmax attention with the plain causal mask everywhere, one head a layer, constant
width and rounding between layers, computes hop_k at every position in

    L(k) = ceil(log2 k) + 2,        so that L layers reach every k <= 2^(L-2),

layers. Layer 1 copies the previous letter, layer 2 finds find^1 and its letter; every later layer doubles.

Hypotheses: sharpness beta > ln(4 N); N^2 fits the mantissa (4096 in float32). The layers are enough; that fewer are not is
known only under the conjecture on one against two cycles, so the control removes a layer of this construction.

Source: Sanford, Hsu and Telgarsky; the weights are derived here. Refuted by: one wrong position in any word.
Cost: 10 s on a CPU at quick size; an hour at full size, minutes on a GPU.
"""

import jax
import xarray as xr

from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.attention._hops import GRIDS as SIZES
from experiments.attention._hops import Sizes, hops_of, measurement, predictions
from theory import bounds

CLAIM = Claim(
    slug="hop_depth_causal",
    title="k hops take ceil(log2 k) + 2 layers of attention under the ordinary causal mask",
    statement=(
        "With the plain causal mask everywhere explicit softmax attention, one head a layer and constant width, "
        "computes hop_k at every position in ceil(log2 k) + 2 layers."
    ),
    latex=r"L(k) = \lceil \log_2 k \rceil + 2",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "Transformers, Parallel Computation, and Logarithmic Depth",
        "arXiv 2402.09268",
        "Theorem 4.2, in the form of its authors' talk",
    ),
    assumes=(
        "the plain causal mask everywhere",
        "sharpness above ln(4 N), and N^2 within the mantissa",
        "retrieved numbers are rounded in every layer",
    ),
    refuted_by="a wrong position in a word, random or searched for, at any k",
    cost="10 s on a CPU; full: an hour on a CPU",
)

GRIDS = SIZES
MASK = "causal"


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No wrong position, the depth by the law, the width, the sharpness at least."""
    return predictions(cell, MASK)


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k of this depth."""
    return measurement(cell, key, hops_of(cell, MASK), MASK)


def _shallower(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return measurement(cell, key, hops_of(cell, MASK), MASK, removed=1)


def _not_every(cell: Sizes) -> Prediction:
    return Prediction(len(hops_of(cell, MASK)) - 1, of="failing", relation=Relation.AT_MOST)


def _floor_law(cell: Sizes) -> Prediction | None:
    ks = hops_of(cell, MASK)
    layers = [int(bounds.hop(k, "strict").at()) for k in (ks[0], ks[-1])]
    return Prediction(tuple(layers), of="depth", dims=("end",)) if layers != [cell.layers] * 2 else None


CONTROLS = (
    Control(
        "a layer fewer",
        "without its last layer the construction is right at some k of this depth",
        _not_every,
        _shallower,
    ),
    Control("the floor law", "this route takes floor(log2 k) + 2 layers, as the strict mask does", _floor_law),
)
