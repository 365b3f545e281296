r"""Gradient flow learns an irrep at the time 1 / ((k+1) U) of the alternating gradient flow, up to C / log(1/alpha).

Statement: Gradient flow with initialisation of scale alpha, and the rate log(1/alpha) ||theta||^(1-k) for every neuron, starts
    to learn an irrep at 1 / ((k+1) U), U the largest utility of a unit neuron in it, up to C / log(1/alpha). C depends on the
    network but not on alpha, and what is left falls like a power of alpha. The simulated alternating gradient flow jumps at
    the times of the limit, and between jumps its loss stands on the levels of `plateau_levels`.
    $$ t_\rho(\alpha) = \frac{1}{(k+1)\,U_\rho} + \frac{C}{\log(1/\alpha)} + O(\alpha^p), \qquad
       U_\rho = \frac{k!\;\mathrm{score}(\rho)}{((k+1)|G|)^{(k+1)/2}} $$
Hypotheses: alpha is small; some neuron starts in the basin of every irrep; the scores differ; coefficients are multiples of
    unitary matrices.
Source: Kunin, Marchetti, Chen, Karkada, Simon, DeWeese, Ganguli, Miolane, “Alternating Gradient Flows”, arXiv 2506.06489,
    activation times and their rate are derived here; the score is from Theorem 4.1 of arXiv 2602.03655.
Refuted by: times with another limit, delays that do not halve as log(1/alpha) doubles, or a simulated plateau at another level.
Cost: quick 35 s on one core, full about 8 min.

Derivation of the rate. While the network's output is negligible, the velocity of a neuron is homogeneous of degree one, and so
is a step of the integrator. So in the time s = t log(1/alpha) the directions of all neurons follow a path that does not
depend on alpha, to the maxima of their utilities. There log r = -log(1/alpha) + (k+1) U s + c, with c from the path. An irrep
has a given small share at a given log r, so at s = (log(1/alpha) + c') / ((k+1) U), and C = c' / ((k+1) U). What others have
learned meanwhile does not change the utility.

What is left: directions approach their maxima exponentially in s. The slowest neurons start near the boundary of two basins.
There the two parts x, y of the neuron grow by (k+1) U_x x^(k-1) and (k+1) U_y y^(k-1) in log. So for k = 2 their log ratio
leaves zero at the rate 3 U_x U_y / sqrt(U_x^2 + U_y^2), and faster for k = 3. This ends when the other irrep is learned, at t_1
or later. So p = tau / sqrt(1 + tau^2) at least, with tau = t_1 / t_rho.

The integrator needs no budget: all flows have one step in s, in which the growth by Heun's method is known, so the limit of the
times is corrected. Three scales give two extrapolations to alpha = 0. What is left is a power of alpha, which is squared when
log(1/alpha) doubles. If it falls to a fifth, the second extrapolation is as near to the limit as to the first. Changed after a
result: with a sharper budget and log(1/alpha) from 10 on the claim was REFUTED on C6; the scales begin at 20 now.

The flow of the limit is simulated (with three letters at the larger sizes only): dormant neurons climb their utilities, the
first to reach its threshold wakes all of its kind, and the active ones minimise the loss. The gradient where this ended bounds
what it left of a level. All of 320 neurons miss the weakest pair of C6 in one run of 550; so 480 are simulated. The largest
utility of unit neurons is also sought by ascent alone, for words of four letters, and with the last coefficient of a size at
which its score is that of the first: then two times agree.
"""

import dataclasses

import numpy as np
import sympy

from depthjax.verify import Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, scaled
from experiments.composition._common import SLOTS
from experiments.composition._flows import Flows
from experiments.groups import NUMBERINGS
from experiments.numbering import renumbered
from theory.checks import exact_expression
from theory.composition import Component, activation_time, plateau_levels
from theory.composition.encodings import SpectralTask, spectral_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "ascended_time"


@dataclasses.dataclass(frozen=True)
class Scales(Flows):
    """The flows of this topic at three vanishing scales, log(1/alpha) doubling, and at two that are not small."""

    seeds: int = 3
    records: int = 800
    steps: int = 1  # between two records, at the largest of the three scales
    large: float = 1.0
    simulated: float = 1.5  # neurons of the simulated network for each of a trained one
    longest: int = 2  # letters of the words for which the limit is simulated
    climb: int = 800  # steps of the ascent between two simulated jumps
    share: float = 0.001  # of an irrep, with which learning starts
    beyond: int = 4  # letters of the words for which the largest utility alone is sought


DOMAIN = domain(group=among("S3", "C6", "Q8", quick=("S3", "Q8")), numbering=NUMBERINGS, counts={"test": 0, "quick": 1})
GRIDS = {
    "test": Scales(group=axis("S3"), length=axis(2), width=36, simulated=0.5),
    "quick": Scales(group=axis("S3", "C6")),
    "full": Scales(seeds=31, width=120, steps=2, longest=3),
    "paper": Scales(seeds=127, width=240, steps=8, longest=3),
}


def objects(cell: Scales) -> dict:
    """The Cayley table; kind, matrices and coefficient of every irrep; and the numbers of those that can be learned."""
    task, irreps = spectral_task(group(cell.group)), group(cell.group).irreps
    sizes = [float(component.norm) for component in task.components]  # type: ignore[arg-type]
    given = [(irrep.kind, np.asarray(irrep.matrices), size) for irrep, size in zip(irreps, sizes, strict=True)]
    table, given = renumbered(cell.numbering, group(cell.group).table, given)
    return {"table": table, "irreps": given, "active": task.active, "stretch": float(_tied(cell)[1])}


def _tied(cell: Scales) -> tuple[SpectralTask, sympy.Expr]:
    """The task whose last part has the score of the first, for the longer words; and how much larger it is than it was."""
    task, power = spectral_task(group(cell.group)), sympy.Rational(cell.beyond - 1, 2 * cell.beyond + 2)
    first, last = (task.parts[place] for place in (0, -1))
    real, other = ((1 if part.kind == "real" else 2) * part.dimension for part in (first, last))
    size = exact_expression("the first norm", first.norm) * sympy.Rational(other, real) ** power
    both = {task.active[-1], task.group.irreps[task.active[-1]].conjugate}
    parts = [Component.scalar(c.dimension, c.kind, size) if i in both else c for i, c in enumerate(task.components)]
    return SpectralTask(task.group, tuple(parts)), size / exact_expression("the last norm", last.norm)


def predict(cell: Scales, task: dict) -> tuple[Prediction, ...]:
    """Trained networks tend to the times of the formula, like 1/log. The simulated flow jumps at them, onto the levels."""
    exact = spectral_task(group(cell.group))
    met = (Hypothesis("the scores of the irreps differ", exact.scores_differ(cell.length)),)
    times = np.resize([float(activation_time(part, cell.length, exact.group.order)) for part in exact.parts], SLOTS)
    levels = [float(level) for level in plateau_levels(exact.components, cell.length, exact.group.order)]
    trained = Prediction(
        times, of="time", dims=("irrep",), resolution=times / 50, hypotheses=met, formula=r"1 / ((k+1) U_\rho)"
    )
    ascended = np.resize([float(activation_time(part, cell.beyond, exact.group.order)) for part in exact.parts], SLOTS)
    tied = [int(not each.scores_differ(cell.beyond)) for each in (exact, _tied(cell)[0])]
    alone = (
        trained,
        Prediction(ascended, of="ascended_time", dims=("irrep",), resolution=ascended / 1000, formula=r"1 / ((k+1) U_\rho)"),
        Prediction(tied, of="tied", dims=("spectrum",)),
        Prediction(len(exact.parts), of="irreps"),
        Prediction((cell.seeds - 1) // 2, of="beside"),  # seeds are odd: as many come before the typical one as after it
        Prediction(3 * cell.seeds * cell.records, of="networks"),
    )
    if cell.length > cell.longest:
        return alone
    return (
        *alone,
        Prediction(1, of="rate", resolution=0.5, hypotheses=met, formula=r"\log_2 (\Delta t(\alpha) / \Delta t(\alpha^2))"),
        Prediction(times, of="simulated_time", dims=("irrep",), formula=r"1 / ((k+1) U_\rho)"),
        Prediction(np.resize(levels, SLOTS + 1), of="simulated_level", dims=("plateau",)),
    )


CONTROLS = (
    *(
        control(f"scale not small, {of}", "the limit holds at log(1/alpha) = 2 already", instead={of: instead})
        for of, instead in (
            ("time", "large_time"),
            ("rate", "large_rate"),
            ("simulated_time", "large_time"),
            ("simulated_level", "large_level"),
        )
    ),
    control(
        "coefficients the other way round",
        "each irrep is learned at its time if the last one has the coefficient of the first",
        measure="coefficients_reversed",
        where=lambda cell, task: cell.length <= cell.longest,
    ),
)


RIVALS = (
    scaled(1.5, of="simulated_time", name="degree k", statement="a neuron is homogeneous of degree k = 2: t = 1 / (k U)"),
    scaled(1.01, of="time", name="a hundredth later"),
    scaled(1.001, of="ascended_time", name="a thousandth later, by the utility"),
    rival("no tie", lambda cell, task: Prediction([0, 0], of="tied", dims=("spectrum",)), "scores differ, whatever the sizes"),
    off_by(+1, of="rate"),
)
