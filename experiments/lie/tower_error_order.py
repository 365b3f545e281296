r"""The error of a tower of k prefix sums decays with the order that the derived series predicts, exactly.

Statement: build the cascade of k prefix sums from the derived series of the free Lie algebra on n letters. Run on a word of
total generator mass eps it reproduces the product of the letters' exponentials up to order eps^m and no further, where m =
m_k(n) is the lowest degree of the k-th derived ideal:

    || prod_t exp(eps A_t) - exp(u_k) ... exp(u_1) || = Theta(eps^m),    m_k(3) = 2, 4, 8, ...,    m_k(2) = 2, 5, 10, ...

Derivation: `depthjax.constructions.lie_tower` writes the product as exp(v) exp(u_k) ... exp(u_1) with v in the k-th derived
ideal, so the error is (exp(v) - 1) exp(u_k) ... exp(u_1): it starts at that ideal's lowest degree, with the norm of v's
leading bracket.

Three quantities are judged. `error`, the distance itself, shows the order where float64 can resolve it: at three layers it
hardly can, because truncation at a class c adds a large term in eps^{c+1} and rounding a floor. (At class m - 1 *any* tower
of k layers or more shows order m, whatever its depth is worth; so what one layer more still misses counts as a floor here.)
`left_out`, the factor that the tower leaves out, is computed by one layer more without any cancellation and shows the order
at every mass; `complete` shows that this one layer explains the whole error: with it the distance falls to the order c + 1
of the class.

Hypotheses: k >= 1, n >= 2; generic generators, on which the leading bracket does not vanish (checked where the word is fixed).

Source: Heo et al., arXiv 2603.05573, Corollary 3.6, which gives the exponent 2^(k-1) + 1; sharpened here. Refuted by: a
clean local slope off m by more than its budget. Cost: half a minute on a CPU for quick, minutes for full.
"""

import dataclasses
import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.lie_tower import LieTower, lie_tower
from depthjax.lie.exponential import excess_product
from depthjax.lie.products import word_excess
from depthjax.probe.rounding import rounding_floor
from depthjax.tasks.words import sticky_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.lie._generators import generators, in_corner
from theory import bounds, lie

CLAIM = Claim(
    slug="tower_error_order",
    title="k prefix sums follow a product of exponentials up to the lowest degree of the k-th derived ideal, exactly",
    statement=(
        "A cascade of k prefix sums built from the derived series of the free Lie algebra on n letters reproduces the product "
        "of exp(eps A_t) up to order eps^m exactly, m being the lowest degree of the k-th derived ideal."
    ),
    latex=r"\left\|\prod_t e^{\varepsilon A_t} - e^{u_k}\cdots e^{u_1}\right\| = \Theta(\varepsilon^{m_k(n)}),"
    r"\quad m_k(n) = \min\{d : L_d^{(k)} \ne 0\}",
    relation=Relation.ORDER,
    source=Source(
        "Heo et al.", "Why Depth Matters in Parallelizable Sequence Models", "arXiv 2603.05573", "Corollary 3.6 (v1), sharpened"
    ),
    assumes=(
        "n >= 2 letters, k >= 1 layers",
        "the tower's class holds brackets of degree m_k(n) (checked); what one layer more still misses counts as a floor",
        "generic generators: the leading bracket does not vanish on them",
    ),
    refuted_by="a local slope clear of rounding that misses m_k(n) by more than its budget",
    cost="quick: 40 s on two CPU cores; full and paper: minutes",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and layers are the cells; every cell holds all algebras and both lengths."""

    letters: int = axis(2, 3)
    layers: int = axis(1, 2, 3)
    length: int = 256
    short: int = 16
    runs: int = 6
    samples: int = 12
    coordinates: int = 3600
    steps: int = 18


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(length=4096, samples=32, coordinates=10000),
    "paper": Sizes(length=4096, samples=128, coordinates=10000, steps=24),
}

SHORT_WORDS = {2: (0, 0, 1, 0, 0, 1, 1, 1), 3: (0, 1, 2, 0, 2, 1, 1, 2)}


def setting(cell: Sizes) -> dict:
    """The class to truncate at, as high as the coordinates allow; generators of so(3) and sl(2); a fixed short word."""
    lowest = lie.derived_ideal_degree(cell.letters, cell.layers)
    sizes = np.cumsum([lie.witt_dimension(cell.letters, degree) for degree in range(1, lowest + 3)])
    return {
        "klass": int((sizes <= cell.coordinates).sum()),
        "algebras": {name: generators(name, cell.letters) for name in ("so3", "sl2")},
        "word": np.array(SHORT_WORDS[cell.letters]),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent from the graded dimensions of the derived ideal, the constant from the leading bracket of the fixed word."""
    exponent = int(bounds.tower(letters=cell.letters, layers=cell.layers).at())
    published = 2 ** (cell.layers - 1) + 1
    formula = rf"\varepsilon^{{{exponent}}}"
    depth_shows = Hypothesis(f"class {given['klass']} holds brackets of degree {exponent}", given["klass"] >= exponent)
    remainder = lie.tower_remainder(tuple(given["word"].tolist()), cell.letters, cell.layers)
    constants = []
    for name, matrices in given["algebras"].items():
        norm = float(np.linalg.norm(np.asarray(remainder.evaluate(*matrices), dtype=float), 2))
        visible = Hypothesis(f"the fixed word's leading bracket does not vanish on {name}", norm > 0)
        constants.append(
            Prediction(
                exponent,
                of=f"left_out_{name}",
                constant=norm / len(given["word"]) ** exponent,
                hypotheses=(visible,),
                formula=formula,
            )
        )
    next_ideal = lie.derived_ideal_degree(cell.letters, cell.layers + 1)
    return (
        Prediction(exponent, of="left_out", hypotheses=(depth_shows,), formula=formula),
        Prediction(exponent, of="error", formula=formula),
        Prediction(published, of="left_out", one_sided=True, formula=r"\varepsilon^{2^{k-1}+1}"),
        Prediction(min(given["klass"] + 1, next_ideal), of="complete", one_sided=True),
        *constants,
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Root mean square over words of the three distances, for each algebra, length and mass."""
    keys = jax.random.split(key, 3)
    masses = 4.0 * 2.0 ** (-jnp.arange(cell.steps) / 2)
    random = jax.random.normal(keys[0], (cell.letters, 4, 4))
    algebras = {name: jnp.asarray(in_corner(matrices, 4)) for name, matrices in given["algebras"].items()}
    algebras["random gl4"] = random / jnp.linalg.norm(random, ord=2, axis=(1, 2), keepdims=True)
    samples = {
        f"T={length}": sticky_words(part, cell.letters, cell.samples, length, cell.runs)
        for part, length in zip(keys[1:], (cell.short, cell.length), strict=True)
    }
    samples["fixed"] = jnp.asarray(given["word"])[None]
    # one batch for all lengths: letter n is silent and fills the words up, letters of word i weigh 1 / its length
    words = jnp.concatenate([_filled(batch, cell.length, cell.letters) for batch in samples.values()])
    weights = jnp.concatenate([jnp.full(len(batch), 1 / batch.shape[1]) for batch in samples.values()])
    tower = lie_tower(cell.letters, cell.layers + 1, given["klass"])
    states = tower.apply(jax.nn.one_hot(words, cell.letters, dtype=weights.dtype) * weights[:, None, None])

    table = [_distances(tower, states, words, weights, matrices, masses) for matrices in algebras.values()]
    starts = np.cumsum([0, *(len(batch) for batch in samples.values())])
    spread = np.sqrt([[(np.square(d[..., a:b])).mean(axis=-1) for d in table] for a, b in itertools.pairwise(starts)])
    return _dataset(cell, np.asarray(masses), list(samples)[:-1], list(algebras), spread)


@partial(jax.jit, static_argnames="tower")
def _differences(tower: LieTower, states, words, weights, matrices, masses) -> jax.Array:
    """What the tower leaves out, its difference from the product, and that of one layer more; shape (3, step, word, d, d)."""
    *below, left_out = tower.factors(states, matrices, masses)
    partial_excess = excess_product(*reversed(below))
    silent = jnp.concatenate([matrices, jnp.zeros_like(matrices[:1])])
    exact = jax.vmap(lambda word, weight: word_excess(word[None], silent, masses * weight)[:, 0], out_axes=1)(words, weights)
    missing = left_out + left_out @ partial_excess
    return jnp.stack([missing, partial_excess - exact, missing + partial_excess - exact])


def _distances(*arguments) -> np.ndarray:
    return np.linalg.norm(np.asarray(_differences(*arguments)), ord=2, axis=(-2, -1))


def _dataset(cell: Sizes, masses: np.ndarray, words: list[str], algebras: list[str], spread: np.ndarray) -> xr.Dataset:
    missing, error, complete = (spread[:, :, quantity] for quantity in range(3))
    # a matrix exponential is at most 13 products of 4x4 matrices, a word's product log2 T additions
    operations = 4 * (13 * (cell.layers + 1) + 2 * cell.length.bit_length())
    rounding = rounding_floor(operations, masses.dtype, masses * np.exp(masses))
    relative = rounding_floor(operations, masses.dtype, missing)
    axes = ("word", "algebra", "step")
    unit = {"units": "operator norm"}
    data = {
        "left_out": (axes, missing[:-1], unit | {"long_name": "the factor left out"}),
        "left_out_floor": (axes, relative[:-1]),
        "error": (axes, error[:-1], unit | {"long_name": "distance from the product"}),
        "error_floor": (axes, rounding + complete[:-1]),
        "complete": (axes, complete[:-1], unit | {"long_name": "distance with one layer more"}),
        "complete_floor": ("step", rounding),
    }
    for i, name in enumerate(algebras[:-1]):
        data[f"left_out_{name}"] = ("step", missing[-1, i], unit | {"long_name": f"the factor left out, fixed word, {name}"})
        data[f"left_out_{name}_floor"] = ("step", relative[-1, i])
    step = ("step", masses, {"long_name": "generator mass ε"})
    return xr.Dataset(data, coords={"step": step, "word": words, "algebra": algebras})


def _filled(words: jax.Array, length: int, letter: int) -> jax.Array:
    return jnp.pad(words, ((0, 0), (0, length - words.shape[1])), constant_values=letter)


def _shifted(shift: int):
    def predict_shifted(cell: Sizes, given: dict) -> Prediction:
        return Prediction(lie.derived_ideal_degree(cell.letters, cell.layers) + shift, of="left_out")

    return predict_shifted


def _published(cell: Sizes, given: dict) -> Prediction | None:
    return Prediction(2 ** (cell.layers - 1) + 1, of="left_out") if cell.layers > 1 else None


def _half_again(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    return tuple(dataclasses.replace(p, constant=1.5 * p.constant) for p in predict(cell, given) if p.constant is not None)


CONTROLS = (
    Control("exponent one lower", "the order is m_k(n) - 1", _shifted(-1)),
    Control("exponent one higher", "the order is m_k(n) + 1", _shifted(+1)),
    Control("published exponent as an order", "for k >= 2 the order is exactly 2^(k-1) + 1", _published),
    Control("constant half as large again", "the leading constant is 3/2 of the leading bracket's norm", _half_again),
)
