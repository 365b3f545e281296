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

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, whole
from theory import bounds
from theory.attention.hops import hop_width

CLAIM = claim(Relation.EQUALS)
HEADLINE = "depth"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; length and number of words."""

    alphabet: int = axis(2, 3, 16, 100)
    length: int = 100
    samples: int = 64


DOMAIN = domain(alphabet=whole(2, 512, quick=120, test=20), length=whole(20, 512, quick=120, test=40), counts={"quick": 1})
GRIDS = {
    "test": Sizes(alphabet=axis(3), length=24, samples=8),
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=256),
    "paper": Sizes(alphabet=axis(2, 3, 16, 100, 512), length=512, samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No wrong position from the second layer on, and this width.

    After the first layer a position answers with its own letter, and without equal neighbours that is never right.
    """
    return (
        Prediction(int(bounds.hop(1, "causal").at()), of="depth", formula="L"),
        Prediction([cell.samples * cell.length, 0], of="wrong_of_rare", dims=("layers",)),
        Prediction(2 * cell.samples, of="words"),
        Prediction(hop_width(cell.alphabet, "causal", hops=1), of="width", formula=r"6 + 2\lceil\log_2 V\rceil"),
    )


def _strict(cell: Sizes) -> tuple[Prediction, ...]:
    """Only the second of two equal neighbours finds itself: other positions stay right, and no layer is right about all."""
    return (
        Prediction(3, of="depth"),
        Prediction([cell.samples * cell.length, 0], of="wrong_of_rare", dims=("layers",)),
    )


CONTROLS = (
    control("strict masks", "the same weights are right where no position sees itself", measure="strict", finds=_strict),
    control(
        "one letter",
        "words of one letter need as many directions",
        measure="one_letter",
        # a position finds itself, as its letter stands before it; the first one finds nothing
        finds=lambda cell: Prediction(3 * cell.alphabet - 1, of="named"),
    ),
)

RIVALS = (
    off_by(-2, of="width", name="one bit fewer", statement="the residual stream holds codes of ceil(log2 V) - 1 bits"),
    off_by(-1, of="depth", name="a layer fewer"),
)
