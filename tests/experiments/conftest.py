"""What tests of claims share: one cell through the judge, with its controls."""

import dataclasses

import jax
import pytest

from depthjax.verify import Outcome, judge
from experiments import catalogue


@pytest.fixture
def assert_cell_holds():
    """Return the check that a cell of the quick grid is supported and every control that speaks of it refuted."""

    def check(slug: str, sizes: dict, seed: int) -> None:
        experiment = catalogue.experiment(slug)
        (cell,) = dataclasses.replace(experiment.grids["quick"], **sizes).cells()
        given = () if experiment.setting is None else (experiment.setting(cell),)
        key = jax.random.key(seed)
        measured = experiment.measure(cell, key, *given)
        found = judge(experiment.claim, [experiment.predict(cell, *given)], measured)
        assert found.outcome is Outcome.SUPPORTED, found.reason
        for control in experiment.controls:
            falsehood = control.predict(cell, *given)
            if falsehood is not None:
                data = measured if control.measure is None else control.measure(cell, key, *given)
                assert judge(experiment.claim, [falsehood], data).outcome is Outcome.REFUTED, control.name

    return check
