r"""Few local rounds cannot tell one cycle from two; ceil(log2 N) attention layers can.

Statement: Compare one directed cycle of N vertices with two cycles of N/2. Balls of radius r in the two graphs agree exactly
    while 2 r + 1 < N/2. After R layers of pointer doubling a vertex holds the one 2^R steps ahead, which is a new vertex, as on
    a path, while 2^R < N/2. After R = ceil(log2 N) layers every vertex knows the least vertex of its cycle, which counts the
    cycles.
    $$ 2r + 1 < \tfrac{N}{2} \Rightarrow B_r(C_N) \cong B_r(2\,C_{N/2}),\qquad R = \lceil \log_2 N \rceil $$
Hypotheses: directed cycles whose vertices have random names and know their successors; local doubling (the claim does not speak
    of other algorithms).
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, the usual
    conjecture; the views and the rounds are derived here.
Refuted by: balls that differ while 2 r + 1 < N/2, or a wrong number of cycles after ceil(log2 N) layers.
Cost: 3 s on a CPU.

This is no proof of the conjecture, which says of every parallel computation that it needs Omega(log N) rounds.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.attention.lookup import look_up
from depthjax.constructions.doubling import chase_pointers, cycle_labels
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by
from theory import bounds

CLAIM = claim(Relation.EQUALS)

MOST = 24  # layers that are tried


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Vertices, and graphs of each kind with other names."""

    vertices: int = axis(8, 14, 32, 100)
    graphs: int = 16


GRIDS = {
    "test": Sizes(vertices=axis(14), graphs=4),
    "quick": Sizes(),
    "full": Sizes(vertices=axis(8, 14, 32, 100, 256, 1000), graphs=64),
    "paper": Sizes(vertices=axis(8, 14, 32, 100, 256, 1000), graphs=256),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The largest radius with equal balls, the last layer with a new vertex, and the layers that count the cycles."""
    blind, enough = bounds.cycle_rounds(cell.vertices)
    return (
        Prediction((cell.vertices // 2 - 2) // 2, of="radius", formula="2r + 1 < N/2"),
        Prediction(blind, of="blind_rounds", formula="2^R < N/2"),
        Prediction(enough, of="rounds", formula=r"\lceil\log_2 N\rceil"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Balls enumerated, pointers followed, and cycles counted layer by layer until no graph is counted wrongly."""
    one, two = (_graphs(cell, key, cycles) for cycles in (1, 2))
    rounds = _layers_needed(_labels, one, two)
    way = _walk(two, 2**rounds)
    ahead = [np.asarray(_chased(jnp.asarray(two), layers))[:, 0] for layers in range(rounds + 1)]
    new = [not (way[:, : 2**layers] == ahead[layers][:, None]).any() for layers in range(rounds + 1)]
    radius = max(r for r in range(cell.vertices // 2) if _ball(one[0], r) == _ball(two[0], r))
    return measured(
        radius=Quantity(radius, label="largest radius with equal balls"),
        blind_rounds=Quantity(new.index(False) - 1, label="layers after which a vertex still sees a path"),
        rounds=Quantity(rounds, label="layers that count the cycles of every graph"),
    )


def _graphs(cell: Sizes, key: jax.Array, cycles: int) -> np.ndarray:
    """Successors of the vertices in randomly named graphs of equal cycles; shape (graphs, vertices)."""
    draw = np.random.default_rng([cycles, *np.asarray(jax.random.key_data(key))])
    names = draw.permuted(np.tile(np.arange(cell.vertices), (cell.graphs, 1)), axis=1)
    following = np.roll(names.reshape(cell.graphs, cycles, -1), -1, axis=2).reshape(names.shape)
    successors = np.empty_like(names)
    np.put_along_axis(successors, names, following, axis=1)
    return successors


def _layers_needed(labels, one: np.ndarray, two: np.ndarray) -> int:
    """The first number of layers whose labels count the cycles of every graph."""
    for layers in range(1, MOST):
        counts = [[len(np.unique(row)) for row in np.asarray(labels(jnp.asarray(graphs), layers))] for graphs in (one, two)]
        if set(counts[0]) == {1} and set(counts[1]) == {2}:
            return layers
    return MOST


def _least_seen(successor: jax.Array, layers: jax.Array | int) -> jax.Array:
    """The labels where a layer reads one step ahead, however many layers came before it."""

    def layer(_: jax.Array, label: jax.Array) -> jax.Array:
        return jnp.minimum(label, look_up(successor, label[:, None])[:, 0])

    return jax.lax.fori_loop(0, layers, layer, jnp.arange(len(successor), dtype=successor.dtype))


_labels, _labels_by_steps, _chased = (
    jax.jit(jax.vmap(function, in_axes=(0, None))) for function in (cycle_labels, _least_seen, chase_pointers)
)


def _walk(successors: np.ndarray, steps: int) -> np.ndarray:
    """The vertices from vertex 0 onwards in every graph; shape (graphs, steps + 1)."""
    way = [np.zeros(len(successors), int)]
    for _ in range(steps):
        way.append(successors[np.arange(len(successors)), way[-1]])
    return np.stack(way, axis=1)


def _ball(successor: np.ndarray, radius: int) -> tuple[int, int]:
    """Vertices and edges of the ball around vertex 0; of a path or a cycle they say everything but the names."""
    before = np.argsort(successor)
    ball, front = {0}, {0}
    for _ in range(radius):
        front = {int(step[v]) for v in front for step in (successor, before)} - ball
        ball |= front
    return len(ball), sum(int(successor[v]) in ball for v in ball)


def _without_doubling(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The layers that count the cycles of a few graphs, if each layer looks one step ahead."""
    few = dataclasses.replace(cell, graphs=2)
    return measured(rounds=Quantity(_layers_needed(_labels_by_steps, _graphs(few, key, 1), _graphs(few, key, 2))))


CONTROLS = (control("no doubling", "as many layers are enough if each looks one step ahead", measure=_without_doubling),)
RIVALS = (
    off_by(-1, of="rounds", name="a layer fewer", statement="one layer fewer is enough"),
    off_by(+1, of="radius", name="a radius more", statement="the balls still agree at the next radius"),
    off_by(+1, of="blind_rounds", name="blind a layer longer", statement="the next layer still sees a path"),
)
