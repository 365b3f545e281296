r"""k hops take floor(log2 k) + 2 layers of attention if layer 1 does not see its own position.

Statement: If layer 1 has a strict mask (position i sees j < i), explicit softmax attention with one head a layer and constant
    width computes hop_k at every position in L(k) layers. So L layers reach every k <= 2^(L-1) - 1.
    $$ L(k) = \lfloor \log_2 k \rfloor + 2 $$
Hypotheses: layer 1 has a strict mask; the sharpness exceeds ln(4 N), and N^2 fits the mantissa; retrieved numbers are rounded
    in every layer. That fewer layers err takes words that are long enough for the hops.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Theorem 4.2.
Refuted by: a wrong position after L(k) layers in any word, random or searched for; or a k that is right after fewer layers.
Cost: quick 10 s on one core, full about 6 min.

Layer 1 finds the last match, find^1. Every later layer looks up the pointer at the position that the pointer names, which
doubles it; the letter follows one layer behind. The weights are derived for this project
(`depthjax.constructions.directions.hop`).

These layers are enough. That fewer never are is known only under the conjecture on one against two cycles, so "fewer" means
fewer layers of this construction.
"""

from depthjax.verify import Prediction, Relation, claim, control
from experiments.attention import _hop_law
from experiments.attention._hop_law import DOMAIN as DOMAIN
from experiments.attention._hop_law import GRIDS as GRIDS
from experiments.attention._hop_law import Sizes, predictions

CLAIM = claim(Relation.EQUALS)
HEADLINE = "depth"


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The depth of every k by the law, which k are right after how many layers, the width, and that every k is asked.

    If layer 1 sees its own position, every pointer names its own position. So 0 1 0 1 ... answers its own letter, which is
    right at even k where there is a k-th hop. In 0 ... 0 1 0 the first two positions and the 1 are wrong.
    """
    n = cell.length
    alternating = [0 if k % 2 else n - k - 1 for k in range(1, cell.largest + 1)]
    not_strict = Prediction([[n - 3] * cell.largest, alternating], of="known_not_strict", dims=("known_word", "hops"))
    return (*predictions(cell, "strict"), not_strict)


CONTROLS = (
    control(
        "the mask not strict",
        "the same weights are right when layer 1 sees its own position",
        instead={"known": "known_not_strict"},
    ),
    *_hop_law.CONTROLS,
)

RIVALS = _hop_law.RIVALS
