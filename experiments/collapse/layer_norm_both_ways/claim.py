r"""After LayerNorm generic tokens still cube; antipodal tokens keep the residual sqrt(n d), and some keep full rank.

Statement: (1) After attention and LayerNorm the residual of the tokens b + eps r_i is eps^3 |F(R) J| to leading order. Here F
    is the cubic map of the layer and J the derivative of LayerNorm at the row y0 = sum_h b W_h. (2) Tokens in pairs +-x keep
    the residual sqrt(n d) after any number of layers with any weights. The tokens +-(e_i - 1/d) keep the rank d - 1 if A = t I
    and W = I.
    $$ \mathrm{res}(\mathrm{LN}(SA(X))) = \varepsilon^3 F(R)\,J + \dots;\qquad
       X = \begin{pmatrix} Z \\ -Z \end{pmatrix} \Rightarrow \|\mathrm{res}(X_L)\| = \sqrt{nd} $$
Hypotheses: LayerNorm without gain, bias and epsilon follows attention without skip and mask; the features of the row y0 differ
    (checked).
Source: this project, “theory.attention.remedies”, against arXiv 2103.03404, in the spirit of arXiv 2405.18781.
Refuted by: a residual of another order or constant, an antipodal residual that falls, or a rank below d - 1.
Cost: quick 5 s on one core, full about 10 s.

So both common statements are false: "LayerNorm plays no role in rank collapse" and "LayerNorm prevents rank collapse".

Derivation: (1) LayerNorm is smooth near y0 if the features of y0 differ. (2) Attention and LayerNorm are odd and commute with
permutations. So pairs stay pairs and their mean is zero, and LayerNorm makes rows of length sqrt(d). The symmetry of the 2d
tokens fixes each of them up to a factor.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.collapse.layer_norm_both_ways.common import SCALE
from theory.attention import remedies
from theory.attention.expansion import cubic
from theory.attention.generic import tokens_and_weights

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; draws of tokens and weights; tokens and their width; steps of eps; depths of the two antipodal networks."""

    heads: int = axis(1, 3)
    draw: int = axis(1, 2)
    tokens: int = 6
    width: int = 4
    steps: int = 18
    layers: int = 5
    deep: int = 64


DOMAIN = domain(heads=whole(1, 8, quick=4), draw=whole(1, 999), tokens=whole(3, 16, quick=9), width=whole(3, 8, quick=5))
GRIDS = {
    "test": Sizes(heads=axis(1), draw=axis(1)),
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3), draw=axis(1, 2, 3), tokens=12),
    "paper": Sizes(tokens=24, width=16, deep=512),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Generic rational tokens, and the weights of several layers."""
    return tokens_and_weights(seed, cell.tokens, cell.width, cell.layers, cell.heads, shared=True)


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Cubic order with the norm's derivative in its constant; the antipodal residual; the rank that is kept."""
    row = given["offset"] @ given["value"][0].sum(axis=0)
    differ = Hypothesis("the features of the shared row differ", len(set(row.tolist())) > 1)
    constant = float(np.linalg.norm(_cube(given) @ remedies.norm_jacobian(row)))
    return (
        Prediction(3, of="generic", relation=Relation.ORDER, constant=constant, hypotheses=(differ,), formula=r"\|F(R) J\|"),
        Prediction(
            remedies.antipodal_residual(2 * cell.tokens, cell.width), of="antipodal", resolution=0.1, formula=r"\sqrt{nd}"
        ),
        Prediction(cell.width - 1, of="rank", formula="d - 1"),
        Prediction([cell.layers, cell.deep], of="depths", dims=("network",)),
    )


def _cube(given: dict[str, np.ndarray]) -> np.ndarray:
    return cubic(given["direction"], given["query_key"][0], given["value"][0], SCALE).astype(float)


def _without_derivative(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return dataclasses.replace(predict(cell, given)[0], constant=float(np.linalg.norm(_cube(given))))


def _unpaired(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    """The residuals of tokens that are not in pairs, layer by layer and head by head in longer floats."""
    long = {name: array.astype(np.longdouble) for name, array in given.items()}
    tokens, sizes = _normed(np.concatenate([long["direction"], long["direction"] + long["offset"]])), []
    for keys, values in zip(long["query_key"], long["value"], strict=True):
        total = np.zeros_like(tokens)
        for key, value in zip(keys, values, strict=True):
            weights = np.exp(np.longdouble(0.5) * (tokens @ key @ tokens.T))
            total += weights / weights.sum(axis=1, keepdims=True) @ tokens @ value
        tokens = _normed(total)
        sizes.append(float(np.sqrt(np.square(tokens - tokens.mean(axis=0)).sum())))
    return Prediction(np.array(sizes), of="antipodal", dims=("layer",), resolution=0.1 * max(sizes))


def _normed(rows: np.ndarray) -> np.ndarray:
    """LayerNorm of every row."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    return rows / np.sqrt(np.square(rows).mean(axis=1, keepdims=True))


def _one_direction(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Values of rank one leave a single direction, in every layer."""
    return Prediction(1, of="rank"), Prediction(cell.deep, of="layers_of_rank")


CONTROLS = (
    control(
        "LayerNorm prevents collapse",
        "tokens that are not in pairs keep the residual sqrt(n d) too",
        measure="unpaired",
        finds=_unpaired,
    ),
    control(
        "attention alone",
        "without LayerNorm the cubic constant is the same",
        measure="without_norm",
        finds=_without_derivative,
    ),
    control(
        "any weights keep the rank",
        "the symmetric tokens keep their rank whatever the weights",
        measure="drawn_weights",
        finds=_one_direction,
    ),
)


RIVALS = (
    scaled(0.5, of="antipodal", name="LayerNorm plays no role", statement="antipodal tokens lose half of their residual"),
    off_by(-3, of="generic", name="LayerNorm keeps generic residuals", statement="the residual after the norm has order zero"),
    rival("no derivative of the norm", _without_derivative, "the cubic constant is that of attention alone"),
    off_by(+1, of="rank", name="rank d", statement="all d directions are kept"),
)
