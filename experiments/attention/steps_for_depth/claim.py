r"""L layers answer hop_k after writing ceil(k / (2^(L-1) - 1)) - 1 tokens, and one layer multiplies in S5 by writing.

Statement: Explicit softmax weights of L layers, one head each, write the name of a position c times and then answer. They
    reach the hops of c + 1 passes, R = 2^(L-1) - 1 each: after c tokens they answer hop_(c R + 1), ..., hop_((c + 1) R). One
    layer that writes states answers with the product of a word of T elements of S5 after T - 1 tokens and not before.
    $$ c(k, L) = \lceil k / (2^{L-1} - 1) \rceil - 1 $$
Hypotheses: layer 1 has a strict mask; the sharpness exceeds ln(4 N), and N^2 fits the mantissa; retrieved numbers are rounded
    in every layer; a written token names a position of the word or a state; words are long enough
    for the hops.
Source: this project, “derived in theory.attention.steps”; the layers of one pass: Sanford, Hsu, Telgarsky, arXiv 2402.09268;
    that written steps add power: Merrill, Sabharwal, arXiv 2310.07923.
Refuted by: a k up to 64 that is answered wrongly on some word after c(k, L) tokens, or rightly on all words after fewer or
    more; a product of T elements that is wrong after T - 1 written states, or right on all words after fewer.
Cost: quick 20 s on one core, full about 3 min.

The pointer that a pass ends with is written, and the written position starts with it. The letter runs one layer behind the
pointer, so the first pass leads by one hop what all later passes lose: c + 1 passes reach exactly (c + 1) R hops. "Fewer"
means fewer of this construction; no lower bound on written tokens is claimed. Words are 32, so that a network with a token too
few is hardly right on all of them by chance.
"""

import dataclasses
import math
from itertools import pairwise

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from theory import bounds
from theory.attention.hops import hop_reach
from theory.attention.steps import state_steps, steps_reach
from theory.groups import group
from theory.groups.subgroups import generated

CLAIM = claim(Relation.EQUALS)
HEADLINE = "tokens"

FAR = (7, 100), (8, 1000), (9, 4080), (9, 4081), (10, 100_000), (12, 1_000_000)  # layers and hops beyond those that are run
GENERATORS = 1, 7  # places of two elements that generate S5 in its table


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Layers, hops 1 to ``largest``, tokens that are written; letters, length and number of words; factors of a product."""

    layers: int = axis(3, 6)
    largest: int = 64
    written: int = 22
    alphabet: int = 3
    length: int = 176
    words: int = 32
    factors: int = 16


DOMAIN = domain(
    layers=whole(2, 7, quick=4),
    largest=whole(4, 64, quick=24),
    alphabet=whole(3, 5),
    length=whole(30, 512, quick=160),
    factors=whole(3, 64, quick=16, test=6),
    where={
        "some numbers of hops take a token, and none more than are written": lambda cell: (
            hop_reach(cell.layers) < cell.largest <= hop_reach(cell.layers) * (cell.written + 1)
        ),
        "a word is long enough for the hops": lambda cell: cell.length >= 2 * (cell.alphabet - 1) * cell.largest,
    },
    counts={"quick": 1, "full": 6},
)
GRIDS = {
    "test": Sizes(layers=axis(3), largest=8, written=4, length=40, factors=4),
    "quick": Sizes(),
    "full": Sizes(layers=axis(2, 3, 4, 5, 6, 7), written=64, words=64, factors=64),
    "paper": Sizes(layers=axis(2, 3, 4, 5, 6, 7), written=64, alphabet=4, length=512, words=256, factors=256),
}


def objects(cell: Sizes) -> np.ndarray:
    """Products in S5 with the letters as factors: table[element, letter], element 0 the identity."""
    return np.asarray(group("S5").table)[:, GENERATORS]


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """The least tokens of every k, which k are answered after how many, and when a product is."""
    reach = [0, *(steps_reach(cell.layers, written) for written in range(cell.written + 1))]
    right = [[low < k <= high for k in _hops(cell)] for low, high in pairwise(reach)]
    tokens = [bounds.written_steps(k, cell.layers).at() for k in _hops(cell)]
    last, size = state_steps(cell.factors), len(generated(group("S5"), GENERATORS))
    all_of_it = Hypothesis(f"the two letters generate {size} of {len(table)} elements", size == len(table))
    return (
        Prediction(tokens, of="tokens", dims=("hops",), formula=r"\lceil k / (2^{L-1} - 1) \rceil - 1"),
        Prediction(right, of="right", dims=("tokens_written", "hops")),
        Prediction([s == last for s in range(cell.factors)], of="product", dims=("states_written",), hypotheses=(all_of_it,)),
        Prediction([bounds.written_steps(k, layers).at() for layers, k in FAR], of="far_tokens", dims=("far",)),
        Prediction(math.factorial(5), of="elements"),
        # read a token earlier, nothing is answered at first
        Prediction([[False] * cell.largest, *right[:-1]], of="right_before", dims=("tokens_written", "hops")),
        Prediction([s == last + 1 for s in range(cell.factors)], of="product_before", dims=("states_written",)),
        # one pass sees no written token; what is hidden later names nothing
        Prediction([right[0], *[[False] * cell.largest] * cell.written], of="right_hidden", dims=("tokens_written", "hops")),
        Prediction([False] * cell.factors, of="product_hidden", dims=("states_written",)),
    )


def _hops(cell: Sizes) -> range:
    return range(1, cell.largest + 1)


CONTROLS = (
    control(
        "the written tokens masked",
        "it does not matter what is written",
        instead={"right": "right_hidden", "product": "product_hidden"},
    ),
    control(
        "read a token earlier",
        "one written token fewer is enough",
        instead={"right": "right_before", "product": "product_before"},
    ),
)

RIVALS = (
    off_by(-1, of="tokens", name="a token fewer", statement="one written token fewer is enough for every k"),
    rival(
        "2^(L-1) hops a token",
        lambda cell, table: _every(cell, hop_reach(cell.layers) + 1),
        "a later pass adds as many hops as the pointer of the first",
    ),
    rival(
        "L - 1 hops a token",
        lambda cell, table: _every(cell, cell.layers - 1),
        "each layer but the first adds one hop",
        everywhere=False,  # two layers add one hop
    ),
)


def _every(cell: Sizes, reach: int) -> Prediction:
    """The least tokens of every k if each pass adds this many hops."""
    return Prediction([-(-k // reach) - 1 for k in _hops(cell)], of="tokens", dims=("hops",))
