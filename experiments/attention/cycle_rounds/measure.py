"""Local views of one cycle and of two, round after round, and labels that double their reach, layer after layer."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.doubling.pointers import chase_pointers, cycle_labels
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.cycle_rounds.cycle_labels import layers_that_count, named_cycles, one_step_labels, one_step_pointers
from experiments.attention.cycle_rounds.cycle_views import PRIME, equal_balls, equal_colours, equal_messages


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Local views of every N, and labels and pointers after every layer."""
    views, layers = jax.random.split(key)
    return measured(**_views(cell, views, local=True), **_doubling(cell, layers, cell.graphs, cycle_labels, chase_pointers))


def _views(cell: Cell, key: jax.Array, local: bool) -> dict[str, Quantity]:
    """The last round after which vertex 0 has one view in both graphs, by N."""
    radius, colours, messages = [], [], []
    draw = _generator(key)
    for n in cell.lengths:
        far = None if local else draw.permutation(n)
        numbers = draw.integers(1, PRIME, (cell.networks, n // 2 + 1, 5 if local else 6))
        radius.append(equal_balls(n, far))
        colours.append(equal_colours(n, far))
        messages.append(equal_messages(n, numbers, draw.integers(1, PRIME, n), far))
    return {
        "vertices": Quantity(np.array(cell.lengths), "vertices", label="vertices N"),
        "radius": Quantity(radius, "vertices", label="largest radius with equal balls"),
        "colours": Quantity(colours, "vertices", label="last round with equal colours"),
        "messages": Quantity(np.stack(messages), "vertices network", label="last round with equal messages"),
    }


def _doubling(cell: Cell, key: jax.Array, number: int, label: Callable, chase: Callable) -> dict[str, Any]:
    """Labels against walks after every layer, and the layers that suffice for every graph, by N."""
    draw = _generator(key)
    graphs = np.stack([named_cycles(draw, n, cell.most, number) for n in cell.lengths])
    flat = jnp.asarray(graphs.reshape(-1, cell.most))
    labels, ahead = (
        np.stack([np.asarray(function(flat, layer)) for layer in cell.layers]).reshape(-1, *graphs.shape)
        for function in (jax.jit(jax.vmap(each, in_axes=(0, None))) for each in (label, chase))
    )
    new, wrong = [], []
    for layer, (labelled, pointed) in enumerate(zip(labels, ahead, strict=True)):
        at = least = np.broadcast_to(np.arange(cell.most), graphs.shape)
        met = pointed == at  # whether the walk of 2^R steps has met the vertex that the pointer names
        for _ in range(2**layer - 1):
            at = np.take_along_axis(graphs, at, axis=-1)
            least, met = np.minimum(least, at), met | (pointed == at)
        wrong.append(int((labelled != least).sum()))
        new.append([not (met[i, 1] & (graphs[i, 1] != np.arange(cell.most))).any() for i in range(len(graphs))])
    return {
        "layers": np.array(cell.layers),
        "wrong_labels": Quantity(wrong, "layers", label="labels that are not the least of 2^R vertices"),
        "blind_rounds": Quantity(
            np.logical_and.accumulate(new).sum(axis=0) - 1, "vertices", label="layers after which a vertex still sees a path"
        ),
        "rounds": Quantity(layers_that_count(graphs, labels), "vertices", label="layers that count the cycles of every graph"),
    }


def _generator(key: jax.Array) -> np.random.Generator:
    return np.random.default_rng(np.asarray(jax.random.key_data(key)))


def without_doubling(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Layers that look one step ahead, in place of layers that double; one graph of each kind."""
    return measured(vertices=np.array(cell.lengths), **_doubling(cell, key, 1, one_step_labels, one_step_pointers))


def a_round_that_is_not_local(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Rounds in which every vertex also reads one vertex anywhere."""
    return measured(**_views(cell, key, local=False))
