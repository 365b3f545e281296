r"""ceil(log2 d) attention layers settle a graph of diameter d, so ceil(log2(n - 1)) connect every graph on n vertices.

Statement: One attention layer with n numbers a vertex squares the reachability relation of a graph. So ceil(log2 d) layers
    settle every graph of diameter d, and one layer fewer does not; ceil(log2(n - 1)) layers settle every graph on n vertices,
    and the path needs them all. With one bit a token, n^2 tokens for pairs and n^3 for triples, a squaring takes two layers.
    $$ r(G) = \lceil \log_2 \operatorname{diam} G \rceil \le r(P_n) = \lceil \log_2 (n-1) \rceil,\qquad
       2\lceil \log_2 (n-1) \rceil \le 2\lceil \log_2 n \rceil + 18 $$
Hypotheses: undirected graphs; tokens know their vertices; the diameter is the largest distance within a component.
Source: Merrill, Sabharwal, “A Little Depth Goes a Long Way: The Expressive Power of Log-Depth Transformers”, arXiv 2503.03961,
    Theorem 2 (2 ceil(log2 n) + 18 layers, quoted); rounds derived here.
Refuted by: a graph not settled after ceil(log2 d) layers or settled before, another diameter, or one that needs more than the
    path.
Cost: quick 5 s on one core, full about a minute.

Derivation: a row attends with equal weights to the rows that it reaches, and a threshold follows, so r layers know all paths of
at most 2^r edges. The diameters are in `theory.logic.log_depth`; they are measured as well, because many diameters have the
same rounds. All graphs on five vertices, random trees and random graphs are the extremal search; the worst is a path.

The published machine has bits for tokens, too, and no indices. Its 2 ceil(log2 n) layers are those of the second part, and 18
more find by attention which vertices a token stands for. That they are needed is not claimed.
"""

import dataclasses

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.logic.log_depth_connectivity.common import BITS, FAMILIES
from theory import bounds
from theory.logic.log_depth import diameter

CLAIM = claim(Relation.EQUALS)
HEADLINE = "worst"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of vertices is the axis: n - 1 at the powers of two, and one above; random trees, as many random graphs."""

    vertices: int = axis(5, 6, 9, 10, 17, 18, 33, 34, 65, 66, 129, 257)
    graphs: int = 6


FULL = Sizes(vertices=axis(5, 6, 7, 8, 9, 10, 17, 18, 33, 34, 65, 66, 129, 130, 257, 258), graphs=100)

DOMAIN = domain(vertices=whole(5, 300, quick=140, test=12))
GRIDS = {"test": Sizes(vertices=axis(5), graphs=4), "quick": Sizes(), "full": FULL, "paper": FULL}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The diameter of each family and its rounds; the path's for the worst of all graphs; two layers a round for bits."""
    n = cell.vertices
    rounds = int(bounds.squarings(n).at())
    distances = [diameter(name, n) for name in FAMILIES]
    said = (
        Prediction(distances, of="diameter", dims=("family",)),
        Prediction([_of_diameter(distance) for distance in distances], of="rounds", dims=("family",)),
        Prediction(rounds, of="worst"),
    )
    if n > BITS:
        return said
    published = Prediction(int(bounds.connectivity(n).at()), of="bit_layers", relation=Relation.AT_MOST, resolution=UNSHARP)
    return *said, Prediction(2 * rounds, of="bit_layers"), published


def _step_by_step(cell: Sizes) -> tuple[Prediction, ...]:
    """Layers that read the edges see one edge further each: one less than the diameter, from the edges on.

    They are tried as long as twice the digits of the number of rows, which comes in parts of 64, and count as one more if they
    do not settle by then. The worst graph is the path. With bits a step takes two layers, and there are no further rows.
    """
    n = cell.vertices
    distances = [diameter(name, n) for name in FAMILIES]
    tried = 2 * (-(-n // 64) * 64).bit_length()
    return (
        Prediction(distances, of="diameter", dims=("family",)),
        Prediction([min(distance - 1, tried + 1) for distance in distances], of="rounds", dims=("family",)),
        Prediction(min(n - 2, tried + 1), of="worst"),
        *([Prediction(min(2 * (n - 2), 2 * n.bit_length() + 1), of="bit_layers")] if n <= BITS else []),
    )


def _of_diameter(distance: int) -> int:
    return int(bounds.squarings(distance + 1).at())  # a path with as many edges


def _log_of_vertices(cell: Sizes) -> Prediction | None:
    """ceil(log2 n) for the worst graph, which is too large only where n - 1 is a power of two."""
    sharp, rounded = (int(bounds.squarings(n).at()) for n in (cell.vertices, cell.vertices + 1))
    return Prediction(rounded, of="worst") if rounded > sharp else None


CONTROLS = (
    control(
        "no doubling",
        "as few layers are enough if each reads the edges of the graph",
        measure="no_doubling",
        finds=_step_by_step,
    ),
)

RIVALS = (
    off_by(-1, of=("rounds", "worst"), name="one layer fewer"),
    off_by(+1, of="diameter", name="one edge more", statement="the diameters are larger by one"),
    rival("ceil(log2 n)", _log_of_vertices, "the path needs ceil(log2 n) layers"),
    scaled(0.5, of="bit_layers", name="one layer a squaring", statement="one layer squares with one bit a token as well"),
)
