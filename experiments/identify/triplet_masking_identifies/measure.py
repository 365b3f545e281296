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
    found, misread = (
        np.array([[_errors(*one, *names) for one in zip(keys, given["models"], strict=True)] for names in _read(turned)])
        for turned in (0, 1)
    )
    emission, transition, floors = np.max(found, axis=1).T
    free = np.array([[_free(model, name) for model in given["models"]] for name in PREDICTORS])
    return measured(
        emission_error=Quantity(emission, "predictor", floor=floors, label="emission error"),
        transition_error=Quantity(transition, "predictor", floor=floors, label="transition error"),
        seen=Quantity((free == 0).sum(axis=1), "predictor", label="models of which the triplet predictor sees all directions"),
        freedom=Quantity(free.max(axis=1), "predictor", label="directions that the triplet predictor does not see"),
        recovered=Quantity(_close(found), "predictor", label="models that are recovered to three digits"),
        recovered_misread=Quantity(_close(misread), "predictor", label="the same, each predictor read as the one before it"),
        freedom_of_pairs=Quantity(
            [_free(given["models"][0], *markov.PAIRS)] * len(PREDICTORS),
            "predictor",
            label="directions that the pair predictors do not see",
        ),
        freedom_of_short=Quantity(
            [_free(given["short"], name) for name in PREDICTORS],
            "predictor",
            label="directions that the triplet predictor of a short model does not see",
        ),
        kruskal_rank=Quantity(_kruskal_ranks(*given["short"]), "predictor factor", label="Kruskal rank of a short model"),
    )


def _read(turned: int) -> list[tuple[str, str]]:
    """Every predictor, and the one that it is read as: itself, or the one before it."""
    return list(zip(PREDICTORS, np.roll(PREDICTORS, turned).tolist(), strict=True))


def _close(found: np.ndarray) -> np.ndarray:
    """How many models have both matrices within a thousandth, by predictor."""
    return (found[..., :2].max(axis=2) < 1e-3).sum(axis=1)


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


def misread(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors where every predictor is read as the one before it."""
    found = [_errors(key, given["models"][0], *names) for names in _read(1)]
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
