r"""A word that every solvable group of class k forgets sets a floor of order m_k(n) under every k-layer tower of increments.

Statement: Let w be a law of class k: a word of n signed letters, of length 4^k, that is trivial in every solvable group of
    derived length k. (a) A cascade of k prefix sums that is driven linearly by signed increments, in which a letter and its
    inverse undo each other, is back in its initial state after w. (b) The product of the letters' exponentials differs from
    the identity by order eps^m exactly, where m = m_k(n) is the lowest degree of the k-th derived ideal of the free Lie
    algebra.
    $$ s_k(w) = s_k(\varnothing),\qquad \Bigl\|\prod_t e^{\varepsilon A_{w_t}} - 1\Bigr\|
       = \|\Lambda_w(A)\|\,\varepsilon^{m_k(n)} + O(\varepsilon^{m_k(n)+1}) $$
Hypotheses: letters are signed and a letter's inverse undoes it, so there is no clock; the word is trivial in class k and
    its leading bracket has degree m_k(n) (both exact); the leading bracket does not vanish on the generators (checked).
Source: this project, “stated here first”, with Magnus for the embedding (Annals of Mathematics 40).
Refuted by: a cascade of k layers whose state differs after the word, or a product whose distance from 1 has another order.
Cost: quick 15 s on one core, full about 25 s.

Consequence: every such cascade, with any readout, errs by at least half of (b) on w or on the empty word, so the exponent
of `tower_error_order` cannot be improved. With a clock `two_layers_record_the_word` escapes.

Derivation: (a) letters act on the states of such a cascade as a subgroup of a k-fold wreath product of abelian groups,
which is solvable of class k. (b) A commutator of group words begins with the bracket of their leading terms. `theory.lie`
certifies the choice of words for which that bracket does not vanish in degree m. Beside the first elements of the bases,
generators are drawn. In degree 10, of two letters and three layers, rounding leaves room for the order of few of these: that
cell is judged on the first elements alone.
"""

import dataclasses
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.lie._generators import generators
from theory import lie

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "gap_so3"


GAPS = ("gap_so3", "gap_sl2")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and layers; generators; random cascades, their width, and steps of eps.

    Chosen cells of one layer have two letters or four, so three letters and four are not taken for alike.
    """

    letters: int = axis(2, 3, 4)
    layers: int = axis(1, 2, 3)
    draw: int = 0  # of the generators; 0: the first elements of the basis
    cascades: int = 8
    width: int = 6
    steps: int = 20

    def allows(self) -> bool:
        """Whether the cell is a drawn one, or one of the chosen ones."""
        return self.draw > 0 or self.letters != (3 if self.layers == 1 else 4)


DOMAIN = domain(
    letters=whole(2, 6),
    layers=whole(1, 3),
    draw=whole(1, 2**16),
    width=whole(1, 12),
    where={
        "rounding leaves room for the order: three letters for three layers": lambda cell: cell.letters > 2 or cell.layers < 3
    },
)
GRIDS = {
    "test": Sizes(letters=axis(2), layers=axis(2), cascades=3),
    "quick": Sizes(),
    "full": Sizes(cascades=64),
    "paper": Sizes(cascades=64, width=16),
}


def objects(cell: Sizes) -> dict:
    """The law as indices of signed letters (i + n is the inverse of i), and generators of so(3) and sl(2)."""
    law = lie.solvable_law(cell.letters, cell.layers)
    return {
        "word": np.array([letter if sign > 0 else letter + cell.letters for letter, sign in law]),
        "algebras": {name: generators(name, cell.letters, cell.draw).astype(float) for name in ("so3", "sl2")},
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent and the constant of the product; equality of the states."""
    law = lie.solvable_law(cell.letters, cell.layers)
    order = lie.derived_ideal_degree(cell.letters, cell.layers)
    bracket = lie.leading_bracket(law)
    exact = (
        Hypothesis(f"the law has length 4^{cell.layers}", len(law) == 4**cell.layers),
        Hypothesis(f"its leading bracket has degree {order}", bracket.degrees == (order,)),
    )

    def gap(name: str) -> Prediction:
        value = np.asarray(bracket.evaluate(*given["algebras"][name][: bracket.letters]), dtype=float)
        constant = float(np.linalg.norm(value, 2))
        hypotheses = (*exact, Hypothesis(f"the bracket does not vanish on {name}", constant > 0))
        formula = rf"\|\Lambda_w(A)\|\,\varepsilon^{{{order}}}"
        return Prediction(order, of=f"gap_{name}", constant=constant, hypotheses=hypotheses, formula=formula)

    def lost(name: str) -> Prediction:
        """Without its last letter a law is the inverse of this letter."""
        letter = given["algebras"][name][law[-1][0]]
        return Prediction(1, of=f"gap_{name}_lost", constant=float(np.linalg.norm(letter, 2)))

    equals = partial(Prediction, relation=Relation.EQUALS)
    return (
        *(make(name) for make in (gap, lost) for name in ("so3", "sl2")),
        equals(np.zeros((cell.cascades, 3)), "state_change", ("cascade", "layer")),
        equals(np.ones(cell.cascades), "first_layer_lost", ("cascade",)),
        equals([4**cell.layers, 4**cell.layers // 2, 0], "signs", ("sign",)),
        equals([3, 2], "rows", ("algebra",)),
        equals(cell.cascades, "different"),
        equals([0.0, 0.0], "outside", ("algebra",)),
    )


CONTROLS = (
    control("a letter lost", "a law keeps its order without its last letter", instead={name: f"{name}_lost" for name in GAPS}),
    control(
        "a word trivial only one class below",
        "a cascade of k + 1 layers returns to its initial state on a law of class k",
        predict=lambda cell, given: Prediction(0.0, of="change_above", relation=Relation.EQUALS),
    ),
)


RIVALS = (
    off_by(-1, of=GAPS, name="exponent one lower"),
    off_by(+1, of=GAPS, name="exponent one higher"),
    scaled(1.5, of="constant", name="constant half as large again"),
    rival(
        "2^k for two letters too",
        lambda cell, given: [Prediction(2**cell.layers, of=name) for name in GAPS],
        "the exponent doubles with each layer, whatever the number of letters",
        everywhere=False,
    ),
)
