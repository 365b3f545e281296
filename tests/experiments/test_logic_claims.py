"""What the claims on logic predict of training."""

from experiments.logic.alternation_training_depth import claim


def test_blocks_are_predicted_to_be_learned_from_depth_k_minus_two():
    cells = claim.GRIDS["quick"].cells()
    assert [cell.depths for cell in cells] == [[0, 1], [1, 2]]
    assert [claim.predict(cell, claim.objects(cell))[0].value for cell in cells] == [[False, True]] * 2


def test_of_many_blocks_only_enough_layers_are_judged():
    cells = claim.GRIDS["full"].cells()
    said = {cell.k: {one.of: one.value for one in claim.predict(cell, claim.objects(cell))} for cell in cells}
    assert said[5]["enough"] == said[6]["enough"] == [True, True] and "solved" not in said[5] | said[6]
    assert said[4]["solved"] == [False, True, True]
