r"""Pure attention loses its residual doubly exponentially: under a sharp bound at every depth, and along the cubic law.

Statement: Let E_0 = X - 1 x^T and E_{l+1} = sum_h (P_h - 1 p_h^T) E_l W_h, where p_h is the softmax of what the logits of all
    rows share. Let |.|_{1,inf} be the root of the largest column sum times the largest row sum,
    beta = max |A|_1 (max |W|_1 max |W|_inf)^(1/2), m = max |A|_1 |E_0|^2_{1,inf} / sqrt(d) and phi(m) = (e^m - 1)/m. Then E_L
    obeys the bound below with kappa = (1 + phi(m))^(1/2) / 2, which tends to 1/sqrt(2) at small logits, where no smaller
    constant will do. So does kappa = gamma (2 phi(2m))^(1/2) with gamma^2 = max(p) sum_i max_j |M_ij| / |M|_1. A map of rows
    after the layer multiplies the bound's factor by lambda, the size |.|_{1,inf} of its entrywise slopes. The Frobenius
    residual follows the cubic maps F_l.
    $$ \|E_L\|_{1,\infty} \le \Bigl(\tfrac{\kappa\beta H}{\sqrt d}\Bigr)^{(3^L-1)/2} \|E_0\|_{1,\infty}^{3^L},\qquad
       \log r_{l+1} = 3\log r_l + \log\|F_l(R_l/r_l)\| $$
Hypotheses: attention alone, without skip, mask or norm; the bound contracts, kappa beta H |E_0|^2 < sqrt(d) (checked).
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Theorems 2.2 and 2.3 (constant 4 there; sharp constant, entry factor and cubic law derived here).
Refuted by: tokens and weights found by gradient ascent that pass the bound, none that come near it, or a logarithm off the law.
Cost: quick 10 s on one core, full about a minute.

Derivation: `theory.bounds.collapse` for the bound, `theory.attention.iterated` for the law. Gradient ascent over tokens,
weights and the map of rows looks for the layer that keeps most. The deep network repeats the layer that it finds. It runs in a
rescaled iteration that never forms the residual itself, so it goes on for hundreds of decades.

Two readings of the source are wrong. No constant holds for all logits (control: 65536 tokens, one of which holds most of the
attention). The Lipschitz constant of its remark on perceptrons must be read entry by entry, |f(x) - f(y)| <= |x - y| Lambda.
With the Euclidean constant the bound is wrong by up to sqrt(d) (control: an orthogonal map of the rows e_1, .., e_d).
"""

import dataclasses
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import concentrated_attention
from depthjax.probe.residual_sizes import generic_layers, logarithm_drift, orthogonal_growth, residual_sizes
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.worst_collapse import most_kept, sized
from depthjax.verify import (
    UNSHARP,
    Grid,
    Hypothesis,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    rival,
    scaled,
)
from theory import bounds
from theory.attention.contraction import layer_constant
from theory.attention.generic import tokens_and_weights
from theory.attention.iterated import cubic_law

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

SCALE = 0.5  # 1/sqrt(d) of the logits: queries and keys have size 4
LOGITS = (2.0**-9, 0.5, 2.0)  # m of the inputs of one layer
KEYS, VALUES, START = 8.0, 4.0, 2.0**-6  # sizes of the deep network's weights and input
KNOWN = (65536, 0.943, 16.68)  # tokens, the share of one of them, and logits of the known worst case


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; layers of the deep network and of the law; tokens and their width; Frobenius residual of the law's input."""

    heads: int = axis(3)
    deep: int = 4
    layers: int = 8
    tokens: int = 8
    width: int = 4
    start: float = 2.0**-7
    searched: int = 2
    starts: int = 8


GRIDS = {
    "test": Sizes(heads=axis(2)),
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3), layers=12, start=2.0**-9, starts=64),
    "paper": Sizes(heads=axis(1, 2, 3), tokens=32, width=16, layers=12, start=2.0**-13, searched=4, starts=256),
}


def objects(cell: Sizes, seed: int) -> list[dict[str, np.ndarray]]:
    """Generic rational tokens without and with a row that all share, and the weights of every layer."""
    sizes = (seed, cell.tokens, cell.width, cell.layers, cell.heads)
    return [tokens_and_weights(*sizes, shared=shared) for shared in (False, True)]


def predict(cell: Sizes, given: list[dict[str, np.ndarray]]) -> tuple[Prediction, ...]:
    """The bound's constant by the logits; the bound of a deep network, in decades; the cubic recursion."""
    constant, cases = partial(layer_constant, heads=cell.heads, scale=SCALE), ({}, {"gamma": 1}, {"lipschitz": 1})
    constants, entry, mapped = (np.array([constant(logit, **more) for logit in LOGITS]) for more in cases)
    deep = partial(bounds.collapse, width=4, beta=KEYS * VALUES, residual=START, heads=cell.heads, query_key=KEYS, decades=True)
    decades = np.array([deep(layers).at() for layers in range(1, cell.deep + 1)])
    checks = tuple(Hypothesis(statement, holds) for statement, holds in deep(1).check())
    by_depth = {"dims": ("layer",), "relation": Relation.AT_LEAST, "formula": r"-\log_{10}\,\mathrm{bound}"}
    recursion = {"dims": ("offset", "depth"), "relation": Relation.EQUALS}
    laws = [cubic_law(**one, scale=SCALE, log_size=math.log(cell.start)) for one in given]
    left_out = np.array([[rest] for _, rest in laws]) * np.ones(cell.layers)
    return (
        Prediction(constants, of="kept", dims=("logit",), hypotheses=checks, resolution=0.02, formula=r"\kappa(m)"),
        Prediction(mapped, of="kept_mapped", dims=("logit",), hypotheses=checks, resolution=0.02, formula=r"\kappa(m)"),
        # with an entry factor the constant is not sharp
        Prediction(entry, of="kept_over_gamma", dims=("logit",), hypotheses=checks, resolution=0.4),
        Prediction(constant(KNOWN[2]), of="kept_concentrated", resolution=UNSHARP, formula=r"\kappa(16.68)"),
        Prediction(decades, of="decades", hypotheses=checks, resolution=0.03, **by_depth),
        Prediction(np.array([law for law, _ in laws]), of="law", truncation=left_out, resolution=0.1, **recursion),
    )


def measure(cell: Sizes, key: jax.Array, given: list[dict[str, np.ndarray]], skip: float = 0.0) -> xr.Dataset:
    """Ascent for one layer; the layer that it finds, repeated; the Frobenius residual of generic layers."""
    search = {"heads": cell.heads, "tokens": cell.searched, "starts": cell.starts}
    most, found = most_kept(key, *map(jnp.asarray, (LOGITS, SCALE, skip)), **search)
    # the layer that keeps most at the smallest logits, repeated
    layer, start = sized(jax.tree.map(lambda part: part[0], found), KEYS, VALUES, START, SCALE)
    layers = jax.tree.map(lambda part: jnp.broadcast_to(part, (cell.deep, *part.shape)), layer)
    sizes = residual_sizes(layers, start, SCALE, skip > 0)[1]
    lengths = np.stack([residual_sizes(*generic_layers(one, math.log(cell.start)), SCALE, skip > 0)[0] for one in given])
    power, decade = 3.0 ** np.arange(1, cell.layers + 1), math.log(10)
    drift = logarithm_drift(cell.heads * (4 * cell.tokens + 6 * cell.width), cell.layers, lengths.dtype)
    return measured(
        logit=Quantity(LOGITS, "logit", label="largest logit |A|₁|E|²/√d that the input may have"),
        layer=np.arange(1, cell.deep + 1),
        offset=[0, 1],
        depth=np.arange(1, cell.layers + 1),
        kept=_kept(cell, most.attention, "size after / (H beta size³/√d), the most found"),
        kept_mapped=_kept(cell, most.mapped, "the same behind a map of rows, over lambda"),
        kept_over_gamma=_kept(cell, most.over_gamma, "the same without it, over gamma"),
        kept_concentrated=_concentrated(),
        decades=Quantity(-sizes / decade, "layer", floor=(drift * power)[: cell.deep] / decade, label="decades under 1"),
        law=Quantity(-lengths / power, "offset depth", floor=drift, label="-log(residual) / 3^layer"),
    )


def _kept(cell: Sizes, found: jax.Array, label: str) -> Quantity:
    values = np.asarray(found)
    return Quantity(values, "logit", floor=rounding_floor(10 * cell.heads * cell.searched, values.dtype, values), label=label)


def _concentrated() -> Quantity:
    value = concentrated_attention(*KNOWN)
    return Quantity(value, floor=rounding_floor(4 * KNOWN[0], value.dtype, float(value)), label="kept in the known worst case")


def _orthogonal(cell: Sizes, key: jax.Array, given: list[dict[str, np.ndarray]]) -> xr.Dataset:
    return measured(mapped_growth=Quantity(orthogonal_growth(8), floor=rounding_floor(16, jnp.dtype(float), 8**0.5)))


def _without_mean(cell: Sizes, given: list[dict[str, np.ndarray]]) -> Prediction:
    law = predict(cell, given)[-1]
    power = 3.0 ** np.arange(1, cell.layers + 1)
    return dataclasses.replace(law, value=np.asarray(law.value) - math.log(cell.tokens) * (power - 1) / (2 * power))


CONTROLS = (
    control("skip connection on", "a layer that adds its input loses its residual as fast", measure=partial(measure, skip=1.0)),
    control(
        "constant 1 for any logits",
        "the constant of logits up to 1.9 holds however large they are",
        measure=lambda cell, key, given: measured(kept_concentrated=_concentrated()),
        predict=lambda cell, given: Prediction(1.0, of="kept_concentrated"),
    ),
    control(
        "Euclidean Lipschitz constant",
        "a map of rows multiplies the bound by its Lipschitz constant in the 2-norm",
        measure=_orthogonal,
        predict=lambda cell, given: Prediction(1.0, of="mapped_growth"),
    ),
)
RIVALS = (
    scaled(0.97, of=("kept", "kept_mapped"), name="three percent less", statement="a constant 3 percent below kappa holds too"),
    rival("cubic law without 1/n", _without_mean, "each layer's coefficient is that of a sum over tokens"),
)
