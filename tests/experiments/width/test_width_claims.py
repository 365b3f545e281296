"""What the trained claims on width predict."""

from experiments.width.one_layer_wide_fails import claim as one_layer_wide_fails
from experiments.width.sixty_layers_train import claim as sixty_layers_train


def test_sixty_layers_are_predicted_from_the_sensitivity():
    for size, grid in sixty_layers_train.GRIDS.items():
        for cell in grid.cells():
            said = dict(zip((stack[:2] for stack in cell.stacks), sixty_layers_train.predict(cell)[0].value, strict=True))
            assert said["pre", cell.depth] and said["admin", cell.depth], size
            if size != "test":
                assert said["post", cell.few] and not said["post", cell.depth], size


def test_a_single_head_has_a_ceiling_and_two_layers_learn_two_hops():
    cell = one_layer_wide_fails.GRIDS["quick"]
    said = {prediction.of: prediction.value for prediction in one_layer_wide_fails.predict(cell)}
    assert all(0 < ceiling < 1 for ceiling in said["best_head"]) and 0 < float(said["one_layer_twice"]) < 1
    assert said["learned"] == [[True, False], [True, True]] and said["fewest"] == -(-4 * cell.inputs // 5)


def test_no_stack_is_judged_inside_the_onset():
    for size, grid in sixty_layers_train.GRIDS.items():
        for cell in grid.cells():
            assert all(each.holds for each in sixty_layers_train.predict(cell)[0].hypotheses), size
    inside = sixty_layers_train.predict(sixty_layers_train.Sizes(few=12))[0]  # c = 6
    assert [each.holds for each in inside.hypotheses] == [False]
