"""What runs trained: by the schedule summed by hand, by weights that are left out, and by masks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.trained import positions_read, travel, watched
from depthjax.models import sequence_model
from depthjax.training import Learner, Recipe, trials

SIZES = {"letters": 3, "width": 4, "max_depth": 3, "classes": 2}
WORDS = jnp.array([[0, 1, 2, 1], [2, 2, 0, 1]])


def network(kind, own, depth):
    """A network of which `depth` layers are used."""
    model = sequence_model(kind, **SIZES)

    def loss(params, words):
        return jnp.square(model.apply(params, words, depth)).mean(), {}

    learner = Learner(model.init(own.initial), loss, lambda key: WORDS, Recipe(20, 0.02, record_every=10), lambda found: 7)
    return watched(learner, lambda params: params["layers"])


@pytest.mark.parametrize("schedule", ["cosine", "constant"])
@pytest.mark.parametrize("warmup", [0, 3])
def test_a_weight_of_slope_one_goes_as_far_as_all_rates_together(schedule, warmup):
    recipe = Recipe(20, 0.02, schedule=schedule, warmup=warmup, clip=0.1, record_every=10)
    rates = [float(recipe.rate()(step)) for step in range(20)]
    np.testing.assert_allclose(float(travel(recipe)), sum(rates), rtol=1e-5)
    if warmup and schedule == "cosine":
        np.testing.assert_allclose(sum(rates), 20 * 0.02 / 2, rtol=1e-6)


def test_layers_that_are_left_out_do_not_move():
    depths = np.array([1, 2, 3])
    found, facts = trials(network, "transformer", jax.random.split(jax.random.key(0), 2), (depths,)).found
    assert (found == 7).all() and facts.parts.tolist() == [[1, 1], [2, 2], [3, 3]] and (facts.steps == 20).all()
    numbers = 3 * (16 * 4**2 + 2 * 4) + (3 + 1 + 2) * 4 + 2
    assert (facts.weights == numbers).all()


def test_names_stand_beside_values_and_a_run_that_failed_has_none():
    done = trials(failing, None, jax.random.split(jax.random.key(0), 1), (jnp.array([1.0, np.nan]),))
    values = {name: each[0][:, 0] for name, each in done.finite(done.found[1]).named().items()}
    assert [*values] == ["steps", "travel", "weights", "parts"]
    assert all(np.isfinite(each).tolist() == [True, False] for each in values.values())


def failing(_, own, factor):
    """Two arrays, of which the second is not used."""

    def loss(params, batch):
        return factor * jnp.square(params[0]).sum(), {}

    return watched(Learner((jnp.ones(2), jnp.ones(2)), loss, lambda key: (), Recipe(10, 0.1), lambda found: ()))


@pytest.mark.parametrize(("kind", "switches", "pairs"), [
    ("transformer", {"positions": "none"}, 21),
    ("transformer", {"positions": "none", "mask": "strict"}, 19),
    ("lstm", {}, 21),
])  # fmt: skip
def test_pairs_of_positions_are_those_of_the_mask(kind, switches, pairs):
    model = sequence_model(kind, **SIZES, **switches)
    assert int(positions_read(model, model.init(jax.random.key(1)), 6)) == pairs
