"""Local views of one cycle and of two, against graphs that are written out."""

import numpy as np
import pytest

from experiments.attention.cycle_rounds.cycle_views import PRIME, equal_balls, equal_colours, equal_messages, one_and_two


def views(successor, vertex, rounds):
    """All that a vertex can have read after these rounds, as nested tuples of names."""
    if rounds == 0:
        return vertex
    before = int(np.argsort(successor)[vertex])
    return tuple(views(successor, v, rounds - 1) for v in (vertex, int(successor[vertex]), before))


@pytest.mark.parametrize("vertices", [6, 8, 10, 12])
def test_colours_and_messages_are_the_views(vertices):
    one, two = one_and_two(vertices)
    assert sorted(two) == list(range(vertices))
    alike = max(r for r in range(5) if views(one, 0, r) == views(two, 0, r))
    assert equal_colours(vertices) == alike == (vertices // 2 - 1) // 2
    draw = np.random.default_rng(vertices)
    numbers = draw.integers(1, PRIME, (3, vertices // 2 + 1, 5))
    assert equal_messages(vertices, numbers, draw.integers(1, PRIME, vertices)).tolist() == [alike] * 3


def test_balls_differ_as_soon_as_the_short_cycle_closes():
    assert [equal_balls(n) for n in (6, 8, 10, 12, 14, 64)] == [0, 1, 1, 2, 2, 15]


def test_a_far_neighbour_ends_it_early():
    far = np.random.default_rng(0).permutation(64)
    assert equal_colours(64, far) < equal_colours(64)
    assert equal_balls(64, far) < equal_balls(64)


def test_odd_numbers_are_refused():
    with pytest.raises(ValueError, match="even"):
        one_and_two(7)
