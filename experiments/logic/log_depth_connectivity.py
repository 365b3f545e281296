r"""ceil(log2(n - 1)) squarings by attention connect every graph on n vertices, and paths need them all; the published budgets.

Statement: a row attends with equal weights to the rows it reaches, a threshold follows: one attention layer squares the
reachability relation. After r layers paths of 2^r edges are known, so that

    r(n) = ceil(log2(n - 1))

layers settle every graph on n vertices, and the path graph, whose ends are n - 1 edges apart, needs r(n). For a regular
language on n letters prefix products by doubling take ceil(log2 n) attention layers, given positions.

The literature's log-depth transformer, without positions, has 2 ceil(log2 n) + 18 layers for connectivity and 4 ceil(log2 n)
+ 5 for regular languages. Those constants are quoted: they pay for finding positions by attention, and no verdict says that
they are needed; for regular languages they are not (`log_depth_regular`). What is checked is that the constructions stay below,
and the arithmetic of their inverse: the longest input for d layers is 2^floor((d - 5) / 4), and 2^floor((d - 18) / 2) vertices;
the exponents printed without a floor promise too much, such as n = 3 for d = 12, which takes 13.

Hypotheses: residual width n for squaring; positions for the doubling. Source: Merrill, Sabharwal, arXiv 2503.03961 (budgets);
rounds and inverses derived here. Refuted by: a graph not settled after r(n), a path settled earlier. Cost: 10 s on a CPU.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components

from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.constructions.doubling import doubling_depth, reachable
from depthjax.verify import UNSHARP, Claim, Control, Grid, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="log_depth_connectivity",
    title="ceil(log2(n - 1)) attention layers connect every graph on n vertices, and a path needs them all",
    statement=(
        "Squaring the reachability relation by attention settles every graph on n vertices in ceil(log2(n - 1)) layers, "
        "exactly as many as the path needs; regular languages take ceil(log2 n) layers given positions; both stay below the "
        "published budgets, whose longest inputs carry a floor."
    ),
    latex=r"r(n) = \lceil \log_2 (n-1) \rceil \le 2\lceil \log_2 n\rceil + 18, \qquad"
    r" 4 \lceil \log_2 n \rceil + 5 \le d \iff n \le 2^{\lfloor (d-5)/4 \rfloor}",
    relation=Relation.EQUALS,
    source=Source(
        "Merrill, Sabharwal",
        "A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers",
        "arXiv 2503.03961",
        "budgets of Corollary 1.1 and Theorem 2 (quoted); rounds derived here",
    ),
    assumes=("undirected graphs; n numbers a vertex in the residual stream", "positions are given to the doubling"),
    refuted_by="a graph not settled after ceil(log2(n - 1)) layers, a path settled before, or a longer input within a budget",
    cost="10 s on a CPU",
)

DEPTHS = range(18, 60)  # layers for which the longest inputs are computed


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of vertices, or letters, is the axis: one below, at and above the powers of two of n - 1."""

    vertices: int = axis(5, 6, 9, 10, 17, 18, 33, 34)
    graphs: int = 24


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(vertices=axis(5, 6, 9, 10, 17, 18, 33, 34, 65, 66, 129, 130), graphs=100),
    "paper": Sizes(vertices=axis(5, 6, 9, 10, 17, 18, 33, 34, 65, 66, 129, 130), graphs=100),
}


class Budgets(NamedTuple):
    """Layers of the published transformers, and what the two inverses say of the longest inputs."""

    regular: int
    connectivity: int
    longest_word: list[int]
    most_vertices: list[int]


def _budgets(cell: Sizes) -> Budgets:
    return Budgets(
        int(bounds.regular_language(cell.vertices).at()),
        int(bounds.connectivity(cell.vertices).at()),
        [bounds.reach(d, 4, 5) for d in DEPTHS],
        [bounds.reach(d, 2, 18) for d in DEPTHS],
    )


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The path's rounds, at most as many for the others, the budgets, and the longest inputs by depth."""
    rounds, budgets = int(bounds.squarings(cell.vertices).at()), _budgets(cell)
    return (
        Prediction(rounds, of="path_rounds", formula=r"\lceil \log_2(n-1) \rceil"),
        # sharp for the path, which is judged by itself; random graphs need not come near
        Prediction(rounds, of="rounds", resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(int(bounds.scan(cell.vertices).at()), of="word_layers", formula=r"\lceil \log_2 n \rceil"),
        Prediction(budgets.connectivity, of="path_rounds", resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(budgets.regular, of="word_layers", resolution=UNSHARP, relation=Relation.AT_MOST),
        Prediction(budgets.longest_word, of="longest_word", dims=("layers",)),
        Prediction(budgets.most_vertices, of="most_vertices", dims=("layers",)),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Rounds until nothing is missing, for the path and for other graphs; layers for words; longest inputs by search."""
    n = cell.vertices
    spare = _padding(n)
    path = np.eye(n, k=1, dtype=bool)
    cycle = path | np.eye(n, k=1 - n, dtype=bool)
    random = np.asarray(jax.random.uniform(key, (cell.graphs, n + spare, n + spare)))[:, :n, :n] < 1.2 / n
    every = np.stack([path, cycle, *random])
    every = np.pad(every | every.transpose(0, 2, 1), ((0, 0), (0, spare), (0, spare)))  # vertices by themselves change nothing
    rounds = _rounds(every)
    return xr.Dataset(
        {
            "path_rounds": ((), rounds[0], {"long_name": "squarings that the path needs"}),
            "rounds": ("graph", rounds[1:], {"long_name": "squarings that cycle and random graphs need"}),
            "word_layers": ((), _word_layers(n), {"long_name": "layers that the doubling needs for words of n letters"}),
            "longest_word": ("layers", _longest(4, 5), {"long_name": "longest word within 4 ceil(log2 n) + 5 layers"}),
            "most_vertices": ("layers", _longest(2, 18), {"long_name": "most vertices within 2 ceil(log2 n) + 18 layers"}),
        },
        coords={"layers": np.array(DEPTHS)},
    )


def _padding(size: int) -> int:
    """What is missing to the next multiple of 64: cells share a compilation."""
    return -size % 64


_square = jax.jit(jax.vmap(lambda known: reachable(known, 1)))
_scan = jax.jit(scan_automaton, static_argnames="layers")


def _rounds(edges: np.ndarray) -> np.ndarray:
    """How many squarings each graph needs until its relation is that of its connected components."""
    labels = [connected_components(graph, directed=False)[1] for graph in edges]
    components = np.stack([label[:, None] == label[None, :] for label in labels])
    known = edges | np.eye(edges.shape[1], dtype=bool)
    rounds = np.zeros(len(edges), int)
    while (open_ := (known != components).any(axis=(1, 2))).any():
        if rounds.max() > edges.shape[1]:
            raise RuntimeError("the squaring does not settle")
        rounds[open_] += 1
        known = np.asarray(_square(jnp.asarray(known)))
    return rounds


def _word_layers(length: int) -> int:
    """The fewest layers with which the doubling remembers a first letter to the end of the word, and all states before."""
    table = np.array([[0, 1, 2], [1, 1, 1], [2, 2, 2]])  # the first letter other than 0 decides for ever
    words = jnp.asarray(np.pad(np.array([[1], [2]]), ((0, 0), (0, length + _padding(length) - 1))))
    layers = 0
    while (np.asarray(_scan(jnp.asarray(table), words, layers=layers))[:, :length] != np.array([[1], [2]])).any():
        layers += 1
    return layers


def _longest(repeated: int, fixed: int) -> np.ndarray:
    """For each number of layers the largest n with repeated * ceil(log2 n) + fixed <= layers, by search."""
    found = []
    for layers in DEPTHS:
        n = 0
        while repeated * doubling_depth(2 * n if n else 1) + fixed <= layers:  # the budget is constant up to powers of two
            n = 2 * n if n else 1
        found.append(n)
    return np.array(found)


def _no_floor(cell: Sizes) -> tuple[Prediction, ...]:
    return (
        Prediction([2 ** ((d - 5) / 4) for d in DEPTHS], of="longest_word", dims=("layers",)),
        Prediction([2 ** ((d - 18) / 2) for d in DEPTHS], of="most_vertices", dims=("layers",)),
    )


CONTROLS = (
    Control(
        "one layer fewer",
        "ceil(log2(n - 1)) - 1 squarings settle the path",
        lambda cell: Prediction(int(bounds.squarings(cell.vertices).at()) - 1, of="path_rounds", relation=Relation.AT_MOST),
    ),
    Control("no floor", "the longest inputs are 2^((d - 5)/4) and 2^((d - 18)/2)", _no_floor),
)
