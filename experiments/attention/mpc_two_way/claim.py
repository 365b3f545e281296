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

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, off_by, rival
from experiments.attention.mpc_two_way.common import HOPS
from theory import bounds
from theory.attention.hops import hop_width
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


def _network(cell: Sizes) -> tuple[int, int, int]:
    """Layers, residual directions and values of a head of the network that solves a problem of the same kind."""
    match cell.problem:
        case "prefix sums":  # directions: begin, one, the word and what is read
            return 1, 4, 1
        case "sorting":  # and two numbers of a machine in bits, its own and that of the machine to which its word goes
            return 4, 4 + 2 * cell.length.bit_length(), 1
        case "components":
            return int(bounds.hop(HOPS, "strict").at()), hop_width(cell.alphabet, "strict", HOPS), 2  # pointer and letter


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Layers and words of the protocol, rounds and words of the network, and no wrong output of any."""
    layers, width, values = _network(cell)
    rounds = protocol_rounds(cell.problem, cell.machines, cell.share)
    words = protocol_memory(cell.problem, cell.share)
    memories = [states * width for states in cell.memories]
    back = [bounds.attention_rounds(layers, cell.length + 1, width, s, values).at() for s in memories]
    return (
        Prediction(int(bounds.mpc(rounds, words, cell.machines, cell.inputs).at()), of="layers", formula="R + 1"),
        Prediction(words, of="words", formula="s"),
        Prediction(0, of="wrong"),
        Prediction([int(number) for number in back], of="rounds", dims=("memory",), formula=r"2 L \lceil\log_g N\rceil"),
        Prediction(memories, of="peak", dims=("memory",), relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction([0] * len(memories), of="wrong_back", dims=("memory",)),
    )


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
        lambda cell: Prediction([2 * _network(cell)[0]] * len(cell.memories), of="rounds", dims=("memory",)),
        "two rounds a layer, whatever the memory",
    ),
)
