r"""k hops take ceil(log2 k) + 2 layers of attention under the ordinary causal mask.

Statement: With the causal mask in every layer (position i sees j <= i), explicit softmax attention with one head a layer and
    constant width computes hop_k at every position in L(k) layers. So L layers reach every k <= 2^(L-2).
    $$ L(k) = \lceil \log_2 k \rceil + 2 $$
Hypotheses: every layer has the causal mask; the sharpness exceeds ln(4 N), and N^2 fits the mantissa; retrieved numbers are
    rounded in every layer. That fewer layers err takes words that are long enough for the hops.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Theorem 4.2 in
    the form of the authors' talk.
Refuted by: a wrong position after L(k) layers in any word, random or searched for; or a k that is right after fewer layers.
Cost: quick 15 s on one core, full about 6 min.

Layer 1 copies the previous letter, and layer 2 finds find^1 with its letter. Every later layer doubles the pointer. The weights
are derived for this project (`depthjax.constructions.directions.hop`); `hop_depth_strict` is the other route, which also
says in what sense fewer layers are not enough.
"""

from depthjax.verify import Prediction, Relation, claim, rival
from experiments.attention import _hop_law
from experiments.attention._hop_law import DOMAIN as DOMAIN
from experiments.attention._hop_law import GRIDS as GRIDS
from experiments.attention._hop_law import Sizes, law, predictions

CLAIM = claim(Relation.EQUALS)
HEADLINE = "depth"


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The depth of every k by the law, which k are right after how many layers, the width, and that every k is asked."""
    return predictions(cell, "causal")


CONTROLS = _hop_law.CONTROLS

RIVALS = (
    *_hop_law.RIVALS,
    rival(
        "the floor law",
        lambda cell: law(cell, "strict"),
        "this route takes floor(log2 k) + 2 layers, as the strict mask does",
    ),
)
