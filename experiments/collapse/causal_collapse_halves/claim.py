r"""Under a causal mask the distance to token 1 halves in every layer; under a window of two tokens this takes longer.

Statement: Let every W_V be orthogonal and all query-key matrices bounded, and start from any tokens. Under the causal mask the
    factor by which a layer multiplies the Frobenius distance to token 1 tends to 1/2, and the tokens line up as
    x_i - x_1 ~ (i - 1) w. Under the window {i, i - 1} the factor of layer l is (1 + (n - 2)/l)/2 + O(1/l^2). So masked collapse
    is exponential, not doubly exponential. From a small start every layer's factor is that of an exact mean.
    $$ \frac{\|X_{l+1} - \mathbf 1 x_1^\top\|}{\|X_l - \mathbf 1 x_1^\top\|} \to \tfrac12 \text{ (causal)},\qquad
       \tfrac12 + \tfrac{n-2}{2l} + O(l^{-2}) \text{ (window)},\qquad x_i - x_1 \sim (i-1)\,w $$
Hypotheses: every layer draws its own W_V, a reflection, and its own A with |A|_2 <= 1; W_V with growth multiplies the factor;
    no skip, norm or feed-forward part; enough layers for the start (a bound on what is left is in the budget).
Source: this project, “experiments.collapse.causal_collapse_halves.masks”, exponential collapse under masks: arXiv 2405.18781.
Refuted by: a last factor other than 1/2, another 1/l term, another profile of the tokens, or another factor of an early layer.
Cost: quick 5 s on one core, full about 15 s.

Derivation: `masks` for even attention. `uneven` bounds the way there from any start: token 2
never stops moving towards token 1, so distances fall, attention becomes even, and what is off the line falls like (2/3)^l.
The time until then is exponential in the logits of the start, so the start is bounded here.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.collapse.causal_collapse_halves import masks
from experiments.collapse.causal_collapse_halves.common import MOST, SCALE, padded, scaled_start
from experiments.collapse.causal_collapse_halves.uneven import factor_error, settling, spread
from theory.attention.generic import fractions

CLAIM = claim(Relation.EQUALS, needs_float64=True)


SMALL = 1e-12  # a start at which attention is even to all digits that are judged


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The mask; tokens; the largest distance of a token to token 1 at the start; layers, and those judged one by one."""

    mask: str = axis("causal", "window")
    tokens: int = axis(3, 6)
    start: float = axis(SMALL, 1.0, 1.5)
    width: int = 4
    early: int = 48
    layers: int = 4096


DOMAIN = domain(tokens=whole(3, MOST), start=among(SMALL, 0.5, 1.0, 1.25, 1.5), width=whole(2, 8, quick=5))
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
    said, profile = [Prediction(cell.layers, of="layers_run")], given["profile"]
    offset = float(np.linalg.norm(given["offset"].astype(float)))
    if cell.start == SMALL:
        error = factor_error(profile, spread(offset, cell.start, 1.0, SCALE), cell.mask, cell.early)
        ratios = masks.distance_ratios(profile, cell.mask, cell.early)
        said.append(Prediction(ratios, of="factor", dims=("layer",), truncation=error, resolution=0.01))
    if cell.mask == "window":
        excess = float(masks.factor_excess(cell.tokens))
        formula = r"\tfrac{n-2}{2l}"
        return *said, Prediction(1, of="excess", relation=Relation.ORDER, constant=excess, formula=formula)
    rest = settling(scaled_start(profile, cell.start), offset, 1.0, SCALE, cell.layers)
    line = padded(np.arange(cell.tokens) / np.linalg.norm(np.arange(cell.tokens)))
    return (
        *said,
        Prediction(0.5, of="last_factor", truncation=rest, resolution=0.01, formula=r"\tfrac12"),
        Prediction(line, of="profile", dims=("token",), truncation=rest, resolution=0.01),
    )


def _cubing(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    if cell.start != SMALL:
        return None
    with np.errstate(under="ignore"):
        return Prediction(cell.start ** (2 * 3.0 ** np.arange(cell.early)), of="factor", dims=("layer",), resolution=0.01)


def _under_the_other(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """What the claim says of the other mask."""
    return predict(dataclasses.replace(cell, mask="window" if cell.mask == "causal" else "causal"), given)


def _stretched(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Factors 9/8 times as large; distances and token 1 grow by 9/8 a layer at most, and so do logits by its square."""
    said = [Prediction(cell.layers, of="layers_run")]
    if cell.start == SMALL:
        grown, offset = (9 / 8) ** cell.early, float(np.linalg.norm(given["offset"].astype(float)))
        error = factor_error(given["profile"], spread(grown * offset, grown * cell.start, 1.0, SCALE), cell.mask, cell.early)
        ratios = 9 / 8 * masks.distance_ratios(given["profile"], cell.mask, cell.early)
        said.append(Prediction(ratios, of="factor", dims=("layer",), truncation=9 / 8 * error, resolution=0.01))
    return tuple(said)


def _cubed(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    """The logarithms of four residuals by the cubic law R R^T R s / n, where A = W_V = I; the next term is a share of R."""
    if cell.start != SMALL:
        return None
    start = scaled_start(given["profile"], cell.start)
    direction, log, logs = start - start.mean(axis=0), 0.0, []
    for _ in range(4):
        size = np.linalg.norm(direction)
        direction, log = direction / size, log + np.log(size)
        direction, log = direction @ direction.T @ direction * (SCALE / cell.tokens), 3 * log
        logs.append(-(log + np.log(np.linalg.norm(direction))))
    return Prediction(np.array(logs), of="decay", dims=("cubed",), truncation=1e-9 * np.array(logs), resolution=0.01 * logs[0])


CONTROLS = (
    control("the other mask", "causal mask and window have the same factors", measure="other_mask", finds=_under_the_other),
    control(
        "W_V not orthogonal",
        "the factor is the same if W_V stretches by 9/8",
        measure="w_v_not_orthogonal",
        finds=_stretched,
    ),
    control("no mask", "attention without a mask halves the residual too", measure="without_mask", finds=_cubed),
)


RIVALS = (
    scaled(2 / 3, of="last_factor", name="a third", statement="the factor tends to 1/3"),
    scaled(0.9, of="constant", name="ten percent less at 1/l", statement="the 1/l term is 10 percent smaller"),
    off_by(+1, of="excess", name="1/l^2", statement="the window's factor tends to 1/2 like 1/l^2"),
    rival("the cubic law", _cubing, "a masked layer cubes the residual"),
)
