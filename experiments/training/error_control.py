r"""An affine recurrence that returns every class to its place is the identity between classes: noise there adds up.

Statement: Let h <- A_x h + b_x, and let a word w return every class centre c_i to itself. On the span U of the differences of
    centres the Jacobian A_w is then the identity. Let S be a frame in which the maps are orthogonal on U, and Q the projection
    onto U. Independent noise of covariance s^2 I at every step has, after t steps, the mean square t s^2 ||Q S^-1||_F^2 in the
    coordinates S^-1 h within U. Snapping to the nearest centre after every step corrects it.
    In the coordinates that contract by half their mean square tends to 4/3 of one step's.
    $$ A_w c_i + b_w = c_i\ \forall i \;\Rightarrow\; A_w|_U = I,\qquad E\|Q S^{-1}(h_t - c)\|^2 = t\, s^2 \|Q S^{-1}\|_F^2 $$
Hypotheses: the word returns every class centre to itself (measured); the noise is independent, centred, of equal variance.
Source: Chung, Choi, Kim, “Rethinking State Tracking in Recurrent Models Through Error Control Dynamics”, arXiv 2605.07755,
    return maps; the exact variance is derived here.
Refuted by: a Jacobian off the identity on U by more than rounding, another variance, or a snapped state that is misread.
Cost: seconds on a CPU.

A_w (c_i - c_j) = c_i - c_j, which is the first statement. So the recurrence corrects no error within U, and independent errors
are summed there: their standard deviation grows like sqrt(t). A snap is not affine, so it is not bound by this; with gaps of
16 s between centres a misreading has a chance below 1e-13 a step.

The maps are permutations of n points beside two coordinates that contract by half, conjugated by a random well-conditioned S.
Errors in the two coordinates vanish: the identity holds on U alone.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.scans.tables import prefix_products
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import groups

CLAIM = claim(Relation.EQUALS, needs_float64=True)

SKEWNESS = 8**0.5  # of the square of a normal number; a sum of such squares is less skewed
GAP = 16.0  # least distance of two centres, in standard deviations of the noise
OUTSIDE = 2  # coordinates that contract


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
    """The Cayley table with inverses, and the permutations."""
    group = groups.group(cell.group)
    return {"table": group.table, "permutations": np.asarray(group.permutations), "inverses": group.inverses}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Centres in place, the identity on U, the exact mean square, and no snapped state misread."""
    moves = bool((given["permutations"] != given["permutations"][:1]).any(axis=0).all())
    faithful = (Hypothesis("every point is moved, so that centres differ in all of U", moves),)
    return (
        Prediction(0, of="centres_moved", hypotheses=faithful),
        Prediction(0, of="jacobian_defect", hypotheses=faithful, formula="A_w|_U - I"),
        _growth(cell, cell.length),
        # the variance of what is left of a step falls fourfold with each step after it
        Prediction(sum(0.25**step for step in range(cell.length)), of="growth_outside", mean="word", skewness=SKEWNESS),
        Prediction(0, of="snapped_misread"),
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
    blocks[:, :points, :points] = permutations[:, None, :] == np.arange(points)[:, None]  # P[x] sends e_i to e_{x(i)}
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
    found = _walked(maps, shift, centres, given["table"].T, given["inverses"], words, draws)
    ends, strayed, jacobian, states, reached, right, snapped = (np.asarray(part) for part in found)

    between, outside = centres - centres[:1], frame[:, points:]
    defect = np.abs(between @ jacobian.T - between).max()
    elsewhere = np.abs(jacobian @ outside - outside).max()
    apart = ((states - centres[reached]) @ back.T)[:, :points]
    inside = apart - apart.mean(axis=1, keepdims=True)
    project = (np.eye(points) - 1 / points) @ back[:points]
    one_step = noise**2 * (project**2).sum()
    contracted = ((states - centres[reached]) @ back.T)[:, points:]
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
    )


@jax.jit
def _walked(maps, shift, centres, table, inverses, words, draws) -> tuple[jax.Array, ...]:
    """Walk along words (length, words); one program for all that a cell needs.

    Returned: where the first word takes every centre if its last letter makes it a return word, and if it is another letter;
    the return word's Jacobian; the noisy states at the ends of all words, the numbers of the centres that belong there, whether
    each is nearest to its own, and whether it is if it was snapped after every step.
    """
    centre = prefix_products(table, words.T)
    home = words[:, 0].at[-1].set(inverses[centre[0, -2]])
    astray = home.at[-1].set((home[-1] + 1) % len(table))

    def move(state, letters):
        return jnp.einsum("bij,bj->bi", maps[letters], state) + shift[None]

    def along(states, word):
        return jax.lax.scan(lambda states, x: (states @ maps[x].T + shift[None], None), states, word)[0]

    def step(pair, now):
        letters, drawn = now
        free, snapped = (move(state, letters) + drawn for state in pair)
        return (free, centres[_nearest(snapped, centres)]), None

    begin = jnp.broadcast_to(centres[:1], draws.shape[1:])
    (free, snapped), _ = jax.lax.scan(step, (begin, begin), (words, draws))
    last = centre[:, -1]
    kept = (_nearest(state, centres) == last for state in (free, snapped))
    jacobian = jax.jacfwd(lambda h: along(h[None], home)[0])(centres[0])
    return along(centres, home), along(centres, astray), jacobian, free, last, *kept


def _nearest(states: jax.Array, centres: jax.Array) -> jax.Array:
    return jnp.argmin(jnp.square(states[:, None] - centres[None]).sum(axis=-1), axis=1)


CONTROLS = (
    control("another last letter", "such a word moves no centre either", instead={"centres_moved": "centres_strayed"}),
    control("where the maps contract", "errors add up there as well", instead={"growth": "growth_outside"}),
    control(
        "the identity everywhere",
        "the Jacobian of a return word is the identity outside U as well",
        instead={"jacobian_defect": "jacobian_defect_outside"},
    ),
    control("no snap is needed", "no state is misread without snapping either", instead={"snapped_misread": "misread"}),
)
RIVALS = (
    rival("noise is corrected", lambda cell, given: _growth(cell, 1), "the error after t steps is that of one step"),
    rival("noise drifts", lambda cell, given: _growth(cell, cell.length**2), "the mean square error grows like t^2"),
)
