"""What the claim measures."""

from collections.abc import Callable
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.free_words import different_letters, logarithm_coefficients
from depthjax.instruments.tails import Sequences, climbed, of_norm_one, tail_floor, tails, varied_sequences, with_mass
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

BEYOND = 9 / 4  # a mass outside every radius
TOKENS = 10**6  # different letters of the free algebra
LAST = 600  # degree through which the terms of the older tails are summed


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Tails of random sequences, of the same sequences after the ascent, and of different letters of the free algebra."""
    start_key, word_key = jax.random.split(key)
    start = varied_sequences(start_key, cell.sequences, cell.length, 2, cell.size)
    climb = climbed(start, cell.order, cell.highest, cell.rounds)
    letters = different_letters(word_key, cell.order + 1, cell.order + 1, cell.samples)
    free = _free_tail(cell, word_key)
    constant, floor = letters.values[-1], letters.floor[-1]
    return _spectral(cell, {"random": start, "searched": of_norm_one(climb)}).merge(
        measured(
            reach=[*cell.masses, BEYOND],
            free_tail=free,
            free_sharp=free,  # by a name of its own, so that it must come near the sharp tail
            free_earlier=_free_tail(cell, word_key, cell.order - 1),
            free_constant=Quantity(constant, floor=floor, label="norm of the first degree left out, different letters"),
            recent_terms=_older(cell, lambda q, n: 4 * q**n / n**2),
            classical_terms=_older(cell, lambda q, n: np.pi * q**n),
        )
    )


def _spectral(cell: Cell, groups: dict[str, Sequences], factor: float = 1.0) -> xr.Dataset:
    """Tails and flows of groups of sequences at every mass, multiplied by a factor as far as the series converges."""
    masses = np.array(cell.masses)
    wanted = jnp.asarray(np.repeat(np.minimum(factor * masses, masses.max()), cell.sequences))
    repeated = [jax.tree.map(lambda part: jnp.concatenate([part] * len(masses)), group) for group in groups.values()]
    found = [tails(with_mass(group, wanted), cell.highest) for group in repeated]
    run = np.stack([_masses(with_mass(group, wanted)) for group in repeated]).reshape(len(groups), len(masses), -1)
    floor_of_mass = rounding_floor(16 * cell.length * cell.size**2, run.dtype, run)
    floor = tail_floor(masses, cell.length, cell.size)[:, None]

    def quantity(field: str, label: str) -> Quantity:
        values = np.stack([np.asarray(getattr(tail, field))[:, cell.order - 1] for tail in found])
        values = values.reshape(len(found), len(masses), -1)
        return Quantity(values, "kind mass sequence", floor=floor, label=label, unit="operator norm")

    return measured(
        mass=masses,
        kind=list(groups),
        tail=quantity("series", f"series beyond degree {cell.order}"),
        flow_error=quantity("flow", "distance of the cut flow"),
        masses_run=Quantity(run, "kind mass sequence", floor=floor_of_mass, label="mass of a sequence"),
        sequences=Quantity(run[:, 0].size, label="sequences of a mass"),
    )


def _masses(group: Sequences) -> np.ndarray:
    """The sum of the norms of the tokens of every sequence."""
    tokens = np.einsum("btl,blij->btij", np.asarray(group.increments), np.asarray(group.matrices))
    return np.linalg.norm(tokens, ord=2, axis=(-2, -1)).sum(axis=1)


def _free_tail(cell: Cell, key: jax.Array, order: int | None = None) -> Quantity:
    """The norm of what the series of different letters leaves out, through the last degree that is summed."""
    norms = different_letters(key, cell.free, TOKENS, cell.samples)
    powers = np.array([[s**n for n in range(1, cell.free + 1)] for s in (*cell.masses, BEYOND)])
    powers[:, : cell.order if order is None else order] = 0
    values, floor, sampling = (powers @ part for part in norms)
    label = f"series of different letters beyond degree {cell.order}"
    return Quantity(values, "reach", floor=floor, sampling=sampling, rate=1e-8, label=label, unit="free norm")


def _older(cell: Cell, term: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Quantity:
    """The sum of the terms beyond the degree of the cell of a published series in q = 0.920075 s."""
    masses, degrees = np.array([*cell.masses, BEYOND]), np.arange(cell.order + 1.0, LAST + 1)
    values = term(0.920075 * masses[:, None], degrees).sum(axis=1)
    floor = rounding_floor(4 * LAST, np.dtype(float), values)
    return Quantity(values, "reach", floor=floor, label="terms of a published tail", unit="operator norm")


def largest_token(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Sequences whose mass is the length times the number that stands for it: no token is larger than that number."""
    start = varied_sequences(key, cell.sequences, cell.length, 2, cell.size)
    climb = climbed(start, cell.order, cell.highest, cell.rounds)
    return _spectral(cell, {"searched": of_norm_one(climb)}, factor=cell.length)


def twice(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The first of n letters once more in place of the second: e^x e^x is e^(2x), so its words of two x count four times."""
    n = cell.order + 1
    words = np.unique(np.maximum(list(permutations(range(n))), 1), axis=0)
    coefficients, sizes = 4 / n**n * logarithm_coefficients(words)
    floor = rounding_floor(n**3, np.dtype(float), sizes.sum())
    return measured(free_constant=Quantity(np.abs(coefficients).sum(), floor=floor))
