r"""A skip connection stops the cubing for all weights, but does not keep the residual for all weights.

Statement: for tokens b + eps r_i and any weights ``|res(X + SA(X))| / |res(X)| = 1 + eps^2 <R, F(R)>/|R|^2 + ..``, F the cubic
map of the layer. So no weights cube a residual, and some keep it: with ``A = I, W = I`` that of the tokens +-rho e_i never
falls. Yet with ``A = I, W = -I`` they lose it after all, algebraically: ``d/sqrt(s L)`` after L layers (s: scale of logits).

Derivation: `theory.attention.collapse`. "Skips keep the residual" is true of *some* weights, as the source says, and false of all.

Hypotheses: no mask, no norm. Source: Dong, Cordonnier, Loukas, arXiv 2103.03404, Claim 3.1; the law, and the weights that
collapse, derived for this project. Refuted by: another order or constant. Cost: 5 s on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, attend, centred
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.collapse._setting import SCALE, offset, rational, weights
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="skip_stops_cubing",
    title="With a skip no weights cube the residual, some keep it, and some still lose it, like 1/sqrt(depth)",
    statement=(
        "A skip changes a small residual by the relative amount eps^2 <R, F(R)>/|R|^2 a layer; on the tokens +-e_i, W = I "
        "keeps it for ever and W = -I makes it fall like d/sqrt(s L)."
    ),
    latex=r"\frac{\|\mathrm{res}(X + SA(X))\|}{\|\mathrm{res}(X)\|} = 1 + \varepsilon^2\frac{\langle R, F(R)\rangle}{\|R\|^2}"
    r" + \dots,\qquad \|\mathrm{res}(X_L)\| \sim \frac{d}{\sqrt{sL}}",
    relation=Relation.ORDER,
    source=Source(
        "Dong, Cordonnier, Loukas",
        "Attention is not all you need: pure attention loses rank doubly exponentially with depth",
        "arXiv 2103.03404",
        "Claim 3.1; law and counterexample derived here",
    ),
    assumes=("no mask, norm or feed-forward part", "<R, F(R)> does not vanish (checked exactly)"),
    refuted_by="a relative change of another order or constant, another decay, or a residual that falls under W = I",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads and offset; steps of eps, which are those of 1/sqrt(depth) for the decay: depths 4, 8, .., 2^(steps + 1)."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    tokens: int = 6
    width: int = 4
    steps: int = 12


GRIDS = {"quick": Sizes(), "full": Sizes(heads=axis(1, 2, 3, 8), tokens=12), "paper": Sizes(tokens=24, width=16, steps=15)}


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Rational offset, centred direction and weights."""
    shape = (cell.heads, cell.width, cell.width)
    return {
        "offset": offset(cell.offset, cell.width),
        "direction": exact.centred(rational(1, cell.tokens, cell.width)),
        "query_key": rational(2, *shape),
        "value": rational(3, *shape),
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Order and constant of the relative change, the algebraic decay, and no fall under W = I."""
    r = given["direction"]
    product = (r * exact.cubic(r, given["query_key"], given["value"], SCALE)).sum()
    change = abs(float(product / (r**2).sum()))
    exponent, constant = exact.skip_decay(cell.width, float(SCALE))
    alive = Hypothesis("<R, F(R)> does not vanish", change > 0)
    return (
        Prediction(2, of="change", constant=change, hypotheses=(alive,), formula=r"|\langle R, F(R)\rangle|/\|R\|^2"),
        Prediction(2 * exponent, of="falling", constant=constant, formula=r"d/\sqrt{s L}"),
        Prediction(np.sqrt(2 * cell.width), of="kept", resolution=UNSHARP, relation=Relation.AT_LEAST),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer with a skip at every eps; thousands of layers on the tokens +-rho e_i."""
    return _measured(cell, given, skip=1.0)


def _measured(cell: Sizes, given: dict[str, np.ndarray], skip: float) -> xr.Dataset:
    steps = 2.0 ** (-np.arange(cell.steps) / 2 - 1)
    depths = np.round(steps**-2).astype(int)
    common, r = (jnp.asarray(given[name].astype(float)) for name in ("offset", "direction"))
    layer = weights(given["query_key"], given["value"])
    ratio, size = _one_layer(layer, common, r, jnp.asarray(steps), skip)
    falling, kept = (np.asarray(_many_layers(cell.width, int(depths[-1]), sign)) for sign in (-1.0, 1.0))
    count = cell.heads * (4 * cell.tokens + 4 * cell.width)
    floor = rounding_floor(count, jnp.dtype(float), np.asarray(size) / (steps * float(jnp.linalg.norm(r))))
    return xr.Dataset(
        {
            "change": ("step", np.abs(np.asarray(ratio) - 1), {"long_name": "relative change of the residual in a layer"}),
            "change_floor": ("step", floor),
            "falling": ("step", falling[depths - 1], {"long_name": "residual, W = -I, depth 1/step²"}),
            # errors of single layers add up, and the law pulls them in again
            "falling_floor": ("step", rounding_floor(count, jnp.dtype(float), np.sqrt(depths))),
            "kept": ((), kept.min(), {"long_name": "smallest residual, W = I"}),
            "kept_floor": ((), rounding_floor(float(count * depths[-1]), jnp.dtype(float), float(kept[0]))),
            "fallen": ((), falling.min(), {"long_name": "smallest residual, W = -I"}),
        },
        coords={"step": ("step", steps, {"long_name": "ε, or 1/√depth"})},
    )


@jax.jit
def _one_layer(layer: Weights, common: jax.Array, r: jax.Array, steps: jax.Array, skip: float) -> tuple[jax.Array, jax.Array]:
    """By eps: residual after one layer over that before, and the size of the tokens."""

    def one(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        tokens = common[None] + step * r
        after = centred(skip * tokens + attend(tokens, layer, float(SCALE)))
        return jnp.linalg.norm(after) / (step * jnp.linalg.norm(r)), jnp.linalg.norm(tokens) * (
            1 + jnp.linalg.norm(layer.value)
        )

    return jax.lax.map(one, steps)


@partial(jax.jit, static_argnums=(0, 1))
def _many_layers(width: int, depth: int, sign: float) -> jax.Array:
    """Residual after each layer with a skip, A = I and W = sign I, from the tokens +-e_i; stopped before it grows beyond 8."""
    eye = jnp.eye(width)
    layer = Weights(eye[None], sign * eye[None])

    def step(tokens: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        moved = tokens + attend(tokens, layer, float(SCALE))
        moved = jnp.where(jnp.linalg.norm(moved) < 8, moved, tokens)
        return moved, jnp.linalg.norm(centred(moved))

    return jax.lax.scan(step, jnp.concatenate([eye, -eye]), None, depth)[1]


def _order(exponent: int):
    return lambda cell, given: Prediction(exponent, of="change")


def _all_weights(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(np.sqrt(2 * cell.width) / 2, of="fallen", relation=Relation.AT_LEAST)


CONTROLS = (
    Control("exponent one", "the relative change is of order eps", _order(1)),
    Control("exponent three", "the relative change is of order eps^3", _order(3)),
    Control("a skip keeps the residual for all weights", "with W = -I at least half of the residual stays", _all_weights),
    Control(
        "decay like 1/depth", "with W = -I the residual falls like 1/depth", lambda cell, given: Prediction(2, of="falling")
    ),
    Control(
        "no skip",
        "without a skip a layer changes the residual by the order eps^2 too",
        _order(2),
        lambda cell, key, given: _measured(cell, given, skip=0.0),
    ),
)
