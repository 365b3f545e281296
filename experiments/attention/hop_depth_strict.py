r"""k hops take floor(log2 k) + 2 layers of attention if layer 1 does not see its own position.

Statement: explicit softmax attention with a strict mask in layer 1, one head a layer, constant
width and rounding between layers, computes hop_k at every position in

    L(k) = floor(log2 k) + 2,        so that L layers reach every k <= 2^(L-1) - 1,

layers. Layer 1 finds find^1; every later layer doubles the pointer, and the letter follows one layer behind.

Hypotheses: sharpness beta > ln(4 N); N^2 fits the mantissa (4096 in float32). The layers are enough; that fewer are not is
known only under the conjecture on one against two cycles, so the control removes a layer of this construction.

Source: Sanford, Hsu and Telgarsky; the weights are derived here. Refuted by: one wrong position in any word at L(k) layers,
or none with fewer. Cost: 5 s on a CPU at quick size; some minutes at full size.
"""

import jax
import xarray as xr

from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.attention._hops import GRIDS as SIZES
from experiments.attention._hops import Sizes, law, measurement, picture, predictions, too_shallow

CLAIM = Claim(
    slug="hop_depth_strict",
    title="k hops take floor(log2 k) + 2 layers of attention if layer 1 does not see its own position",
    statement=(
        "With a strict mask in layer 1 explicit softmax attention, one head a layer and constant width, "
        "computes hop_k at every position in floor(log2 k) + 2 layers."
    ),
    latex=r"L(k) = \lfloor \log_2 k \rfloor + 2",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "Transformers, Parallel Computation, and Logarithmic Depth",
        "arXiv 2402.09268",
        "Theorem 4.2",
    ),
    assumes=(
        "a strict mask in layer 1",
        "sharpness above ln(4 N), and N^2 within the mantissa",
        "retrieved numbers are rounded in every layer",
    ),
    refuted_by="a wrong position in a word, random or searched for, at any k; or a k that is right with fewer layers",
    cost="5 s on a CPU; full: some minutes on a CPU",
)

GRIDS = SIZES
MASK = "strict"


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The depth of every k by the law, and no word for which it takes more; width; the sharpness at least."""
    return predictions(cell, MASK)


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, MASK)


CONTROLS = (
    too_shallow(MASK),
    Control(
        "the mask not strict",
        "the same weights are right when layer 1 sees its own position",
        lambda cell: law(cell, MASK),
        lambda cell, key: measurement(cell, key, MASK, plain=True),
    ),
)
PICTURES = (picture(MASK),)
