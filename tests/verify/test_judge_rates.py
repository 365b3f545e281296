"""Trials that a verdict needs, and the chance of a false one."""

import pytest

from depthjax.verify import Outcome, Relation
from depthjax.verify.rates import RATE, trials_needed


@pytest.mark.parametrize("family", [1, 2, 8, 20, 1000])
@pytest.mark.parametrize("relation", [Relation.TREND, Relation.RANKING])
def test_trials_needed_is_the_first_number_that_suffices(relation, family):
    for outcome, share in ((Outcome.SUPPORTED, RATE), (Outcome.REFUTED, RATE / family)):
        trials = trials_needed(relation, family, outcome=outcome)
        assert 0.5**trials <= share < 0.5 ** (trials - 1)


@pytest.mark.parametrize("possible", [0.5, 0.1, 0.01, 0.001])
def test_failures_needed_exclude_the_stated_rate(possible):
    trials = trials_needed(Relation.IMPOSSIBLE, possible=possible)
    assert (1 - possible) ** trials <= RATE < (1 - possible) ** (trials - 1)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((Relation.EQUALS,), {}),
        ((Relation.TREND, 0), {}),
        ((Relation.TREND,), {"outcome": Outcome.INCONCLUSIVE}),
        ((Relation.IMPOSSIBLE,), {"possible": 0.0}),
        ((Relation.IMPOSSIBLE,), {"possible": 1.0}),
    ],
)
def test_trials_needed_refuses_what_has_no_trials(arguments, options):
    with pytest.raises(ValueError):
        trials_needed(*arguments, **options)
