r"""A looped transformer without positions reads any regular language in 1 + ceil(log2 n) layers, not 4 ceil(log2 n) + 5.

Statement: in the model of the literature on logarithmic depth (averaging hard attention, causal mask, masked pre-norm, a token
that begins the word, no positions) explicit weights give the state of any automaton at every letter of a word of length n in

    1 + ceil(log2 n)

layers: one that counts, then one and the same layer for each doubling. One repetition fewer errs on a word that is exhibited.

Why so few. The published machine has 4 ceil(log2 n) + 5 layers, 8 ceil(log2 n) + 9 if its layers repeat: ceil(log2 n) + 1
levels of a tree with four layers each (the position before; what it holds; the last block whose turn it was; the product, with
cells cleared), eight where whose turn it is must be found by a count modulo two, and a layer for the answer. Here a position
keeps a pointer to the first letter of the block that it knows. Its direction (s, 1) is all that hard attention needs to find
position s - 1, so that a level is one lookup, and nobody waits for a turn (`depthjax.constructions.looped_doubling`).

Measured: for each length the layers from which on all states are right, over all words of 8 letters, random words, and for each
length the words that an exact search finds: they end differently when the letters that one repetition fewer does not see are
left out. That fewer layers fail is a statement about this machine; a lower bound for all networks would separate TC0 from NC1.

Hypotheses: float64, up to some 4000 letters (checked). Source: model and published count of Merrill, Sabharwal, arXiv
2503.03961, Theorem 1 and Corollary 1.1; machine derived here. Refuted by: a wrong state with that many layers, or none with
fewer. Cost: 5 s on a CPU.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.looped_doubling import looped_automaton
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, padded_table
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source
from theory import bounds
from theory.automata import semiautomaton
from theory.automata.forgetting import forgetting_word

CLAIM = Claim(
    slug="log_depth_regular",
    title="A looped transformer without positions reads any regular language in 1 + ceil(log2 n) layers",
    statement=(
        "With averaging hard attention, masked pre-norm and a begin token but no positions, one counting layer and one layer "
        "repeated ceil(log2 n) times give all states of any automaton on words of length n; one repetition fewer errs; the "
        "published machine of the same model has 4 ceil(log2 n) + 5 layers."
    ),
    latex=r"L(n) = 1 + \lceil \log_2 n \rceil \;\le\; 4 \lceil \log_2 n \rceil + 5",
    relation=Relation.EQUALS,
    source=Source(
        "Merrill, Sabharwal",
        "A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers",
        "arXiv 2503.03961",
        "the model and 4 ceil(log2 n) + 5 (Corollary 1.1, an upper bound); the shorter machine is derived here",
    ),
    assumes=(
        "finitely many states; a word whose first letters matter to its last state (checked by exact search)",
        "float64: pointers of the longest word differ by more than rounding (checked)",
    ),
    refuted_by="a wrong state with 1 + ceil(log2 n) layers, or no wrong state with fewer",
    cost="5 s on a CPU at quick size",
    needs_float64=True,
)

NAMES = ("parity", "abab", "dyck3", "D4", "A5", "S5")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell an automaton, all padded to as many states and letters; lengths are powers of two, and one more."""

    automaton: tuple[str, ...] | str = NAMES
    longest: int = 65
    every: int = 8
    samples: int = 12
    states: int = 5
    letters: int = 2


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(longest=513, every=12, samples=40),
    "paper": Sizes(longest=2049, every=14, samples=20),
}


def _lengths(cell: Sizes) -> list[int]:
    powers = (2**i for i in range(cell.longest.bit_length()))
    return sorted({n for power in powers for n in (power, power + 1) if n <= cell.longest})


class Given(NamedTuple):
    """The automaton's table, and for each length but one a word that hangs on the letters that fewer layers do not see."""

    table: np.ndarray
    hanging: np.ndarray
    found: bool


def setting(cell: Sizes) -> Given:
    """Two letters of the automaton: the first that no state ignores, so that words are not idle."""
    automaton = semiautomaton(str(cell.automaton))
    moving = [x for x in range(automaton.num_letters) if (automaton.table[:, x] != np.arange(automaton.num_states)).any()]
    letters = (moving + [x for x in range(automaton.num_letters) if x not in moving])[: cell.letters]
    table = padded_table(automaton.table[:, letters], cell.states, cell.letters)
    words = []
    for length in _lengths(cell):
        if length > 1:
            kept = 1 << (int(bounds.looped_doubling(length).at()) - 2)
            words.append(forgetting_word(table, length - kept, kept))
    room = cell.longest
    hanging = [np.pad(np.array(word), (0, room - len(word))) for word in words if word is not None]
    return Given(table, np.array(hanging).reshape(-1, room), all(word is not None for word in words))


def predict(cell: Sizes, given: Given) -> tuple[Prediction, ...]:
    """The layers for each length; the published number above them; nothing wrong in all short words."""
    bits = bounds.MANTISSAS["float64"]
    checks = (
        Hypothesis("for each length a word hangs on its first letters", given.found),
        *(Hypothesis(text, holds) for text, holds in bounds.looped_doubling(cell.longest, bits).check()),
    )
    published = [int(bounds.regular_language(n).at()) for n in _lengths(cell)]
    return (
        _said([int(bounds.looped_doubling(n).at()) for n in _lengths(cell)], hypotheses=checks),
        _said(published, resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(0, of="wrong_states"),
    )


def _said(layers: list[int], **more) -> Prediction:
    return Prediction(layers, of="layers", dims=("letters",), **more)


def measure(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    """The layers from which on nothing is wrong, by length; wrong states in all words of a few letters."""
    random = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    room, count = cell.longest, len(_lengths(cell)) - 1
    # a word twice does no harm: the shape is the same for all automata
    hanging = np.resize(given.hanging, (count, room))
    words = np.concatenate([hanging, random.integers(0, cell.letters, (cell.samples, room))])
    wrong = _wrong(given.table, words, cell)
    layers = [1 + _last_error(wrong[:, :, :length]) for length in _lengths(cell)]
    short = np.asarray(all_words(cell.letters, cell.every))
    errors = _wrong(given.table, short, cell)[:, :, : cell.every]
    enough = (cell.every - 1).bit_length()
    data = {
        "layers": ("letters", layers, {"long_name": "attention layers from which on all states are right"}),
        "wrong_states": ((), int(errors[enough].sum()), {"long_name": f"wrong states in all words of {cell.every} letters"}),
    }
    return xr.Dataset(data, coords={"letters": ("letters", _lengths(cell), {"long_name": "letters"})})


_true_states = jax.jit(prefix_products)


def _wrong(table: np.ndarray, words: np.ndarray, cell: Sizes, begin: bool = True, dtype: str = "float64") -> np.ndarray:
    """Whether a state is wrong, after the counting layer and after each repetition: shape (layers, words, letters)."""
    machine = looped_automaton(table, dtype=jnp.dtype(dtype))
    repeats = cell.longest.bit_length()
    read = np.asarray(machine.states(jnp.asarray(words), repeats, begin))
    return read != np.asarray(_true_states(jnp.asarray(table), jnp.asarray(words)))


def _last_error(wrong: np.ndarray) -> int:
    """How many layers still err: 0 if the counting layer alone is right."""
    erring = wrong.any(axis=(1, 2))
    return int(np.flatnonzero(erring).max()) + 1 if erring.any() else 0


def _without_begin(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    short = np.asarray(all_words(cell.letters, cell.every))
    return xr.Dataset({"wrong_states": ((), int(_wrong(given.table, short, cell, begin=False)[-1].sum()))})


def _single_precision(cell: Sizes, key: jax.Array, given: Given) -> xr.Dataset:
    wrong = _wrong(given.table, np.resize(given.hanging, (len(_lengths(cell)) - 1, cell.longest)), cell, dtype="float32")
    return xr.Dataset({"wrong_states": ((), int(wrong[-1].sum()))})


def _forgets_nothing(cell: Sizes, given: Given) -> Prediction | None:
    # where letters merge states a wrong block may do no harm
    permutes = (np.sort(given.table, axis=0) == np.arange(cell.states)[:, None]).all()
    return Prediction(0, of="wrong_states") if permutes else None


CONTROLS = (
    Control(
        "one layer fewer",
        "ceil(log2 n) layers are enough",
        lambda cell, given: _said([int(bounds.looped_doubling(n).at()) - 1 for n in _lengths(cell)]),
    ),
    Control(
        "the published number is needed",
        "4 ceil(log2 n) + 5 layers are needed",
        lambda cell, given: _said([int(bounds.regular_language(n).at()) for n in _lengths(cell)]),
    ),
    Control(
        "no begin token",
        "without a token that begins the word the same layers read all short words",
        lambda cell, given: Prediction(0, of="wrong_states"),
        _without_begin,
    ),
    Control(
        "float32 is enough",
        "the pointers of the longest words can be told apart in float32 (automata whose letters permute)",
        _forgets_nothing,
        _single_precision,
    ),
)
