r"""Few local rounds cannot tell one cycle from two; ceil(log2 N) attention layers can.

Statement: Compare one directed cycle of N vertices with two cycles of N/2. Balls of radius r in the two graphs agree exactly
    while 2 r + 1 < N/2. Networks that pass messages for r rounds hold the same at some vertex exactly while 2 r + 1 <= N/2,
    whatever their functions, if the names around it agree. After R layers of pointer doubling every vertex holds the least of
    the first 2^R vertices from it on. It sees a path while 2^R < N/2. ceil(log2 N) layers count the cycles, and no fewer do.
    $$ 2r + 1 < \tfrac{N}{2} \Leftrightarrow B_r(C_N) \cong B_r(2\,C_{N/2}),\qquad R = \lceil \log_2 N \rceil $$
Hypotheses: directed cycles whose vertices have names and know their neighbours; local doubling (the claim does not speak of
    other algorithms).
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, the usual
    conjecture; the views and the rounds are derived here.
Refuted by: balls, colours or messages that differ in an earlier or a later round, a wrong label after any layer, or another
    number of layers that counts the cycles of every graph.
Cost: quick 2 s on one core, full about 5 min.

Every even N from 6 to 64 is tried at quick size, and more in drawn cells. The labels of every layer are compared with a walk
along the cycles. This is no proof of the conjecture, which says of every parallel computation that it needs Omega(log N)
rounds.
"""

import dataclasses

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, claim, control, domain, off_by, rival, whole
from experiments.attention.cycle_rounds.cycles import cycle_rounds, cycle_views

CLAIM = claim(Relation.EQUALS)
HEADLINE = "rounds"

LEAST = 6  # vertices; two cycles of three


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """All even numbers of vertices up to `most`; graphs of each kind, with other names; random networks of messages."""

    most: int = 64
    graphs: int = 8
    networks: int = 8

    @property
    def lengths(self) -> tuple[int, ...]:
        """The numbers of vertices."""
        return tuple(range(LEAST, self.most + 1, 2))

    @property
    def layers(self) -> tuple[int, ...]:
        """Layers that are tried; one more than suffices for a path through all vertices."""
        return tuple(range(self.most.bit_length() + 1))


DOMAIN = domain(most=whole(66, 256, step=2, quick=90, test=70), networks=whole(1, 16), counts={"full": 8})
GRIDS = {
    "test": Sizes(most=18, graphs=4),
    "quick": Sizes(),
    "full": Sizes(most=256, graphs=16, networks=64),
    "paper": Sizes(most=1024, graphs=16, networks=64),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The last round whose local views agree, the last that sees a path, the layers that count, and how many labels are right.

    Layers that look one step ahead see R + 1 vertices: R + 1 = 2^R for none and for one, and a cycle of N takes N - 1 of them.
    """
    views = [cycle_views(n) for n in cell.lengths]
    labels = sum(2 * cell.graphs * n for n in cell.lengths)
    steps = [min(n - 1, len(cell.layers)) for n in cell.lengths]
    rounds = [cycle_rounds(n) for n in cell.lengths]
    return (
        Prediction([radius for radius, _ in views], of="radius", dims=("vertices",), formula="2r + 1 < N/2"),
        Prediction([most for _, most in views], of="colours", dims=("vertices",), formula=r"2r + 1 \le N/2"),
        Prediction(
            _of_each(cell, [most for _, most in views]), of="messages", dims=("vertices", "network"), formula=r"2r + 1 \le N/2"
        ),
        Prediction([blind for blind, _ in rounds], of="blind_rounds", dims=("vertices",), formula="2^R < N/2"),
        Prediction([enough for _, enough in rounds], of="rounds", dims=("vertices",), formula=r"\lceil\log_2 N\rceil"),
        Prediction([labels] * len(cell.layers), of="right_labels", dims=("layers",)),
        Prediction(steps, of="rounds_by_steps", dims=("vertices",), formula=r"\min(N - 1, \text{all})"),
        Prediction([1] * len(steps), of="blind_by_steps", dims=("vertices",)),
        *_of_steps(cell),
    )


def _of_steps(cell: Sizes) -> tuple[Prediction, ...]:
    """Bounds on how many labels are right that are the least name of R + 1 vertices, and should be that of 2^R.

    If 2^R vertices are the whole cycle, R + 1 labels are right: those of the vertices that see its least name. In a longer
    cycle these are right as well. Wrong are those of vertices from which the least name is more than R and fewer than 2^R
    steps ahead. The two bounds agree if 2^R vertices are the whole cycle.
    """
    least, most = [], []
    for layer in cell.layers:
        # one cycle of n in a graph of one kind, two of n / 2 in one of the other
        cycles = [(times, n // times) for n in cell.lengths for times in (1, 2)]
        seen = [(times, size, min(layer + 1, size), min(2**layer, size)) for times, size in cycles]
        least.append(cell.graphs * sum(times * (size if near == far else near) for times, size, near, far in seen))
        most.append(cell.graphs * sum(times * (size - far + near) for times, size, near, far in seen))
    return tuple(
        Prediction(number, of="right_by_steps", dims=("layers",), relation=relation, resolution=UNSHARP)
        for number, relation in ((least, Relation.AT_LEAST), (most, Relation.AT_MOST))
    )


def _of_each(cell: Sizes, rounds: list[int]) -> list[list[int]]:
    return [[number] * cell.networks for number in rounds]


def _far(cell: Sizes) -> tuple[Prediction, ...]:
    """Steps from vertex 0 to the nearest vertex whose neighbours differ, if vertex v also reads vertex 3 v + 1.

    Names tell all that is read, so what vertex 0 holds differs a round after that. The two graphs differ at the four vertices
    beside the two edges of the long cycle that the short ones lack.
    """
    steps = []
    for n in cell.lengths:
        begin, half = -((n // 2 - 1) // 2), n // 2
        differ = {place % n for place in (begin, begin - 1, begin + half, begin + half - 1)}
        reached, number = {0}, 0
        while not reached & differ:
            reached |= {read % n for v in reached for read in (v - 1, v + 1, 3 * v + 1)}
            number += 1
        steps.append(number)
    return (
        Prediction(steps, of="colours", dims=("vertices",)),
        Prediction(_of_each(cell, steps), of="messages", dims=("vertices", "network")),
    )


CONTROLS = (
    control(
        "no doubling",
        "as many layers are enough if each looks one step ahead",
        instead={"rounds": "rounds_by_steps", "blind_rounds": "blind_by_steps", "right_labels": "right_by_steps"},
    ),
    control(
        "a round that is not local",
        "the views agree as long if vertex v also reads vertex 3 v + 1",
        measure="a_round_that_is_not_local",
        finds=_far,
    ),
)

RIVALS = (
    off_by(-1, of="rounds", name="a layer fewer", statement="one layer fewer is enough"),
    off_by(+1, of="radius", name="a radius more", statement="the balls still agree at the next radius"),
    off_by(+1, of="blind_rounds", name="blind a layer longer", statement="the next layer still sees a path"),
    rival(
        "messages see what balls show",
        lambda cell: Prediction(
            _of_each(cell, [cycle_views(n)[0] for n in cell.lengths]), of="messages", dims=("vertices", "network")
        ),
        "messages of r rounds differ as soon as the balls of radius r do",
    ),
)
