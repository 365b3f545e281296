r"""One softmax head is the nearest-neighbour predictor up to an exact error in its inverse temperature and the margin.

Statement: A head that scores keys by -beta times squared distance and averages labels in [0, 1] returns the label of the
    nearest of N keys up to (N-1) / (N-1 + e^(beta gamma)), with gamma the margin in squared distance before other labels.
    Some context attains this. From beta = ln(N-1) / gamma on the head decides between two classes. With a margin of the other
    sign it is as near to the other label.
    $$ |\mathrm{out} - y_{\mathrm{near}}| \le \frac{N-1}{N-1 + e^{\beta\gamma}}, \qquad \beta_{1/2} = \frac{\ln(N-1)}{\gamma} $$
Hypotheses: N >= 3; beta > 0; the margin is not zero; labels lie in [0, 1].
Source: this project; the task is that of nearest neighbours in context (Sanford, Hsu, Telgarsky, lecture).
Refuted by: a context in which the head errs more, an extremal context in which it errs less, or another threshold.
Cost: quick 6 s on one core, full about 45 s.

Derivation. The right label has a weight w, and each of the other N - 1 keys with another label at most w e^(-beta gamma). Keys
with the right label take weight from the others. So the error is largest where no other key has it, where all others are as
near as the margin allows, and where their label is the other extreme. If the margin turns its sign while all else stays, the
weights of other labels gain a factor e^(beta gamma) twice, so the log odds of the error grow by 2 beta gamma. Random contexts,
and contexts that ascent over keys and real labels makes worse, are held against the bound. Gamma compares squares: the margin
of distances gives another number.
"""

import dataclasses
import math

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, domain, real, rival, whole
from theory import bounds

CLAIM = claim(Relation.AT_MOST, needs_float64=True)
HEADLINE = "threshold"

MANY = 3000  # keys of a context whose error is known without a search


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Pairs in the context, the margin, and beta times the margin; dimension, contexts, and steps of the ascent."""

    context: int = axis(4, 33)
    margin: float = axis(0.25, 1.0)
    sharpness: float = axis(2.0, 5.0)
    dimension: int = 3
    count: int = 64
    steps: int = 300

    @property
    def beta(self) -> float:
        """Inverse temperature of the head."""
        return self.sharpness / self.margin


DOMAIN = domain(
    context=whole(3, 300, quick=40, test=12),
    margin=real(0.1, 4.0),
    sharpness=real(1.0, 8.0),
    dimension=whole(2, 8, quick=4),
    counts={"quick": 1},
)
GRIDS = {
    "test": Sizes(context=axis(4), margin=axis(0.25), sharpness=axis(2.0), count=16),
    "quick": Sizes(),
    "full": Sizes(context=axis(3, 4, 32, 256), margin=axis(0.1, 0.25, 1.0, 4.0), sharpness=axis(1.0, 2.0, 5.0, 8.0)),
    "paper": Sizes(context=axis(3, 4, 32, 256, 1024), margin=axis(0.1, 0.25, 1.0, 4.0), count=512, steps=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The bound for searched and random contexts, its value for the extremal one, the other sign, and the threshold."""
    bound, of_many = (bounds.nearest_neighbour(n, cell.beta, cell.margin).at() for n in (cell.context, MANY))
    half, half_of_many = (bounds.nearest_neighbour_threshold(n, cell.margin).at() for n in (cell.context, MANY))
    # two keys of the right label against N - 2 others: the nearest one decides from beta = ln((N - 2) / 2) / gamma on
    half_of_two = max(math.log((cell.context - 2) / 2), 0.0) / cell.margin
    return (
        Prediction(bound, of="worst", formula=r"\frac{N-1}{N-1+e^{\beta\gamma}}"),
        Prediction(bounds.nearest_neighbour(cell.context, cell.beta / 2, cell.margin).at(), of="worst_of_half"),
        Prediction(cell.count, of="tried", relation=Relation.EQUALS),
        Prediction([bound] * cell.count, of="random", dims=("sample",), resolution=UNSHARP),
        Prediction([1 - bound] * cell.count, of="other_sign", dims=("sample",), relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction([bound] * cell.count, of="other_sign_reversed", dims=("sample",), resolution=UNSHARP),
        Prediction(
            [1 - bound] * cell.count, of="random_reversed", dims=("sample",), relation=Relation.AT_LEAST, resolution=UNSHARP
        ),
        Prediction([[2 * cell.sharpness] * cell.count] * 2, of="turned", dims=("sign", "sample"), relation=Relation.EQUALS),
        Prediction(bound, of="extremal", relation=Relation.EQUALS, resolution=bound / 10),
        Prediction(of_many, of="extremal_of_many", relation=Relation.EQUALS, resolution=of_many / 10),
        Prediction(1 - 1 / cell.context, of="extremal_of_ties", relation=Relation.EQUALS, resolution=0.01),
        Prediction(half, of="threshold", relation=Relation.EQUALS, resolution=0.05, formula=r"\ln(N-1)/\gamma"),
        Prediction(half_of_many, of="threshold_of_many", relation=Relation.EQUALS, resolution=0.05),
        Prediction(half_of_two, of="threshold_of_two", relation=Relation.EQUALS, resolution=0.05),
    )


def _decided(cell: Sizes) -> bool:
    """Whether the bound is below one half: with the other sign errors are then above it."""
    return bounds.nearest_neighbour(cell.context, cell.beta, cell.margin).at() < 0.5


def _without_the_crowd(cell: Sizes) -> Prediction:
    """One rival only, whatever the size of the context."""
    return Prediction(bounds.nearest_neighbour(2, cell.beta, cell.margin).at(), of="extremal", relation=Relation.EQUALS)


def _of_distances(cell: Sizes) -> Prediction:
    """The margin of distances in the place of their squares."""
    margin = (1 + cell.margin) ** 0.5 - 1
    value = bounds.nearest_neighbour(cell.context, cell.beta, margin).at()
    return Prediction(value, of="extremal", relation=Relation.EQUALS)


CONTROLS = (
    control("half of beta", "the bound holds at half of beta", instead={"worst": "worst_of_half"}),
    control("equal distances", "the margin may be zero", instead={"extremal": "extremal_of_ties"}),
    control(
        "the other sign",
        "the sign of the margin does not matter",
        instead={"random": "random_reversed", "other_sign": "other_sign_reversed"},
        where=_decided,
    ),
    control("two right keys", "a second key of the label changes nothing", instead={"threshold": "threshold_of_two"}),
)

RIVALS = (
    rival("one rival key", _without_the_crowd, "the error does not grow with the context"),
    rival("distances", _of_distances, "the margin is one of distances"),
)
