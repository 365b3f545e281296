"""One small cell of each claim on identifiability, with its controls; what the trained claims on width predict."""

import pytest

from experiments.width import one_layer_wide_fails, sixty_layers_train

CELLS = {
    "identify.pairwise_masking_blind": {"states": 3},
    "identify.triplet_masking_identifies": {"states": 3, "models": 1},
    "identify.triplet_sample_error": {"states": 2, "sizes": 6},
    "identify.dyck_balance_sufficient": {"table": 1, "exhaustive": 8, "length": 64, "words": 8},
    "identify.dyck_imbalance_length": {"table": 2, "bits": 8, "longest": 256},
    "identify.contrastive_conditioning": {"loss": "ence"},
    "identify.contrastive_steps": {"loss": "ence", "radius": 4.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_one_cell_is_supported_and_its_controls_are_refuted(name, assert_cell_holds):
    assert_cell_holds(name.partition(".")[2], CELLS[name], seed=3)


def test_sixty_layers_are_predicted_from_the_sensitivity():
    few, many = sixty_layers_train.GRIDS["quick"].cells()
    assert list(sixty_layers_train.predict(few).value) == [True, True, True]
    assert list(sixty_layers_train.predict(many).value) == [False, True, True]


def test_a_wide_layer_is_predicted_to_learn_one_hop():
    assert one_layer_wide_fails.predict(one_layer_wide_fails.GRIDS["quick"]).value == [[True, False], [True, True]]
