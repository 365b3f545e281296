"""Which rivals are evidence: naive twins that draw data which support a claim, and look whether a rival stands."""

import math

import numpy as np
import pytest

from depthjax.verify import Outcome, Prediction, Quantity, Relation, claim, judge, measured
from depthjax.verify.informative import distance, informative

EQUALS, AT_MOST, AT_LEAST, ORDER = Relation.EQUALS, Relation.AT_MOST, Relation.AT_LEAST, Relation.ORDER


def told(relation, own: Prediction, rival: Prediction, everywhere: bool = True) -> bool:
    return informative(claim(relation), [(own,)], [(rival,)], everywhere)


@pytest.mark.parametrize(
    ("relation", "own", "rival", "expected"),
    [
        (EQUALS, Prediction(3), Prediction(4), False),
        (EQUALS, Prediction(3), Prediction(4, of="another"), True),
        (EQUALS, Prediction(3.0), Prediction(4.5), False),
        (EQUALS, Prediction(3.0), Prediction(3.1), True),
        (EQUALS, Prediction(3.0, resolution=2.0), Prediction(4.0), True),
        (EQUALS, Prediction(True), Prediction(False), False),
        (EQUALS, Prediction(1 + 1j), Prediction(1 - 1j), False),
        (EQUALS, Prediction(3.0), Prediction(2.9, relation=AT_MOST), True),
        (EQUALS, Prediction(3.0), Prediction(1.0, relation=AT_MOST), False),
        (EQUALS, Prediction(3.0), Prediction(4.5, relation=AT_LEAST), False),
        (AT_MOST, Prediction(1.0), Prediction(0.5), False),
        (AT_MOST, Prediction(1.0), Prediction(0.95), True),
        (AT_MOST, Prediction(1.0, resolution=math.inf), Prediction(0.5), True),
        (AT_MOST, Prediction(1.0), Prediction(2.0, relation=AT_LEAST), False),
        (AT_LEAST, Prediction(1.0), Prediction(2.0), False),
        (ORDER, Prediction(2), Prediction(3), False),
        (ORDER, Prediction(2), Prediction(2.5), True),
        (ORDER, Prediction(2), Prediction(3, one_sided=True), False),
        (ORDER, Prediction(2, one_sided=True), Prediction(3), True),
        (ORDER, Prediction(2, one_sided=True), Prediction(1), False),
        (ORDER, Prediction(2, one_sided=True), Prediction(3, one_sided=True), True),
        (ORDER, Prediction(2), Prediction(2, constant=1.0), True),
        (ORDER, Prediction(2, constant=1.0), Prediction(2, constant=1.03), True),
        (ORDER, Prediction(2, constant=1.0), Prediction(2, constant=2.0), False),
        (Relation.TREND, Prediction(1), Prediction(0), False),
        (Relation.RANKING, Prediction([0, 1, 2], dims=("i",)), Prediction([1, 0, 2], dims=("i",)), False),
        (Relation.RANKING, Prediction([0, 0, 2], dims=("i",)), Prediction([1, 0, 2], dims=("i",)), True),
    ],
)
def test_what_a_supported_claim_implies(relation, own, rival, expected):
    assert told(relation, own, rival) is expected


def test_one_cell_that_is_left_to_the_data_is_enough_unless_one_cell_refutes():
    own, rival = [(Prediction(3.0),)] * 2, [(Prediction(9.0),), (Prediction(3.1),)]
    assert informative(claim(EQUALS), own, rival) and not informative(claim(EQUALS), own, rival, everywhere=False)
    assert not informative(claim(EQUALS), own, [None, None])


@pytest.mark.parametrize("relation", [EQUALS, AT_MOST, AT_LEAST])
@pytest.mark.parametrize("other", [EQUALS, AT_MOST, AT_LEAST])
def test_no_data_that_support_a_claim_leave_a_rival_standing_that_is_no_evidence(relation, other):
    """Data and budgets at random."""
    rng, supported = np.random.default_rng(1), 0
    for _ in range(120):
        value = rng.uniform(0.5, 2)
        own, rival = Prediction(value), Prediction(value * rng.uniform(0.4, 1.8), relation=other)
        floor = rng.uniform(0, 0.3) if relation is EQUALS else 1e-6  # the budget of a bound is taken to be small beside it
        data = measured(measured=Quantity(value * rng.uniform(0.85, 1.15), floor=value * floor))
        if judge(claim(relation), own, data).outcome is not Outcome.SUPPORTED or told(relation, own, rival):
            continue
        supported += 1
        assert judge(claim(relation), rival, data).outcome is Outcome.REFUTED, (own, rival, data)
    assert supported > 1


def test_distances_are_budgets_in_the_cell_that_decides():
    data = measured(measured=Quantity(1.0, floor=0.1))
    assert distance(judge(claim(EQUALS), Prediction(2.0), data)) == pytest.approx(10)
    assert distance(judge(claim(EQUALS), Prediction(1.0), data)) is None
    assert distance(judge(claim(EQUALS), Prediction(2), measured(measured=Quantity(1)))) is None
