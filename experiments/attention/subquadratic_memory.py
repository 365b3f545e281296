r"""One linear attention layer recalls r (d + 1) p keys and no more; windows w over L layers reach w L positions and no more.

Statement: A kernelised linear attention layer with r features and d values, in numbers of p bits, recalls the bits of n keys in
    every context iff n <= r (d + 1) p. After L layers of attention with a window w, a position depends on the w L positions
    before it and on none beyond. One softmax head recalls more keys, and without a window one layer sees every position.
    $$ n \le r\,(d + 1)\,p, \qquad \mathrm{reach} = w L $$
Hypotheses: the state is r (d + 1) numbers of p bits; nothing global is added to a window.
Source: Sanford, Hsu, Telgarsky, arXiv 2402.09268, section 5, for the limits; the constants are derived here.
Refuted by: a layer with more states than 2^(r (d + 1) p), another number of keys recalled, or another reach.
Cost: quick 6 s on a CPU.

Derivation in `theory.attention.subquadratic`. Two contexts with one state are a fooling pair: some key has different bits in
them, and the layer answers alike. States are counted over all contexts. The layer that attains the bound writes one binary
digit for each key. Reach is read off the outputs of random networks, bit by bit, when one letter of the word changes.
"""

import dataclasses

import jax
import xarray as xr

from depthjax.probe.subquadratic import keys_recalled, keys_recalled_by_softmax, reaches, states_of_random_layer
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Features, values and bits of the linear layer; window and layers; layers and keys that are tried."""

    features: int = axis(1, 2)
    width: int = axis(1, 2)
    bits: int = axis(1, 2)
    window: int = axis(2)
    layers: int = axis(1, 3)
    deepest: int = 5
    keys: int = 14
    length: int = 32


GRIDS = {
    "test": Sizes(features=axis(2), width=axis(1), bits=axis(2), layers=axis(3), keys=10),
    "quick": Sizes(),
    "full": Sizes(window=axis(1, 2, 5), layers=axis(1, 2, 3, 4)),
    "paper": Sizes(window=axis(1, 2, 5), layers=axis(1, 2, 3, 4), keys=18, length=64),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Keys that are recalled, states that there are at most, and the reach of the windows."""
    keys = int(bounds.subquadratic(cell.features, cell.width, cell.bits).at())
    distance = int(bounds.window_reach(cell.window, cell.layers, cell.length).at())
    return (
        Prediction(keys, of="recalled", formula="r (d + 1) p"),
        Prediction(2**keys, of="states", relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction(distance, of="reach", formula="w L"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Keys recalled by digits and by softmax, states of random layers of two sizes, and reaches."""
    drawn, word = jax.random.split(key)
    sizes = cell.features, cell.width, cell.bits
    windowed = reaches(word, cell.window, cell.deepest, cell.length)
    whole = reaches(word, cell.length, cell.deepest, cell.length)
    return measured(
        recalled=Quantity(keys_recalled(*sizes, cell.keys), label="keys that the linear layer recalls"),
        recalled_by_softmax=Quantity(keys_recalled_by_softmax(cell.keys), label="keys that softmax recalls"),
        states=Quantity(states_of_random_layer(drawn, cell.keys, *sizes), label="states of a random layer"),
        states_of_two=Quantity(
            states_of_random_layer(drawn, cell.keys, 2 * cell.features, cell.width, cell.bits), label="states of two layers"
        ),
        reach=Quantity(windowed[cell.layers - 1], label="farthest position that matters"),
        reach_without_window=Quantity(whole[cell.layers - 1], label="the same without a window"),
        reach_of_more=Quantity(windowed[cell.layers], label="the same with a layer more"),
    )


CONTROLS = (
    control("softmax", "a softmax head recalls as few keys", instead={"recalled": "recalled_by_softmax"}),
    control(
        "two layers",
        "two layers have no more states than one",
        instead={"states": "states_of_two"},
        everywhere=False,  # as many contexts as are tried may be too few to see it
    ),
    control("no window", "attention without a window reaches as far", instead={"reach": "reach_without_window"}),
    control("a layer more", "a layer more reaches as far", instead={"reach": "reach_of_more"}),
)
RIVALS = (
    rival(
        "without the normaliser",
        lambda cell: Prediction(cell.features * cell.width * cell.bits, of="recalled"),
        "the state holds r d p bits",
    ),
    rival("w L - 1", lambda cell: Prediction(cell.window * cell.layers - 1, of="reach"), "windows overlap at their ends"),
)
