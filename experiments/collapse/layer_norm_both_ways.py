r"""LayerNorm does not stop the cubing of generic tokens, and keeps the residual of antipodal ones for all weights.

Statement: (1) After attention and LayerNorm the residual of tokens b + eps r_i is ``eps^3 |F(R) J|`` to leading order, F the
cubic map and J the derivative of LayerNorm at ``y0 = sum_h b W_h``. (2) Tokens in pairs +-x keep the residual ``sqrt(n d)``
after any number of layers with any weights; and the tokens ``+-(e_i - 1/d)`` with ``A = t I, W = I`` keep the full rank d - 1.
So "LayerNorm plays no role in rank collapse" is false, and "LayerNorm prevents it" is false too.

Derivation: (1) LayerNorm is smooth near y0 if its features differ. (2) Attention and LayerNorm are odd and commute with
permutations, so pairs stay pairs, with mean zero, and LayerNorm makes rows of length sqrt(d); the symmetry of the 2d tokens
fixes each up to a factor.

Hypotheses: no skip, no mask; the features of y0 differ (checked). Source: derived for this project; counterexamples to the
statement of arXiv 2103.03404 exist in Wu et al., arXiv 2405.18781. Refuted by: another order, constant, residual or rank. Cost:
5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, attend, centred, layer_norm
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.collapse._setting import SCALE, offset, rational, weights
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="layer_norm_both_ways",
    title="After LayerNorm generic tokens still cube; antipodal tokens keep residual sqrt(n d), and some full rank",
    statement=(
        "With LayerNorm the residual of generic tokens is cubed, with the norm's derivative in the constant; tokens in pairs "
        "+-x keep the residual sqrt(n d) for all weights, and some keep rank d - 1."
    ),
    latex=r"\mathrm{res}(\mathrm{LN}(SA(X))) = \varepsilon^3 F(R)\,J + \dots;\qquad"
    r" X = \begin{pmatrix} Z \\ -Z \end{pmatrix} \Rightarrow \|\mathrm{res}(X_L)\| = \sqrt{nd}",
    relation=Relation.EQUALS,
    source=Source("this project", "stated here first", "against arXiv 2103.03404; in the spirit of arXiv 2405.18781"),
    assumes=(
        "LayerNorm without gain, bias and epsilon, after attention without skip and mask",
        "the features of the shared row differ after the values (checked)",
    ),
    refuted_by="a residual of another order or constant, an antipodal residual that falls, or a rank below d - 1",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; tokens and their width; steps of eps; depths of the two antipodal networks."""

    heads: int = axis(1, 3)
    tokens: int = 6
    width: int = 4
    steps: int = 18
    layers: int = 3
    deep: int = 64


GRIDS = {"quick": Sizes(), "full": Sizes(heads=axis(1, 2, 3, 8), tokens=12), "paper": Sizes(tokens=24, width=16, deep=512)}


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Rational offset, centred direction and weights; a network of several layers."""
    shape = (cell.heads, cell.width, cell.width)
    return {
        "offset": offset(1, cell.width),
        "direction": exact.centred(rational(1, cell.tokens, cell.width)),
        "query_key": rational(2, cell.layers, *shape),
        "value": rational(3, cell.layers, *shape),
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Cubic order with the norm's derivative in its constant; the antipodal residual; the rank that is kept."""
    cube = exact.cubic(given["direction"], given["query_key"][0], given["value"][0], SCALE)
    row = given["offset"] @ given["value"][0].sum(axis=0)
    differ = Hypothesis("the features of the shared row differ", len(set(row.tolist())) > 1)
    constant = float(np.linalg.norm(cube.astype(float) @ exact.norm_jacobian(row)))
    return (
        Prediction(3, of="generic", relation=Relation.ORDER, constant=constant, hypotheses=(differ,), formula=r"\|F(R) J\|"),
        Prediction(np.sqrt(2 * cell.tokens * cell.width), of="antipodal", resolution=0.1, formula=r"\sqrt{nd}"),
        Prediction(cell.width - 1, of="rank", formula="d - 1"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer and a norm at every eps; antipodal tokens through a few layers, 2d symmetric ones through many."""
    steps = 2.0 ** (-np.arange(cell.steps) / 2 - 2)
    common, r = (jnp.asarray(given[name].astype(float)) for name in ("offset", "direction"))
    layers = weights(given["query_key"], given["value"])
    generic, least = _generic(jax.tree.map(lambda w: w[0], layers), common, r, jnp.asarray(steps))
    residual, stretch = _stack(layers, layer_norm(jnp.concatenate([r, -r])))
    identity = jnp.broadcast_to(jnp.eye(cell.width), (cell.deep, 1, cell.width, cell.width))
    corners = jnp.eye(cell.width) - 1 / cell.width
    # sharp attention: a token sees almost itself alone, so that roundings of the mean are not drawn out
    kept, _ = _stack(Weights(4 * identity, identity), layer_norm(jnp.concatenate([corners, -corners])))
    count = cell.heads * (4 * cell.tokens + 6 * cell.width)
    floor = rounding_floor(count, jnp.dtype(float))
    return xr.Dataset(
        {
            "generic": ("step", np.asarray(generic), {"long_name": "residual after attention and LayerNorm"}),
            "generic_floor": ("step", floor * np.sqrt(cell.tokens * cell.width) / np.asarray(least)),
            "antipodal": ("layer", _norms(residual), {"long_name": "residual of antipodal tokens"}),
            # a rounding is stretched by every later layer
            "antipodal_floor": ("layer", floor * np.sqrt(cell.tokens * cell.width) * np.cumprod(np.asarray(stretch))),
            "rank": ("depth", _ranks(kept), {"long_name": "singular values above half of the largest"}),
        },
        coords={"step": ("step", steps, {"long_name": "ε"})},
    )


@jax.jit
def _generic(layer: Weights, common: jax.Array, r: jax.Array, steps: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Residual after attention and norm by eps, and the smallest share of a row that survives its centring."""

    def one(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        moved = attend(common[None] + step * r, layer, float(SCALE))
        share = jnp.linalg.norm(centred(moved.T).T, axis=1) / (1 + jnp.linalg.norm(moved, axis=1))
        return jnp.linalg.norm(centred(layer_norm(moved))), share.min()

    return jax.lax.map(one, steps)


@jax.jit
def _stack(layers: Weights, tokens: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Centred tokens after each layer of attention and norm, and a bound on how much it stretches a small change of them.

    A change moves values by at most |W| and logits by 2 s |A| |x| per token, |x| = sqrt(d); the norm divides by the deviation.
    """

    def step(tokens: jax.Array, layer: Weights) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        moved = attend(tokens, layer, float(SCALE))
        deviation = jnp.linalg.norm(centred(moved.T).T, axis=1).min()
        width = tokens.shape[1]
        value = jnp.sqrt((layer.value**2).sum(axis=(1, 2)))
        logits = 2 * float(SCALE) * jnp.sqrt((layer.query_key**2).sum(axis=(1, 2))) * width
        stretch = jnp.sqrt(float(width)) / deviation * (value * (1 + logits)).sum()
        moved = layer_norm(moved)
        return moved, (centred(moved), stretch)

    return jax.lax.scan(step, tokens, layers)[1]


def _norms(tokens: jax.Array) -> np.ndarray:
    return np.linalg.norm(np.asarray(tokens), axis=(1, 2))


def _ranks(tokens: jax.Array) -> np.ndarray:
    values = np.linalg.svd(np.asarray(tokens), compute_uv=False)
    return (values > values[:, :1] / 2).sum(axis=1)


def _kept(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(np.sqrt(2 * cell.tokens * cell.width), of="antipodal", resolution=0.1)


def _plays_no_role(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(np.sqrt(2 * cell.tokens * cell.width) / 2, of="antipodal", relation=Relation.AT_MOST)


def _without_derivative(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    cube = exact.cubic(given["direction"], given["query_key"][0], given["value"][0], SCALE)
    return dataclasses.replace(predict(cell, given)[0], constant=float(np.linalg.norm(cube.astype(float))))


def _unpaired(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    r = jnp.asarray(given["direction"].astype(float))
    start = layer_norm(jnp.concatenate([r, r + jnp.asarray(given["offset"].astype(float))[None]]))
    residual, _ = _stack(weights(given["query_key"], given["value"]), start)
    return xr.Dataset({"antipodal": ("layer", _norms(residual)), "antipodal_floor": ((), 1e-9)})


CONTROLS = (
    Control("LayerNorm plays no role", "antipodal tokens lose half of their residual", _plays_no_role),
    Control("LayerNorm prevents collapse", "tokens that are not in pairs keep the residual sqrt(n d) too", _kept, _unpaired),
    Control("cubic constant without the norm's derivative", "the constant is that of attention alone", _without_derivative),
    Control(
        "LayerNorm keeps generic residuals",
        "the residual after the norm is of order zero",
        lambda cell, given: Prediction(0, of="generic", relation=Relation.ORDER),
    ),
    Control("rank d", "all d directions are kept", lambda cell, given: Prediction(cell.width, of="rank")),
)
