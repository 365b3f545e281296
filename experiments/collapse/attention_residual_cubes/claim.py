r"""One attention layer cubes a small residual R: what is left is (1/(n sqrt d)) sum_h R A_h R^T R W_h.

Statement: Let the n tokens be the rows of X = 1 b^T + eps R with R centred, and let res(Y) be Y minus its mean row. To leading
    order, softmax attention with queries of size d, query-key matrices A_h and value matrices W_h returns tokens with the cubic
    residual below. The remainder has order 4 if the tokens share an offset b and order 5 if b = 0. All three constants are
    known.
    $$ \mathrm{res}\Bigl(\sum_h P_h X W_h\Bigr) = \frac{\varepsilon^3}{n\sqrt d}\sum_h R A_h R^\top R\, W_h
       + O(\varepsilon^{4 + [b = 0]}) $$
Hypotheses: attention alone, without skip, mask, norm or feed-forward part; the cubic term does not vanish (checked exactly).
Source: this project, “theory.attention.expansion”, setting of arXiv 2103.03404.
Refuted by: a residual or a remainder of another order or with another constant.
Cost: quick 4 s on one core, full about 10 s.

Derivation: whatever is constant along a row of logits drops out of the softmax. What is left in row i is eps u_j + eps^2 v_ij,
and only v distinguishes the rows. The constants of all three orders come from an exact power series of the layer in rational
arithmetic, which does not use the formula.
"""

import dataclasses
import math
from fractions import Fraction

import numpy as np

from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    off_by,
    rival,
    whole,
)
from theory.attention import expansion as exact
from theory.attention.generic import tokens_and_weights

CLAIM = claim(Relation.ORDER, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; shared offset; draws of tokens and weights; tokens of size `width`, queries of size `queries`; steps of eps."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    draw: int = axis(1, 2, 3)
    tokens: int = 6
    width: int = 4
    queries: int = axis(9)  # a square, whose root is exact, and no less than the width, so that the A_h may be any matrices
    steps: int = 20


DOMAIN = domain(
    heads=whole(1, 8, quick=4),
    draw=whole(1, 999),
    tokens=whole(3, 16, quick=9),
    width=whole(2, 8, quick=5),
    queries=among(9, 16, 25, 64),
)
GRIDS = {
    "test": Sizes(heads=axis(1), draw=axis(1), queries=axis(9, 25)),
    "quick": Sizes(draw=axis(1, 2), queries=axis(9, 16, 25)),
    "full": Sizes(heads=axis(1, 2, 3, 8), tokens=12),
    "paper": Sizes(heads=axis(1, 2, 3, 8), tokens=24, width=16, queries=axis(16, 25)),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Generic rational tokens and weights."""
    return tokens_and_weights(seed, cell.tokens, cell.width, cell.heads, shared=bool(cell.offset))


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Orders and constants from the exact power series of the layer."""
    terms = _terms(cell, given)
    turned = _terms(cell, given | {"value": given["value"].swapaxes(-1, -2)})
    cubic = Hypothesis("the terms of order 1 and 2 vanish and the cubic one does not", terms[1] == terms[2] == 0 < terms[3])
    following = 4 if cell.offset else 5
    formula = r"\|\sum_h R A_h R^\top R W_h\|/(n\sqrt d)"
    direction = given["direction"].astype(float)
    along = abs(float(np.vdot(direction, _series(cell, given)[3].astype(float)))) / float(np.linalg.norm(direction))
    seen = Hypothesis("the cubic term is not orthogonal to the residual", along > 0)
    return (
        Prediction(3, of="residual", constant=terms[3], hypotheses=(cubic,), formula=formula),
        Prediction(following, of="remainder", constant=terms[following], hypotheses=(cubic,)),
        Prediction(1, of="residual_with_skip", constant=float(np.linalg.norm(direction))),
        # a layer with a skip still adds its cubic residual
        Prediction(3, of="added_with_skip", constant=along, hypotheses=(seen,)),
        Prediction(3, of="residual_of_transposed", constant=turned[3], hypotheses=(cubic,)),
    )


def _series(cell: Sizes, given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The terms of the exact power series."""
    return exact.residual_terms(**given, scale=Fraction(1, math.isqrt(cell.queries)), order=5)


def _terms(cell: Sizes, given: dict[str, np.ndarray]) -> list[float]:
    """Their sizes."""
    return [float(np.linalg.norm(term.astype(float))) for term in _series(cell, given)]


def _without_mean(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    cubic = predict(cell, given)[0]
    return dataclasses.replace(cubic, constant=cell.tokens * (cubic.constant or 0.0))


def _over_size(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    cubic = predict(cell, given)[0]
    return dataclasses.replace(cubic, constant=(cubic.constant or 0.0) / math.isqrt(cell.queries))


CONTROLS = (
    control(
        "skip connection on",
        "the residual of X + SA(X) is cubed too",
        instead={"residual": "residual_with_skip"},
    ),
    control(
        "values transposed",
        "the constant is the same with W_h^T in place of W_h",
        instead={"residual": "residual_of_transposed"},
    ),
)

RIVALS = (
    off_by(-1, of="residual", name="exponent two", statement="the residual is squared"),
    off_by(+1, of="residual", name="exponent four", statement="the residual is raised to the fourth power"),
    off_by(+1, of="remainder", name="remainder one order higher"),
    rival("coefficient with 1/d", _over_size, "the constant has the size of queries in place of its root"),
    rival("coefficient without 1/n", _without_mean, "the constant is that of a sum over tokens, not of a mean"),
)
