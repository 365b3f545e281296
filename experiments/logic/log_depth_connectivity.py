r"""ceil(log2 d) attention layers settle a graph of diameter d, so ceil(log2(n - 1)) connect every graph on n vertices.

Statement: One attention layer with n numbers a vertex squares the reachability relation of a graph. So ceil(log2 d) layers
    settle every graph of diameter d, and one layer fewer does not; ceil(log2(n - 1)) layers settle every graph on n vertices,
    and the path needs them all. With one bit a token, n^2 tokens for pairs and n^3 for triples, a squaring takes two layers.
    $$ r(G) = \lceil \log_2 \operatorname{diam} G \rceil \le r(P_n) = \lceil \log_2 (n-1) \rceil,\qquad
       2\lceil \log_2 (n-1) \rceil \le 2\lceil \log_2 n \rceil + 18 $$
Hypotheses: undirected graphs; tokens know their vertices; the diameter is the largest distance within a component.
Source: Merrill, Sabharwal, “A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers”, arXiv 2503.03961,
    Theorem 2 (2 ceil(log2 n) + 18 layers, quoted); rounds derived here.
Refuted by: a graph not settled after ceil(log2 d) layers or settled before, or one that needs more than the path.
Cost: quick 5 s on one core, full about a minute.

Derivation: a row attends with equal weights to the rows that it reaches, and a threshold follows, so r layers know all paths of
at most 2^r edges. The diameters are in `theory.logic.log_depth`. All graphs on five vertices, random trees and random graphs
are the extremal search; the worst of them is a path.

The published machine has bits for tokens, too, and no indices. Its 2 ceil(log2 n) layers are those of the second part, and 18
more find by attention which vertices a token stands for. That they are needed is not claimed.
"""

import dataclasses
from collections.abc import Callable
from functools import partial

import jax
import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components

from depthjax.constructions.doubling.pointers import joined, joined_by_bits
from depthjax.tasks.graphs import all_graphs, family, random_graphs
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival, scaled
from theory import bounds
from theory.logic.log_depth import diameter

CLAIM = claim(Relation.EQUALS)

ALL, BITS = 5, 10  # the most vertices for which all graphs are tried, and for which there are n^3 tokens


FAMILIES = ("path", "cycle", "lollipop", "star", "binary tree")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of vertices is the axis: n - 1 at the powers of two, and one above; random trees, as many random graphs."""

    vertices: int = axis(5, 6, 9, 10, 17, 18, 33, 34, 65, 66, 129, 257)
    graphs: int = 6


FULL = Sizes(vertices=axis(5, 6, 7, 8, 9, 10, 17, 18, 33, 34, 65, 66, 129, 130, 257, 258), graphs=100)
GRIDS = {"test": Sizes(vertices=axis(5), graphs=4), "quick": Sizes(), "full": FULL, "paper": FULL}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The rounds of each family by its diameter; the path's for the worst of all graphs; two layers a round for bits."""
    n = cell.vertices
    rounds = int(bounds.squarings(n).at())
    families = [_of_diameter(diameter(name, n)) for name in FAMILIES]
    said = Prediction(families, of="rounds", dims=("family",)), Prediction(rounds, of="worst")
    if n > BITS:
        return said
    published = Prediction(int(bounds.connectivity(n).at()), of="bit_layers", relation=Relation.AT_MOST, resolution=UNSHARP)
    return *said, Prediction(2 * rounds, of="bit_layers"), published


def _of_diameter(distance: int) -> int:
    return int(bounds.squarings(distance + 1).at())  # a path of so many edges


def measure(cell: Sizes, key: jax.Array, doubling: bool = True) -> xr.Dataset:
    """Layers until nothing is missing: of each family, of the worst of these, of random and of all graphs; of bits on a path.

    Args:
        cell: The number of vertices.
        key: Of the random graphs.
        doubling: False: layers read the edges of the graph, not what they know by then.
    """
    n = cell.vertices
    families = np.stack([family(name, n) for name in FAMILIES])
    random = random_graphs(key, n, cell.graphs)
    padded = np.pad(np.concatenate([families, random]), ((0, 0), (0, -n % 64), (0, -n % 64)))  # cells share their programs
    rounds = _layers(padded, _square, doubling)
    every = _layers(all_graphs(n), _square, doubling) if n <= ALL else rounds
    bits = _layers(families[:1], _square_by_bits, doubling, (n, n, n))[0] if n <= BITS else np.nan
    return measured(
        rounds=Quantity(rounds[: len(FAMILIES)], "family", label="layers that settle each family"),
        worst=Quantity(max(rounds.max(), every.max()), label="layers that settle the worst of all graphs"),
        bit_layers=Quantity(bits, floor=0.0, label="layers that settle the path with one bit a token"),
    )


_square = jax.jit(jax.vmap(lambda known, scratch, read: (joined(known, read), scratch)))
_square_by_bits = jax.jit(jax.vmap(joined_by_bits))


def _layers(edges: np.ndarray, layer: Callable, doubling: bool, scratch: tuple[int, ...] = ()) -> np.ndarray:
    """How many layers each graph needs until its relation is that of its components; one more than were tried if none do."""
    labels = [connected_components(graph, directed=False)[1] for graph in edges]
    components = np.stack([label[:, None] == label[None, :] for label in labels])
    known = first = edges | np.eye(edges.shape[1], dtype=bool)
    others, needed = np.zeros((len(edges), *scratch), bool), np.zeros(len(edges), int)
    unsettled = (known != components).any(axis=(1, 2))
    for _ in range(2 * edges.shape[1].bit_length()):
        if not unsettled.any():
            break
        needed += unsettled
        known, others = layer(known, others, known if doubling else first)
        unsettled = (np.asarray(known) != components).any(axis=(1, 2))
    return needed + unsettled


def _log_of_vertices(cell: Sizes) -> Prediction | None:
    """ceil(log2 n) for the worst graph, which is too large only where n - 1 is a power of two."""
    sharp, rounded = (int(bounds.squarings(n).at()) for n in (cell.vertices, cell.vertices + 1))
    return Prediction(rounded, of="worst") if rounded > sharp else None


CONTROLS = (
    control(
        "no doubling", "as few layers are enough if each reads the edges of the graph", measure=partial(measure, doubling=False)
    ),
)
RIVALS = (
    off_by(-1, of=("rounds", "worst"), name="one layer fewer"),
    rival("ceil(log2 n)", _log_of_vertices, "the path needs ceil(log2 n) layers"),
    scaled(0.5, of="bit_layers", name="one layer a squaring", statement="one layer squares with one bit a token as well"),
)
