"""One small cell of each claim on width through the judge, with its controls."""

import pytest

from experiments.width import one_layer_wide_fails, sixty_layers_train

CELLS = {
    "width.residual_second_moment": {
        "depth": 8,
        "width": 32,
        "seeds": 320,
        "tied_width": 64,
        "tied_seeds": 256,
        "tied_depth": 6,
    },
    "width.residual_sensitivity": {"depth": 12, "width": 64},
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
