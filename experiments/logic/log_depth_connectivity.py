r"""ceil(log2(n - 1)) attention layers connect every graph on n vertices, and a path needs them all.

Statement: One attention layer squares the reachability relation of a graph. ceil(log2(n - 1)) layers settle every graph on n
    vertices, and the path needs exactly that many. Regular languages take ceil(log2 n) layers given positions. Both stay below
    the published budgets, and the longest inputs within these budgets carry a floor in their exponents.
    $$ r(n) = \lceil \log_2 (n-1) \rceil \le 2\lceil \log_2 n\rceil + 18, \qquad
       4 \lceil \log_2 n \rceil + 5 \le d \iff n \le 2^{\lfloor (d-5)/4 \rfloor} $$
Hypotheses: undirected graphs, with n numbers a vertex in the residual stream; positions are given to the doubling.
Source: Merrill, Sabharwal, “A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers”, arXiv 2503.03961,
    budgets of Corollary 1.1 and Theorem 2 (quoted); rounds derived here.
Refuted by: a graph not settled after ceil(log2(n - 1)) layers, a path settled before, or a longer input within a budget.
Cost: quick 10 s on a CPU, full 20 s.

Derivation: a row attends with equal weights to the rows that it reaches, and a threshold follows, so r layers know all paths of
2^r edges. The ends of the path graph are n - 1 edges apart.

The literature's log-depth transformer, without positions, has 2 ceil(log2 n) + 18 layers for connectivity and 4 ceil(log2 n) +
5 for regular languages. These constants are quoted: they pay for finding positions by attention, and no verdict says that they
are needed; for regular languages they are not (`log_depth_regular`). Judged are that the constructions stay below them, and the
arithmetic of their inverses: d layers suffice up to 2^floor((d - 5) / 4) letters, and up to 2^floor((d - 18) / 2) vertices. The
exponents printed without a floor promise too much, such as n = 3 for d = 12, which takes 13.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components

from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.constructions.doubling import doubling_depth, reachable
from depthjax.verify import (
    UNSHARP,
    Grid,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    off_by,
    rival,
)
from theory import bounds

CLAIM = claim(Relation.EQUALS)

DEPTHS = range(18, 60)  # layers for which the longest inputs are computed
REGULAR, CONNECTED = (4, 5), (2, 18)  # the published budgets: a * ceil(log2 n) + b layers
FIRST_LETTER = np.array([[0, 1, 2], [1, 1, 1], [2, 2, 2]])  # the first letter other than 0 decides for ever


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of vertices, or letters, is the axis: n - 1 at the powers of two, and one above."""

    vertices: int = axis(5, 6, 9, 10, 17, 18, 33, 34)
    graphs: int = 24


FULL = Sizes(vertices=axis(5, 6, 9, 10, 17, 18, 33, 34, 65, 66, 129, 130), graphs=100)
GRIDS = {"test": Sizes(vertices=axis(6), graphs=4), "quick": Sizes(), "full": FULL, "paper": FULL}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The path's rounds, at most as many for the others, the budgets, and the longest inputs by depth."""
    n = cell.vertices
    rounds = int(bounds.squarings(n).at())

    def at_most(value: int, of: str) -> Prediction:
        return Prediction(value, of=of, resolution=UNSHARP, relation=Relation.AT_MOST)

    def longest(of: str, budget: tuple[int, int]) -> Prediction:
        return Prediction([bounds.reach(depth, *budget) for depth in DEPTHS], of=of, dims=("layers",))

    return (
        Prediction(rounds, of="path_rounds", formula=r"\lceil \log_2(n-1) \rceil"),
        at_most(rounds, "rounds"),  # random graphs need not come near
        Prediction(int(bounds.scan(n).at()), of="word_layers", formula=r"\lceil \log_2 n \rceil"),
        at_most(int(bounds.connectivity(n).at()), "path_rounds"),
        at_most(int(bounds.regular_language(n).at()), "word_layers"),
        longest("longest_word", REGULAR),
        longest("most_vertices", CONNECTED),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Rounds until nothing is missing, for the path and for other graphs; layers for words; longest inputs by search."""
    n, spare = cell.vertices, _padding(cell.vertices)
    path = np.eye(n, k=1, dtype=bool)
    cycle = path | np.eye(n, k=1 - n, dtype=bool)
    random = np.asarray(jax.random.uniform(key, (cell.graphs, n + spare, n + spare)))[:, :n, :n] < 1.2 / n
    edges = np.stack([path, cycle, *random])
    edges = np.pad(edges | edges.transpose(0, 2, 1), ((0, 0), (0, spare), (0, spare)))  # more vertices, all by themselves
    rounds = _rounds(edges)
    return measured(
        path_rounds=Quantity(rounds[0], label="squarings that the path needs"),
        cycle_rounds=Quantity(rounds[1], label="squarings that the cycle needs"),
        rounds=Quantity(rounds[1:], "graph", label="squarings that cycle and random graphs need"),
        word_layers=Quantity(_word_layers(n), label="layers that the doubling needs for words of n letters"),
        longest_word=Quantity(_longest(*REGULAR), "layers", label="longest word within 4 ceil(log2 n) + 5 layers"),
        most_vertices=Quantity(_longest(*CONNECTED), "layers", label="most vertices within 2 ceil(log2 n) + 18 layers"),
        layers=np.array(DEPTHS),
    )


def _padding(size: int) -> int:
    """What is missing to the next multiple of 64, so that cells share their programs."""
    return -size % 64


_square = jax.jit(jax.vmap(lambda known: reachable(known, 1)))
_scan = jax.jit(scan_automaton, static_argnames="layers")


def _rounds(edges: np.ndarray) -> np.ndarray:
    """How many squarings each graph needs until its relation is that of its connected components."""
    labels = [connected_components(graph, directed=False)[1] for graph in edges]
    components = np.stack([label[:, None] == label[None, :] for label in labels])
    known = edges | np.eye(edges.shape[1], dtype=bool)
    rounds = np.zeros(len(edges), int)
    while (unsettled := (known != components).any(axis=(1, 2))).any():
        if rounds.max() > edges.shape[1]:
            raise RuntimeError("the squaring does not settle")
        rounds[unsettled] += 1
        known = np.asarray(_square(jnp.asarray(known)))
    return rounds


def _word_layers(length: int) -> int:
    """The fewest layers with which the doubling remembers a first letter at every position of the word."""
    words = jnp.asarray(np.pad(np.array([[1], [2]]), ((0, 0), (0, length + _padding(length) - 1))))
    layers = 0
    while (np.asarray(_scan(jnp.asarray(FIRST_LETTER), words, layers=layers))[:, :length] != np.array([[1], [2]])).any():
        layers += 1
    return layers


def _longest(repeated: int, fixed: int) -> np.ndarray:
    """For each number of layers the largest n with repeated * ceil(log2 n) + fixed <= layers, by search."""
    powers = [2**i for i in range(DEPTHS.stop)]  # the budget is constant between powers of two
    return np.array([max((n for n in powers if repeated * doubling_depth(n) + fixed <= d), default=0) for d in DEPTHS])


def _no_floor(cell: Sizes) -> tuple[Prediction, ...]:
    return (
        Prediction([2 ** ((d - 5) / 4) for d in DEPTHS], of="longest_word", dims=("layers",)),
        Prediction([2 ** ((d - 18) / 2) for d in DEPTHS], of="most_vertices", dims=("layers",)),
    )


CONTROLS = (control("a cycle", "a cycle needs as many rounds as a path", instead={"path_rounds": "cycle_rounds"}),)
RIVALS = (
    off_by(-1, of=("path_rounds", "word_layers"), name="one layer fewer"),
    rival("no floor", _no_floor, "the longest inputs are 2^((d - 5)/4) and 2^((d - 18)/2)"),
)
