"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments import hidden_markov as markov
from depthjax.verify import Cell, Quantity, measured
from depthjax.verify.means import critical
from depthjax.verify.rates import RATE


def measure(cell: Cell, key: jax.Array, given: dict, copies: int = 1) -> xr.Dataset:
    """Root mean squares over repetitions, with the interval of the mean square.

    Args:
        cell: The model and the sample sizes.
        key: Of the samples.
        given: The model and the directions.
        copies: How often each independent triple is counted, to the power of the sample's number: there are fewer of them.
    """
    sizes = [cell.first * cell.ratio**i for i in range(cell.sizes)]
    truth = given["emission"], given["transition"]
    joint, directions = markov.joint_law(*truth), jnp.asarray(given["directions"])
    squares = np.empty((2, cell.sizes, cell.seeds))
    for index, samples in enumerate(sizes):
        laws = markov.sampled_laws(jax.random.fold_in(key, index), joint, samples // copies**index, cell.seeds)
        found = _recover(laws, directions, cell.states)
        for matrix in range(2):
            squares[matrix, index] = ((np.asarray(found[matrix]) - truth[matrix]) ** 2).sum(axis=(1, 2))
    roots = np.sqrt(squares.mean(axis=2))
    widths = critical(cell.seeds, RATE / (2 * cell.sizes)) * squares.std(axis=2) / cell.seeds**0.5 / (2 * roots)

    def error(matrix: int, name: str) -> Quantity:
        label = f"{name} error, root mean square"
        return Quantity(
            roots[matrix], "step", floor=0.0, sampling=widths[matrix], rate=RATE, label=label, unit="Frobenius norm"
        )

    return measured(
        step=Quantity(np.array(sizes, float) ** -0.5, "step", label="n^(-1/2), n triples"),
        emission_error=error(0, "emission"),
        transition_error=error(1, "transition"),
    )


_recover = jax.jit(jax.vmap(markov.jennrich, in_axes=(0, None, None)), static_argnums=2)


def repeated(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Every independent triple is counted 4^i times in the sample of number i."""
    return measure(cell, key, given, copies=4)
