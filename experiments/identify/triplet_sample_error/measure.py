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
    """Root mean squares over repetitions, with the interval of the mean square; also where triples are repeated.

    The independent triples of the sample of number i are then counted 4^i times, so that there are fewer.
    """
    sizes = np.array([cell.first * cell.ratio**i for i in range(cell.sizes)])
    joint = markov.joint_law(given["emission"], given["transition"])
    squares, drawn, amplification = _squares(cell, key, given, joint, sizes)
    repeated = _squares(cell, jax.random.fold_in(key, cell.sizes), given, joint, sizes // 4 ** np.arange(cell.sizes))[0]
    emission = _root(squares[0], "emission error, root mean square")
    linear, mean = _first_order(joint, drawn - joint, jnp.asarray(given["directions"]), cell)
    # an error in the recovered matrix adds twice its product with the distance
    rounding = rounding_floor(cell.states**3, drawn.dtype) * amplification
    floor = sizes[-1] * rounding * (2 * emission.values[-1] + rounding)
    return measured(
        step=Quantity(sizes.astype(float) ** -0.5, "step", label="n^(-1/2), n triples"),
        emission_error=emission,
        transition_error=_root(squares[1], "transition error, root mean square"),
        repeated_error=_root(repeated[0], "emission error from repeated triples, root mean square"),
        different=Quantity(
            len(np.unique(drawn.reshape(len(drawn), -1), axis=0)), label="different samples of the largest size"
        ),
        emission_variance=Quantity(sizes[-1] * squares[0, -1], "repetition", label="n times the square error at the largest n"),
        transition_variance=Quantity(sizes[-1] * squares[1, -1], "repetition", label="the same of the transition"),
        controlled_variance=Quantity(
            sizes[-1] * (squares[0, -1] - linear + mean / sizes[-1]),
            "repetition",
            floor=floor,
            label="n times the square error, with the mean of its linear part in the place of this part",
        ),
    )


def _squares(
    cell: Cell, key: jax.Array, given: dict, joint: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Square errors of both matrices by sample size and repetition; frequencies and amplification in the last samples."""
    squares = np.empty((2, len(sizes), cell.seeds))
    for index, samples in enumerate(sizes):
        drawn = markov.sampled_frequencies(jax.random.fold_in(key, index), joint, int(samples), cell.seeds)
        found = _recover(jnp.asarray(markov.laws_of(drawn)), jnp.asarray(given["directions"]), cell.states)
        for matrix, name in enumerate(("emission", "transition")):
            squares[matrix, index] = ((np.asarray(found[matrix]) - given[name]) ** 2).sum(axis=(1, 2))
    return squares, drawn, float(np.asarray(found.amplification).mean())


def _root(squares: np.ndarray, label: str) -> Quantity:
    """Root mean squares over repetitions by sample size."""
    sizes, seeds = squares.shape
    roots = np.sqrt(squares.mean(axis=1))
    widths = critical(seeds, RATE / (2 * sizes)) * squares.std(axis=1) / seeds**0.5 / (2 * roots)
    return Quantity(roots, "step", floor=0.0, sampling=widths, rate=RATE, label=label, unit="Frobenius norm")


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
