r"""One linear attention layer recalls r (d + 1) p keys, r (d + 1) by linear readouts; windows w over L layers reach w L.

Statement: A kernelised linear attention layer with r features and d values, in numbers of p bits, recalls the bits of n keys in
    every context iff n <= r (d + 1) p. Linear thresholds of the state read off the bits of at most r (d + 1) keys, at any
    precision. Layers that are searched or trained attain both limits and pass neither. After L layers of attention with a
    window w, a position depends on the w L positions before it and on none beyond. One softmax head recalls more keys, and
    without a window one layer sees every position.
    $$ n \le r\,(d + 1)\,p, \qquad n_{\mathrm{linear}} \le r\,(d + 1), \qquad \mathrm{reach} = w L $$
Hypotheses: the state is r (d + 1) numbers of p bits, for linear readouts real numbers, of which layers that are tried have at
    most six; nothing global is added to a window; a word is longer than w L.
Source: Sanford, Hsu, Telgarsky, arXiv 2402.09268, section 5, for the limits; the constants are derived here.
Refuted by: a layer with more states than 2^(r (d + 1) p), another number of keys recalled, a trained layer whose linear
    readouts recall more than r (d + 1) keys, or another reach.
Cost: quick 25 s on one core, full about 2 min.

Derivation in `theory.attention.subquadratic`. Two contexts with one state are a fooling pair: some key has different bits in
them, and the layer answers alike. States are counted over all contexts, with one key more than the state has bits. A search
over layers looks for many states. Gradient descent trains features, values and linear readouts together, on all contexts of
one key more than can be recalled. The layer that attains the first bound writes one binary digit for each key. The layer that
attains the second writes a unit for each key, and linear programs decide what can be read off its states. Reach is read off the
outputs of random networks, bit by bit, when one letter of the word changes.
"""

import dataclasses
import math

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.attention.subquadratic_memory.common import RANK, SHARP, WIDTH
from theory import bounds

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "recalled"

STARTS = 16  # layers that are trained


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Features, values and bits of the linear layer; windows 1 to `widest`; layers and keys that are tried."""

    features: int = axis(1, 2)
    width: int = axis(1, 2)
    bits: int = axis(1, 2)
    widest: int = 5
    deepest: int = 5
    keys: int = 14
    read: int = 7
    length: int = 32

    @property
    def numbers(self) -> int:
        """Numbers of the state."""
        return self.features * (self.width + 1)

    @property
    def windows(self) -> tuple[int, ...]:
        """Positions before its own that a layer sees."""
        return tuple(range(1, self.widest + 1))

    @property
    def layers(self) -> tuple[int, ...]:
        """Numbers of layers after which reach is read off."""
        return tuple(range(1, self.deepest + 1))

    def allows(self) -> bool:
        """Whether one key more than is recalled can be tried."""
        return self.numbers < self.read and self.numbers * self.bits < self.keys


DOMAIN = domain(
    features=whole(1, RANK),
    width=whole(1, WIDTH),
    bits=whole(1, 6, quick=4),
    widest=whole(1, 6),
    length=whole(32, 64, quick=32),
    where={"windows of all layers fit the word": lambda cell: cell.widest * cell.deepest < cell.length},
)
GRIDS = {
    "test": Sizes(features=axis(2), width=axis(1), bits=axis(2), keys=10, read=5, widest=3, deepest=3),
    "quick": Sizes(),
    "full": Sizes(features=axis(1, 2, 3), width=axis(1, 2, 3), bits=axis(1, 2, 3)),
    "paper": Sizes(features=axis(1, 2, 3), width=axis(1, 2, 3), bits=axis(1, 2, 3), keys=18, widest=10, length=64),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Keys that are recalled by any readout and by linear ones, states that there are at most, and the reach of the windows."""
    keys = int(bounds.subquadratic(cell.features, cell.width, cell.bits).at())
    linear = int(bounds.linear_readout(cell.features, cell.width).at())
    distance = [[int(bounds.window_reach(w, layers, cell.length).at()) for layers in cell.layers] for w in cell.windows]
    return (
        Prediction(keys, of="recalled", formula="r (d + 1) p"),
        Prediction(2**keys, of="states", relation=Relation.AT_MOST),
        Prediction(linear, of="read_linearly", formula="r (d + 1)"),
        Prediction([linear] * STARTS, of="trained", dims=("start",), relation=Relation.AT_MOST),
        *_training(cell, cell.features),
        Prediction(distance, of="reach", dims=("window", "depth"), formula="w L"),
        # what the controls measure; two layers have states enough to tell all contexts of one key more apart
        Prediction(2 * 2**keys, of="states_of_two"),
        Prediction([[2 * 2**keys, linear], [2 * 2**keys, 2 * linear]], of="searched", dims=("times", "counted")),
        *_training(cell, 2 * cell.features, "_with_twice"),
        Prediction(cell.keys, of="recalled_by_softmax"),
        Prediction(_weight_of_neighbour(cell.keys), of="weight_of_another"),
        Prediction([[cell.length - 1] * cell.deepest] * cell.widest, of="reach_without_window", dims=("window", "depth")),
        Prediction(
            [[min(w * (layers + 1), cell.length - 1) for layers in cell.layers] for w in cell.windows],
            of="reach_of_more",
            dims=("window", "depth"),
        ),
    )


def _weight_of_neighbour(keys: int) -> float:
    """The weight of the next of so many places on a circle."""
    weights = [math.exp(SHARP * (math.cos(2 * math.pi * place / keys) - 1)) for place in range(keys)]
    return weights[1] / sum(weights)


def _training(cell: Sizes, features: int, which: str = "") -> tuple[Prediction, ...]:
    """400 steps of Adam, the first of which moves a weight by its rate: a feature, value, readout or threshold of a key.

    There is one key more than the state of the cell's layer has numbers.
    """
    keys = cell.features * (cell.width + 1) + 1
    weights = keys * (2 * features + 2 * cell.width + features * (cell.width + 1) + 1)
    return (
        Prediction([400] * STARTS, of=f"steps{which}", dims=("start",)),
        Prediction([weights] * STARTS, of=f"weights{which}", dims=("start",)),
        Prediction([0.05] * STARTS, of=f"first_step{which}", dims=("start",), resolution=0.001),
    )


CONTROLS = (
    control("softmax", "a softmax head recalls as few keys", instead={"recalled": "recalled_by_softmax"}),
    control("two layers", "two layers have no more states than one", instead={"states": "states_of_two"}),
    control(
        "any readout",
        "any readout recalls as few keys as a linear one",
        instead={"read_linearly": "recalled"},
        everywhere=False,
    ),
    control(
        "twice the features",
        "trained layers of twice the features recall no more",
        instead={"trained": "trained_with_twice"},
    ),
    control("no window", "attention without a window reaches as far", instead={"reach": "reach_without_window"}),
    control("a layer more", "a layer more reaches as far", instead={"reach": "reach_of_more"}),
)

RIVALS = (
    rival(
        "precision helps",
        lambda cell: Prediction(2 * cell.features * (cell.width + 1), of="read_linearly"),
        "linear readouts recall two bits of every number",
    ),
    off_by(-1, of="read_linearly"),
    rival(
        "without the normaliser",
        lambda cell: Prediction(cell.features * cell.width * cell.bits, of="recalled"),
        "the state holds r d p bits",
    ),
    rival(
        "trained without the normaliser",
        lambda cell: Prediction(
            [cell.features * cell.width] * STARTS, of="trained", dims=("start",), relation=Relation.AT_MOST
        ),
        "trained layers recall r d keys at most, as if they did not use the normaliser",
    ),
    rival(
        "states without the normaliser",
        lambda cell: Prediction(2 ** (cell.features * cell.width * cell.bits), of="states", relation=Relation.AT_MOST),
        "searched layers have 2^(r d p) states at most",
    ),
    rival(
        "two a layer",
        lambda cell: Prediction([[2 * n for n in cell.layers]] * cell.widest, of="reach", dims=("window", "depth")),
        "every layer reaches two positions further, whatever the window",
        everywhere=False,
    ),
    off_by(-1, of="reach", name="w L - 1", statement="windows overlap at their ends"),
)
