r"""Pure attention loses its residual doubly exponentially: under a sharp bound at every depth, and along the cubic law.

Statement: Let E_0 = X - 1 x^T and E_{l+1} = sum_h (P_h - 1 p_h^T) E_l W_h, where p_h is the softmax of what the logits of all
    rows share and d is the size of queries. Let |.|_{1,inf} be the root of the largest column sum times the largest row sum,
    beta = max |A|_1 (max |W|_1 max |W|_inf)^(1/2), m = max |A|_1 |E_0|^2_{1,inf} / sqrt(d) and phi(m) = (e^m - 1)/m. Then E_L
    obeys the bound below with kappa = (1 + phi(m))^(1/2) / 2, which tends to 1/sqrt(2) at small logits, where no smaller
    constant will do: some layer enlarges its residual five percent beyond the border where the bound contracts. So does
    kappa = gamma (2 phi(2m))^(1/2) with gamma^2 = max(p) sum_i max_j |M_ij| / |M|_1. A map of rows after the layer multiplies
    the bound's factor by lambda, the size |.|_{1,inf} of its entrywise slopes. The Frobenius residual follows the cubic maps
    F_l.
    $$ \|E_L\|_{1,\infty} \le \Bigl(\tfrac{\kappa\beta H}{\sqrt d}\Bigr)^{(3^L-1)/2} \|E_0\|_{1,\infty}^{3^L},\qquad
       \log r_{l+1} = 3\log r_l + \log\|F_l(R_l/r_l)\| $$
Hypotheses: attention alone, without skip, mask or norm; the bound contracts, kappa beta H |E_0|^2 < sqrt(d) (checked).
Source: Dong, Cordonnier, Loukas, “Attention is not all you need: pure attention loses rank doubly exponentially with depth”,
    arXiv 2103.03404, Theorems 2.2 and 2.3 (constant 4 there; sharp constant, entry factor and cubic law derived here).
Refuted by: tokens and weights found by gradient ascent that pass the bound, none that come near it, or a logarithm off the law.
Cost: quick 10 s on one core, full about a minute.

Derivation: `theory.bounds.collapse` for the bound, `iterated` for the law. Gradient ascent over tokens,
weights and the map of rows looks for the layer that keeps most. The deep network repeats the layer that it finds. It runs in a
rescaled iteration that never forms the residual itself, so it goes on for hundreds of decades.

Two readings of the source are wrong. No constant holds for all logits (control: 65536 tokens, one of which holds most of the
attention). The Lipschitz constant of its remark on perceptrons must be read entry by entry, |f(x) - f(y)| <= |x - y| Lambda.
With the Euclidean constant the bound is wrong by up to sqrt(d) (control: an orthogonal map of the rows e_1, .., e_d).
"""

import dataclasses
import math
from functools import partial

import numpy as np

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, scaled, whole
from experiments.collapse.collapse_doubly_exponential.common import BESIDE, KEYS, KNOWN, LOGITS, START, VALUES
from experiments.collapse.collapse_doubly_exponential.iterated import cubic_law
from theory import bounds
from theory.attention.contraction import layer_constant
from theory.attention.generic import tokens_and_weights

CLAIM = claim(Relation.AT_MOST, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; layers of the deep network and of the law; tokens, size of tokens and of queries; residual of the law's input."""

    heads: int = axis(3)
    deep: int = 4
    layers: int = 8
    tokens: int = 8
    width: int = 4
    queries: int = 8
    start: float = 2.0**-7
    searched: int = 2
    starts: int = 8


DOMAIN = domain(
    heads=whole(1, 4),
    tokens=whole(3, 16, quick=12),
    width=whole(2, 8, quick=6),
    queries=whole(8, 64),
    counts={"quick": 1, "full": 6},
)
GRIDS = {
    "test": Sizes(heads=axis(2)),
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3), layers=12, start=2.0**-9, starts=64),
    "paper": Sizes(heads=axis(1, 2, 3), tokens=32, width=16, queries=16, layers=12, start=2.0**-13, searched=4, starts=256),
}


def objects(cell: Sizes, seed: int) -> list[dict[str, np.ndarray]]:
    """Generic rational tokens without and with a row that all share, and the weights of every layer."""
    sizes = (seed, cell.tokens, cell.width, cell.layers, cell.heads)
    return [tokens_and_weights(*sizes, shared=shared) for shared in (False, True)]


def predict(cell: Sizes, given: list[dict[str, np.ndarray]]) -> tuple[Prediction, ...]:
    """The bound's constant by the logits; where it contracts; the bound of a deep network, in decades; the cubic recursion."""
    scale = cell.queries**-0.5
    constant, cases = partial(layer_constant, heads=cell.heads, scale=scale), ({}, {"gamma": 1}, {"lipschitz": 1})
    constants, entry, mapped = (np.array([constant(logit, **more) for logit in LOGITS]) for more in cases)
    sizes = {"width": cell.queries, "residual": START, "heads": cell.heads, "query_key": KEYS}
    deep = partial(bounds.collapse, **sizes, decades=True)
    decades = np.array([deep(layers, beta=KEYS * VALUES).at() for layers in range(1, cell.deep + 1)])
    checks = tuple(Hypothesis(statement, holds) for statement, holds in deep(1, beta=KEYS * VALUES).check())
    border = 1 / (constant(1e-15) * scale * cell.heads * KEYS * START**2)  # of small logits, where a residual stays as it is
    beside = border * np.array(BESIDE)
    shrinks = [int(all(holds for _, holds in deep(1, beta=KEYS * values).check())) for values in beside]
    by_depth = {"dims": ("layer",), "relation": Relation.AT_LEAST, "formula": r"-\log_{10}\,\mathrm{bound}"}
    recursion = {"dims": ("offset", "depth"), "relation": Relation.EQUALS}
    laws = [cubic_law(**one, scale=scale, log_size=math.log(cell.start)) for one in given]
    left_out = np.array([[rest] for _, rest in laws]) * np.ones(cell.layers)
    return (
        # further steps of the ascent gain less than a percent
        Prediction(constants, of="kept", dims=("logit",), hypotheses=checks, resolution=0.01, formula=r"\kappa(m)"),
        Prediction(mapped, of="kept_mapped", dims=("logit",), hypotheses=checks, resolution=0.02, formula=r"\kappa(m)"),
        # with an entry factor the constant is not sharp
        Prediction(entry, of="kept_over_gamma", dims=("logit",), hypotheses=checks, resolution=0.4),
        Prediction(constant(KNOWN[2]), of="kept_concentrated", resolution=UNSHARP, formula=r"\kappa(16.68)"),
        Prediction(beside, of="beside", dims=("values",), relation=Relation.EQUALS),
        Prediction(shrinks, of="shrinks", dims=("values",), relation=Relation.EQUALS),
        Prediction(decades, of="decades", hypotheses=checks, resolution=0.03, **by_depth),
        Prediction(np.array([law for law, _ in laws]), of="law", truncation=left_out, resolution=0.1, **recursion),
        Prediction([_gamma(scale, **one) for one in given], of="gamma", dims=("offset",), relation=Relation.EQUALS),
    )


def _gamma(scale: float, offset: np.ndarray, direction: np.ndarray, query_key: np.ndarray, value: np.ndarray) -> float:
    """The entry factor of the first layer at a residual of size one, from M and from the logits that all rows share."""
    del value
    unit = direction.astype(float) / np.linalg.norm(direction.astype(float))
    sizes = [np.abs(scale * unit @ head @ unit.T) for head in query_key[0].astype(float)]
    spread = max(size.max(axis=1).sum() / size.sum(axis=0).max() for size in sizes)
    shared = np.exp([scale * offset.astype(float) @ head @ unit.T for head in query_key[0].astype(float)])
    return math.sqrt((shared / shared.sum(axis=1, keepdims=True)).max() * spread)


def _without_mean(cell: Sizes, given: list[dict[str, np.ndarray]]) -> Prediction:
    law = next(one for one in predict(cell, given) if one.of == "law")
    power = 3.0 ** np.arange(1, cell.layers + 1)
    return dataclasses.replace(law, value=np.asarray(law.value) - math.log(cell.tokens) * (power - 1) / (2 * power))


def _kept_by_skips(cell: Sizes, given: list[dict[str, np.ndarray]]) -> tuple[Prediction, ...]:
    """What a layer that adds its input keeps of a residual of one, over the unit H m, and the law of a residual that stays.

    Attention adds at most t = kappa H m. Column and row sums of n tokens differ by a factor of n at most, so the product of
    their sums lies within (1 - n t) (1 - t/n), if t < 1/n, and (1 + n t) (1 + t/n). In the Frobenius norm a layer adds at most
    the share sqrt(n) sum_h (e^(2 s |A_h| r^2) - 1) |W_h| of a residual r.
    """
    scale = cell.queries**-0.5
    n, units = cell.searched, cell.heads * np.array(LOGITS)
    added = units * np.array([layer_constant(logit, heads=cell.heads, scale=scale) for logit in LOGITS])
    least, most = (np.maximum(1 + sign * n * added, 0) * (1 + sign * added / n) for sign in (-1, 1))
    layers, norm = np.arange(1, cell.layers + 1), partial(np.linalg.norm, ord=2, axis=(-2, -1))
    laws, left_out = [], []
    for one in given:
        keys, values = (norm(one[name].astype(float)) for name in ("query_key", "value"))
        # r^2 grows by 2 at most
        share = cell.tokens**0.5 * (np.expm1(4 * scale * keys * cell.start**2) * values).sum(axis=1).max()
        laws.append(-math.log(cell.start) / 3.0**layers)
        left_out.append(-layers * math.log1p(-share) / 3.0**layers)
    laws = np.array(laws)
    said = {"dims": ("logit",), "resolution": UNSHARP}
    return (
        Prediction(np.sqrt(least.clip(0)) / units, of="kept", relation=Relation.AT_LEAST, **said),
        Prediction(np.sqrt(most) / units, of="kept", **said),
        Prediction(
            laws,
            of="law",
            dims=("offset", "depth"),
            relation=Relation.EQUALS,
            truncation=np.array(left_out),
            resolution=laws / 5,
        ),
    )


def _concentrated(cell: Sizes, given: list[dict[str, np.ndarray]]) -> Prediction:
    """In closed form, at three logits: one token holds a share a of the attention, and the logit raises one of the others."""
    tokens, share, kept = 65536, 0.943, []
    for logit in (16.68, 8.34, 4.17):
        gap = share - share / (1 + (1 - share) / (tokens - 1) * math.expm1(logit))
        kept.append(gap * tokens**0.5 / (2 * logit))
    return Prediction(np.array(kept), of="kept_by_logit", dims=("concentrated",), relation=Relation.EQUALS, resolution=0.01)


CONTROLS = (
    control(
        "skip connection on",
        "a layer that adds its input loses its residual as fast",
        measure="skip_connection_on",
        finds=_kept_by_skips,
    ),
    control(
        "constant 1 for any logits",
        "the constant of logits up to 1.9 holds however large they are",
        measure="constant_1_for_any_logits",
        predict=lambda cell, given: Prediction(1.0, of="kept_concentrated"),
        finds=_concentrated,
    ),
    control(
        "Euclidean Lipschitz constant",
        "a map of rows multiplies the bound by its Lipschitz constant in the 2-norm",
        measure="orthogonal",
        predict=lambda cell, given: Prediction(1.0, of="mapped_growth"),
        # every entry of a Hadamard map is one over the root of the width, so that column and row sums are that root
        finds=lambda cell, given: Prediction(
            np.sqrt([2, 4, 8, 16]), of="mapped_growth", dims=("size",), relation=Relation.EQUALS
        ),
    ),
)


RIVALS = (
    rival(
        "no border",
        lambda cell, given: Prediction([1] * len(BESIDE), of="shrinks", dims=("values",), relation=Relation.EQUALS),
        "a layer shrinks its residual beyond the border as well",
    ),
    scaled(0.97, of=("kept", "kept_mapped"), name="three percent less", statement="a constant 3 percent below kappa holds too"),
    rival("cubic law without 1/n", _without_mean, "each layer's coefficient is that of a sum over tokens"),
)
