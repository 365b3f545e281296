"""Cells that nobody chose: what is false of ceilings is false there too, or says nothing of them."""

import dataclasses
import random

import numpy as np
import pytest

from experiments.automata.counting_ceiling import claim
from experiments.automata.counting_ceiling.common import READERS
from theory.bounds import ceiling


@pytest.mark.parametrize("seed", range(24))
def test_one_more_letter_helps_wherever_the_control_speaks(seed):
    source = random.Random(seed)
    cell = dataclasses.replace(
        claim.Sizes(), target=claim._targets(5, 3, 24).draw(source), length=source.randint(1, 6), modulus=source.randint(2, 5)
    )
    shares = claim._ceilings(cell)[0]
    if (shares == 1).all():
        return
    moves = claim._moves(cell.target)
    readers = [(cell.modulus if modulo else 0 if counts else 1, last + 1) for counts, modulo, last in READERS.values()]
    more = [ceiling(moves, cell.length, modulus=modulus, last=last).accuracy for modulus, last in readers]
    assert (np.array(more, float) > shares).any() and (np.array(more, float) >= shares).all()


def test_the_commonest_state_is_no_rival_of_a_single_letter():
    one = dataclasses.replace(claim.Sizes(), target="A3", length=3, seeds=0)
    assert claim._commonest(one, {}) is None
    assert claim._commonest(dataclasses.replace(one, target="gridworld4"), {}) is not None
