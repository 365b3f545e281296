"""Arrays and depths beyond all memory are refused before they are made, and numbers beyond the floats by a sentence."""

import math

import numpy as np
import pytest

from theory.attention.generic import fractions, shared_row
from theory.attention.remedies import skip_residuals
from theory.attention.templates import generic_network
from theory.cost import TooExpensive

TOO_MUCH = [
    lambda: shared_row(10**12),
    lambda: fractions(0, 10**6, 10**6),
    lambda: generic_network(10**6, 1, 1, 1),
    lambda: generic_network(2, 1, 1, 10**12),
    lambda: generic_network(2, 10**400, 1, 1),
    lambda: skip_residuals(2, 1.0, 10**400, -1),
]


@pytest.mark.parametrize("question", TOO_MUCH)
def test_what_no_memory_holds_is_refused(question):
    with pytest.raises(TooExpensive):
        question()


@pytest.mark.parametrize(
    "arguments",
    [
        *[(0, 1.0, 1, 1), (1.5, 1.0, 1, 1), (2, 0.0, 1, 1), (2, math.nan, 1, 1), (2, 10**400, 1, 1), (10**400, 1.0, 1, 1)],
        *[(2, 1.0, 0, 1), (2, 1.0, 1, 0), (2, 1.0, 1, 1, math.inf), (2, 1.0, 1, 1, -1.0)],
    ],
)
def test_no_residuals_of_numbers_out_of_range(arguments):
    with pytest.raises(ValueError, match=r"width|scale|layers|sign|size"):
        skip_residuals(*arguments)


def test_tokens_that_outgrow_the_floats_are_refused_with_the_depth_that_is_not():
    with pytest.raises(ValueError, match="at most 1023 layers"):
        skip_residuals(2, 1.0, 10_000, 1)
    assert np.isfinite(skip_residuals(2, 1.0, 1023, 1)).all()


def test_hard_attention_cancels_tokens_at_once():
    assert skip_residuals(2, 1e300, 3, -1, 1e10).tolist() == [0.0, 0.0, 0.0]
