"""The joint law and the model that each of six predictors gives, and the directions that a predictor does not see."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import hidden_markov as markov
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.triplet_permutations import triples


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The worst model, recovered from each of its exact predictors; directions that a predictor does not see."""
    keys = [jax.random.fold_in(key, i) for i in range(len(given["models"]))]
    found = [_recovered(own, model, cell.states) for own, model in zip(keys, given["models"], strict=True)]
    started = [
        _recovered(own, model, cell.states, np.eye(cell.states)[0]) for own, model in zip(keys, given["models"], strict=True)
    ]
    deficient = _by_stationarity(given["deficient"])
    return measured(
        **_errors(found),
        solutions=Quantity(np.max([one["solutions"] for one in found], axis=0), "predictor", label="solutions"),
        freedom=_free(*given["models"], label="directions that a predictor does not see"),
        square_freedom=_free(given["square"], label="the same with as many symbols as states"),
        deficient_freedom=_free(given["deficient"], label="directions not seen, emission of rank k - 1"),
        recovered=Quantity(_close(found), "predictor", label="models that are recovered to three digits"),
        recovered_from_a_start=Quantity(_close(started), "predictor", label="the same from the law of a start in one state"),
        deficient_error=Quantity(
            deficient[0], "stationary", floor=deficient[1], label="largest error, joint law, emission of rank k - 1"
        ),
        deficient_solutions=Quantity(deficient[2], "stationary", label="solutions, emission of rank k - 1"),
        balanced=Quantity(_by_balance(given["models"]), "predictor", label="solutions by stationarity alone"),
    )


def _recovered(key: jax.Array, model: tuple, states: int, start: np.ndarray | None = None) -> dict[str, list[float]]:
    """Errors of the joint law and of both matrices by predictor, their floors, and the solutions of the equations."""
    emission, transition = model
    joint, found = markov.joint_law(emission, transition, start), {"solutions": []}
    for name in triples.SIX:
        law = triples.law_from(key, triples.predictor(joint, name), name, states)
        read = triples.best(key, jnp.asarray(markov.predictors(law.joint, "23|1")["23|1"]), "23|1", states)
        matrix, step = np.asarray(read.emission), np.asarray(read.transition)
        order = np.argmin(((matrix[:, :, None] - emission[:, None, :]) ** 2).sum(axis=0), axis=0)
        floor = rounding_floor(len(emission) ** 3, np.dtype(float)) * law.amplification
        further = floor * float(read.amplification)
        errors = (
            ("joint", joint - law.joint, floor),
            ("emission", matrix[:, order] - emission, further),
            ("transition", step[np.ix_(order, order)] - transition, further),
        )
        for what, difference, least in errors:
            found.setdefault(what, []).append((float(np.abs(difference).max()), least))
        found["solutions"].append(law.solutions)
    return found


def _close(found: list[dict]) -> np.ndarray:
    """How many models have the joint law and both matrices within a thousandth, by predictor."""
    errors = [[one[what] for what in ("joint", "emission", "transition")] for one in found]
    return (np.array(errors)[..., 0].max(axis=1) < 1e-3).sum(axis=0)


def _by_stationarity(model: tuple[np.ndarray, np.ndarray]) -> tuple[list[float], list[float], list[int]]:
    """Errors of the joint law, their floors and the solutions, of the predictors that need no ranks: all but 2|13."""
    joint, errors, floors, solutions = markov.joint_law(*model), [], [], []
    for name in triples.SIX:
        if name != "2|13":
            law = triples.balanced(triples.predictor(joint, name), name)
            errors.append(float(np.abs(joint - law.joint).max()))
            floors.append(float(rounding_floor(len(joint) ** 3, np.dtype(float)) * law.amplification))
            solutions.append(law.solutions)
    return errors, floors, solutions


def _errors(found: list[dict]) -> dict[str, Quantity]:
    worst = {what: np.max([one[what] for one in found], axis=0).T for what in ("joint", "emission", "transition")}
    return {
        f"{what}_error": Quantity(errors, "predictor", floor=floors, label=f"largest error, {what}")
        for what, (errors, floors) in worst.items()
    }


def _free(*models: tuple[np.ndarray, np.ndarray], label: str = "") -> Quantity:
    slopes = [markov.slopes(*model) for model in models]
    counts = [max(markov.flat_directions(one[name])[0] for one in slopes) for name in triples.SIX]
    return Quantity(counts, "predictor", label=label)


def _by_balance(models: list[tuple[np.ndarray, np.ndarray]]) -> list[int]:
    laws = [markov.joint_law(*model) for model in models]
    return [max(triples.balanced(triples.predictor(law, name), name).solutions for law in laws) for name in triples.SIX]


def of_deficient(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors, unseen and seen directions of the model whose emission has rank k - 1, in place of full rank."""
    free, seen = _free(given["deficient"]), _seen(given["deficient"])
    errors = _errors([_recovered(key, given["deficient"], cell.states)])
    return measured(**errors, freedom=free, square_freedom=free, seen=seen)


def of_a_start(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of the first model where the sequence starts in one state, in place of the uniform law."""
    errors = _errors([_recovered(key, given["models"][0], cell.states, np.eye(cell.states)[0])])
    joint, single = errors["joint_error"], [triples.SIX.index(name) for name in ("1|23", "3|12")]
    floors = np.asarray(joint.floor)[single]
    error = Quantity(np.asarray(joint.values)[single], "single", floor=floors, label="largest error, joint law, one given two")
    return measured(**errors, single_error=error)


def of_full_rank(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Unseen and seen directions of the first model, which has full rank, in place of the deficient one."""
    return measured(deficient_freedom=_free(given["models"][0]), seen=_seen(given["models"][0]))


def _seen(model: tuple[np.ndarray, np.ndarray]) -> Quantity:
    """Directions in which each predictor changes."""
    slopes = markov.slopes(*model)
    counts = [slopes[name].shape[1] - markov.flat_directions(slopes[name])[0] for name in triples.SIX]
    return Quantity(counts, "predictor", label="directions that a predictor sees")
