"""Errors of hidden Markov models that are recovered from samples, root mean squares over many repetitions."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import hidden_markov as markov
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from depthjax.verify.means import critical
from depthjax.verify.rates import RATE


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Root mean squares over repetitions, with the interval of the mean square."""
    return _errors(cell, key, given)


def repeated(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same where every independent triple is counted 4^i times in the sample of number i, so that there are fewer."""
    return _errors(cell, key, given, copies=4)


def _errors(cell: Cell, key: jax.Array, given: dict, copies: int = 1) -> xr.Dataset:
    """Errors where each independent triple is counted this often, to the power of the sample's number."""
    sizes = [cell.first * cell.ratio**i for i in range(cell.sizes)]
    truth = given["emission"], given["transition"]
    joint, directions = markov.joint_law(*truth), jnp.asarray(given["directions"])
    squares = np.empty((2, cell.sizes, cell.seeds))
    for index, samples in enumerate(sizes):
        draws = samples // copies**index
        drawn = markov.sampled_frequencies(jax.random.fold_in(key, index), joint, draws, cell.seeds)
        found = _recover(jnp.asarray(markov.laws_of(drawn)), directions, cell.states)
        for matrix in range(2):
            squares[matrix, index] = ((np.asarray(found[matrix]) - truth[matrix]) ** 2).sum(axis=(1, 2))
    roots = np.sqrt(squares.mean(axis=2))
    widths = critical(cell.seeds, RATE / (2 * cell.sizes)) * squares.std(axis=2) / cell.seeds**0.5 / (2 * roots)
    linear, mean = _first_order(joint, drawn - joint, directions, cell)
    # an error in the recovered matrix adds twice its product with the distance
    rounding = rounding_floor(cell.states**3, drawn.dtype) * np.asarray(found.amplification).mean()
    floor = samples * rounding * (2 * roots[0, -1] + rounding)

    def error(matrix: int, name: str) -> Quantity:
        label = f"{name} error, root mean square"
        return Quantity(
            roots[matrix], "step", floor=0.0, sampling=widths[matrix], rate=RATE, label=label, unit="Frobenius norm"
        )

    return measured(
        step=Quantity(np.array(sizes, float) ** -0.5, "step", label="n^(-1/2), n triples"),
        emission_error=error(0, "emission"),
        transition_error=error(1, "transition"),
        emission_variance=Quantity(samples * squares[0, -1], "repetition", label="n times the square error at the largest n"),
        controlled_variance=Quantity(
            samples * (squares[0, -1] - linear + mean / draws),
            "repetition",
            floor=floor,
            label="the same, with the mean of its linear part in the place of this part",
        ),
    )


def _first_order(joint: np.ndarray, moved: np.ndarray, directions: jax.Array, cell: Cell) -> tuple[np.ndarray, float]:
    """Squares of the emission's change to first order where frequencies move, and their mean times the number of triples.

    The slopes are central differences. The mean of the square of any linear map of multinomial frequencies is exact, so an
    error of the slopes brings no bias.
    """
    step = joint.min() / 1024
    steps = step * np.eye(joint.size).reshape(-1, *joint.shape)
    sides = np.resize(joint + np.concatenate([steps, -steps]), (cell.seeds, *joint.shape))  # one program serves all
    emissions = np.asarray(_recover(jnp.asarray(markov.laws_of(sides)), directions, cell.states).emission)
    slopes = ((emissions[: joint.size] - emissions[joint.size : 2 * joint.size]) / (2 * step)).reshape(joint.size, -1)
    law = joint.ravel()
    linear = ((moved.reshape(len(moved), -1) @ slopes) ** 2).sum(axis=1)
    return linear, float(law @ (slopes**2).sum(axis=1) - ((law @ slopes) ** 2).sum())


_recover = jax.jit(jax.vmap(markov.jennrich, in_axes=(0, None, None)), static_argnums=2)
