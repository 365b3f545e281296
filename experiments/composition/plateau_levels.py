r"""Between jumps the loss is the power of the irreps not yet learned.

Statement: On the plateaus of gradient flow from vanishing initialisation the loss (half the squared error, summed over
    coordinates, averaged over words) is a sum over the irreps not yet learned. Irreps are learned in the order of the score,
    each with its conjugate.
    $$ L = \frac{1}{2|G|} \sum_{\rho\ \text{unlearned}} n_\rho \|\hat x[\rho]\|_F^2 $$
Hypotheses: initialisation vanishes; some neuron starts in the basin of every irrep; the scores differ.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, plateaus; the levels are
    derived here.
Refuted by: a plateau at another level.
Cost: 15 s on a CPU.

The level is read off where the loss is flattest between two jumps. Its budget is what the loss falls from halfway to either
jump; half the distance to the next sum over another set of irreps must exceed it. An irrep near which too few neurons start is
learned in part, and its level is missed. Of the three irreps of C6 the last draws about one starting direction in forty:
networks of 80 neurons miss it, and one network of 320 in 180 does (fifteen runs of twelve). Of twelve seeds eleven must learn
every irrep, so that this rate leaves the claim open in 2 of 1000 runs.
"""

import dataclasses
import itertools

import jax
import numpy as np
import xarray as xr

from depthjax.figures.pens import COLOURS, law
from depthjax.probe.rounding import rounding_floor
from depthjax.training.flow import Trajectory, plateaus
from depthjax.verify import Hypothesis, Picture, Prediction, Quantity, Relation, claim, control, measured, rival
from experiments.composition._flows import GRIDS as GRIDS
from experiments.composition._flows import SLOTS, Flows, flow
from experiments.composition._flows import objects as objects
from theory.composition import Component, activation_time, learning_order, linear_loss, plateau_levels
from theory.composition.encodings import SpectralTask, spectral_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)


def predict(cell: Flows, task: dict) -> tuple[Prediction, ...]:
    """All levels, from the first plateau to the last; and a typical seed learns every irrep."""
    exact = spectral_task(group(cell.group))
    levels = plateau_levels(exact.components, cell.length, exact.group.order)
    return _levels(cell, exact, levels), Prediction(1, of="complete", relation=Relation.TREND)


def _levels(cell: Flows, task: SpectralTask, levels: list) -> Prediction:
    losses = [_loss(task, component) for component in task.parts]
    sums = [sum(some) for size in range(len(losses) + 1) for some in itertools.combinations(losses, size)]
    return Prediction(
        np.resize([float(level) for level in levels], SLOTS + 1),
        of="level",
        dims=("plateau",),
        resolution=min(abs(a - b) for a, b in itertools.combinations(sums, 2)),
        hypotheses=(Hypothesis("the scores of the irreps differ", task.scores_differ(cell.length)),),
        formula=r"\frac{1}{2|G|} \sum n_\rho \|\hat x[\rho]\|_F^2",
    )


def _loss(task: SpectralTask, component: Component) -> float:
    """What one irrep and its conjugate add to the loss."""
    return (2 if component.kind == "complex" else 1) * float(linear_loss([component], task.group.order))


def measure(cell: Flows, key: jax.Array, task: dict) -> xr.Dataset:
    """The median seed's loss on every plateau, and how flat it is there; the same where most irreps have no neurons."""
    run, few = flow(cell, key, task, cell.log_scale), flow(dataclasses.replace(cell, width=1), key, task, cell.log_scale)
    shares = np.median(np.asarray(run.shares), axis=0)
    return measured(
        **_plateaus(run, len(task["table"]) ** (cell.length + 1) * cell.neurons),
        **{f"few_{name}": quantity for name, quantity in _plateaus(few, len(task["table"]) ** (cell.length + 1)).items()},
        time=Quantity(np.asarray(run.times), "record"),
        loss=Quantity(np.asarray(run.losses), "seed record"),
        share=Quantity(shares[:, np.resize(range(shares.shape[1]), SLOTS)], "record irrep"),
    )


_of_every_seed = jax.jit(jax.vmap(plateaus))


def _plateaus(run: Trajectory, operations: int) -> dict[str, Quantity]:
    levels, falls = map(np.asarray, _of_every_seed(run.losses, run.shares))
    return {
        "level": Quantity(
            np.resize(np.median(levels, axis=0), SLOTS + 1),
            "plateau",
            floor=rounding_floor(operations, levels.dtype, float(levels.max())),
            sampling=np.resize(np.median(falls, axis=0), SLOTS + 1),
            label="loss on the plateau, median of the seeds",
        ),
        "complete": Quantity(np.asarray((run.shares[:, -1] > 0.5).all(axis=1)), "seed", label="all irreps learned"),
    }


def _one_missing(cell: Flows, task: dict) -> Prediction:
    """Without the irrep of the lowest score every level but the last is too low."""
    exact = spectral_task(group(cell.group))
    last = exact.parts[learning_order(exact.parts, cell.length)[-1]]
    kept = [component for component in exact.components if component != last]
    return _levels(cell, exact, [*plateau_levels(kept, cell.length, exact.group.order), 0])


CONTROLS = (
    control("one neuron", "networks of a neuron or a few stand on the same levels", instead={"level": "few_level"}),
    control("one neuron learns", "networks of a neuron or a few learn every irrep", instead={"complete": "few_complete"}),
)
RIVALS = (rival("one irrep missing", _one_missing, "the irrep learned last adds nothing to the loss"),)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Above: losses of all seeds over time.

    Below: how much of each irrep is learned. Level lines: predicted plateaus and powers; upright lines: predicted times of the
    jumps. Losses stay on the level lines and fall at the upright ones.
    """
    axes = figure.subplots(2, dataset.sizes["cell"], squeeze=False, sharex="col")
    for index, (upper, lower) in enumerate(axes.T):
        data = dataset.isel(cell=index)
        cell = Flows(group=str(data["group"].item()), length=int(data["length"]))
        time, task = data["time"].to_numpy(), spectral_task(group(cell.group))
        upper.plot(time, data["loss"].transpose("record", "seed"), color=COLOURS[0], lw=0.6, alpha=0.5)
        for level in plateau_levels(task.components, cell.length, task.group.order):
            upper.axhline(float(level), **law(linewidth=0.9))
        for number, (component, colour) in enumerate(zip(task.parts, COLOURS[1:], strict=False)):
            power, jump = 2 * _loss(task, component), float(activation_time(component, cell.length, task.group.order))
            for axis, look in ((upper, law(3, linewidth=0.9)), (lower, law(3, linewidth=0.9))):
                axis.axvline(jump, **look)
            lower.axhline(power, **law(linewidth=0.9))
            learned = power * data["share"].isel(irrep=number).to_numpy()
            lower.plot(time, learned, color=colour, label=f"{component.kind}, dim {component.dimension}")
        upper.set_title(f"{cell.group}, k = {cell.length}", fontsize=8.5)
        lower.legend(fontsize=6, loc="upper left")
        lower.set_xlabel("time")
    axes[0, 0].set_ylabel("loss; lines: predicted")
    axes[1, 0].set_ylabel("power learned, by irrep")


PICTURES = (Picture(4.2, _draw),)
