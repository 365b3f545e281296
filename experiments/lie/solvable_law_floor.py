r"""Words that every solvable group of class k forgets set a floor under every k-layer tower driven by increments.

Statement: let w be a law of class k: a word of n signed letters, length 4^k, trivial in every solvable group of derived
length k. (a) A cascade of k prefix sums driven linearly by signed increments, in which a letter and its inverse undo each
other, is back in its initial state after w. (b) The product of the letters' exponentials is not the identity: it differs
from it by order eps^m exactly, m = m_k(n) the lowest degree of the k-th derived ideal of the free Lie algebra. Hence every
such cascade with any readout errs by at least half of (b) on w or on the empty word, and the exponent of
`tower_error_order` cannot be improved:

    || prod_t exp(eps A_{w_t}) - 1 || = || Lambda_w(A) || eps^m + O(eps^{m+1}),    Lambda_w in the k-th derived ideal.

Derivation: (a) letters act on the states of such a cascade as a subgroup of a k-fold wreath product of abelian groups,
which is solvable of class k. (b) Commutators of group words have the brackets of the leading terms as leading term; the
choice of words that makes it non-zero in degree m is certified in `theory.lie`.

Hypotheses: signed letters (no clock: `two_layers_record_the_word` escapes by counting); generic generators.

Source: stated here first. Refuted by: a random cascade of k layers that tells w from the empty word, or a slope off m.
Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.linear_cascade import linear_cascade_start, random_linear_cascade, signed_letters
from depthjax.lie.products import word_excess
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.lie._generators import generators
from theory import lie

CLAIM = Claim(
    slug="solvable_law_floor",
    title="Laws of solvable groups are a floor of order m_k(n) under every k-layer tower driven by its increments",
    statement=(
        "A cascade of k prefix sums driven linearly by signed increments returns to its initial state on words that are "
        "trivial in every solvable group of class k, while the product of their exponentials differs from the identity by "
        "order eps^m_k(n)."
    ),
    latex=r"s_k(w) = s_k(\varnothing),\qquad \left\|\prod_t e^{\varepsilon A_{w_t}} - 1\right\|"
    r" = \|\Lambda_w(A)\|\,\varepsilon^{m_k(n)} + O(\varepsilon^{m_k(n)+1})",
    relation=Relation.ORDER,
    source=Source("this project", "stated here first", "", "with Magnus, Annals of Mathematics 40 (1939), for the embedding"),
    assumes=(
        "letters are signed and a letter's inverse undoes it: no clock",
        "the word is trivial in class k and its leading bracket has degree m_k(n) (both exact)",
        "the leading bracket does not vanish on the generators (checked)",
    ),
    refuted_by="a cascade of k layers whose state differs after the word, or a product whose distance from 1 has another order",
    cost="10 s on a CPU at every size",
    needs_float64=True,
)


LAYERS = (1, 2, 3)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and layers are the cells; random cascades and steps of eps fill them."""

    letters: int = axis(2, 3)
    layers: int = axis(*LAYERS)
    cascades: int = 8
    width: int = 6
    steps: int = 20


GRIDS = {"quick": Sizes(), "full": Sizes(cascades=64), "paper": Sizes(cascades=64, width=16)}


def setting(cell: Sizes) -> dict:
    """The law as indices of signed letters (i + n is the inverse of i), and generators of so(3) and sl(2)."""
    law = lie.solvable_law(cell.letters, cell.layers)
    return {
        "word": np.array([letter if sign > 0 else letter + cell.letters for letter, sign in law]),
        "algebras": {name: generators(name, cell.letters) for name in ("so3", "sl2")},
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent and the constant of the product; equality of the states."""
    law = lie.solvable_law(cell.letters, cell.layers)
    order = lie.derived_ideal_degree(cell.letters, cell.layers)
    bracket = lie.leading_bracket(law)
    degree = min(len(word) for word in bracket.terms)
    predictions = []
    for name, matrices in given["algebras"].items():
        constant = float(np.linalg.norm(np.asarray(bracket.evaluate(*matrices[: bracket.letters]), dtype=float), 2))
        hypotheses = (
            Hypothesis(f"the law has length 4^{cell.layers}", len(law) == 4**cell.layers),
            Hypothesis(f"its leading bracket has degree {order}", degree == order),
            Hypothesis(f"the bracket does not vanish on {name}", constant > 0),
        )
        predictions.append(
            Prediction(order, of=f"gap_{name}", constant=constant, hypotheses=hypotheses, formula=rf"\varepsilon^{{{order}}}")
        )
    return *predictions, Prediction(0.0, of="state_change", relation=Relation.EQUALS)


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Distance of the product from the identity, and how far k random layers have moved."""
    return _products(cell, given).merge(_states(cell, key, given))


def _products(cell: Sizes, given: dict) -> xr.Dataset:
    scales = 2.0 ** (-jnp.arange(cell.steps) / 2)
    # silent letters fill every word up to one length, and zeros every matrix to one size: one program for all cells
    longest, silent = 4 ** LAYERS[-1], 2 * cell.letters
    word = np.pad(given["word"], (0, longest - len(given["word"])), constant_values=silent)
    data = {}
    for name, matrices in given["algebras"].items():
        signed = np.concatenate([matrices, -matrices, np.zeros_like(matrices[:1])])
        signed = np.pad(signed, ((0, 0), *[(0, 3 - matrices.shape[-1])] * 2))
        excess = word_excess(jnp.asarray(word)[None], jnp.asarray(signed), scales)[:, 0]
        gap = np.linalg.norm(np.asarray(excess), ord=2, axis=(1, 2))
        # factors are kept as 1 + a and cancel in pairs: what is rounded is of the size of a few letters, not of the whole word
        floor = rounding_floor(16 * longest, scales.dtype, np.asarray(scales * jnp.exp(scales)))
        data[f"gap_{name}"] = ("step", gap, {"long_name": f"distance from 1, {name}", "units": "operator norm"})
        data[f"gap_{name}_floor"] = ("step", floor)
    return xr.Dataset(data, coords={"step": ("step", np.asarray(scales), {"long_name": "ε"})})


def _states(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    letters = signed_letters(jnp.asarray(given["word"])[:, None], cell.letters)
    layers = cell.layers + 1
    start = linear_cascade_start(cell.letters, layers, cell.width, 1)

    @jax.jit
    @jax.vmap
    def change(cascade_key: jax.Array) -> tuple[jax.Array, ...]:
        path = random_linear_cascade(cascade_key, cell.letters, layers, cell.width).run(letters, start, chunk=1, stream=True)
        return tuple(jnp.stack([jnp.abs(state).max() for state in stretch]) for stretch in ([s[-1] for s in path], path))

    final, reach = (np.asarray(values) for values in change(jax.random.split(key, cell.cascades)))  # cascade, layer
    # rounding enters at every letter, and the fields (of Lipschitz constants about one) pass it on to the layers above
    floor = rounding_floor(letters.shape[0] * 8.0**layers * cell.width, letters.dtype, reach.max(axis=1))
    unit = {"units": "one letter's increment"}
    return xr.Dataset(
        {
            "state_change": ("cascade", final[:, :-1].max(axis=1), unit | {"long_name": "largest change of k layers"}),
            "state_change_floor": ("cascade", floor),
            "change_above": ("cascade", final[:, -1], unit | {"long_name": "change of layer k + 1"}),
            "change_above_floor": ("cascade", floor),
        }
    )


def _shifted(shift: int):
    def predict_shifted(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
        order = lie.derived_ideal_degree(cell.letters, cell.layers) + shift
        return tuple(Prediction(order, of=f"gap_{name}") for name in given["algebras"])

    return predict_shifted


CONTROLS = (
    Control(
        "a word trivial only one class below",
        "a cascade of k + 1 layers returns to its initial state on a law of class k",
        lambda cell, given: Prediction(0.0, of="change_above", relation=Relation.EQUALS),
    ),
    Control("exponent one lower", "the distance has order m_k(n) - 1", _shifted(-1)),
    Control("exponent one higher", "the distance has order m_k(n) + 1", _shifted(+1)),
)
