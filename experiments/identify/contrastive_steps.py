r"""Gradient descent on noise contrast needs exp(R^2/8) poly(R) steps for either loss; unit gradients need polynomially many.

Statement: Gaussians at distance R, from the noise, step 1/lambda_max there.

- Near the optimum the distance falls by e in -1/log(1 - step * lambda_min) steps, lambda_min = e^{-R^2/8} poly(R) in closed
  form.
- From distance 1/10 to 10^-7 at least log(..)/-log(1 - step * Lambda) steps are needed, Lambda the largest curvature there:
  for both losses exponentially many in R^2/8.
- Steps of length v along the unit gradient bring *either* loss under its largest value at distance v from the optimum within
  (R^2 + R^4/4)/v^2 steps, because the loss is convex. The cure is the normalisation, not the loss.

Derivation: `theory.identify.contrast`. Source: Liu, Rosenfeld, Ravikumar, Risteski (normalised descent on eNCE); that it cures
NCE too, and the rates, are derived here. Refuted by: another rate, or a bound passed. Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import contrast
from depthjax.verify import UNSHARP, Claim, Control, Grid, Picture, Prediction, Relation, axis
from experiments.identify.contrastive_conditioning import SOURCE
from theory.identify import contrast as exact

START, END = 0.1, 1e-7  # distances between which steps are counted
LATE = 0.05  # the first iterate below START is not below this: steps are short there

CLAIM = Claim(
    slug="contrastive_steps",
    title="Gradient descent on NCE and eNCE takes e^(R^2/8) poly(R) steps; unit gradients take at most (R^2 + R^4/4)/v^2",
    statement=(
        "From the noise, gradient descent on either loss takes exponentially many steps in R^2/8, with a rate near the optimum "
        "that is known in closed form; steps of length v along the unit gradient take at most (R^2 + R^4/4)/v^2, for either."
    ),
    latex=r"N_{e} = \frac{-1}{\ln(1-\eta\lambda_{\min})},\quad \lambda_{\min} = e^{-R^2/8}\,\mathrm{poly}(R),\qquad "
    r"N_{\mathrm{unit}} \le \frac{R^2+R^4/4}{v^2}",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=("noise N(0, 1), data N(R, 1)", "descent starts at the noise with the step 1/lambda_max of the Hessian there"),
    refuted_by="another rate near the optimum, fewer steps than the lower bound, or more unit steps than the upper one",
    cost="10 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Radii by loss; those that would take more than `most` steps are left out."""

    loss: str = axis("nce", "ence")
    radius: float = axis(2.0, 3.0, 4.0, 5.0, 6.0)
    most: int = 80_000

    def allows(self) -> bool:
        """Whether descent ends within `most` steps, by the rate near the optimum: 20 factors of e and a start."""
        return 20 * exact.descent_rate(self.radius, self.loss) < self.most


GRIDS = {"quick": Sizes(), "full": Sizes(most=1_000_000), "paper": Sizes(most=10_000_000)}


def setting(cell: Sizes) -> dict:
    """The two step sizes: 1/lambda_max at the noise, and 1/R for unit gradients."""
    return {"step": exact.step_size(cell.radius), "length": 1 / cell.radius}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The rate; the lower bound for plain, the upper one for unit gradients."""
    rate = exact.descent_rate(cell.radius, cell.loss)
    # at distance r the curvature differs by a share of at most about r R, which the flattest direction feels kappa-fold
    bend = END * cell.radius * exact.condition_number(cell.radius, cell.loss) * rate
    return (
        Prediction(rate, of="efold", truncation=bend, resolution=rate / 4),
        Prediction(_fewest(cell, given), of="steps", resolution=UNSHARP, relation=Relation.AT_LEAST),
        Prediction(LATE, of="entry", resolution=UNSHARP, relation=Relation.AT_LEAST),
        Prediction(_most_unit(cell, given), of="unit_steps", resolution=UNSHARP, relation=Relation.AT_MOST),
    )


def _fewest(cell: Sizes, given: dict) -> float:
    curvature = exact.largest_curvature(cell.radius, START, cell.loss)
    return float(np.log(LATE / END) / -np.log1p(-given["step"] * curvature))


def _most_unit(cell: Sizes, given: dict) -> float:
    return (exact.travel(cell.radius) / given["length"]) ** 2


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Both descents, counted; a whole step is the resolution of a count."""
    numbers = [jnp.asarray(value) for value in (cell.radius, given["step"], given["length"], float(cell.most))]
    radius, step, length, most = numbers
    marks = jnp.array([START, END, END / np.e])
    plain = contrast.descend(radius, step, marks, length, most, loss=cell.loss)
    unit = contrast.descend(radius, length, marks, length, most, loss=cell.loss, normalised=True)
    steps, entry = np.asarray(plain.steps), float(plain.distances[0])
    return xr.Dataset(
        {
            "efold": ((), float(steps[2] - steps[1]), {"long_name": "steps until the distance falls by e"}),
            "efold_floor": ((), 1.0),
            "steps": ((), float(steps[1] - steps[0]), {"long_name": "steps from distance 0.1 to 1e-7"}),
            "entry": ((), entry, {"long_name": "first distance below 0.1"}),
            "unit_steps": ((), float(unit.level_steps), {"long_name": "unit steps to the level"}),
            "plain_level_steps": ((), float(plain.level_steps), {"long_name": "plain steps to the level"}),
        }
    )


def _draw(place, dataset: xr.Dataset) -> None:
    """Steps by squared distance: straight lines are exponential in R^2."""
    axis = place.subplots()
    cells = [dict(part.split("=") for part in str(name).split(",")) for name in dataset["cell"].to_numpy()]
    for loss, colour, marker in (("nce", "#0072B2", "o"), ("ence", "#D55E00", "s")):
        index = [i for i, cell in enumerate(cells) if cell["loss"] == loss]
        radii = np.array([float(cells[i]["radius"]) for i in index])
        curve = np.linspace(radii.min(), radii.max(), 12)
        label = {"nce": "NCE", "ence": "eNCE"}[loss]
        steps = dataset["efold"].to_numpy()[index], dataset["unit_steps"].to_numpy()[index]
        axis.semilogy(radii**2, steps[0], marker, color=colour, label=f"{label}, plain: a factor e")
        axis.semilogy(curve**2, [exact.descent_rate(r, loss) for r in curve], color=colour, lw=1)
        axis.semilogy(radii**2, steps[1], marker, color=colour, mfc="none", label=f"{label}, unit steps to the level")
    curve = np.linspace(2, max(float(cell["radius"]) for cell in cells), 30)
    axis.semilogy(curve**2, curve**4 + curve**6 / 4, ":", color="#8a8a8a", label="bound on unit steps")
    axis.set(xlabel="R²", ylabel="steps", title="points: measured; lines: predicted")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))


PICTURES = (Picture(3.2, _draw),)


def _other(cell: Sizes) -> str:
    return "ence" if cell.loss == "nce" else "nce"


CONTROLS = (
    Control(
        "exp(R^2/8) alone",
        "the steps are e^(R^2/8), without a polynomial factor",
        lambda cell, given: Prediction(float(np.exp(cell.radius**2 / 8)), of="efold"),
    ),
    Control(
        "losses exchanged",
        "the two losses have each other's rate",
        lambda cell, given: Prediction(exact.descent_rate(cell.radius, _other(cell)), of="efold"),
    ),
    Control(
        "conditioning alone",
        "the condition number at the optimum is the number of steps",
        lambda cell, given: Prediction(exact.condition_number(cell.radius, cell.loss), of="efold"),
    ),
    Control(
        "R^2 unit steps",
        "R^2 unit steps are enough, whatever their length",
        lambda cell, given: Prediction(cell.radius**2, of="unit_steps", relation=Relation.AT_MOST),
        everywhere=False,
    ),
)
