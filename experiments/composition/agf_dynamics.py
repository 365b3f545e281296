r"""Each irrep is learned when the alternating gradient flow says: at 1 / ((k+1) U), not only in that order.

Statement: with the rate log(1/alpha) ||theta||^{1-k} for every neuron, the jump of an irrep comes, as alpha vanishes, at

    t_rho = 1 / ((k+1) U_rho),    U_rho = k! (k+1)^{-(k+1)/2} |G|^{-(k+1)/2} score(rho),

because a dormant neuron aligns at once, grows by (k+1) U log(1/alpha) in log norm, and is active when that has made up for
alpha; what others have learned meanwhile does not change its utility. Two comparisons: the flow of the limit, *simulated*
(dormant neurons climb their utilities, the first to reach its threshold wakes all of its kind, the active ones minimise the
loss), has jumps at these times and stands between them on the levels of `plateau_levels`; *trained* networks have the
simulated jump times in the limit. They approach it like 1/log(1/alpha): jump times at three scales are extrapolated to zero;
the budget is the change between the last two extrapolations, the spacing of the records, and the step's error. The levels
have what minimisation may have left, by the gradient where it ended (`depthjax.training.alternating.Staircase.left`). It was a
constant 1e-12, from an assumed curvature, which some seeds passed.

Source: alternating gradient flow, arXiv 2506.06489, and Theorem 4.1 of 2602.03655; activation times derived here. Refuted
by: jump times with another limit. Cost: 20 s on a CPU.
"""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.training.alternating import Staircase, alternating_flow
from depthjax.training.flow import jump_times
from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.composition._learning import SLOTS, Flows, LearningTask, course, learning_task
from theory.composition import activation_time, plateau_levels

CLAIM = Claim(
    slug="agf_dynamics",
    title="Irreps are learned at the times 1 / ((k+1) U) of the alternating gradient flow",
    statement=(
        "As the scale alpha of the initialisation vanishes, gradient flow with the rate log(1/alpha) ||theta||^(1-k) jumps "
        "when the simulated alternating gradient flow does, which is at 1 / ((k+1) U) for an irrep with largest utility U "
        "of a unit neuron."
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
    cost="20 s on a CPU",
    needs_float64=True,
)


SIMULATED = 3, 2
"""Neurons of the simulated network to those of a trained one. It is simulated once, and where no neuron starts in the basin of
an irrep the statement says nothing. Of 4000 directions 78 lead to the weakest pair of C6: all of 320 neurons miss it in one run
of 550, which happened, all of 480 in one of 13,000. (The two networks had the same size.)
"""


@dataclasses.dataclass(frozen=True)
class Scales(Flows):
    """The flows of this topic at three vanishing scales, log(1/alpha) doubling, and at one that is not small."""

    length: int = 2
    seeds: int = 4
    records: int = 800
    steps: int = 2
    log_scale: float = 10.0
    large: float = 2.0


GRIDS = {"quick": Scales(), "full": Scales(seeds=64, width=120, steps=6), "paper": Scales(seeds=128, width=240, steps=12)}

setting = learning_task


def predict(cell: Scales, task: LearningTask) -> tuple[Prediction, ...]:
    """The simulated flow jumps at the times of the formula, onto the levels; trained networks jump when it does."""
    levels = [float(level) for level in plateau_levels(task.every, cell.length, len(task.table))]
    return (
        Prediction(1, of="ratio", hypotheses=task.hypotheses(cell.length), formula=r"t / t_{\mathrm{simulated}}"),
        _times(cell, task, 1),
        Prediction(np.resize(levels, SLOTS + 1), of="simulated_level", dims=("plateau",)),
    )


def _times(cell: Scales, task: LearningTask, factor: float, of: str = "simulated_time") -> Prediction:
    times = [factor * float(activation_time(component, cell.length, len(task.table))) for component in task.components]
    return Prediction(np.resize(times, SLOTS), of=of, dims=("irrep",), formula=CLAIM.latex)


def measure(cell: Scales, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """A simulated flow; and the median seed's jump times, extrapolated to a vanishing scale, over the simulated ones."""
    trained, simulated = jax.random.split(key)
    neurons = cell.neurons * SIMULATED[0] // SIMULATED[1]
    staircase = alternating_flow(simulated, jnp.asarray(task.parts), jnp.asarray(task.table), length=cell.length, width=neurons)
    learned, used_up = staircase.learned(), not staircase.asleep
    # without a neuron that starts in the basin of an irrep nothing is said of it
    learned = np.where(np.isinf(learned) & used_up, np.nan, learned)
    times = [_jumps(cell, trained, task, cell.log_scale * 2**level) for level in range(3)]
    # an error proportional to 1 / log(1/alpha) halves from one to the next, and so does what is left of it
    first, second = (2 * finer - coarser for coarser, finer in itertools.pairwise(times))
    spacing = task.horizon / cell.records
    # a jump time is known to the spacing of the records, and enters an extrapolation with weights 2 and -1
    sampling = np.abs(second - first) + 3 * spacing
    # what Heun's step leaves out of exponential growth: z^2 / 6 of the rate, z = log(1/alpha) dt / t at the finest scale
    growth = 4 * cell.log_scale * spacing / cell.steps / second
    ratios = _ratios(second, sampling, 2 * second * growth**2 / 6, learned)
    levels, left = _by_plateau(staircase, len(task.components) + 1)
    # sums of squares over all words, and what minimisation leaves
    rounding = rounding_floor(len(task.table) ** (cell.length + 1), task.parts.dtype)
    floors = rounding * levels[0] + left
    simulation = xr.Dataset(
        {
            "simulated_time": ("irrep", np.resize(learned, SLOTS), {"long_name": "time of the simulated jump"}),
            "simulated_time_sampling": ("irrep", np.resize(_doubts(staircase, learned), SLOTS)),
            "simulated_time_floor": ("irrep", np.resize(learned * (rounding + _wrong(staircase, learned)), SLOTS)),
            "simulated_level": ("plateau", np.resize(levels, SLOTS + 1), {"long_name": "loss on the simulated plateau"}),
            "simulated_level_floor": ("plateau", np.resize(floors, SLOTS + 1)),
        }
    )
    return ratios.merge(simulation)


def _by_plateau(staircase: Staircase, plateaus: int) -> tuple[np.ndarray, np.ndarray]:
    """Losses on so many plateaus and what minimisation may leave of each; the last one lasts, unless neurons were used up."""
    lasting = np.nan if not staircase.asleep and len(staircase.losses) < plateaus else staircase.losses[-1]
    missing = max(plateaus - len(staircase.losses), 0)
    levels = np.append(staircase.losses, np.full(missing, lasting))[:plateaus]
    return levels, np.pad(np.append(0.0, staircase.left), (0, missing))[:plateaus]


def _wrong(staircase: Staircase, learned: np.ndarray) -> np.ndarray:
    """Relative size of what minimisation has left in the residual when each irrep is learned: a utility is linear in it.

    Losses are half squares of residuals. Of all earlier minimisations the worst counts, as neurons grow from the start.
    """
    before = np.append(0.0, staircase.left)[:-1]
    sizes = np.sqrt(np.maximum.accumulate(before) / staircase.losses[:-1])
    return np.array([sizes[staircase.times <= time].max(initial=0.0) for time in learned])


def _doubts(staircase: Staircase, learned: np.ndarray) -> np.ndarray:
    """How much earlier each of these jumps may come."""
    return np.array([staircase.doubts[staircase.times == time].max(initial=0.0) for time in learned])


def _jumps(cell: Scales, key: jax.Array, task: LearningTask, log_scale: float) -> np.ndarray:
    return np.median(np.asarray(jump_times(course(cell, key, task, log_scale))), axis=0)


def _ratios(times: np.ndarray, sampling: np.ndarray, floor: np.ndarray, simulated: np.ndarray) -> xr.Dataset:
    columns = {"ratio": times / simulated, "ratio_sampling": sampling / simulated, "ratio_floor": floor / simulated}
    dataset = xr.Dataset({name: ("irrep", np.resize(values, SLOTS)) for name, values in columns.items()})
    dataset["ratio"].attrs["long_name"] = "trained jump time / simulated"
    return dataset


def _large(cell: Scales, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """Jump times at a scale that is not small, to the spacing of the records."""
    times = _jumps(cell, key, task, cell.large)
    spacing = np.full(SLOTS, task.horizon / cell.records)
    return xr.Dataset({"time": ("irrep", np.resize(times, SLOTS)), "time_sampling": ("irrep", spacing)})


CONTROLS = (
    Control(
        "scale not small",
        "the limit holds at log(1/alpha) = 2 already",
        lambda cell, task: _times(cell, task, 1, of="time"),
        _large,
    ),
    Control(
        "degree k",
        "a neuron is homogeneous of degree k: t = 1 / (k U)",
        lambda cell, task: _times(cell, task, (cell.length + 1) / cell.length),
    ),
)
