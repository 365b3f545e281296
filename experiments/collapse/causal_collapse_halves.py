r"""Under a causal mask the distance to token 1 halves in every layer; under a window of two tokens this takes longer.

Statement: Let every W_V be orthogonal and all query-key matrices bounded, and start from any tokens. Under the causal mask the
    factor by which a layer multiplies the Frobenius distance to token 1 tends to 1/2, and the tokens line up as
    x_i - x_1 ~ (i - 1) w. Under the window {i, i - 1} the factor of layer l is (1 + (n - 2)/l)/2 + O(1/l^2). So masked collapse
    is exponential, not doubly exponential. From a small start every layer's factor is that of an exact mean.
    $$ \frac{\|X_{l+1} - \mathbf 1 x_1^\top\|}{\|X_l - \mathbf 1 x_1^\top\|} \to \tfrac12 \text{ (causal)},\qquad
       \tfrac12 + \tfrac{n-2}{2l} + O(l^{-2}) \text{ (window)},\qquad x_i - x_1 \sim (i-1)\,w $$
Hypotheses: every layer draws its own W_V, a reflection, and its own A with |A|_2 <= 1; W_V with growth multiplies the factor;
    no skip, norm or feed-forward part; enough layers for the start (a bound on what is left is in the budget).
Source: this project, “theory.attention.masks”, exponential collapse under masks: arXiv 2405.18781.
Refuted by: a last factor other than 1/2, another 1/l term, another profile of the tokens, or another factor of an early layer.
Cost: quick 5 s on one core, full about 15 s.

Derivation: `theory.attention.masks` for even attention. `theory.attention.uneven` bounds the way there from any start: token 2
never stops moving towards token 1, so distances fall, attention becomes even, and what is off the line falls like (2/3)^l.
The time until then is exponential in the logits of the start, so the start is bounded here.
"""

import dataclasses
from fractions import Fraction
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.collapse import Tokens, Weights, collapse, masked_collapse
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival, scaled
from theory.attention import masks
from theory.attention.generic import fractions
from theory.attention.uneven import factor_error, settling, spread

CLAIM = claim(Relation.EQUALS, needs_float64=True)

SCALE = 0.5  # 1/sqrt(d) of the logits: queries and keys have size 4
SMALL = 1e-12  # a start at which attention is even to all digits that are judged
MOST = 10  # tokens of any size


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The mask; tokens; the largest distance of a token to token 1 at the start; layers, and those judged one by one."""

    mask: str = axis("causal", "window")
    tokens: int = axis(3, 6)
    start: float = axis(SMALL, 1.0, 1.5)
    width: int = 4
    early: int = 48
    layers: int = 4096


GRIDS = {
    "test": Sizes(tokens=axis(4), start=axis(SMALL, 1.0), layers=1024),
    "quick": Sizes(),
    "full": Sizes(tokens=axis(3, 6, 8), layers=5120),  # a control grows by 9/8 in each layer
    "paper": Sizes(tokens=axis(3, 6, 10), width=16, layers=5120),
}


def objects(cell: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Token 1, and rational differences to it up to a factor."""
    profile = fractions(seed, cell.tokens, cell.width)
    profile[0] = 0 * profile[0]
    # token 2 differs from token 1
    profile[1, 0] = Fraction(1)
    return {"offset": fractions(seed + 1, cell.width), "profile": profile}


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Early factors from the exact mean; the limit with its 1/l term, and the profile of the tokens."""
    said, profile = [], given["profile"]
    offset = float(np.linalg.norm(given["offset"].astype(float)))
    if cell.start == SMALL:
        error = factor_error(profile, spread(offset, cell.start, 1.0, SCALE), cell.mask, cell.early)
        ratios = masks.distance_ratios(profile, cell.mask, cell.early)
        said.append(Prediction(ratios, of="factor", dims=("layer",), truncation=error, resolution=0.01))
    if cell.mask == "window":
        excess = float(masks.factor_excess(cell.tokens))
        formula = r"\tfrac{n-2}{2l}"
        return *said, Prediction(1, of="excess", relation=Relation.ORDER, constant=excess, formula=formula)
    rest = settling(_scaled(cell, profile), offset, 1.0, SCALE, cell.layers)
    line = _padded(np.arange(cell.tokens) / np.linalg.norm(np.arange(cell.tokens)))
    return (
        *said,
        Prediction(0.5, of="last_factor", truncation=rest, resolution=0.01, formula=r"\tfrac12"),
        Prediction(line, of="profile", dims=("token",), truncation=rest, resolution=0.01),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Masked softmax attention, the distance to token 1 rescaled in every layer."""
    return _measured(cell, key, given)


def _measured(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray], mask: str = "", stretch: float = 1.0) -> xr.Dataset:
    """The same under another mask, or with values that stretch."""
    end, factor = map(
        np.asarray, jax.tree.leaves(masked_collapse(*_drawn(cell, key, given, stretch), SCALE, mask or cell.mask))[1:4:2]
    )
    lengths = _padded(np.linalg.norm(end, axis=1))
    # factors are quotients of numbers of order one; under the window a direction carries its roundings along
    floor = rounding_floor(10 * cell.tokens * cell.width * cell.tokens, factor.dtype, float(cell.tokens))
    at = 2 ** np.arange(3, int(np.log2(cell.layers)) + 1)
    return measured(
        layer=np.arange(1, cell.early + 1),
        token=np.arange(1, MOST + 1),
        step=Quantity(1.0 / at, "step", label="1/layer"),
        factor=Quantity(factor[: cell.early], "layer", floor=floor, label="distance to token 1, after / before"),
        excess=Quantity(factor[at - 1] - 0.5, "step", floor=floor * np.sqrt(at), label="factor of a layer minus 1/2"),
        last_factor=Quantity(factor[-1], floor=floor, label="factor of the last layer"),
        profile=Quantity(lengths, "token", floor=floor, label="distance to token 1, normalised"),
    )


def _drawn(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray], stretch: float) -> tuple[Weights, Tokens]:
    """Every layer's weights, and the tokens as their distances to token 1."""
    start = jnp.asarray(_scaled(cell, given["profile"]))
    size = jnp.linalg.norm(start)
    common = jnp.asarray(given["offset"].astype(float))
    return _weights(key, jnp.asarray(stretch), cell.layers, cell.width), Tokens(common, start / size, jnp.log(size))


@partial(jax.jit, static_argnums=(2, 3))
def _weights(key: jax.Array, stretch: jax.Array, layers: int, width: int) -> Weights:
    """Values that are reflections; query-key matrices between two reflections, with singular values up to 1."""
    normal = jax.random.normal(key, (3, layers, 1, width))
    normal = normal / jnp.linalg.norm(normal, axis=-1, keepdims=True)
    left, right, value = jnp.eye(width)[None, None, None] - 2 * normal[..., :, None] * normal[..., None, :]
    singular = jax.random.uniform(jax.random.fold_in(key, 1), (layers, 1, 1, width))
    return Weights(jnp.matmul(left * singular, right), stretch * value)


def _scaled(cell: Sizes, profile: np.ndarray) -> np.ndarray:
    differences = profile.astype(float)
    return differences * (cell.start / np.linalg.norm(differences, axis=1).max())


def _padded(profile: np.ndarray) -> np.ndarray:
    return np.pad(profile, (0, MOST - len(profile)))


def _without_mask(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    layers, state = _drawn(dataclasses.replace(cell, layers=4), key, given, 1.0)
    mean = state.direction.mean(axis=0)
    start = state._replace(common=state.common + jnp.exp(state.log_size) * mean, direction=state.direction - mean[None])
    logs = np.asarray(collapse(layers, start, SCALE)[1].log_frobenius)
    floor = rounding_floor(10 * cell.tokens * cell.width, logs.dtype, float(np.abs(logs[-1])))
    return measured(last_factor=Quantity(np.exp(logs[-1] - logs[-2]), floor=floor))


def _other_mask(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    return _measured(cell, key, given, mask="window" if cell.mask == "causal" else "causal")


def _cubing(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    if cell.start != SMALL:
        return None
    with np.errstate(under="ignore"):
        return Prediction(cell.start ** (2 * 3.0 ** np.arange(cell.early)), of="factor", dims=("layer",), resolution=0.01)


CONTROLS = (
    control("the other mask", "causal mask and window have the same factors", measure=_other_mask),
    control("W_V not orthogonal", "the factor is the same if W_V stretches by 9/8", measure=partial(_measured, stretch=9 / 8)),
    control("no mask", "attention without a mask halves the residual too", measure=_without_mask),
)
RIVALS = (
    scaled(2 / 3, of="last_factor", name="a third", statement="the factor tends to 1/3"),
    scaled(0.9, of="constant", name="ten percent less at 1/l", statement="the 1/l term is 10 percent smaller"),
    off_by(+1, of="excess", name="1/l^2", statement="the window's factor tends to 1/2 like 1/l^2"),
    rival("the cubic law", _cubing, "a masked layer cubes the residual"),
)
