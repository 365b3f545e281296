r"""The free nilpotent group of class T tells all words of T letters apart, at a depth of at most ceil(log2(T + 1)).

Statement: The truncated signature, as a cascade of prefix sums over the derived ideals of the free nilpotent Lie algebra of
    class T on n letters, has a different state for every word of at most T letters. Its number of layers is the derived
    length of that algebra, where m_k(n) is the lowest degree of the k-th derived ideal. The group element has as many
    coordinates as the Witt numbers W(n, d) sum to for d <= T.
    $$ w \mapsto \exp(x_{w_1})\cdots\exp(x_{w_T}) \text{ injective},\qquad
       \min\{k : m_k(n) > T\} \le \lceil\log_2(T+1)\rceil $$
Hypotheses: arithmetic is exact; the readout of the last state is unrestricted.
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, Proposition 3.7 (v1),
    sharpened.
Refuted by: two words of at most T letters with one state, or a tower of another height.
Cost: 5 s on a CPU at every size.

The proposition has ceil(log2 T) + 1 layers. The bound is attained for n >= 3, where m_k = 2^k. For two letters m_k = 2, 5,
10, and the depth is smaller at T = 4, 8 and 9. The cascade holds the coordinates of a derived ideal once for every layer
below it as well.

The depth is that of this route only: with a clock two layers do (`two_layers_record_the_word`). So one layer fewer loses
part of the group element (control) but may still tell positive words apart; how many it confuses is recorded.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.lie_tower import derived_lowest_degrees, lie_tower
from depthjax.lie.lyndon import lyndon_basis
from depthjax.tasks.words import all_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds, lie

CLAIM = claim(Relation.EQUALS, needs_float64=True)

LONGEST = {2: 7, 3: 4}  # length of the longest words, by letters; every word up to it is tried


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and the length of the longest word; every word is tried."""

    letters: int = axis(2, 3)
    length: int = axis(1, 2, 3, 4, 5, 6, 7)

    def allows(self) -> bool:
        """All words of seven binary letters, of four ternary ones."""
        return self.length <= LONGEST[self.letters]


GRIDS = {"test": Sizes(letters=axis(2), length=axis(3, 4)), "quick": Sizes(), "full": Sizes(), "paper": Sizes()}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """No collision; the height, its bound, and the size of the group element."""
    height = lie.free_nilpotent(cell.letters, cell.length).derived_length or 0
    highest = int(bounds.word(cell.length).at())
    return (
        Prediction(0, of="collisions"),
        Prediction(height, of="layers", formula=r"\min\{k : m_k(n) > T\}"),
        Prediction(highest, of="layers", relation=Relation.AT_MOST, formula=r"\lceil\log_2(T+1)\rceil"),
        Prediction(bounds.word_dimension(cell.letters, cell.length), of="coordinates", formula=r"\sum_{d \le T} W(n, d)"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Words that share the state of all layers, of all but one, of the first; what the last layer holds."""
    states = [np.asarray(state) for state in _states(cell.letters)]
    words = sum(cell.letters**length for length in range(cell.length + 1))
    layers = len(derived_lowest_degrees(cell.letters, cell.length))
    # the tower of class T is the one of the highest class, cut after degree T
    tower = lie_tower(cell.letters, len(states), LONGEST[cell.letters])
    degrees = lyndon_basis(cell.letters, LONGEST[cell.letters]).degrees
    kept = [
        state[:words, degrees[span.rows(cell.letters)] <= cell.length] for state, span in zip(states, tower.spans, strict=True)
    ][:layers]
    return measured(
        collisions=Quantity(_collisions(kept), label="words that share a state, all layers"),
        collisions_below=Quantity(_collisions(kept[:-1]), label="words that share a state, one layer fewer"),
        collisions_first=Quantity(_collisions(kept[:1]), label="words that share a state, one layer"),
        last_layer=Quantity(int(np.abs(kept[-1]).max() > 0.01), label="whether the last layer holds anything"),
        layers=Quantity(layers, label="layers of the tower"),
        coordinates=Quantity(lyndon_basis(cell.letters, cell.length).dimension, label="brackets up to degree T"),
    )


def _states(letters: int) -> tuple[jax.Array, ...]:
    """The tower's states after every word, shortest first; shorter words are followed by silence."""
    longest = LONGEST[letters]
    rows = [
        jnp.pad(all_words(letters, length), ((0, 0), (0, longest - length)), constant_values=letters)
        for length in range(1, longest + 1)
    ]
    empty = jnp.full((1, longest), letters, rows[0].dtype)
    increments = jax.nn.one_hot(jnp.concatenate([empty, *rows]), letters, dtype=jnp.float64)
    layers = len(derived_lowest_degrees(letters, longest))
    return lie_tower(letters, layers, longest).apply(increments, chunk=1)


def _collisions(states: list[np.ndarray]) -> int:
    """Words whose coordinates are those of another word, to six digits: the coordinates are fractions of small numbers."""
    if not states:
        return 0
    rows = np.round(np.concatenate(states, axis=1), 6)
    return len(rows) - len(np.unique(rows, axis=0))


CONTROLS = (
    control(
        "one layer fewer",
        "the last layer holds nothing: one layer fewer is the same group element",
        predict=lambda cell: Prediction(0, of="last_layer"),
    ),
    control(
        "one layer",
        "the letter counts tell the words apart",
        predict=lambda cell: Prediction(0, of="collisions_first") if cell.length > 1 else None,
    ),
)

RIVALS = (
    rival(
        "the published depth as an equality",
        lambda cell: Prediction(math.ceil(math.log2(cell.length)) + 1, of="layers"),
        "the depth is ceil(log2 T) + 1",
        everywhere=False,
    ),
    rival(
        "the bound as an equality",
        lambda cell: Prediction(int(bounds.word(cell.length).at()), of="layers") if cell.letters == 2 else None,
        "the depth is ceil(log2(T + 1)) for two letters as well",
        everywhere=False,
    ),
)
