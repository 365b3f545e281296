"""One small cell of each claim on logic through the judge, with its controls."""

import importlib

import pytest

CELLS = {
    "ltl_depth_compiles": {"depth": 2, "formulas": 6, "length": 6},
    "star_free_iff_aperiodic": {"kind": "named", "length": 6},
    "alternation_depth_exact": {"k": 4, "length": 8},
    "alternation_pairs_blind": {"size": 1, "formulas": 10},
    "log_depth_connectivity": {"vertices": 9, "graphs": 4},
    "log_depth_regular": {"automaton": "D4", "longest": 65, "every": 5, "samples": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_one_cell_is_supported_and_its_controls_are_refuted(name, assert_cell_holds):
    assert_cell_holds(name, CELLS[name], seed=3)


def test_blocks_are_predicted_to_be_learned_from_depth_k_minus_two():
    claim = importlib.import_module("experiments.logic.alternation_training_depth")
    three, four = claim.GRIDS["quick"].cells()
    said = [claim.predict(cell, claim.setting(cell))[0].value for cell in (three, four)]
    assert said == [[True, True], [False, True]]
