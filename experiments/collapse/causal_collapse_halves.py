r"""Under a causal mask the distance to token 1 halves in every layer; under a window of two tokens this takes longer.

Statement: Let W_V be orthogonal and the residual small. Under the causal mask each layer multiplies the Frobenius distance of
    the tokens to token 1 by a factor that tends to 1/2, whatever the offset, and the tokens line up as x_i - x_1 ~ (i - 1) w.
    Under the window {i, i - 1} the factor tends to 1/2 like (1 + (n - 2)/l)/2. So masked collapse is exponential, not doubly
    exponential.
    $$ \|X_{l+1} - \mathbf 1 x_1^\top\| / \|X_l - \mathbf 1 x_1^\top\| \to \tfrac12,\qquad x_i - x_1 \sim (i-1)\,w $$
Hypotheses: W_V is the identity or orthogonal, otherwise its growth multiplies; the residual of the input is small, and its
    effect on attention is in the budget; no skip, norm or feed-forward part.
Source: this project, “theory.attention.collapse”, exponential collapse under masks: arXiv 2405.18781.
Refuted by: another factor in any layer, or another profile of the tokens.
Cost: 5 s on a CPU at every size.

Derivation: at small residual a masked row attends evenly to what it sees. The causal mean, P_ij = 1/i for j <= i, has the
eigenvalues 1/i. Token 1 never changes, so the distance to it belongs to 1/2, .., 1/n. The eigenvector of 1/2 is (i - 1),
because sum_{j<=i} (j - 1)/i = (i - 1)/2. The mean over the window has the eigenvalue 1/2 in one Jordan block of size n - 1:
the distance falls like l^(n-2) 2^-l.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Tokens, Weights, collapse, masked_collapse
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival, scaled
from theory.attention import collapse as exact
from theory.attention.generic import fractions, shared_row
from theory.attention.uneven import factor_error

CLAIM = claim(Relation.EQUALS, needs_float64=True)

SCALE = Fraction(1, 2)  # 1/sqrt(d) of the logits: queries and keys have size 4


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The mask; W_V, the identity or orthogonal; whether the tokens share an offset; the residual of the input."""

    mask: str = axis("causal", "window")
    value: str = axis("identity", "rotation")
    offset: int = axis(0, 1)
    tokens: int = 6
    width: int = 4
    layers: int = 120
    start: float = 2.0**-40


GRIDS = {
    "test": Sizes(value=axis("rotation"), offset=axis(1)),
    "quick": Sizes(),
    "full": Sizes(tokens=10, layers=300),
    "paper": Sizes(tokens=16, width=16, layers=600),
}


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """Token 1, rational differences to it, and one head's weights; W_V may be a Householder reflection, which is rational."""
    profile = fractions(7, cell.tokens, cell.width)
    profile[0] = 0 * profile[0]
    identity, normal = np.eye(cell.width, dtype=int).astype(object), fractions(9, cell.width)
    reflection = identity - 2 * np.outer(normal, normal) / (normal @ normal)
    return {
        "offset": shared_row(cell.width) * cell.offset,
        "profile": profile,
        "query_key": fractions(8, cell.width, cell.width),
        "value": identity if cell.value == "identity" else reflection,
    }


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Every layer's factor from the exact mean; its limit, and the profile of the tokens."""
    ratios = exact.distance_ratios(given["profile"], cell.mask, cell.layers)
    parts = {name: given[name] for name in ("offset", "profile", "query_key")}
    uneven = factor_error(**parts, scale=SCALE, mask=cell.mask, layers=cell.layers, size=cell.start)
    limit = 0.5 if cell.mask == "causal" else 0.5 * (1 + (cell.tokens - 2) / cell.layers)
    after = uneven + 2 * abs(ratios[-1] - limit)
    said = (
        Prediction(ratios, of="factor", dims=("layer",), truncation=uneven, resolution=0.01),
        Prediction(limit, of="last_factor", truncation=after, resolution=0.05, formula=r"\tfrac12"),
    )
    if cell.mask == "window":
        return said
    line = np.arange(cell.tokens) / np.linalg.norm(np.arange(cell.tokens))
    return *said, Prediction(line, of="profile", dims=("token",), truncation=uneven + 1e-12, resolution=0.01)


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Masked softmax attention, the distance to token 1 rescaled in every layer."""
    end, factor = masked_collapse(*_floats(cell, given), float(SCALE), cell.mask)
    lengths = np.linalg.norm(np.asarray(end.direction), axis=1)
    # factors are quotients of numbers of order one; the direction forgets its early roundings
    floor = rounding_floor(10 * cell.tokens * cell.width * cell.tokens, factor.dtype, float(cell.tokens))
    return measured(
        layer=np.arange(1, cell.layers + 1),
        token=np.arange(1, cell.tokens + 1),
        factor=Quantity(factor, "layer", floor=floor, label="distance to token 1, after / before"),
        last_factor=Quantity(factor[-1], floor=floor, label="factor of the last layer"),
        profile=Quantity(lengths, "token", floor=floor, label="distance to token 1, normalised"),
    )


def _floats(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Weights, Tokens]:
    """Every layer's weights, and the tokens as their distances to token 1, of Frobenius norm `start`."""
    common, profile, a, w = (jnp.asarray(given[name].astype(float)) for name in ("offset", "profile", "query_key", "value"))
    a, w = (jnp.broadcast_to(part, (cell.layers, 1, *part.shape)) for part in (a, w))
    return Weights(a, w), Tokens(common, profile / jnp.linalg.norm(profile), jnp.log(cell.start))


def _without_mask(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    layers, state = _floats(cell, given)
    mean = state.direction.mean(axis=0)
    start = state._replace(common=state.common + cell.start * mean, direction=state.direction - mean[None])
    logs = np.asarray(collapse(jax.tree.map(lambda w: w[:4], layers), start, float(SCALE))[1].log_frobenius)
    return measured(last_factor=Quantity(np.exp(logs[-1] - logs[-2]), floor=1e-12))


def _stretched(cell: Sizes) -> dict[str, np.ndarray]:
    given = objects(cell)
    return given | {"value": given["value"] * Fraction(9, 8)}


def _cubing(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction:
    with np.errstate(under="ignore"):
        return Prediction(cell.start ** (2 * 3.0 ** np.arange(cell.layers)), of="factor", dims=("layer",), resolution=0.01)


CONTROLS = (
    control("no mask", "attention without a mask halves the residual too", measure=_without_mask),
    control("W_V not orthogonal", "the factor is the same when W_V stretches by 9/8", objects=_stretched),
)
RIVALS = (
    scaled(2 / 3, of="last_factor", name="a third", statement="the factor tends to 1/3"),
    rival("the cubic law", _cubing, "a masked layer cubes the residual"),
)
