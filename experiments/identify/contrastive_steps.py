r"""Gradient descent on NCE and eNCE takes e^(R^2/8) poly(R) steps; unit gradients take at most (R^2 + R^4/4)/v^2.

Statement: Descent runs from the noise to the optimum for Gaussians at distance R. Near the optimum plain descent needs N_e
    steps for each factor e in distance, and lambda_min is known in closed form. From distance 1/10 to 10^-7 it needs
    exponentially many steps in R^2/8 for either loss: at least ln(..)/-ln(1 - eta Lambda), where Lambda is the largest
    curvature there. Steps of length v along the unit gradient bring either loss below its largest value at distance v from the
    optimum within N_unit steps.
    $$ N_{e} = \frac{-1}{\ln(1-\eta\lambda_{\min})},\quad \lambda_{\min} = e^{-R^2/8}\,\mathrm{poly}(R),\qquad
       N_{\mathrm{unit}} \le \frac{R^2+R^4/4}{v^2} $$
Hypotheses: the noise is N(0, 1) and the data N(R, 1); descent starts at the noise with the step 1/lambda_max of the Hessian
    there.
Source: Liu, Rosenfeld, Ravikumar, Risteski, “Analyzing and improving the optimization landscape of noise-contrastive
    estimation”, arXiv 2110.11271, normalised descent on eNCE; that it cures NCE too, and the rates, are derived here.
Refuted by: another rate near the optimum, fewer steps than the lower bound, or more unit steps than the upper one.
Cost: 10 s on a CPU.

Derivation: `theory.identify.contrast`. Unit gradients work because the loss is convex: the cure is the normalisation, not the
loss.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.panels import COLOURS, GREY, MARKERS
from depthjax.probe import contrast
from depthjax.verify import (
    UNSHARP,
    Grid,
    Picture,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    rival,
)
from theory.identify import contrast as exact

CLAIM = claim(Relation.EQUALS, needs_float64=True)

START, END = 0.1, 1e-7  # distances between which steps are counted
LATE = 0.05  # the first iterate below START is not below this: steps are short there


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Radii by loss; those that would take more than ``most`` steps are left out."""

    loss: str = axis("nce", "ence")
    radius: float = axis(2.0, 3.0, 4.0, 5.0, 6.0)
    most: int = 80_000

    def allows(self) -> bool:
        """Whether descent ends within ``most`` steps, by the rate near the optimum: 20 factors of e and a start."""
        return 20 * exact.descent_rate(self.radius, self.loss) < self.most

    @property
    def unit(self) -> float:
        """The length v of a step along the unit gradient."""
        return 1 / self.radius


GRIDS = {
    "test": Sizes(loss=axis("ence"), radius=axis(2.0, 4.0)),
    "quick": Sizes(),
    "full": Sizes(most=1_000_000),
    "paper": Sizes(most=10_000_000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The rate; the lower bound for plain gradients and the upper one for unit gradients."""
    rate = exact.descent_rate(cell.radius, cell.loss)
    curvature = exact.largest_curvature(cell.radius, START, cell.loss)
    fewest = float(np.log(LATE / END) / -np.log1p(-exact.step_size(cell.radius) * curvature))
    # at distance r the curvature differs by a share of at most about r R, which the flattest direction feels kappa-fold
    bend = END * cell.radius * exact.condition_number(cell.radius, cell.loss) * rate
    return (
        Prediction(rate, of="efold", truncation=bend, resolution=rate / 4),
        Prediction(fewest, of="steps", resolution=UNSHARP, relation=Relation.AT_LEAST),
        Prediction(LATE, of="entry", resolution=UNSHARP, relation=Relation.AT_LEAST),
        Prediction(
            (exact.travel(cell.radius) / cell.unit) ** 2, of="unit_steps", resolution=UNSHARP, relation=Relation.AT_MOST
        ),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Both descents, counted; a whole step is the resolution of a count."""
    start, end, beyond, entry = _plain(cell)
    unit = _descent(cell, cell.unit, normalised=True)
    return measured(
        efold=Quantity(beyond - end, floor=1.0, label="steps until the distance falls by e"),
        steps=Quantity(end - start, floor=0.0, label="steps from distance 0.1 to 1e-7"),
        entry=Quantity(entry, floor=0.0, label="first distance below 0.1"),
        unit_steps=Quantity(float(unit.level_steps), floor=0.0, label="unit steps to the level"),
    )


def _longer_step(cell: Sizes, key: jax.Array) -> xr.Dataset:
    _, end, beyond, _ = _plain(cell, factor=1.5)
    return measured(efold=Quantity(beyond - end, floor=1.0))


def _plain(cell: Sizes, factor: float = 1.0) -> tuple[float, float, float, float]:
    """Steps of plain descent to the distances START, END, END / e, and the first distance below START."""
    position = -jnp.array([cell.radius, cell.radius**2 / 2])
    at_noise = contrast.curvature(position, jnp.asarray(cell.radius), cell.loss)[1] * np.exp(-(cell.radius**2) / 8)
    found = _descent(cell, factor / float(np.linalg.eigvalsh(at_noise)[-1]))
    start, end, beyond = map(float, found.steps)
    return start, end, beyond, float(found.distances[0])


def _descent(cell: Sizes, step: float, *, normalised: bool = False) -> contrast.Descent:
    marks = jnp.array([START, END, END / np.e])
    radius, pace, unit, limit = (jnp.asarray(value) for value in (cell.radius, step, cell.unit, float(cell.most)))
    return contrast.descend(radius, pace, marks, unit, limit, loss=cell.loss, normalised=normalised)


def _other(cell: Sizes) -> str:
    return "ence" if cell.loss == "nce" else "nce"


CONTROLS = (control("longer steps", "a step half as long again changes no rate", measure=_longer_step),)
RIVALS = (
    rival(
        "exp(R^2/8) alone",
        lambda cell: Prediction(float(np.exp(cell.radius**2 / 8)), of="efold"),
        "the steps are e^(R^2/8), without a polynomial factor",
    ),
    rival(
        "losses exchanged",
        lambda cell: Prediction(exact.descent_rate(cell.radius, _other(cell)), of="efold"),
        "the two losses have each other's rate",
    ),
    rival(
        "conditioning alone",
        lambda cell: Prediction(exact.condition_number(cell.radius, cell.loss), of="efold"),
        "the condition number at the optimum is the number of steps",
    ),
    rival(
        "R^2 unit steps",
        lambda cell: Prediction(cell.radius**2, of="unit_steps", relation=Relation.AT_MOST),
        "R^2 unit steps are enough, whatever their length",
        everywhere=False,
    ),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Steps by squared distance: straight lines are exponential in R^2."""
    axes, radius = figure.subplots(), dataset["radius"].to_numpy()
    for loss, colour, marker in zip(dict.fromkeys(dataset["loss"].to_numpy().tolist()), COLOURS, MARKERS, strict=False):
        found = dataset.isel(cell=np.flatnonzero(dataset["loss"] == loss))
        squares, label = found["radius"] ** 2, {"nce": "NCE", "ence": "eNCE"}[loss]
        curve = np.linspace(float(found["radius"].min()), float(found["radius"].max()), 12)
        axes.semilogy(squares, found["efold"], marker, color=colour, label=f"{label}, plain: a factor e")
        axes.semilogy(curve**2, [exact.descent_rate(r, loss) for r in curve], color=colour, lw=1)
        axes.semilogy(squares, found["unit_steps"], marker, color=colour, mfc="none", label=f"{label}, unit steps to the level")
    curve = np.linspace(2, radius.max(), 30)
    axes.semilogy(curve**2, curve**4 + curve**6 / 4, ":", color=GREY, label="bound on unit steps")
    axes.set(xlabel="R²", ylabel="steps", title="points: measured; lines: predicted")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.2, _draw),)
