r"""k layers of a diagonal kind forget the laws of solvable groups of class 2k, and no shorter law; DeltaProduct forgets none.

Statement: A letter maps the states of a stack of k layers h <- a h + b, with a diagonal and not zero, one to one; so words may
    hold letters and their inverse maps. A law of class c is a word of letters and inverses that is trivial in every solvable
    group of derived length c. All layers are back in any state after the law of class 2k, and for almost all weights not after
    that of class 2k - 1. One layer more tells the law of class 2k from the empty word, and so do k layers of DeltaProduct or
    of dense transitions. Without decay, a = 1, the classes are k and k - 1 in place of 2k and 2k - 1.
    $$ \min\{c : s_k(w_c) = s_k(\varnothing)\} = k \cdot \ell,\qquad
       \ell(\mathfrak{aff}_1) = 2,\ \ell(\mathbb{R}) = 1 $$
Hypotheses: layers are at least two numbers wide (two GLA layers of width one forget the law of class 3 of three letters);
    the transitions are diagonal and have inverses; no convolution; an input reads the letter and the states below.
Source: this project, “stated here first”, with Magnus for the words (Annals of Mathematics 40).
Refuted by: a stack of a diagonal kind that a law of class 2k moves, or that the law of class 2k - 1 does not move.
Cost: quick 40 s on one core, full about 2 min.

Derivation: the maps h -> a h + b of one coordinate form a group of derived length 2, the derived length of the algebra aff(1),
and complex a changes nothing. A layer's coefficients depend on the letter and on the layers below, so the letters of k layers
generate a subgroup of a k-fold wreath product of such groups, whose derived length is at most 2k. `solvable_law_floor` speaks
of constructed cascades of sums, of class k; here the kinds of `depthjax.models` are run with random weights, and beside them
layers of sums, which tell k l from other numbers that are 2 and 4.

**All draws are kept, and every one is judged.** Weights that a law moves are almost all weights or none of them, because what
the law does is analytic in them. So the least class is that of each draw, and a draw that float64 cannot tell is asked again
in longer arithmetic (`signed_run`). In float64 two layers of Mamba seem to be moved by a law that returns them, by up to 3,600
times a floor, because their response to noise is far from linear; and of GLA with two layers 2 or 3 of 16 draws seem not to be
moved by the law of class 3. With enough digits every draw returns, and every draw is moved.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, whole
from theory import lie

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "least_class"


KINDS = "gla", "mamba", "signed_mamba", "aussm", "sums"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The kind, its layers, its width, letters of the words, and draws of weights and states."""

    kind: str = axis(*KINDS)
    layers: int = axis(1, 2)
    width: int = 2
    letters: int = 2
    draws: int = 32

    @property
    def judged(self) -> int:
        """Class of the law after which the states are compared with those before it."""
        return self.layers if self.kind == "sums" else 2 * self.layers

    @property
    def classes(self) -> int:
        """Laws of the classes 1, 2, ... are tried up to this one."""
        return min(self.judged + 1, 4)


DOMAIN = domain(
    kind=among(*KINDS, test=("gla",)),
    layers=whole(1, 2, test=1),
    width=whole(2, 4, quick=3),
    letters=whole(2, 4, quick=3),
    draws=among(4, test=(2,)),
    counts={"quick": 1, "full": 8},
)
GRIDS = {
    "test": Sizes(kind=axis("gla"), layers=axis(1), draws=2),
    "quick": Sizes(),
    "full": Sizes(draws=64),
    "paper": Sizes(draws=64, width=4),
}


def objects(cell: Sizes) -> dict:
    """The laws of every class as indices of signed letters; i + n is the inverse of i."""
    laws = [lie.solvable_law(cell.letters, c) for c in range(1, cell.classes + 1)]
    return {"laws": [np.array([letter + cell.letters * (sign < 0) for letter, sign in law]) for law in laws]}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The class, layers times the derived length of aff(1), or of a line without decay; no change of states after its law."""
    length = lie.named("abelian1" if cell.kind == "sums" else "aff1").derived_length or 0
    exact = {
        c: _exact(cell.letters, c, law) for c, law in enumerate(given["laws"][:3], 1)
    }  # the bracket of class 4 has degree 21
    laws = tuple(Hypothesis(f"the law of class {c} begins in degree m_{c}", holds) for c, holds in exact.items())
    return (
        Prediction(
            np.full(cell.draws, cell.layers * length),
            of="least_class",
            dims=("draw",),
            hypotheses=laws,
            formula=r"k\,\ell",
        ),
        Prediction(0.0, of="state_change", hypotheses=laws),
        Prediction((4 ** (min(length * cell.layers, 3) + 2) - 4) // 3, of="letters_read", formula=r"\sum_c 4^c"),
        Prediction([4 ** (length * cell.layers), 4 ** (length * cell.layers) // 2, 0], "judged_word", ("of",)),
        Prediction(cell.draws * cell.layers, of="layers_judged"),
        Prediction(cell.draws * cell.layers * _numbers(cell.kind, cell.width), of="numbers_judged"),
    )


def _numbers(kind: str, width: int) -> int:
    """The real numbers of a layer's state: a matrix, two states a channel, two complex ones, or one number a channel."""
    if kind in ("gla", "delta_product"):
        return width**2
    return width * {"mamba": 2, "signed_mamba": 2, "aussm": 4}.get(kind, 1)


def _exact(letters: int, c: int, law: np.ndarray) -> bool:
    signed = tuple((int(i) % letters, 1 if i < letters else -1) for i in law)
    return lie.leading_bracket(signed).degrees == (lie.derived_ideal_degree(letters, c),)


def _once(cell: Sizes, given: dict) -> bool:
    """Whether this cell is the one of its depth that measures controls with a kind of their own."""
    return cell.kind == "gla"


def _at_rest(cell: Sizes, given: dict) -> Prediction:
    """No change of states: of all that the claim predicts, this alone is false of a control."""
    return Prediction(0.0, of="state_change")


def _found(kind: str):
    """What a control of this kind looks at: the letters of one law, and the numbers of 48 draws."""

    def found(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
        numbers = 48 * cell.layers * _numbers(kind, cell.width)
        return Prediction(16**cell.layers, of="letters_read"), Prediction(numbers, of="numbers_judged")

    return found


CONTROLS = (
    control(
        "Householder products",
        "a law of class 2k returns k layers of DeltaProduct",
        measure="householder_products",
        predict=_at_rest,
        finds=_found("delta_product"),
        where=_once,
    ),
    control(
        "dense transitions",
        "a law of class 2k returns k layers of dense transitions",
        measure="dense_transitions",
        predict=_at_rest,
        finds=_found("dense"),
        where=_once,
    ),
    control("one layer more", "a law of class 2k returns k + 1 layers", instead={"state_change": "change_above"}),
)


def _of_sums(cell: Sizes, given: dict) -> Prediction | None:
    """The class of a cascade of k sums, in which nothing decays, for the other kinds."""
    return None if cell.kind == "sums" else Prediction(np.full(cell.draws, cell.layers), of="least_class", dims=("draw",))


RIVALS = (
    off_by(-1, of="least_class", name="one class lower"),
    off_by(+1, of="least_class", name="one class higher"),
    rival(
        "k",
        _of_sums,
        "a decay adds nothing: every layer adds one class, as in a cascade of sums",
    ),
)
