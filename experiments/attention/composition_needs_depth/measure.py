"""Layers that compose tables with and without a mask, words that two layers confuse, and states and passes of a machine."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Bool

from depthjax.constructions.directions.tables import table_transformer, table_words
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.composition_needs_depth import passes
from experiments.attention.composition_needs_depth.common import BRANCH, FIRST, HELD, NETWORKS, OF_TWO_BITS, SAMPLED
from experiments.attention.composition_needs_depth.two_layers import (
    ConfusedPair,
    TwoLayers,
    confused,
    drawn,
    errs,
    halves,
    knowing,
    known_starts,
    tables,
)


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """All quantities; networks of one bit are tried on all first tables of the cell's length, of two bits on a sample."""
    draw = _source(key)
    starts, given = _asked(cell, draw)
    right, full = (_right(cell, starts, given, mask) for mask in ("causal", "full"))
    exchanged = _right(cell, starts, given, "causal", exchanged=True)
    networks, wider = _networks(cell, draw), _networks_of_two_bits(draw)
    pairs = [(layers, confused(layers, firsts, 1)) for layers, firsts in networks]
    of_two = [(layers, confused(layers, firsts, 2)) for layers, firsts in wider]
    by_three = [_right_of_three(pair) for _, pair in pairs]
    most = [max(b for b in range(1, 2 * bits + 2) if halves(b, bits)) for bits in HELD]
    return measured(
        composed=Quantity(np.arange(1, cell.tables + 1), "composed", label="tables k"),
        depth=Quantity(np.arange(1, cell.tables + 2), "depth", label="layers"),
        layers=Quantity(_least(right), "composed", label="layers from which on all words are right"),
        layers_full=Quantity(_least(full), "composed", label="the same without a mask"),
        right=Quantity(right.astype(int), "depth composed", label="all words are right"),
        most_points=Quantity(most, "bits", label="entries that two layers read by halves"),
        fooled=Quantity([_fooled(*one) for one in pairs], "network", label="networks with a confused pair"),
        fooled_of_two=Quantity([_fooled(*one) for one in of_two], "wider", label="the same, networks of two bits"),
        known=Quantity([known_starts(*one, 1) for one in networks], "network", label="starts for which a network is right"),
        known_of_two=Quantity([known_starts(*one, 2) for one in wider], "wider", label="the same, networks of two bits"),
        right_of_three_of_two=Quantity(
            [_right_of_three(pair) for _, pair in of_two], "wider", label="words of their pair that three layers answer rightly"
        ),
        right_of_three=Quantity(by_three, "network", label="words of the pair that three layers answer rightly"),
        fooled_three=Quantity([int(right < 2) for right in by_three], "network"),
        shortest=Quantity(
            _shortest(cell.branch, pairs[0][0], 1), label="entries of a first table at which counting confuses two words"
        ),
        shortest_of_two=Quantity(_shortest(BRANCH, of_two[0][0], 2), label="the same for two bits and five entries"),
        states=Quantity(passes.classes(cell.points), label="second tables that one pass tells apart"),
        passes=Quantity(passes.right_passes(starts, given), "composed", label="passes of a machine with few states"),
        layers_exchanged=Quantity(
            _least(exchanged), "composed", label="layers if neighbouring tables are exchanged in the word"
        ),
        states_first=Quantity(_values_after_the_first(cell), label="values at which a machine stands behind the first table"),
        passes_first=Quantity(
            passes.right_passes(starts, given, last_first=False), "composed", label="its passes if the first table comes first"
        ),
    )


def a_short_first_table(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The networks that are right for one start and for two, where no other start exists, and where one does."""
    found, number = [], []
    for bits, branch in ((1, cell.branch), (2, BRANCH)):
        for entries in (bits, bits + 1):
            firsts = tables(entries, branch)
            layers = knowing(firsts, branch, *range(bits))
            found.append(_fooled(layers, confused(layers, firsts, bits)))
            number.append(len(firsts))
    return measured(
        fooled=Quantity(found[:1] * len(NETWORKS), "network"),
        fooled_of_two=Quantity(found[2:3] * len(OF_TWO_BITS), "wider"),
        fooled_by_length=Quantity(
            found, "entries", label="whether first tables of B entries, and of one more, fool the network of B = 1, 2 bits"
        ),
        first_tables=Quantity(number, "entries", label="first tables that are tried"),
    )


def _values_after_the_first(cell: Cell) -> int:
    """The values at which a machine may stand that has read the start and the first table."""
    return len(np.unique(tables(cell.points, cell.points)[:, 0]))


def _source(key: jax.Array) -> np.random.Generator:
    return np.random.default_rng(np.asarray(jax.random.key_data(key)).astype(np.uint32))


def _asked(cell: Cell, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Starts and tables of random words."""
    return draw.integers(0, cell.points, cell.words), draw.integers(0, cell.points, (cell.words, cell.tables, cell.points))


def _networks(cell: Cell, draw: np.random.Generator) -> list[tuple[TwoLayers, np.ndarray]]:
    firsts = tables(cell.first, cell.branch)
    return [
        (drawn(draw, firsts, cell.branch, 1) if kind == "drawn" else knowing(firsts, cell.branch, 0), firsts)
        for kind in NETWORKS
    ]


def _networks_of_two_bits(draw: np.random.Generator) -> list[tuple[TwoLayers, np.ndarray]]:
    firsts = draw.integers(0, BRANCH, (SAMPLED, FIRST), np.int8)
    made = {"drawn": lambda: drawn(draw, firsts, BRANCH, 2), "knows two values": lambda: knowing(firsts, BRANCH, 0, 1)}
    return [(made[kind](), firsts) for kind in OF_TWO_BITS]


def _fooled(layers: TwoLayers, pair: ConfusedPair | None) -> int:
    return int(pair is not None and errs(layers, pair))


def _shortest(branch: int, layers: TwoLayers, bits: int) -> int:
    """The least length at which more first tables than 2 B values a place allow share all bits that reach later positions."""
    numbers = layers.early[0].size + layers.heard[0].size
    return next(a for a in range(1, 99) if branch**a > 2 ** (bits * numbers) * (2 * bits) ** a)


def _right(
    cell: Cell, starts: np.ndarray, given: np.ndarray, mask: str, *, exchanged: bool = False
) -> Bool[np.ndarray, "depth composed"]:
    """Whether all words are right after every layer, for every number of tables."""
    truth, columns = starts, []
    for count in range(1, cell.tables + 1):
        truth = given[np.arange(len(starts)), count - 1, truth]
        order = np.arange(count) ^ 1 if exchanged else np.arange(count)
        read = given[:, np.where(order < count, order, count - 1)]
        model, weights = table_transformer(count, cell.points, layers=cell.tables + 1, most=cell.tables, mask=mask)
        words = jnp.asarray(table_words(starts, read, cell.tables))
        found = np.asarray(model.apply_by_depth(weights, words))[:, :, -1].argmax(axis=-1)
        columns.append((found == truth[:, None]).sum(axis=0) == cell.words)
    return np.stack(columns, axis=1)


def _least(right: Bool[np.ndarray, "depth composed"]) -> np.ndarray:
    """The first depth from which on all is right; one more than the last where there is none."""
    stays = np.logical_and.accumulate(right[::-1])[::-1]
    return np.where(stays.any(axis=0), stays.argmax(axis=0) + 1, len(right) + 1)


def _right_of_three(pair: ConfusedPair | None) -> int:
    """How many of the two words of a pair three layers answer rightly, its tables filled up to square ones."""
    if pair is None:
        return 0
    first, branch = len(pair.first), pair.seconds.shape[1]
    points = max(first, branch)
    words = np.zeros((2, 2, points), int)
    words[:, 0, :first], words[:, 1, :branch] = pair.first, pair.seconds
    model, weights = table_transformer(2, points)
    found = model.apply(weights, jnp.asarray(table_words(np.full(2, pair.start), words)))[:, -1].argmax(axis=-1)
    return int((np.asarray(found) == pair.seconds[:, pair.first[pair.start]]).sum())
