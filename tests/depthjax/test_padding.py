"""Padded networks read words as they did before."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.composition.paths import recurrent_weights, tree_weights, two_layer_weights
from depthjax.models.padding import padded
from depthjax.models.polynomial import recurrent_readings, tree_layers, two_layer
from depthjax.tasks.composition import CompositionTask
from theory.composition.encodings import generic_task
from theory.groups import group

TASK = CompositionTask(**generic_task(group("S3")))
WORDS = jnp.array([[1, 2, 3, 4], [5, 0, 2, 2]])
NETWORKS = {
    "two layers": (two_layer_weights(TASK.encoding, TASK.irreps, 4), two_layer),
    "recurrence": (recurrent_weights(TASK.encoding, TASK.irreps), recurrent_readings),
    "tree": (tree_weights(TASK.encoding, TASK.irreps), lambda w, c, x: tree_layers(w, c, x)[-1] @ w.out.T),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_zeros_change_no_output(name):
    weights, read = NETWORKS[name]
    wide, codes, table = padded(weights, TASK.codes, TASK.table, order=9, width=weights.width + 5)
    assert wide.width == weights.width + 5 and codes.shape == table.shape == (9, 9)
    found = np.asarray(read(wide, codes, WORDS))
    np.testing.assert_allclose(found[..., :6], read(weights, jnp.asarray(TASK.codes), WORDS), atol=1e-12)
    assert not found[..., 6:].any()


def test_a_size_that_is_too_small_is_refused():
    weights, _ = NETWORKS["tree"]
    with pytest.raises(ValueError):
        padded(weights, TASK.codes, TASK.table, order=5, width=weights.width)
