r"""A transformer trained on parity near p = 0.15 loses it where ones are frequent, and at p = 1/2 it does not learn it as fast.

Statement: Small networks are trained to name the parity of the ones after every letter of words with Pr[1] = p. The typical
    transformer trained at any p from 0.14 to 0.17 is closer to perfect than to the best constant answers at p, but not at any
    p' from 0.7 to 0.9. Trained at the published p = 1/2 for the same number of steps, it is not there at any of these laws. The
    typical recurrent network is closer to perfect at all of them, whether it was trained at p or at 1/2.
    $$ \Pr[\text{kept at } p' \mid \text{transformer}] < \tfrac12 < \Pr[\text{kept at } p' \mid \text{recurrent}] $$
Hypotheses: sizes, words and training as in the grid, so that this is a statement about small networks; the first letter of a
    test keeps the law of training.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, section 5.
Refuted by: a typical transformer that keeps the parity at p' or learns it at 1/2, or a typical recurrent network that loses it,
    with exact binomial intervals over seeds.
Cost: quick 40 s on one core, full about 28 min.

What the transformer learns at p = 0.15 is a shortcut, a function of how many ones it is used to; what the recurrent network
learns is the automaton. The published transformer is trained at p = 1/2 until it learns the parity, with 16 layers and 100
letters, and then loses it at other p. At the sizes of `quick` that shift cannot be shown, because the transformer does not
learn the parity there: of 12 seeds 12, 9, 3 and 0 learned it at p = 0.2, 0.3, 0.4 and 0.5. So its failure at 1/2 speaks of
speed. The recurrent network of the same budget is the positive control. At the sizes of `full` it does not learn it either: two
seeds from another key were right at 99 % of the positions at p = 0.15 and at 65 % at 0.5. Only `paper` predicts that it does.

What "closer" means is judged too: halfway from the best constant answers to 1 is computed from the law of the letters and held
against the yardstick of the measurement, to 0.03. After training at 1/2 it is 3/4 in all tests, because a fair first letter
makes the parity fair.

That attention *could* be exact at every p is `solvable_constant_depth`, with constructed weights. A third kind, from `full` on,
is a transformer with a scratchpad and recency: it sees its own last answers beside the last letters and nothing else. It keeps
the parity too, at the price of one step for each letter.

At p = 0.15 some 6 % of the recurrent networks lose the parity. 26 seeds decide sixteen cells at once if four fall out of line.
"""

import dataclasses

import numpy as np
from scipy.stats import binom

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, real, rival
from experiments.automata.parity_shift.common import UNIFORM, laws, shifted
from theory.automata import semiautomaton

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "kept"

DIMS = ("law", "tested")

YARDSTICK = 0.06  # 3/4, halfway from a coin to 1, is 0.05 away where the network is trained


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The kind of network is the axis."""

    kind: str = axis("transformer", "lstm")
    learns_uniform: bool = False  # whether the transformer is predicted to learn the parity at p = 1/2
    length: int = 12
    depth: int = 2
    width: int = 16
    steps: int = 240
    seeds: int = 26
    words: int = 256
    recent: int = 4  # letters and answers that the scratchpad holds
    rare: float = 0.15  # Pr[1] in training where it is not 1/2
    frequent: float = 0.8  # one of the Pr[1] in testing


KINDS = axis("transformer", "lstm", "scratchpad")

DOMAIN = domain(rare=real(0.14, 0.17, digits=3), frequent=real(0.72, 0.88, digits=2), counts={"test": 0, "quick": 1, "full": 2})
GRIDS = {
    "test": Sizes(kind=axis("scratchpad"), length=4, depth=1, width=8, steps=60, seeds=11, words=64),
    "quick": Sizes(),
    "full": Sizes(KINDS, length=20, width=32, steps=2000, seeds=20, words=1024),
    "paper": Sizes(KINDS, learns_uniform=True, length=100, depth=4, width=64, steps=30_000, seeds=20, words=1024),
}


def objects(cell: Sizes) -> np.ndarray:
    """The table of the parity automaton."""
    return semiautomaton("parity").table


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """What goes through the word step by step keeps the parity; the transformer has it at most where it was trained."""
    recurrent = cell.kind != "transformer"
    off = [recurrent] * len(shifted(cell.frequent))
    kept = [[recurrent or law != UNIFORM or cell.learns_uniform, *off] for law in laws(cell.rare)]
    return _kept(kept), *_trained(cell, cell.steps)


def _trained(cell: Sizes, steps: int) -> tuple[Prediction, ...]:
    """What every run trains in these steps, at half of the rate 1/100 on average, and what it is tested on.

    Attention is four maps of the width and a perceptron of two and one of four widths; recurrence is four gates that read the
    letter and the state, and an output. Beside them are norms, biases, two parities and two letters. A scratchpad reads pairs
    of a letter and an answer, or nothing.
    """
    width, depth = cell.width, 1 if cell.kind == "lstm" else cell.depth
    layer = 9 * width**2 + 5 * width if cell.kind == "lstm" else 16 * width**2 + 2 * width
    read = 5 if cell.kind == "scratchpad" else 2
    facts = {
        "steps": steps,
        "travel": (steps + (steps < 15)) * 0.01 / 2,  # of fewer than 15 steps none warms up
        "weights": depth * layer + (read + 1 + 2) * width + 2,
        "parts": depth,
    }
    ones = np.array([[p, p, p, 0.7, cell.frequent, 0.9] for p in (cell.rare, 0.5)])  # first letter, training, tests
    asked = [cell.seeds, cell.words, cell.length]
    return (
        Prediction(_halfway(cell), of="yardstick", dims=DIMS, relation=Relation.EQUALS, resolution=YARDSTICK),
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction(
            np.stack([1 - ones, ones], axis=-1),
            of="laws",
            dims=("law", "use", "letter"),
            relation=Relation.EQUALS,
            resolution=0.001,
        ),
        Prediction(asked, of="asked", dims=("size",), relation=Relation.EQUALS),
    )


def _kept(values: list) -> Prediction:
    return Prediction(np.array(values, int), of="kept", dims=DIMS)


def _halfway(cell: Sizes) -> np.ndarray:
    """Halfway from the best constant answers to 1, expected over the words of a test.

    The first letter keeps the law q of training. So after t letters a word is even with probability
    (1 + (1 - 2 q) (1 - 2 p)^(t - 1)) / 2; of n words those of the more frequent parity count.
    """
    tests = np.array([[law, *shifted(cell.frequent)] for law in laws(cell.rare)])[..., None, None]
    even = (1 + (1 - 2 * tests[:, :1]) * (1 - 2 * tests) ** np.arange(cell.length)[:, None]) / 2
    counts = np.arange(cell.words + 1)
    most = (np.maximum(counts, cell.words - counts) * binom.pmf(counts, cell.words, even)).sum(axis=-1) / cell.words
    return (1 + most.mean(axis=-1)) / 2


def _everywhere(cell: Sizes, table: np.ndarray) -> Prediction:
    return _kept([[1, *(1 for _ in shifted(cell.frequent))] for _ in laws(cell.rare)])


def _where_trained(cell: Sizes, table: np.ndarray) -> Prediction:
    return _kept([[1, *(0 for _ in shifted(cell.frequent))] for _ in laws(cell.rare)])


CONTROLS = (
    control(
        "hardly trained",
        "three steps of training are enough to have the parity where it was trained",
        measure="hardly_trained",
        instead={"kept": "kept"},
        finds=lambda cell, table: _trained(cell, steps=3),
    ),
    control("no shift", "the parity is lost without a shift of the law", instead={"kept": "kept_unshifted"}, everywhere=False),
)

RIVALS = (
    rival("no network loses it", _everywhere, "every network keeps the parity at every p", everywhere=False),
    rival("every network loses it", _where_trained, "every network loses the parity off its law of training"),
)
