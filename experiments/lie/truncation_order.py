r"""A Baker-Campbell-Hausdorff series cut after degree c errs by order c + 1, with the next term as its constant.

Statement: let Z_1 + Z_2 + ... = log(exp X exp Y) by degree. Then

    || exp(eps X) exp(eps Y) - exp(eps Z_1 + ... + eps^c Z_c) || = || Z_{c+1} || eps^{c+1} + O(eps^{c+2}).

Derivation: both sides are exponentials of series that agree through degree c, and exp is the identity to first order.

Hypotheses: Z_{c+1}(X, Y) does not vanish (checked exactly); eps within the range where the series is asymptotic.

Source: Baker, Campbell, Hausdorff, Dynkin; the series as the piecewise-constant Magnus expansion. Refuted by: a clean slope
off c + 1, or a constant off || Z_{c+1} ||, by more than its budget. Cost: ten seconds on a CPU.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

import depthjax
from depthjax.lie.brackets import Span, bracket_matrices, graded_element
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.products import word_excess
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import lie

CLAIM = Claim(
    slug="truncation_order",
    title="A BCH series cut after degree c errs by order c + 1, its constant being the norm of the next term",
    statement=(
        "The exponential of the BCH series cut after degree c differs from exp(eps X) exp(eps Y) by ||Z_{c+1}|| eps^(c+1) to "
        "leading order."
    ),
    latex=r"\left\|e^{\varepsilon X} e^{\varepsilon Y} - e^{\varepsilon Z_1 + \dots + \varepsilon^c Z_c}\right\|"
    r" = \|Z_{c+1}\|\,\varepsilon^{c+1} + O(\varepsilon^{c+2})",
    relation=Relation.ORDER,
    source=Source(
        "Dynkin", "Calculation of the coefficients in the Campbell-Hausdorff formula", "Dokl. Akad. Nauk SSSR 57 (1947)"
    ),
    assumes=("the next term Z_{c+1}(X, Y) does not vanish (checked exactly for the named algebras)",),
    refuted_by="a clean local slope other than c + 1, or a leading constant other than ||Z_{c+1}||",
    cost="10 s on a CPU at every size",
    needs_float64=True,
)


HIGHEST = 9


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The degree of the cut, and how many steps of eps."""

    degree: int = axis(1, 2, 3, 4, 5, 6, 7, 8, 9)
    steps: int = 16


GRIDS = {"quick": Sizes(), "full": Sizes(steps=24), "paper": Sizes(steps=24)}

# generic combinations: on an orthogonal pair of so(3) the fourth term vanishes
PAIR = ((Fraction(1), Fraction(-1, 2), Fraction(1, 3)), (Fraction(1, 3), Fraction(1), Fraction(-1, 2)))


def setting(cell: Sizes) -> dict:
    """A generic pair in so(3) and in sl(2), with rational entries."""
    bases = {name: np.array(lie.named(name).matrices, dtype=object) for name in ("so3", "sl2")}
    return {name: np.tensordot(np.array(PAIR), basis, axes=1) for name, basis in bases.items()}


def predict(cell: Sizes, pairs: dict) -> tuple[Prediction, ...]:
    """The exponent for all three algebras; the constant, from the exact next term, where the pair is known beforehand."""
    order = cell.degree + 1
    next_term = lie.bch(order).homogeneous(order)
    terms = {name: next_term.evaluate(*pair) for name, pair in pairs.items()}
    constants = {name: float(np.linalg.norm(term.astype(float), 2)) if term.any() else 0.0 for name, term in terms.items()}
    known = (
        Prediction(
            order,
            of=f"error_{name}",
            constant=constant,
            hypotheses=(Hypothesis(f"Z_{order} does not vanish on the pair in {name}", constant > 0),),
            formula=rf"\|Z_{{{order}}}\|\,\varepsilon^{{{order}}}",
        )
        for name, constant in constants.items()
    )
    return *known, Prediction(order, of="error_gl4")


def measure(cell: Sizes, key: jax.Array, pairs: dict) -> xr.Dataset:
    """Spectral distance of the two exponentials for every eps; the series is the log-signature of the two-letter word."""
    scales = 2.0 ** (-jnp.arange(cell.steps) / 2)
    series = depthjax.log_signature(jnp.eye(2), HIGHEST)
    degrees = np.repeat(np.arange(1, HIGHEST + 1), [Span(d, d).dimension(2) for d in range(1, HIGHEST + 1)])
    cut = jnp.where(degrees <= cell.degree, series, 0.0)
    random = jax.random.normal(key, (2, 4, 4))
    matrices = {name: np.pad(pair.astype(float), ((0, 0), *[(0, 4 - pair.shape[-1])] * 2)) for name, pair in pairs.items()}
    matrices["gl4"] = random / jnp.linalg.norm(random, ord=2, axis=(1, 2), keepdims=True)
    data = {}
    for name, pair in matrices.items():
        errors = np.linalg.norm(np.asarray(_difference(cut, jnp.asarray(pair), scales)), ord=2, axis=(1, 2))
        mass = np.asarray(scales) * np.linalg.norm(pair, ord=2, axis=(1, 2)).sum()
        # a matrix exponential is at most 13 products of 4x4 matrices
        floor = rounding_floor(4 * 13 * 2, scales.dtype, mass * np.exp(mass))
        data[f"error_{name}"] = ("step", errors, {"long_name": f"spectral error, {name}", "units": "operator norm"})
        data[f"error_{name}_floor"] = ("step", floor)
    return xr.Dataset(data, coords={"step": ("step", np.asarray(scales), {"long_name": "ε"})})


@jax.jit
def _difference(series: jax.Array, pair: jax.Array, scales: jax.Array) -> jax.Array:
    """The exponential of the series minus the product of the exponentials; one program for every degree of the cut."""
    element = graded_element(series[None], bracket_matrices(pair, HIGHEST), Span(1, HIGHEST), scales, 2)
    return (exponential_excess(element) - word_excess(jnp.array([[0, 1]]), pair, scales))[:, 0]


def _cut_order(cell: Sizes, pairs: dict) -> tuple[Prediction, ...]:
    return tuple(Prediction(cell.degree, of=f"error_{name}") for name in (*pairs, "gl4"))


def _half_again(cell: Sizes, pairs: dict) -> tuple[Prediction, ...]:
    return tuple(dataclasses.replace(p, constant=1.5 * p.constant) for p in predict(cell, pairs) if p.constant is not None)


CONTROLS = (
    Control("order c", "the series cut after degree c errs by order c", _cut_order),
    Control("constant half as large again", "the leading constant is 3/2 || Z_{c+1} ||", _half_again),
)
