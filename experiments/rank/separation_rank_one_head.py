r"""Separation rank of linearised attention with one head, exactly: sum_k min(C(m+k-1, k), d C(m+n-k-1, n-k)).

Statement: for width d, L layers of one head, ``n = (3^L - 1)/2``, ``m = d(d+1)/2`` and at least d tokens on each side, the
separation rank of an output coordinate with respect to a split of the tokens into two halves is

    sep(d, L) = sum_{k=0}^{n} min( C(m+k-1, k), d C(m+n-k-1, n-k) ).

Derivation (`theory.attention.separation`): the output is linear in its own token and a form of degree n in the sum of ``x x^T`` over the
tokens; the part of degree k in the other half's sum lies in the product of two spaces with these dimensions. So the upper bound
is proved for all weights. A rank modulo a prime cannot exceed the true one: where it reaches the bound, as in every cell,
equality is proved for generic weights of that width and depth. For widths and depths not tried equality is a conjecture.

Hypotheses: generic weights; enough templates (more than the rank) and tokens (at least d). Source: network and definition of
Levine et al., arXiv 2006.12467; formula derived for this project. Refuted by: another rank. Cost: 10 s on a CPU, (3, 3) a
minute.
"""

import dataclasses
import math

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.rank import _grids
from theory.attention.separation import degree, grid_rank, separation_rank

CLAIM = Claim(
    slug="separation_rank_one_head",
    title="Separation rank of one-head linearised attention: sum_k min(C(m+k-1,k), d C(m+n-k-1,n-k))",
    statement=(
        "L layers of linearised attention of width d with one head have separation rank sum_k min(C(m+k-1,k), d "
        "C(m+n-k-1,n-k)), n = (3^L-1)/2, m = d(d+1)/2, for generic weights."
    ),
    latex=r"\mathrm{sep}(d, L) = \sum_{k=0}^{n} \min\Bigl(\tbinom{m+k-1}{k},\; d\tbinom{m+n-k-1}{n-k}\Bigr),\qquad"
    r" n = \tfrac{3^L-1}{2},\; m = \tfrac{d(d+1)}{2}",
    relation=Relation.EQUALS,
    source=Source(
        "this project",
        "stated here first",
        "network of arXiv 2006.12467",
        "upper bound proved; equality certified cell by cell",
    ),
    assumes=(
        "no softmax, nonlinearity, skip or norm; one head of the full width",
        "generic weights: random residues modulo a prime near 2^31",
        "more templates than the predicted rank, and at least d tokens a side (checked)",
    ),
    refuted_by="a grid of more templates whose rank, modulo either prime, is another number",
    cost="10 s on a CPU at quick size; (3, 3) takes a minute",
    needs_float64=True,
)


FLOAT_LAYERS = 2  # beyond, the degree is 13 and more, and float64 shows no gap


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and depth; cells with ranks beyond ``most`` are left out."""

    width: int = axis(1, 2, 3, 4)
    layers: int = axis(1, 2, 3, 4)
    most: int = 240

    def allows(self) -> bool:
        """Whether the grid is small enough."""
        return separation_rank(self.width, self.layers) <= self.most


GRIDS = {"quick": Sizes(), "full": Sizes(width=axis(1, 2, 3, 4, 5, 6), most=400), "paper": Sizes(most=3200)}


def setting(cell: Sizes) -> dict[str, np.ndarray]:
    """Weights and templates, as residues."""
    return _grids.network(cell.width, cell.layers, 1)


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """The formula; and the exact rank of the very grid that is measured, by another route."""
    value = separation_rank(cell.width, cell.layers)
    templates, tokens, _ = given["left"].shape
    enough = Hypothesis("more templates than the rank and at least d tokens", templates > value and tokens >= cell.width)
    exact = grid_rank(_grids.exact_network(given), given["left"], given["right"])
    found = (
        Prediction(value, of="rank", hypotheses=(enough,), formula=r"\sum_k \min(\cdot,\cdot)"),
        Prediction(exact, of="rank", hypotheses=(enough,), formula="exact rank of the grid"),
    )
    return (*found, Prediction(value, of="float_rank", hypotheses=(enough,))) if cell.layers <= FLOAT_LAYERS else found


def measure(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    """Rank of the grid of templates modulo two primes, and in float64."""
    rank, gap = _grids.measured_float_rank(given, key) if cell.layers <= FLOAT_LAYERS else (0, 0.0)
    return xr.Dataset(
        {
            "rank": ("prime", _grids.measured_ranks(given), {"long_name": "rank modulo a prime"}),
            "float_rank": ((), rank, {"long_name": "singular values before the widest gap"}),
            "float_gap": ((), gap, {"long_name": "that gap", "units": "decades"}),
        },
        coords={"prime": given["primes"]},
    )


def _falsehood(value):
    """A control that predicts this function of the cell, where it differs from the truth."""

    def predicted(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
        number = value(cell)
        return None if number == separation_rank(cell.width, cell.layers) else Prediction(number, of="rank")

    return predicted


def _terms(cell: Sizes, factor: int) -> list[int]:
    n, m = degree(cell.layers), cell.width * (cell.width + 1) // 2
    return [min(math.comb(m + k - 1, k), factor * math.comb(m + n - k - 1, n - k)) for k in range(n + 1)]


def _one_token(cell: Sizes, key: jax.Array, given: dict[str, np.ndarray]) -> xr.Dataset:
    # a token that is zero adds nothing to the sums
    few = given | {name: given[name] * (np.arange(cell.width) == 0)[None, :, None] for name in ("left", "right")}
    return xr.Dataset({"rank": ((), _grids.measured_ranks(few, primes=1)[0])})


def _poor_templates(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    several = cell.width > 1 and cell.layers > 1
    return Prediction(separation_rank(cell.width, cell.layers), of="rank") if several else None


CONTROLS = (
    Control("without the factor d", "the token itself counts once", _falsehood(lambda cell: sum(_terms(cell, 1)))),
    Control("sum to n - 1", "the part of full degree is left out", _falsehood(lambda cell: sum(_terms(cell, cell.width)[:-1]))),
    Control(
        "one layer fewer",
        "the rank is that of L - 1 layers",
        _falsehood(lambda cell: separation_rank(cell.width, cell.layers - 1) if cell.layers > 1 else 1),
    ),
    Control(
        "(d + 1)^n as an equality",
        "the published upper bound (d + H)^n is the rank",
        _falsehood(lambda cell: (cell.width + 1) ** degree(cell.layers)),
    ),
    Control("one token a side", "one token on each side shows the whole rank", _poor_templates, _one_token),
)
