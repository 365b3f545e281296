"""The features of trained networks, from their weights and the Cayley table alone: no irrep, and no Fourier transform."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from depthjax.verify.means import critical
from experiments.composition.learned_features.common import PLACES, placed
from experiments.composition.learned_features.networks import Trained, begun, ended, feature
from experiments.composition.learned_features.networks import answers as answered

ROUNDED = 1e-9  # of a logarithm of sizes that are summed in float64
RARE = 1e-6  # how often a mean square passes its bound
SKEWNESS = 8**0.5  # of the square of a normal number


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The feature with which a network starts to learn, that of another network at its end, and how far both were trained."""
    first, last = jax.random.split(key)
    scales = cell.log_scale, 2 * cell.log_scale
    (wide, large), (small, tiny) = (_started(cell, first, given, given["table"], scale) for scale in scales)
    # what is left is a power of alpha, and alpha is squared
    begins = _feature(small, _roundings(cell, given, small), np.abs(small - wide).max(), "feature with which learning starts")
    reached = Quantity(
        [_reached(given, given["table"], each) for each in (large, tiny)],
        "scale",
        floor=ROUNDED,
        label="logarithm of the size of answers, where that of the target is one",
    )
    numbers = Quantity([large.weights.size, tiny.weights.size], "scale", label="numbers that a network is made of")
    begun = {"begins": begins, "reached": reached, "numbers": numbers}
    if not cell.trains:
        return measured(**begun, ends=_feature(np.full(1, np.nan), 0.0, np.nan, "feature at the end"), steps=_steps(np.nan))
    ends, network = _finished(cell, last, given, given["table"], cell.steps)
    return measured(**begun, ends=ends, steps=_steps(network.steps))


def not_small(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The first feature of a network that starts from weights that are not small."""
    return _first(cell, key, given, given["table"], cell.large)


def shuffled(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The first feature of a network whose answers are codes of other elements, each of one element in place of another."""
    cycle = np.asarray(jax.random.permutation(key, len(given["table"])))
    other = np.roll(cycle, 1)[np.argsort(cycle)]
    return _first(cell, key, given, other[given["table"]], 2 * cell.log_scale)


def other_order(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The last feature of a network whose answer to the letters a and b is the code of ba."""
    ends, network = _finished(cell, key, given, given["table"].T, cell.steps)
    return measured(ends=ends, steps=_steps(network.steps))


def untrained(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The feature of a network that is not trained, and how large its weights are."""
    found, network = _finished(cell, key, given, given["table"], 0)
    ends = _feature(found.values, found.floor, 0.0, found.label)
    return measured(ends=ends, steps=_steps(network.steps), square=_square(network))


def _first(cell: Cell, key: jax.Array, given: dict, answers: np.ndarray, log_scale: float) -> xr.Dataset:
    found, network = _started(cell, key, given, answers, log_scale)
    return measured(
        answers=_agreement(given["table"], answers),
        begins=_feature(found, _roundings(cell, given, found), 0.0, "feature with which learning starts"),
        reached=Quantity(_reached(given, answers, network), floor=ROUNDED, label="logarithm of the relative size of answers"),
        steps=_steps(network.steps),
        square=_square(network),
    )


def _started(cell: Cell, key: jax.Array, given: dict, answers: np.ndarray, log_scale: float) -> tuple[np.ndarray, Trained]:
    """The feature of a network that starts to learn the code of element ``answers[a, b]``, in neurons of norm sqrt(3)."""
    codes = given["encoding"][given["table"]]
    network = begun(key, codes, codes[answers], log_scale, cell.width)
    weights = np.asarray(network.weights)
    norms = np.sqrt((weights**2).sum(axis=(0, 1)) / 3)
    return np.asarray(feature(weights, given["table"])) / (norms**3).sum(), network


def _reached(given: dict, answers: np.ndarray, network: Trained) -> float:
    """The logarithm of the size of a network's answers, in sizes of the target."""
    codes = given["encoding"][given["table"]]
    said = answered(np.asarray(network.weights), codes)  # type: ignore[arg-type]
    return float(np.log(np.linalg.norm(said) / np.linalg.norm(codes[answers])))


def _agreement(products: np.ndarray, answers: np.ndarray) -> Quantity:
    """Whether the answer hangs on the product alone, and how often it is the product."""
    pairs = {*zip(np.ravel(products).tolist(), np.ravel(answers).tolist(), strict=True)}
    label = "different pairs of a product and its answer, and answers that are the product"
    return Quantity([len(pairs), (products == answers).sum()], "of", floor=0.0, label=label)


def _steps(steps: Any) -> Quantity:
    return Quantity(np.asarray(steps, float), floor=0.0, label="steps of the training")


def _square(network: Trained) -> Quantity:
    """The mean square of the weights, which estimates their variance."""
    squares = np.square(np.asarray(network.weights)).ravel()
    doubt = critical(squares.size, RARE, SKEWNESS) * squares.std(ddof=1) / squares.size**0.5
    return Quantity(squares.mean(), floor=0.0, sampling=doubt, rate=RARE, label="mean square of the weights")


def _finished(cell: Cell, key: jax.Array, given: dict, answers: np.ndarray, steps: int) -> tuple[Quantity, Trained]:
    """The feature of weights that were trained, and how far it may lie from that of a network without loss."""
    codes, order = given["encoding"][given["table"]], len(given["table"])
    network = ended(key, codes, codes[answers], cell.width, steps)
    weights = np.asarray(network.weights)
    seen = weights - weights.mean(axis=1, keepdims=True)  # centred codes are blind for constants
    values, sizes = (np.asarray(feature(each, given["table"])) for each in (seen, np.abs(seen)))
    inverse = np.linalg.pinv(codes, rcond=1e-9)
    reach = order**1.5 * np.linalg.norm(inverse, 2) * np.linalg.norm(inverse) / 2
    off = reach * (2 * float(network.loss)) ** 0.5
    return _feature(values, _roundings(cell, given, sizes), off, "feature at the end"), network


def _roundings(cell: Cell, given: dict, sizes: np.ndarray) -> float:
    return float(rounding_floor(len(given["table"]) ** 2 * cell.width, np.dtype(float), float(np.abs(sizes).max())))


def _feature(values: np.ndarray, floor: float, off: float, label: str) -> Quantity:
    return Quantity(placed(values), "element", floor=floor, sampling=np.full(PLACES, off), label=label)
