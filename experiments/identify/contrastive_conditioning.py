r"""How badly conditioned noise contrast is for two Gaussians at distance R: R^6/(16 pi^2) for NCE, R^4/16 for eNCE.

Statement: for noise N(0, 1), data N(R, 1) and the exponential family of unit Gaussians with a free normaliser, the Hessian at
the optimum has the condition number ((t + sqrt(t^2 - 4))/2)^2, t = (1 + R^2/4 + V)/sqrt(V), with V = 1 for eNCE and V the
variance of phi(u)/cosh(R u/2) for NCE. As R grows it is R^4/16 and R^6/(16 pi^2). At the noise both losses have the Hessian
[[2 + R^2, -R], [-R, 2]]/8.

Derivation: `theory.identify.contrast`. Source: Liu, Rosenfeld, Ravikumar, Risteski for the losses and their flatness; the
formulas are derived here. Refuted by: another condition number, exponent or constant. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe import contrast
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from theory.identify import contrast as exact

SOURCE = Source(
    "Liu, Rosenfeld, Ravikumar, Risteski",
    "Analyzing and improving the optimization landscape of noise-contrastive estimation",
    "arXiv 2110.11271",
    "losses; condition numbers and rates derived here",
)

CLAIM = Claim(
    slug="contrastive_conditioning",
    title="NCE between Gaussians at distance R has condition number R^6/(16 pi^2), eNCE R^4/16, at the optimum",
    statement=(
        "At the optimum the Hessian of NCE has the condition number R^6/(16 pi^2) to leading order, that of eNCE R^4/16, both "
        "known for every R; where the model is the noise both Hessians are [[2 + R^2, -R], [-R, 2]]/8."
    ),
    latex=r"\kappa = \Bigl(\tfrac{t+\sqrt{t^2-4}}{2}\Bigr)^{2},\quad t = \frac{1+R^2/4+V}{\sqrt V},\qquad \kappa_{\mathrm{NCE}}"
    r" \sim \frac{R^6}{16\pi^2},\; \kappa_{\mathrm{eNCE}} \sim \frac{R^4}{16}",
    relation=Relation.EQUALS,
    source=SOURCE,
    assumes=("noise N(0, 1), data N(R, 1), model exp(-x^2/2 + theta x - alpha)",),
    refuted_by="a condition number at some R, an exponent or a leading constant off by more than its budget",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Condition numbers at `radii`, and the order on a finer sequence 8, 8 sqrt(2), ..."""

    loss: str = axis("nce", "ence")
    radii: int = 9
    orders: int = 8


GRIDS = {"quick": Sizes(), "full": Sizes(radii=12), "paper": Sizes(radii=12)}


def _radii(cell: Sizes) -> np.ndarray:
    return np.arange(2, 2 + cell.radii, dtype=float)


def _at_noise(cell: Sizes) -> np.ndarray:
    # the data lie at u = R/2 and the grid ends at u = 12: eight standard deviations
    return _radii(cell)[_radii(cell) <= 8]


def _far(cell: Sizes) -> np.ndarray:
    return 8 * 2.0 ** (np.arange(cell.orders) / 2)


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Condition numbers by quadrature to 30 digits; exponent and constant of their growth; the Hessian at the noise."""
    exponent, factor = exact.leading_condition(cell.loss)
    values = [exact.condition_number(radius, cell.loss) for radius in _radii(cell)]
    return (
        Prediction(values, of="condition", dims=("radius",), formula=CLAIM.latex),
        # distances grow by sqrt(2) only: the constant is told from one half as large again
        Prediction(exponent, of="inverse_condition", relation=Relation.ORDER, constant=1 / factor, constant_resolution=0.5),
        Prediction(
            np.array([exact.noise_curvature(r) for r in _at_noise(cell)]), of="at_noise", dims=("near", "row", "column")
        ),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Hessians by automatic differentiation of the loss on a grid."""
    near = [_condition(radius, cell.loss) for radius in _radii(cell)]
    far = [_condition(radius, cell.loss) for radius in _far(cell)]
    noise = [
        np.exp(-(r**2) / 8) * np.asarray(contrast.curvature(-jnp.array([r, r**2 / 2]), jnp.asarray(r), cell.loss)[1])
        for r in _at_noise(cell)
    ]
    # exponents of R |u| up to R^2 are rounded
    lost = rounding_floor(4096, jnp.dtype(float), 1 + _at_noise(cell)[:, None, None] ** 2) * np.ones((1, 2, 2))
    data = {
        "condition": ("radius", [value for value, _ in near], {"long_name": "condition number at the optimum"}),
        "condition_floor": ("radius", [value * share for value, share in near]),
        "inverse_condition": ("step", [1 / value for value, _ in far], {"long_name": "1 / condition number at the optimum"}),
        "inverse_condition_floor": ("step", [share / value for value, share in far]),
        "at_noise": (("near", "row", "column"), np.array(noise), {"long_name": "Hessian at the noise"}),
        "at_noise_floor": (("near", "row", "column"), lost),
    }
    coords = {
        "radius": ("radius", _radii(cell), {"long_name": "R"}),
        "near": ("near", _at_noise(cell), {"long_name": "R"}),
        "step": ("step", 1 / _far(cell), {"long_name": "1/R"}),
    }
    return xr.Dataset(data, coords=coords)


def _condition(radius: float, loss: str) -> tuple[float, float]:
    """The condition number, and how much of it rounding may be."""
    hessian = contrast.curvature(jnp.zeros(2), jnp.asarray(radius), loss)[1]
    value, amplified = contrast.condition_number(hessian)
    return float(value), float(amplified * rounding_floor(4096, hessian.dtype))


def _draw(place, dataset: xr.Dataset) -> None:
    """Condition number by distance: measured, exact, and the power it tends to."""
    axis = place.subplots()
    near, far = dataset["radius"].to_numpy(), 1 / dataset["step"].to_numpy()
    radii = np.concatenate([near, far])
    for index, (loss, marker) in enumerate(zip(exact.LOSSES, "os", strict=True)):
        cell = dataset.isel(cell=index)
        values = np.concatenate([cell["condition"].to_numpy(), 1 / cell["inverse_condition"].to_numpy()])
        (points,) = axis.loglog(radii, values, marker, label={"nce": "NCE", "ence": "eNCE"}[loss], mfc="none")
        curve = np.geomspace(2, radii.max(), 12)
        axis.loglog(curve, [exact.condition_number(r, loss) for r in curve], color=points.get_color())
        power, factor = exact.leading_condition(loss)
        axis.loglog(curve, factor * curve**power, ":", color=points.get_color(), label=f"leading term, R^{power}")
    axis.set(xlabel="distance R", ylabel="condition number at the optimum", title="points: measured; lines: exact")
    axis.legend()


PICTURES = (Picture(3.2, _draw),)


def _other(cell: Sizes) -> str:
    return "ence" if cell.loss == "nce" else "nce"


CONTROLS = (
    Control(
        "exponents exchanged",
        "NCE has order 4 and eNCE order 6",
        lambda cell: Prediction(exact.leading_condition(_other(cell))[0], of="inverse_condition", relation=Relation.ORDER),
    ),
    Control(
        "exp(R)",
        "the condition number grows exponentially",
        lambda cell: Prediction(np.exp(_radii(cell)), of="condition", dims=("radius",)),
    ),
    Control(
        "losses exchanged",
        "the two losses have each other's condition numbers",
        lambda cell: Prediction(
            [exact.condition_number(radius, _other(cell)) for radius in _radii(cell)], of="condition", dims=("radius",)
        ),
    ),
)
