r"""A rounded unitary count is right for T steps, in bfloat16 up to order 64 at most for 5 T or for ever; sums of angles fail.

Statement: Keep a count modulo m as a unit complex number, z <- exp(2 pi i a / m) z, read it as its nearest m-th root, and
    round every operation to a type with spacing ulp; phi is the golden ratio. (a) For every word the reading is right
    through step pi / (m arcsin gamma), which is pi / (phi m ulp) to leading order. (b) Computed from the rounded roots of the
    order, a longer guarantee T holds as well. In bfloat16 all states are listed for the orders 3 to 64. At 3, 4, 6, 8 and 12
    they are few, and no word is ever misread. At every other one the earliest misreading of all words comes between 9 T / 4 and
    5 T. Of larger orders and of other types no such factor is known: some word is misread by step 4 T at the orders 7, 24 and
    60 in float16 and 360 in float32. (c) If the angle of a letter is off by delta > arcsin gamma, the word of this letter is
    misread between pi / (m (delta + arcsin gamma)) and pi / (m (delta - arcsin gamma)) + 1. (d) A sum of angles that is never
    reduced is right for about sqrt(2 / (m ulp)) steps only. On the word of the letter 1 it stands still after at most 3 / ulp
    steps, so it is misread by step 3 / ulp + 1. (e) Snapping to the nearest root at every step removes the limit while
    delta + 2 arcsin gamma < pi / m.
    $$ T \ge \frac{\pi}{m \arcsin\gamma} \approx \frac{\pi}{\varphi\, m\, \mathrm{ulp}},\quad
       \gamma = \left(1 + \tfrac{\mathrm{ulp}}{2}\right)\left(1 + \tfrac{\sqrt5\,\mathrm{ulp}}{2}\right) - 1 $$
Hypotheses: one rounding to nearest per operation, with gradual underflow; m >= 3, and one step's rounding is readable,
    gamma < sin(pi / m) (checked).
Source: this project, “stated here first”, for the estimate pi / (m ulp) about arXiv 2507.05238.
Refuted by: a misread step inside a guarantee, a listed order whose earliest misreading lies elsewhere, a right step beyond a
    loss, a sum that moves on, or a misread snapped count.
Cost: quick 30 s on one core, full about 3 min.

Derivation: a stored root is off by ulp / 2 at most, a complex product by sqrt(5) ulp / 2 of its modulus: (a). For (b) only
errors tangential to the state count, and their sum along a walk of counts is maximised (`theory.lie.rounded_roots`). Nothing
bounds a lifetime from above for every order, so the upper half is a list. It is exhaustive in bfloat16 (`every_word`): the two
ends of the range, 9/4 and 5, are attained at orders 43 and 16. At order 33 T is 10, and the earliest misreading at step 23, so
that a T longer by a tenth, which is 11, is refuted. In float16 words are those that a beam search finds. Order 12 is open
there: T = 346, nothing misread by 1500 found; so are orders that are not named. The guarantees (a) to (e) are also walked to
at drawn orders up to 64, in bfloat16 and float16. There data need not come near them.

The estimate "lost after about pi / (m ulp) steps", from discussions of Karuvally et al., arXiv 2507.05238, and Shakerinava et
al., arXiv 2603.01959, takes rounding for a drift, which uniform and constant words do not have (rival).
"""

import dataclasses
from fractions import Fraction
from functools import partial

import ml_dtypes
import numpy as np

from depthjax.verify import (
    UNSHARP,
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    rival,
    scaled,
    whole,
)
from theory import bounds
from theory.lie.rounded_roots import reachable_states

CLAIM = claim(Relation.AT_LEAST, needs_float64=True)


OFF = 8 + np.arange(16) / 16  # of a letter's angle, in ulp: the rounding of its root goes either way


NARROW = "bfloat16", "float16"  # types in which the walk to the standstill is affordable


SHARP = 0.3  # within which data come to the bounds that are sharp


ORDERS = {"bfloat16": (5, 12, 24), "float16": (5, 7, 24, 60), "float32": (360,)}


LISTED = "bfloat16"  # the type of which all states are listed


LARGEST = 64  # order that is listed


EARLIEST, LATEST, FOUND = Fraction(9, 4), 5, 4  # of T: what the listing of all words, and the search for one, stay between


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Types, orders of the count, random words beside the constant ones, and their length in units of pi / (m ulp)."""

    dtype: str = axis("bfloat16", "float16", "float32")
    order: int = axis(5, 7, 12, 16, 24, 33, 43, 60, 360)
    words: int = 48
    times: int = 4
    walk: bool = False  # whether the guarantee is walked to at any order

    def allows(self) -> bool:
        """Whether something is said of the order in this type."""
        return self.walked or self.listed

    @property
    def walked(self) -> bool:
        """Whether the guarantee is walked to several times its end, 8 to 70 000 steps."""
        return self.sharp or self.walk

    @property
    def sharp(self) -> bool:
        """Whether the order is one of which a loss is known, and data come near the bounds."""
        return self.order in ORDERS[self.dtype]

    @property
    def listed(self) -> bool:
        """Whether all states are listed."""
        return self.dtype == LISTED and self.order <= LARGEST

    @property
    def ulp(self) -> float:
        """Distance from one to the next number of the type."""
        return float(ml_dtypes.finfo(self.dtype).eps)

    @property
    def drift(self) -> float:
        """Steps in which a drift of one ulp a step turns the state by half a root: pi / (m ulp)."""
        return float(np.pi / (self.order * self.ulp))


DOMAIN = domain(
    dtype=among("bfloat16", "float16"),
    order=whole(3, LARGEST, quick=24, test=14),
    walk=among(True),
)
GRIDS = {
    "test": Sizes(dtype=axis("bfloat16"), order=axis(12, 16, 33, 43)),
    "quick": Sizes(),
    "full": Sizes(order=axis(*range(3, LARGEST + 1), 360), words=64, times=8),
    "paper": Sizes(order=axis(*range(3, LARGEST + 1), 360), words=128, times=16),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The first misread step lies beyond the last one that is surely right, and not beyond the first that is surely wrong."""
    return (*(_listed(cell) if cell.listed else ()), *(_walked(cell) if cell.walked else ()))


def _kept(cell: Sizes) -> float:
    """The T of the statement."""
    return float(bounds.root_horizon(cell.order, cell.dtype).at())


def _lost(cell: Sizes) -> bool:
    """Whether all states are listed, and not so few that no word is ever misread."""
    return cell.listed and reachable_states(cell.order, cell.dtype) is None


def _listed(cell: Sizes) -> tuple[Prediction, ...]:
    """Never misread where the states are few, and else between two multiples of T."""
    few = reachable_states(cell.order, cell.dtype)
    if few is not None:
        return Prediction(0, of="earliest", relation=Relation.EQUALS), Prediction(few, of="states", relation=Relation.EQUALS)
    return (
        Prediction(float(EARLIEST) * _kept(cell), of="earliest", resolution=UNSHARP, formula="9 T / 4"),
        Prediction(LATEST * _kept(cell), of="earliest", relation=Relation.AT_MOST, resolution=UNSHARP, formula="5 T"),
    )


def _walked(cell: Sizes) -> tuple[Prediction, ...]:
    count, offsets = (cell.order, cell.dtype), OFF * cell.ulp
    early, late = ([bound(*count, x).at() for x in offsets] for bound in (bounds.phase_horizon, bounds.phase_loss))
    horizon = bounds.phase_horizon(*count).at()  # pi / (m arcsin gamma)
    snaps = Hypothesis("delta + 2 arcsin gamma < pi / m", bool(OFF[-1] * cell.ulp < np.pi / cell.order * (1 - 2 / horizon)))
    kept = _kept(cell)
    sharp = SHARP if cell.sharp else UNSHARP
    lost = Prediction(FOUND * kept, of="found", relation=Relation.AT_MOST, resolution=UNSHARP, formula="4 T")
    never = Prediction(2 * int(cell.times * cell.drift) + 3, of="found", resolution=UNSHARP)
    predictions = (
        Prediction(kept, of="first_failure", resolution=UNSHARP, formula="T"),
        *_end(cell, lost, never),
        Prediction(horizon, of="found", resolution=UNSHARP, formula=r"\pi / m \arcsin \gamma"),
        Prediction(np.array(early), of="off_failure", dims=("offset",), resolution=sharp),
        Prediction(np.array(late), of="off_failure", dims=("offset",), resolution=sharp, relation=Relation.AT_MOST),
        Prediction(bounds.angle_horizon(*count).at(), of="angle_failure", resolution=UNSHARP),
        *(
            [Prediction(0, of="snapped_wrong", relation=Relation.EQUALS, hypotheses=(snaps,))]
            if cell.sharp or snaps.holds
            else []
        ),
    )
    farther = [bound(*count, 2 * x).at() for x in offsets for bound in (bounds.phase_horizon, bounds.phase_loss)]
    end = int(cell.drift) + 2  # where words of the letter 1 are not read any more
    number = partial(Prediction, relation=Relation.EQUALS)
    predictions += (
        number([cell.words + 5, cell.words + 5, cell.words + 4, 16], "tried_words", ("of",)),
        number(int(cell.times * cell.drift) + 1, "lengths"),
        Prediction(np.minimum(farther[::2], end), of="farther_failure", dims=("offset",), resolution=UNSHARP),
        Prediction(
            np.array(farther[1::2]), of="farther_failure", dims=("offset",), resolution=UNSHARP, relation=Relation.AT_MOST
        ),
        Prediction(min(kept, end), of="right_failure", resolution=UNSHARP),
    )
    still = bounds.angle_loss(*count).at() - 1
    moves = Prediction(still, of="moves", relation=Relation.AT_MOST, resolution=sharp, formula=r"3 / \mathrm{ulp}")
    return *predictions, *([moves] if cell.dtype in NARROW else [])


def _end(cell: Sizes, lost: Prediction, never: Prediction) -> tuple[Prediction, ...]:
    """Never misread where the states are few, and else by the step that is known for this order."""
    if reachable_states(cell.order, cell.dtype) is not None:
        return (never,)
    return (lost,) if cell.sharp else ()


def _roots_off(cell: Sizes) -> tuple[Prediction, ...]:
    """Every word is right as long as letters that are off allow, and the word of one such letter is not right for longer."""
    count = cell.order, cell.dtype, 8 * cell.ulp
    return (
        Prediction(bounds.phase_horizon(*count).at(), of="earliest", resolution=UNSHARP),
        Prediction(bounds.phase_loss(*count).at(), of="earliest", relation=Relation.AT_MOST, resolution=UNSHARP),
    )


def _farther_off(cell: Sizes) -> tuple[Prediction, ...]:
    """Letters that are off by twice as much are misread about twice as early, and all counts without snaps are misread."""
    count, end = (cell.order, cell.dtype), int(cell.drift) + 2
    early, late = (
        np.array([bound(*count, 2 * x).at() for x in OFF * cell.ulp]) for bound in (bounds.phase_horizon, bounds.phase_loss)
    )
    said = {"of": "off_failure", "dims": ("offset",), "resolution": UNSHARP}
    lost = max(bounds.phase_loss(*count, x).at() for x in OFF * cell.ulp) <= cell.drift
    return (
        Prediction(np.minimum(early, end), **said),
        Prediction(late, **said, relation=Relation.AT_MOST),
        *([Prediction(1, of="snapped_wrong", relation=Relation.EQUALS)] if lost else []),
    )


def _moves_on(cell: Sizes) -> Prediction | None:
    """Below 2 pi numbers are 4 ulp apart at most, so that a letter of more than 2 ulp moves the sum to the end of the walk."""
    if cell.dtype not in NARROW or 2 * np.pi / cell.order <= 2 * cell.ulp:
        return None
    return Prediction(int(4 / cell.ulp), of="moves", relation=Relation.EQUALS)


CONTROLS = (
    control(
        "roots that are off",
        "letters that are off by 8 ulp are misread as late",
        measure="roots_off",
        finds=_roots_off,
        where=lambda cell: cell.listed,
    ),
    control(
        "angles off by more",
        "the guarantees hold, and counts need no snapping",
        measure="farther_off",
        finds=_farther_off,
        where=lambda cell: cell.walked,
    ),
    control(
        "angles right",
        "a letter of the right angle is misread as early as one that is off",
        instead={"off_failure": "right_failure"},
        where=lambda cell: cell.walked,
    ),
    control(
        "a sum of angles",
        "it keeps the guarantee of the complex number",
        instead={"first_failure": "angle_failure"},
        where=lambda cell: cell.walked,
    ),
    control(
        "a reduced sum",
        "a sum that is reduced modulo 2 pi stands still as well",
        measure="reduced",
        finds=_moves_on,
        where=lambda cell: cell.walked,
        everywhere=False,
    ),
)


RIVALS = (
    rival(
        "lost by pi / (m ulp)",
        lambda cell: Prediction(cell.drift, of="first_failure", relation=Relation.AT_MOST) if cell.sharp else None,
        "every word is misread by step pi / (m ulp)",
    ),
    rival(
        "a tenth longer",
        lambda cell: (
            Prediction(float(EARLIEST) * (11 * int(_kept(cell)) // 10), "earliest", resolution=UNSHARP) if _lost(cell) else None
        ),
        "T is a tenth longer, and all else as it is said",
        everywhere=False,
    ),
    rival(
        "within 4 T",
        lambda cell: Prediction(4 * _kept(cell), "earliest", relation=Relation.AT_MOST) if _lost(cell) else None,
        "the earliest misreading comes by step 4 T at every order",
        everywhere=False,
    ),
    scaled(0.9, of="moves", name="a standstill a tenth earlier", everywhere=False),
)
