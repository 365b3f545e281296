r"""Softmax lookups are exact above the sharpness ln(4 N), some input fails just below it, and the mantissa limits N.

Statement: with scores beta (2 t p - p^2) and rounding, k-hop attention is exact on all words of length N once beta > ln(4 N).
The word 0 ... 0 1 0 fails at two hops up to the root beta* of an explicit equation, ln(4 N) - 2/N - O(1/N^2):

    sum_p w_p v_p = 1/2 sum_p w_p,    w_p = exp(-beta (p - N + 1)^2),    v the pointers of that word.

Scores are exact while N^2 <= 2^(mantissa bits): N <= 4096 in float32, 45 in float16, 16 in bfloat16.

Hypotheses: pointers are one number of the residual stream; beta a power of two where it multiplies in the same type. Source:
derived for this project. Refuted by: a wrong position above ln(4 N), or an onset off beta*. Cost: 10 s on a CPU.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.hop import default_sharpness, hop_transformer
from depthjax.probe.rounding import rounding_floor
from depthjax.report.panels import COLOURS, GREY
from depthjax.tasks.hops import hop_labels, hop_words, late_letter_word
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="softmax_sharpness",
    title="Softmax hops are exact above sharpness ln(4 N), fail just below it, and need N^2 within the mantissa",
    statement=(
        "Attention that hops is exact on every word of length N if its sharpness exceeds ln(4 N); one word fails until within "
        "2/N of it; scores are exact while N^2 fits the mantissa."
    ),
    latex=r"\beta > \ln 4N \;\Rightarrow\; \text{exact},\qquad \beta^* = \ln(4N - 8) + O(N^{-4}),\qquad N^2 \le 2^{p}",
    relation=Relation.EQUALS,
    source=Source("this project", "stated here first"),
    assumes=("one number holds the pointer, and it is rounded in every layer", "positions are integers 0, ..., N"),
    refuted_by="a wrong position above the threshold, another onset on the hardest word, another first length that is inexact",
    cost="10 s on a CPU at every size",
    needs_float64=True,
)

STEPS = 34  # of the bisection
KINDS = ("float32", "float16", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Lengths are cells."""

    length: int = axis(16, 64, 256)
    samples: int = 32


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(length=axis(16, 64, 256, 1024), samples=1000),
    "paper": Sizes(length=axis(16, 64, 256, 1024, 4096), samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The onset from its equation, told apart from ln(4 N); no error above; the longest exact words by type."""
    sufficient = bounds.sharpness(cell.length).at()
    onset = bounds.lookup_threshold(cell.length)
    limits = [bounds.longest_exact_length(bounds.MANTISSAS[kind]) for kind in KINDS]
    return (
        Prediction(onset, of="onset", resolution=sufficient - onset, formula=r"\beta^*"),
        Prediction(sufficient, of="onset", relation=Relation.AT_MOST, formula=r"\ln 4N"),
        Prediction(0, of="wrong_above"),
        Prediction(tuple(limits), of="longest_exact", dims=("dtype",)),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Bisection for the sharpness at which the hardest word is first right; errors at ln(4 N); exact lengths by trying."""
    low, high = 1.0, 2 * math.log(4 * cell.length)
    words = _words(cell, key)
    hardest = words[-1:]
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _wrong(cell, middle, hardest) else (low, middle)
    # scores are differences of products of size 2 beta N^2, and the gap between the best two is beta itself; the retrieved
    # pointer, a mean of numbers up to N, moves about half as fast as the sharpness when it passes 1/2
    score = rounding_floor(4, jnp.dtype(float), 2 * high * cell.length**2)
    rounding = score + 2 * rounding_floor(cell.length, jnp.dtype(float), float(cell.length))
    return xr.Dataset(
        {
            "onset": ((), (low + high) / 2, {"long_name": "sharpness below which the hardest word fails"}),
            "onset_floor": ((), rounding + (high - low) / 2),
            "wrong_above": ((), _wrong(cell, math.log(4 * cell.length), words), {"long_name": "wrong positions"}),
            "longest_exact": ("dtype", [_longest_exact(kind) for kind in KINDS], {"long_name": "longest exact length"}),
        },
        coords={"dtype": list(KINDS)},
    )


def _words(cell: Sizes, key: jax.Array) -> np.ndarray:
    """Words and their labels, (word, 2, position): random ones, these with the hardest word at their end, that word itself."""
    words = np.asarray(hop_words(key, 4, cell.samples, cell.length))
    hardest = np.asarray(late_letter_word(cell.length))[None]
    start = np.linspace(0, cell.length - 5, cell.samples).astype(int)[:, None]
    tried = np.concatenate([words, np.where(np.arange(cell.length)[None, :] >= start, hardest, words), hardest])
    return np.stack([tried, np.asarray(hop_labels(jnp.asarray(tried), 4, 2))], axis=1)


def _wrong(cell: Sizes, sharpness: float, words: np.ndarray) -> int:
    model, weights = hop_transformer(2, cell.length, 4, dtype=jnp.dtype(float), sharpness=sharpness)
    logits = model.apply(weights, jax.device_put(words[:, 0]))
    return int((np.asarray(logits).argmax(axis=-1) != words[:, 1]).sum())


def _longest_exact(kind: str) -> int:
    """One less than the first t at which the best two scores of a lookup, in this type, differ by anything but 1."""
    t = jnp.arange(1, 6000, dtype=jnp.float32).astype(kind)
    ahead = (2 * t * t - t * t) - (2 * t * (t - 1) - (t - 1) * (t - 1))
    return int(np.argmax(np.asarray(ahead != 1)))


def _half(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return xr.Dataset({"wrong_above": ((), _wrong(cell, math.log(4 * cell.length) / 2, _words(cell, key)))})


def _one_longer(cell: Sizes) -> Prediction:
    limits = [bounds.longest_exact_length(bounds.MANTISSAS[kind]) + 1 for kind in KINDS]
    return Prediction(tuple(limits), of="longest_exact", dims=("dtype",))


CONTROLS = (
    Control("half the sharpness", "ln(4 N) / 2 is enough", lambda cell: Prediction(0, of="wrong_above"), _half),
    Control(
        "onset at ln(4 N)",
        "the hardest word fails up to ln(4 N) itself",
        lambda cell: Prediction(bounds.sharpness(cell.length).at(), of="onset"),
    ),
    Control("one longer", "scores are exact one position further", _one_longer),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Sharpness against length, with the lengths at which scores cease to be exact."""
    axes = figure.subplots()
    lengths = 2 ** np.arange(3, 13.1, 0.25)
    axes.plot(
        lengths, [bounds.sharpness(round(n)).at() for n in lengths], color=COLOURS[0], label="ln(4 N): enough on every word"
    )
    measured = [int(str(name).removeprefix("length=")) for name in dataset["cell"].to_numpy()]
    axes.plot(measured, dataset["onset"], "o", color=COLOURS[1], label="measured: the hardest word fails below")
    default = [default_sharpness(round(n)) for n in lengths]
    axes.step(lengths, default, ":", where="mid", color=COLOURS[2], label="power of two that the weights use")
    for kind, limit in zip(dataset["dtype"].to_numpy(), dataset["longest_exact"].isel(cell=0).to_numpy(), strict=True):
        axes.axvline(limit, color=GREY, lw=0.9)
        axes.text(limit * 0.97, 2.1, f"{kind}: N = {limit}", rotation=90, ha="right", va="bottom", fontsize=7.5, color=GREY)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="length N", ylabel="sharpness", ylim=(2, None))
    axes.legend(loc="upper left", fontsize=7.5)


PICTURES = (Picture(3.0, _draw),)
