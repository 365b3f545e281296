r"""An affine recurrence that keeps the classes apart never corrects an error between them; snapping does.

Statement: let h <- A_x h + b_x, and let a word w that multiplies to the identity return every class centre to itself,
A_w c_i + b_w = c_i. Then A_w (c_i - c_j) = c_i - c_j: on the span U of the differences of centres the map is the identity.

(a) So the Jacobian of the recurrence along w, restricted to U, is the identity, whatever happens outside U.

(b) Independent noise of covariance s^2 I at every step is therefore summed: where the maps are S P_x S^{-1} on U with P_x
orthogonal, the mean square error in the coordinates S^{-1} h, restricted to U, is t s^2 ||Q S^{-1}||_F^2 after t steps
(Q projects onto U), a standard deviation of order sqrt(t).

(c) A nearest-centre snap after every step corrects it: with gaps of 16 s a misreading has a chance below 1e-13 a step. It is
not affine, so (a) does not bind it.

The maps here: permutations of n points, conjugated by a random well-conditioned S, beside two coordinates that contract by
half. Errors there do vanish, which is the control: the identity holds on U alone.

Source: Chung, Choi, Kim, arXiv 2605.07755; the exact variance is derived here. Refuted by: a Jacobian off the identity on U by
more than rounding, another variance, or a snapped state that is misread. Cost: seconds on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.tasks.words import prefix_products
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import groups

CLAIM = Claim(
    slug="error_control",
    title="An affine recurrence that returns every class to its place is the identity between classes: noise there adds up",
    statement=(
        "If a return word maps every class centre to itself, the affine map is the identity on their differences; noise of "
        "covariance s^2 I then has mean square t s^2 ||Q S^-1||_F^2 after t steps, unless states are snapped to their centres."
    ),
    latex=r"A_w c_i + b_w = c_i\ \forall i \;\Rightarrow\; A_w|_U = I,\qquad"
    r" E\|Q S^{-1}(h_t - c)\|^2 = t\, s^2 \|Q S^{-1}\|_F^2",
    relation=Relation.EQUALS,
    source=Source(
        "Chung, Choi, Kim",
        "Rethinking State Tracking in Recurrent Models Through Error Control Dynamics",
        "arXiv 2605.07755",
        "return maps",
    ),
    assumes=("the word returns every class centre to itself (measured)", "noise is independent, centred, of equal variance"),
    refuted_by="a Jacobian off the identity on U, a variance that does not grow like t, or a snapped state that is misread",
    cost="seconds on a CPU",
    needs_float64=True,
)

GAP = 16.0  # least distance of two centres, in standard deviations of the noise
OUTSIDE = 2  # coordinates that contract


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups of permutations; the length of return words; how many noisy words."""

    group: str = axis("S3", "A4", "A5")
    length: int = 128
    words: int = 1024


GRIDS = {"quick": Sizes(), "full": Sizes(words=32_768), "paper": Sizes(words=131_072, length=1024)}


def setting(cell: Sizes) -> dict:
    """Cayley table and permutations."""
    group = groups.group(cell.group)
    return {"table": group.table, "permutations": np.asarray(group.permutations), "inverses": group.inverses}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Identity on U, centres in place, the exact variance (in units of its own prediction), no misread snapped state."""
    moves = bool((given["permutations"] != given["permutations"][:1]).any(axis=0).all())
    faithful = (Hypothesis("every point is moved, so that centres differ in all of U", moves),)
    return (
        Prediction(0, of="centres_moved", hypotheses=faithful),
        Prediction(0, of="jacobian_defect", hypotheses=faithful, formula="A_w|_U - I"),
        Prediction(1, of="growth", mean="word", resolution=1.0, formula=r"E\|Q S^{-1} e_t\|^2 / (t s^2 \|Q S^{-1}\|_F^2)"),
        Prediction(0, of="snapped_misread"),
    )


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
    ends, jacobian, states, reached, right, snapped = (np.asarray(part) for part in found)

    moved = np.abs(ends - centres).max()
    between, outside = centres - centres[:1], frame[:, points:]
    defect = np.abs(between @ jacobian.T - between).max()
    elsewhere = np.abs(jacobian @ outside - outside).max()
    apart = ((states - centres[reached]) @ back.T)[:, :points]
    inside = apart - apart.mean(axis=1, keepdims=True)
    project = (np.eye(points) - 1 / points) @ back[:points]
    squares = (inside**2).sum(axis=1) / (cell.length * noise**2 * (project**2).sum())
    magnitude = float(np.abs(centres).max() * np.linalg.cond(frame))
    floor = rounding_floor(2 * size * cell.length, jnp.dtype(jacobian.dtype), magnitude)
    return xr.Dataset(
        {
            "centres_moved": ((), float(moved), {"long_name": "how far a return word moves a centre"}),
            "centres_moved_floor": ((), floor),
            "jacobian_defect": ((), float(defect), {"long_name": "Jacobian minus identity, between centres"}),
            "jacobian_defect_floor": ((), floor),
            "jacobian_defect_outside": ((), float(elsewhere), {"long_name": "the same outside"}),
            "growth": (
                "word",
                squares,
                {"long_name": f"square error after {cell.length} steps, over its predicted mean"},
            ),
            "snapped_misread": ((), int((~snapped).sum()), {"long_name": "misread snapped states"}),
            "misread": ((), int((~right).sum()), {"long_name": "misread states"}),
        }
    )


@jax.jit
def _walked(maps, shift, centres, table, inverses, words, draws) -> tuple[jax.Array, ...]:
    """Walk along words (length, words); one program for all that a cell needs.

    Returned: where the first word, its last letter chosen so that it is a return word, takes every centre, and its Jacobian;
    the noisy states at the ends of all words, the numbers of the centres that belong there, whether each is nearest to its
    own, and whether it is if it was snapped after every step.
    """
    centre = prefix_products(table, words.T)
    home = words[:, 0].at[-1].set(inverses[centre[0, -2]])

    def move(state, letters):
        return jnp.einsum("bij,bj->bi", maps[letters], state) + shift[None]

    def along(states):
        return jax.lax.scan(lambda states, x: (states @ maps[x].T + shift[None], None), states, home)[0]

    def step(pair, now):
        letters, drawn = now
        free, snapped = (move(state, letters) + drawn for state in pair)
        return (free, centres[_nearest(snapped, centres)]), None

    begin = jnp.broadcast_to(centres[:1], draws.shape[1:])
    (free, snapped), _ = jax.lax.scan(step, (begin, begin), (words, draws))
    last = centre[:, -1]
    kept = (_nearest(state, centres) == last for state in (free, snapped))
    return along(centres), jax.jacfwd(lambda h: along(h[None])[0])(centres[0]), free, last, *kept


def _nearest(states: jax.Array, centres: jax.Array) -> jax.Array:
    return jnp.argmin(jnp.square(states[:, None] - centres[None]).sum(axis=-1), axis=1)


CONTROLS = (
    Control(
        "the identity everywhere",
        "the Jacobian of a return word is the identity outside U as well",
        lambda cell, given: Prediction(0, of="jacobian_defect_outside"),
    ),
    Control(
        "noise is corrected",
        "the error after t steps is that of one step: a share 1 / t of the predicted",
        lambda cell, given: Prediction(1 / cell.length, of="growth", mean="word", resolution=1.0),
    ),
    Control(
        "noise adds up like a drift",
        "the mean square error grows like t^2",
        lambda cell, given: Prediction(cell.length, of="growth", mean="word", resolution=1.0),
    ),
    Control(
        "no snap is needed",
        "no state is misread without snapping either",
        lambda cell, given: Prediction(0, of="misread"),
    ),
)
