"""What the claims on the two routes to k hops have in common; a route is the mask of layer 1."""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, axis, control, domain, off_by, whole
from theory import bounds
from theory.attention.hops import hop_reach, hop_width, longest_exact_length

__all__ = ["CONTROLS", "DOMAIN", "GRIDS", "RIVALS", "Sizes", "law", "predictions"]

ALPHABETS = (8,)  # where the width is said beside a cell's own alphabet: a power of two, which is far from its own logarithm
# hops beyond those that are answered, whose layers are said; the measurement has a list of its own
FAR = 100, 127, 128, 129, 1000, 2047, 2048, 2049


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; hops 1 to `largest`; layers to cut after; length and number of random words; rounds of search for hard ones."""

    alphabet: int = axis(3)
    largest: int = 64
    layers: int = 8
    length: int = 176
    samples: int = 16
    rounds: int = 16


DOMAIN = domain(
    alphabet=whole(3, 8, quick=5, test=3),
    largest=whole(3, 64, quick=24, test=6),
    length=whole(24, 512, quick=176, test=40),
    where={"a word is long enough for the hops": lambda cell: cell.length >= 2 * (cell.alphabet - 1) * cell.largest},
    counts={"quick": 1, "full": 6},
)
GRIDS = {
    "test": Sizes(largest=5, layers=5, length=24, samples=4, rounds=12),
    "quick": Sizes(),
    "full": Sizes(alphabet=axis(2, 4), length=512, samples=500, rounds=24),
    "paper": Sizes(alphabet=axis(2, 3, 4, 26), length=512, samples=1000, rounds=96),
}


def law(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the depth of every k, and which k are right after how many layers."""
    hops, layers = range(1, cell.largest + 1), range(1, cell.layers + 1)
    fits = (Hypothesis("length^2 fits the mantissa of float32", cell.length <= longest_exact_length(24)),)
    depth = [int(bounds.hop(k, route).at()) for k in hops]
    right = np.array([[int(k <= hop_reach(n, route)) for k in hops] for n in layers])
    return (
        Prediction(depth, of="depth", dims=("hops",), hypotheses=fits),
        Prediction(right, of="right", dims=("layers", "hops"), hypotheses=fits),
    )


def predictions(cell: Sizes, route: str) -> tuple[Prediction, ...]:
    """Return the law, the width of the residual stream, that every k has an answer in some word, and that a search was one.

    All positions of all words are right: the random ones, as many found by search, and two known ones.
    """
    n, hops = cell.length, range(1, cell.largest + 1)
    return (
        *law(cell, route),
        Prediction(hop_width(cell.alphabet, route), of="width"),
        Prediction([hop_width(letters, route) for letters in ALPHABETS], of="widths", dims=("letters",)),
        Prediction(1, of="harder"),
        Prediction(cell.largest, of="answered"),
        # 0 1 0 1 ... goes back one position a hop, and the first two positions have none to go to
        Prediction(cell.largest - 2, of="answered_by_short"),
        Prediction(2 * cell.samples + 2, of="words"),
        Prediction([(2 * cell.samples + 2) * n] * cell.largest, of="right_positions", dims=("hops",)),
        Prediction([[n] * cell.largest] * 2, of="known", dims=("known_word", "hops")),
        # below ln(4 N - 8) the second hop of the last position of 0 ... 0 1 0 is rounded wrongly, and nothing else
        Prediction([[n - (k > 1) for k in hops], [n] * cell.largest], of="known_blunt", dims=("known_word", "hops")),
        Prediction([bounds.hop(k, route).at() for k in FAR], of="far", dims=("far_hops",)),
    )


CONTROLS = (
    control("lookups too blunt", "a sharpness of 2 is enough as well", instead={"known": "known_blunt"}),
    control(
        "one letter",
        "words over one letter need all directions",
        measure="one_letter",
        # in each of four words a position finds itself, as its letter stands before it; the first one finds nothing
        finds=lambda cell: Prediction(4 * (cell.length - 1), of="named"),
    ),
    control("short words", "words of k letters have k hops", instead={"answered": "answered_by_short"}),
)

RIVALS = (
    off_by(-1, of="depth", name="a layer fewer", statement="one layer fewer is enough at every k"),
    off_by(-1, of=("width", "widths"), name="a direction fewer"),
)
