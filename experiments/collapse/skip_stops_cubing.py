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
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, attend, centred
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.small_residuals import after_layer, floats, operations
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
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
    visible = Hypothesis("<R, F(R)> does not vanish", change > 0)
    return (
        Prediction(2, of="change", constant=change, hypotheses=(visible,), formula=r"|\langle R, F(R)\rangle|/\|R\|^2"),
        Prediction(2 * exponent, of="falling", constant=constant, formula=r"d/\sqrt{s L}"),
        Prediction(early, of="early", dims=("sign", "layer"), relation=Relation.EQUALS, resolution=0.01),
        # the first layer leaves least, if none lets the residual fall
        Prediction(early[1, 0], of="kept", resolution=0.01, relation=Relation.AT_LEAST),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """One layer with a skip at every eps; thousands of layers on the tokens +-e_i."""
    depths = np.round(_steps(cell) ** -2).astype(int)
    falling, kept = (np.asarray(_many_layers(cell.width, int(depths[-1]), sign)) for sign in SIGNS)
    count = operations(floats(**given)[2], cell.tokens)
    # the roundings of single layers add up, and the law pulls them in again
    drift = rounding_floor(count, falling.dtype, np.sqrt(depths))
    most = rounding_floor(float(count * depths[-1]), kept.dtype, float(kept[0]))
    early = np.stack([falling, kept])[:, : cell.early]
    few = rounding_floor(count * cell.early, kept.dtype, early)
    return _change(cell, given, skip=1.0).merge(
        measured(
            sign=list(SIGNS),
            layer=np.arange(1, cell.early + 1),
            early=Quantity(early, "sign layer", floor=few, label="residual of the tokens ±e_i after the first layers"),
            early_turned=Quantity(early[::-1], "sign layer", floor=few[::-1], label="the same with the other values"),
            rising=Quantity(kept[depths - 1], "step", floor=drift, label="residual at depth 1/step², W = I"),
            falling=Quantity(falling[depths - 1], "step", floor=drift, label="residual at depth 1/step², W = -I"),
            kept=Quantity(kept.min(), floor=most, label="smallest residual, W = I"),
            fallen=Quantity(falling.min(), floor=most, label="smallest residual, W = -I"),
        )
    )


def _change(cell: Sizes, given: dict[str, np.ndarray], skip: float) -> xr.Dataset:
    """The relative change of the residual in a layer to which a skip connection adds this multiple of the tokens."""
    common, r, layer = floats(**given)
    before = _steps(cell) * float(jnp.linalg.norm(r))
    after, sizes = map(np.asarray, after_layer(layer, common, r, jnp.asarray(_steps(cell)), float(SCALE), skip))
    floor = rounding_floor(operations(layer, cell.tokens), after.dtype, sizes / before)
    return measured(
        step=Quantity(_steps(cell), "step", label="ε, or 1/√depth"),
        change=Quantity(np.abs(after / before - 1), "step", floor=floor, label="relative change of the residual in a layer"),
    )


@partial(jax.jit, static_argnums=(0, 1))
def _many_layers(width: int, depth: int, sign: int) -> jax.Array:
    """Residual after each layer with a skip, A = I and W = sign I, from the tokens +-e_i; stopped before it grows beyond 8."""
    eye = jnp.eye(width)
    layer = Weights(eye[None], sign * eye[None])

    def step(tokens: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        moved = tokens + attend(tokens, layer, float(SCALE))
        moved = jnp.where(jnp.linalg.norm(moved) < 8, moved, tokens)
        return moved, jnp.linalg.norm(centred(moved))

    return jax.lax.scan(step, jnp.concatenate([eye, -eye]), None, depth)[1]


def _steps(cell: Sizes) -> np.ndarray:
    return 2.0 ** (-np.arange(cell.steps) / 2 - 1)


CONTROLS = (
    control(
        "no skip",
        "without a skip a layer changes the residual by the order eps^2 too",
        measure=lambda cell, key, given: _change(cell, given, skip=0.0),
    ),
    control("values turned around", "W = -I does what W = I does", instead={"kept": "fallen", "early": "early_turned"}),
    control("decay under W = I", "the residual falls under W = I too", instead={"falling": "rising"}),
)
RIVALS = (
    off_by(-1, of="change", name="exponent one", statement="the relative change is of order eps"),
    off_by(+1, of="change", name="exponent three", statement="the relative change is of order eps^3"),
    off_by(+1, of="falling", name="decay like 1/depth", statement="the residual falls like 1/depth under W = -I"),
)
