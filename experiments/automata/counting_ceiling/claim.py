r"""No reader of letter counts passes its ceiling, and a trained layer of sums comes near it; two trained layers pass it.

Statement: Letters are uniform, and words of T letters move an automaton. Of all readers that know how often each letter
    occurred (perhaps modulo m), and perhaps the last letters, the best names the state with the probability below. N(c, q) is
    the number of words with knowledge c that end in state q. No estimate of the state as a unit vector has a smaller mean
    square error than the one below. One trained layer, any function of the sum of letter vectors and of the last letter, is no
    better. In the trained cells its typical seed has all but a twentieth of this share, and that of two such layers has more.
    $$ \max_f P\bigl(f(c) = q\bigr) = |A|^{-T} \sum_c \max_q N(c, q), \qquad
       \min_g E\,\bigl|g(c) - e_q\bigr|^2 = 1 - |A|^{-T} \sum_c \frac{\sum_q N(c, q)^2}{\sum_q N(c, q)} $$
Hypotheses: letters are independent and uniform; the layer is order-blind, which its sum and its last letter are up to rounding.
Source: derived here; words of equal counts are those that Heo et al., “Why Depth Matters in Parallelizable Sequence Models”,
    arXiv 2603.05573, show one abelian layer to confuse.
Refuted by: another share or error of the best reader over all words, a trained layer above it, a typical trained layer that
    stays away from it, or a typical pair of layers that does not pass it.
Cost: quick 25 s of one core, full about 25 min.

All words are tested, so no sampling enters. A trained readout sees the letters' sum in floating point, and its rounding tells
the order of letters where two answers tie. Read in float32, one of 24 layers passed the ceiling of D4 by 3 of 2187 words, and
the claim was REFUTED at `full`. In another run of these layers two gave two answers to words of the same counts and last
letter: the best scores of these words lay 1e-6 apart, and rounding moved them by 3e-6. So layers are trained in float32 and
read in float64.
"""

import dataclasses
import itertools
import math
import random

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, among, axis, claim, control, domain, drawn, rival, whole
from depthjax.verify.domain import Values
from experiments.automata._drawn import automata, automaton
from experiments.automata.counting_ceiling.common import ENOUGH, READERS
from experiments.groups import groups
from theory.automata import Semiautomaton
from theory.bounds import ceiling
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "best"

PRODUCTS = "products of "
"""Before the name of a group: its products are followed, over its generators and the identity."""


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """An automaton, or products of a group; letters of words; the modulus; networks and their training."""

    target: str = axis(f"{PRODUCTS}S3", "gridworld4")
    length: int = 6
    modulus: int = 3
    seeds: int = 11
    width: int = 32
    steps: int = 500
    rate: float = 1e-2


def _targets(states: int, letters: int, most: int) -> Values:
    machines, some = automata(states, letters), groups(most)

    def draw(source: random.Random) -> str:
        return machines.draw(source) if source.random() < 0.5 else f"{PRODUCTS}{some.draw(source)}"

    return drawn(draw, f"{machines.words}; and the products of {some.words}, over generators and the identity")


DOMAIN = domain(
    target=_targets(5, 3, 24),
    length=whole(1, 6, test=4),
    modulus=whole(2, 5, quick=4),
    seeds=among(0),
)
MORE = axis(*(f"{PRODUCTS}{name}" for name in ("S3", "D4", "A4")), "gridworld4")
LARGE = Sizes(target=MORE, length=7, seeds=14, steps=2000)
GRIDS = {
    "test": Sizes(length=4, seeds=0),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(LARGE, length=8, seeds=24, width=48, steps=4000),
}


def _moves(target: str) -> Semiautomaton:
    """The automaton of a target; of a group its identity and its generators act from the right."""
    if not target.startswith(PRODUCTS):
        return automaton(target)
    one = group(target.removeprefix(PRODUCTS))
    return Semiautomaton(np.asarray(one.table)[:, [0, *one.generators]], target)


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """The transition table, (states, letters)."""
    return {"table": _moves(cell.target).table}


def _ceilings(cell: Sizes, more: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy and error of every reader at every position, perhaps of one that sees more of the last letters."""
    readers = (0, 0), (0, 1), (cell.modulus, 0), (cell.modulus, 1), (1, 2)  # counts modulo, 0: themselves; last letters
    found = [ceiling(_moves(cell.target), cell.length, modulus=modulus, last=last + more) for modulus, last in readers]
    accuracy, error = ([list(map(float, getattr(one, name))) for one in found] for name in ("accuracy", "error"))
    return np.array(accuracy), np.array(error)


def predict(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """Shares and errors of the best readers at every position, and on which side of them trained layers lie."""
    exact = _exact(cell)
    if not cell.seeds:
        return exact
    accuracy = _ceilings(cell)[0]
    return (
        *exact,
        *_facts(cell, given),
        Prediction(_seen(accuracy), of="one_layer", relation=Relation.AT_MOST),
        Prediction(1, of="one_near", relation=Relation.TREND),
        Prediction(1, of="two_above", relation=Relation.TREND),
    )


def _exact(cell: Sizes, more: int = 0) -> tuple[Prediction, ...]:
    """Shares and errors of the best readers at every position, who may see more of the last letters."""
    accuracy, error = _ceilings(cell, more)
    dims = "reader", "position"
    return Prediction(accuracy, of="best", dims=dims), Prediction(error, of="error", dims=dims)


def _facts(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average, four arrays a layer, on all words."""
    facts = {
        "steps": cell.steps,
        "travel": cell.steps * cell.rate / 2,
        "asked": given["table"].shape[1] ** cell.length,
    }
    numbers = [_numbers(cell, given, layers) for layers in (1, 2)]
    return (
        *(Prediction(value, of=name) for name, value in facts.items()),
        Prediction(950, of="needed"),
        Prediction(numbers, of="weights", dims=("layers",)),
        Prediction([4, 8], of="parts", dims=("layers",)),
    )


def _numbers(cell: Sizes, given: dict[str, np.ndarray], layers: int, biases: bool = True) -> int:
    """Numbers of a network: each layer maps its input to a sum, both to twice the width, and that to its answer.

    There are as many answers of the last layer as states, or more, a multiple of eight.
    """
    width, (states, letters) = cell.width, given["table"].shape
    sizes = [letters, *[width] * (layers - 1), 8 * math.ceil(states / 8)]
    pairs = itertools.pairwise(sizes)
    return sum(read * width + 2 * width * (width + read + said + biases) for read, said in pairs)


def _begun(cell: Sizes, given: dict[str, np.ndarray]) -> tuple[Prediction, ...]:
    """What is known of a layer that is not trained: it stays below the ceiling, and each sum of its inputs has variance one."""
    numbers = _numbers(cell, given, 1, biases=False)
    # as many words lead from a state to another as there are paths of letters
    letters = np.eye(len(given["table"]), dtype=int)[given["table"]].sum(axis=1)
    paths = np.linalg.matrix_power(letters, cell.length)
    seen, drawn = _seen(_ceilings(cell)[0]), [cell.seeds, given["table"].shape[1] ** cell.length, numbers]
    return (
        Prediction(seen, of="before", relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction(1.0, of="variance"),
        Prediction(int(paths[0, 0]), of="returned"),
        Prediction(drawn, of="drawn", dims=("size",)),
    )


def _seen(accuracy: np.ndarray) -> float:
    """The ceiling at the last position of a reader that knows the counts and the last letter, as a layer does."""
    return float(accuracy[list(READERS).index("counts, last"), -1])


def _trained(cell: Sizes, given: dict[str, np.ndarray]) -> bool:
    return cell.seeds > 0


def _counts_alone(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    """The ceiling of a reader that does not know the last letter."""
    lower = float(_ceilings(cell)[0][list(READERS).index("counts"), -1])
    return Prediction(lower, of="one_layer", relation=Relation.AT_MOST) if cell.seeds else None


def _commonest(cell: Sizes, given: dict[str, np.ndarray]) -> Prediction | None:
    """The share of the commonest state, whatever the reader knows; nothing where no knowledge helps, as of a single letter."""
    none = list(map(float, ceiling(_moves(cell.target), cell.length, modulus=1).accuracy))
    shares = np.tile(none, (len(READERS), 1))
    return None if (shares == _ceilings(cell)[0]).all() else Prediction(shares, of="best", dims=("reader", "position"))


CONTROLS = (
    control(
        "one letter more",
        "it makes no difference to see one more of the last letters",
        measure="one_letter_more",
        finds=lambda cell, _: _exact(cell, more=1),
        where=lambda cell, _: bool((_ceilings(cell)[0] < 1).any()),
    ),
    control(
        "two layers",
        "the ceiling holds for two layers",
        instead={"one_layer": "two_layers", "two_above": "one_above"},
        where=_trained,
    ),
    control(
        "untrained",
        "the typical layer is near its ceiling before it is trained",
        measure="untrained",
        finds=_begun,
        where=_trained,
    ),
)
RIVALS = (
    rival(
        "the last letter does not help", _counts_alone, f"a layer has no more than a reader of counts; {ENOUGH:g} of it is near"
    ),
    rival("the commonest state", _commonest, "counts tell nothing"),
)
