r"""A unitary recurrence of order m is right for a number of steps known within a factor of 4, a sum of angles far shorter.

Statement: Keep a count modulo m as a unit complex number, z <- exp(2 pi i a / m) z, read it as its nearest m-th root, and
    round every operation to a type with spacing ulp; phi is the golden ratio. (a) For every word the reading is right
    through step pi / (m arcsin gamma), which is pi / (phi m ulp) to leading order. (b) Computed from the rounded roots of the
    order, the guarantee T is 1.3 to 2.1 times as long. A word is misread by step 4 T, unless the rounded states that
    words reach are few and all read right: then no word is ever misread. (c) If the angle of a letter is off by
    delta > arcsin gamma, the word of this letter is misread between pi / (m (delta + arcsin gamma)) and pi / (m (delta -
    arcsin gamma)) + 1. (d) A sum of angles that is never reduced is right for about sqrt(2 / (m ulp)) steps only. On the word
    of the letter 1 it stands still after at most 3 / ulp steps, so it is misread by step 3 / ulp + 1. (e) Snapping to the
    nearest root at every step removes the limit while delta + 2 arcsin gamma < pi / m.
    $$ T \ge \frac{\pi}{m \arcsin\gamma} \approx \frac{\pi}{\varphi\, m\, \mathrm{ulp}},\quad
       \gamma = \left(1 + \tfrac{\mathrm{ulp}}{2}\right)\left(1 + \tfrac{\sqrt5\,\mathrm{ulp}}{2}\right) - 1 $$
Hypotheses: one rounding to nearest per operation, with gradual underflow; m >= 3, and one step's rounding is readable,
    gamma < sin(pi / m) (checked).
Source: this project, “stated here first”, for the estimate pi / (m ulp) about arXiv 2507.05238.
Refuted by: a misread step inside a guarantee, a right one beyond a loss, a sum that moves on, or a misread snapped count.
Cost: quick 30 s on one core, full about a minute.

Derivation: a stored root is off by ulp / 2 at most, a complex product by sqrt(5) ulp / 2 of its modulus: (a). For (b) only
errors tangential to the state count, and their sum along a walk of counts is maximised (`theory.lie.rounded_roots`). Its upper
half rests on words that a search finds for the orders of the grid; in bfloat16 those of orders 5 and 24, misread at steps 249
and 60, are the earliest of all (all states listed once). Order 12 in float16 is open: T = 346, nothing misread by 1500 found.
The estimate "lost after about pi / (m ulp) steps", from discussions of Karuvally et al., arXiv 2507.05238, and Shakerinava et
al., arXiv 2603.01959, takes rounding for a drift, which uniform and constant words do not have (rival).
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.phases import angle_failures, earliest_failure, growing_word, offset_failures, standstill, unitary_failures
from depthjax.tasks.words import uniform_words
from depthjax.verify import (
    UNSHARP,
    Grid,
    Hypothesis,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    rival,
    scaled,
)
from theory import bounds
from theory.lie.rounded_roots import reachable_states

CLAIM = claim(Relation.AT_LEAST, needs_float64=True)
OFF = 8 + np.arange(16) / 16  # of a letter's angle, in ulp: the rounding of its root goes either way
NARROW = "bfloat16", "float16"  # types in which the walk to the standstill is affordable
KEPT = {"bfloat16": 128, "float16": 128, "float32": 1}  # states in the search
SHARP = 0.3  # within which data come to the bounds that are sharp
ORDERS = {"bfloat16": (5, 12, 24), "float16": (5, 7, 24, 60), "float32": (360,)}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Types, orders of the count, random words beside the constant ones, and their length in units of pi / (m ulp)."""

    dtype: str = axis("bfloat16", "float16", "float32")
    order: int = axis(5, 7, 12, 24, 60, 360)
    words: int = 48
    times: int = 4

    def allows(self) -> bool:
        """Whether the guarantee says something, and can be walked to several times its end: 8 to 70 000 steps."""
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
    count, offsets = (cell.order, cell.dtype), OFF * cell.ulp
    early, late = ([bound(*count, x).at() for x in offsets] for bound in (bounds.phase_horizon, bounds.phase_loss))
    horizon = bounds.phase_horizon(*count).at()  # pi / (m arcsin gamma)
    snaps = Hypothesis("delta + 2 arcsin gamma < pi / m", bool(OFF[-1] * cell.ulp < np.pi / cell.order * (1 - 2 / horizon)))
    kept = bounds.root_horizon(*count).at()  # the T of the statement
    lost = Prediction(4 * kept, of="found", relation=Relation.AT_MOST, resolution=UNSHARP, formula="4 T")
    never = Prediction(2 * int(cell.times * cell.drift) + 3, of="found", resolution=UNSHARP)
    predictions = (
        Prediction(kept, of="first_failure", resolution=UNSHARP, formula="T"),
        lost if reachable_states(*count) is None else never,
        Prediction(horizon, of="found", resolution=UNSHARP, formula=r"\pi / m \arcsin \gamma"),
        Prediction(np.array(early), of="off_failure", dims=("offset",), resolution=SHARP),
        Prediction(np.array(late), of="off_failure", dims=("offset",), resolution=SHARP, relation=Relation.AT_MOST),
        Prediction(bounds.angle_horizon(*count).at(), of="angle_failure", resolution=UNSHARP),
        Prediction(0, of="snapped_wrong", relation=Relation.EQUALS, hypotheses=(snaps,)),
    )
    still = bounds.angle_loss(*count).at() - 1
    moves = Prediction(still, of="moves", relation=Relation.AT_MOST, resolution=SHARP, formula=r"3 / \mathrm{ulp}")
    return *predictions, *([moves] if cell.dtype in NARROW else [])


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """First misread steps of constant words (1, 2, half a turn, -1), searched and random ones; the end if none is misread."""
    dtype, length = jnp.dtype(cell.dtype), int(cell.times * cell.drift) + 1
    constant = jnp.broadcast_to(jnp.array([1, 2, cell.order // 2, cell.order - 1]), (length, 4))
    words = jnp.concatenate([constant, uniform_words(key, cell.order, length, cell.words)], axis=1)
    growing = growing_word(cell.order, dtype, length)[:, None]
    kept = np.asarray(unitary_failures(words, cell.order, dtype))
    snapped = np.asarray(unitary_failures(words, cell.order, dtype, offset=OFF[-1] * cell.ulp, snapped=True))
    angles = np.asarray(angle_failures(jnp.concatenate([words, growing], axis=1), cell.order, dtype))
    found = int(earliest_failure(cell.order, dtype, 2 * length, KEPT[cell.dtype]))
    end = "capped at the end"
    return measured(
        first_failure=Quantity([*kept, found], "tried", label="first misread step", unit=end),
        found=Quantity(found, label="first misread step of the words searched", unit=end),
        off_failure=Quantity(_angle_off(cell, 1), "offset", label="first misread step, letter 1 off by 8 to 9 ulp"),
        angle_failure=Quantity(angles, "sum", label="first misread step, sum of angles", unit=end),
        moves=Quantity(_moves(cell), label="steps at which the sum of angles of the letter 1 moves"),
        snapped_wrong=Quantity((snapped <= length).astype(int), "word", label="snapped counts, letters off, misread"),
    )


def _moves(cell: Sizes, *, reduced: bool = False) -> int:
    """Steps at which the sum of angles of the letter 1 moves; -1 where the walk is too long."""
    return int(standstill(cell.order, jnp.dtype(cell.dtype), int(4 / cell.ulp), reduced)) if cell.dtype in NARROW else -1


def _angle_off(cell: Sizes, factor: float) -> np.ndarray:
    """First misread steps of words of the letter 1, whose angle is off by this factor of what is said."""
    offsets = jnp.asarray(factor * OFF * cell.ulp)
    return np.asarray(offset_failures(cell.order, jnp.dtype(cell.dtype), offsets, int(cell.drift) + 1))


def _farther_off(cell: Sizes, key: jax.Array) -> xr.Dataset:
    off, wrong = _angle_off(cell, 2), _angle_off(cell, 1) <= cell.drift
    return measured(
        first_failure=Quantity(off, "tried"),
        off_failure=Quantity(off, "offset"),
        snapped_wrong=Quantity(wrong.astype(int), "word"),
    )


def _not_off(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return measured(off_failure=Quantity(_angle_off(cell, 0), "offset"))


def _reduced(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return measured(moves=Quantity(_moves(cell, reduced=True)))


CONTROLS = (
    control("angles off by more", "the guarantees hold, and counts need no snapping", measure=_farther_off),
    control("angles right", "a letter of the right angle is misread as early as one that is off", measure=_not_off),
    control("a sum of angles", "it keeps the guarantee of the complex number", instead={"first_failure": "angle_failure"}),
    control("a reduced sum", "a sum that is reduced modulo 2 pi stands still as well", measure=_reduced, everywhere=False),
)

RIVALS = (
    rival(
        "lost by pi / (m ulp)",
        lambda cell: Prediction(cell.drift, of="first_failure", relation=Relation.AT_MOST),
        "every word is misread by step pi / (m ulp)",
    ),
    scaled(0.9, of="moves", name="a standstill a tenth earlier", everywhere=False),
)
