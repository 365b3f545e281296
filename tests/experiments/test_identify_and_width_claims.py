"""What the trained claims on width predict."""

from experiments.width import one_layer_wide_fails, sixty_layers_train


def test_sixty_layers_are_predicted_from_the_sensitivity():
    few, many = sixty_layers_train.GRIDS["quick"].cells()
    assert list(sixty_layers_train.predict(few).value) == [True, True, True]
    assert list(sixty_layers_train.predict(many).value) == [False, True, True]


def test_a_wide_layer_is_predicted_to_learn_one_hop():
    assert one_layer_wide_fails.predict(one_layer_wide_fails.GRIDS["quick"]).value == [[True, False], [True, True]]
