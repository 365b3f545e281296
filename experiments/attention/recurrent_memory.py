r"""A recurrent model that recalls n keys exactly has at least 2^n states; n bits of state are enough.

Statement: after k_1 b_1 ... k_n b_n every bit can be asked for, so all 2^n prefixes are told apart by some continuation: by
Myhill and Nerode a machine that reads from left to right has 2^n states after the prefix, whatever its depth or width,

    state bits >= n = (N - 1) / 2.

Machines with fewer states give two of the prefixes the same state; the pair and the key on which they err are exhibited. Apart
from that, and not judged, tanh networks of few units are trained to recall, and their errors by width and keys are drawn.

Hypotheses: n distinct keys beside the two values; exact recall. Source: the talk and paper of Sanford, Hsu and Telgarsky state
Omega(N); the count is derived. Refuted by: another number of classes, or a smaller machine that recalls. Cost: 15 s.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.panels import COLOURS
from depthjax.tasks.hops import hop_labels, keyed_words
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from experiments.attention._recall import frontier
from theory import bounds

CLAIM = Claim(
    slug="recurrent_memory",
    title="Exact recall of n keys takes a recurrent model 2^n states, whatever its depth",
    statement="A left-to-right machine that answers the induction head exactly after n pairs has at least 2^n states.",
    latex=r"\log_2 |\text{states}| \ge n = \tfrac{N-1}{2}",
    relation=Relation.EQUALS,
    source=Source(
        "Sanford, Hsu, Telgarsky",
        "Transformers, Parallel Computation, and Logarithmic Depth",
        "arXiv 2402.09268",
        "recurrent models",
    ),
    assumes=("n distinct keys beside the two values", "the last answer is right on every word"),
    refuted_by="another number of Myhill-Nerode classes, or a machine with fewer states that recalls",
    cost="15 s on a CPU; full: an hour",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Two keys, four, up to the most; and what is trained: up to so many units, for so many keys."""

    most: int = axis(10)
    machines: int = 32
    units: int = 16
    trained: int = 6
    seeds: int = 2
    steps: int = 600


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(most=axis(12), machines=256, units=64, trained=12, seeds=8, steps=10_000),
    "paper": Sizes(most=axis(12), machines=1024, units=256, trained=12, seeds=16, steps=50_000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """2^n classes; every machine with half as many states errs. Nothing is predicted of the trained networks."""
    classes = [2 ** int(bounds.recurrent_bits(2 * n + 1).at()) for n in _keys(cell.most)]
    return (
        Prediction(classes, of="classes", dims=("pairs",), formula="2^n"),
        Prediction(np.full(len(classes), cell.machines), of="errs", dims=("pairs",)),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Distinct rows of answers by key; machines with a bit fewer that err on an exhibited pair; errors of trained networks."""
    units = tuple(2**j for j in range(cell.units.bit_length()))
    errors = frontier(jax.random.fold_in(key, 1), units, _keys(cell.trained), cell.seeds, cell.steps)
    trained = xr.Dataset(
        {"error": (("units", "asked", "seed"), errors, {"long_name": "errors of trained networks"})},
        coords={"units": list(units), "asked": list(_keys(cell.trained))},
    )
    return _measured(cell, key, fewer=1).merge(trained)


def _keys(most: int) -> tuple[int, ...]:
    return tuple(range(2, most + 1, 2))


def _measured(cell: Sizes, key: jax.Array, *, fewer: int) -> xr.Dataset:
    counts = [_counted(n, key, n - fewer, cell.machines) for n in _keys(cell.most)]
    classes, errs = zip(*counts, strict=True)
    return xr.Dataset(
        {
            "classes": ("pairs", list(classes), {"long_name": "Myhill-Nerode classes"}),
            "errs": ("pairs", list(errs), {"long_name": "machines that err"}),
        },
        coords={"pairs": list(_keys(cell.most))},
    )


def _counted(keys: int, key: jax.Array, state_bits: int, machines: int) -> tuple[int, int]:
    """Classes of the prefixes of so many keys, and how many machines err on a pair."""
    words = np.arange(2**keys)[:, None] >> np.arange(keys - 1, -1, -1) & 1
    answers = np.asarray(_answers(jax.device_put(words)))
    errs = 0
    for states in _final_states(key, words, 2**state_bits, machines):
        # two prefixes in one state with different answers: whatever is read from the state, one of them is wrong
        order = np.argsort(states, kind="stable")
        same = states[order][1:] == states[order][:-1]
        errs += bool((same & (answers[order][1:] != answers[order][:-1]).any(axis=1)).any())
    return len(np.unique(answers, axis=0)), errs


@jax.jit
def _answers(words: jax.Array) -> jax.Array:
    def asked(key: jax.Array) -> jax.Array:
        question = keyed_words(words, jnp.broadcast_to(key, len(words)))
        return hop_labels(question, words.shape[1] + 2, 1)[:, -1]

    return jax.vmap(asked, out_axes=1)(jnp.arange(words.shape[1], dtype=words.dtype))


def _final_states(key: jax.Array, words: np.ndarray, states: int, machines: int) -> np.ndarray:
    """Best efforts of machines with that many states: each keeps a window of bits, folded by a random odd multiplier."""
    value = words @ (1 << np.arange(words.shape[1]))
    multipliers = np.asarray(jax.random.randint(key, (machines, 1), 0, states)) * 2 + 1
    return multipliers * value[None, :] % states


def _all_err(cell: Sizes) -> Prediction:
    return Prediction(np.full(len(_keys(cell.most)), cell.machines), of="errs", dims=("pairs",))


def _half_the_classes(cell: Sizes) -> Prediction:
    return Prediction([2 ** (n - 1) for n in _keys(cell.most)], of="classes", dims=("pairs",))


CONTROLS = (
    Control("enough bits", "machines of n bits err as well", _all_err, lambda cell, key: _measured(cell, key, fewer=0)),
    Control("half the classes", "there are 2^(n - 1) classes", _half_the_classes),
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
