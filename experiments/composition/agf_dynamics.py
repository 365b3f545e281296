r"""Gradient flow learns an irrep at the time 1 / ((k+1) U) of the alternating gradient flow.

Statement: As the scale alpha of the initialisation vanishes, gradient flow with the rate log(1/alpha) ||theta||^(1-k) for
    every neuron jumps when the simulated alternating gradient flow does. This is at 1 / ((k+1) U) for an irrep in which a unit
    neuron has the largest utility U, and between jumps the loss stands on the levels of `plateau_levels`.
    $$ t_\rho \to \frac{1}{(k+1)\,U_\rho}, \qquad U_\rho = \frac{k!\;\mathrm{score}(\rho)}{((k+1)|G|)^{(k+1)/2}} $$
Hypotheses: initialisation vanishes; some neuron starts in the basin of every irrep; the scores differ.
Source: Kunin, Marchetti, Chen, Karkada, Simon, DeWeese, Ganguli, Miolane, “Alternating Gradient Flows”, arXiv 2506.06489,
    activation times are derived here; the score is from Theorem 4.1 of arXiv 2602.03655.
Refuted by: jump times with another limit, or a simulated plateau at another level.
Cost: 20 s on a CPU.

A dormant neuron aligns at once, grows by (k+1) U log(1/alpha) in log norm, and is active when this has made up for alpha. What
others have learned meanwhile does not change its utility.

Two comparisons. The flow of the limit is simulated: dormant neurons climb their utilities, the first to reach its threshold
wakes all of its kind, and the active ones minimise the loss. Its jump times and levels are held against the formulas. Trained
networks approach the simulated times like 1/log(1/alpha): their jump times at three scales are extrapolated to zero. The
budget is the change between the last two extrapolations, the spacing of the records, and the error of the integrator. The
budget of a level is what minimisation may have left, judged by the gradient where it ended. (It was a constant 1e-12 once,
which some seeds passed.)

The network is simulated once, and where no neuron starts in the basin of an irrep the statement says nothing. It has 3/2 times
the neurons of a trained one: of 4000 directions 78 lead to the weakest pair of C6, so all of 320 neurons miss this pair in one
run of 550, which happened, and all of 480 in one of 13,000.
"""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.probe.staircase import learned, plateau_losses
from depthjax.training.alternating import alternating_flow
from depthjax.training.flow import Trajectory, jump_times, plateaus
from depthjax.verify import Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from experiments.composition._flows import SLOTS, Flows, flow
from experiments.composition._flows import objects as objects
from theory.composition import activation_time, plateau_levels
from theory.composition.encodings import spectral_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)


@dataclasses.dataclass(frozen=True)
class Scales(Flows):
    """The flows of this topic at three vanishing scales, log(1/alpha) doubling, and at one that is not small."""

    length: int = 2
    seeds: int = 4
    records: int = 800
    steps: int = 2
    log_scale: float = 10.0
    large: float = 2.0
    simulated: float = 1.5  # neurons of the simulated network for each of a trained one


GRIDS = {
    "test": Scales(group=axis("S3"), width=36, records=400, simulated=0.5),
    "quick": Scales(),
    "full": Scales(seeds=64, width=120, steps=6),
    "paper": Scales(seeds=128, width=240, steps=12),
}


def predict(cell: Scales, task: dict) -> tuple[Prediction, ...]:
    """The simulated flow jumps at the times of the formula, onto the levels. Trained networks jump when it does."""
    exact = spectral_task(group(cell.group))
    met = (Hypothesis("the scores of the irreps differ", exact.scores_differ(cell.length)),)
    times = [float(activation_time(component, cell.length, exact.group.order)) for component in exact.parts]
    levels = [float(level) for level in plateau_levels(exact.components, cell.length, exact.group.order)]
    return (
        Prediction(1, of="ratio", hypotheses=met, formula=r"t / t_{\mathrm{simulated}}"),
        Prediction(np.resize(times, SLOTS), of="simulated_time", dims=("irrep",), formula=r"1 / ((k+1) U_\rho)"),
        Prediction(np.resize(levels, SLOTS + 1), of="simulated_level", dims=("plateau",)),
    )


def measure(cell: Scales, key: jax.Array, task: dict) -> xr.Dataset:
    """A simulated flow; and the median seed's jump times, extrapolated to a vanishing scale, over the simulated ones."""
    trained, simulated = jax.random.split(key)
    table, parts = jnp.asarray(task["table"]), jnp.asarray(task["parts"])
    staircase = alternating_flow(simulated, parts, table, length=cell.length, width=round(cell.simulated * cell.neurons))
    jumps, (levels, left) = learned(staircase), plateau_losses(staircase, len(parts) + 1)
    rounding = rounding_floor(len(table) ** (cell.length + 1), parts.dtype)  # sums of squares over all words

    times = [_jumps(flow(cell, trained, task, cell.log_scale * 2**level)) for level in range(3)]
    # an error proportional to 1 / log(1/alpha) halves from one scale to the next, and so does what is left of it
    first, second = (2 * finer - coarser for coarser, finer in itertools.pairwise(times))
    # a jump time is known to the spacing of the records, and enters an extrapolation with weights 2 and -1
    sampling = np.abs(second - first) + 3 * cell.spacing
    # what Heun's step leaves out of exponential growth: z^2 / 6 of the rate, z = log(1/alpha) dt / t at the finest scale
    growth = 4 * cell.log_scale * cell.spacing / cell.steps / second
    floor = 2 * second * growth**2 / 6

    coarse = flow(cell, trained, task, cell.large)
    return measured(
        ratio=_by_irrep(second / jumps.times, floor / jumps.times, sampling / jumps.times, "trained jump time / simulated"),
        simulated_time=_by_irrep(
            jumps.times, jumps.times * (rounding + jumps.relative), jumps.early, "time of the simulated jump"
        ),
        simulated_level=Quantity(
            np.resize(levels, SLOTS + 1),
            "plateau",
            floor=np.resize(rounding * levels[0] + left, SLOTS + 1),
            label="loss on the simulated plateau",
        ),
        large_ratio=_by_irrep(_jumps(coarse) / jumps.times, np.zeros(1), cell.spacing / jumps.times, "jump time / simulated"),
        large_time=_by_irrep(_jumps(coarse), np.zeros(1), np.full(1, cell.spacing), "time of the jump"),
        large_level=Quantity(np.resize(_levels(coarse), SLOTS + 1), "plateau", floor=rounding * levels[0], label="loss"),
    )


def _jumps(course: Trajectory) -> np.ndarray:
    """The median seed's jump times."""
    return np.median(np.asarray(jump_times(course)), axis=0)


def _levels(course: Trajectory) -> np.ndarray:
    """The median seed's loss where it is flattest."""
    return np.median(np.asarray(jax.jit(jax.vmap(plateaus))(course.losses, course.shares)[0]), axis=0)


def _by_irrep(values: np.ndarray, floor: np.ndarray, sampling: np.ndarray, label: str) -> Quantity:
    floor, sampling = np.resize(floor, SLOTS), np.resize(sampling, SLOTS)
    return Quantity(np.resize(values, SLOTS), "irrep", floor=floor, sampling=sampling, label=label)


CONTROLS = tuple(
    control(f"scale not small, {of}", "the limit holds at log(1/alpha) = 2 already", instead={of: instead})
    for of, instead in (("ratio", "large_ratio"), ("simulated_time", "large_time"), ("simulated_level", "large_level"))
)
RIVALS = (
    scaled(1.5, of="simulated_time", name="degree k", statement="a neuron is homogeneous of degree k = 2: t = 1 / (k U)"),
)
