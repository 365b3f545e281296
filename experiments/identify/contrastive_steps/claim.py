r"""Gradient descent on NCE and eNCE loses a factor e in e^(R^2/8) poly(R) steps; unit gradients take polynomially many in all.

Statement: Descent runs from the noise to the optimum for Gaussians at distance R. Near the optimum plain descent needs N_e
    steps for each factor e in distance, and lambda_min is known in closed form. Steps of length v along the unit gradient bring
    either loss below its largest value at distance v from the optimum within N_unit steps.
    $$ N_{e} = \frac{-1}{\ln(1-\eta\lambda_{\min})},\quad \lambda_{\min} = e^{-R^2/8}\,\mathrm{poly}(R),\qquad
       N_{\mathrm{unit}} \le \frac{R^2+R^4/4}{v^2} $$
Hypotheses: the noise is N(0, 1) and the data N(R, 1); descent starts at the noise with the step 1/lambda_max of the Hessian
    there, or with unit steps as long as the radius v of the ball that sets the level; 2 <= R <= 6, and v is 1/(2R) to 2/R.
Source: Liu, Rosenfeld, Ravikumar, Risteski, “Analyzing and improving the optimization landscape of noise-contrastive
    estimation”, arXiv 2110.11271, normalised descent on eNCE; that it cures NCE too, and the rates, are derived here.
Refuted by: another rate near the optimum, more unit steps than the bound, or fewer than the way is long (told for eNCE).
Cost: quick 6 s on one core, full about 30 s.

Derivation: `theory.identify.contrast`. Unit gradients work because the loss is convex: the cure is the normalisation, not the
loss. With v = 1/R the bound is R^4 + R^6/4; `contrastive_zigzag` predicts the numbers of steps, R^6 and R^4 ln R for eNCE.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, among, axis, claim, control, domain, real, rival
from experiments.identify.contrastive_steps.common import START
from theory.identify import contrast as exact

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Radii by loss, without those that take more than ``most`` steps; unit steps are this ``share`` of 1 / radius."""

    loss: str = axis("nce", "ence")
    radius: float = axis(2.0, 3.0, 4.0, 5.0, 6.0)
    most: int = 100_000
    share: float = 1.0

    def allows(self) -> bool:
        """Whether descent ends within ``most`` steps, by the rate near the optimum: 24 factors of e and a start."""
        return 24 * exact.descent_rate(self.radius, self.loss) < self.most

    @property
    def unit(self) -> float:
        """The length v of a step along the unit gradient."""
        return self.share / self.radius


DOMAIN = domain(loss=among("nce", "ence"), radius=real(2.0, 6.0), share=real(0.5, 2.0))
GRIDS = {
    "test": Sizes(loss=axis("ence"), radius=axis(2.0, 4.0)),
    "quick": Sizes(),
    "full": Sizes(most=1_000_000),
    "paper": Sizes(most=10_000_000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The rate, and that of longer steps; the upper bound for unit gradients, and for eNCE the length of their way."""
    rate = exact.descent_rate(cell.radius, cell.loss)
    # at distance r the curvature differs by a share of at most about r R, amplified by kappa along the flattest direction
    bend = START * cell.radius * exact.condition_number(cell.radius, cell.loss) * rate
    longer = float(-1 / np.log1p(-1.05 * exact.step_size(cell.radius) * exact.flattest_curvature(cell.radius, cell.loss)))
    most = (exact.travel(cell.radius) / cell.unit) ** 2
    found = (
        Prediction(rate, of="efold", truncation=bend, resolution=rate / 16),
        Prediction(longer, of="efold_longer", truncation=bend, resolution=rate / 16),
        Prediction(most, of="unit_steps", resolution=UNSHARP, relation=Relation.AT_MOST),
    )
    return found if cell.loss == "nce" else (*found, _way(cell))


def _way(cell: Sizes) -> Prediction:
    """The steps that lead from the noise to the nearest point below the level, for eNCE.

    Below the level s^2 / 8 is at most its logarithm, and |b - R s / 2| / 2 at most its inverse hyperbolic cosine.
    """
    angles = np.linspace(0, 2 * np.pi, 721)
    s, b = cell.unit * np.cos(angles), cell.unit * np.sin(angles)
    level = float((np.exp(s**2 / 8) * np.cosh(b / 2 - cell.radius * s / 4)).max()) * (1 + 1e-4)  # between the angles
    far = (8 * np.log(level)) ** 0.5
    reach = float(np.hypot(far, 2 * np.arccosh(level) + cell.radius * far / 2))
    least = max(exact.travel(cell.radius) - reach, 0.0) / cell.unit
    return Prediction(least, of="walked", resolution=UNSHARP, relation=Relation.AT_LEAST)


def _other(cell: Sizes) -> str:
    return "ence" if cell.loss == "nce" else "nce"


def _at_least(cell: Sizes) -> tuple[Prediction, ...]:
    """No fewer than the way is long, on eNCE, and no more than are tried; whether they land there by chance is not known."""
    most = Prediction(cell.most, of="unit_steps", relation=Relation.AT_MOST, resolution=UNSHARP)
    if cell.loss == "nce":
        return (most,)
    way = _way(cell)
    return most, dataclasses.replace(way, of="unit_steps", value=float(np.asarray(way.value)) / 8)


CONTROLS = (
    control("longer steps", "a step longer by a twentieth changes no rate", instead={"efold": "efold_longer"}),
    control(
        "longer unit steps",
        "unit steps of eight times the radius come below the level",
        measure="longer_unit_steps",
        finds=_at_least,
        everywhere=False,  # some happen to land there
    ),
)


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
