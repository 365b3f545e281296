r"""The separation rank of linearised attention with several heads is a staircase formula, below that of one head.

Statement: Let H >= 2 heads of size a = d/H share the width d, and split the tokens into two halves of at least d tokens. For L
    layers with generic weights the separation rank of an output coordinate is the sum below, in which R_k(s) counts the forms
    of degree k with unseen degree below s. It is smaller than with one head for L >= 2 and d + 1 for L = 1.
    $$ \mathrm{sep}(d, L, H) = \sum_{k=0}^{n}\min_{0\le s\le t+1}\bigl(R_k(s) + d\,R_{n-k}(t+1-s)\bigr),\qquad
       R_k(s) = \sum_{j<s}\tbinom{\mu+k-j-1}{k-j}\tbinom{m-\mu+j-1}{j},\qquad
       n = \tfrac{3^L-1}{2},\; t = \tfrac{3^{L-1}-1}{2},\; m = \tfrac{d(d+1)}{2},\; \mu = d a $$
Hypotheses: no softmax, nonlinearity, skip or norm, and each head of size d/H has its own four matrices; generic weights, which
    are random residues modulo a prime near 2^31; more templates than the predicted rank, and at least d tokens a side
    (checked).
Source: this project, “theory.attention.separation”, network of arXiv 2006.12467,
    upper bound proved and equality certified cell by cell.
Refuted by: a grid of more templates whose rank, modulo either prime, is another number.
Cost: quick 9 s on one core, full about 50 s.

Derivation: the first layer's heads see only mu of the m entries of the token sum. By induction the output has degree at most t
in the others. So each of its parts is a matrix with a staircase of zeros, which rows and columns cover in t + 2 ways. This
proves the upper bound for all weights. A rank modulo a prime that reaches it proves equality for generic ones. With mu = m the
formula is that of one head.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from theory.attention.linear_attention import LinearAttention, grid_tensor
from theory.attention.separation import degree, graded_ranks, separation_rank, unseen_degree
from theory.attention.templates import SPARE, exact_rank, generic_network
from theory.exact.modular import rank_modulo

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "rank"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width, heads and depth; templates of each half."""

    width: int = axis(2, 3, 4)
    heads: int = axis(2, 3, 4)
    layers: int = axis(1, 2, 3)
    templates: int = 256

    def allows(self) -> bool:
        """Whether the width splits into the heads, and the templates outnumber the rank."""
        if self.width % self.heads:
            return False
        return separation_rank(self.width, self.layers, self.heads) + SPARE <= self.templates


DOMAIN = domain(width=whole(2, 24, quick=7), heads=whole(2, 24, quick=7), layers=whole(1, 5))
GRIDS = {
    "test": Sizes(width=axis(3), heads=axis(3), layers=axis(2), templates=64),
    "quick": Sizes(),
    "full": Sizes(width=axis(2, 3, 4, 5, 6), heads=axis(2, 3, 4, 5, 6), templates=400),
    "paper": Sizes(width=axis(2, 3, 4, 5, 6, 8), heads=axis(2, 3, 4, 5, 6, 8), templates=2500),
}


def objects(cell: Sizes, seed: int) -> dict:
    """A generic network and templates, as residues."""
    given = generic_network(cell.width, cell.layers, cell.heads, cell.templates, seed)
    return given | {"equal": _equal_heads(cell, given["network"])}


def _equal_heads(cell: Sizes, network: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The network with the matrices of its first head in every head."""
    matrices = {name: array[:, :1] for name, array in network.items() if name != "readout"}
    return network | {name: np.repeat(first, cell.heads, axis=1) for name, first in matrices.items()}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The formula; and the exact rank of the same templates, by another route."""
    value = separation_rank(cell.width, cell.layers, cell.heads)
    templates, tokens, _ = given["left"].shape
    enough = Hypothesis("more templates than the rank and at least d tokens", templates > value and tokens >= cell.width)
    network, sides = given["network"], (given["left"], given["right"])
    return (
        Prediction(value, of="rank", hypotheses=(enough,), formula=r"\sum_k \min_s(\cdot)"),
        Prediction(
            exact_rank(network, *sides, given["primes"]),
            of="rank",
            hypotheses=(enough,),
            formula=r"\text{exact rank of templates}",
        ),
        Prediction(_rank_of_one(cell, given), of="rank_of_equal", hypotheses=(enough,)),
        Prediction(
            grid_tensor(LinearAttention(**network), *(side[:4] for side in sides), given["primes"][0]),  # type: ignore[call-arg]
            of="outputs",
            dims=("left", "right"),
        ),
    )


def _rank_of_one(cell: Sizes, given: dict) -> int:
    """The exact rank of the first head alone: H equal heads return H times what it does."""
    own, prime = given["network"], given["primes"][0]
    first = LinearAttention(
        *(own[name][:, :1] for name in ("query", "key", "value")),
        cell.heads * own["output"][:, :1],  # type: ignore[call-arg]
        own["readout"],  # type: ignore[call-arg]
    )
    enough = separation_rank(cell.width, cell.layers, cell.heads) + SPARE
    return rank_modulo(grid_tensor(first, given["left"][:enough], given["right"][:enough], prime), prime)


def _falsehood(name: str, statement: str, value):
    """A rival that predicts this function of the cell, where it differs from the truth."""

    def predicted(cell: Sizes, given: dict) -> Prediction | None:
        number = value(cell)
        return None if number == separation_rank(cell.width, cell.layers, cell.heads) else Prediction(number, of="rank")

    return rival(name, predicted, statement)


def _one_factor_more(cell: Sizes) -> int:
    return sum(graded_ranks(cell.width, cell.layers, cell.heads, unseen_degree(cell.layers) + 1))


CONTROLS = (
    control("equal heads", "heads that share their four matrices have the same rank", instead={"rank": "rank_of_equal"}),
)


RIVALS = (
    _falsehood("the formula of one head", "heads make no difference", lambda cell: separation_rank(cell.width, cell.layers)),
    _falsehood("one unseen factor more", "the output has degree t + 1 in the unseen variables", _one_factor_more),
    _falsehood(
        "(d + H)^n as an equality",
        "the published upper bound (d + H)^n is the rank",
        lambda cell: (cell.width + cell.heads) ** degree(cell.layers),
    ),
    _falsehood(
        "one layer fewer",
        "the rank is that of L - 1 layers",
        lambda cell: separation_rank(cell.width, cell.layers - 1, cell.heads) if cell.layers > 1 else 1,
    ),
)
