r"""One attention layer cubes a small residual: order 3, with its coefficient, any offset and any number of heads.

Statement: with ``X = 1 b^T + eps R``, R centred, and res(Y) = Y minus its mean row,

    res(sum_h P_h X W_h) = eps^3 / (n sqrt(d)) sum_h R A_h R^T R W_h + remainder,

the remainder being of order eps^4 with an offset b and eps^5 without one, both with exact constants.

Derivation: in the logits of row i all that is constant along the row drops out of the softmax; what is left is ``eps u_j +
eps^2 v_ij`` (`theory.attention.collapse`). Constants of all three orders come from an exact power series of the layer, in rational
arithmetic.

Hypotheses: the cubic term does not vanish (checked exactly). Source: derived for this project, in the setting of Dong,
Cordonnier, Loukas, arXiv 2103.03404. Refuted by: another order or another constant. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Weights, attend, centred, collapse, separated
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.collapse._setting import SCALE, offset, rational, weights
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="attention_residual_cubes",
    title="One attention layer maps a small residual R to (1/(n sqrt d)) sum_h R A_h R^T R W_h: it cubes",
    statement=(
        "The residual of one softmax attention layer on tokens b + eps r_i is eps^3/(n sqrt d) sum_h R A_h R^T R W_h up to "
        "terms of order eps^4 (eps^5 without an offset b), with known constants."
    ),
    latex=r"\mathrm{res}\Bigl(\sum_h P_h X W_h\Bigr) = \frac{\varepsilon^3}{n\sqrt d}\sum_h R A_h R^\top R\, W_h"
    r" + O(\varepsilon^{4 + [b = 0]})",
    relation=Relation.ORDER,
    source=Source("this project", "stated here first", "setting of arXiv 2103.03404"),
    assumes=("attention alone: no skip, mask, norm or feed-forward part", "the cubic term does not vanish (checked exactly)"),
    refuted_by="a residual or a remainder of another order or with another constant",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Heads; whether the tokens share an offset; tokens of size `width`; steps of eps."""

    heads: int = axis(1, 3)
    offset: int = axis(0, 1)
    tokens: int = 6
    width: int = 4
    steps: int = 20


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(heads=axis(1, 2, 3, 8), tokens=12),
    "paper": Sizes(heads=axis(1, 2, 3, 8), tokens=24, width=16),
}


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
    """Orders and constants from the exact power series of the layer."""
    parts = (given[name] for name in ("offset", "direction", "query_key", "value"))
    terms = [_norm(term) for term in exact.residual_terms(*parts, scale=SCALE, order=5)]
    alive = Hypothesis("the terms of order 1 and 2 vanish and the cubic one does not", terms[1] == terms[2] == 0 < terms[3])
    following = 4 if cell.offset else 5
    return (
        Prediction(
            3, of="residual", constant=terms[3], hypotheses=(alive,), formula=r"\|\sum_h R A_h R^\top R W_h\|/(n\sqrt d)"
        ),
        Prediction(following, of="remainder", constant=terms[following], hypotheses=(alive,)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """The plain layer, and the rescaled one minus the cubic map, for every eps."""
    steps = 2.0 ** (-np.arange(cell.steps) / 2 - 1)
    tokens, cube = _arrays(given)
    layer = weights(given["query_key"], given["value"])
    residual, remainder, size = _sweep(layer, *tokens, cube, jnp.asarray(steps))
    # a softmax over n tokens, then two products; sizes are those of tokens and of the cubic term
    count = cell.heads * (4 * cell.tokens + 4 * cell.width)
    return xr.Dataset(
        {
            "residual": ("step", np.asarray(residual), {"long_name": "residual after one layer", "units": "Frobenius"}),
            "residual_floor": ("step", rounding_floor(count, jnp.dtype(float), np.asarray(size))),
            "remainder": ("step", np.asarray(remainder), {"long_name": "residual minus its cubic term", "units": "Frobenius"}),
            "remainder_floor": ("step", rounding_floor(count, jnp.dtype(float), 4 * steps**3 * float(jnp.linalg.norm(cube)))),
        },
        coords={"step": ("step", steps, {"long_name": "ε"})},
    )


def _arrays(given: dict[str, np.ndarray]) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
    """Offset and direction as floats, and the cubic map of the direction, summed in floats."""
    common, r = (jnp.asarray(given[name].astype(float)) for name in ("offset", "direction"))
    a, w = (jnp.asarray(given[name].astype(float)) for name in ("query_key", "value"))
    cube = jnp.einsum("ic,hcd,jd,je,hef->if", r, a, r, r, w) * float(SCALE) / len(r)
    return (common, r), cube


@jax.jit
def _sweep(layer: Weights, common: jax.Array, r: jax.Array, cube: jax.Array, steps: jax.Array) -> tuple[jax.Array, ...]:
    """By eps: the plain layer's residual, the rescaled layer's distance from the cubic map, and the size of the tokens."""

    def one(step: jax.Array) -> tuple[jax.Array, ...]:
        tokens = common[None] + step * r
        plain = jnp.linalg.norm(centred(attend(tokens, layer, float(SCALE))))
        end, _ = collapse(jax.tree.map(lambda w: w[None], layer), separated(tokens, common), float(SCALE))
        # both are divided by eps^3 before they are subtracted
        scaled = end.direction * jnp.exp(end.log_size - 3 * jnp.log(step))
        return plain, jnp.linalg.norm(scaled - cube) * step**3, jnp.linalg.norm(tokens) * jnp.linalg.norm(layer.value)

    return jax.lax.map(one, steps)


def _norm(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix.astype(float)))


def _order(exponent: int):
    return lambda cell, given: Prediction(exponent, of="residual")


def _without_mean(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    first = predict(cell, given)[0]
    return dataclasses.replace(first, constant=cell.tokens * (first.constant or 0.0))


def _with_skip(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    steps = 2.0 ** (-np.arange(cell.steps) / 2 - 1)
    (common, r), _ = _arrays(given)
    layer = weights(given["query_key"], given["value"])
    tokens = common[None, None] + jnp.asarray(steps)[:, None, None] * r[None]
    after = jax.vmap(lambda x: jnp.linalg.norm(centred(x + attend(x, layer, float(SCALE)))))(tokens)
    return xr.Dataset({"residual": ("step", np.asarray(after))}, coords={"step": steps})


CONTROLS = (
    Control("exponent two", "the residual is squared", _order(2)),
    Control("exponent four", "the residual is raised to the fourth power", _order(4)),
    Control("coefficient without 1/n", "the constant is that of a sum over tokens, not of a mean", _without_mean),
    Control("skip connection on", "the residual of X + SA(X) is cubed too", _order(3), _with_skip),
)
