r"""Each irrep is learned when its aligned neurons have left the origin: at 1 / ((k+1) U), not only in that order.

Statement: with the rate log(1/alpha) ||theta||^{1-k} for every neuron, the jump of an irrep comes, as alpha vanishes, at

    t_rho = 1 / ((k+1) U_rho),    U_rho = k! (k+1)^{-(k+1)/2} |G|^{-(k+1)/2} score(rho),

the alternating gradient flow: a dormant neuron aligns at once, grows by (k+1) U log(1/alpha) in log norm, and is active
when that has made up for alpha; what others have learned meanwhile does not change its utility. Trained networks approach
it like 1/log(1/alpha): jump times at three scales are extrapolated to zero; the budget is the change between the last two
extrapolations, the spacing of the records, and the step's error.

Source: alternating gradient flow, arXiv 2506.06489, and Theorem 4.1 of 2602.03655; activation times derived here. Refuted
by: jump times with another limit. Cost: a minute on a CPU.
"""

import dataclasses
import itertools

import jax
import numpy as np
import xarray as xr

from depthjax.training.flow import jump_times
from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.composition._learning import SLOTS, Flows, LearningTask, course, learning_task
from theory.composition import activation_time

CLAIM = Claim(
    slug="agf_dynamics",
    title="Irreps are learned at the times 1 / ((k+1) U) of the alternating gradient flow",
    statement=(
        "As the scale alpha of the initialisation vanishes, the jump of an irrep comes at 1 / ((k+1) U), U the largest "
        "utility of a unit neuron in it, in the time of the rate log(1/alpha) ||theta||^(1-k)."
    ),
    latex=r"t_\rho \to \frac{1}{(k+1)\,U_\rho}, \qquad U_\rho = \frac{k!\;\mathrm{score}(\rho)}{((k+1)|G|)^{(k+1)/2}}",
    relation=Relation.EQUALS,
    source=Source(
        "Kunin, Marchetti, Chen, Karkada, Simon, DeWeese, Ganguli, Miolane",
        "Alternating Gradient Flows",
        "arXiv 2506.06489",
        "activation times derived here",
    ),
    assumes=("initialisation vanishes", "some neuron starts in the basin of every irrep", "the scores differ"),
    refuted_by="jump times whose limit is another one",
    cost="a minute on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Scales(Flows):
    """The flows of this topic at three vanishing scales, log(1/alpha) doubling, and at one that is not small."""

    seeds: int = 8
    records: int = 1600
    steps: int = 3
    log_scale: float = 10.0
    large: float = 2.0


GRIDS = {"quick": Scales(), "full": Scales(seeds=64, width=120, steps=6), "paper": Scales(seeds=128, width=240, steps=12)}

setting = learning_task


def predict(cell: Scales, task: LearningTask) -> Prediction:
    """The limit of every jump time."""
    return _times(cell, task, 1)


def _times(cell: Scales, task: LearningTask, factor: float) -> Prediction:
    times = [factor * float(activation_time(component, cell.length, len(task.table))) for component in task.components]
    return Prediction(
        np.resize(times, SLOTS), of="time", dims=("irrep",), hypotheses=task.hypotheses(cell.length), formula=CLAIM.latex
    )


def measure(cell: Scales, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """The median seed's jump times, extrapolated to a vanishing scale."""
    times = [_jumps(cell, key, task, cell.log_scale * 2**level) for level in range(3)]
    # an error proportional to 1 / log(1/alpha) halves from one to the next, and so does what is left of it
    first, second = (2 * finer - coarser for coarser, finer in itertools.pairwise(times))
    spacing = task.horizon / cell.records
    # a jump time is known to the spacing of the records, and enters an extrapolation with weights 2 and -1
    sampling = np.abs(second - first) + 3 * spacing
    # what Heun's step leaves out of exponential growth: z^2 / 6 of the rate, z = log(1/alpha) dt / t at the finest scale
    growth = 4 * cell.log_scale * spacing / cell.steps / second
    return _dataset(second, sampling, 2 * second * growth**2 / 6)


def _jumps(cell: Scales, key: jax.Array, task: LearningTask, log_scale: float) -> np.ndarray:
    return np.median(np.asarray(jump_times(course(cell, key, task, log_scale))), axis=0)


def _dataset(times: np.ndarray, sampling: np.ndarray, floor: np.ndarray) -> xr.Dataset:
    return xr.Dataset(
        {
            "time": ("irrep", np.resize(times, SLOTS), {"long_name": "time of the jump"}),
            "time_sampling": ("irrep", np.resize(sampling, SLOTS)),
            "time_floor": ("irrep", np.resize(floor, SLOTS)),
        }
    )


def _large(cell: Scales, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """Jump times at a scale that is not small, to the spacing of the records."""
    return _dataset(
        _jumps(cell, key, task, cell.large), np.full(len(task.components), task.horizon / cell.records), np.zeros(1)
    )


CONTROLS = (
    Control("scale not small", "the limit holds at log(1/alpha) = 2 already", predict, _large),
    Control(
        "degree k",
        "a neuron is homogeneous of degree k: t = 1 / (k U)",
        lambda cell, task: _times(cell, task, (cell.length + 1) / cell.length),
    ),
)
