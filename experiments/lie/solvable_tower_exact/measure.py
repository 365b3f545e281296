"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.laws import followed_by_silence, law_changes, law_excess, signed_generators
from depthjax.lie.products import exponential_product
from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.rounding import rounding_floor, spectral_distance
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.solvable_tower_exact.common import LETTERS, SERIES
from experiments.lie.solvable_tower_exact.solvable_error import solvable_errors
from experiments.lie.solvable_tower_exact.solvable_tower import solvable_tower

ROOM = (5, 4, 5, 1), 5  # dimensions of layers and a size of matrices that every algebra fits into: one program for all


def measure(cell: Cell, key: jax.Array, given: dict, *, backwards: bool = False) -> xr.Dataset:
    """Errors of towers on random words by the number of layers; the law's product, and what it does to the layers."""
    layers, size = len(given["complements"]), given["complements"][0].shape[-1]
    tower = solvable_tower(given["complements"])
    room = _room([len(basis) for basis in given["complements"]], size)
    tower = tower.padded(*room)
    basis = jnp.asarray(np.concatenate(tower.complements))
    # walks of half a unit: the sections are polynomials of the states, and so is what magnifies a rounding
    words = jax.random.normal(key, (cell.words, cell.length, len(basis))) / (2 * cell.length**0.5)
    product, reverse = (exponential_product(each, basis, jnp.ones(1))[0] for each in (words, words[:, ::-1]))
    generators, scales = given["generators"].astype(float), 2.0 ** (-np.arange(cell.steps) / 2)
    norm = np.linalg.norm(generators, ord=2, axis=(1, 2)).max()
    signed, law = signed_generators(generators, basis.shape[-1]), followed_by_silence(given["word"], LETTERS, cell.length)
    excess = law_excess(law, signed, scales)
    # one run for the random words and, as the last one, the law
    letters = np.concatenate([np.einsum("btl,lij->tbij", words, basis), signed[law][:, None]], axis=1)
    products = np.concatenate([product, np.eye(basis.shape[-1]) + excess[:1]])
    found = solvable_errors(tower, jnp.asarray(letters[::-1] if backwards else letters), jnp.asarray(products))
    errors, states = np.asarray(found.errors)[:, :-1], [np.abs(state[:, -1]) for state in found.states[:layers]]
    # every letter is at most 13 products of matrices a layer
    floor = rounding_floor(13 * size * layers * cell.length, basis.dtype, np.asarray(found.magnified)[:-1])
    # factors are kept as 1 + a and cancel in pairs: what is rounded is of the size of a few letters, not of the whole word
    gap_floor = rounding_floor(16 * len(given["word"]), scales.dtype, scales * norm * np.exp(scales * norm))
    # as for the errors; the law stays within a few letters, and so do the sections
    reach = np.exp(4 * norm) * max(1.0, *(state.max() for state in states))
    change_floor = rounding_floor(13 * size * layers * len(given["word"]), scales.dtype, reach)
    any_change, any_floor = law_changes(key, given["word"], LETTERS, layers, cell.width, cell.cascades)
    gap, change = np.linalg.norm(excess, ord=2, axis=(1, 2)), [state[-1].max() for state in states]
    lowest = found.states[0][:, :-1]  # of the random words
    read = np.diff(lowest, axis=0, prepend=0).any(axis=-1)
    dimensions, unit = derived_dimensions(np.concatenate(given["complements"]), SERIES), "operator norm"
    return measured(
        step=Quantity(scales, "step", label="ε"),
        error=Quantity(errors[layers - 1], "word", floor=floor, label="error of k layers", unit=unit),
        error_fewer=Quantity(errors[layers - 2], "word", floor=floor, label="error of k - 1 layers", unit=unit),
        apart=Quantity(np.asarray(spectral_distance(product, reverse)), "word", label="distance of the reverse", unit=unit),
        layers=Quantity(1 + np.argmax((errors <= floor).all(axis=1)), label="fewest layers whose error is rounding"),
        letters_read=Quantity(read.sum(), label="letters of random words that moved the lowest layer"),
        words_apart=Quantity((errors[layers - 2] > floor).sum(), label="words that k - 1 layers get wrong"),
        derived_dimensions=Quantity(dimensions, "series", label="dimensions of the derived series"),
        gap=Quantity(gap, "step", floor=gap_floor, label="distance of the law's product from 1", unit=unit),
        state_change=Quantity(max(change[:-1]), floor=change_floor, label="change of k - 1 layers"),
        top_change=Quantity(change[-1], floor=change_floor, label="change of layer k"),
        any_change=Quantity(any_change[:, :-1].max(axis=1, initial=0), "cascade", floor=any_floor, label="random k - 1 layers"),
        any_top_change=Quantity(any_change[:, -1], "cascade", floor=any_floor, label="random layer k"),
        cascades_moved=Quantity((any_change[:, -1] > any_floor).sum(), label="random cascades whose layer k moves"),
    )


def read_backwards(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of a tower that reads the words from their end, and what they are beside the distance of the reverse."""
    found = measure(cell, key, given, backwards=True)
    beside = found["error"].to_numpy() - found["apart"].to_numpy()
    return found[["error", "error_floor"]].merge(
        measured(beside_reverse=Quantity(beside, "word", floor=found["error_floor"].to_numpy()))
    )


def _room(dimensions: list[int], size: int) -> tuple[tuple[int, ...], int]:
    """The room for a tower: that of all chosen algebras, or what a larger one needs."""
    layers = len(dimensions)
    needed = [*dimensions, *[1] * (len(ROOM[0]) - layers)]
    fits = size <= ROOM[1] and all(need <= room for need, room in zip(needed, ROOM[0], strict=True))
    return ROOM if fits else (tuple(dimensions), size)
