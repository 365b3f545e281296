r"""Under a causal mask the distance to token 1 halves in every layer: collapse is exponential, not doubly exponential.

Statement: at small residual a masked row attends evenly to what it sees. With the causal mask and W_V orthogonal, the Frobenius
distance of all tokens to token 1 is multiplied by a factor that tends to 1/2, whatever the offset, and the tokens line up as
``x_i - x_1 ~ (i - 1) w``. With the window {i, i - 1} the factor tends to 1/2 too, but as ``(1 + (n - 2)/l)/2``: the distance
falls like ``l^(n-2) 2^-l``.

Derivation: the causal mean, ``P_ij = 1/i`` for j <= i, has eigenvalues 1/i; token 1 never changes, so the distance to it
belongs to 1/2, .., 1/n, and ``(i - 1)`` is the eigenvector of 1/2: ``sum_{j<=i} (j - 1)/i = (i - 1)/2``. The window's mean has
1/2 in one Jordan block of size n - 1.

Hypotheses: W_V orthogonal (otherwise its growth multiplies); the residual of the input is small (its effect is in the budget).
Source: derived for this project; exponential collapse under masks: Wu et al., arXiv 2405.18781. Refuted by: another factor.
Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Tokens, collapse, masked_collapse, separated
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.collapse._setting import SCALE, offset, rational, weights
from theory.attention import collapse as exact

CLAIM = Claim(
    slug="causal_collapse_halves",
    title="Under a causal mask the distance to token 1 halves in every layer; under a window of two it takes longer",
    statement=(
        "With a causal mask and orthogonal W_V the distance to token 1 is multiplied by a factor that tends to 1/2 a layer, "
        "with the window {i, i-1} by one like (1 + (n-2)/l)/2: exponential collapse, not cubing."
    ),
    latex=r"\|X_{l+1} - \mathbf 1 x_1^\top\| / \|X_l - \mathbf 1 x_1^\top\| \to \tfrac12,\qquad x_i - x_1 \sim (i-1)\,w",
    relation=Relation.EQUALS,
    source=Source("this project", "stated here first", "exponential collapse under masks: arXiv 2405.18781"),
    assumes=(
        "W_V is the identity or orthogonal",
        "the residual of the input is small: its effect on attention is in the budget",
        "no skip, no norm, no feed-forward part",
    ),
    refuted_by="another factor in any layer, another profile of the tokens",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The mask, whether W_V is the identity or a rotation, whether the tokens share an offset."""

    mask: str = axis("causal", "window")
    value: str = axis("identity", "rotation")
    offset: int = axis(0, 1)
    tokens: int = 6
    width: int = 4
    layers: int = 120
    start: float = 2.0**-40


GRIDS = {"quick": Sizes(), "full": Sizes(tokens=10, layers=300), "paper": Sizes(tokens=16, width=16, layers=600)}


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Token 1, rational differences to it, and one head's weights."""
    profile = rational(7, cell.tokens, cell.width)
    profile[0] = 0 * profile[0]
    shape = (cell.layers, 1, cell.width, cell.width)
    return {
        "offset": offset(cell.offset, cell.width),
        "profile": profile,
        "query_key": np.broadcast_to(rational(8, 1, 1, cell.width, cell.width), shape),
        "value": np.broadcast_to(_value(cell), shape),
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Every layer's factor from the exact mean; its limit, and the profile of the tokens."""
    ratios = exact.distance_ratios(given["profile"], cell.mask, cell.layers)
    left_out = _attention_error(cell, given)
    last = 0.5 if cell.mask == "causal" else 0.5 * (1 + (cell.tokens - 2) / cell.layers)
    rate = Prediction(ratios, of="factor", dims=("layer",), truncation=left_out, resolution=0.01)
    limit = Prediction(
        last, of="last_factor", truncation=left_out + 2 * abs(ratios[-1] - last), resolution=0.05, formula=r"\tfrac12"
    )
    if cell.mask == "window":
        return rate, limit
    line = np.arange(cell.tokens) / np.linalg.norm(np.arange(cell.tokens))
    return rate, limit, Prediction(line, of="profile", dims=("token",), truncation=left_out + 1e-12, resolution=0.01)


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Masked softmax attention, the distance to token 1 rescaled in every layer."""
    layers, start = weights(given["query_key"], given["value"]), _start(cell, given)
    end, factor = masked_collapse(layers, start, float(SCALE), cell.mask)
    lengths = np.linalg.norm(np.asarray(end.direction), axis=1)
    # factors are quotients of numbers of order one; the direction forgets its early roundings
    floor = rounding_floor(10 * cell.tokens * cell.width * cell.tokens, jnp.dtype(float), float(cell.tokens))
    return xr.Dataset(
        {
            "factor": ("layer", np.asarray(factor), {"long_name": "distance to token 1, after / before"}),
            "factor_floor": ((), floor),
            "last_factor": ((), float(factor[-1]), {"long_name": "factor of the last layer"}),
            "last_factor_floor": ((), floor),
            "profile": ("token", lengths, {"long_name": "distance to token 1, normalised"}),
            "profile_floor": ((), floor),
        },
        coords={"layer": np.arange(1, cell.layers + 1), "token": np.arange(1, cell.tokens + 1)},
    )


def _start(cell: Sizes, given: dict[str, np.ndarray]) -> Tokens:
    common, profile = (jnp.asarray(given[name].astype(float)) for name in ("offset", "profile"))
    state = separated(common[None] + profile, common)
    return state._replace(direction=profile / jnp.linalg.norm(profile), log_size=jnp.log(cell.start))


def _value(cell: Sizes) -> np.ndarray:
    """The identity, or an orthogonal matrix with rational entries: the Householder reflection of a rational vector."""
    identity = np.array([[1 if i == j else 0 for j in range(cell.width)] for i in range(cell.width)], dtype=object)
    if cell.value == "identity":
        return identity
    normal = rational(9, cell.width)[:, None]
    return identity - 2 * (normal @ normal.T) / (normal.T @ normal)[0, 0]


def _attention_error(cell: Sizes, given: dict[str, np.ndarray]) -> float:
    """How far attention that is not quite even can move a factor, summed over the layers.

    Logits of a row range over at most D = 2 s |A| (|b| + r) r, so its weights are off by less than e^D - 1 relative; what that
    changes in the direction is carried on by the mean, relative to the direction itself.
    """
    query_key, common = given["query_key"][0, 0].astype(float), given["offset"].astype(float)
    spread = 2 * float(SCALE) * np.linalg.norm(query_key, 2) * (np.linalg.norm(common) + 1) * cell.start
    mean, power = exact.masked_mean(cell.tokens, cell.mask).astype(float)[1:, 1:], np.eye(cell.tokens - 1)
    profile = given["profile"].astype(float)[1:]
    carried, shares = 0.0, np.array([np.linalg.norm(profile)])
    for _ in range(cell.layers):
        power, profile = mean @ power, mean @ profile
        shares = np.append(shares, np.linalg.norm(profile))
        carried = max(carried, np.linalg.norm(power, 2) * shares[0] / shares[-1])
    return float(2 * cell.tokens * cell.layers * carried * np.expm1(spread))


def _third(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(1 / 3, of="last_factor", resolution=0.05)


def _cubic(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    with np.errstate(under="ignore"):
        return Prediction(cell.start ** (2 * 3.0 ** np.arange(cell.layers)), of="factor", dims=("layer",), resolution=0.01)


def _halves(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    return Prediction(0.5, of="last_factor", truncation=0.05)


def _without_mask(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    state = _start(cell, given)
    mean = state.direction.mean(axis=0)
    few = jax.tree.map(lambda w: w[:4], weights(given["query_key"], given["value"]))
    start = state._replace(common=state.common + cell.start * mean, direction=state.direction - mean[None])
    logs = np.asarray(collapse(few, start, float(SCALE))[1].log_frobenius)
    return xr.Dataset({"last_factor": ((), float(np.exp(logs[-1] - logs[-2]))), "last_factor_floor": ((), 1e-12)})


CONTROLS = (
    Control("a third", "the factor tends to 1/3", _third),
    Control("the cubic law", "a masked layer cubes the residual", _cubic),
    Control("no mask", "attention without a mask halves the residual too", _halves, _without_mask),
)
