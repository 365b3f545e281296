r"""A recurrent model that recalls n keys exactly has at least 2^n states; n bits of state are enough.

Statement: after k_1 b_1 ... k_n b_n every bit can be asked for, so all 2^n prefixes are told apart by some continuation: by
Myhill and Nerode a machine that reads from left to right has 2^n states after the prefix, whatever its depth or width,

    state bits >= n = (N - 1) / 2.

Machines with fewer states give two of the prefixes the same state; the pair and the key on which they err are exhibited.

Hypotheses: n distinct keys beside the two values; exact recall. Source: the talk and paper of Sanford, Hsu and Telgarsky state
Omega(N); the count is derived. Refuted by: another number of classes, or a smaller machine that recalls. Cost: seconds.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.hops import hop_labels, keyed_words
from depthjax.tasks.words import all_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
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
    cost="seconds on a CPU at every size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of keys is the axis."""

    keys: int = axis(2, 4, 8, 10)
    machines: int = 32


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(keys=axis(2, 4, 8, 10, 12), machines=256),
    "paper": Sizes(keys=axis(2, 4, 8, 12), machines=1024),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """2^n classes; every machine with half as many states errs."""
    return (
        Prediction(2 ** int(bounds.recurrent_bits(2 * cell.keys + 1).at()), of="classes", formula="2^n"),
        Prediction(cell.machines, of="errs"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Distinct rows of answers by key; machines with one bit fewer that err on an exhibited pair."""
    return _measured(cell, key, cell.keys - 1)


def _measured(cell: Sizes, key: jax.Array, state_bits: int) -> xr.Dataset:
    words = all_words(2, cell.keys)
    answers = np.asarray(_answers(words))
    finals = np.asarray(_final_states(key, words, 2**state_bits, cell.machines))
    errs = 0
    for states in finals:
        # two prefixes in one state with different answers: whatever is read from the state, one of them is wrong
        order = np.argsort(states, kind="stable")
        same = states[order][1:] == states[order][:-1]
        errs += bool((same & (answers[order][1:] != answers[order][:-1]).any(axis=1)).any())
    return xr.Dataset(
        {
            "classes": ((), len(np.unique(answers, axis=0)), {"long_name": "Myhill-Nerode classes"}),
            "errs": ((), errs, {"long_name": "machines that err"}),
        }
    )


@jax.jit
def _answers(words: jax.Array) -> jax.Array:
    letters = words.shape[1] + 2
    columns = [keyed_words(words, jnp.full(len(words), i, words.dtype)) for i in range(words.shape[1])]
    return jnp.stack([hop_labels(column, letters, 1)[:, -1] for column in columns], axis=1)


def _final_states(key: jax.Array, words: jax.Array, states: int, machines: int) -> np.ndarray:
    """Best efforts of machines with that many states: each keeps a window of bits, folded by a random odd multiplier."""
    value = np.asarray(words) @ (1 << np.arange(words.shape[1]))
    multipliers = np.asarray(jax.random.randint(key, (machines, 1), 0, states)) * 2 + 1
    return multipliers * value[None, :] % states


CONTROLS = (
    Control(
        "enough bits",
        "machines of n bits err as well",
        lambda cell: Prediction(cell.machines, of="errs"),
        lambda cell, key: _measured(cell, key, cell.keys),
    ),
    Control("half the classes", "there are 2^(n - 1) classes", lambda cell: Prediction(2 ** (cell.keys - 1), of="classes")),
)
