r"""k layers of masked hard attention do strictly less than k + 1: n equal letters in a row take exactly so many layers.

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
(`depthjax.probe.hard_networks`). A formula for each type is compiled, for all types that last letters of short words have:
these networks say everything that networks of this depth can say, and at a last letter exactly one of each depth says yes.
Sampled weights, exact in integers, are a spot check.
"""

import dataclasses
from functools import cache, partial
from typing import Literal

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import CompiledFormulas, compile_formulas
from depthjax.probe.hard_networks import knowledge, random_networks, telling_networks
from depthjax.probe.layers_needed import fewest_layers
from depthjax.tasks.short_words import short_words
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival
from theory import bounds
from theory.logic.program import program
from theory.logic.runs import run_formula, run_pair
from theory.logic.types import Types

CLAIM = claim(Relation.EQUALS)
LETTERS = "ab"
DEFINITIONS = {"runs.depths": "how many layers each given formula is compiled to: the nesting depth of its text"}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Where heads look; longest run; layers whose types are compiled; letters of short words, more than a run; networks."""

    sides: Literal["past", "both"] = axis("past", "both")
    most: int = 5
    compiled: int = 2
    length: int = 6
    networks: int = 128


GRIDS = {
    "test": Sizes(most=3, compiled=1, length=5, networks=32),
    "quick": Sizes(),
    "full": Sizes(most=6, length=7, networks=1024),
    "paper": Sizes(most=8, length=9, networks=2048),
}


def objects(cell: Sizes, mask: str = "strict", shorter: int = 0) -> dict:
    """The pairs, the networks of runs, and a network for each type that a last letter has after 0, 1, ... layers."""
    pairs = [run_pair(max(n - shorter, 1)) for n in range(1, cell.most + 1)]
    types = Types(cell.sides)
    words = [word for pair in pairs for word in pair] + _short(cell)
    found = {t: depth for depth in range(cell.compiled + 1) for t in dict.fromkeys(types.of(word, depth)[-1] for word in words)}
    indices = [[[LETTERS.index(a) for a in word] + [0] * (2 * cell.most - len(word)) for word in pair] for pair in pairs]
    runs = [run_formula(n, cell.sides) for n in range(1, cell.most + 1)]
    return {
        "pairs": np.array(indices),
        "lengths": np.array([len(first) for first, _ in pairs]),
        "types": compile_formulas([program(types.formula(t), LETTERS) for t in found], mask),
        "depths": np.array(list(found.values())),
        "runs": compile_formulas([program(formula, LETTERS) for formula in runs], mask),
        "mask": mask,
    }


def _short(cell: Sizes) -> list[str]:
    words, lengths = short_words(len(LETTERS), cell.length)
    return ["".join(LETTERS[letter] for letter in word[:n]) for word, n in zip(words, lengths, strict=True)]


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Layers for each run, by three kinds of networks; states that types allow; two types tell a pair apart, or none."""
    layers = np.array([int(bounds.hard_attention_run(n, cell.sides).at()) for n in range(1, cell.most + 1)])
    types, depths = Types(cell.sides), range(cell.compiled + 1)
    states = [len({number for word in _short(cell) for number in types.of(word, depth)}) for depth in depths]
    return (
        Prediction(layers, of="layers", dims=("run",), formula="D(n)"),
        Prediction(layers, of="needed", dims=("run",), formula="D(n)"),
        Prediction(layers, of="sampled", dims=("run",), formula="D(n)", relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction(states, of="states", dims=("depth",)),
        Prediction(np.where(np.array(depths)[:, None] < layers, 0, 2), of="telling", dims=("depth", "run")),
        Prediction([len(_short(cell))] * len(depths), of="typed", dims=("depth",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict, positions: bool = False) -> xr.Dataset:
    """The first layers at which universal and sampled networks tell the pairs apart, and the layers that recognise runs."""
    pairs, lengths, mask = given["pairs"], given["lengths"], given["mask"]
    words = pairs + len(LETTERS) * np.arange(pairs.shape[-1]) if positions else pairs
    told = []
    for pair, length in zip(words, lengths, strict=True):
        last = knowledge(pair, np.full(2, length), cell.most, sides=cell.sides, mask=mask)[:, :, length - 1]
        told.append(last[:, 0] != last[:, 1])
    short = short_words(len(LETTERS), cell.length)
    states = knowledge(short.words, short.lengths, cell.compiled, sides=cell.sides, mask=mask)
    networks = random_networks(key, cell.networks, cell.most, len(LETTERS))
    sampled = telling_networks(networks, pairs, lengths, sides=cell.sides) > 0
    holds = _at_ends(given["types"], short.words, short.lengths)
    answers = _at_ends(given["types"], pairs.reshape(2 * len(pairs), -1), np.repeat(lengths, 2))
    typed = answers[:, ::2] != answers[:, 1::2]
    return measured(
        run=np.arange(1, cell.most + 1),
        depth=np.arange(cell.compiled + 1),
        layers=Quantity(_first(np.array(told)), "run", label="layers after which some network tells the pair apart"),
        sampled=Quantity(_first(sampled.T), "run", label="layers after which some sampled network tells it apart"),
        needed=Quantity(_needed(cell, given["runs"]), "run", label="layers that see it"),
        typed=Quantity(
            [int((holds[given["depths"] == depth].sum(axis=0) == 1).sum()) for depth in range(cell.compiled + 1)],
            "depth",
            label="short words at whose end one compiled type holds",
        ),
        states=Quantity([len(np.unique(each[each >= 0])) for each in states], "depth", label="states of the universal network"),
        telling=Quantity(
            [typed[given["depths"] == depth].sum(axis=0) for depth in range(cell.compiled + 1)],
            "depth run",
            label="compiled types that tell the pair apart",
        ),
    )


def _first(told: np.ndarray) -> np.ndarray:
    """The first layer at which each pair is told apart, one more than there are if there is none."""
    return np.where(told.any(axis=1), told.argmax(axis=1), told.shape[1])


def _needed(cell: Sizes, runs: CompiledFormulas) -> list[int]:
    """The fewest layers with which each network is right about its run at the last letter of every short word."""
    words, lengths = short_words(len(LETTERS), cell.length)

    @cache
    def answers(layers: int) -> np.ndarray:
        return _at_ends(runs, words, lengths, layers)

    def errors(run: int, layers: int) -> int:
        return int((answers(layers)[run - 1] != np.array(["a" * run in word for word in _short(cell)])).sum())

    return [fewest_layers(partial(errors, run), cell.most) for run in range(1, cell.most + 1)]


def _at_ends(networks: CompiledFormulas, words: np.ndarray, lengths: np.ndarray, layers: int | None = None) -> np.ndarray:
    """The answers at the last letters of words, (networks, words)."""
    return np.asarray(networks(words, layers, lengths=lengths))[:, np.arange(len(words)), lengths - 1]


def _with_positions(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measure(cell, key, given, positions=True)[["layers"]]


CONTROLS = (
    control("mask not strict", "heads may see their own position", objects=partial(objects, mask="causal")),
    control("pairs of shorter runs", "a layer less is blind for shorter runs", objects=partial(objects, shorter=1)),
    control("positions", "networks that know the positions need as many layers", measure=_with_positions),
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
