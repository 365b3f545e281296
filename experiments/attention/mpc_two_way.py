r"""Rounds of parallel computation are layers of attention: R rounds become R + 1 layers, L layers become O(L) rounds.

Statement: A protocol of R rounds on q machines with memory for s words becomes R + 1 layers of attention with q positions and s
    heads of s numbers. L layers of attention on N positions become 2 L ceil(log_g N) rounds of N^2 machines. Their fan-out g is
    s / 2m for states of m numbers and large m. Prefix sums, sorting and components of cycles take the rounds below.
    $$ R \to R + 1, \quad L \to 2 L \lceil \log_g N \rceil, \quad
       \lceil \log_s N \rceil, \quad \tfrac12 \log_2 q\,(\log_2 q + 1), \quad \lceil \log_2 (N + 1) \rceil - 1 $$
Hypotheses: the input fits the machines; no machine sends or receives more words than its memory holds; feed-forward parts
    compute anything; numbers are exact up to the power sums of s words.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Theorems 3.1
    and 3.4; protocols, trees and constants are derived here.
Refuted by: a wrong output of either simulation, another number of layers, rounds or words, or a machine that overflows.
Cost: quick 8 s on one core, full about a minute.

Derivations in `theory.attention.rounds`. Each protocol runs natively, with every word counted, and by attention, where the
words of a round travel as power sums. The other way, a machine simulation runs networks that solve the same kind of problem
(prefix sums, sorting, three hops) and counts what every machine sends and receives.
"""

import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.constructions.directions.protocols import (
    Protocol,
    by_attention,
    cycle_components,
    prefix_sum_rounds,
    sorting_rounds,
)
from depthjax.constructions.directions.rounds import prefix_sums, sort
from depthjax.probe.layers_needed import fewest_layers
from depthjax.probe.parallel_machines import attention_in_rounds, run_natively
from depthjax.tasks import parallel
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival
from theory import bounds
from theory.attention.rounds import protocol_memory, protocol_rounds

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Problem; machines; what one sorts, or fan-out of sums; letters; samples; alphabet, length and memories of networks."""

    problem: Literal["prefix sums", "sorting", "components"] = axis("prefix sums", "sorting", "components")
    machines: int = 8
    share: int = 2
    letters: int = 8
    samples: int = 32
    alphabet: int = 4
    length: int = 12
    doublings: int = 4

    @property
    def memories(self) -> tuple[int, ...]:
        """Words of memory, in states of the network: six, and doubled."""
        return tuple(6 << k for k in range(self.doublings))

    @property
    def inputs(self) -> int:
        """Input words of the protocol."""
        return self.machines * (self.share if self.problem == "sorting" else 1)


GRIDS = {
    "test": Sizes(machines=4, samples=16, length=6, doublings=2),
    "quick": Sizes(),
    "full": Sizes(machines=16, samples=256, length=24, doublings=5),
    "paper": Sizes(machines=16, share=3, samples=1024, length=40, doublings=6),
}


def objects(cell: Sizes) -> dict:
    """A network that solves a problem of the same kind, and its sizes."""
    networks = {
        "prefix sums": lambda: prefix_sums(cell.length, cell.alphabet, jnp.float64),
        "sorting": lambda: sort(cell.length, cell.alphabet, jnp.float64),
        "components": lambda: hop_transformer(3, cell.length, cell.alphabet, dtype=jnp.float64),
    }
    model, weights = networks[cell.problem]()
    return {"model": model, "weights": weights}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Layers and words of the protocol, rounds and words of the network, and no wrong output of any."""
    model, values = given["model"], max(layer.heads.value.shape[1] for layer in given["weights"].layers)
    rounds = protocol_rounds(cell.problem, cell.machines, cell.share)
    words = protocol_memory(cell.problem, cell.share)
    memories = [states * model.width for states in cell.memories]
    back = [bounds.attention_rounds(model.depth, cell.length + 1, model.width, s, values).at() for s in memories]
    return (
        Prediction(int(bounds.mpc(rounds, words, cell.machines, cell.inputs).at()), of="layers", formula="R + 1"),
        Prediction(words, of="words", formula="s"),
        Prediction(0, of="wrong"),
        Prediction([int(number) for number in back], of="rounds", dims=("memory",), formula=r"2 L \lceil\log_g N\rceil"),
        Prediction(memories, of="peak", dims=("memory",), relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction([0] * len(memories), of="wrong_back", dims=("memory",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Run the protocol natively and by attention, and the network on machines with several memories."""
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    protocol, words, right = _posed(cell, draw)
    native, machines = run_natively(protocol, words[0])
    whole, half = (
        (by_attention(protocol, jnp.asarray(words), powers=powers) != right[:, None]).sum(axis=(0, 2, 3))
        for powers in (protocol.memory, protocol.memory // 2)
    )
    alone = (native != right[0]).sum(axis=(1, 2))
    model, weights = given["model"], given["weights"]
    tokens = draw.integers(0, model.alphabet, cell.length)
    expected = _answers(np.asarray(model.apply(weights, jnp.asarray(tokens)[None]))[0])
    runs = [attention_in_rounds(model, weights, tokens, s * model.width) for s in (*cell.memories, 2 * cell.memories[-1])]
    wrong = [int((_answers(run.logits) != expected).sum()) for run in runs]
    return measured(
        memory=np.array(cell.memories),
        layers=Quantity(_layers(whole), label="layers needed"),
        layers_by_half=Quantity(_layers(half), label="layers needed with half the power sums"),
        words=Quantity(machines.peak, label="most words sent or received"),
        wrong=Quantity(int(whole[-1] + alone[-1]), label="wrong outputs of attention and machines"),
        wrong_before=Quantity(int(whole[-2] + alone[-2]), label="the same a round before"),
        rounds=Quantity([run.rounds for run in runs[:-1]], "memory", label="rounds of the network"),
        peak=Quantity([run.peak for run in runs[:-1]], "memory", label="most words sent or received", unit="words"),
        peak_of_double=Quantity([run.peak for run in runs[1:]], "memory", label="the same, planned for twice the memory"),
        wrong_back=Quantity(wrong[:-1], "memory", label="wrong answers of the network on machines"),
    )


def _layers(errors: np.ndarray) -> int:
    return fewest_layers(lambda layers: int(errors[layers]), len(errors) - 1)


def _answers(logits: np.ndarray) -> np.ndarray:
    """The whole numbers that a network answers: its one output, or its largest logit."""
    return np.round(logits[:, 0]) if logits.shape[1] == 1 else logits.argmax(axis=1)


def _posed(cell: Sizes, draw: np.random.Generator) -> tuple[Protocol, np.ndarray, np.ndarray]:
    """The protocol, random inputs (samples, inputs), and what the machines should put out, (samples, machines, width)."""
    machines, share, letters = cell.machines, cell.share, cell.letters
    match cell.problem:
        case "prefix sums":
            return prefix_sum_rounds(machines, share, letters), *parallel.prefix_sums(draw, cell.samples, machines, letters)
        case "sorting":
            drawn = parallel.sorted_shares(draw, cell.samples, machines, share, letters)
            return sorting_rounds(machines, share, letters), *drawn
        case "components":
            return cycle_components(machines), *parallel.cycle_minima(draw, cell.samples, machines)


CONTROLS = (
    control("one round fewer", "the protocol needs a round less", instead={"wrong": "wrong_before"}),
    control("half the memory", "half as many power sums carry the words of a round", instead={"layers": "layers_by_half"}),
    control("memory halved", "machines that plan for twice the memory do not overflow", instead={"peak": "peak_of_double"}),
)
RIVALS = (
    off_by(-1, of="layers", name="a layer a round", statement="R layers suffice, without one for the input"),
    off_by(-1, of="words", name="a word less", statement="a word less of memory suffices"),
    rival(
        "no trees",
        lambda cell, given: Prediction([2 * given["model"].depth] * len(cell.memories), of="rounds", dims=("memory",)),
        "two rounds a layer, whatever the memory",
    ),
)
