r"""The rotation task is a representation of A5 for 120 of 480 pairs of generators, and the published pair is none of them.

Statement: Send a 3-cycle p of A5 to the rotation by 120 degrees about (1, 1, 1) and a 5-cycle r to the rotation by 72
    degrees about (0, 1, golden ratio), and fill the other 58 elements by breadth-first search. The result is a
    representation exactly when the product of the two cycles has order 2, which holds for 120 of the 480 pairs. Every other
    pair violates thousands of the 3600 products.
    $$ M_x M_y = M_{xy}\ \forall x, y \in A_5 \iff (p r)^2 = 1 $$
Hypotheses: the two rotations generate the icosahedral group (checked: 60 exact matrices).
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, rotation task (v1).
Refuted by: a pair of cycles whose violated products number differently in exact arithmetic over Q(sqrt 5) and in float64.
Cost: quick 3 s on one core, full about 3 s.

Derivation: < p, r | p^3 = r^5 = (p r)^2 = 1 > presents A5 (Hamilton). The published assignment sends (0 1 2) and (0 1 2 3
4) to the rotations, and their product has order 5. Which products the other pairs violate depends on the order of the
search, so every order is counted: either generator first, multiplying on either side. Neither the numbers of the 60 elements
nor the frame of space matter: both are drawn.
"""

import dataclasses
import math

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, rival, whole
from experiments.numbering import numbered
from theory.groups import group, rotation

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "representations"
CYCLES = 20 * 24  # pairs of a 3-cycle and a 5-cycle of A5


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The order of the search: which generator it tries first, on which side it multiplies; numbering and frame."""

    first: str = axis("three", "five")
    side: str = axis("right", "left")
    draw: int = 0  # of the numbers of the elements, and of the frame of space; 0: as they are given


DOMAIN = domain(
    "all 480 pairs in every cell, A5 numbered and space turned in any way",
    first=among("three", "five"),
    side=among("right", "left"),
    draw=whole(1, 2**16),
)
GRIDS = {"test": Sizes(first=axis("three"), side=axis("right")), "quick": Sizes(), "full": Sizes(), "paper": Sizes()}


def objects(cell: Sizes) -> dict:
    """The table of A5, the 480 pairs of cycles, the two rotations, and where the published pair stands."""
    a5, pairs = group("A5"), rotation.assignments(cell.first, cell.side)
    old = numbered(a5.order, cell.draw)
    new, frame = np.argsort(old), _frame(cell.draw)
    return {
        "table": new[np.asarray(a5.table)[np.ix_(old, old)]],
        "pairs": new[[(a5.index(pair.three), a5.index(pair.five)) for pair in pairs]],
        "turns": np.stack([frame @ turn.numpy() @ frame.T for turn in rotation.icosahedral_generators()]),
        "published": [(pair.three, pair.five) for pair in pairs].index(rotation.PUBLISHED),
    }


def _frame(draw: int) -> np.ndarray:
    """An orthogonal matrix of space."""
    return np.linalg.qr(np.random.default_rng(draw).normal(size=(3, 3)))[0] if draw else np.identity(3)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Violated products of every pair, exactly; zero for the pairs that satisfy the presentation."""
    pairs = rotation.assignments(cell.first, cell.side)
    counts = np.array([0 if pair.extends else pair.violations for pair in pairs])
    return (
        Prediction(counts, of="violations", dims=("pair",), formula=r"\#\{(x, y): M_x M_y \ne M_{xy}\}"),
        Prediction([CYCLES, CYCLES, 60], of="read", dims=("of",)),
        # an automorphism of A5 takes any pair that extends to any other one, in one way; so it is where the 5-cycle turns twice
        Prediction(math.factorial(5), of="presented", formula=r"|\operatorname{Aut} A_5|"),
        Prediction(CYCLES, of="agree"),
        Prediction(CYCLES, of="agree_twice"),
        Prediction(math.factorial(5), of="representations_twice"),
        Prediction(0, of="representations_of_both"),
        Prediction(sum(pair.extends for pair in pairs), of="representations", formula=r"\#\{(p, r): (pr)^2 = 1\}"),
        Prediction(int(counts[given["published"]]), of="published_violations"),
    )


CONTROLS = (
    control(
        "the 5-cycle turns by 144 degrees",
        "the same pairs extend when the rotation by 72 degrees is applied twice",
        instead={"violations": "violations_twice"},
    ),
)


RIVALS = (
    rival(
        "the published assignment",
        lambda cell, given: Prediction(0, of="published_violations"),
        "(0 1 2) and (0 1 2 3 4), sent to the two rotations, extend to a representation: no product is violated",
    ),
    rival(
        "every pair extends",
        lambda cell, given: Prediction(len(given["pairs"]), of="representations"),
        "any 3-cycle and 5-cycle extend to a representation",
    ),
)
