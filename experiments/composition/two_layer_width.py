r"""Width 2^(k-1) sum c n^(k+1) is enough for one hidden layer of z^k that composes k elements of a finite group.

Statement: Explicit weights of one hidden layer of z^k map the codes of k elements to the code of their product, exactly for
    every word. The number of their units depends on the irreps of the encoding alone: c = 1 for real type and (k+1)/2
    otherwise. Each unit is needed: if it alone is switched off, some word is wrong.
    $$ \text{width} = 2^{k-1} \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^{k+1} $$
Hypotheses: the encoding is real; each Fourier coefficient is zero or invertible.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, the task; weights and width
    are derived here.
Refuted by: a word whose product is returned with an error beyond rounding, or another number of units that are needed.
Cost: quick 8 s on one core, full about a minute.

A cyclic group spends (k+1) 2^(k-1) units on each pair of characters. The width grows exponentially with k. This is an upper
bound: other weights may need fewer units, and `width_dichotomy` has a bound from below.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.composition.paths import two_layer_weights
from depthjax.figures.pens import GREY, law, pen
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.probe.composition import two_layer_error, units_needed
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from experiments.composition._tasks import without_last
from theory.composition import invertible, spectrum, two_layer_width
from theory.composition.encodings import Task, generic_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True)

SOME = 256  # words on which units are switched off


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and lengths: all words where there are at most ``words``, and that many random ones beyond."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3", "S4", "A5")
    length: int = axis(2, 3, 4)
    words: int = 4096
    widest: int = 2000

    def allows(self) -> bool:
        """Whether the network is not too wide for this size of run."""
        return two_layer_width(group(self.group).irreps(), self.length) <= self.widest


GRIDS = {
    "test": Sizes(group=axis("Q8"), length=axis(2), words=64),
    "quick": Sizes(),
    "full": Sizes(words=20_000, widest=5000),
    "paper": Sizes(words=10**5, widest=40_000),
}


def objects(cell: Sizes) -> Task:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group(cell.group))


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error, and as many units as the formula says."""
    components = spectrum(group(cell.group), task.encoding)
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    width = two_layer_width([component for component in components if component.norm != 0], cell.length)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(width, of="needed", formula=r"2^{k-1} \sum c\, n^{k+1}"),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The largest error over the words, relative to the largest entry of a code, and the units that are missed."""
    weights = two_layer_weights(task.encoding, task.irreps, cell.length)
    error = _error(cell, key, task, weights)
    words = np.asarray(uniform_words(key, len(task.table), SOME, cell.length))
    needed = units_needed(weights, task.codes, words, float(error.floor))
    return measured(error=error, needed=Quantity(needed, label="units that are missed when they are switched off"))


def _one_unit_fewer(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    weights = two_layer_weights(task.encoding, task.irreps, cell.length)
    inputs, out = (jnp.asarray(np.asarray(block)[..., :-1]) for block in (weights.inputs, weights.out))
    return measured(error=_error(cell, key, task, TwoLayer(inputs, out)))


def _error(cell: Sizes, key: jax.Array, task: Task, weights: TwoLayer) -> Quantity:
    letters = len(task.table)
    if letters**cell.length <= cell.words:
        words = np.indices((letters,) * cell.length).reshape(cell.length, -1).T
        words = jnp.asarray(np.resize(words, (cell.words, cell.length)))
    else:
        words = uniform_words(key, letters, cell.words, cell.length)
    # each length has one program, but short words of the smaller groups have their own
    order, width = common_size(letters, 24, 60), common_size(weights.width, *([128] if cell.length == 2 else []), 768)
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), words)
    return Quantity(float(error), floor=float(floor), label="largest relative error")


def _types_ignored(cell: Sizes, task: Task) -> Prediction | None:
    active = [component for component in spectrum(group(cell.group), task.encoding) if component.norm != 0]
    if all(component.kind == "real" for component in active):
        return None
    alike = [dataclasses.replace(component, kind="real") for component in active]
    return Prediction(two_layer_width(alike, cell.length), of="needed")


CONTROLS = (
    control(
        "one neuron fewer",
        "the weights without one of their units still compose",
        measure=_one_unit_fewer,
        instead={"error": "error"},
    ),
    control(
        "one irrep fewer",
        "weights that leave out an irrep have as many units",
        measure=lambda cell, key, task: measure(cell, key, without_last(task)),
        instead={"needed": "needed"},
    ),
)
RIVALS = (
    rival("types ignored", _types_ignored, "complex and quaternionic irreps cost as much as real ones of their dimension"),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Hidden units against the length.

    Points: networks that were constructed and are exact. Lines: the formula of each group, on which its points lie. Dashed
    grey: 2^(k - 1) alone.
    """
    axes, lengths = figure.subplots(), np.arange(2, 1 + int(dataset["length"].max()))
    for number, name in enumerate(dict.fromkeys(dataset["group"].to_numpy().tolist())):
        found = dataset.isel(cell=np.flatnonzero(dataset["group"] == name))
        irreps = group(name).irreps()[1:]
        axes.plot(lengths, [two_layer_width(irreps, int(k)) for k in lengths], **law(number, None if number else "formula"))
        axes.plot(found["length"], found["needed"], pen(number)[1], color=pen(number)[0], label=name)
    axes.plot(lengths, 2.0 ** (lengths - 1), color=GREY, ls="--", lw=1, label=r"$2^{k-1}$")
    axes.set(yscale="log", xlabel="length k", ylabel="hidden units", xticks=lengths)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.0, _draw),)
