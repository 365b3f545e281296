r"""Pure attention loses its residual doubly exponentially: under the bound at every depth, and along the cubic law.

Statement: Let E_0 = X - 1 x^T and E_{l+1} = sum_h (P_h - 1 p_h^T) E_l W_h, where p_h is the softmax of what the logits of all
    rows share. Let |.|_{1,inf} be the root of the largest column sum times the largest row sum, and
    beta = max |A|_1 (max |W|_1 max |W|_inf)^(1/2). Then E_L obeys the bound below, with gamma = 1 for logits up to 0.5089 and
    with gamma^2 = max(p) sum_i max_j |M_ij| / |M|_1 for logits up to 0.628. A perceptron after the layer multiplies the
    bound's factor by lambda, the size |.|_{1,inf} of its entrywise slopes. The Frobenius residual follows the cubic maps F_l.
    $$ \|E_L\|_{1,\infty} \le \Bigl(\tfrac{4\gamma\beta H}{\sqrt d}\Bigr)^{(3^L-1)/2} \|E_0\|_{1,\infty}^{3^L},\qquad
       \log r_{l+1} = 3\log r_l + \log\|F_l(R_l/r_l)\| $$
Hypotheses: attention alone, without skip, mask or norm; the logits that differ by row are small in the input (checked); the
    bound contracts, 4 gamma beta H |E_0|^2 < sqrt(d) (checked).
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Theorems 2.2 and 2.3 (entry factor, limit on the logits and cubic law derived here).
Refuted by: a layer or a depth at which the residual passes the bound, or a logarithm off the cubic recursion.
Cost: quick 10 s on a CPU.

Derivation: `theory.bounds.collapse` for the bound, `theory.attention.iterated` for the law. The bound is judged layer by layer
and in total. Both go on for thousands of decades, in a rescaled iteration that never forms the residual itself.

Two readings of the source are wrong. Without a limit on the logits gamma = 1 fails (control: 65536 tokens, one of which holds
most of the attention). The Lipschitz constant of its remark on perceptrons must be read entry by entry,
|f(x) - f(y)| <= |x - y| Lambda. With the Euclidean constant the bound is wrong by up to sqrt(d) (control: an orthogonal map of
the rows e_1, .., e_d).
"""

import dataclasses
import math
from fractions import Fraction
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.linalg import hadamard

from depthjax.probe.collapse import Tokens, Weights, collapse, composite, concentrated_attention
from depthjax.probe.contraction import Perceptron, contraction
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds
from theory.attention import sizes
from theory.attention.generic import fractions, tokens_and_weights
from theory.attention.iterated import cubic_law

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

SCALE = Fraction(1, 2)  # 1/sqrt(d) of the logits: queries and keys have size 4
ARRAYS = ("offset", "direction", "query_key", "value")
LOGITS = tuple(2.0**power for power in range(-9, 0))  # |A|_1 |E|^2 / sqrt(d) of the inputs of one layer


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads, offset; how many layers; Frobenius residual of the input of a deep network."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    layers: int = 8
    tokens: int = 8
    width: int = 4
    start: float = 2.0**-7


GRIDS = {
    "test": Sizes(heads=axis(3), offset=axis(1)),
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3, 8), tokens=16, layers=12, start=2.0**-9),
    "paper": Sizes(heads=axis(1, 2, 3, 8), tokens=32, width=16, layers=12, start=2.0**-13),
}


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """Generic rational tokens, the weights of every layer, and a perceptron."""
    return tokens_and_weights(4, cell.tokens, cell.width, cell.layers, cell.heads, shared=bool(cell.offset)) | {
        "inward": fractions(7, cell.width, 2 * cell.width),
        "outward": fractions(8, 2 * cell.width, cell.width),
        "bias": fractions(9, 1, 2 * cell.width)[0],
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """The bound by depth, in decades; one layer's coefficient, with and without a perceptron; the cubic recursion."""
    direction = given["direction"].astype(float)
    keys, slopes = sizes.largest_query_key(given["query_key"]), np.abs(given["inward"]) @ np.abs(given["outward"])
    residual = sizes.composite(direction) * cell.start / float(np.linalg.norm(direction))
    beta = sizes.beta(given["query_key"], given["value"])
    bound = partial(bounds.collapse, width=int(1 / SCALE**2), beta=beta, heads=cell.heads)
    deep = partial(bound, residual=residual, query_key=keys)
    decades = np.array([deep(layers, decades=True).at() for layers in range(1, cell.layers + 1)])
    checks = tuple(Hypothesis(statement, holds) for statement, holds in deep(1).check())
    # the bound of one layer over the cube of its input's size, and the squares of the sizes by their logits
    each = (bound(1, residual=2.0**-20, lipschitz=slope) for slope in (None, sizes.composite(slopes)))
    plain, mapped = (one.at() * 2.0**60 for one in each)
    squares = np.array(LOGITS) / (keys * float(SCALE))
    small = (Hypothesis("the logits of one layer's inputs are at most 0.5089", max(LOGITS) <= 0.5089),)
    law, left_out = cubic_law(**{name: given[name] for name in ARRAYS}, scale=float(SCALE), log_size=math.log(cell.start))
    factor, inputs = r"4\beta H/\sqrt d", {"dims": ("logit",), "hypotheses": small, "resolution": UNSHARP}
    total = {"relation": Relation.AT_LEAST, "dims": ("layer",), "formula": r"-\log\,\mathrm{bound}"}
    return (
        Prediction(decades, of="decades", resolution=UNSHARP, hypotheses=checks, **total),
        Prediction(plain, of="coefficient", resolution=UNSHARP, hypotheses=checks, formula=factor),
        Prediction(plain, of="coefficient_over_gamma", resolution=UNSHARP, hypotheses=checks, formula=factor),
        Prediction(plain * squares, of="shrinking", formula=rf"{factor}\|E\|^2", **inputs),
        Prediction(mapped * squares, of="shrinking_mapped", formula=rf"{factor}\lambda\|E\|^2", **inputs),
        Prediction(law, of="law", relation=Relation.EQUALS, dims=("layer",), truncation=left_out, resolution=0.1),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The rescaled iteration for the bound's residual and for the Frobenius one; one layer on larger and larger inputs."""
    common, r, a, w, *perceptron = (jnp.asarray(given[name].astype(float)) for name in (*ARRAYS, *Perceptron._fields))
    layers, scale = Weights(a, w), float(SCALE)
    start = Tokens(common, r / jnp.linalg.norm(r), jnp.log(cell.start))
    bounded, law = (collapse(layers, start, scale, recentre=recentre)[1] for recentre in (False, True))
    gamma = jnp.sqrt(bounded.largest_share * bounded.spread)
    inputs = jnp.sqrt(jnp.array(LOGITS) / (jnp.abs(a).sum(axis=-2).max() * scale))
    one = contraction(jax.tree.map(lambda w: w[0], layers), start, inputs, scale, Perceptron(*perceptron))
    count, power, decade = cell.heads * (4 * cell.tokens + 6 * cell.width), 3.0 ** np.arange(1, cell.layers + 1), math.log(10)
    # a layer adds its own roundings to three times the logarithm before it
    drift = np.cumsum(rounding_floor(count, a.dtype) / power) + rounding_floor(4, a.dtype, 10.0)
    floor = rounding_floor(count, a.dtype, float(bounded.coefficient.max()))
    subtracted = rounding_floor(count + 4 * cell.width, a.dtype, np.asarray(one.subtracted))

    def by_layer(values: jax.Array, rounding: Any, label: str) -> Quantity:
        return Quantity(values, "layer", floor=rounding, label=label)

    return measured(
        layer=np.arange(1, cell.layers + 1),
        logit=Quantity(LOGITS, "logit", label="largest logit |A|₁|E|²/√d that the input may have"),
        decades=by_layer(-bounded.log_composite / decade, drift * power / decade, "decades under 1, composite size"),
        coefficient=by_layer(bounded.coefficient, floor, "size after / size before cubed"),
        coefficient_over_gamma=by_layer(bounded.coefficient / gamma, floor, "the same, over gamma"),
        gamma=by_layer(gamma, floor, "entry factor of the bound"),
        shrinking=Quantity(one.attention, "logit", floor=rounding_floor(count, a.dtype), label="size after / before"),
        shrinking_mapped=Quantity(one.perceptron, "logit", floor=subtracted, label="size after layer and perceptron / before"),
        law=by_layer(-law.log_frobenius / power, drift, "-log(residual) / 3^layer"),
    )


def _fourfold(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    bound = predict(cell, given)[0]
    return dataclasses.replace(bound, value=4 * np.asarray(bound.value) * (4.0 / 3.0) ** np.arange(1, cell.layers + 1))


def _without_mean(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    law = predict(cell, given)[-1]
    power = 3.0 ** np.arange(1, cell.layers + 1)
    return dataclasses.replace(law, value=np.asarray(law.value) - math.log(cell.tokens) * (power - 1) / (2 * power))


def _concentrated(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    return measured(coefficient_per_beta=Quantity(concentrated_attention(65536, 0.943, 16.68), floor=1e-9))


def _orthogonal(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    rows = jnp.eye(8)
    turned = rows @ jnp.asarray(hadamard(8) / 8**0.5)
    return measured(mapped_growth=Quantity(composite(turned) / composite(rows), floor=1e-12))


CONTROLS = (
    control(
        "gamma = 1 for any logits",
        "the bound needs no entry factor however large the logits",
        measure=_concentrated,
        predict=lambda cell, given: Prediction(4.0, of="coefficient_per_beta"),
    ),
    control(
        "Euclidean Lipschitz constant",
        "a map of rows multiplies the bound by its Lipschitz constant in the 2-norm",
        measure=_orthogonal,
        predict=lambda cell, given: Prediction(1.0, of="mapped_growth"),
    ),
)
RIVALS = (
    rival("fourth powers", _fourfold, "the decades of the bound grow like 4^L"),
    rival("cubic law without 1/n", _without_mean, "each layer's coefficient is that of a sum over tokens"),
)
