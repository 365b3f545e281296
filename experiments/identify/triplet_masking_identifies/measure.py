"""Hidden Markov models that Jennrich's algorithm recovers from exact predictors, and the directions that no predictor sees."""

import itertools

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
    worst = [
        np.max([_errors(*one, name, name) for one in zip(keys, given["models"], strict=True)], axis=0) for name in PREDICTORS
    ]
    emission, transition, floors = np.array(worst).T
    freedom = [max(_free(model, name) for model in given["models"]) for name in PREDICTORS]
    return measured(
        emission_error=Quantity(emission, "predictor", floor=floors, label="emission error"),
        transition_error=Quantity(transition, "predictor", floor=floors, label="transition error"),
        freedom=Quantity(freedom, "predictor", label="directions that the triplet predictor does not see"),
        kruskal_rank=Quantity(_kruskal_ranks(*given["short"]), "predictor factor", label="Kruskal rank of a short model"),
    )


def _errors(key: jax.Array, model: tuple[np.ndarray, np.ndarray], name: str, read: str) -> tuple[float, float, float]:
    """Largest errors of emission and transition, recovered from the predictor ``name`` as if it were the predictor ``read``.

    States are matched by nearest columns; the last number is the floor.
    """
    emission, transition = model
    symbols, states = emission.shape
    law = jnp.asarray(markov.predictors(markov.joint_law(emission, transition), name)[name])
    # the best conditioned of a few draws: the algorithm's own estimate decides, not the answer
    tries = _recover(law, read, jax.random.normal(key, (16, 2, symbols)), states)
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
    """Directions that no triplet predictor sees, of the model whose transition has a rank of k - 1 at most."""
    return measured(freedom=Quantity(_free(given["short"], *PREDICTORS)))


def misread(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors where every predictor is read as the one before it."""
    read = np.roll(PREDICTORS, 1).tolist()
    found = [_errors(key, given["models"][0], *names) for names in zip(PREDICTORS, read, strict=True)]
    emission, transition, floors = np.array(found).T
    return measured(
        emission_error=Quantity(emission, "predictor", floor=floors),
        transition_error=Quantity(transition, "predictor", floor=floors),
    )


def _kruskal_ranks(emission: np.ndarray, transition: np.ndarray) -> list[list[int]]:
    """The Kruskal ranks of the three factors of every predictor, from singular values."""
    o, t, posterior = emission, transition, emission / emission.sum(axis=1, keepdims=True)
    factors = {"23|1": (o, o @ t, posterior @ t.T), "13|2": (o @ t.T, o @ t, posterior), "12|3": (o @ t.T, o, posterior @ t)}
    return [[_kruskal_rank(factor) for factor in factors[name]] for name in PREDICTORS]


def _kruskal_rank(columns: np.ndarray) -> int:
    states = columns.shape[1]
    columns, floor = columns / np.linalg.norm(columns, axis=0), float(rounding_floor(states * columns.size, columns.dtype))

    def independent(size: int) -> bool:
        some = (columns[:, list(chosen)] for chosen in itertools.combinations(range(states), size))
        return all(np.linalg.svd(chosen, compute_uv=False)[-1] > floor for chosen in some)

    return next((size for size in range(states, 0, -1) if independent(size)), 0)
