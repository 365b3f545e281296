"""What the claims on logic predict of training."""

from experiments.logic import alternation_training_depth as claim


def test_blocks_are_predicted_to_be_learned_from_depth_k_minus_two():
    three, four = claim.GRIDS["quick"].cells()
    said = [claim.predict(cell, claim.objects(cell))[0].value for cell in (three, four)]
    assert said == [[True, True], [False, True]]
