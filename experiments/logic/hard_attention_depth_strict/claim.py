r"""k layers of masked hard attention do strictly less than k + 1: n equal letters in a row take exactly n layers.

Statement: Hard attention with strict masks recognises the words with n letters a in a row in n layers if all heads look back,
    in ceil((n + 1) / 2) layers if heads look back and ahead, and in no fewer. A network with a layer less has one state at the
    last letters of a^n b^n and a^(n-1) b^(n+1), whatever its width, heads, scores and feed-forward parts.
    $$ D_{\mathrm{past}}(n) = n, \qquad D_{\mathrm{both}}(n) = \left\lceil \tfrac{n + 1}{2} \right\rceil $$
Hypotheses: strict masks; one position gets all weight, and ties go to the nearest; no positions.
Source: Yang, Chiang, Angluin, arXiv 2310.13897, and Etessami, Wilke, “An Until Hierarchy and Other Applications of an
    Ehrenfeucht-Fraïssé Game for Temporal Logic” (2000), for the hierarchy; lengths and pairs are derived here.
Refuted by: a network of fewer layers that tells a pair apart, or a word on which the network of so many layers errs.
Cost: quick 20 s on one core, full about 2 min.

The proof for all n is in `theory.logic.runs`, by types of positions (`theory.logic.types`). Networks of a layer less are
tried in three ways. The universal network, with a head for every two states, knows what any network can know
(`hard_networks`). A formula for each type is compiled, for all types that last letters of short words have:
these networks say everything that networks of this depth can say, and at a last letter exactly one of each depth says yes.
Sampled weights, exact in integers, are a spot check.
"""

import dataclasses
from typing import Literal

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.logic._programs import programs
from experiments.logic.hard_attention_depth_strict.common import LETTERS, short
from theory import bounds
from theory.logic.runs import run_formula, run_pair
from theory.logic.types import Types

CLAIM = claim(Relation.EQUALS)
HEADLINE = "needed"

FAR = 7, 8, 10  # runs longer than those that networks are compiled for

DEFINITIONS = {"runs.depth": "how many layers each given formula is compiled to: the nesting depth of its text"}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Where heads look; longest run; layers whose types are compiled; letters of short words, more than a run; networks."""

    sides: Literal["past", "both"] = axis("past", "both")
    most: int = 5
    compiled: int = 2
    length: int = 6
    networks: int = 128


DOMAIN = domain(
    most=whole(3, 8, quick=6, test=4),
    length=whole(3, 9, quick=7, test=5),
    where={"short words are longer than the runs": lambda cell: cell.length > cell.most},
    counts={"quick": 1, "full": 8},
)
GRIDS = {
    "test": Sizes(most=3, compiled=1, length=5, networks=32),
    "quick": Sizes(),
    "full": Sizes(most=6, length=7, networks=1024),
    "paper": Sizes(most=8, length=9, networks=2048),
}


def objects(cell: Sizes) -> dict:
    """The pairs, the programs of runs, and a program for each type that a last letter has after 0, 1, ... layers."""
    pairs = [run_pair(n) for n in range(1, cell.most + 1)]
    types = Types(cell.sides)
    words = [word for pair in pairs for word in pair] + short(cell.length)
    found = {t: depth for depth in range(cell.compiled + 1) for t in dict.fromkeys(types.of(word, depth)[-1] for word in words)}
    runs = [run_formula(n, cell.sides) for n in range(1, cell.most + 1)]
    return {
        "pairs": _padded(pairs),
        "lengths": np.array([len(first) for first, _ in pairs]),
        "far_pairs": _padded([run_pair(n) for n in FAR]),
        "far_lengths": 2 * np.array(FAR),
        "types": programs((types.formula(t) for t in found), LETTERS),
        "depths": np.array(list(found.values())),
        "runs": programs(runs, LETTERS),
    }


def _padded(pairs: list[tuple[str, str]]) -> np.ndarray:
    """The numbers of the letters, all words padded to one length."""
    longest = max(len(word) for pair in pairs for word in pair)
    return np.array([[[LETTERS.index(a) for a in word.ljust(longest, LETTERS[0])] for word in pair] for pair in pairs])


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Layers for each run, by three kinds of networks; states that types allow; two types tell a pair apart, or none."""
    layers = np.array([int(bounds.hard_attention_run(n, cell.sides).at()) for n in range(1, cell.most + 1)])
    types, depths = Types(cell.sides), range(cell.compiled + 1)
    states = [len({number for word in short(cell.length) for number in types.of(word, depth)}) for depth in depths]
    return (
        Prediction(layers, of="layers", dims=("run",), formula="D(n)"),
        Prediction([bounds.hard_attention_run(n, cell.sides).at() for n in FAR], of="far_layers", dims=("far_run",)),
        Prediction(layers, of="needed", dims=("run",), formula="D(n)"),
        Prediction(layers, of="sampled", dims=("run",), formula="D(n)", relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction([1] * cell.most, of="placed", dims=("run",)),  # the place at which a pair differs is seen at once
        Prediction([layers[0], *layers[:-1]], of="layers_of_shorter", dims=("run",)),
        Prediction(_letters_with_places(cell), of="letters_with_places"),
        # heads that see their own position do not count equal letters: only a b and b b are told apart
        Prediction([1] + [cell.most + 1] * (cell.most - 1), of="layers_not_strict", dims=("run",)),
        Prediction(cell.networks, of="networks"),
        Prediction(states, of="states", dims=("depth",)),
        Prediction(np.where(np.array(depths)[:, None] < layers, 0, 2), of="telling", dims=("depth", "run")),
        Prediction([2 ** (cell.length + 1) - 2] * len(depths), of="typed", dims=("depth",)),
    )


def _letters_with_places(cell: Sizes) -> int:
    """The sum of the numbers that stand for a letter at a place, each once; shorter words end with the first letter."""
    words = [word for n in range(1, cell.most + 1) for word in run_pair(n)]
    longest = max(map(len, words))
    found = {(place, word.ljust(longest, LETTERS[0])[place]) for word in words for place in range(longest)}
    return sum(place * len(LETTERS) + LETTERS.index(letter) for place, letter in found)


CONTROLS = (
    control("mask not strict", "heads may see their own position", instead={"layers": "layers_not_strict"}),
    control("pairs of shorter runs", "a layer less is blind for shorter runs", instead={"layers": "layers_of_shorter"}),
    control("positions", "networks that know the positions need as many layers", instead={"layers": "placed"}),
)

RIVALS = (
    off_by(-1, of="needed", name="a layer fewer", statement="one layer fewer recognises the runs"),
    rival(
        "half the run",
        lambda cell, given: Prediction((np.arange(cell.most) + 2) // 2, of="layers", dims=("run",)),
        "ceil(n / 2) layers tell the pairs apart",
    ),
    rival(
        "a layer for each letter",
        lambda cell, given: Prediction(np.arange(cell.most) + 1, of="layers", dims=("run",)) if cell.sides == "both" else None,
        "looking ahead saves no layer",
    ),
)
