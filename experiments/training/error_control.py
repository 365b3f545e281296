r"""An affine recurrence that returns every class to its place corrects nothing in between: noise diffuses, wrong maps drift.

Statement: Let h <- A_x h + b_x, and let a word w return every class centre c_i to itself. On the span U of the differences of
    centres the Jacobian A_w is then the identity. Let S be a frame in which the maps are orthogonal on U, and Q the projection
    onto U. Independent noise of covariance s^2 I at every step has, after t steps, the mean square t s^2 ||Q S^-1||_F^2 in the
    coordinates S^-1 h within U. Snapping to the nearest centre after every step corrects it.
    Where the maps contract by half their mean square tends to 4/3 of one step's. Errors fixed in the maps, as those of a
    recurrence that is trained nearly right, have after random letters the mean square t + t(t-1)/(|G| (n-1)^2) of one step's.
    They drift: a return word is first misread after a number of readings like one over their size.
    $$ A_w c_i + b_w = c_i\ \forall i \;\Rightarrow\; A_w|_U = I,\qquad E\|Q S^{-1}(h_t - c)\|^2 = t\, s^2 \|Q S^{-1}\|_F^2 $$
Hypotheses: the word returns every class centre to itself (measured); the noise is independent, centred, of equal variance;
    errors of maps are small, independent and normal, and permutations of n points are two-fold transitive.
Source: Chung, Choi, Kim, “Rethinking State Tracking in Recurrent Models Through Error Control Dynamics”, arXiv 2605.07755,
    return maps; the exact variances are derived here.
Refuted by: a Jacobian off the identity on U by more than rounding, another variance, another order of the readings, or a
    snapped state that is misread.
Cost: quick 15 s on one core, full about a minute.

A_w (c_i - c_j) = c_i - c_j, which is the first statement. So the recurrence corrects no error within U, and independent errors
are summed there: their standard deviation grows like sqrt(t). A snap is not affine, so it is not bound by this; with gaps of
16 s between centres a misreading has a chance below 1e-13 a step.

The maps are permutations of n points beside two coordinates that contract by half, conjugated by a random well-conditioned S.
Errors there vanish: the identity holds on U alone. The drift of wrong maps is derived in `theory.groups.drift` and measured on
the points alone, with one random recurrence for each word; length and resolution were set after an open quick run.
Readings are a / s + b: their ratio was judged first, which b REFUTED at one root seed of ten; differences are judged now.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.drift import drifted, horizons, permutation_matrices, walked
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival, scaled
from theory import groups
from theory.groups.drift import drift_growth

CLAIM = claim(Relation.EQUALS, needs_float64=True)

SKEWNESS = 8**0.5  # of the square of a normal number; a sum of such squares is less skewed
GAP = 16.0  # least distance of two centres, in standard deviations of the noise
OUTSIDE = 2  # coordinates that contract
LONGER = 6  # times the length of the other words, so that wrong maps drift visibly
SMALL = 1e-7  # size of the errors of the maps: what is not linear in them is left out


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups of permutations; length and number of words."""

    group: str = axis("S3", "A4", "A5")
    length: int = 128
    words: int = 1024


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
    return {"table": group.table, "permutations": permutations, "inverses": group.inverses, "start": start}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Centres in place, the identity on U, the exact mean square, and no snapped state misread."""
    moves = bool((given["permutations"] != given["permutations"][:1]).any(axis=0).all())
    faithful = (Hypothesis("every point is moved, so that centres differ in all of U", moves),)
    drift = float(drift_growth(given["permutations"].tolist(), given["start"].tolist(), LONGER * cell.length))
    return (
        Prediction(0, of="centres_moved", hypotheses=faithful),
        Prediction(0, of="jacobian_defect", hypotheses=faithful, formula="A_w|_U - I"),
        _growth(cell, cell.length),
        # the variance of what is left of a step falls fourfold with each step after it
        Prediction(sum(0.25**step for step in range(cell.length)), of="growth_outside", mean="word", skewness=SKEWNESS),
        Prediction(0, of="snapped_misread"),
        Prediction(
            drift, of="drift", mean="word", resolution=drift - LONGER * cell.length, formula=r"t + t (t - 1) / |G| (n - 1)^2"
        ),
        Prediction(2, of="readings_ratio", formula=r"(T(s / 4) - T(s / 2)) / (T(s / 2) - T(s))", resolution=1.0),
    )


def _growth(cell: Sizes, factor: int) -> Prediction:
    formula = r"E\|Q S^{-1} e_t\|^2 / (s^2 \|Q S^{-1}\|_F^2)"
    return Prediction(factor, of="growth", mean="word", skewness=SKEWNESS, formula=formula)


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """A return word's Jacobian and its effect on centres; noisy words with and without snapping."""
    permutations, order = given["permutations"], len(given["table"])
    points, rng = permutations.shape[1], np.random.default_rng(np.asarray(jax.random.key_data(key)))
    size = points + OUTSIDE
    # singular values of S within a factor of two: an orthogonal matrix times a mild diagonal
    frame = np.linalg.qr(rng.standard_normal((size, size)))[0] * np.linspace(1.0, 2.0, size)
    back = np.linalg.inv(frame)
    blocks = np.zeros((order, size, size))
    blocks[:, :points, :points] = permutation_matrices(permutations)
    outwards = np.diag(np.repeat([0.0, 1.0], [points, OUTSIDE]))
    maps = frame @ (blocks + 0.5 * outwards) @ back
    shift = 0.5 * frame @ outwards.sum(axis=1)
    start = np.concatenate([rng.permutation(np.arange(1.0, points + 1)), np.ones(OUTSIDE)])
    centres = (blocks + outwards) @ start @ frame.T
    gaps = np.linalg.norm(centres[:, None] - centres, axis=-1)
    noise = gaps[gaps > 0].min() / GAP
    words = rng.integers(0, order, (cell.length, cell.words))
    draws = noise * rng.standard_normal((cell.length, cell.words, size))
    # later letters act on the left
    found = walked(maps, shift, centres, given["table"].T, given["inverses"], words, draws)
    ends, strayed, jacobian, states, reached, right, snapped = (np.asarray(part) for part in found)
    between, outside = centres - centres[:1], frame[:, points:]
    defect = np.abs(between @ jacobian.T - between).max()
    elsewhere = np.abs(jacobian @ outside - outside).max()
    coordinates = (states - centres[reached]) @ back.T
    apart, contracted = coordinates[:, :points], coordinates[:, points:]
    inside = apart - apart.mean(axis=1, keepdims=True)
    project = (np.eye(points) - 1 / points) @ back[:points]
    one_step = noise**2 * (project**2).sum()
    one_outside = noise**2 * (back[points:] ** 2).sum()
    magnitude = float(np.abs(centres).max() * np.linalg.cond(frame))
    floor = rounding_floor(2 * size * cell.length, jnp.dtype(jacobian.dtype), magnitude)
    return measured(
        centres_moved=Quantity(np.abs(ends - centres).max(), floor=floor, label="how far a return word moves a centre"),
        centres_strayed=Quantity(np.abs(strayed - centres).max(), floor=floor, label="the same, another last letter"),
        jacobian_defect=Quantity(defect, floor=floor, label="Jacobian minus identity, between centres"),
        jacobian_defect_outside=Quantity(elsewhere, floor=floor, label="Jacobian minus identity, outside"),
        growth=Quantity((inside**2).sum(axis=1) / one_step, "word", label="square error", unit="mean square of one step"),
        growth_outside=Quantity((contracted**2).sum(axis=1) / one_outside, "word", label="the same where the maps contract"),
        snapped_misread=Quantity(int((~snapped).sum()), label="misread snapped states"),
        misread=Quantity(int((~right).sum()), label="misread states"),
        **_drift(cell, jax.random.fold_in(key, 1), given),
    )


def _drift(cell: Sizes, key: jax.Array, given: dict, fresh: bool = False) -> dict[str, Quantity]:
    """Recurrences with wrong maps: square errors after random words, and readings of a return word until one is wrong."""
    order, blocks, start = len(given["table"]), permutation_matrices(given["permutations"]), given["start"].astype(float)
    first, second = np.random.default_rng(np.asarray(jax.random.key_data(key))).integers(1, order, 2)
    word = blocks[[first, second, given["inverses"][given["table"][second, first]]]]
    words = jax.random.randint(key, (LONGER * cell.length, cell.words // (4 if fresh else 1)), 0, order)
    error = drifted(key, jnp.asarray(blocks), jnp.asarray(start), words, jnp.asarray(SMALL), fresh=fresh)
    # noise misreads later than wrong maps of the same size, so larger ones show its ratio
    sizes, often = 2.0 ** (-np.arange(3) - (4 if fresh else 9)), {"count": 65, "most": 2048, "fresh": fresh}
    read = np.median(horizons(key, jnp.asarray(word), jnp.asarray(blocks @ start), jnp.asarray(sizes), **often), axis=1)
    early, late = np.diff(read)  # a constant that does not grow is gone; whole numbers, so each is known to one reading
    return {
        "drift": Quantity(np.asarray(error), "word", label="square error of wrong maps", unit="mean square of one step"),
        "readings_ratio": Quantity(late / early, sampling=(1 + late / early) / (early - 1), label="ratio of readings"),
    }


CONTROLS = (
    control("another last letter", "such a word moves no centre either", instead={"centres_moved": "centres_strayed"}),
    control("where the maps contract", "errors add up there as well", instead={"growth": "growth_outside"}),
    control("the identity everywhere", "it is so outside U as well", instead={"jacobian_defect": "jacobian_defect_outside"}),
    control(
        "errors drawn at every step",
        "errors that are drawn at every step drift as well",
        measure=lambda cell, key, given: measured(**_drift(cell, key, given, fresh=True)),
    ),
    control("no snap is needed", "no state is misread without snapping either", instead={"snapped_misread": "misread"}),
)
RIVALS = (
    rival("noise is corrected", lambda cell, given: _growth(cell, 1), "the error after t steps is that of one step"),
    rival("wrong maps diffuse", lambda cell, given: Prediction(LONGER * cell.length, "drift", mean="word"), "like noise"),
    scaled(2.0, of="readings_ratio", name="misread like noise", statement="readings grow like one over the square of the size"),
    rival("noise drifts", lambda cell, given: _growth(cell, cell.length**2), "the mean square error grows like t^2"),
)
