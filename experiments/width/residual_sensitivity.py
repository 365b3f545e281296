r"""How far noise on all weights moves the output: linear in the depth after post-norm, a harmonic sum for pre-norm and ADMIN.

Statement: residual layers x <- norm(omega_l x + W_l x) (post-norm) or x <- x + W_l norm(x) (pre-norm), W_l of independent
N(0, 1/n), and a second run whose weights have the correlation rho. As n grows the cosine between the runs after L layers is

    ((1 + rho)/2)^L              post-norm, omega = 1: 1 - cos = L (1 - rho)/2 + ..
    prod (l + 1 + rho)/(l + 2)   pre-norm, and post-norm with omega_l^2 = l + 1 (ADMIN): (1 - rho)(H_{L+1} - 1) + ..

Weights that give the stream its accumulated variance make post-norm as insensitive as pre-norm: the same law.

Derivation, with the 1/n term: `theory.width.residual`. Source: L. Liu et al. 2020 (O(N) against O(log N)); the laws are derived here.
Refuted by: a mean outside its interval. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.residual import noise_agreement
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source
from theory.width import residual

SKEWNESS = 8**0.5  # 1 - cos is nearly a quadratic form of Gaussian numbers: none is more skewed than the square of one

CLAIM = Claim(
    slug="residual_sensitivity",
    title="Weight noise moves a post-norm stream by L(1 - rho)/2, a pre-norm or ADMIN one by (1 - rho)(H_{L+1} - 1)",
    statement=(
        "Two residual streams whose weights have correlation rho keep the cosine ((1 + rho)/2)^L after post-norm layers and "
        "prod (l + 1 + rho)/(l + 2) after pre-norm layers, or post-norm ones that weigh the stream by sqrt(l + 1)."
    ),
    latex=r"\cos_L = \Bigl(\tfrac{1+\rho}{2}\Bigr)^L \text{ (post)},\quad \prod_{l<L}\frac{l+1+\rho}{l+2} \text{ (pre, ADMIN)}",
    relation=Relation.EQUALS,
    source=Source(
        "Liu, Liu, Gao, Chen, Han",
        "Understanding the difficulty of training transformers",
        "arXiv 2004.08249",
        "growth N against log N; laws derived here",
    ),
    assumes=("linear branches with weights N(0, 1/n)", "the 1/n term is kept, the next one is in the budget"),
    refuted_by="a mean over seeds outside its interval at some depth",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths 1 .. depth."""

    depth: int = 16
    width: int = 96
    seeds: int = 144
    noise: float = 0.2

    @property
    def correlation(self) -> float:
        """Of the weights, W + noise G at the variance of W."""
        return (1 + self.noise**2) ** -0.5


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(depth=64, width=256, seeds=256),
    "paper": Sizes(depth=64, width=512, seeds=256, noise=0.1),
}


def predict(cell: Sizes, weights: np.ndarray) -> Prediction:
    """1 - cos by placement of the norm and depth, to order 1/n."""
    return _prediction(cell, residual.NORMS)


def _prediction(cell: Sizes, norms: tuple[str, ...]) -> Prediction:
    laws = [residual.agreement(norm, cell.depth, cell.correlation)[1:] for norm in norms]
    rest = max((law.correction / cell.width) ** 2 / (1 - law.limit) for row in laws for law in row)
    values = [[1 - law.at(cell.width) for law in row] for row in laws]
    # told from half and from twice the law
    apart = np.array(values) / 2
    return Prediction(
        values, of="moved", dims=("norm", "depth"), mean="seed", skewness=SKEWNESS, resolution=apart, truncation=rest
    )


def setting(cell: Sizes) -> np.ndarray:
    """Weights of the stream by placement and layer."""
    return np.array([[residual.stream_weight(norm, layer) ** 0.5 for layer in range(cell.depth)] for norm in residual.NORMS])


def measure(cell: Sizes, key: jax.Array, weights: np.ndarray) -> xr.Dataset:
    """1 - cos for every seed; pre-norm adds to the stream as it is."""
    normalise = jnp.array([0.0 if norm == "pre" else 1.0 for norm in ("post", "pre", "admin")])
    entering = jnp.where(normalise[:, None] > 0, jnp.asarray(weights), 1.0)
    cosines = noise_agreement(
        key, jnp.asarray(cell.correlation), entering, normalise, width=cell.width, seeds=cell.seeds, depth=cell.depth
    )
    moved = 1 - np.asarray(cosines)
    return xr.Dataset(
        {
            "moved": (("depth", "seed", "norm"), moved, {"long_name": "1 - cos between the runs"}),
            "correlation": ((), cell.correlation),
        },
        coords={"depth": np.arange(1, cell.depth + 1), "norm": ["post", "pre", "admin"]},
    )


def _draw(place, dataset: xr.Dataset) -> None:
    """The three curves with their laws."""
    axis = place.subplots()
    depth = dataset["depth"].to_numpy()
    for norm, marker in zip(residual.NORMS, "osD", strict=True):
        values = dataset["moved"].isel(cell=0).sel(norm=norm).mean("seed").to_numpy()
        (line,) = axis.loglog(depth, values, marker, label=norm, base=2)
        rho = float(dataset["correlation"].to_numpy().ravel()[0])
        axis.loglog(depth, [1 - law.limit for law in residual.agreement(norm, len(depth), rho)[1:]], color=line.get_color())
    axis.set(xlabel="layer", ylabel="1 - cos between the runs", title="points: measured; lines: the laws for wide layers")
    axis.legend()


PICTURES = (Picture(3.0, _draw),)

CONTROLS = (
    Control(
        "post-norm as pre-norm",
        "post-norm is as insensitive as pre-norm",
        lambda cell, weights: _prediction(cell, ("pre", "pre", "admin")),
    ),
    Control(
        "ADMIN as post-norm",
        "weighing the stream changes nothing",
        lambda cell, weights: _prediction(cell, ("post", "pre", "post")),
    ),
)
