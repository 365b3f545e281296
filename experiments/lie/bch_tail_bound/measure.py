"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.free_words import pair_coefficients, pair_norms
from depthjax.instruments.tails import Sequences, climbed, of_norm_one, tail_floor, tails, varied_sequences
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

BEYOND = 9 / 4  # a sum of norms outside the radius of the bound
TOGETHER = 12  # degree beyond which the bound takes words together
LAST = 600  # degree of the series of two tokens, whose terms fall like (7/8)^n at least


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Tails of random pairs, of the same pairs after the ascent, of X with a polynomial in X, and of two letters."""
    start = _pairs(cell, varied_sequences(key, cell.pairs, 2, 2, cell.size).matrices)
    x = start.matrices[:, 0]
    climb = climbed(start, cell.order, cell.highest, cell.rounds, 0.0)
    found = [_left_out(cell, pairs) for pairs in (start, climb)]
    sums, floor = np.array(cell.sums), tail_floor(np.array(cell.sums), 2, cell.size)[:, None]
    unit = "operator norm"
    return measured(
        sum=Quantity(sums, "sum", label="‖X‖ + ‖Y‖"),
        kind=["random", "searched"],
        reach=[*sums, BEYOND],
        tail=Quantity(np.stack(found), "kind sum pair", floor=floor, label=f"series beyond degree {cell.order}", unit=unit),
        norms=_norms(cell, [start, of_norm_one(climb)]),
        tried=Quantity([len(x), pair_coefficients(cell.order + 1)[0].size], "of", label="pairs, and words of the next degree"),
        commuting=_commuting(cell, x, x @ x - 2 * x),
        not_commuting=_commuting(cell, climb.matrices[:, 0], climb.matrices[:, 1]),
        free_tail=_free_tail(cell, cell.order),
        free_tail_earlier=_free_tail(cell, cell.order - 1),
        free_constants_added=_free_constants(cell, signed=True),
        free_constants=_free_constants(cell, signed=False),
        together=_together(cell),
    )


def norms_of(share: float, total: float) -> tuple[float, float]:
    """Return the norms of X and Y with this sum, of which X has the share."""
    return share * total, (1 - share) * total


def _pairs(cell: Cell, matrices: jax.Array) -> Sequences:
    """X, then Y, of the norms that the cell wants at sum one."""
    increments = jnp.diag(jnp.array(norms_of(cell.share, 1)))
    return of_norm_one(Sequences(jnp.broadcast_to(increments[None], (len(matrices), 2, 2)), matrices))


def _norms(cell: Cell, groups: list[Sequences]) -> Quantity:
    """The norms of X and Y at sum one."""
    tokens = [np.einsum("btl,blij->btij", np.asarray(group.increments), np.asarray(group.matrices)) for group in groups]
    values = np.linalg.norm(np.stack(tokens), ord=2, axis=(-2, -1))
    floor = rounding_floor(16 * cell.size**2, np.dtype(float), 1.0)
    return Quantity(values, "kind pair letter", floor=floor, label="norms of X and Y at sum one")


def _left_out(cell: Cell, pairs: Sequences) -> np.ndarray:
    """Tails beyond the degree of the cell, by sum and pair."""
    count, sums = len(pairs.matrices), jnp.array(cell.sums)
    matrices = sums[:, None, None, None, None] * of_norm_one(pairs).matrices[None]
    increments = jnp.concatenate([pairs.increments] * len(sums))
    found = tails(Sequences(increments, matrices.reshape(-1, *matrices.shape[2:])), cell.highest)
    return np.asarray(found.series)[:, cell.order - 1].reshape(len(sums), count)


def _commuting(cell: Cell, x: jax.Array, y: jax.Array) -> Quantity:
    floor = tail_floor(np.array(cell.sums), 2, cell.size)[:, None]
    tail = _left_out(cell, _pairs(cell, jnp.stack([x, y], axis=1)))
    return Quantity(
        tail, "sum pair", floor=floor, label="series beyond the degree, of X with another matrix", unit="operator norm"
    )


def _free_tail(cell: Cell, order: int) -> Quantity:
    norms = [pair_norms(cell.free, *norms_of(cell.share, s)) for s in (*cell.sums, BEYOND)]
    values, floor = (np.array([getattr(n, part)[order:].sum() for n in norms]) for part in ("values", "floor"))
    return Quantity(values, "reach", floor=floor, label=f"series of two letters beyond degree {order}", unit="free norm")


def _free_constants(cell: Cell, signed: bool) -> Quantity:
    """Sums over the words of the next degree with equal numbers of Y: of absolute coefficients, or of coefficients."""
    count, (coefficients, sizes) = pair_coefficients(cell.order + 1)
    parts = coefficients if signed else np.abs(coefficients), sizes
    summed, size = (np.bincount(count, part, cell.highest + 1) for part in parts)
    floor = rounding_floor(2 * (cell.order + 1) ** 3, np.dtype(float), size)
    return Quantity(summed, "letters_y", floor=floor, label="sum of |g_w|, by letters Y")


def _together(cell: Cell) -> Quantity:
    """The words of two tokens beyond the degree from which the bound takes them together, from Eulerian numbers.

    Of n! permutations A(n, d) have d descents, each with the weight d! (n - 1 - d)! / n!.
    """
    shares, constants = np.ones(1), []  # A(n, d) / n!
    for n in range(1, LAST + 1):
        descents = np.arange(n)
        if n > 1:
            shares = ((descents + 1) * np.append(shares, 0) + (n - descents) * np.append(0, shares)) / n
        ways = np.concatenate([[1.0], np.cumprod((n - descents[1:]) / descents[1:])])  # C(n - 1, d)
        constants.append((shares / (n * ways)).sum())
    degrees = np.arange(1, LAST + 1)
    x, y = np.array([norms_of(cell.share, s) for s in cell.sums]).T[..., None]
    terms = np.array(constants) * ((x + y) ** degrees - x**degrees - y**degrees)
    values = terms[:, TOGETHER:].sum(axis=1)
    floor = rounding_floor(4 * LAST, np.dtype(float), values)
    return Quantity(values, "sum", floor=floor, label=f"words of two tokens beyond degree {TOGETHER}", unit="free norm")


def larger(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Pairs that are half as large again as the norms that stand for them, as far as the series converges."""
    start = _pairs(cell, varied_sequences(key, cell.pairs, 2, 2, cell.size).matrices)
    pairs = of_norm_one(climbed(start, cell.order, cell.highest, cell.rounds, 0.0))
    pairs = pairs._replace(increments=1.5 * pairs.increments)
    tail = Quantity(_left_out(cell, pairs), "sum pair", floor=tail_floor(1.5 * np.array(cell.sums), 2, cell.size)[:, None])
    return measured(tail=tail, norms_run=_norms(cell, [pairs]))
