r"""An affine recurrence that returns every class to its place corrects nothing in between: noise diffuses, wrong maps drift.

Statement: Let h <- A_x h + b_x, and let a word w return every class centre c_i to itself. On the span U of the differences of
    centres the Jacobian A_w is then the identity. Let S be a frame in which the maps are orthogonal on U, and Q the projection
    onto U. Independent noise of covariance s^2 I at every step has, after t steps, the mean square t s^2 ||Q S^-1||_F^2 in the
    coordinates S^-1 h within U. Snapping to the nearest centre after every step corrects it: what is left is that of one step.
    Where the maps contract by half their mean square tends to 4/3 of one step's. Errors fixed in the maps, as those of a
    recurrence that is trained nearly right, have after random letters the mean square t + t(t-1) c of one step's, where the
    exact c is 1/(|G| (n-1)^2) if the permutations of n points are two-fold transitive. They drift: a return word is first
    misread after a number of readings like one over their size.
    $$ A_w c_i + b_w = c_i\ \forall i \;\Rightarrow\; A_w|_U = I,\qquad E\|Q S^{-1}(h_t - c)\|^2 = t\, s^2 \|Q S^{-1}\|_F^2 $$
Hypotheses: the word returns every class centre to itself (measured); the noise is independent, centred, of equal variance;
    errors of maps are small, independent and normal; a group of permutations that moves every point; centred states where maps
    are wrong (checked).
Source: Chung, Choi, Kim, “Rethinking State Tracking in Recurrent Models Through Error Control Dynamics”, arXiv 2605.07755,
    return maps; the exact variances are derived here.
Refuted by: a Jacobian off the identity on U by more than rounding, another variance, another order of the readings, or a
    snapped state that is misread.
Cost: quick 15 s on one core, full about a minute.

A_w (c_i - c_j) = c_i - c_j, which is the first statement. So the recurrence corrects no error within U, and independent errors
are summed there: their standard deviation grows like sqrt(t). A snap is not affine, so it is not bound by this; with gaps of
16 s between centres a misreading has a chance below 1e-13 a step.

The maps are permutations of n points beside two coordinates that contract by half, conjugated by a random well-conditioned S.
Errors there vanish: the identity holds on U alone. The drift of wrong maps is derived in `drift_law` and measured on the
points alone, with one random recurrence for each word, to about 6 in 100 of its mean square: a factor 1.03 of it is not seen at
quick. Readings are a / s + b, so their differences are judged and not their
ratio, which b changes.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, rival, scaled, whole
from experiments.training.error_control.drift_law import drift_growth
from theory import groups

CLAIM = claim(Relation.EQUALS, needs_float64=True)
LONGER = 6  # times the length of the other words, where maps are wrong
READINGS = 2048  # of a word, where none is wrong; a word that does not return is misread at once
RECURRENCES = 4096  # with wrong maps, where there are fewer words
SKEWNESS = 8**0.5  # of the square of a normal number; a sum of such squares is less skewed


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups of permutations; the order in which the points have their numbers; length and number of words."""

    group: str = axis("S3", "A4", "A5")
    relabel: int = 0  # 0: in rising order
    length: int = 128
    words: int = 1024


DOMAIN = domain(
    group=among("C3", "C4", "C5", "C6", "D3", "D4", "D5", "D6", "Q8", "S3", "A4", "S4", "A5"),
    relabel=whole(0, 2**16),
    length=whole(32, 256, quick=144, test=48),
)
GRIDS = {
    "test": Sizes(group=axis("S3"), length=32),
    "quick": Sizes(),
    "full": Sizes(words=32_768),
    "paper": Sizes(words=131_072, length=1024),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table with inverses, the permutations, and centred numbers for the points."""
    group = groups.group(cell.group)
    permutations, points = np.asarray(group.permutations), len(group.permutations[0])
    start = 2 * np.arange(points) - points + 1
    start = np.random.default_rng(cell.relabel).permutation(start) if cell.relabel else start
    return {"table": group.table, "permutations": permutations, "inverses": group.inverses, "start": start}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Centres in place, the identity on U, the exact mean square, all words at their products, and no snapped state misread."""
    moves = bool((given["permutations"] != given["permutations"][:1]).any(axis=0).all())
    faithful = (Hypothesis("every point is moved, so that centres differ in all of U", moves),)
    centred = Hypothesis("the numbers of the points have the sum zero", int(given["start"].sum()) == 0)
    drift = float(drift_growth(given["permutations"].tolist(), given["start"].tolist(), LONGER * cell.length))
    return (
        Prediction(0, of="centres_moved", hypotheses=faithful),
        Prediction(0, of="jacobian_defect", hypotheses=faithful, formula="A_w|_U - I"),
        _growth(cell, cell.length),
        _growth(cell, 1, of="growth_snapped"),
        # the variance of what is left of a step falls fourfold with each step after it
        Prediction(sum(0.25**step for step in range(cell.length)), of="growth_outside", mean="word", skewness=SKEWNESS),
        # what contracts by half is as good as gone after the word
        Prediction(1 - 0.5**cell.length, of="jacobian_defect_outside"),
        Prediction(0, of="snapped_misread"),
        Prediction(
            drift,
            of="drift",
            mean="recurrence",
            resolution=drift - LONGER * cell.length,
            hypotheses=(centred,),
            formula=r"t + t (t - 1) / |G| (n - 1)^2",
        ),
        # each word leads to its own product, and so many random words have all elements as products
        Prediction([max(cell.words, RECURRENCES), len(given["permutations"])], of="ends", dims=("end",), hypotheses=faithful),
        Prediction([READINGS, 0], of="exact_readings", dims=("word_read",)),
        Prediction(2, of="readings_ratio", formula=r"(T(s / 4) - T(s / 2)) / (T(s / 2) - T(s))", resolution=1.0),
    )


def _growth(cell: Sizes, factor: int, of: str = "growth") -> Prediction:
    formula = r"E\|Q S^{-1} e_t\|^2 / (s^2 \|Q S^{-1}\|_F^2)"
    return Prediction(factor, of=of, mean="word", skewness=SKEWNESS, formula=formula)


def _diffused(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Fresh errors of t steps are independent, and orthogonal maps keep their sizes: they sum to t, for a quarter of words."""
    steps = LONGER * cell.length
    drift = drift_growth(given["permutations"].tolist(), given["start"].tolist(), steps)
    mean = Prediction(steps, of="drift", mean="recurrence", resolution=float(drift) - steps)
    return mean, Prediction(cell.words // 4, of="recurrences")


CONTROLS = (
    control("another last letter", "such a word moves no centre either", instead={"centres_moved": "centres_strayed"}),
    control("snaps that are left out", "errors are those of one step then as well", instead={"growth_snapped": "growth"}),
    control("where the maps contract", "errors add up there as well", instead={"growth": "growth_outside"}),
    control("the identity everywhere", "it is so outside U as well", instead={"jacobian_defect": "jacobian_defect_outside"}),
    control(
        "errors drawn at every step",
        "errors that are drawn at every step drift as well",
        measure="errors_drawn_at_every_step",
        finds=_diffused,
    ),
    control("no snap is needed", "no state is misread without snapping either", instead={"snapped_misread": "misread"}),
)


RIVALS = (
    rival("noise is corrected", lambda cell, given: _growth(cell, 1), "the error after t steps is that of one step"),
    rival("wrong maps diffuse", lambda cell, given: Prediction(LONGER * cell.length, "drift", mean="recurrence"), "like noise"),
    scaled(2.0, of="readings_ratio", name="misread like noise", statement="readings grow like one over the square of the size"),
    rival("noise drifts", lambda cell, given: _growth(cell, cell.length**2), "the mean square error grows like t^2"),
)
