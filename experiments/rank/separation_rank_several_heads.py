r"""Separation rank of linearised attention with several heads: smaller than with one, in closed form.

Statement: let H heads of size ``a = d/H`` share the width, H >= 2. With ``n = (3^L - 1)/2``, ``t = (3^(L-1) - 1)/2``, ``m =
d(d+1)/2`` and ``mu = d a``, the separation rank of an output coordinate is

    sep(d, L, H) = sum_{k=0}^{n} min_{0 <= s <= t+1} ( R_k(s) + d R_{n-k}(t+1-s) ),
    R_k(s) = sum_{j < s} C(mu+k-j-1, k-j) C(m-mu+j-1, j):   forms of degree k with unseen degree below s.

Derivation (`theory.attention.separation`): the first layer's heads see the token sum through ``mu`` of its m entries only; by induction
the output has degree at most t in the others, so each of its parts is a matrix with a staircase of zeros, which rows and
columns cover in t + 2 ways. The upper bound is proved for all weights; a rank modulo a prime that reaches it proves equality
for generic ones. At L = 1 it is d + 1 for every H, and with mu = m the formula is that of one head.

Hypotheses: generic weights, more templates than the rank, at least d tokens a side. Source: network of Levine et al., arXiv
2006.12467; formula derived for this project. Refuted by: another rank. Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.rank import _grids
from theory.attention.separation import degree, graded_ranks, grid_rank, separation_rank, unseen_degree

CLAIM = Claim(
    slug="separation_rank_several_heads",
    title="Separation rank with several heads: a staircase formula, below that of one head from two layers on",
    statement=(
        "L layers of linearised attention of width d with H >= 2 heads have separation rank sum_k min_s (R_k(s) + d "
        "R_{n-k}(t+1-s)): less than one head for L >= 2 and d + 1 for L = 1."
    ),
    latex=r"\mathrm{sep}(d, L, H) = \sum_{k=0}^{n}\min_{0\le s\le t+1}\bigl(R_k(s) + d\,R_{n-k}(t+1-s)\bigr),\qquad"
    r" R_k(s) = \sum_{j<s}\tbinom{\mu+k-j-1}{k-j}\tbinom{m-\mu+j-1}{j}",
    relation=Relation.EQUALS,
    source=Source(
        "this project",
        "stated here first",
        "network of arXiv 2006.12467",
        "upper bound proved; equality certified cell by cell",
    ),
    assumes=(
        "no softmax, nonlinearity, skip or norm; heads of size d/H, every one with its own four matrices",
        "generic weights: random residues modulo a prime near 2^31",
        "more templates than the predicted rank, and at least d tokens a side (checked)",
    ),
    refuted_by="a grid of more templates whose rank, modulo either prime, is another number",
    cost="10 s on a CPU at quick size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width, heads and depth; cells with ranks beyond ``most`` are left out."""

    width: int = axis(2, 3, 4)
    heads: int = axis(2, 3, 4)
    layers: int = axis(1, 2, 3)
    most: int = 240

    def allows(self) -> bool:
        """Whether the width splits into the heads, and the grid is small enough."""
        return self.width % self.heads == 0 and separation_rank(self.width, self.layers, self.heads) <= self.most


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(width=axis(2, 3, 4, 5, 6), heads=axis(2, 3, 4, 5, 6), most=400),
    "paper": Sizes(width=axis(2, 3, 4, 5, 6, 8), heads=axis(2, 3, 4, 5, 6, 8), most=2500),
}


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Weights and templates, as residues."""
    return _grids.network(cell.width, cell.layers, cell.heads)


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """The formula, and the exact rank of the very grid that is measured, by another route."""
    value = separation_rank(cell.width, cell.layers, cell.heads)
    templates, tokens, _ = given["left"].shape
    enough = Hypothesis("more templates than the rank and at least d tokens", templates > value and tokens >= cell.width)
    exact = grid_rank(_grids.exact_network(given), given["left"], given["right"])
    return (
        Prediction(value, of="rank", hypotheses=(enough,), formula=r"\sum_k \min_s(\cdot)"),
        Prediction(exact, of="rank", hypotheses=(enough,), formula="exact rank of the grid"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes."""
    return xr.Dataset(
        {"rank": ("prime", _grids.measured_ranks(given), {"long_name": "rank modulo a prime"})},
        coords={"prime": given["primes"]},
    )


def _falsehood(value):
    """A control that predicts this function of the cell, where it differs from the truth."""

    def predicted(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
        number = value(cell)
        return None if number == separation_rank(cell.width, cell.layers, cell.heads) else Prediction(number, of="rank")

    return predicted


def _unseen(shift: int):
    """The formula with another bound on the unseen degree."""
    return _falsehood(lambda cell: sum(graded_ranks(cell.width, cell.layers, cell.heads, unseen_degree(cell.layers) + shift)))


CONTROLS = (
    Control(
        "the formula of one head", "heads make no difference", _falsehood(lambda cell: separation_rank(cell.width, cell.layers))
    ),
    Control("one unseen factor more", "the output has degree t + 1 in the unseen variables", _unseen(1)),
    Control(
        "(d + H)^n as an equality",
        "the published upper bound (d + H)^n is the rank",
        _falsehood(lambda cell: (cell.width + cell.heads) ** degree(cell.layers)),
    ),
    Control(
        "one layer fewer",
        "the rank is that of L - 1 layers",
        _falsehood(lambda cell: separation_rank(cell.width, cell.layers - 1, cell.heads) if cell.layers > 1 else 1),
    ),
)
