r"""One N-cycle and two N/2-cycles look alike to few local rounds; doubling tells them apart in ceil(log2 N) attention layers.

Statement: (a) balls of radius r are paths in both graphs exactly while 2 r + 1 < N / 2. (b) After R layers of pointer doubling
a vertex holds the one 2^R steps ahead, a new one as on a path, while 2^R < N / 2. (c) ceil(log2 N) layers of attention label
every vertex with the least of its cycle, hence count the cycles.

    2 r + 1 < N / 2   =>   B_r(C_N) = B_r(C_{N/2} + C_{N/2}),        ceil(log2 N) lookups decide.

This is about local doubling alone: it is no proof of the conjecture that every parallel computation needs Omega(log N) rounds.

Hypotheses: directed cycles, each vertex knows its successor. Source: the conjecture's usual form, as in Sanford, Hsu and
Telgarsky; views and rounds derived here. Refuted by: a ball that differs earlier, or a graph miscounted. Cost: seconds.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.doubling import chase_pointers, cycle_labels, doubling_depth
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="cycle_rounds",
    title="Few local rounds cannot tell one cycle from two; ceil(log2 N) attention layers can",
    statement=(
        "Balls of radius r in one N-cycle and in two N/2-cycles agree exactly while 2r + 1 < N/2; ceil(log2 N) layers of "
        "pointer doubling by attention label the cycles."
    ),
    latex=r"2r + 1 < \tfrac{N}{2} \Rightarrow B_r(C_N) \cong B_r(2\,C_{N/2}),\qquad R = \lceil \log_2 N \rceil",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "Transformers, Parallel Computation, and Logarithmic Depth",
        "arXiv 2402.09268",
        "the conjecture",
    ),
    assumes=("directed cycles with randomly named vertices", "local doubling: nothing is said of other algorithms"),
    refuted_by="a ball that differs while 2r + 1 < N/2, or a wrong number of cycles after ceil(log2 N) layers",
    cost="3 s on a CPU",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of vertices is the axis."""

    vertices: int = axis(8, 14, 32, 100)
    graphs: int = 16


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(vertices=axis(8, 14, 32, 100, 256, 1000), graphs=64),
    "paper": Sizes(vertices=axis(8, 14, 32, 100, 256, 1000), graphs=256),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Largest radius with equal balls, largest round with a new vertex, and no graph miscounted after ceil(log2 N) layers."""
    blind, enough = bounds.cycle_rounds(cell.vertices)
    return (
        Prediction((cell.vertices // 2 - 2) // 2, of="radius", formula="2r + 1 < N/2"),
        Prediction(blind, of="blind_rounds", formula="2^R < N/2"),
        Prediction(0, of="miscounted"),
        Prediction(enough, of="rounds", formula=r"\lceil\log_2 N\rceil"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Balls enumerated; rounds tried one after the other on randomly named cycles."""
    rounds = next(r for r in range(1, 64) if not _miscounted(cell, key, r))
    successors = _graphs(cell, key, 2)
    pointers = [np.asarray(_chased(jnp.asarray(successors), r)) for r in range(rounds + 1)]
    back = [bool((pointer == np.arange(cell.vertices)).any()) for pointer in pointers]
    small = cell.vertices // 2
    # a vertex is back at itself only if N / 2 divides 2^R; it has gone all round as soon as 2^R >= N / 2
    gone_round = [r for r in range(rounds + 1) if back[r] or _seen(successors[0], 2**r) < 2**r + 1]
    radius = max(r for r in range(small) if _ball(successors[0], r) == _ball(_graphs(cell, key, 1)[0], r))
    return xr.Dataset(
        {
            "radius": ((), radius, {"long_name": "largest radius with equal balls"}),
            "blind_rounds": ((), min(gone_round) - 1, {"long_name": "rounds that see a path"}),
            "miscounted": ((), _miscounted(cell, key, rounds), {"long_name": "graphs miscounted"}),
            "rounds": ((), rounds, {"long_name": "layers that are enough"}),
        }
    )


def _graphs(cell: Sizes, key: jax.Array, cycles: int) -> np.ndarray:
    """Successors in randomly named graphs of one or two cycles."""
    draw = np.random.default_rng([cycles, *np.asarray(jax.random.key_data(key))])
    names = draw.permuted(np.tile(np.arange(cell.vertices), (cell.graphs, 1)), axis=1)
    following = np.roll(names.reshape(cell.graphs, cycles, -1), -1, axis=2).reshape(names.shape)
    successors = np.empty_like(names)
    np.put_along_axis(successors, names, following, axis=1)
    return successors


def _miscounted(cell: Sizes, key: jax.Array, rounds: int) -> int:
    wrong = 0
    for cycles in (1, 2):
        labels = np.asarray(_labels(jnp.asarray(_graphs(cell, key, cycles)), rounds))
        wrong += sum(len(np.unique(row)) != cycles for row in labels)
    return wrong


@jax.jit
def _labels(successors: jax.Array, rounds: jax.Array | int) -> jax.Array:
    return jax.vmap(lambda successor: cycle_labels(successor, rounds))(successors)


@jax.jit
def _chased(successors: jax.Array, rounds: jax.Array | int) -> jax.Array:
    return jax.vmap(lambda successor: chase_pointers(successor, rounds))(successors)


def _seen(successor: np.ndarray, steps: int) -> int:
    """Distinct vertices on the way from vertex 0, itself included."""
    seen, at = {0}, 0
    for _ in range(steps):
        at = int(successor[at])
        seen.add(at)
    return len(seen)


def _ball(successor: np.ndarray, radius: int) -> tuple[int, int]:
    """Vertices and edges of the ball around vertex 0: on at most one cycle they determine it up to names."""
    before = np.argsort(successor)
    ball, front = {0}, {0}
    for _ in range(radius):
        front = {int(step[v]) for v in front for step in (successor, before)} - ball
        ball |= front
    return len(ball), sum(int(successor[v]) in ball for v in ball)


def _one_round_fewer(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return xr.Dataset({"miscounted": ((), _miscounted(cell, key, doubling_depth(cell.vertices) - 1))})


CONTROLS = (
    Control("a round fewer", "one layer fewer is enough", lambda cell: Prediction(0, of="miscounted"), _one_round_fewer),
    Control(
        "a radius more",
        "the balls still agree at the next radius",
        lambda cell: Prediction((cell.vertices // 2 - 2) // 2 + 1, of="radius"),
    ),
)
