r"""Unit gradient steps zigzag to the optimum: R^6 of them for NCE, R^4 ln R for eNCE, and their number is predicted.

Statement: Steps of length v = 1/R along the unit gradient lead from the noise N(0, 1) towards the data N(R, 1), along a ravine
    of length about R^2/2. They jump across its floor and back, in a cycle whose width v cos(phi) and gain v sin(phi) follow
    from the two slopes at its ends. So the number of steps until the loss is below its largest value at distance v from the
    optimum is an integral along the floor, up to a share of order 1/R.
    $$ N = \int \frac{dl}{v \sin\varphi},\quad \tan\varphi = \frac{|\partial_l L|}{|\partial_y L|},\qquad
       N_{\mathrm{NCE}} \asymp R^6,\quad N_{\mathrm{eNCE}} \sim \tfrac{\tanh(1/8)}{4} R^4 \ln R $$
Hypotheses: the steps have length 1/R and start at the noise; R >= 7.5, where a step crosses the floor well
    before the level is reached (below, descents take up to 28 % fewer steps); judged up to R = 16.
Source: this project, “derived in experiments.identify.contrastive_zigzag.ravine”; normalised descent: Liu, Rosenfeld,
    Ravikumar, Risteski, arXiv 2110.11271.
Refuted by: a number of steps, or an exponent between the smallest and the largest R, that differs by more than a share 1/(2R).
Cost: quick 10 s on one core, full about a minute.

The bound R^4 + R^6/4 of `contrastive_steps` holds for every convex loss. NCE needs its exponent, because its ravine is flatter
than that of eNCE by a factor R^2. The exponents at finite R are not yet the limits 6 and 4: from R = 8 to 16 they are 5.46 and
3.95, with the logarithm. The limits are derived and not measured.

The budget 1/(2R) is 3 % at R = 16 and 7 % at 7.5: a number of steps that is wrong by three in a hundred is not noticed, one
that is wrong by a tenth is.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, real, rival, scaled
from experiments.identify.contrastive_zigzag.common import exponent
from experiments.identify.contrastive_zigzag.ravine import unit_steps
from theory.identify.contrast import travel

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The loss; distances from `near` to `far`, each `ratio` times the one before; points of the grid of the integrals."""

    loss: str = axis("nce", "ence")
    near: float = 8.0
    ratio: float = 2.0
    count: int = 2
    points: int = 512

    @property
    def radii(self) -> np.ndarray:
        """The distances."""
        return self.near * self.ratio ** np.arange(self.count)


DOMAIN = domain(loss=among("nce", "ence"), near=real(7.5, 8.0), ratio=real(1.6, 2.0), count=among(2))
GRIDS = {
    "test": Sizes(loss=axis("ence")),
    "quick": Sizes(),
    "full": Sizes(ratio=2**0.25, count=5),
    "paper": Sizes(ratio=2**0.125, count=9),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The numbers of steps, and the exponent between the first and the last; the next term is a share 1/(2R)."""
    steps = np.array([unit_steps(float(radius), cell.loss) for radius in cell.radii])
    share = 1 / (2 * cell.radii)
    return (
        Prediction(steps, of="steps", dims=("radius",), truncation=steps * share, resolution=steps / 4),
        Prediction(
            exponent(cell.radii, steps),
            of="exponent",
            truncation=float((share[0] + share[-1]) / np.log(cell.radii[-1] / cell.radii[0])),
            resolution=0.5,
        ),
    )


def _all(cell: Sizes, steps: np.ndarray) -> Prediction:
    return Prediction(steps, of="steps", dims=("radius",), truncation=steps / (2 * cell.radii))


CONTROLS = (
    control("longer steps", "steps longer by a quarter are as many", measure="longer"),
    control("the other loss", "both losses take as many steps", measure="other"),
)


RIVALS = (
    scaled(1.25, of="steps", name="a quarter more"),
    scaled(1.1, of="steps", name="a tenth more"),
    rival(
        "straight to the optimum",
        lambda cell: _all(cell, np.array([travel(radius) * radius for radius in cell.radii])),
        "steps do not zigzag, so that R^3/2 of them are enough",
    ),
    rival(
        "the bound",
        lambda cell: _all(cell, np.array([(travel(radius) * radius) ** 2 for radius in cell.radii])),
        "the bound R^4 + R^6/4 is the number",
    ),
)
