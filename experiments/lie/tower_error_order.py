r"""The error of a tower of k prefix sums decays with the order that the derived series predicts, exactly.

Statement: build the cascade of k prefix sums from the derived series of the free Lie algebra on n letters. Run on a word of
total generator mass eps it reproduces the product of the letters' exponentials up to order eps^m and no further, where m =
m_k(n) is the lowest degree of the k-th derived ideal:

    || prod_t exp(eps A_t) - exp(u_k) ... exp(u_1) || = Theta(eps^m),    m_k(3) = 2, 4, 8, ...,    m_k(2) = 2, 5, 10, ...

Derivation: `depthjax.constructions.lie_tower` writes the product as exp(v) exp(u_k) ... exp(u_1) with v in the k-th derived
ideal, so the error is v + O(eps^{m+1}) and starts at that ideal's lowest degree; the constant is the norm of v's leading
bracket.

Hypotheses: k >= 1, n >= 2; the tower keeps brackets up to a class above m, so that depth and not truncation limits it (with
class m - 1 *any* tower of enough layers shows order m); generic generators, on which the leading bracket does not vanish.

Source: Heo et al., arXiv 2603.05573, Corollary 3.6, which gives the exponent 2^(k-1) + 1; sharpened here. Refuted by: a
clean local slope off m by more than its budget. Cost: half a minute on a CPU for quick, minutes for full.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.lie_tower import lie_tower
from depthjax.measure.errors import root_mean_square, rounding_floor, spectral_distance
from depthjax.measure.products import word_product
from depthjax.tasks.words import sticky_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source
from theory import bounds, lie

CLAIM = Claim(
    slug="tower_error_order",
    title="k prefix sums follow a product of exponentials up to the lowest degree of the k-th derived ideal, exactly",
    statement=(
        "A cascade of k prefix sums built from the derived series of the free Lie algebra on n letters reproduces the product "
        "of exp(eps A_t) up to order eps^m exactly, m being the lowest degree of the k-th derived ideal."
    ),
    latex=r"\Bigl\|\prod_t e^{\varepsilon A_t} - e^{u_k}\cdots e^{u_1}\Bigr\| = \Theta(\varepsilon^{m_k(n)}),"
    r"\quad m_k(n) = \min\{d : L_d^{(k)} \ne 0\}",
    relation=Relation.ORDER,
    source=Source(
        "Heo et al.", "Why Depth Matters in Parallelizable Sequence Models", "arXiv 2603.05573", "Corollary 3.6 (v1), sharpened"
    ),
    assumes=(
        "n >= 2 letters, k >= 1 layers",
        "the tower's class lies above m_k(n): depth, not truncation, limits the error",
        "generic generators: the leading bracket does not vanish on them",
    ),
    refuted_by="a local slope clear of rounding that misses m_k(n) by more than its budget",
    cost="quick: 40 s on two CPU cores; full and paper: minutes",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and layers are the cells; every cell holds all algebras and both lengths."""

    letters: tuple[int, ...] | int = (2, 3)
    layers: tuple[int, ...] | int = (1, 2, 3)
    length: int = 256
    short: int = 16
    runs: int = 16
    samples: int = 12
    coordinates: int = 3600
    steps: int = 18


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(length=4096, samples=32, coordinates=10000),
    "paper": Sizes(length=4096, samples=128, coordinates=10000, steps=24),
}

SHORT_WORDS = {2: (0, 1, 1, 0, 1, 0, 0, 1), 3: (0, 1, 2, 0, 2, 1, 1, 2)}


def setting(cell: Sizes) -> dict:
    """The class to truncate at, as high as the coordinates allow; generators of so(3) and sl(2); a fixed short word."""
    lowest = lie.derived_ideal_degree(cell.letters, cell.layers)
    sizes = np.cumsum([lie.witt_dimension(cell.letters, degree) for degree in range(1, lowest + 4)])
    return {
        "klass": int((sizes <= cell.coordinates).sum()),
        "algebras": {name: np.array(lie.named(name).matrices[: cell.letters], dtype=float) for name in ("so3", "sl2")},
        "word": np.array(SHORT_WORDS[cell.letters]),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent from the graded dimensions of the derived ideal; for few layers the constant from the leading bracket."""
    tower = bounds.tower(letters=cell.letters, layers=cell.layers)
    exponent = int(tower.at())
    depth_limits = Hypothesis(f"class {given['klass']} lies above the order {exponent}", given["klass"] > exponent)
    published = Prediction(
        2 ** (cell.layers - 1) + 1, of="error", one_sided=True, hypotheses=(depth_limits,), formula=r"\varepsilon^{2^{k-1}+1}"
    )
    exact = Prediction(exponent, of="error", hypotheses=(depth_limits,), formula=rf"\varepsilon^{{{exponent}}}")
    if cell.layers > 2:
        return exact, published
    remainder = lie.tower_remainder(tuple(given["word"].tolist()), cell.letters, cell.layers)
    length = len(given["word"])
    constants = tuple(
        Prediction(exponent, of=f"error_{name}", constant=_norm(remainder.evaluate(*matrices)) / length**exponent)
        for name, matrices in given["algebras"].items()
    )
    return exact, published, *constants


def _norm(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(matrix, dtype=float), 2))


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Root mean square over words of the spectral distance, for each algebra, length and mass."""
    keys = jax.random.split(key, 3)
    masses = 4.0 * 2.0 ** (-jnp.arange(cell.steps) / 2)
    tower = lie_tower(cell.letters, cell.layers, given["klass"])
    random = jax.random.normal(keys[0], (cell.letters, 4, 4))
    algebras = {name: jnp.asarray(matrices) for name, matrices in given["algebras"].items()}
    algebras["random gl4"] = random / jnp.linalg.norm(random, ord=2, axis=(1, 2), keepdims=True)
    words = {
        f"T={length}": sticky_words(part, cell.letters, cell.samples, length, cell.runs)
        for part, length in zip(keys[1:], (cell.short, cell.length), strict=True)
    }
    words["fixed"] = jnp.asarray(given["word"])[None]
    errors = {}
    for name, batch in words.items():
        length = batch.shape[1]
        states = tower.apply(jax.nn.one_hot(batch, cell.letters, dtype=masses.dtype) / length)
        for algebra, matrices in algebras.items():
            exact = word_product(batch, matrices, masses / length)
            errors[name, algebra] = root_mean_square(spectral_distance(tower.evaluate(states, matrices, masses), exact), 1)
    # the product rounds like log2 T additions, the tower like the sums of a chunk and of the chunks; each of 4x4 numbers
    floor = rounding_floor(16 * (2 * cell.length**0.5 + 64), masses.dtype, masses * jnp.exp(masses))
    lengths = [name for name in words if name != "fixed"]
    curves = np.array([[errors[name, algebra] for algebra in algebras] for name in lengths])
    unit = {"long_name": "spectral error", "units": "operator norm"}
    data = {
        "error": (("word", "algebra", "step"), curves, unit),
        "error_floor": ("step", np.asarray(floor)),
        **{f"error_{name}": ("step", np.asarray(errors["fixed", name]), unit) for name in given["algebras"]},
        **{f"error_{name}_floor": ("step", np.asarray(floor)) for name in given["algebras"]},
    }
    step = ("step", np.asarray(masses), {"long_name": "generator mass ε"})
    return xr.Dataset(data, coords={"step": step, "word": lengths, "algebra": list(algebras)})


def _shifted(shift: int):
    def predict_shifted(cell: Sizes, given: dict) -> Prediction:
        return Prediction(lie.derived_ideal_degree(cell.letters, cell.layers) + shift, of="error")

    return predict_shifted


def _published(cell: Sizes, given: dict) -> Prediction | None:
    return Prediction(2 ** (cell.layers - 1) + 1, of="error") if cell.layers > 1 else None


CONTROLS = (
    Control("exponent one lower", "the order is m_k(n) - 1", _shifted(-1)),
    Control("exponent one higher", "the order is m_k(n) + 1", _shifted(+1)),
    Control("published exponent as an order", "for k >= 2 the order is exactly 2^(k-1) + 1", _published),
)
