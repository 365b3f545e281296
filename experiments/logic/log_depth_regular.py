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
would separate TC0 from NC1.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.doubling.looped import looped_automaton
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, padded_table
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, claim, control, measured, off_by, rival
from theory import bounds
from theory.automata import semiautomaton
from theory.automata.forgetting import forgetting_word
from theory.floats import MANTISSAS

CLAIM = claim(Relation.EQUALS, needs_float64=True)

NAMES = ("parity", "abab", "dyck3", "D4", "A5", "S5")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis, all padded to as many states and letters; lengths are powers of two, and one more."""

    automaton: tuple[str, ...] | str = NAMES
    longest: int = 65
    every: int = 8  # all words of so many letters
    samples: int = 12
    states: int = 5
    letters: int = 2

    @property
    def lengths(self) -> list[int]:
        """The lengths that are judged."""
        powers = (2**i for i in range(self.longest.bit_length()))
        return sorted({n for power in powers for n in (power, power + 1) if n <= self.longest})


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
    table = padded_table(automaton.table[:, letters], cell.states, cell.letters)
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
        dataclasses.replace(_published(cell, given), resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(int(bounds.looped_doubling(cell.every).at()), of="short_layers", hypotheses=checks),
        Prediction(0, of="wrong_states"),
    )


def _published(cell: Sizes, given: dict) -> Prediction:
    return Prediction([int(bounds.regular_language(n).at()) for n in cell.lengths], of="layers", dims=("letters",))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The layers from which on nothing is wrong, by length and over all words of a few letters."""
    random = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    words = np.concatenate([_hanging(cell, given), random.integers(0, cell.letters, (cell.samples, cell.longest))])
    wrong = _wrong(given["table"], words, cell)
    layers = [_needed(wrong[:, :, :length]) for length in cell.lengths]
    short = _wrong_in_short_words(cell, given)
    return measured(
        layers=Quantity(layers, "letters", label="attention layers from which on all states are right"),
        short_layers=Quantity(_needed(short), label=f"the same, for all words of {cell.every} letters"),
        wrong_states=Quantity(short[-1].sum(), label=f"wrong states in all words of {cell.every} letters, last layer"),
        letters=Quantity(cell.lengths, "letters", label="letters"),
    )


_true_states = jax.jit(prefix_products)


def _hanging(cell: Sizes, given: dict) -> np.ndarray:
    """As many words for all automata, so that they share a program: a word twice does no harm."""
    return np.resize(given["hanging"], (len(cell.lengths) - 1, cell.longest))


def _wrong(table: np.ndarray, words: np.ndarray, cell: Sizes, begin: bool = True, dtype: str = "float64") -> np.ndarray:
    """Whether a state is wrong, after the counting layer and after each repetition: shape (layers, words, letters)."""
    machine = looped_automaton(table, dtype=jnp.dtype(dtype))
    read = np.asarray(machine.states(jnp.asarray(words), cell.longest.bit_length(), begin, within_reach=False))
    return read != np.asarray(_true_states(jnp.asarray(table), jnp.asarray(words)))


def _wrong_in_short_words(cell: Sizes, given: dict, begin: bool = True) -> np.ndarray:
    return _wrong(given["table"], np.asarray(all_words(cell.letters, cell.every)), cell, begin)


def _needed(wrong: np.ndarray) -> int:
    """The layers from which on nothing is wrong: 1 if the counting layer is enough."""
    erring = wrong.any(axis=(1, 2))
    return 2 + int(np.flatnonzero(erring).max()) if erring.any() else 1


def _without_begin(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    short = _wrong_in_short_words(cell, given, begin=False)
    return measured(wrong_states=Quantity(short[-1].sum()), short_layers=Quantity(_needed(short)))


def _single_precision(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    wrong = _wrong(given["table"], _hanging(cell, given), cell, dtype="float32")
    return measured(layers=Quantity(_needed(wrong)))


def _longest_layers(cell: Sizes, given: dict) -> Prediction | None:
    """The layers of the longest words, where letters permute the states: elsewhere a wrong block may do no harm."""
    permutes = (np.sort(given["table"], axis=0) == np.arange(cell.states)[:, None]).all()
    return Prediction(int(bounds.looped_doubling(cell.longest).at()), of="layers") if permutes else None


CONTROLS = (
    control("no begin token", "the same layers read all short words without a token that begins them", measure=_without_begin),
    control(
        "float32 is enough",
        "the pointers of the longest words can be told apart in float32 (automata whose letters permute)",
        measure=_single_precision,
        predict=_longest_layers,
    ),
)
RIVALS = (
    off_by(-1, of=("layers", "short_layers"), name="one layer fewer", statement="ceil(log2 n) layers are enough"),
    rival("the published number is needed", _published, "4 ceil(log2 n) + 5 layers are needed"),
)
