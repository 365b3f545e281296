r"""A network that reads one position a layer follows (c + 1)(2^r - 1) letters with r loops and c written tokens, and no more.

Statement: A looped network with explicit softmax weights, one layer repeated r times, answers with the state of an automaton
    after T letters once it has written ceil(T / (2^r - 1)) - 1 states. No network does with fewer whose layers let a position
    read one position beside itself, whatever it writes. So with one loop T - 1 tokens are written, and ceil(log2(T + 1)) loops
    need no token. Of the layers run one after the other, T or ceil(log2(T + 1)), loops need fewer from T = 3 on, and as many
    before.
    $$ c(T, r) = \lceil T / (2^r - 1) \rceil - 1 $$
Hypotheses: the letters permute the states, and some states at which two letters differ lead to such states again; behind the
    word stands a token that names the state from which it begins; in the network that answers, numbers are rounded in every
    layer, a token names a state, and the weights are built for the length of the word and the number of tokens; in all others a
    position names the one it reads by what it knows.
Source: derived here, both sides; Xu, Sato, “A Formal Comparison Between Chain of Thought and Latent Thought”, arXiv 2509.25239
    (version 1) and 2505.19245 (version 2), compare loops, which follow the depth of a graph, with tokens, which follow its
    size.
Refuted by: a length and a number of loops at which fewer tokens are enough or as many are not, a network of the kind whose
    answer depends on 2^r letters, or an automaton of another group than the one of its name.
Cost: quick 20 s on one core, full about 40 min.

A pass is the network on the word and all that it has written. A letter knows the map of a block that doubles in every loop, and
a token goes through blocks of 1, 2, 4, ... letters. That no network needs less is a theorem (`theory.attention.loops`): what a
pass knows depends on 2^r positions, its own token among them, and the state depends on every letter. Here random networks of
the kind are asked on how many letters they depend, beside those that read two positions in a layer. The theorem is not about
attention that weighs all positions by what they hold: no network of constant depth does products in S5 with few tokens and few
loops unless TC0 is not NC1, and nothing here speaks of that.

An earlier form of this claim said (c + 1) 2^r letters of r loops and one further layer, of one family of weights alone. The
same layers go through nearly twice as many letters, since a token can read in every loop and not only in the last layer.

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
HEADLINE = "without_tokens"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis; every length up to the longest; words of each, an even number."""

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
        return tuple(range(1, self.longest.bit_length() + 1))

    @property
    def changed(self) -> int:
        """Letters of the words of which every letter is changed."""
        return min(self.longest, 24)


DOMAIN = domain(
    automaton=among("C2", "C3", "C4", "C5", "D3", "D4", "D5", "A4", "S4", "A5", "S5"),
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
    """Written tokens by loops and length, loops without tokens, letters read, and the maps of the group's name."""
    moves = (np.sort(table, axis=0) == np.arange(len(table))[:, None]).all()
    permutes = (Hypothesis("the letters permute the states", bool(moves)),)
    tells = (*permutes, Hypothesis("states at which two letters differ lead to such states", _tells(table)))
    tokens = [[bounds.tokens_after_loops(length, loops).at() for length in cell.lengths] for loops in cell.loops]
    alone = [bounds.scan(length + 1).at() for length in cell.lengths]
    one, two = ([min(cell.longest, (reads + 1) ** loops - 1) for loops in cell.loops] for reads in (1, 2))
    return (
        Prediction(tokens, of="tokens", dims=("loops", "length"), hypotheses=tells, formula=r"\lceil T / (2^r - 1) \rceil - 1"),
        Prediction(alone, of="without_tokens", dims=("length",), hypotheses=tells, formula=r"\lceil \log_2 (T + 1) \rceil"),
        Prediction(_hidden(cell), of="hidden", dims=("loops", "length"), hypotheses=tells),
        Prediction([min(cell.changed, 2**loops - 1) for loops in cell.loops], of="read", dims=("loops",), hypotheses=tells),
        Prediction(one, of="read_by_others", dims=("loops",), relation=Relation.AT_MOST, formula="2^r - 1"),
        Prediction(two, of="read_in_twos", dims=("loops",), relation=Relation.AT_MOST, formula="3^r - 1"),
        # of the group by its name
        Prediction([order_and_classes(cell.automaton)[0], square_roots_of_one(cell.automaton)], of="maps", dims=("of",)),
    )


def _tells(table: np.ndarray) -> bool:
    """Whether a word of every length exists at each letter of which another letter would lead to another state."""
    telling, before = {q for q, row in enumerate(table) if len(set(row)) > 1}, None
    while telling != before:
        before, telling = telling, {q for q in telling if telling & set(table[q])}
    return bool(telling)


def _hidden(cell: Sizes) -> list[list[int]]:
    """Tokens if each shows the first state: none if the loops read the word, and otherwise no number is enough."""
    return [[length * (length >= 2**loops) for length in cell.lengths] for loops in cell.loops]


def _tokens(worth):
    """Tokens if so many loops are worth so many letters."""

    def predicted(cell: Sizes, table: np.ndarray | None = None, of: str = "tokens") -> Prediction:
        tokens = [[-(-length // worth(loops)) - 1 for length in cell.lengths] for loops in cell.loops]
        return Prediction(tokens, of=of, dims=("loops", "length"))

    return predicted


CONTROLS = (
    control(
        "letters alone",
        "a loop is worth as much if letters know no blocks",
        measure="letters_alone",
        finds=lambda cell, table: _tokens(lambda loops: loops)(cell, of="walked"),
    ),
    control("tokens hidden", "it does not matter what is written", instead={"tokens": "hidden"}),
    control(
        "two positions a layer",
        "networks that read two positions in a layer depend on no more letters",
        instead={"read_by_others": "read_in_twos"},
    ),
)
RIVALS = (
    rival("a letter a loop", _tokens(lambda loops: loops), "every loop reads one further letter"),
    rival("blocks of 2^r", _tokens(lambda loops: 2**loops), "a pass reads 2^r letters, its token beside them"),
    rival("blocks of 2^(r - 1)", _tokens(lambda loops: 2 ** (loops - 1)), "a token reads in the last loop alone"),
    off_by(-1, of="without_tokens", name="a loop fewer", statement="one loop fewer needs no token"),
    off_by(+1, of="tokens", name="a token a letter", statement="the answer itself is written"),
    off_by(-1, of="read", name="a letter fewer", statement="a pass depends on 2^r - 2 letters"),
)
