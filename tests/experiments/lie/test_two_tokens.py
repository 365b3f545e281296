"""The series of two tokens beyond degree 12 that `bch_tail_bound` sums, against exact constants."""

import numpy as np
import pytest

from depthjax.verify import Cell
from experiments.lie.bch_tail_bound.claim import Sizes
from experiments.lie.bch_tail_bound.measure import _together
from theory.lie.tails import permutation_constant


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_words_of_two_tokens_have_the_constants_of_permutations(share):
    cell = Cell.of(Sizes(share=share, largest=1.0).cells()[0])
    found, expected = _together(cell), []
    for s in cell.sums:
        x, y = share * s, (1 - share) * s
        expected.append(sum(float(permutation_constant(n)) * ((x + y) ** n - x**n - y**n) for n in range(13, 200)))
    assert np.allclose(np.asarray(found.values), expected, rtol=1e-12, atol=0)
