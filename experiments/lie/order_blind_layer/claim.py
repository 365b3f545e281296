r"""One abelian layer answers AB and BA alike, so it errs on one of them by at least half the distance of the right outputs.

Statement: Run the words AB and BA, each piece for a time s, from the state h0 and with the readout C. A system whose output
    depends only on the integrals of its inputs, such as one abelian layer with any readout, answers both words alike. Its
    larger error is at least half the distance of the two right outputs, and this distance is ||C [A, B] h0|| s^2 to leading
    order.
    $$ \max(\mathrm{err}_{AB}, \mathrm{err}_{BA}) \ge \tfrac12\bigl\|C(e^{sA}e^{sB} - e^{sB}e^{sA})h_0\bigr\|
       = \tfrac12\|C[A,B]h_0\|\,s^2 + O(s^3) $$
Hypotheses: the output depends only on the integrals of the inputs; C [A, B] h0 != 0 (checked exactly).
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, lower bound (v1), visibility
    added.
Refuted by: an order-blind output whose larger error passes under the floor, or a gap of another order or constant.
Cost: quick 7 s on one core, full about 8 s.

`theory.bounds.order_blind` gives an explicit floor for every s. The bracket must be visible, C [A, B] h0 != 0. v1 defines
minimality, which implies this, and does not name it in the lemma. Without it the floor fails (control): A = diag(1, 0),
B = E12 and h0 = e1 do not commute, and the two words end in one state.
"""

import dataclasses
import math
from fractions import Fraction
from functools import partial

import numpy as np

from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    off_by,
    rival,
    scaled,
    whole,
)
from experiments.lie.order_blind_layer.common import SIZE
from theory import bounds, lie

CLAIM = claim(Relation.AT_LEAST, needs_float64=True)
HEADLINE = "gap"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The algebra that the pair is taken from, and the pair; steps of s; random readouts near the best one."""

    algebra: str = axis("so3", "sl2", "se2", "heisenberg3", "aff1")
    draw: int = 0  # of the pair, the readout and the initial state; 0: by a formula
    steps: int = 16
    readouts: int = 8

    @property
    def times(self) -> np.ndarray:
        """The values of s."""
        return 2.0 ** (-np.arange(self.steps) / 2 - 2)


DOMAIN = domain(
    algebra=among("so3", "sl2", "sl3", "gl2", "gl3", "se2", "heisenberg3", "aff1", "aff2", "upper2", "upper3", "graded3"),
    draw=whole(1, 2**16),
)
GRIDS = {"test": Sizes(algebra=axis("sl2")), "quick": Sizes(), "full": Sizes(steps=24), "paper": Sizes(steps=24)}


def objects(cell: Sizes) -> dict:
    """A generic rational pair of the algebra, a readout and an initial state; and a pair whose bracket e1 does not see."""
    basis = list(lie.named(cell.algebra).matrices or ())
    count, size = len(basis), len(basis[0])
    weights = np.array([[Fraction((-1) ** (i * v), 1 + i + v) for v in range(count)] for i in range(2)])
    readout = np.array([[Fraction(1), Fraction(1, 2), Fraction(-1, 3)], [Fraction(0), Fraction(1), Fraction(1)]])
    start = np.array([Fraction(1), Fraction(2, 3), Fraction(1) if size == 3 else Fraction(0)])
    if cell.draw:
        weights, readout, start = _drawn(cell, np.array(basis, int))
    pair = np.tensordot(weights, np.array(basis, dtype=object), axes=1)
    return {
        "pair": np.pad(pair, ((0, 0), *[(0, SIZE - size)] * 2)),
        "readout": readout,
        "start": start,
        "hidden": np.pad(np.array([[[1, 0], [0, 0]], [[0, 1], [0, 0]]]), ((0, 0), (0, 1), (0, 1))),
    }


def _drawn(cell: Sizes, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of a pair, a readout and a start, thirds of small integers, between which the bracket is visible."""
    rng, size = np.random.default_rng(cell.draw), basis.shape[-1]
    while True:
        shapes = (2, len(basis)), (2, SIZE), (SIZE,)
        weights, readout, start = (rng.integers(-3, 4, shape).astype(object) * Fraction(1, 3) for shape in shapes)
        a, b = np.tensordot(weights, basis, axes=1)
        if (readout[:, :size] @ (a @ b - b @ a) @ start[:size]).any():
            return weights, readout, start


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The order and constant of the gap, the floor under every order-blind readout, and no gap for the hidden bracket.

    One layer answers C e^{s(A + B)} h0, the hidden pair leads e1 to e^s e1. The layer that counts has read one A and one B; the
    record of two layers has a one for each letter and its place, which the words put into different places.
    """
    a, b = given["pair"]
    visible = _norm(given["readout"] @ (a @ b - b @ a) @ given["start"])
    checks = (Hypothesis("the bracket is visible, C [A, B] h0 != 0", visible > 0),)
    gain = _norm(given["readout"]) * _norm(given["start"])  # a pair may answer next to nothing, so answers are no scale
    answers = np.stack([_exponential(s * (a + b).astype(float)) for s in cell.times]) @ given["start"].astype(float)
    answers = answers @ given["readout"].astype(float).T
    commuting = _words(a, a + a @ a, cell, given)
    floor = _floor(cell, visible, _norm(a) + _norm(b), gain) if visible else np.zeros(cell.steps)
    equals = partial(Prediction, relation=Relation.EQUALS)
    # A = diag(1, 0) and B = E12, so both words lead e1 to e^s e1, and neither turns it
    hidden = np.multiply.outer(np.expm1(2.0 ** (-np.arange(cell.steps) / 2 - 2)), [[1, 0, 0], [1, 0, 0]])
    return (
        Prediction(2, of="gap", relation=Relation.ORDER, constant=visible, hypotheses=checks, formula=r"\|C[A,B]h_0\| s^2"),
        Prediction(floor, of="worst_error", dims=("step",), resolution=0.02, hypotheses=checks),
        equals(answers, "one_layer", ("step", "output"), resolution=gain / 5000),
        equals(_words(a, b, cell, given), "outputs", ("step", "word", "output"), resolution=gain / 5000),
        equals(np.zeros((cell.steps, SIZE)), "hidden_gap", ("step", "number")),
        equals(hidden, "hidden_outputs", ("step", "word", "number")),
        equals(np.zeros(cell.steps), "gap_commuting", ("step",)),
        equals(commuting, "outputs_commuting", ("step", "word", "output"), resolution=gain / 5000),
        equals(cell.readouts + 2, "readouts"),
        equals(cell.readouts + 1, "different"),
        equals([[1, 1], [1, 1]], "counts", ("letter", "word")),
        equals(0, "count_change"),
        equals(4, "record_change"),
    )


def _words(a: np.ndarray, b: np.ndarray, cell: Sizes, given: dict) -> np.ndarray:
    """What the readout shows of both words, without the start, from the exponentials of the single letters."""
    outputs = []
    for s in cell.times:
        one, other = (_exponential(s * letter.astype(float)) for letter in (a, b))
        outputs.append([one + other + one @ other, one + other + other @ one])
    return np.array(outputs) @ given["start"].astype(float) @ given["readout"].astype(float).T


def _floor(cell: Sizes, bracket: float, mass: float, gain: float) -> np.ndarray:
    return np.array([bounds.order_blind(bracket=bracket, step=s, mass=mass, gain=gain).at() for s in cell.times])


def _norm(array: np.ndarray) -> float:
    return float(np.linalg.norm(array.astype(float), 2))


def _exponential(x: np.ndarray) -> np.ndarray:
    """The exponential of a matrix without its constant term, by its series."""
    total, term = np.zeros_like(x), np.eye(len(x))
    for n in range(1, 60):
        term = term @ x / n
        total = total + term
    return total


def _without_visibility(cell: Sizes, given: dict) -> Prediction:
    a, b = given["hidden"]
    return Prediction(_floor(cell, _norm(a @ b - b @ a), 2, 1), of="hidden_gap", dims=("step",))


def _norms_multiplied(cell: Sizes, given: dict) -> Prediction:
    a, b = given["pair"]
    return Prediction(
        2, "gap", (), Relation.ORDER, constant=math.prod(map(_norm, (given["readout"], a @ b - b @ a, given["start"])))
    )


CONTROLS = (
    control(
        "a pair that commutes",
        "order-blind readouts err on a pair that commutes as well",
        instead={"worst_error": "gap_commuting"},
    ),
    control(
        "no visibility: every pair that does not commute",
        "the floor holds whenever A and B do not commute",
        predict=_without_visibility,
    ),
    control("two layers", "a clock and a table of letters end in one state too", instead={"count_change": "record_change"}),
)


RIVALS = (
    off_by(-1, of="gap", name="order one"),
    off_by(+1, of="gap", name="order three"),
    scaled(1.5, of="constant", name="constant half as large again"),
    scaled(1.5, of="worst_error", name="three quarters of the gap"),
    rival(
        "norms multiplied",
        _norms_multiplied,
        "the gap is the product of the norms of C, [A, B] and h0, whatever C and h0 see of the bracket",
    ),
)
