r"""The size of a residual stream: (1 + alpha^2)^L with fresh weights, sum_k C(L,k)^2 alpha^{2k} with tied ones.

Statement: x <- x + alpha W x with W of independent N(0, 1/n).

- Fresh weights: E |x_L|^2 / |x_0|^2 = (1 + alpha^2)^L exactly, for every n: 2^L at alpha = 1, towards e at alpha = 1/sqrt(L).
- Tied weights: sum_k C(L,k)^2 alpha^{2k} as n grows, with a known 1/n term; towards I_0(2) = 2.2796 at alpha = 1/L, but like
  exp(2 sqrt(L)) at alpha = 1/sqrt(L). Tied layers need 1/L.
- Uniform attention with a skip: the deviations from the mean token are conserved exactly, the mean grows as with fresh weights.

Derivation: `theory.width.residual`. Refuted by: a mean outside its sampling interval, a deviation that changes. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.residual import attention_growth, stream_growth
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source
from theory.width import residual

SKEWNESS = 4.0  # growth is nearly log-normal, with a deviation over seeds below its mean

CLAIM = Claim(
    slug="residual_second_moment",
    title="Residual streams grow as (1 + alpha^2)^L with fresh weights and as sum C(L,k)^2 alpha^2k with tied ones",
    statement=(
        "With independent Gaussian weights of variance 1/n the squared norm of x + alpha W x grows by 1 + alpha^2 a layer; "
        "with the same weights in every layer it is sum_k C(L,k)^2 alpha^(2k) for wide networks; uniform attention keeps all "
        "deviations from the mean token."
    ),
    latex=r"\mathbb E\,\frac{\|x_L\|^2}{\|x_0\|^2} = (1+\alpha^2)^L \quad\text{(fresh)},\qquad "
    r"\sum_k \tbinom{L}{k}^2\alpha^{2k} + O(1/n) \quad\text{(tied)}",
    relation=Relation.EQUALS,
    source=Source("this project", "derived in theory.width.residual"),
    assumes=(
        "weights are independent N(0, 1/n)",
        "tied: the 1/n term is kept, and a proved bound on all later terms is in the budget; judged where that bound is small",
    ),
    refuted_by="a mean over seeds outside its interval at some depth, or a deviation from the mean token that changes",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths 1 .. depth at alpha = 1, 1/sqrt(depth), 1/depth; tied weights are fewer numbers, so there are more of them.

    The law of tied weights is judged to ``tied_depth``: beyond, the bound on the terms left out grows past the law itself.
    """

    depth: int = 16
    width: int = 128
    seeds: int = 160
    tied_width: int = 256
    tied_seeds: int = 256
    tied_depth: int = 8
    tokens: int = 8


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(depth=64, width=256, seeds=512, tied_width=1024, tied_seeds=512),
    "paper": Sizes(depth=64, width=1024, seeds=256, tied_width=2048, tied_seeds=512),
}
RULES = ("1", "1/sqrt L", "1/L")


def _scales(cell: Sizes) -> list[float]:
    return [1.0, cell.depth**-0.5, 1 / cell.depth]


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Both laws at every depth and scale; one for the deviations."""
    layers, early = range(1, cell.depth + 1), range(1, cell.tied_depth + 1)
    tied = [[residual.tied_growth(depth, scale).at(cell.tied_width) for scale in _scales(cell)] for depth in early]
    rest = [[residual.tied_remainder(depth, scale, cell.tied_width) for scale in _scales(cell)] for depth in early]
    scale = _scales(cell)[1]
    return (
        _mean(_fresh(cell), of="fresh", dims=("depth", "scale"), formula=r"(1+\alpha^2)^L"),
        _mean(
            tied,
            seeds="tied_seed",
            of="tied_early",
            dims=("early", "scale"),
            truncation=np.array(rest),
            formula=r"\sum_k \tbinom{L}{k}^2\alpha^{2k}",
        ),
        _mean([residual.fresh_growth(depth, scale) for depth in layers], of="mean_token", dims=("depth",)),
        Prediction(1, of="deviations"),
    )


def _mean(values, seeds: str = "seed", **more) -> Prediction:
    """Of a mean over seeds, told from half and from twice the law: a layer fewer or more with alpha = 1."""
    return Prediction(values, mean=seeds, skewness=SKEWNESS, resolution=np.asarray(values) / 2, **more)


def _fresh(cell: Sizes) -> np.ndarray:
    return np.array([[residual.fresh_growth(d, scale) for scale in _scales(cell)] for d in range(1, cell.depth + 1)])


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Growth for every seed; of the mean token and of the deviations from it."""
    keys, scales = jax.random.split(key, 3), jnp.asarray(_scales(cell))
    fresh = stream_growth(keys[0], scales, width=cell.width, seeds=cell.seeds, depth=cell.depth, tied=False)
    tied = stream_growth(keys[1], scales, width=cell.tied_width, seeds=cell.tied_seeds, depth=cell.depth, tied=True)
    mean, rest = attention_growth(
        keys[2], scales[1], width=cell.width // 4, seeds=cell.seeds, depth=cell.depth, tokens=cell.tokens
    )
    grid, names = ("depth", "seed", "scale"), {"units": "of the first", "long_name": "mean squared norm, fresh weights"}
    return xr.Dataset(
        {
            "fresh": (grid, np.asarray(fresh), names),
            "tied": (("depth", "tied_seed", "scale"), np.asarray(tied), {"long_name": "squared norm, tied weights"}),
            "tied_early": (
                ("early", "tied_seed", "scale"),
                np.asarray(tied)[: cell.tied_depth],
                {"long_name": "squared norm, tied weights"},
            ),
            "mean_token": (("depth", "seed"), np.asarray(mean), {"long_name": "squared norm of the mean token"}),
            "deviations": (("depth", "seed"), np.asarray(rest), {"long_name": "squared deviations from the mean token"}),
            "deviations_floor": ((), rounding_floor(cell.depth * cell.width, rest.dtype, 4.0)),
        },
        coords={
            "depth": np.arange(1, cell.depth + 1),
            "early": np.arange(1, cell.tied_depth + 1),
            "scale": list(RULES),
        },
    )


def _fresh_for_tied(cell: Sizes) -> Prediction:
    return _mean(_fresh(cell), seeds="tied_seed", of="tied", dims=("depth", "scale"))


def _bounded(cell: Sizes) -> Prediction:
    """Tied weights with alpha = 1/sqrt(L), judged by the limit e of fresh ones."""
    limit = _fresh(cell)[-1, 1]
    return Prediction(limit, of="tied_root", relation=Relation.AT_MOST, mean="tied_seed", skewness=SKEWNESS)


def _root(cell: Sizes, key: jax.Array) -> xr.Dataset:
    data = measure(cell, key)
    return xr.Dataset({"tied_root": data["tied"].isel(depth=-1, scale=1)}).drop_vars(("depth", "scale"))


def _draw(place, dataset: xr.Dataset) -> None:
    """Growth by depth for three scales, with the two laws."""
    axes = place.subplots(1, 2, sharey=True)
    depth = dataset["depth"].to_numpy()
    for axis, law, seeds in zip(axes, ("fresh", "tied"), ("seed", "tied_seed"), strict=True):
        growths = dataset[law].isel(cell=0).mean(seeds).to_numpy()
        for index, (rule, marker) in enumerate(zip(RULES, "osD", strict=True)):
            scale = (1.0, depth[-1] ** -0.5, 1 / depth[-1])[index]
            growth = growths[:, index]
            limit = [residual.fresh_growth(d, scale) if law == "fresh" else residual.tied_growth(d, scale).limit for d in depth]
            (line,) = axis.semilogy(depth, growth, marker, label=f"α = {rule}")
            axis.semilogy(depth, limit, color=line.get_color(), lw=1)
        axis.set(title=f"{law} weights", xlabel="layer")
    axes[0].set_ylabel("mean squared norm")
    axes[0].legend()


PICTURES = (Picture(2.8, _draw),)

CONTROLS = (
    Control("fresh law for tied weights", "tied weights grow as (1 + alpha^2)^L too", _fresh_for_tied),
    Control("1/sqrt(L) is enough", "tied weights stay below e with alpha = 1/sqrt(L)", _bounded, _root),
)
