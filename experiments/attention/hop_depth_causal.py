r"""k hops take ceil(log2 k) + 2 layers of attention under the ordinary causal mask.

Statement: explicit softmax attention with the plain causal mask everywhere, one head a layer, constant
width and rounding between layers, computes hop_k at every position in

    L(k) = ceil(log2 k) + 2,        so that L layers reach every k <= 2^(L-2),

layers. Layer 1 copies the previous letter, layer 2 finds find^1 and its letter; every later layer doubles.

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
    refuted_by="a wrong position in a word, random or searched for, at any k; or a k that is right with fewer layers",
    cost="5 s on a CPU; full: some minutes on a CPU",
)

GRIDS = SIZES
MASK = "causal"


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The depth of every k by the law, and no word for which it takes more; width; the sharpness at least."""
    return predictions(cell, MASK)


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Wrong positions at every k after every layer."""
    return measurement(cell, key, MASK)


CONTROLS = (
    too_shallow(MASK),
    Control(
        "the floor law", "this route takes floor(log2 k) + 2 layers, as the strict mask does", lambda cell: law(cell, "strict")
    ),
)
PICTURES = (picture(MASK),)
