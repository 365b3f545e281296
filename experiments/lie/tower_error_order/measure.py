"""What the claim measures."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.lie import lie_tower
from depthjax.rounding import rounding_floor
from depthjax.tasks.words import sticky_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie._so3_and_sl2 import so3_and_sl2
from experiments.lie.tower_error_order.tower_error import tower_errors


def measure(cell: Cell, key: jax.Array, given: dict, *, backwards: bool = False) -> xr.Dataset:
    """Root mean square over words of four distances, for each algebra, length and mass."""
    keys = jax.random.split(key, 3)
    masses = 4.0 * 2.0 ** (-np.arange(cell.steps) / 2)
    random = jax.random.normal(keys[0], (cell.letters, 4, 4))
    algebras = {name: np.pad(m, ((0, 0), *[(0, 4 - m.shape[-1])] * 2)) for name, m in given["algebras"].items()}
    algebras["random gl4"] = random / jnp.linalg.norm(random, ord=2, axis=(1, 2), keepdims=True)
    lengths = cell.short, cell.length
    samples = [sticky_words(part, cell.letters, cell.samples, n, cell.runs) for part, n in zip(keys[1:], lengths, strict=True)]
    samples.append(jnp.asarray(given["word"])[None])
    # one batch for all lengths: letter n is silent and fills the words up, letters of word i weigh 1 / its length
    filled = [jnp.pad(w, ((0, 0), (0, cell.length - w.shape[1])), constant_values=cell.letters) for w in samples]
    words = jnp.concatenate(filled)
    weights = jnp.concatenate([jnp.full(len(batch), 1 / batch.shape[1]) for batch in samples])
    tower = lie_tower(cell.letters, cell.layers + 1, cell.nilpotency)
    read = words[:, ::-1] if backwards else words
    states = tower.apply(jax.nn.one_hot(read, cell.letters, dtype=weights.dtype) * weights[:, None, None])

    total = np.asarray(((words < cell.letters) * weights[:, None]).sum(axis=1))

    found = [tower_errors(tower, states, words, weights, jnp.asarray(m), jnp.asarray(masses)) for m in algebras.values()]
    squares = np.square(np.linalg.norm(np.stack(found), ord=2, axis=(-2, -1)))  # algebra, distance, step, word
    ends = np.cumsum([0, *(len(batch) for batch in samples)])
    spread = np.sqrt(np.stack([squares[..., a:b].mean(axis=-1) for a, b in itertools.pairwise(ends)]))
    left_out, error, complete, fewer = np.moveaxis(spread, 2, 0)  # word, algebra, step
    # a matrix exponential is at most 13 products of 4x4 matrices, a word's product log2 T additions
    operations = 4 * (13 * (cell.layers + 1) + 2 * cell.length.bit_length())
    rounding = rounding_floor(operations, masses.dtype, masses * np.exp(masses))
    relative = rounding_floor(operations, masses.dtype, left_out)

    def distance(values: np.ndarray, floor: np.ndarray | jax.Array, label: str, dims: str = "word algebra step") -> Quantity:
        return Quantity(values, dims, floor=floor, label=label, unit="operator norm")

    return measured(
        step=Quantity(masses, "step", label="generator mass ε"),
        word=[f"T={length}" for length in lengths],
        algebra=list(algebras),
        left_out=distance(left_out[:-1], relative[:-1], "the factor left out"),
        # what one layer more still misses is not the tower's to explain
        error=distance(error[:-1], rounding + complete[:-1], "distance from the product"),
        complete=distance(complete[:-1], rounding, "distance with one layer more"),
        fewer=distance(fewer[:-1], rounding, "distance with one layer fewer"),
        **so3_and_sl2(given["algebras"]["so3"], given["algebras"]["sl2"], "algebra_fixed"),
        read=Quantity(
            [len(words), len(states), len(given["word"]), len(np.unique(given["word"]))],
            "of",
            label="words, layers, letters of the fixed word, and different ones",
        ),
        weight=Quantity(
            [total.min(), total.max()],
            "end",
            floor=rounding_floor(cell.length, total.dtype, 1.0),
            label="least and largest sum of the weights of a word",
        ),
        **{
            f"left_out_{name}": distance(left_out[-1, i], relative[-1, i], f"the factor left out, fixed word, {name}", "step")
            for i, name in enumerate(given["algebras"])
        },
    )


def read_backwards(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The distance from the product of a tower that reads words from their end, and what it leaves out of the fixed word."""
    found = measure(cell, key, given, backwards=True)
    # what one layer more misses is as large here, and no floor
    return measured(
        step=Quantity(found["step"].to_numpy(), "step"),
        error=Quantity(found["error"].to_numpy(), "word algebra step", floor=found["complete_floor"].to_numpy()),
        **{
            name: Quantity(found[name].to_numpy(), "step", floor=found[f"{name}_floor"].to_numpy())
            for name in (f"left_out_{algebra}" for algebra in given["algebras"])
        },
    )
