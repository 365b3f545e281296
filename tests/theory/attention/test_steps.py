"""Written tokens for hops, against a count of pointer and letter layer by layer."""

import pytest

from theory import bounds
from theory.attention.steps import state_steps, steps_reach
from theory.errors import OutsideHypotheses


def answers(layers, written):
    """The hops that some letter can have after so many tokens, by following pointer and letter through every layer."""
    pointer = 1  # of a letter after layer 1; 0 hops are its own letter
    for _ in range(layers - 1):
        pointer *= 2
    reachable = set(range(1, 2 ** (layers - 1)))  # sums of any of 1, 2, 4, ...
    for _ in range(written):
        start, pointer_now, letters = pointer, pointer, {None}
        inner, moved = 1, {0}  # what a letter of the prompt holds before layer 2
        for _ in range(layers - 1):
            letters |= {pointer_now + hops for hops in moved}
            moved |= {inner + hops for hops in moved}
            pointer_now += inner
            inner *= 2
        reachable, pointer = letters - {None}, pointer_now
        assert start < pointer
    return reachable


@pytest.mark.parametrize("layers", [2, 3, 4])
def test_the_reach_is_that_of_following_every_layer(layers):
    for written in range(4):
        assert max(answers(layers, written)) == steps_reach(layers, written)
    for hops in range(1, 40):
        needed = next(c for c in range(99) if steps_reach(layers, c) >= hops)
        assert bounds.written_steps(hops, layers).at() == needed


def test_one_layer_hops_nowhere():
    with pytest.raises(OutsideHypotheses, match="layers >= 2"):
        bounds.written_steps(3, 1).at()
    with pytest.raises(ValueError, match="written"):
        steps_reach(2, -1)
    assert [state_steps(length) for length in (1, 2, 9)] == [0, 1, 8]
