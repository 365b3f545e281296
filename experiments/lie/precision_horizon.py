r"""How many steps a unitary recurrence of order m keeps its state in few bits: at least pi / (phi m ulp), and usually far more.

Statement: z <- exp(2 pi i a / m) z, read as its nearest m-th root, every operation rounded to a type with spacing ulp.

(a) For every word the reading is right through step pi / (m arcsin gamma), which is pi / (phi m ulp) to leading order, phi
the golden ratio: a stored root is off by ulp / 2 at most, a complex product by sqrt(5) ulp / 2 of its modulus.

(b) That is a guarantee and no lifetime. The estimate "lost after about pi / (m ulp) steps" takes rounding for a drift of
one ulp a step. It is not: conjugate words err by opposite angles, so that uniform words have no drift at all, and a letter
repeated soon runs into an exact cycle of rounded numbers. At four times that estimate nothing was lost.

(c) What does end the count is a letter whose angle is off, by delta > arcsin gamma: it is misread between
pi / (m (delta + arcsin gamma)) and pi / (m (delta - arcsin gamma)) + 1.

(d) A sum of angles that is never reduced, as a prefix sum keeps it, is rounded within its own growing size: it is right for
about sqrt(2 / (m ulp)) steps only, and misread by step 6 / ulp + 2.

(e) Snapping to the nearest root at every step removes the limit while gamma < sin(pi / m): one step's error is readable.

Hypotheses: one rounding to nearest per operation, gradual underflow; m >= 3. Source: the estimate from discussions of
Karuvally et al., arXiv 2507.05238, and Shakerinava et al., arXiv 2603.01959; (a) to (e) derived here. Refuted by: a word
misread inside (a) or the lower side of (c) or (d); one still right beyond an upper side; a snapped count misread. Cost: 10 s
on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.phases import angle_failures, unitary_failures
from depthjax.tasks.words import uniform_words
from depthjax.verify import UNSHARP, Claim, Control, Grid, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="precision_horizon",
    title="A unitary recurrence of order m is read rightly for pi / (phi m ulp) steps, a sum of angles for sqrt(2 / (m ulp))",
    statement=(
        "With every operation rounded, a count modulo m kept as a unit complex number is right for at least pi / (phi m ulp) "
        "steps of any word, for pi / (m delta) if its letter's angle is off by delta, and for ever if snapped; kept as a sum "
        "of angles it is right for about sqrt(2 / (m ulp)) and misread after 6 / ulp + 2."
    ),
    latex=r"T \ge \frac{\pi}{m \arcsin\gamma} \approx \frac{\pi}{\varphi\, m\, \mathrm{ulp}},\quad"
    r" \gamma = \left(1 + \tfrac{\mathrm{ulp}}{2}\right)\left(1 + \tfrac{\sqrt5\,\mathrm{ulp}}{2}\right) - 1",
    relation=Relation.AT_LEAST,
    source=Source("this project", "stated here first", "", "for the estimate pi / (m ulp) about arXiv 2507.05238"),
    assumes=("one rounding to nearest per operation, gradual underflow", "m >= 3, and a step's rounding is readable (checked)"),
    refuted_by="a misread step inside a guarantee, a right one beyond a loss, or a snapped count that is misread",
    cost="10 s on a CPU at quick size",
    needs_float64=True,
)

LOWEST, HIGHEST = 8, 60_000  # guarantees that say something and can be walked
OFF = 8  # of a letter's angle, in ulp


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Types, orders of the count, and random words beside the constant ones.

    A sum of angles in bfloat16 at order 24 keeps the guarantee on six words of seven. So all of 8 words, the former number,
    kept it at 2 of 7 root seeds, and the control stood; all of 48 do once in a thousand runs.
    """

    dtype: str = axis("bfloat16", "float16", "float32")
    order: int = axis(5, 12, 24, 60, 360)
    words: int = 48
    times: int = 4

    def allows(self) -> bool:
        """Whether the guarantee says something and can be walked to several times its end."""
        try:
            return LOWEST <= bounds.phase_horizon(self.order, self.dtype).at() <= HIGHEST
        except ValueError:
            return False

    @property
    def ulp(self) -> float:
        """Of the type."""
        return float(bounds.ulp(self.dtype))

    @property
    def estimate(self) -> float:
        """Pi / (m ulp)."""
        return float(np.pi / (self.order * self.ulp))

    @property
    def length(self) -> int:
        """Steps of every word."""
        return int(self.times * self.estimate) + 1


GRIDS = {"quick": Sizes(), "full": Sizes(words=64, times=8), "paper": Sizes(words=128, times=16)}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The first misread step lies beyond the last one that is surely right, and not beyond the first that is surely wrong."""
    off = OFF * bounds.ulp(cell.dtype)
    right, wrong = Relation.AT_LEAST, Relation.AT_MOST
    return (
        Prediction(bounds.phase_horizon(cell.order, cell.dtype).at(), of="first_failure", resolution=UNSHARP, relation=right),
        Prediction(
            bounds.phase_horizon(cell.order, cell.dtype, off).at(), of="off_failure", resolution=UNSHARP, relation=right
        ),
        Prediction(bounds.phase_loss(cell.order, cell.dtype, off).at(), of="off_failure", resolution=UNSHARP, relation=wrong),
        Prediction(bounds.angle_horizon(cell.order, cell.dtype).at(), of="angle_failure", resolution=UNSHARP, relation=right),
        Prediction(
            bounds.angle_loss(cell.order, cell.dtype).at(), of="angle_failure_of_one", resolution=UNSHARP, relation=wrong
        ),
        Prediction(0, of="snapped_wrong", relation=Relation.EQUALS),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """First misread steps of constant words (1, 2, half a turn, -1) and of random ones; the end of the word if none is."""
    dtype = jnp.dtype(cell.dtype)
    constant = jnp.broadcast_to(jnp.array([1, 2, cell.order // 2, cell.order - 1]), (cell.length, 4))
    words = jnp.concatenate([constant, uniform_words(key, cell.order, cell.length, cell.words)], axis=1)
    kept = np.asarray(unitary_failures(words, cell.order, dtype))
    snapped = np.asarray(unitary_failures(words, cell.order, dtype, snapped=True))
    off = np.asarray(unitary_failures(words[:, :1], cell.order, dtype, offset=OFF * cell.ulp))
    angles = np.asarray(angle_failures(words, cell.order, dtype))
    known = np.where(np.array([off[0], angles[0]]) <= cell.length, [off[0], angles[0]], np.nan)  # a loss not seen is no number
    return xr.Dataset(
        {
            "first_failure": ("word", kept.astype(float), {"long_name": "first misread step", "units": "capped at the end"}),
            "off_failure": ((), known[0], {"long_name": f"first misread step, letter off by {OFF} ulp"}),
            "angle_failure": ("word", angles.astype(float), {"long_name": "first misread step, sum of angles"}),
            "angle_failure_of_one": ((), known[1], {"long_name": "first misread step, sum of angles of the letter 1"}),
            "snapped_wrong": ("word", (snapped <= cell.length).astype(int), {"long_name": "snapped counts that are misread"}),
        }
    )


def _as_estimated(cell: Sizes) -> Prediction:
    return Prediction(cell.estimate, of="first_failure", relation=Relation.AT_MOST)


def _angles_last(cell: Sizes) -> Prediction:
    return Prediction(bounds.phase_horizon(cell.order, cell.dtype).at(), of="angle_failure", relation=Relation.AT_LEAST)


def _off_unnoticed(cell: Sizes) -> Prediction:
    return Prediction(bounds.phase_horizon(cell.order, cell.dtype).at(), of="off_failure", relation=Relation.AT_LEAST)


def _snapped_lost(cell: Sizes) -> Prediction:
    return Prediction(1, of="snapped_wrong", relation=Relation.EQUALS)


CONTROLS = (
    Control("lost by pi / (m ulp)", "every word is misread by step pi / (m ulp)", _as_estimated),
    Control("a sum of angles lasts as long", "a sum of angles keeps the guarantee of the complex number", _angles_last),
    Control("an angle off by a little", f"a letter off by {OFF} ulp keeps the guarantee of the exact one", _off_unnoticed),
    Control("snapping does not help", "a snapped count is misread as well", _snapped_lost),
)
