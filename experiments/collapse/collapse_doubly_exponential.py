r"""Pure attention loses its residual doubly exponentially: under the bound at every depth, and along the cubic law.

Statement: let ``E_0 = X - 1 x^T`` and ``E_{l+1} = sum_h (P_h - 1 p_h^T) E_l W_h`` (a residual of the tokens after layer l + 1),
p_h being the softmax of what the logits of all rows share. With ``beta = max |A|_1 (max |W|_1 max |W|_inf)^(1/2)``, and
``|.|_{1,inf}`` the root of largest column sum times largest row sum,

    |E_L|_{1,inf}  <=  (4 gamma beta H/sqrt(d))^((3^L-1)/2) |E_0|_{1,inf}^(3^L).

Two versions are judged, layer by layer and in total (derivations: `theory.bounds.collapse`): with the factor that depends on
the attention entries, ``gamma^2 = max(p) sum_i max_j |M_ij| / |M|_1``, and with gamma = 1, which is right for logits up to
0.5089 and wrong without such a limit (control: 65536 tokens, one of which holds most of the attention). The Frobenius residual
follows ``log r_{l+1} = 3 log r_l + log |F_l(direction)|`` all the way down, F_l the cubic map: thousands of decades, in a
rescaled iteration that never forms the residual itself.

With a perceptron f after the layer the bound's factor is lambda times as large, lambda the size |.|_{1,inf} of its entrywise
slopes, ``|f(x) - f(y)| <= |x - y| Lambda``. The Lipschitz constant of the published remark must be read so: with the Euclidean
one it is wrong by up to sqrt(d) (control: an orthogonal map of the rows e_1, .., e_d).

Hypotheses: no skip, mask, norm; the bound contracts from the input on (checked; where it does not, it is vacuous).
Source: Dong, Cordonnier, Loukas, arXiv 2103.03404, Theorems 2.2, 2.3. Refuted by: a layer over its bound, or another law. Cost:
10 s on a CPU.
"""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.linalg import hadamard

from depthjax.probe.collapse import Tokens, collapse, composite, concentrated_attention, separated
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.collapse._setting import SCALE, offset, rational, weights
from theory import bounds
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="collapse_doubly_exponential",
    title="Pure attention collapses doubly exponentially: the bound at every depth, and the cubic law far beyond float64",
    statement=(
        "The residual of L layers of pure attention is at most (4 gamma beta H/sqrt d)^((3^L-1)/2) times the 3^L-th power of "
        "the input's, gamma = 1 for logits up to 0.5089, and follows the iterated cubic map."
    ),
    latex=r"\|E_L\|_{1,\infty} \le \Bigl(\tfrac{4\gamma\beta H}{\sqrt d}\Bigr)^{(3^L-1)/2} \|E_0\|_{1,\infty}^{3^L},\qquad"
    r" \log r_{l+1} = 3\log r_l + \log\|F_l(R_l/r_l)\|",
    relation=Relation.AT_MOST,
    source=Source(
        "Dong, Cordonnier, Loukas",
        "Attention is not all you need: pure attention loses rank doubly exponentially with depth",
        "arXiv 2103.03404",
        "Theorems 2.2, 2.3; the entry factor, the limit on the logits and the cubic law derived here",
    ),
    assumes=(
        "attention alone: no skip, mask, norm or feed-forward part",
        "logits that differ by row are at most 0.5089 in the input (checked); for the entry factor 0.628",
        "the bound contracts (checked): 4 gamma beta H |E_0|^2 < sqrt(d)",
    ),
    refuted_by="a layer or a depth at which the residual passes the bound, or a logarithm off the cubic recursion",
    cost="10 s on a CPU at quick size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads, offset; how many layers; input residuals are ``start`` for depth and larger ones for one layer."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    layers: int = 8
    tokens: int = 8
    width: int = 4
    start: float = 2.0**-7


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3, 8), tokens=16, layers=12, start=2.0**-9),
    "paper": Sizes(heads=axis(1, 2, 3, 8), tokens=32, width=16, layers=12, start=2.0**-13),
}

SWEEP = 2.0 ** np.arange(-8, 1)  # of the largest logit allowed: inputs of one layer, up to where the hypothesis ends


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Rational offset, centred direction and weights of every layer."""
    shape = (cell.layers, cell.heads, cell.width, cell.width)
    direction = exact.centred(rational(4, cell.tokens, cell.width))
    return {
        "offset": offset(cell.offset, cell.width),
        "direction": direction,
        "query_key": rational(5, *shape),
        "value": rational(6, *shape),
        "inward": rational(7, cell.width, 2 * cell.width),
        "outward": rational(8, 2 * cell.width, cell.width),
        "bias": rational(9, 1, 2 * cell.width)[0],
        "sweep": _sweep_sizes(direction, rational(5, *shape)),
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """The bound by depth, in decades; one layer's coefficient; the logarithms of the cubic recursion."""
    beta, query_key = _constants(given)
    size = _composite(given["direction"]) * cell.start / _norm(given["direction"])
    ask: dict[str, Any] = {
        "width": int(1 / SCALE**2),
        "beta": beta,
        "residual": size,
        "heads": cell.heads,
        "query_key": query_key,
    }
    one = bounds.collapse(1, **{**ask, "residual": 1.0})
    coefficient = float(one.expr.subs(list(one.values.items())))
    slopes = _composite(np.abs(given["inward"]) @ np.abs(given["outward"]))
    mapped = bounds.collapse(1, **{**ask, "residual": 1.0}, lipschitz=slopes)
    coefficient_mapped = float(mapped.expr.subs(list(mapped.values.items())))
    checks = tuple(Hypothesis(statement, holds) for statement, holds in bounds.collapse(1, **ask).check())
    power = 3.0 ** np.arange(1, cell.layers + 1)
    decades = np.array([bounds.collapse(layers, **ask, decades=True).at() for layers in range(1, cell.layers + 1)])
    logs, left_out = _recursion(cell, given)
    return (
        Prediction(
            decades,
            of="decades",
            resolution=UNSHARP,
            relation=Relation.AT_LEAST,
            dims=("layer",),
            hypotheses=checks,
            formula="-log bound",
        ),
        Prediction(coefficient, of="coefficient", resolution=UNSHARP, hypotheses=checks, formula=r"4\beta H/\sqrt d"),
        Prediction(coefficient, of="coefficient_over_gamma", resolution=UNSHARP, hypotheses=checks),
        Prediction(
            coefficient * given["sweep"] ** 2,
            of="shrinking",
            resolution=UNSHARP,
            dims=("input",),
            formula=r"4\beta H\|E\|^2/\sqrt d",
        ),
        Prediction(
            coefficient_mapped * given["sweep"] ** 2,
            of="shrinking_mapped",
            resolution=UNSHARP,
            dims=("input",),
            formula=r"\lambda\cdot",
        ),
        Prediction(-logs[1:] / power, of="law", relation=Relation.EQUALS, dims=("layer",), truncation=left_out, resolution=0.1),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The rescaled iteration for the bound's residual and for the Frobenius one, and one layer on larger and larger inputs."""
    common, r = (jnp.asarray(given[name].astype(float)) for name in ("offset", "direction"))
    layers, scale = weights(given["query_key"], given["value"]), float(SCALE)
    unit = r / jnp.linalg.norm(r)
    start = separated(common[None] + cell.start * unit, common)._replace(log_size=jnp.log(cell.start), direction=unit)
    bounded, law = collapse(layers, start, scale, recentre=False)[1], collapse(layers, start, scale)[1]
    first = jax.tree.map(lambda w: w[:1], layers)
    sizes = jnp.asarray(given["sweep"]) / composite(unit)
    after, one = jax.vmap(lambda s: collapse(first, start._replace(log_size=jnp.log(s)), scale, recentre=False))(sizes)
    mapped, magnitude = _mapped(after, given)
    gamma = jnp.sqrt(bounded.largest_share * bounded.spread)
    count = cell.heads * (4 * cell.tokens + 6 * cell.width)
    power = 3.0 ** np.arange(1, cell.layers + 1)
    # a layer adds its own roundings to three times the logarithm before it
    drift = np.cumsum(rounding_floor(count, jnp.dtype(float)) / power) + rounding_floor(4, jnp.dtype(float), 10.0)
    ten = np.log(10.0)
    return xr.Dataset(
        {
            "decades": ("layer", -np.asarray(bounded.log_composite) / ten, {"long_name": "decades under 1, composite size"}),
            "decades_floor": ("layer", drift * power / ten),
            "coefficient": ("layer", np.asarray(bounded.coefficient), {"long_name": "size after / size before cubed"}),
            "coefficient_floor": ((), rounding_floor(count, jnp.dtype(float), float(bounded.coefficient.max()))),
            "coefficient_over_gamma": ("layer", np.asarray(bounded.coefficient / gamma), {"long_name": "the same, over gamma"}),
            "coefficient_over_gamma_floor": ((), rounding_floor(count, jnp.dtype(float), float(bounded.coefficient.max()))),
            "gamma": ("layer", np.asarray(gamma), {"long_name": "entry factor of the bound"}),
            "shrinking": (
                "input",
                np.asarray(one.coefficient[:, 0]) * given["sweep"] ** 2,
                {"long_name": "size after / before"},
            ),
            "shrinking_floor": ((), rounding_floor(count, jnp.dtype(float))),
            "shrinking_mapped": (
                "input",
                mapped / given["sweep"],
                {"long_name": "size after the layer and a perceptron / before"},
            ),
            # two numbers of this magnitude are subtracted
            "shrinking_mapped_floor": (
                "input",
                rounding_floor(count + 4 * cell.width, jnp.dtype(float), magnitude) / given["sweep"],
            ),
            "law": ("layer", -np.asarray(law.log_frobenius) / power, {"long_name": "-log(residual) / 3^layer"}),
            "law_floor": ("layer", drift),
        },
        coords={
            "layer": np.arange(1, cell.layers + 1),
            "input": ("input", given["sweep"], {"long_name": "residual of the input (bound vacuous where it passes 1)"}),
        },
    )


def _mapped(after: Tokens, given: dict[str, np.ndarray]) -> tuple[np.ndarray, float]:
    """Composite size of the residual behind a perceptron, for a batch of tokens; and the size of what is subtracted there."""
    common, residual = np.asarray(after.common)[:, None], np.asarray(after.direction) * np.exp(after.log_size)[:, None, None]
    inward, outward, bias = (given[name].astype(float) for name in ("inward", "outward", "bias"))

    def perceptron(rows: np.ndarray) -> np.ndarray:
        return np.maximum(rows @ inward + bias, 0) @ outward

    values = perceptron(common + residual)
    return np.array([_composite(part) for part in values - perceptron(common)]), float(np.abs(values).sum(axis=(1, 2)).max())


def _constants(given: dict[str, np.ndarray]) -> tuple[float, float]:
    """Beta and the largest |A|_1, over layers and heads."""
    a, w = (np.abs(given[name].astype(float)) for name in ("query_key", "value"))
    query_key = a.sum(axis=-2).max(axis=-1).max(axis=-1)
    columns, rows = w.sum(axis=-2).max(axis=-1).max(axis=-1), w.sum(axis=-1).max(axis=-1).max(axis=-1)
    return float((query_key * np.sqrt(columns * rows)).max()), float(query_key.max())


def _sweep_sizes(direction: np.ndarray, query_key: np.ndarray) -> np.ndarray:
    """Composite sizes of the input, the last of which has the largest logits that the bound allows."""
    largest = float(np.abs(query_key.astype(float)).sum(axis=-2).max())
    return np.sqrt(SWEEP * 0.5089 / (largest * float(SCALE)))


def _recursion(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[np.ndarray, float]:
    """Logarithms by the cubic law; and what its next term changes: it moves the first layer, and all others much less."""
    a, w, direction, common = (given[name].astype(float) for name in ("query_key", "value", "direction", "offset"))
    unit, scale = direction / np.linalg.norm(direction), float(SCALE)
    logs = exact.log_residuals(unit, a, w, scale, math.log(cell.start))
    if cell.offset:
        following = cell.start * exact.quartic(common, unit, a[0], w[0], scale)
    else:
        following = cell.start**2 * exact.quintic(unit, a[0], w[0], scale)
    moved = exact.cubic(unit, a[0], w[0], scale) + following
    first = 3 * math.log(cell.start) + math.log(np.linalg.norm(moved))
    change = exact.log_residuals(moved, a[1:], w[1:], scale, first) - logs[1:]
    # twice: the terms after the next, and the next terms of later layers, are smaller by the residual once more
    return logs, float(2 * np.abs(change / 3.0 ** np.arange(1, len(logs))).max())


def _composite(matrix: np.ndarray) -> float:
    size = np.abs(matrix.astype(float))
    return float(np.sqrt(size.sum(axis=0).max() * size.sum(axis=1).max()))


def _norm(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix.astype(float)))


def _fourfold(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    exact_bound = predict(cell, given)[0]
    growth = (4.0 / 3.0) ** np.arange(1, cell.layers + 1)
    return dataclasses.replace(exact_bound, value=np.asarray(exact_bound.value) * growth * 4)


def _without_mean(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    law = predict(cell, given)[-1]
    power = 3.0 ** np.arange(1, cell.layers + 1)
    return dataclasses.replace(law, value=np.asarray(law.value) - math.log(cell.tokens) * (power - 1) / (2 * power))


def _no_limit(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(4.0, of="coefficient_per_beta")


def _concentrated(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    found = concentrated_attention(65536, 0.943, 16.68)
    return xr.Dataset({"coefficient_per_beta": ((), float(found)), "coefficient_per_beta_floor": ((), 1e-9)})


def _euclidean(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(1.0, of="mapped_growth")


def _orthogonal(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    rows = np.eye(8)
    turned = rows @ (hadamard(8) / 8**0.5)
    return xr.Dataset({"mapped_growth": ((), _composite(turned) / _composite(rows)), "mapped_growth_floor": ((), 1e-12)})


CONTROLS = (
    Control("fourth powers", "the decades of the bound grow like 4^L", _fourfold),
    Control("cubic law without 1/n", "each layer's coefficient is that of a sum over tokens", _without_mean),
    Control("gamma = 1 for any logits", "the bound needs no entry factor however large the logits", _no_limit, _concentrated),
    Control("Euclidean Lipschitz constant", "a map of rows adds its Lipschitz constant in the 2-norm", _euclidean, _orthogonal),
)
