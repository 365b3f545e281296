"""The fewest layers without an error."""

from depthjax.instruments.layers_needed import fewest_layers


def test_layers_are_needed_up_to_the_last_error():
    errors = [5, 0, 2, 0, 0]  # right by chance with one layer, wrong with two
    assert fewest_layers(errors.__getitem__, 4) == 3
    assert fewest_layers([0, 0, 0].__getitem__, 2) == 0
    assert fewest_layers([0, 0, 1].__getitem__, 2) == 3
