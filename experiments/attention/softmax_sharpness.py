r"""Softmax hops are exact above sharpness ln(4 N), fail just below it, and need N^2 within the mantissa.

Statement: Let attention hop by lookups with scores beta (2 t p - p^2), t the target and p the position, and round what they
    return. Two hops are right on every word of length N once beta > ln(4 N). On the word 0 ... 0 1 0 they are wrong below the
    root beta* of an explicit equation, which lies N^-3 / 128 above ln(4 N - 8) to leading order. The scores are exact while
    N^2 <= 2^p, p the bits of the mantissa.
    $$ \beta > \ln 4N \;\Rightarrow\; \text{exact},\qquad
       \beta^* = \ln(4N - 8) + \frac{N - 7/2}{128 (N-2)^4} + O(N^{-6}),\qquad N^2 \le 2^{p} $$
Hypotheses: one number holds the pointer, and it is rounded in every layer; positions are integers 0, ..., N.
Source: this project, “stated here first”.
Refuted by: a word that is still wrong above ln(4 N), another onset on the word 0 ... 0 1 0, or another first length whose
    scores are not exact.
Cost: quick 15 s on one core, full about 2 min.

The last letter of 0 ... 0 1 0 points at position N - 1, whose own pointer is 0, while the pointers v_p of the positions around
it are as large as they can be. The lookup returns more than 1/2 until

    sum_p w_p v_p = 1/2 sum_p w_p,        w_p = exp(-beta (p - N + 1)^2).

The two neighbours N and N - 2 hold N - 1 and N - 2, so with x = exp(-beta) the equation is (2 N - 4) x + (N - 7/2) x^4 + ... =
1/2, where the next term has x^9. Without x^4 the root is x_0 = 1 / (4 N - 8). The term with x^4 lowers it by the share eps =
(N - 7/2) x_0^3 / (2 N - 4) = (N - 7/2) / (128 (N - 2)^4), which raises beta* by eps - 7 eps^2 / 2 + O(N^-8). An earlier form
said O(N^-4); the difference from ln(4 N - 8) is now judged at the lengths at which rounding leaves its digits (N <= 64).

In float32 N <= 4096, in float16 N <= 45, in bfloat16 N <= 16.
"""

import dataclasses
from collections.abc import Callable
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.attention.lookup import default_sharpness
from depthjax.constructions.directions.hop import hop_transformer
from depthjax.figures.pens import COLOURS, GREY, law
from depthjax.probe.rounding import rounding_floor
from depthjax.tasks.hops import hop_labels, hop_words, late_letter_word
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival, scaled
from theory import bounds
from theory.attention.hops import longest_exact_length, lookup_excess, lookup_threshold
from theory.floats import MANTISSAS

CLAIM = claim(Relation.EQUALS, needs_float64=True)

LEAST, MOST, STEPS = 1.0, 32.0, 45  # ends and steps of the bisection
TOLD = 64  # largest length at which the onset has the digits that tell it from ln(4 N - 8)
KINDS = ("float32", "float16", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Length and number of words."""

    length: int = axis(16, 64, 256)
    samples: int = 32


GRIDS = {
    "test": Sizes(length=axis(16), samples=4),
    "quick": Sizes(),
    "full": Sizes(length=axis(16, 32, 64, 128, 256, 512, 1024), samples=64),
    "paper": Sizes(length=axis(16, 64, 256, 1024, 4096), samples=1000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The onset from its equation, told apart from ln(4 N); ln(4 N) for every word; the longest exact words by type."""
    enough, onset = bounds.sharpness(cell.length).at(), lookup_threshold(cell.length)
    limits = [longest_exact_length(MANTISSAS[kind]) for kind in KINDS]
    return (
        *([_excess(cell, lookup_excess(cell.length))] if cell.length <= TOLD else []),
        Prediction(onset, of="onset", resolution=enough - onset, formula=r"\beta^*"),
        Prediction(enough, of="worst_onset", relation=Relation.AT_MOST, formula=r"\ln 4N"),
        Prediction(limits, of="longest_exact", dims=("dtype",)),
    )


def _excess(cell: Sizes, value: Fraction) -> Prediction:
    left_out = 4 * lookup_excess(cell.length) ** 2
    return Prediction(float(value), of="excess", truncation=float(left_out), formula=r"\beta^* - \ln(4N - 8)")


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The sharpness below which 0 ... 0 1 0 is wrong, and below which any word is; exact lengths by trying."""
    return measured(**_onsets(cell, key), dtype=KINDS, longest_exact=_longest_exact(lambda t, p: 2 * t * p - p * p))


def _onsets(cell: Sizes, key: jax.Array, kept: float = 1.0) -> dict[str, Quantity]:
    words = _words(cell, key)
    low, high = _bisected(cell, words[-1:], LEAST, kept)
    onset, floor = (low + high) / 2, _floor(cell, low, high)
    excess = onset - np.log(4 * cell.length - 8)
    stubborn = words[_wrong(cell, high, words, kept)]
    if len(stubborn):
        low, high = _bisected(cell, stubborn, high, kept)
    return {
        "onset": Quantity(onset, floor=floor, label="sharpness below which 0 ... 0 1 0 is wrong"),
        "excess": Quantity(excess, floor=floor, label="the same above ln(4 N - 8)"),
        "worst_onset": Quantity((low + high) / 2, floor=_floor(cell, low, high), label="sharpness below which a word is wrong"),
    }


def _bisected(cell: Sizes, words: np.ndarray, low: float, kept: float) -> tuple[float, float]:
    """A short interval: some of these words are wrong at its lower end, none at its upper end."""
    high = MOST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _wrong(cell, middle, words, kept).any() else (low, middle)
    return low, high


def _floor(cell: Sizes, low: float, high: float) -> float:
    """Rounding of a threshold, and the interval in which it was found.

    Scores are differences of products of size 2 beta N^2, and the gap between the best two is beta itself. The retrieved
    pointer, a mean of numbers up to N, moves about half as fast as the sharpness when it passes 1/2.
    """
    score = rounding_floor(4, jnp.dtype(float), 2 * high * cell.length**2)
    pointer = rounding_floor(cell.length, jnp.dtype(float), float(cell.length))
    return float(score + 2 * pointer) + (high - low) / 2


def _words(cell: Sizes, key: jax.Array) -> np.ndarray:
    """Words and their labels, (word, 2, position): random ones, these ending like 0 ... 0 1 0, and that word as the last."""
    words = np.asarray(hop_words(key, 4, cell.samples, cell.length))
    hardest = np.asarray(late_letter_word(cell.length))[None]
    start = np.linspace(0, cell.length - 5, cell.samples).astype(int)[:, None]
    tried = np.concatenate([words, np.where(np.arange(cell.length)[None, :] >= start, hardest, words), hardest])
    return np.stack([tried, np.asarray(hop_labels(jnp.asarray(tried), 4, 2))], axis=1)


def _wrong(cell: Sizes, sharpness: float, words: np.ndarray, kept: float) -> np.ndarray:
    """Whether each word has a wrong position; the first lookup keeps this share of its scores."""
    model, weights = hop_transformer(2, cell.length, 4, dtype=jnp.dtype(float), sharpness=sharpness)
    match, lookup, *rest = weights.layers
    heads = dataclasses.replace(lookup.heads, query=kept * lookup.heads.query)
    lookup = dataclasses.replace(lookup, heads=heads)
    logits = model.apply(dataclasses.replace(weights, layers=(match, lookup, *rest)), jax.device_put(words[:, 0]))
    return (np.asarray(logits).argmax(axis=-1) != words[:, 1]).any(axis=1)


def _longest_exact(score: Callable[[jax.Array, jax.Array], jax.Array]) -> Quantity:
    """One less than the first t at which the best two scores of a lookup, in each type, differ by anything but 1."""
    longest = []
    for kind in KINDS:
        t = jnp.arange(1, 6000, dtype=jnp.float32).astype(kind)
        differ = np.asarray(score(t, t) - score(t, t - 1) != 1)
        longest.append(int(np.argmax(differ)) if differ.any() else len(differ))
    return Quantity(longest, "dtype", label="longest exact length")


CONTROLS = (
    control(
        "a weak lookup",
        "the first lookup may have half its scores",
        measure=lambda cell, key: measured(**_onsets(cell, key, 0.5)),
    ),
    control(
        "scores of distances",
        "scores that are not expanded into products are exact as far",
        measure=lambda cell, key: measured(dtype=KINDS, longest_exact=_longest_exact(lambda t, p: -(t - p) * (t - p))),
    ),
)
RIVALS = (
    scaled(0.5, of="worst_onset", name="half the sharpness", statement="ln(4 N) / 2 is enough"),
    rival("onset at ln(4 N)", lambda cell: Prediction(bounds.sharpness(cell.length).at(), "onset"), "wrong up to ln(4 N)"),
    rival(
        "the onset is ln(4 N - 8)",
        lambda cell: _excess(cell, Fraction(0)) if cell.length <= TOLD else None,
        "the sharpness lies at ln(4 N - 8) to the last digit",
    ),
    rival(
        "a fourth power",
        lambda cell: _excess(cell, lookup_excess(8) * Fraction(8, cell.length) ** 4) if cell.length <= TOLD else None,
        "from N = 8 on what is above ln(4 N - 8) falls like N^-4",
    ),
    off_by(+1, of="longest_exact", name="one longer", statement="scores are exact one position further"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Sharpness against the length.

    Points: the measured sharpness below which one word is wrong. Full line: what is enough on every word, and no point lies
    above it. Upright lines: lengths at which scores cease to be exact in each type of floats.
    """
    axes = figure.subplots()
    lengths = 2 ** np.arange(3, 13.1, 0.25)
    enough = [bounds.sharpness(round(n)).at() for n in lengths]
    axes.plot(lengths, enough, **law(label="ln(4 N): enough on every word"))
    axes.plot(dataset["length"], dataset["onset"], "o", color=COLOURS[0], label="measured: 0 ... 0 1 0 is wrong below")
    default = [default_sharpness(round(n)) for n in lengths]
    axes.step(lengths, default, ":", where="mid", color=COLOURS[1], label="power of two that the weights use")
    for kind, limit in zip(dataset["dtype"].to_numpy(), dataset["longest_exact"].isel(cell=0).to_numpy(), strict=True):
        axes.axvline(limit, color=GREY, lw=0.9)
        axes.text(limit * 0.97, 2.1, f"{kind}: N = {limit}", rotation=90, ha="right", va="bottom", fontsize=7.5, color=GREY)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="length N", ylabel="sharpness", ylim=(2, None))
    axes.legend(loc="upper left", fontsize=7.5)


PICTURES = (Picture(3.0, _draw),)
