r"""A looped transformer without positions reads any regular language in 1 + ceil(log2 n) layers.

Statement: Take averaging hard attention, masked pre-norm and a token that begins the word, but no positions. One layer that
    counts and one layer that is repeated ceil(log2 n) times give all states of any automaton on words of length n; one
    repetition fewer errs. The published machine of the same model has 4 ceil(log2 n) + 5 layers.
    $$ L(n) = 1 + \lceil \log_2 n \rceil \;\le\; 4 \lceil \log_2 n \rceil + 5 $$
Hypotheses: finitely many states; a word whose first letters matter to its last state (checked by exact search); float64, in
    which the pointers of the longest word differ by more than rounding (checked).
Source: Merrill, Sabharwal, “A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers”, arXiv 2503.03961,
    the model and 4 ceil(log2 n) + 5 (Corollary 1.1, an upper bound); the shorter machine is derived here.
Refuted by: a wrong state with 1 + ceil(log2 n) layers, or no wrong state with fewer.
Cost: quick 5 s on one core, full about 2 min.

Why so few. The published machine has 4 ceil(log2 n) + 5 layers, 8 ceil(log2 n) + 9 if its layers repeat: ceil(log2 n) + 1
levels of a tree with four layers each (the position before; what it holds; the last block whose turn it was; the product, with
cells cleared), eight where whose turn it is must be found by a count modulo two, and a layer for the answer. Here a position
keeps a pointer to the first letter of the block that it knows. The direction (s, 1) of this pointer is all that hard attention
needs to find position s - 1, so that a level is one lookup, and nobody waits for a turn
(`depthjax.constructions.doubling.looped`).

Measured are, for each length, the layers from which on all states are right: over random words, and over words that an exact
search finds for each length. These words end in another state when all but the last 2^i letters are left out, with 2^i the
largest power of two below the length. That fewer layers fail is a statement about this machine; a lower bound for all networks
would separate TC0 from NC1. In all words of a few letters the wrong states are counted after every layer and predicted: a
position knows the last 2^i letters. Without the token the first layer errs as often, for it knows one letter anyhow, and the
last layer still errs.
"""

import dataclasses
import itertools

import numpy as np

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, among, claim, control, domain, off_by, rival, whole
from experiments.logic.log_depth_regular.forgetting import forgetting_word
from theory import bounds
from theory.automata import semiautomaton
from theory.floats import MANTISSAS

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "layers"

NAMES = ("parity", "abab", "dyck3", "D4", "A5", "S5")
BETWEEN = 6, 7, 11, 14, 23, 46  # lengths that are neither powers of two nor one more
FURTHER = ("C3", "C5", "D3", "D5", "S4", "A4", "gridworld3", "gridworld5", "dyck2")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis, all padded to as many states and letters; lengths are powers of two, one more, and others."""

    automaton: tuple[str, ...] | str = NAMES
    longest: int = 65
    every: int = 8  # all words of this many letters
    samples: int = 12
    states: int = 5
    letters: int = 2

    @property
    def lengths(self) -> list[int]:
        """The lengths that are judged."""
        powers = (2**i for i in range(self.longest.bit_length()))
        return sorted({n for n in (*BETWEEN, *(power + more for power in powers for more in (0, 1))) if n <= self.longest})

    @property
    def short_layers(self) -> int:
        """As many layers as read all words of a few letters."""
        return 1 + (self.every - 1).bit_length()


DOMAIN = domain(automaton=among(*NAMES, *FURTHER), longest=whole(3, 600, quick=100, test=40))
GRIDS = {
    "test": Sizes(automaton=("D4",), every=5, samples=2),
    "quick": Sizes(),
    "full": Sizes(longest=513, every=12, samples=40),
    "paper": Sizes(longest=2049, every=14, samples=20),
}


def objects(cell: Sizes) -> dict:
    """Two letters of the automaton, first those that move a state; for each length a word that hangs on its first letters."""
    automaton = semiautomaton(str(cell.automaton))
    moving = [x for x in range(automaton.num_letters) if (automaton.table[:, x] != np.arange(automaton.num_states)).any()]
    letters = (moving + [x for x in range(automaton.num_letters) if x not in moving])[: cell.letters]
    table = automaton.table[:, letters]
    kept = {length: 1 << ((length - 1).bit_length() - 1) for length in cell.lengths if length > 1}
    words = [forgetting_word(table, length - last, last) for length, last in kept.items()]
    hanging = [np.pad(np.array(word), (0, cell.longest - len(word))) for word in words if word is not None]
    return {"table": table, "hanging": np.array(hanging).reshape(-1, cell.longest), "found": None not in words}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The layers for each length; the published number above them; nothing wrong in all short words, with as many layers."""
    machine = bounds.looped_doubling(cell.longest, MANTISSAS["float64"])
    checks = (
        Hypothesis("for each length a word hangs on its first letters", given["found"]),
        *(Hypothesis(text, holds) for text, holds in machine.check()),
    )
    layers = [int(bounds.looped_doubling(n).at()) for n in cell.lengths]
    return (
        Prediction(layers, of="layers", dims=("letters",), hypotheses=checks),
        Prediction(layers, of="layers_of_hanging", dims=("letters",), hypotheses=checks),
        dataclasses.replace(_published(cell, given), resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(int(bounds.looped_doubling(cell.every).at()), of="short_layers", hypotheses=checks),
        Prediction(cell.every * cell.letters**cell.every, of="right_states"),
        # a word for each length but 1, and random ones
        Prediction(cell.longest * (len(cell.lengths) - 1 + cell.samples), of="right_states_of_long"),
        Prediction(
            [_wrong(given["table"], cell, 2**layer) for layer in range(cell.short_layers)], of="wrong_by_layer", dims=("layer",)
        ),
        Prediction(_wrong(given["table"], cell, 1), of="first_without_begin"),
        Prediction(cell.every.bit_length() + 2, of="layers_without_begin"),
    )


def _wrong(table: np.ndarray, cell: Sizes, last: int) -> int:
    """How many states of all words of a few letters are wrong if a position knows so many letters, the last ones."""
    wrong = 0
    for word in itertools.product(range(cell.letters), repeat=cell.every):
        for end in range(last, cell.every):
            whole = known = 0
            for place, letter in enumerate(word[: end + 1]):
                whole = table[whole, letter]
                known = table[known, letter] if place > end - last else 0
            wrong += int(whole != known)
    return wrong


def _published(cell: Sizes, given: dict) -> Prediction:
    return Prediction([int(bounds.regular_language(n).at()) for n in cell.lengths], of="layers", dims=("letters",))


def _longest_layers(cell: Sizes, given: dict) -> Prediction | None:
    """The layers of the longest words, where letters permute the states: elsewhere a wrong block may do no harm."""
    permutes = (np.sort(given["table"], axis=0) == np.arange(len(given["table"]))[:, None]).all()
    return Prediction(int(bounds.looped_doubling(cell.longest).at()), of="layers") if permutes else None


def _single(cell: Sizes, given: dict) -> Prediction:
    """Up to the lengths whose pointers float32 tells apart, float32 is enough."""
    single = {length: bounds.looped_doubling(length, MANTISSAS["float32"]) for length in cell.lengths}
    safe = [length for length, bound in single.items() if all(holds for _, holds in bound.check())]
    return Prediction([int(bounds.looped_doubling(length).at()) for length in safe], of="layers_of_short", dims=("short",))


CONTROLS = (
    control(
        "no begin token",
        "the same layers read all short words without a token that begins them",
        instead={"right_states": "right_without_begin", "short_layers": "layers_without_begin"},
    ),
    control(
        "float32 is enough",
        "the pointers of the longest words can be told apart in float32 (automata whose letters permute)",
        measure="single_precision",
        predict=_longest_layers,
        finds=_single,
    ),
)

RIVALS = (
    off_by(-1, of=("layers", "short_layers"), name="one layer fewer", statement="ceil(log2 n) layers are enough"),
    rival("the published number is needed", _published, "4 ceil(log2 n) + 5 layers are needed"),
)
