"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.recorder import letter_counter, recorder_start, word_recorder
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.products import word_excess
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.order_blind_layer.common import SIZE


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Outputs on AB and BA; the larger error of order-blind readouts; the state of one and of two layers on both words."""
    words = jnp.array([[0, 1], [1, 0]])
    counts = letter_counter(2).run(words.T, (jnp.zeros((2, 2), words.dtype),))[0]
    recorded = word_recorder(2, 2).run(words.T, recorder_start(2, 2, 2, words.dtype))[1]
    outputs, blind = _run(words, given["pair"], cell.times, given["readout"], given["start"])
    hidden, _ = _run(words, given["hidden"], cell.times, np.eye(SIZE), np.eye(SIZE)[0])
    first = given["pair"][0].astype(float)
    pair = np.stack([first, first + first @ first])  # commutes
    commuting, _ = _run(words, pair, cell.times, given["readout"], given["start"])
    # the mean of the two outputs is the best that an order-blind system can answer; e^{s(A + B)} is what one layer computes
    best = outputs.mean(axis=1)
    astray = np.asarray(jax.random.normal(key, (cell.readouts, *best.shape))) * _apart(outputs)[:, None] / 10
    guesses = np.stack([best, blind, *(best + astray)])
    worst = np.linalg.norm(outputs[None] - guesses[:, :, None], axis=-1).max(axis=-1)
    mass = cell.times * np.linalg.norm(given["pair"].astype(float), ord=2, axis=(1, 2)).sum()
    heavy = cell.times * np.linalg.norm(pair, ord=2, axis=(1, 2)).sum()
    scale = np.linalg.norm(given["readout"].astype(float), 2) * np.linalg.norm(given["start"].astype(float))
    # outputs are kept without C h0, so that what is rounded is of the size of a step
    floor, hidden_floor, commuting_floor = (
        rounding_floor(13 * SIZE * 2, jnp.dtype("float64"), size)
        for size in (scale * mass * np.exp(mass), cell.times * np.exp(2 * cell.times), scale * heavy * np.exp(heavy))
    )
    unit = "norm of the output"
    return measured(
        step=Quantity(cell.times, "step", label="s"),
        readout=["best", "one layer", *(f"random {i}" for i in range(cell.readouts))],
        gap=Quantity(_apart(outputs), "step", floor=floor, label="distance of the outputs on AB and BA", unit=unit),
        worst_error=Quantity(worst, "readout step", floor=floor, label="larger error of an order-blind readout", unit=unit),
        hidden_gap=Quantity(
            _each_apart(hidden),
            "step number",
            floor=hidden_floor[:, None],
            label="distance of every coordinate of the states, hidden bracket",
        ),
        one_layer=Quantity(blind, "step output", floor=floor[:, None], label="what one layer answers, without its start"),
        hidden_outputs=Quantity(hidden, "step word number", floor=hidden_floor[:, None, None], label="state, hidden bracket"),
        outputs=Quantity(outputs, "step word output", floor=floor[:, None, None], label="right outputs, without the start"),
        gap_commuting=Quantity(
            _apart(commuting), "step", floor=commuting_floor, label="distance of the outputs of a pair that commutes", unit=unit
        ),
        outputs_commuting=Quantity(
            commuting,
            "step word output",
            floor=commuting_floor[:, None, None],
            label="outputs of a pair that commutes, without the start",
        ),
        readouts=Quantity(len(guesses), label="order-blind readouts"),
        # for some pairs one layer answers the mean
        different=Quantity(len(np.unique(np.delete(guesses, 1, axis=0), axis=0)), label="different readouts beside one layer"),
        counts=Quantity(np.asarray(counts), "letter word", label="the layer's states after AB and BA"),
        count_change=Quantity(_changed(counts), label="distance of the layer's states on AB and BA"),
        record_change=Quantity(_changed(recorded), label="distance of the states of two layers"),
    )


def _run(words: jax.Array, matrices: np.ndarray, times: np.ndarray, readout: np.ndarray, start: np.ndarray) -> list[np.ndarray]:
    arrays = (jnp.asarray(array.astype(float)) for array in (matrices, times, readout, start))
    return [np.asarray(outputs) for outputs in _outputs(words, *arrays)]


@jax.jit
def _outputs(
    words: jax.Array, matrices: jax.Array, times: jax.Array, readout: jax.Array, start: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Outputs without their constant part C h0: on the two words, and of the exponential of the integral."""
    product = word_excess(words, matrices, times)
    blind = exponential_excess(times[:, None, None] * matrices.sum(axis=0)[None])
    return jnp.einsum("oi,swij,j->swo", readout, product, start), jnp.einsum("oi,sij,j->so", readout, blind, start)


def _apart(outputs: np.ndarray) -> np.ndarray:
    return np.linalg.norm(outputs[:, 0] - outputs[:, 1], axis=-1)


def _each_apart(outputs: np.ndarray) -> np.ndarray:
    return np.abs(outputs[:, 0] - outputs[:, 1])


def _changed(states: jax.Array) -> int:
    return int(np.abs(np.diff(np.asarray(states), axis=-1)).sum())
