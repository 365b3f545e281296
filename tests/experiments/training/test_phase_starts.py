"""Networks of phases from several starts."""

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.constructions.towers.group import AbelianTable
from depthjax.training import Recipe
from experiments.training.expressible_not_learned.phase_network import exact, initial
from experiments.training.expressible_not_learned.phase_starts import STARTS, moved, trained_from_starts, wrong_positions

TABLE = np.array([[0, 1], [1, 0]])
STAGES = (AbelianTable(np.array([2]), np.array([[[0], [1]]])),)
SOLUTION = exact(STAGES, np.arange(2), 10.0)


def test_arrays_are_moved_by_a_share_of_their_size(key):
    direction = initial(key, STAGES, 2, 2)
    for name, array in moved(SOLUTION, direction, 0.1).items():
        step, size = np.asarray(array - SOLUTION[name]), np.sqrt(np.mean(np.square(SOLUTION[name])))
        np.testing.assert_allclose(np.sqrt(np.mean(step**2)), 0.1 * size, rtol=1e-4)


def test_wrong_positions_are_counted(key):
    assert wrong_positions(key, SOLUTION, STAGES, TABLE, 4, 50) == (0, 200)
    swapped = SOLUTION | {"readout": jnp.flip(SOLUTION["readout"], axis=1)}
    assert wrong_positions(key, swapped, STAGES, TABLE, 4, 50) == (200, 200)


def test_runs_start_where_they_should(key):
    sizes = {"seeds": 2, "batch": 4, "length": 4, "near": 0.01, "far": 3.0}
    recipe = Recipe(2, 1e-9, schedule="constant", weight_decay=0.0, record_every=1)
    found = trained_from_starts(jax.random.fold_in(key, 1), SOLUTION, STAGES, TABLE, recipe, **sizes)
    assert found.whole.shape == (len(STARTS), 2, 2) and found.finite.all()
    apart = dict(zip(STARTS, found.apart, strict=True))
    np.testing.assert_allclose(apart["near"], 0.01, rtol=1e-3)
    np.testing.assert_allclose(apart["far"], 3.0, rtol=1e-3)
    assert (found.whole[STARTS.index("near")] == 1).all()
    np.testing.assert_allclose(found.begun[STARTS.index("far")], 3.0, rtol=1e-5)
    stage, readout = sorted(SOLUTION, key=lambda name: name != "stage_0")
    assert (stage, readout) == ("stage_0", "readout")
    given = found.begun[STARTS.index("phases")]  # arrays in the order of their names
    assert (given[:, 1] == 0).all() and (given[:, 0] > 0).all()
    assert (found.facts.steps == 2).all() and (found.facts.parts == 0).all()
