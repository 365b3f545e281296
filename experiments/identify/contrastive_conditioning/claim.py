r"""Between Gaussians at distance R the condition number at the optimum grows like R^6/(16 pi^2) for NCE, like R^4/16 for eNCE.

Statement: For noise N(0, 1), data N(R, 1) and the exponential family of unit Gaussians with a free normaliser, the condition
    number of the Hessian at the optimum is known for every R, with V = 1 for eNCE and V the variance of phi(u)/cosh(R u/2) for
    NCE. Where the model is the noise both Hessians are [[2 + R^2, -R], [-R, 2]]/8.
    $$ \kappa = \Bigl(\tfrac{t+\sqrt{t^2-4}}{2}\Bigr)^{2},\quad t = \frac{1+R^2/4+V}{\sqrt V},\qquad \kappa_{\mathrm{NCE}}
       \sim \frac{R^6}{16\pi^2},\; \kappa_{\mathrm{eNCE}} \sim \frac{R^4}{16} $$
Hypotheses: the noise is N(0, 1), the data N(R, 1), and the model exp(-x^2/2 + theta x - alpha); R from 1/4
    on (condition numbers up to 12, their growth up to 136).
Source: Liu, Rosenfeld, Ravikumar, Risteski, “Analyzing and improving the optimization landscape of noise-contrastive
    estimation”, arXiv 2110.11271, losses and their flatness; condition numbers and rates are derived here.
Refuted by: a condition number at some R, an exponent, or a leading constant that is off by more than half a percent.
Cost: quick 3 s on one core, full about 20 s.

Derivation: `theory.identify.contrast`.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, real, rival, scaled
from experiments.identify.contrastive_conditioning.between import condition, hessian
from theory.identify import contrast as exact

CLAIM = claim(Relation.EQUALS, needs_float64=True)
ELSEWHERE = 1 / 16  # of the way from the optimum to the noise, or back: where Hessians are taken beside these


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Condition numbers at this many ``radii``, from ``first`` on; the order on ``onset``, onset sqrt(2), ..."""

    loss: str = axis("nce", "ence")
    radii: int = 9
    orders: int = 9
    first: float = 2.0
    onset: float = 8.0

    @property
    def near(self) -> np.ndarray:
        """The radii, one apart, at which condition numbers are compared."""
        return self.first + np.arange(self.radii, dtype=float)

    @property
    def at_noise(self) -> np.ndarray:
        """Those where the grid, which ends at u = 12, holds the data at u = R/2 with eight standard deviations."""
        return self.near[self.near <= 8]

    @property
    def far(self) -> np.ndarray:
        """The radii from which the order is read off."""
        return self.onset * 2.0 ** (np.arange(self.orders) / 2)


DOMAIN = domain(first=real(0.25, 4.0), onset=real(8.0, 8.5))
GRIDS = {"test": Sizes(), "quick": Sizes(), "full": Sizes(radii=12), "paper": Sizes(radii=12)}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Condition numbers by quadrature to 30 digits; exponent and constant of their growth; the Hessian at the noise."""
    exponent, factor = exact.leading_condition(cell.loss)
    noise = np.array([exact.noise_curvature(radius) for radius in cell.at_noise])
    return (
        _conditions(cell, cell.loss),
        # distances grow by sqrt(2) only: this constant is told from one half as large again, the next one from 1.01 times it
        Prediction(exponent, of="inverse_condition", relation=Relation.ORDER, constant=1 / factor, constant_resolution=0.5),
        _leading(cell, factor * cell.far[-1] ** exponent),
        Prediction(noise, of="at_noise", dims=("near", "row", "column")),
        *_elsewhere(cell),
    )


def _elsewhere(cell: Sizes) -> tuple[Prediction, ...]:
    """The condition numbers and the Hessians a sixteenth of the way from the optimum, and from the noise."""
    values, errors = _conditions_elsewhere(cell, cell.near)
    far, far_errors = _conditions_elsewhere(cell, cell.far)
    noise = [np.exp(-(radius**2) / 8) * hessian(radius, 1 - ELSEWHERE, cell.loss) for radius in cell.at_noise]
    return (
        Prediction(values, of="condition_elsewhere", dims=("radius",), truncation=errors),
        Prediction(
            1 / far, of="inverse_condition_elsewhere", dims=("step",), relation=Relation.EQUALS, truncation=far_errors / far**2
        ),
        Prediction(np.array(noise), of="at_noise_elsewhere", dims=("near", "row", "column")),
    )


def _conditions_elsewhere(cell: Sizes, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The condition numbers a sixteenth of the way from the optimum, and what rounding may add to them."""
    return tuple(np.array([condition(hessian(radius, ELSEWHERE, cell.loss)) for radius in radii]).T)


def _leading(cell: Sizes, power: float) -> Prediction:
    """The condition number at the farthest distance by the leading term; the next one is a share of at most 28/R^2."""
    return Prediction(power, of="farthest", truncation=power * 32 / cell.far[-1] ** 2)


def _conditions(cell: Sizes, loss: str) -> Prediction:
    values = [exact.condition_number(radius, loss) for radius in cell.near]
    return Prediction(values, of="condition", dims=("radius",), formula=r"\bigl((t+\sqrt{t^2-4})/2\bigr)^2")


def _other(cell: Sizes) -> str:
    return "ence" if cell.loss == "nce" else "nce"


CONTROLS = tuple(
    control(
        f"{name}: a sixteenth of the way", f"{name} is the same a sixteenth of the way on", instead={name: f"{name}_elsewhere"}
    )
    for name in ("condition", "inverse_condition", "at_noise")
)


RIVALS = (
    scaled(1.03, of="farthest", name="a leading constant larger by three in a hundred"),
    rival(
        "exponents exchanged",
        lambda cell: Prediction(exact.leading_condition(_other(cell))[0], of="inverse_condition", relation=Relation.ORDER),
        "NCE has order 4 and eNCE order 6",
    ),
    rival(
        "exp(R)",
        lambda cell: Prediction(np.exp(cell.near), of="condition", dims=("radius",)),
        "the condition number grows exponentially",
    ),
    rival(
        "losses exchanged",
        lambda cell: _conditions(cell, _other(cell)),
        "the two losses have each other's condition numbers",
    ),
)
