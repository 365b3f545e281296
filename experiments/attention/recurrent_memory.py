r"""Exact recall of n keys takes a recurrent model 2^n states, whatever its depth.

Statement: A machine that reads k_1 b_1 ... k_n b_n and one of the keys from left to right, N = 2 n + 1 letters, and answers
    with the bit of that key on every word has at least 2^n states, whatever its depth or width.
    $$ \log_2 |\text{states}| \ge n = \tfrac{N-1}{2} $$
Hypotheses: n distinct keys beside the two values; the last answer is right on every word.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, on recurrence.
Refuted by: another number of Myhill-Nerode classes, or a machine with fewer states that recalls.
Cost: quick 15 s on a CPU; full an hour.

Every bit can be asked for, so any two of the 2^n prefixes are told apart by some key: they are the classes of Myhill and
Nerode. The source has Omega(N); the count is derived here. A machine with fewer states gives two prefixes the same state, and
errs on one of them for the key in which they differ; such a pair is looked for in every machine, while n bits are enough.

Beside that, and not judged, tanh networks of few units are trained to recall; their errors by width and keys are drawn.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.panels import COLOURS
from depthjax.probe.recall import recall_errors
from depthjax.tasks.hops import hop_labels, keyed_words
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival, scaled
from theory import bounds

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Keys 2, 4, ..., `most` and machines for each; networks of up to `units` units, trained on up to `trained` keys."""

    most: int = axis(10)
    machines: int = 32
    units: int = 16
    trained: int = 6
    seeds: int = 2
    steps: int = 600


GRIDS = {
    "test": Sizes(most=axis(4), machines=4, units=2, trained=4, steps=20),
    "quick": Sizes(),
    "full": Sizes(most=axis(12), machines=256, units=64, trained=12, seeds=8, steps=10_000),
    "paper": Sizes(most=axis(12), machines=1024, units=256, trained=12, seeds=16, steps=50_000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """2^n classes; machines err exactly if they have fewer states. Nothing is predicted of the trained networks."""
    needed = np.array([int(bounds.recurrent_bits(2 * n + 1).at()) for n in _keys(cell.most)])
    return Prediction((2**needed).tolist(), of="classes", dims=("pairs",), formula="2^n"), _erring(cell, needed)


def _erring(cell: Sizes, needed: np.ndarray) -> Prediction:
    """All machines err that have fewer bits of state than are needed, and no others."""
    few = np.arange(1, cell.most + 1) < needed[:, None]
    return Prediction(cell.machines * few, of="errs", dims=("pairs", "state_bits"))


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Distinct rows of answers; machines of every size that err on an exhibited pair; errors of trained networks."""
    words = [_words(n) for n in _keys(cell.most)]
    answers = [np.asarray(_answers(jax.device_put(prefixes))) for prefixes in words]
    sizes = np.arange(1, cell.most + 1)
    errs = [
        [_erring_machines(key, prefixes, rows, 2**bits, cell.machines) for bits in sizes.tolist()]
        for prefixes, rows in zip(words, answers, strict=True)
    ]
    units = tuple(2**j for j in range(cell.units.bit_length()))
    trained = recall_errors(jax.random.fold_in(key, 1), units, _keys(cell.trained), cell.seeds, cell.steps)
    return measured(
        pairs=Quantity(_keys(cell.most), "pairs", label="keys n"),
        state_bits=sizes,
        classes=Quantity([len(np.unique(rows, axis=0)) for rows in answers], "pairs", label="Myhill-Nerode classes"),
        asked_one_key=Quantity([len(np.unique(rows[:, 0])) for rows in answers], "pairs", label="classes if one key is asked"),
        errs=Quantity(errs, "pairs state_bits", label="machines that err"),
        units=units,
        asked=_keys(cell.trained),
        error=Quantity(trained, "units asked seed", label="errors of trained networks"),
    )


def _keys(most: int) -> tuple[int, ...]:
    return tuple(range(2, most + 1, 2))


def _words(keys: int) -> np.ndarray:
    """The bits of every prefix, shape (2^keys, keys)."""
    return np.arange(2**keys)[:, None] >> np.arange(keys - 1, -1, -1) & 1


@jax.jit
def _answers(words: jax.Array) -> jax.Array:
    """The answers of every prefix to every key."""

    def asked(key: jax.Array) -> jax.Array:
        question = keyed_words(words, jnp.broadcast_to(key, len(words)))
        return hop_labels(question, words.shape[1] + 2, 1)[:, -1]

    return jax.vmap(asked, out_axes=1)(jnp.arange(words.shape[1], dtype=words.dtype))


def _erring_machines(key: jax.Array, words: np.ndarray, answers: np.ndarray, states: int, machines: int) -> int:
    """Number of machines with two prefixes in one state that have different answers: one of the two is answered wrongly.

    Each machine keeps as much as its states can hold: the number of the prefix times a random odd number, modulo the states.
    """
    multipliers = np.asarray(jax.random.randint(key, (machines, 1), 0, states)) * 2 + 1
    value = words @ (1 << np.arange(words.shape[1]))
    errs = 0
    for reached in multipliers * value[None, :] % states:
        order = np.argsort(reached, kind="stable")
        same = reached[order][1:] == reached[order][:-1]
        errs += bool((same & (answers[order][1:] != answers[order][:-1]).any(axis=1)).any())
    return errs


CONTROLS = (
    control("one key asked", "there are 2^n classes even if one key alone is asked", instead={"classes": "asked_one_key"}),
)
RIVALS = (
    scaled(0.5, of="classes", name="half the classes", statement="there are 2^(n - 1) classes"),
    rival("enough bits", lambda cell: _erring(cell, np.array(_keys(cell.most)) + 1), "machines of n bits err as well"),
    rival("a bit fewer", lambda cell: _erring(cell, np.array(_keys(cell.most)) - 1), "n - 1 bits are enough"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Error of the best and the median trained network by width, a line for each number of keys; it is not judged."""
    error = dataset["error"].isel(cell=0)
    axes = figure.subplots()
    for colour, n in zip(COLOURS, error["asked"].to_numpy(), strict=False):
        of_n = error.sel(asked=n)
        axes.plot(of_n["units"], of_n.median("seed"), "o-", color=colour, label=f"{n} keys, median")
        axes.plot(of_n["units"], of_n.min("seed"), ":", color=colour, label=f"{n} keys, best")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="tanh units (float32)", ylabel="share of wrong answers", ylim=(-0.02, 0.55))
    axes.set_title("trained networks, not judged: chance is 1/2", loc="left", fontsize=8.5)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


PICTURES = (Picture(2.8, _draw),)
