r"""A unitary recurrence of order m is read rightly for pi / (phi m ulp) steps, a sum of angles for sqrt(2 / (m ulp)).

Statement: Keep a count modulo m as a unit complex number, z <- exp(2 pi i a / m) z, read it as its nearest m-th root, and
    round every operation to a type with spacing ulp; phi is the golden ratio. (a) For every word the reading is right
    through step pi / (m arcsin gamma), which is pi / (phi m ulp) to leading order. (c) If the angle of a letter is off by
    delta > arcsin gamma, the word of this letter is misread between pi / (m (delta + arcsin gamma)) and pi / (m (delta -
    arcsin gamma)) + 1. (d) A sum of angles that is never reduced is right for about sqrt(2 / (m ulp)) steps only, and
    misread by step 6 / ulp + 2. (e) Snapping to the nearest root at every step removes the limit while gamma < sin(pi / m).
    $$ T \ge \frac{\pi}{m \arcsin\gamma} \approx \frac{\pi}{\varphi\, m\, \mathrm{ulp}},\quad
       \gamma = \left(1 + \tfrac{\mathrm{ulp}}{2}\right)\left(1 + \tfrac{\sqrt5\,\mathrm{ulp}}{2}\right) - 1 $$
Hypotheses: one rounding to nearest per operation, with gradual underflow; m >= 3, and one step's rounding is readable,
    gamma < sin(pi / m) (checked).
Source: this project, “stated here first”, for the estimate pi / (m ulp) about arXiv 2507.05238.
Refuted by: a misread step inside a guarantee, a right one beyond a loss, or a snapped count that is misread.
Cost: quick 10 s on a CPU.

Derivation: a stored root is off by ulp / 2 at most, and a complex product by sqrt(5) ulp / 2 of its modulus. A prefix sum
of angles is rounded within its own growing size.

(b) The guarantee (a) is no lifetime. The estimate "lost after about pi / (m ulp) steps", from discussions of Karuvally et
al., arXiv 2507.05238, and Shakerinava et al., arXiv 2603.01959, takes rounding for a drift of one ulp a step. It is not:
conjugate words err by opposite angles, so uniform words have no drift at all, and a letter repeated soon runs into an exact
cycle of rounded numbers. At four times that estimate nothing was lost (rival).
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.phases import angle_failures, unitary_failures
from depthjax.tasks.words import uniform_words
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival, same_as
from theory import bounds

CLAIM = claim(Relation.AT_LEAST, needs_float64=True)

OFF = 8  # of a letter's angle, in ulp

# counts whose guarantee says something and can be walked to several times its end: between 8 and 60 000 steps
ORDERS = {"bfloat16": (5, 12, 24), "float16": (5, 12, 24, 60), "float32": (360,)}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Types, orders of the count, random words beside the constant ones, and their length in units of pi / (m ulp).

    A sum of angles in bfloat16 at order 24 keeps the guarantee on six words of seven. So all of 8 words, the former number,
    kept it at 2 of 7 root seeds, and the rival stood. All of 48 words do once in a thousand runs.
    """

    dtype: str = axis("bfloat16", "float16", "float32")
    order: int = axis(5, 12, 24, 60, 360)
    words: int = 48
    times: int = 4

    def allows(self) -> bool:
        """Whether the guarantee says something and can be walked to several times its end."""
        return self.order in ORDERS[self.dtype]

    @property
    def ulp(self) -> float:
        """Distance from one to the next number of the type."""
        return float(jnp.finfo(self.dtype).eps)

    @property
    def drift(self) -> float:
        """Steps in which a drift of one ulp a step turns the state by half a root: pi / (m ulp)."""
        return float(np.pi / (self.order * self.ulp))


GRIDS = {
    "test": Sizes(dtype=axis("bfloat16"), order=axis(12)),
    "quick": Sizes(),
    "full": Sizes(words=64, times=8),
    "paper": Sizes(words=128, times=16),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The first misread step lies beyond the last one that is surely right, and not beyond the first that is surely wrong."""
    count, off = (cell.order, cell.dtype), OFF * bounds.ulp(cell.dtype)

    def right(bound: bounds.Bound, of: str) -> Prediction:
        return Prediction(bound.at(), of=of, resolution=UNSHARP)

    def wrong(bound: bounds.Bound, of: str) -> Prediction:
        return Prediction(bound.at(), of=of, resolution=UNSHARP, relation=Relation.AT_MOST)

    return (
        right(bounds.phase_horizon(*count), "first_failure"),
        right(bounds.phase_horizon(*count, off), "off_failure"),
        wrong(bounds.phase_loss(*count, off), "off_failure"),
        right(bounds.angle_horizon(*count), "angle_failure"),
        wrong(bounds.angle_loss(*count), "angle_failure_of_one"),
        Prediction(0, of="snapped_wrong", relation=Relation.EQUALS),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """First misread steps of constant words (1, 2, half a turn, -1) and of random ones; the end of the word if none is."""
    dtype, length = jnp.dtype(cell.dtype), int(cell.times * cell.drift) + 1
    constant = jnp.broadcast_to(jnp.array([1, 2, cell.order // 2, cell.order - 1]), (length, 4))
    words = jnp.concatenate([constant, uniform_words(key, cell.order, length, cell.words)], axis=1)
    kept = np.asarray(unitary_failures(words, cell.order, dtype))
    snapped = np.asarray(unitary_failures(words, cell.order, dtype, snapped=True))
    off = np.asarray(unitary_failures(words[:, :1], cell.order, dtype, offset=OFF * cell.ulp))
    angles = np.asarray(angle_failures(words, cell.order, dtype))
    seen_off, seen_angle = (float(step) if step <= length else np.nan for step in (off[0], angles[0]))
    end = "capped at the end"
    return measured(
        first_failure=Quantity(kept, "word", label="first misread step", unit=end),
        off_failure=Quantity(seen_off, floor=0.0, label=f"first misread step, letter off by {OFF} ulp"),
        angle_failure=Quantity(angles, "word", label="first misread step, sum of angles", unit=end),
        angle_failure_of_one=Quantity(seen_angle, floor=0.0, label="first misread step, sum of angles of the letter 1"),
        snapped_wrong=Quantity((snapped <= length).astype(int), "word", label="snapped counts that are misread"),
        off_wrong=Quantity((off <= length).astype(int), "constant", label="counts not snapped, angle off, that are misread"),
    )


CONTROLS = (
    control(
        "not snapped",
        f"a letter off by {OFF} ulp is never misread, although its count is not snapped",
        instead={"snapped_wrong": "off_wrong"},
    ),
)

RIVALS = (
    rival(
        "lost by pi / (m ulp)",
        lambda cell: Prediction(cell.drift, of="first_failure", relation=Relation.AT_MOST),
        "every word is misread by step pi / (m ulp)",
    ),
    same_as(
        "first_failure",
        of="angle_failure",
        name="a sum of angles lasts as long",
        statement="a sum of angles keeps the guarantee of the complex number",
    ),
    same_as(
        "first_failure",
        of="off_failure",
        name="an angle off by a little",
        statement=f"a letter off by {OFF} ulp keeps the guarantee of the exact one",
    ),
)
