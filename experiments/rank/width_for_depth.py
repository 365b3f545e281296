r"""The width at which fewer layers have as much separation rank: enormous below depth log_3(d^2 + d + 1), small beyond it.

Statement: the least width w at which l < L layers of one-head linearised attention reach the separation rank of L layers of
width d is the least w with ``sep(w, l) >= sep(d, L)``, by the formula of `separation_rank_one_head`. The rank turns at n = m,
depth ``log_3(d^2 + d + 1)``. While ``3^L <= d`` it needs at least ``w(w+1)/2 + 1 >= (2(d+1))^(floor(n_L/2)/n_l)``, doubly
exponential in L - l (`theory.attention.separation.width_floor`, from the formula); beyond the turn the rank is a polynomial in 3^L and a
little width replaces layers.

Derivation: `theory.attention.separation`. Measured: exact ranks of the deep network, of the wide one, and of the wide one with one unit
less, so that the least width is seen from both sides.

Hypotheses: as for `separation_rank_one_head`. It is about separation rank alone: not about learning, nor about realising a
given function.
Source: Levine et al., arXiv 2006.12467 (threshold log_3 d, inside the range where depth pays); the exact width and turn derived
for this project. Refuted by: another least width. Cost: 10 s on a CPU.
"""

import dataclasses
import math

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.rank import _grids
from theory.attention.separation import degree, matching_width, separation_rank, turning_depth

CLAIM = Claim(
    slug="width_for_depth",
    title="Fewer layers need width 17 for 2, 48 for 3; past depth log_3(d^2+d+1) a little width replaces layers",
    statement=(
        "The least width at which l layers have the separation rank of L layers of width d is where the one-head formula says: "
        "doubly exponential in L - l below depth log_3(d^2+d+1), small beyond."
    ),
    latex=r"w^*(d, L, l) = \min\{w : \mathrm{sep}(w, l) \ge \mathrm{sep}(d, L)\},\qquad"
    r" \tfrac{w(w+1)}2 + 1 \ge (2d+2)^{\lfloor n_L/2\rfloor/n_l}\ \text{ for } 3^L \le d",
    relation=Relation.EQUALS,
    source=Source(
        "Levine, Wies, Sharir, Bata, Shashua",
        "Limits to depth efficiencies of self-attention",
        "arXiv 2006.12467",
        "the question and the threshold log_3 d; exact width and turn derived here",
    ),
    assumes=(
        "no softmax, nonlinearity, skip or norm; one head of the full width; generic weights",
        "more templates than the predicted rank, and at least d tokens a side (checked)",
    ),
    refuted_by="a wide network whose rank is another, or one unit narrower that still has the deep network's rank",
    cost="10 s on a CPU at quick size",
    needs_float64=True,
)

CASES = ((2, 2, 1), (2, 3, 2), (1, 4, 2), (1, 5, 3), (3, 2, 1))


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and depth of the deep network, depth of the wide one; ranks by depth go up to ``deepest``."""

    width: int = axis(1, 2, 3)
    layers: int = axis(2, 3, 4, 5)
    shallower: int = axis(1, 2, 3)
    cases: int = 4
    deepest: int = 3

    def allows(self) -> bool:
        """Whether the wide network is small enough."""
        return (self.width, self.layers, self.shallower) in CASES[: self.cases]


GRIDS = {"quick": Sizes(), "full": Sizes(cases=5, deepest=2), "paper": Sizes(cases=5, deepest=2)}


def setting(cell: Sizes) -> dict[str, dict[str, np.ndarray]]:
    """The deep network; the wide one; the wide one less a unit; and one of equal parameters."""
    wide = matching_width(cell.width, cell.layers, cell.shallower)
    by_depth = {f"depth {layers}": _grids.network(cell.width, layers, 1) for layers in _depths(cell)}
    return by_depth | {
        "deep": _grids.network(cell.width, cell.layers, 1),
        "narrower": _grids.network(wide - 1, cell.shallower, 1),
        "wide": _grids.network(wide, cell.shallower, 1),
        "equal": _grids.network(_equal_width(cell), cell.shallower, 1),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All three ranks, and on which side of the deep one they lie."""
    wide = matching_width(cell.width, cell.layers, cell.shallower)
    ranks = (
        separation_rank(cell.width, cell.layers),
        separation_rank(wide - 1, cell.shallower),
        separation_rank(wide, cell.shallower),
    )
    enough = Hypothesis(
        "more templates than the rank", all(len(given[n]["left"]) > r for n, r in zip(NETWORKS, ranks, strict=True))
    )
    return (
        Prediction(ranks, of="rank", dims=("network",), hypotheses=(enough,), formula=r"\mathrm{sep}(w, l)"),
        Prediction((1, 0, 1), of="reaches", dims=("network",), hypotheses=(enough,)),
        Prediction([separation_rank(cell.width, layers) for layers in _depths(cell)], of="by_depth", dims=("layer",)),
        Prediction(
            [_all_forms(cell.width, layers) for layers in _depths(cell)],
            of="by_depth",
            dims=("layer",),
            relation=Relation.AT_MOST,
        ),
    )


NETWORKS = ("deep", "narrower", "wide")


def _all_forms(width: int, layers: int) -> int:
    """Forms of all degrees up to n in m variables, C(m+n, m): a polynomial in n = (3^L - 1)/2."""
    variables = width * (width + 1) // 2
    return math.comb(variables + degree(layers), variables)


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Ranks modulo a prime, and whether they reach the deep network's; ranks by depth at the deep network's width."""
    ranks = np.array([_grids.measured_ranks(given[name], primes=1)[0] for name in NETWORKS])
    return xr.Dataset(
        {
            "rank": ("network", ranks, {"long_name": "rank modulo a prime"}),
            "reaches": ("network", (ranks >= ranks[0]).astype(int), {"long_name": "has the deep network's rank"}),
            "by_depth": (
                "layer",
                [_grids.measured_ranks(given[f"depth {layers}"], primes=1)[0] for layers in _depths(cell)],
                {"long_name": "separation rank"},
            ),
            "by_depth_mark": ((), math.log(cell.width**2 + cell.width + 1, 3), {"long_name": "depth log_3(d² + d + 1)"}),
        },
        coords={"network": list(NETWORKS), "layer": ("layer", list(_depths(cell)), {"long_name": "layers"})},
    )


def _depths(cell: Sizes) -> range:
    return range(1, cell.deepest + 1)


def _equal_width(cell: Sizes) -> int:
    """The width at which fewer layers have as many parameters: L d^2 = l w^2."""
    return math.isqrt(cell.width**2 * cell.layers // cell.shallower)


def _one_less(cell: Sizes, given: dict) -> Prediction:
    return Prediction((1, 1, 1), of="reaches", dims=("network",))


def _linear(cell: Sizes, given: dict) -> Prediction:
    wide = separation_rank(math.ceil(cell.width * cell.layers / cell.shallower), cell.shallower)
    ranks = (separation_rank(cell.width, cell.layers), wide - 1, wide)
    return Prediction(ranks, of="rank", dims=("network",))


def _parameters_decide(cell: Sizes, given: dict) -> Prediction | None:
    """Only where the layers that are taken away begin below the turn."""
    return Prediction(1, of="equal_reaches") if cell.shallower <= turning_depth(cell.width) else None


def _equal_parameters(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    deep, equal = (_grids.measured_ranks(given[name], primes=1)[0] for name in ("deep", "equal"))
    return xr.Dataset({"equal_reaches": ((), int(equal >= deep))})


CONTROLS = (
    Control("one unit less", "the width below the least one is enough too", _one_less),
    Control("width in proportion", "width d L/l has the rank of the least width", _linear, everywhere=False),
    Control("parameters decide", "as many parameters in fewer layers have the rank", _parameters_decide, _equal_parameters),
)
