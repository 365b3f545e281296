r"""One layer of width 17 matches two of width 2 in separation rank; past depth log_3(d^2+d+1) a little width replaces layers.

Statement: The least width w* at which l < L layers of one-head linearised attention reach the separation rank of L layers of
    width d is the least w with sep(w, l) >= sep(d, L), by the formula of `separation_rank_one_head`: 17 for two layers of width
    2 in one, 6 for three in two; 3 and 2 for width 1. At depth log_3(d^2 + d + 1) the degree n_L passes the number of
    variables, d (d + 1) / 2. Past it the rank is at most the number of forms of this degree in them, a polynomial in 3^L, and a
    little width replaces layers.
    $$ w^*(d, L, l) = \min\{w : \mathrm{sep}(w, l) \ge \mathrm{sep}(d, L)\},\qquad
       \mathrm{sep}(d, L) \le \binom{d(d+1)/2 + n_L}{n_L},\ n_L = \tfrac{3^L-1}{2} $$
Hypotheses: no softmax, nonlinearity, skip or norm, one head of the full width, generic weights; more templates than the
    predicted rank, and at least d tokens a side (checked).
Source: Levine, Wies, Sharir, Bata, Shashua, “Limits to depth efficiencies of self-attention”, arXiv 2006.12467,
    the question and the threshold log_3 d (exact width and turn derived here).
Refuted by: a wide network whose rank is another, one unit narrower that still has the deep network's rank, or
    a degree that passes the number of variables at another depth.
Cost: quick 10 s on one core, full about 25 s.

Measured are exact ranks of the deep network, of a wide one and of one with one unit less, so the least width is seen from both
sides. These are small networks. That w* is doubly exponential in L - l while 3^L <= d follows from the formula, and is not part
of what is judged: the first case, two layers of width 9, needs one layer of width 1494. The claim is about separation rank
alone. It says nothing of learning, nor of realising a given function.

Derivation: `theory.attention.separation`, where `width_floor` is the doubly exponential bound that is not judged.
"""

import dataclasses
import math

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, scaled, whole
from experiments.rank.width_for_depth.common import NETWORKS, SMALL, WIDTHS
from theory.attention.linear_attention import LinearAttention
from theory.attention.separation import degree, matching_width, separation_rank, turning_depth
from theory.attention.templates import SPARE, generic_network

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and depth of the deep network, depth of the wide one; ranks by depth go up to ``deepest``."""

    width: int = axis(2)
    layers: int = axis(2, 3)
    shallower: int = axis(1, 2)
    widest: int = 20
    deepest: int = 3
    templates: int = 400

    def allows(self) -> bool:
        """Whether the layers are fewer, the wide network is no wider than ``widest``, and the templates outnumber the ranks."""
        if self.shallower >= self.layers or not self._seen(self.width, self.layers):
            return False
        return self.tried <= self.widest and self._seen(self.tried, self.shallower)

    @property
    def tried(self) -> int:
        """Width of the wide network: the least that should do, so that a unit less should not."""
        return matching_width(self.width, self.layers, self.shallower)

    @property
    def depths(self) -> tuple[int, ...]:
        """Depths of the networks whose rank is followed by depth."""
        return tuple(layers for layers in range(1, self.deepest + 1) if self._seen(self.width, layers))

    def _seen(self, width: int, layers: int) -> bool:
        return separation_rank(width, layers) + SPARE <= self.templates


DOMAIN = domain(width=whole(1, 4), layers=whole(2, 6), shallower=whole(1, 5))
GRIDS = {
    "test": Sizes(layers=axis(2), shallower=axis(1), deepest=2, templates=64),
    "quick": Sizes(),
    "full": Sizes(width=axis(1, 2, 3), layers=axis(2, 3, 4, 5), shallower=axis(1, 2, 3), widest=60, deepest=2),
    "paper": Sizes(width=axis(1, 2, 3), layers=axis(2, 3, 4, 5), shallower=axis(1, 2, 3), widest=400, deepest=2),
}


def objects(cell: Sizes, seed: int) -> dict[str, dict]:
    """The deep network; the wide one; the wide one less a unit; one of equal parameters, L d^2 = l w^2; by depth; by width."""
    sizes = {
        "deep": (cell.width, cell.layers),
        "narrower": (cell.tried - 1, cell.shallower),
        "wide": (cell.tried, cell.shallower),
        "equal": (math.isqrt(cell.width**2 * cell.layers // cell.shallower), cell.shallower),
    }
    sizes |= {f"depth {layers}": (cell.width, layers) for layers in cell.depths}
    networks = {
        name: generic_network(width, layers, 1, cell.templates, seed + 2 * index)
        for index, (name, (width, layers)) in enumerate(sizes.items())
    }
    return networks | {f"width {width}": generic_network(width, 2, 1, SMALL, seed) for width in WIDTHS}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All three ranks and on which side of the deep one they lie; the rank by depth and a bound on it; the turn by width."""
    ranks = [separation_rank(*LinearAttention(**given[name]["network"]).shape) for name in NETWORKS]
    by_depth = [separation_rank(cell.width, layers) for layers in cell.depths]
    enough = (Hypothesis("more templates than the rank", cell.templates > max(*ranks, *by_depth)),)
    # forms of all degrees up to n in m variables: a polynomial in n = (3^L - 1)/2
    variables = cell.width * (cell.width + 1) // 2
    forms = [math.comb(variables + degree(layers), variables) for layers in cell.depths]
    return (
        Prediction(ranks, of="rank", dims=("network",), hypotheses=enough, formula=r"\mathrm{sep}(w, l)"),
        dataclasses.replace(_reaches(cell, matching_width(cell.width, cell.layers, cell.shallower)), hypotheses=enough),
        Prediction(by_depth, of="by_depth", dims=("layer",), hypotheses=enough),
        Prediction(forms, of="by_depth", dims=("layer",), relation=Relation.AT_MOST),
        Prediction([turning_depth(width) for width in WIDTHS], of="turn", dims=("tried",), formula=r"\log_3(d^2 + d + 1)"),
    )


def _reaches(cell: Sizes, least: int) -> Prediction:
    """Which networks have the rank of the deep one, if this is the least width that does."""
    return Prediction((1, int(cell.tried - 1 >= least), int(cell.tried >= least)), of="reaches", dims=("network",))


def _parameters_decide(cell: Sizes, given: dict) -> Prediction | None:
    """Only where the layers that are taken away begin below the turn."""
    return Prediction(1, of="equal_reaches") if cell.shallower <= turning_depth(cell.width) else None


def _of_equal_parameters(cell: Sizes, given: dict) -> Prediction:
    """The rank of the widest network of this depth with no more parameters than the deep one, and that of the deep one."""
    budget = cell.layers * cell.width**2
    widest = max(width for width in range(1, budget + 1) if cell.shallower * width**2 <= budget)
    ranks = [separation_rank(widest, cell.shallower), separation_rank(cell.width, cell.layers)]
    enough = Hypothesis("more templates than the rank", cell.templates > max(ranks))
    return Prediction(ranks, of="compared", dims=("of",), hypotheses=(enough,))


CONTROLS = (
    control(
        "parameters decide",
        "as many parameters in fewer layers have the rank",
        measure="equal_parameters",
        predict=_parameters_decide,
        finds=_of_equal_parameters,
    ),
)


RIVALS = (
    scaled(math.log(3, 2), of="turn", name="a turn in powers of two", statement="the turn is at depth log_2(d^2 + d + 1)"),
    rival("one unit less", lambda cell, given: _reaches(cell, cell.tried - 1), "the width below the least one is enough too"),
    rival(
        "width in proportion",
        lambda cell, given: _reaches(cell, math.ceil(cell.width * cell.layers / cell.shallower)),
        "width d L/l is enough",
        everywhere=False,
    ),
)
