"""How many local rounds leave one cycle and two cycles alike: balls, colour refinement and random networks of messages.

Both graphs have the vertices 0, ..., N - 1, which are their names. One cycle runs through them in order. The two cycles are the
N/2 vertices around vertex 0, and the others, so the surroundings of vertex 0 agree for as long as any naming lets them.
In a round every vertex reads what its successor and its predecessor hold. With `far` it also reads one vertex anywhere.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Int

from depthjax.checks import at_least

PRIME = 2**31 - 1  # a product of two residues fits 64 bits

Links = Sequence[Int[np.ndarray, " vertices"]]  # one row of neighbours after the other


def one_and_two(vertices: int) -> tuple[Int[np.ndarray, " vertices"], Int[np.ndarray, " vertices"]]:
    """Return the successors in one cycle, and those in two cycles of half the length, vertex 0 in the middle of the first.

    Raises:
        ValueError: The number of vertices is odd or below 6.
    """
    if at_least("vertices", vertices, 6, "shorter halves are no cycles") % 2:
        raise ValueError(f"vertices must be even, got {vertices}: they are split into two cycles")
    half = vertices // 2
    order = (np.arange(vertices) - (half - 1) // 2) % vertices
    two = np.empty(vertices, int)
    two[order] = np.roll(order.reshape(2, half), -1, axis=1).ravel()
    return np.roll(np.arange(vertices), -1), two


def equal_balls(vertices: int, far: Int[np.ndarray, " vertices"] | None = None) -> int:
    """Return the largest radius up to which the balls around vertex 0 have equally many vertices and edges.

    A ball in a cycle is a path or the cycle itself, so the two numbers say everything but the names.
    """
    one, two = (_links(successor, far) for successor in one_and_two(vertices))
    return _last_alike(vertices, lambda radius: _ball(one, radius) == _ball(two, radius))


def equal_colours(vertices: int, far: Int[np.ndarray, " vertices"] | None = None) -> int:
    """Return the last round of colour refinement after which vertex 0 has one colour in both graphs.

    The first colours are the names, and a colour keeps all that a vertex has read. So no network of messages tells more.
    """
    links = [_links(successor, far) for successor in one_and_two(vertices)]
    colours = [list(range(vertices))] * 2

    def alike(rounds: int) -> bool:
        nonlocal colours
        if rounds:
            seen: dict[tuple[int, ...], int] = {}
            colours = [
                [seen.setdefault((own, *(colour[row[v]] for row in rows)), len(seen)) for v, own in enumerate(colour)]
                for colour, rows in zip(colours, links, strict=True)
            ]
        return colours[0][0] == colours[1][0]

    return _last_alike(vertices, alike)


def equal_messages(
    vertices: int,
    numbers: Int[np.ndarray, "networks rounds coefficients"],
    names: Int[np.ndarray, " vertices"],
    far: Int[np.ndarray, " vertices"] | None = None,
) -> Int[np.ndarray, " networks"]:
    """Return the last round after which each network of messages holds the same at vertex 0 of both graphs.

    A vertex holds a residue modulo `PRIME`, at first its name. A round replaces it by the cube of an affine function of what
    the vertex and its neighbours hold, so nothing is rounded.

    Args:
        vertices: Number N.
        numbers: Residues below `PRIME`: for every network and round a coefficient of the vertex, of its successor, of its
            predecessor and, with `far`, of that vertex, and a constant. N / 2 rounds are enough.
        names: Residue of each vertex.
        far: A vertex anywhere that each vertex reads as well.
    """
    links = [_links(successor, far) for successor in one_and_two(vertices)]

    def held(rows: Links) -> np.ndarray:
        state = np.tile(names % PRIME, (len(numbers), 1))
        states = [state[:, 0]]
        for round_ in range(numbers.shape[1]):
            own = numbers[:, round_, :, None]
            total = own[:, -1]
            for place, read in enumerate((state, *(state[:, row] for row in rows))):
                total = (total + own[:, place] * read) % PRIME
            state = total * total % PRIME * total % PRIME
            states.append(state[:, 0])
        return np.stack(states, axis=1)

    one, two = (held(rows) for rows in links)
    return np.logical_and.accumulate(one == two, axis=1).sum(axis=1) - 1


def _links(successor: np.ndarray, far: np.ndarray | None) -> Links:
    return [successor, np.argsort(successor), *([] if far is None else [far])]


def _last_alike(vertices: int, alike: Callable[[int], bool]) -> int:
    return next((rounds for rounds in range(vertices) if not alike(rounds)), vertices) - 1


def _ball(rows: Links, radius: int) -> tuple[int, int]:
    """Vertices and edges inside the ball around vertex 0."""
    ball, front = {0}, {0}
    for _ in range(radius):
        front = {int(row[v]) for v in front for row in rows} - ball
        ball |= front
    return len(ball), sum(int(row[v]) in ball for row in rows for v in ball)
