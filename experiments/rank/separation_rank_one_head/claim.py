r"""The separation rank of one-head linearised attention is sum_k min(C(m+k-1,k), d C(m+n-k-1,n-k)).

Statement: Split the tokens into two halves of at least d tokens. For L layers of linearised attention of width d with one head
    and generic weights, the separation rank of an output coordinate with respect to this split is the sum below.
    $$ \mathrm{sep}(d, L) = \sum_{k=0}^{n} \min\Bigl(\tbinom{m+k-1}{k},\; d\tbinom{m+n-k-1}{n-k}\Bigr),\qquad
       n = \tfrac{3^L-1}{2},\; m = \tfrac{d(d+1)}{2} $$
Hypotheses: no softmax, nonlinearity, skip or norm, and one head of the full width; generic weights, which are random residues
    modulo a prime near 2^31; more templates than the predicted rank, and at least d tokens a side (checked).
Source: this project, “theory.attention.separation”, network of arXiv 2006.12467,
    upper bound proved and equality certified cell by cell.
Refuted by: a grid of more templates whose rank, modulo either prime, is another number.
Cost: quick 9 s on one core, full about a minute; the cell (3, 3) of the size paper takes a minute.

Derivation: the output is linear in its own token and a form of degree n in the sum of x x^T over the tokens. Its part of degree
k in the other half's sum lies in the product of two spaces with these dimensions, which proves the upper bound for all weights.
A rank modulo a prime cannot exceed the true one. Where it reaches the bound, as in every cell, equality is proved for generic
weights of that width and depth. For others, among them all those with more rank than templates, equality is a conjecture.
"""

import dataclasses
import math

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.rank.separation_rank_one_head.common import FLOAT_LAYERS, SHOWN
from theory.attention.linear_attention import LinearAttention, grid_tensor
from theory.attention.separation import degree, separation_rank
from theory.attention.templates import SPARE, exact_rank, generic_network

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and depth; templates of each half."""

    width: int = axis(1, 2, 3, 4)
    layers: int = axis(1, 2, 3, 4)
    templates: int = 256

    def allows(self) -> bool:
        """Whether the templates outnumber the rank."""
        return separation_rank(self.width, self.layers) + SPARE <= self.templates


DOMAIN = domain(width=whole(1, 24, quick=6), layers=whole(1, 6))
GRIDS = {
    "test": Sizes(width=axis(3), layers=axis(2), templates=64),
    "quick": Sizes(),
    "full": Sizes(width=axis(1, 2, 3, 4, 5, 6), templates=400),
    "paper": Sizes(templates=3200),
}


def objects(cell: Sizes, seed: int) -> dict:
    """A generic network and templates, as residues."""
    return generic_network(cell.width, cell.layers, 1, cell.templates, seed)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The formula; and the exact rank and first outputs of the same templates, by another route."""
    value = separation_rank(cell.width, cell.layers)
    templates, tokens, _ = given["left"].shape
    enough = Hypothesis("more templates than the rank and at least d tokens", templates > value and tokens >= cell.width)
    said = [
        Prediction(value, of="rank", hypotheses=(enough,), formula=r"\sum_k \min(\cdot,\cdot)"),
        Prediction(exact_rank(**given), of="rank", hypotheses=(enough,), formula=r"\text{exact rank of templates}"),
        _outputs(cell, given),
    ]
    return *said, *([Prediction(value, of="float_rank", hypotheses=(enough,))] if cell.layers <= FLOAT_LAYERS else [])


def _outputs(cell: Sizes, given: dict) -> Prediction:
    left, right = (given[half][:SHOWN] for half in ("left", "right"))
    values = grid_tensor(LinearAttention(**given["network"]), left, right, given["primes"][0])
    return Prediction(values, of="outputs", dims=("left", "right"))


def _falsehood(name: str, statement: str, value):
    """A rival that predicts this function of the cell, where it differs from the truth."""

    def predicted(cell: Sizes, given: dict) -> Prediction | None:
        number = value(cell)
        return None if number == separation_rank(cell.width, cell.layers) else Prediction(number, of="rank")

    return rival(name, predicted, statement)


def _terms(cell: Sizes, factor: int) -> list[int]:
    n, m = degree(cell.layers), cell.width * (cell.width + 1) // 2
    return [min(math.comb(m + k - 1, k), factor * math.comb(m + n - k - 1, n - k)) for k in range(n + 1)]


def _one_token(cell: Sizes, seed: int) -> dict:
    """All tokens but the first are zero, which adds nothing to the sums."""
    given, first = objects(cell, seed), (np.arange(cell.width) == 0)[None, :, None]
    return given | {half: given[half] * first for half in ("left", "right")}


def _of_one_token(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exact rank and outputs of the templates that are left."""
    return Prediction(exact_rank(**given), of="rank"), _outputs(cell, given)


def _of_exchanged(cell: Sizes, given: dict) -> Prediction:
    """The exact outputs of the network whose queries are its keys, and whose keys are its queries."""
    network = given["network"]
    return _outputs(cell, given | {"network": network | {"query": network["key"], "key": network["query"]}})


CONTROLS = (
    control(
        "one token a side",
        "one token on each side shows the whole rank",
        objects=_one_token,
        finds=_of_one_token,
        predict=lambda cell, given: predict(cell, given)[0] if cell.width > 1 and cell.layers > 1 else None,
    ),
    control(
        "queries and keys exchanged",
        "the outputs stay when queries and keys are exchanged",
        measure="exchanged",
        finds=_of_exchanged,
        predict=lambda cell, given: _outputs(cell, given) if cell.width > 1 else None,
    ),
)


RIVALS = (
    _falsehood("without the factor d", "the token itself counts once", lambda cell: sum(_terms(cell, 1))),
    _falsehood("sum to n - 1", "the part of full degree is left out", lambda cell: sum(_terms(cell, cell.width)[:-1])),
    _falsehood(
        "one layer fewer",
        "the rank is that of L - 1 layers",
        lambda cell: separation_rank(cell.width, cell.layers - 1) if cell.layers > 1 else 1,
    ),
    _falsehood(
        "(d + 1)^n as an equality",
        "the published upper bound (d + H)^n is the rank",
        lambda cell: (cell.width + 1) ** degree(cell.layers),
    ),
)
