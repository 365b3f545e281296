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
    return measured(**_views(cell, views, local=True), **_layers(cell, layers))


def _views(cell: Cell, key: jax.Array, local: bool) -> dict[str, Quantity]:
    """The last round after which vertex 0 has one view in both graphs, by N."""
    radius, colours, messages = [], [], []
    draw = _generator(key)
    for n in cell.lengths:
        far = None if local else (3 * np.arange(n) + 1) % n
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


def _layers(cell: Cell, key: jax.Array) -> dict[str, Any]:
    """Labels against walks after every layer, and the layers that suffice for every graph, by N; layers double or step."""
    draw = _generator(key)
    graphs = np.stack([named_cycles(draw, n, cell.most, cell.graphs) for n in cell.lengths])
    used = graphs != np.arange(cell.most)
    doubled, stepped = _run(cell, graphs, cycle_labels, chase_pointers), _run(cell, graphs, one_step_labels, one_step_pointers)
    right, new = [], []
    for layer in cell.layers:
        at = least = np.broadcast_to(np.arange(cell.most), graphs.shape)
        met = [
            pointed[layer] == at for _, pointed in (doubled, stepped)
        ]  # whether the walk of 2^R steps has met the vertex named
        for _ in range(2**layer - 1):
            at = np.take_along_axis(graphs, at, axis=-1)
            least = np.minimum(least, at)
            met = [seen | (pointed[layer] == at) for seen, (_, pointed) in zip(met, (doubled, stepped), strict=True)]
        right.append([int((labels[layer] == least)[used].sum()) for labels, _ in (doubled, stepped)])
        new.append([~(seen & used)[:, 1].any(axis=(1, 2)) for seen in met])
    blind, right = np.logical_and.accumulate(new).sum(axis=0) - 1, np.array(right)
    return {
        "layers": np.array(cell.layers),
        "right_labels": Quantity(right[:, 0], "layers", label="labels that are the least of 2^R vertices"),
        "blind_rounds": Quantity(blind[0], "vertices", label="layers after which a vertex still sees a path"),
        "rounds": Quantity(
            layers_that_count(graphs, doubled[0]), "vertices", label="layers that count the cycles of every graph"
        ),
        "right_by_steps": Quantity(right[:, 1], "layers", label="right labels where a layer looks one step ahead"),
        "blind_by_steps": Quantity(blind[1], "vertices", label="such layers after which a vertex sees a path"),
        "rounds_by_steps": Quantity(layers_that_count(graphs, stepped[0]), "vertices", label="such layers that count cycles"),
    }


def _run(cell: Cell, graphs: np.ndarray, label: Callable, chase: Callable) -> tuple[np.ndarray, np.ndarray]:
    """The labels and the pointers of every vertex after every layer, shape (layers, *graphs.shape)."""
    flat = jnp.asarray(graphs.reshape(-1, cell.most))
    functions = (jax.jit(jax.vmap(each, in_axes=(0, None))) for each in (label, chase))
    labels, pointed = (
        np.stack([np.asarray(function(flat, layer)) for layer in cell.layers]).reshape(-1, *graphs.shape)
        for function in functions
    )
    return labels, pointed


def _generator(key: jax.Array) -> np.random.Generator:
    return np.random.default_rng(np.asarray(jax.random.key_data(key)))


def a_round_that_is_not_local(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Rounds in which vertex v also reads vertex 3 v + 1, counted around."""
    return measured(**_views(cell, key, local=False))
