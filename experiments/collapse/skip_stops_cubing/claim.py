r"""With a skip connection no weights cube the residual; some keep it, and some still lose it like 1/sqrt(depth).

Statement: A layer with a skip changes the residual of the tokens b + eps r_i by the relative amount eps^2 <R, F(R)>/|R|^2,
    where F is the layer's cubic map. On the tokens +-e_i with A = I, a layer with the values W = +-I multiplies the residual by
    1 +- 2 sinh(t)/(2 cosh(t) + 2d - 2), t = s rho^2, where rho is the size of a token and s the scale of the logits. So W = I
    never lets the residual fall, and W = -I makes it fall like d/sqrt(s L) after L layers.
    $$ \frac{\|\mathrm{res}(X + SA(X))\|}{\|\mathrm{res}(X)\|} = 1 + \varepsilon^2\frac{\langle R, F(R)\rangle}{\|R\|^2}
       + \dots,\qquad \|\mathrm{res}(X_L)\| \sim \frac{d}{\sqrt{sL}} $$
Hypotheses: no mask, norm or feed-forward part; <R, F(R)> does not vanish (checked exactly).
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Claim 3.1; law and counterexample derived here.
Refuted by: a relative change of another order or constant, another factor of an early layer, another decay, or a
    residual that falls under W = I.
Cost: quick 1 s on one core, full about 6 s.

Derivation: `theory.attention.remedies`. The source says that skips keep the residual for some weights. This is true; it is
false of all weights.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, whole
from theory.attention import remedies
from theory.attention.expansion import cubic
from theory.attention.generic import tokens_and_weights

CLAIM = claim(Relation.ORDER, needs_float64=True)
SIGNS = (-1, 1)  # of the values W = -I and W = I
SCALE = Fraction(1, 2)  # 1/sqrt(d) of the logits: queries and keys have size 4


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads, offset and draws; steps of eps, which are those of 1/sqrt(depth) for the decay: depths 4, 8, .., 2^(steps + 1)."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    draw: int = axis(1, 2)
    tokens: int = 6
    width: int = 4
    steps: int = 12
    early: int = 4


DOMAIN = domain(heads=whole(1, 8, quick=4), draw=whole(1, 999), tokens=whole(3, 16, quick=9), width=whole(2, 8, quick=5))
GRIDS = {
    "test": Sizes(heads=axis(1), offset=axis(1), draw=axis(1)),
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3, 8), tokens=12),
    "paper": Sizes(tokens=24, width=16, steps=15),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Generic rational tokens and weights."""
    return tokens_and_weights(seed, cell.tokens, cell.width, cell.heads, shared=bool(cell.offset))


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Order and constant of the relative change, the algebraic decay, and no fall under W = I."""
    r = given["direction"]
    product = (r * cubic(r, given["query_key"], given["value"], SCALE)).sum()
    change = abs(float(product / (r**2).sum()))
    exponent, constant = remedies.skip_decay(cell.width, float(SCALE))
    early = np.array([remedies.skip_residuals(cell.width, float(SCALE), cell.early, sign) for sign in SIGNS])
    deepest = 2 ** (cell.steps + 1)
    visible = Hypothesis("<R, F(R)> does not vanish", change > 0)
    return (
        Prediction(2, of="change", constant=change, hypotheses=(visible,), formula=r"|\langle R, F(R)\rangle|/\|R\|^2"),
        Prediction(0, of="change_without", constant=1.0),
        # without a skip the layer leaves a cubic residual, a share of order eps^2
        Prediction(2, of="left", constant=_size(cubic(r, given["query_key"], given["value"], SCALE)) / _size(r)),
        Prediction(2 * exponent, of="falling", constant=constant, formula=r"d/\sqrt{s L}"),
        Prediction(early, of="early", dims=("sign", "layer"), relation=Relation.EQUALS, resolution=0.01),
        Prediction(early[::-1], of="early_turned", dims=("sign", "layer"), relation=Relation.EQUALS, resolution=0.01),
        # the first layer leaves least, if none lets the residual fall
        Prediction(early[1, 0], of="kept", resolution=0.01, relation=Relation.AT_LEAST),
        Prediction(remedies.skip_residuals(cell.width, float(SCALE), deepest, -1)[-1], of="fallen", relation=Relation.EQUALS),
        Prediction([deepest - 1, 0], of="falls", dims=("sign",), relation=Relation.EQUALS),
        Prediction(_rising(cell), of="rising", dims=("step",), relation=Relation.EQUALS, resolution=0.01),
    )


def _rising(cell: Sizes) -> np.ndarray:
    """The residual under W = I at the depths 4, 8, ..: after the early layers it stops before it grows beyond 8."""
    sizes, layers = np.zeros(0), cell.early
    while not sizes.size or sizes[-1] < 8:
        layers += 1
        sizes = np.asarray(remedies.skip_residuals(cell.width, float(SCALE), layers, 1))
    return sizes[np.minimum(4 * 2 ** np.arange(cell.steps), layers - 1) - 1]


def _size(array: np.ndarray) -> float:
    return float(np.linalg.norm(array.astype(float)))


CONTROLS = (
    control(
        "no skip",
        "without a skip a layer changes the residual by the order eps^2 too",
        instead={"change": "change_without"},
    ),
    control("values turned around", "W = -I does what W = I does", instead={"kept": "fallen", "early": "early_turned"}),
    control("decay under W = I", "the residual falls under W = I too", instead={"falling": "rising"}),
)


RIVALS = (
    off_by(-1, of="change", name="exponent one", statement="the relative change is of order eps"),
    off_by(+1, of="change", name="exponent three", statement="the relative change is of order eps^3"),
    off_by(+1, of="falling", name="decay like 1/depth", statement="the residual falls like 1/depth under W = -I"),
)
