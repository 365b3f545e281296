r"""A loop is worth as much as all written tokens before it: r loops and c tokens read words of (c + 1) 2^r letters.

Statement: A looped network with explicit softmax weights, one layer repeated r times and one further layer, answers with the
    state of an automaton after T letters once it has written ceil(T / 2^r) - 1 states, and not after fewer. So T - 1 written
    tokens need no loop, and ceil(log2 T) loops need no token. Of the layers run one after the other, T or 1 + ceil(log2 T),
    loops need fewer from T = 4 on, and as many before.
    $$ c(T, r) = \lceil T / 2^r \rceil - 1 $$
Hypotheses: the letters permute the states; numbers are rounded in every layer; a written token names a state; the weights are
    built for the length of the word and the number of tokens, and the loops of a pass are the same in every pass.
Source: Xu, Sato, “A Formal Comparison Between Chain of Thought and Latent Thought”, arXiv 2509.25239 (version 1) and 2505.19245
    (version 2): loops follow the depth of a graph, written tokens its size; the numbers and the weights are derived here.
Refuted by: a length and a number of loops at which fewer tokens are enough or as many are not, or an automaton of another group
    than the one of its name.
Cost: quick 15 s on one core, full about 20 min.

A pass is the network on the word and all that it has written. After r loops a position knows the map of a block of 2^r letters;
the last layer applies the map of one block to the state that the last token names. "Fewer" means fewer of this construction. No
network of constant depth does products in S5 with few tokens and few loops unless TC0 is NC1; nothing here speaks of that.
The other direction is that of `composition_needs_depth`: tables that come in order cannot be composed ahead, and k of them take
k + 1 loops of one layer under the causal mask, or k written tokens. The sources' gain of sampled tokens in approximate counting
is another task, and no part of this claim.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, whole
from experiments.groups import order_and_classes, square_roots_of_one
from theory import bounds
from theory.automata import semiautomaton

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis; every length up to the longest; words of each."""

    automaton: str = axis("S5")
    longest: int = 18
    words: int = 32

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths that are judged."""
        return tuple(range(1, self.longest + 1))

    @property
    def loops(self) -> tuple[int, ...]:
        """Loops that are judged, up to those that need no token."""
        return tuple(range((self.longest - 1).bit_length() + 1))


DOMAIN = domain(
    automaton=among("C3", "C5", "D3", "D4", "D5", "A4", "S4", "A5", "S5"),
    longest=whole(3, 256, quick=17, test=6),
    counts={"quick": 1, "full": 4},
)
GRIDS = {
    "test": Sizes(automaton=axis("D3"), longest=6),
    "quick": Sizes(),
    "full": Sizes(automaton=axis("S5"), longest=256, words=16),
    "paper": Sizes(automaton=axis("S5", "D4", "A5"), longest=256, words=64),
}


def objects(cell: Sizes) -> np.ndarray:
    """Next states, table[state, letter]."""
    return np.asarray(semiautomaton(str(cell.automaton)).table)


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """Written tokens by loops and length, what either needs without the other, and the maps of the group's name."""
    moves = (np.sort(table, axis=0) == np.arange(len(table))[:, None]).all()
    permutes = (Hypothesis("the letters permute the states", bool(moves)),)
    tokens = [[bounds.tokens_after_loops(length, loops).at() for length in cell.lengths] for loops in cell.loops]
    alone = [bounds.scan(length).at() for length in cell.lengths]
    return (
        Prediction(tokens, of="tokens", dims=("loops", "length"), hypotheses=permutes, formula=r"\lceil T / 2^r \rceil - 1"),
        Prediction(alone, of="without_tokens", dims=("length",), hypotheses=permutes, formula=r"\lceil \log_2 T \rceil"),
        Prediction(_staying(cell), of="staying", dims=("few", "length"), hypotheses=permutes),
        Prediction(_hidden(cell), of="hidden", dims=("loops", "length"), hypotheses=permutes),
        Prediction(tokens[0], of="without_loops", dims=("length",), hypotheses=permutes, formula="T - 1"),
        # of the group by its name
        Prediction([order_and_classes(cell.automaton)[0], square_roots_of_one(cell.automaton)], of="maps", dims=("of",)),
    )


def _staying(cell: Sizes) -> list[list[int]]:
    """Tokens of no loop and of one if no pointer moves. A second loop takes a letter twice, which some groups do not notice."""
    return [[-(-length // 2**loops) - 1 for length in cell.lengths] for loops in cell.loops if loops < 2]


def _hidden(cell: Sizes) -> list[list[int]]:
    """Tokens if each shows the first state: none if the loops read the word, and otherwise no number is enough."""
    return [[length * (length > 2**loops) for length in cell.lengths] for loops in cell.loops]


CONTROLS = (
    control(
        "pointers that stay",
        "a loop is worth as much if no pointer moves",
        measure="pointers_that_stay",
        finds=lambda cell, table: Prediction(_staying(cell), of="of_few", dims=("few", "length")),
    ),
    control("tokens hidden", "it does not matter what is written", instead={"tokens": "hidden"}),
)


def _tokens(worth):
    """Tokens if so many loops are worth a block of so many letters; nothing where all words are of three letters or fewer.

    Those are one block of two loops by either count.
    """

    def predicted(cell: Sizes, table: np.ndarray) -> Prediction | None:
        tokens = [[-(-length // worth(loops)) - 1 for length in cell.lengths] for loops in cell.loops]
        return Prediction(tokens, of="tokens", dims=("loops", "length")) if cell.longest > 3 else None

    return predicted


RIVALS = (
    rival("a letter a loop", _tokens(lambda loops: loops + 1), "every loop reads one further letter"),
    rival("blocks of 2^(r + 1)", _tokens(lambda loops: 2 ** (loops + 1)), "the last layer doubles a block as well"),
    off_by(-1, of="without_tokens", name="a loop fewer", statement="one loop fewer needs no token"),
    off_by(+1, of="tokens", name="a token a letter", statement="the answer itself is written"),
)
