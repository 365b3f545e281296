"""Hidden Markov models that Jennrich's algorithm recovers from exact predictors, and the directions that no predictor sees."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import hidden_markov as markov
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.triplet_masking_identifies.common import PREDICTORS


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The worst model, recovered from each of its exact predictors along random directions."""
    keys = [jax.random.fold_in(key, index) for index in range(cell.models)]
    worst = [np.max([_errors(*one, name) for one in zip(keys, given["models"], strict=True)], axis=0) for name in PREDICTORS]
    emission, transition, floors = np.array(worst).T
    freedom = [max(_free(model, name) for model in given["models"]) for name in PREDICTORS]
    return measured(
        emission_error=Quantity(emission, "predictor", floor=floors, label="emission error"),
        transition_error=Quantity(transition, "predictor", floor=floors, label="transition error"),
        freedom=Quantity(freedom, "predictor", label="directions that the triplet predictor does not see"),
    )


def _errors(key: jax.Array, model: tuple[np.ndarray, np.ndarray], name: str) -> tuple[float, float, float]:
    """Largest errors of the recovered emission and transition, states matched by nearest columns; and their floor."""
    emission, transition = model
    symbols, states = emission.shape
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), name)[name])
    # the best conditioned of a few draws: the algorithm's own estimate decides, not the answer
    tries = _recover(law, name, jax.random.normal(key, (16, 2, symbols)), states)
    best = int(jnp.argmin(tries.amplification))
    found, step = np.asarray(tries.emission[best]), np.asarray(tries.transition[best])
    order = np.argmin(((found[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
    errors = np.abs(found[:, order] - emission).max(), np.abs(step[np.ix_(order, order)] - transition).max()
    return *errors, float(rounding_floor(states**3, law.dtype)) * float(tries.amplification[best])


_recover = jax.jit(jax.vmap(markov.recover, in_axes=(None, None, 0, None)), static_argnums=(1, 3))


def _free(model: tuple[np.ndarray, np.ndarray], *names: str) -> int:
    slopes = markov.slopes(*model)
    return markov.flat_directions(*(slopes[name] for name in names))[0]


def of_pairs(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Directions that the pair predictors do not see, in place of a triplet predictor."""
    return measured(freedom=Quantity(_free(given["models"][0], *markov.PAIRS)))


def of_short_ranks(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Directions that no triplet predictor sees, of a model with Kruskal ranks 3, 2, 2 in place of 3, 3, 3."""
    return measured(freedom=Quantity(max((_free(model, *PREDICTORS) for model in given.get("short", ())), default=0)))


def misread(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors where the law of 13|2 is read as that of 23|1, whose first factor is O."""
    emission, transition = given["models"][0]
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), "13|2")["13|2"])
    found = markov.jennrich(law, jax.random.normal(key, (2, len(emission))), cell.states)
    shape = len(PREDICTORS)
    errors = [
        float(np.abs(np.sort(ours, axis=None) - np.sort(theirs, axis=None)).max())
        for ours, theirs in ((np.asarray(found.emission), emission), (np.asarray(found.transition), transition))
    ]
    return measured(
        emission_error=Quantity(np.full(shape, errors[0]), "predictor", floor=0.0),
        transition_error=Quantity(np.full(shape, errors[1]), "predictor", floor=0.0),
    )
