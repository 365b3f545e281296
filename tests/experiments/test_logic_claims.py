"""One small cell of each claim on logic through the judge, with its controls."""

import dataclasses
import importlib

import jax
import pytest

from depthjax.verify import Outcome, judge

CELLS = {
    "ltl_depth_compiles": {"depth": 2, "formulas": 6, "length": 6},
    "star_free_iff_aperiodic": {"kind": "named", "length": 6},
    "alternation_depth_exact": {"k": 4, "length": 8},
    "alternation_pairs_blind": {"size": 1, "formulas": 10},
    "log_depth_connectivity": {"vertices": 9, "graphs": 4},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_one_cell_is_supported_and_its_controls_are_refuted(name):
    claim = importlib.import_module(f"experiments.logic.{name}")
    cell = dataclasses.replace(claim.GRIDS["quick"], **CELLS[name])
    given = (claim.setting(cell),) if hasattr(claim, "setting") else ()
    key = jax.random.key(3)
    data = claim.measure(cell, key, *given)
    verdict = judge(claim.CLAIM, [claim.predict(cell, *given)], data)
    assert verdict.outcome is Outcome.SUPPORTED, verdict.reason
    for control in claim.CONTROLS:
        prediction = control.predict(cell, *given)
        if prediction is not None:
            measured = data if control.measure is None else control.measure(cell, key, *given)
            assert judge(claim.CLAIM, [prediction], measured).outcome is Outcome.REFUTED, control.name


def test_blocks_are_predicted_to_be_learned_from_depth_k_minus_two():
    claim = importlib.import_module("experiments.logic.alternation_training_depth")
    three, four = claim.GRIDS["quick"].cells()
    assert (claim.predict(three).value, claim.predict(four).value) == ([True, True], [False, True])
