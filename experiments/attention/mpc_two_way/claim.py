r"""Rounds of parallel computation are layers of attention: R rounds become R + 1 layers, L layers become O(L) rounds.

Statement: A protocol of R rounds on q machines with memory for s words becomes R + 1 layers of attention with q positions and s
    heads of s numbers. L layers of attention on N positions become 2 L ceil(log_g N) rounds of N^2 machines. Their fan-out is
    g = floor(s / 2m) for states of m numbers, where partial results are smaller. Prefix sums of N words, sorting on q = 2^i
    machines and components of cycles on N vertices take the rounds below, for every N.
    $$ R \to R + 1, \quad L \to 2 L \lceil \log_g N \rceil, \quad
       \lceil \log_s N \rceil, \quad \tfrac12 \log_2 q\,(\log_2 q + 1), \quad \lfloor \log_2 N \rfloor $$
Hypotheses: the input fits the machines; no machine sends or receives more words than its memory holds; feed-forward parts
    compute anything; numbers are exact up to the power sums of s words.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, Theorems 3.1
    and 3.4; protocols, trees and constants are derived here.
Refuted by: a wrong output of either simulation, another number of layers, rounds or words, or a machine that overflows.
Cost: quick 12 s on one core, full about a minute.

Derivations in `theory.attention.rounds`. The other branch of the fan-out, floor((s - m) / c) for partial results of c numbers,
never binds in the networks that run here, and nothing is said of it. Each protocol runs natively, with every word counted, and
by attention, where the words of a round travel as power sums. The other way, a machine simulation runs networks that solve the
same kind of problem (prefix sums, sorting, three hops) and counts what every machine sends and receives. How many outputs
are wrong before the last round is predicted by what a machine can have heard of by then (`posed`).
"""

import dataclasses
import random
from typing import Literal

import numpy as np

from depthjax.verify import (
    UNSHARP,
    Grid,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    drawn,
    off_by,
    rival,
    whole,
)
from depthjax.verify.domain import Values
from experiments.attention.mpc_two_way.posed import inputs, outputs, single_answers
from theory import bounds
from theory.attention.hops import hop_width
from theory.attention.rounds import protocol_memory, protocol_rounds

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "layers"
HOPS = 3  # of the network for components: a chain of pointers is a problem of the same kind


def _machines(most: int, **within: Values) -> Values:
    """A number of machines; half of the draws are powers of two, which sorting asks for."""

    def draw(source: random.Random) -> int:
        return source.choice((source.randrange(4, most + 1), 1 << source.randrange(2, most.bit_length())))

    return drawn(draw, f"every whole number from 4 to {most}, half of them powers of two", **within)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Problem; machines; what one sorts, or fan-out of sums; letters; samples; alphabet, length and memories of networks."""

    problem: Literal["prefix sums", "sorting", "components"] = axis("prefix sums", "sorting", "components")
    machines: int = axis(9, 13, 16)
    share: int = axis(3)
    letters: int = 8
    samples: int = 24
    alphabet: int = 4
    length: int = 13
    states: int = 7
    doublings: int = 4
    draw: int = 0

    @property
    def memories(self) -> tuple[int, ...]:
        """Words of memory, in states of the network: the least, and doubled."""
        return tuple(self.states << k for k in range(self.doublings))

    @property
    def inputs(self) -> int:
        """Input words of the protocol."""
        return self.machines * (self.share if self.problem == "sorting" else 1)

    def allows(self) -> bool:
        """Whether a bitonic network pairs the machines, and components, which have no share, are counted once.

        Sums on 13 machines in threes take the rounds of 16, and are left out.
        """
        match self.problem:
            case "sorting":
                return self.machines == 1 << self.machines.bit_length() - 1
            case "components":
                return self.share == 3
        return self.machines != 13 or self.share != 3


DOMAIN = domain(
    problem=among("prefix sums", "sorting", "components"),
    machines=_machines(40, quick=_machines(20), test=_machines(9)),
    share=whole(2, 4, quick=3),
    letters=whole(3, 9),
    alphabet=whole(2, 6),
    length=whole(6, 24, quick=14, test=8),
    states=whole(4, 9),
    draw=whole(0, 9999),
    where={"memory is no more than all states": lambda cell: cell.states <= 2 * (cell.length + 1)},
)
# 9 and 16 machines with memory 3, and 14 positions with fan-outs 3, 7, 14, 28 tell floor, ceiling and exact powers apart;
# the logarithm of 13 machines to base 2 is nearer to 4, and is rounded down
GRIDS = {
    "test": Sizes(machines=axis(16), samples=16, length=6, doublings=2),
    "quick": Sizes(),
    "full": Sizes(machines=axis(5, 9, 11, 16, 31), share=axis(2, 3, 4), samples=256, length=24, doublings=5),
    "paper": Sizes(machines=axis(9, 11, 16, 31), share=axis(2, 3, 4), samples=1024, length=40, doublings=6),
}


def _network(cell: Sizes) -> tuple[int, int, int]:
    """Layers, residual directions and values of a head of the network that solves a problem of the same kind."""
    match cell.problem:
        case "prefix sums":  # directions: begin, one, the word and what is read
            return 1, 4, 1
        case "sorting":  # and two numbers of a machine in bits, its own and that of the machine to which its word goes
            return 4, 4 + 2 * cell.length.bit_length(), 1
        case "components":
            return int(bounds.hop(HOPS, "strict").at()), hop_width(cell.alphabet, "strict", HOPS), 2  # pointer and letter


def objects(cell: Sizes) -> dict:
    """Random inputs of the protocol, and a random word for the network."""
    draw = np.random.default_rng([cell.machines, cell.share, cell.letters, cell.draw])
    words = inputs(cell.problem, draw, cell.samples, cell.machines, cell.share, cell.letters)
    return {"words": words, "word": draw.integers(0, cell.alphabet, cell.length)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Layers and words of the protocol, rounds and words of the network, and the wrong outputs of the rounds before."""
    layers, width, values = _network(cell)
    rounds = protocol_rounds(cell.problem, cell.machines, cell.share)
    words = protocol_memory(cell.problem, cell.share)
    memories = [states * width for states in cell.memories]
    back = [bounds.attention_rounds(layers, cell.length + 1, width, s, values).at() for s in memories]
    found = outputs(cell.problem, given["words"], cell.machines, cell.share, rounds)
    wrong = (found != found[:, -1:]).sum(axis=(2, 3))
    answers = single_answers(cell.problem, given["word"], HOPS, cell.alphabet)
    return (
        Prediction(int(bounds.mpc(rounds, words, cell.machines, cell.inputs).at()), of="layers", formula="R + 1"),
        Prediction(words, of="words", formula="s"),
        Prediction(0, of="wrong"),
        Prediction(int(wrong[:, -2].sum() + wrong[0, -2]), of="wrong_before"),
        Prediction(wrong.sum(axis=1), of="wrong_by_attention", dims=("sample",)),
        Prediction(int(wrong[0].sum()), of="wrong_of_machines"),
        Prediction(found[:, -1].sum(axis=(1, 2)), of="right_outputs", dims=("sample",)),
        Prediction([int(number) for number in back], of="rounds", dims=("memory",), formula=r"2 L \lceil\log_g N\rceil"),
        Prediction(memories, of="peak", dims=("memory",), relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction([_sent(cell, states) for states in cell.memories], of="sent", dims=("memory",), formula=r"2 m \min(g, N)"),
        Prediction([_sent(cell, 2 * states) for states in cell.memories], of="peak_of_double", dims=("memory",)),
        Prediction([cell.length] * len(memories), of="right_back", dims=("memory",)),
        Prediction(int((1 + np.arange(cell.length)) @ answers), of="answers", formula=r"\sum_i i\, y_i"),
    )


def _sent(cell: Sizes, states: int) -> int:
    """The most words that a machine of the network sends or receives, if it plans for so many states in its memory.

    In the first round a diagonal machine sends its state along its row and along its column, to half as many each as it plans
    for, or to the whole row. No machine receives as much later: partial results are smaller than two states.
    """
    return 2 * _network(cell)[1] * min(states // 2, cell.length + 1)


def _two_a_level(cell: Sizes) -> int:
    return 2 * (cell.machines.bit_length() - 1) + 1


def _rounded_otherwise(cell: Sizes) -> int:
    """The layers if the rounds of sums were rounded down, and those of components up."""
    base = cell.share if cell.problem == "prefix sums" else 2
    up = next(t for t in range(cell.machines) if base**t >= cell.machines)
    down = up - (base**up > cell.machines)
    return (down if cell.problem == "prefix sums" else up) + 1


def _never(cell: Sizes, given: dict) -> Prediction:
    """One layer more than there are: half of the power sums make another word even of one that travels alone."""
    return Prediction(protocol_rounds(cell.problem, cell.machines, cell.share) + 2, of="layers")


CONTROLS = (
    control("one round fewer", "the protocol needs a round less", instead={"wrong": "wrong_before"}),
    control("half the memory", "half as many power sums carry the words of a round", measure="half_the_memory", finds=_never),
    control("memory halved", "machines that plan for twice the memory do not overflow", instead={"peak": "peak_of_double"}),
)

RIVALS = (
    off_by(-1, of="layers", name="a layer a round", statement="R layers suffice, without one for the input"),
    rival(
        "two rounds a level",
        lambda cell, given: Prediction(_two_a_level(cell), of="layers") if cell.problem == "sorting" else None,
        "a bitonic network takes two rows of comparators a level, as on four and on eight machines it nearly does",
        everywhere=False,
    ),
    rival(
        "powers of two",
        lambda cell, given: Prediction(_rounded_otherwise(cell), of="layers") if cell.problem != "sorting" else None,
        "logarithms of machines that are no powers are rounded the other way",
        everywhere=False,
    ),
    off_by(-1, of="words", name="a word less", statement="a word less of memory suffices"),
    rival(
        "no trees",
        lambda cell, given: Prediction([2 * _network(cell)[0]] * len(cell.memories), of="rounds", dims=("memory",)),
        "two rounds a layer, whatever the memory",
    ),
)
