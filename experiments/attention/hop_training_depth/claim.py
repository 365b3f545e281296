r"""At one width, alphabet and budget the largest k that transformers learn about doubles with each layer: K(L) = 2^(L-1) - 1.

Statement: Let K(L) be the largest k for which the typical trained transformer of L layers answers hop_1, ..., hop_k, each with
    few errors. With the width, the number of letters and the steps of the grid, attention in which no position sees itself
    reaches what the strict construction reaches and no more: none with one layer, one hop with two, three hops with three.
    $$ K(L;\ \text{width}, \text{letters}, \text{steps}) = 2^{L-1} - 1 $$
Hypotheses: the strict mask; the width, the alphabet, the word length, the number of steps and the level of the grid; an answer
    counts where there is one; all runs have equally many steps.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Section 5 and
    the published errors.
Refuted by: a typical seed of L layers that does not learn 2^(L-1) - 1 hops, or that learns one more.
Cost: quick 100 s on one core, full about 45 min; paper days on a GPU.

**Learned is not expressible.** That weights for 2^(L-1) - 1 hops exist is `hop_depth_strict`. The upper end here is an
observation, because the lower bounds on depth are conditional, and it holds for this alphabet and this budget only. Over three
letters, all else equal, two layers learn two hops (control): so short words are looked up in windows. With four times the steps
they do over four letters too (11 of 11 seeds, errors of 0.02 to 0.05). Every k up to the reach of the deepest network is judged
at every depth. So each negative has its positive control: deeper networks learn that k with the same budget.

The published networks are causal, where a position sees itself and the construction reaches 2^(L-2) = 1, 2, 4, 8 hops with L =
2, ..., 5 layers. Where an answer is learned at 1 % of errors, those of width 256 have K = 1, 3, 7, 13, and those of width 128
have K = 1, 2, 3, 4, 10 for L = 2, ..., 6. So the first pass the reach of their own mask and stay near that of the strict one,
the others follow neither, and 13 is not 15. Every position answers
every k at once here, by a readout of its own; the published networks are asked for one k. Positions are learned, and at quick
size there is no MLP. Words have no equal neighbours. No constructed weights are judged; they appear in the figure.

At quick, heads are eight, because one head learns three hops late. The level, one error in ten, lies between the errors of
seeds that learn (about 0.04) and those of a hop too many (at least 0.13). Of the 11 seeds one may fail in each statement. The
size `full` has four layers and the published level of 1 %. It is open: 9 of 12 seeds of four layers learn seven hops.
"""

import dataclasses
import math
from collections.abc import Callable

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, listed, rival
from theory.attention.hops import hop_reach

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "deepest"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Width and heads; depths 1 to `depths`, hops 1 to `largest`; words, recipe; k is learned at `level` errors."""

    width: int = axis(32)
    heads: int = 8
    mlp: bool = False
    depths: int = 3
    largest: int = 3
    alphabet: int = 4
    length: int = 12
    batch: int = 16
    steps: int = 800
    rate: float = 0.02
    seeds: int = 11
    level: float = 0.1
    tests: int = 512


FULL = {"depths": 4, "largest": 7, "length": 36, "steps": 4500, "rate": 5e-3, "seeds": 12, "level": 0.01, "tests": 2048}

MOST = 15  # hops that any size judges

PAPER = {"mlp": True, "depths": 5, "largest": MOST, "length": 98, "batch": 32, "steps": 100_000, "rate": 1e-4, "seeds": 16}

DOMAIN = listed("the width, alphabet, length and budget of each size: with others the reach is known to be another")
GRIDS = {
    "test": Sizes(width=axis(16), steps=20, tests=32, seeds=10),
    "quick": Sizes(),
    "full": Sizes(width=axis(64), **FULL),
    "paper": Sizes(width=axis(128, 256), **PAPER, level=0.01, tests=2048),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Which k are learned with how many layers: those that the strict construction reaches, and no others."""
    return (*_reaches(cell, lambda layers: hop_reach(layers, "strict")), Prediction(1, of="deepest"), *_trained(cell))


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What every run trains, at half of the rate on average, and which positions its first layer reads.

    A layer is a norm and four maps of the width, perhaps another norm and a gated perceptron with four times the width inside.
    The network reads letters and places, and answers a letter or none for every number of hops. Under the strict mask a
    position reads those before it, the second one the first alone, so that nothing is to be chosen there.
    """
    width, answers = cell.width, cell.largest * (cell.alphabet + 1)
    layer = (16 * width + 2 if cell.mlp else 4 * width + 1) * width
    facts = {
        "steps": cell.steps,
        "weights": cell.depths * layer + (cell.alphabet + cell.length + 1 + answers) * width + answers,
        "joined": cell.length * (cell.length + 1) // 2 - 2,
    }
    asked = [cell.depths, cell.seeds, cell.largest]
    rates, decay = cell.steps * cell.rate / 2, 1e-4
    # a weight of slope one loses the decay of what it has moved by: |w| = (1 - prod (1 - decay rate)) / decay
    travel, left_out = -math.expm1(-decay * rates) / decay, decay * cell.rate * rates / 2
    return (
        Prediction(travel, of="travel", relation=Relation.EQUALS, truncation=left_out),
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction(list(range(1, cell.depths + 1)), of="parts", dims=("layers",), relation=Relation.EQUALS),
        # errors are shares of the answers of as many words as are said; of other words they would be parts of these
        Prediction(0, of="broken", relation=Relation.EQUALS, resolution=0.25),
        Prediction(asked, of="asked", dims=("size",), relation=Relation.EQUALS),
    )


def _reaches(cell: Sizes, reach: Callable[[int], int]) -> tuple[Prediction, ...]:
    """What is learned if L layers reach `reach(L)` hops."""
    layers = range(1, cell.depths + 1)
    learned = {k: [int(k <= reach(n)) for n in layers] for k in range(1, cell.largest + 1)}
    return tuple(Prediction(those, of=f"learned_{k}", dims=("layers",)) for k, those in learned.items())


CONTROLS = (
    control(
        "three letters",
        "over three letters two layers learn no second hop either",
        measure="three_letters",
        predict=lambda cell: Prediction([int(hop_reach(n, "strict") >= 2) for n in (1, 2)], of="learned_2", dims=("layers",)),
        finds=lambda cell: _trained(dataclasses.replace(cell, alphabet=3, depths=2, largest=2, seeds=14)),
        where=lambda cell: cell.depths == 3,
    ),
    control(
        "the last layer taken away",
        "the trained networks answer as well without their last layer",
        instead={f"learned_{k}": f"cut_{k}" for k in range(1, MOST + 1)},
    ),
)

RIVALS = (
    rival(
        "a layer a hop",
        lambda cell: Prediction(int(cell.largest <= cell.depths - 1), of="deepest"),
        "L layers learn L - 1 hops",
    ),
    rival(
        "the causal route",
        lambda cell: Prediction(int(cell.largest <= hop_reach(cell.depths, "causal")), of="deepest"),
        "L layers learn 2^(L-2) hops, as where a position sees itself",
    ),
    rival(
        "one layer",
        lambda cell: Prediction([1] * cell.depths, of="learned_1", dims=("layers",)),
        "one layer learns the induction head",
    ),
    rival(
        "two layers are enough",
        lambda cell: Prediction([int(n > 1) for n in range(1, cell.depths + 1)], of="learned_2", dims=("layers",)),
        "from two layers on depth plays no part",
    ),
)
