r"""Rounded triangular recurrences count modulo 2 at most, and nothing without negative eigenvalues; turns by 1/m count.

Statement: Let h <- A h + b for every letter 1, each operation rounded to nearest in one type, A real and lower triangular. If
    no eigenvalue is negative the orbit comes to rest, so that no reader knows even the parity of the number of letters from
    then on; in any case it ends in a cycle of 1 or 2 states, so that no reader knows the number modulo any m >= 3. The step at
    which that happens is that of exact rounding, in every type. A counter h <- h + 1 stands still at 2^p, p the bits of the
    significand. The sign of h <- a h, -1 < a < 0, keeps the parity for ever if |a| > 1/2, and not if |a| <= 1/2. The matrices
    of turns by 1/m for m = 3, 4, 6 count modulo m for ever, in every type.
    $$ a \geq 0 \Rightarrow h_{t+1} = h_t, \qquad a \in \mathbb{R} \Rightarrow h_{t+2} = h_t \qquad (t \geq T) $$
Hypotheses: every operation is rounded once, to nearest, with gradual underflow, and nothing overflows; A is triangular.
Source: Grazzi et al., “Unlocking State-Tracking in Linear RNNs Through Negative Eigenvalues”, arXiv 2411.12537, as known from
    notes; the proof in rounded arithmetic and the steps are derived here, in `theory.lie.constant_words`.
Refuted by: an orbit with another cycle, or one that comes back at another step, in float32, bfloat16, float16 or a float8.
Cost: quick 4 s on one core, full about a minute.

Rounding is monotone, so in one coordinate the orbit is that of a monotone map of finitely many numbers; a triangular matrix
goes coordinate by coordinate. The prediction follows orbits in float64 that is rounded after every operation, the measurement
in arithmetic of the types themselves. Matrices that are not triangular may have cycles of their own by rounding, even with
real eigenvalues, and the theorem says nothing of them. The parity that |a| > 1/2 keeps hangs on gradual underflow: the
smallest positive number times a is rounded back to its own size.
"""

import dataclasses
import math

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, whole
from experiments.lie.eigenvalues_decide_counting.common import DTYPES, FADING
from theory.lie.constant_words import FORMATS, Orbit, orbit, rounded

CLAIM = claim(Relation.EQUALS)
HEADLINE = "states"

SIGNS = ("not negative", "real")

COUNTED = 200  # numbers that a counter goes through, where it has as many

GIVEN_UP = 200_000  # steps of an orbit that does not come back


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The type and the sign of the eigenvalues are the axes; which matrices are drawn, and how many."""

    dtype: str = axis(*DTYPES)
    eigenvalues: str = axis(*SIGNS)
    drawn: int = 0
    systems: int = 8
    largest: float = 0.97  # eigenvalue


DOMAIN = domain(
    dtype=among(*DTYPES),
    eigenvalues=among(*SIGNS),
    drawn=whole(1, 2**20),
)
GRIDS = {
    "test": Sizes(dtype=axis("bfloat16", "float8_e4m3fn"), systems=4),
    "quick": Sizes(),
    "full": Sizes(systems=64, largest=0.99),
    "paper": Sizes(systems=256, largest=0.995),
}


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """Lower triangular matrices of 1 to 3 rows in blocks of 3, shifts and starts, all of them numbers of the type."""
    draw = np.random.default_rng([cell.drawn, SIGNS.index(cell.eigenvalues)])
    shape = (cell.systems, 3, 3)
    matrices = np.tril(draw.uniform(-1, 1, shape), -1)
    low = 0.0 if cell.eigenvalues == SIGNS[0] else -cell.largest
    matrices[:, range(3), range(3)] = own = draw.uniform(low, cell.largest, (cell.systems, 3))
    shifts, starts = draw.uniform(-1, 1, (2, cell.systems, 3))
    shifts *= 1 - np.abs(own)  # so that states stay small
    matrices[:, [1, 2, 2], [0, 0, 1]] *= (1 - np.abs(own[:, [1, 2, 2]])) / 2
    small = np.arange(3)[None] > draw.integers(0, 3, cell.systems)[:, None]  # rows that are left out
    matrices[small] = shifts[small] = starts[small] = 0
    matrices[0], shifts[0] = 0, 0
    matrices[0, 0, 0] = cell.largest if low == 0 else -1  # one that is slow, and one that keeps the parity
    one = np.vectorize(lambda x: rounded(float(x), cell.dtype), otypes=[float])
    return {"matrices": one(matrices), "shifts": one(shifts), "starts": one(starts)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Steps at which orbits come back, by exact rounding; the lengths of cycles by the theorem."""
    found = _orbits(given, cell.dtype)
    bits = FORMATS[cell.dtype][0]
    return (
        Prediction([one.states for one in found], of="states", dims=("system",), formula="T + p"),
        Prediction([one.period for one in found], of="period", dims=("system",)),
        Prediction(1 if cell.eigenvalues == SIGNS[0] else 2, of="longest_period"),
        Prediction(1 + min(2**bits, COUNTED), of="counted"),
        Prediction(2**bits, of="standstill", formula="2^p"),
        Prediction([1 + (abs(a) > 0.5) for a in FADING], of="fading", dims=("fade",), formula=r"|a| > 1/2"),
        Prediction([3.0, 4.0, 6.0], of="turns", dims=("turn",), resolution=1.0),
    )


def _orbits(given: dict, dtype: str) -> list[Orbit]:
    rows = zip(given["matrices"].tolist(), given["shifts"].tolist(), given["starts"].tolist(), strict=True)
    return [orbit(matrix, shift, start, dtype) for matrix, shift, start in rows]


def _turned(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The orders of the turns, of which the highest is the longest cycle."""
    return (
        Prediction(6, of="longest_period"),
        Prediction([3.0, 4.0, 6.0], of="turns", dims=("turn",), resolution=1.0),
    )


def _in_double(cell: Sizes, given: dict) -> Prediction:
    """The orbits in Python's own numbers, which are those of float64.

    A type of few bits rounds some eigenvalues to 1. Such a coordinate goes on counting, and is given up.
    """
    rows = zip(given["matrices"].tolist(), given["shifts"].tolist(), given["starts"].tolist(), strict=True)
    return Prediction([_states_in_double(*row) for row in rows], of="states", dims=("system",))


def _states_in_double(matrix: list[list[float]], shift: list[float], start: list[float]) -> int:
    """States until one comes back, 0 if none does."""
    state, seen = tuple(start), set()
    for number in range(GIVEN_UP):
        if state in seen:
            return number
        seen.add(state)
        products = [[entry * number for entry, number in zip(row, state, strict=True)] for row in matrix]
        state = tuple(x + y + z + own for (x, y, z), own in zip(products, shift, strict=True))
    return 0


def _other_type(cell: Sizes, given: dict) -> Prediction:
    """The orbits in the other type of as many bits; of float32 those of float16."""
    other = {"bfloat16": "float16", "float16": "bfloat16", "float8_e4m3fn": "float8_e5m2", "float8_e5m2": "float8_e4m3fn"}
    found = _orbits(given, other.get(cell.dtype, "float16"))
    return Prediction([one.states for one in found], of="states", dims=("system",))


def _precision(cell: Sizes, given: dict) -> Prediction:
    """Steps until the slowest eigenvalue's power is below half a unit in the last place."""
    bits = FORMATS[cell.dtype][0]
    slowest = np.abs(np.diagonal(given["matrices"], axis1=1, axis2=2)).max(axis=1)
    steps = [1 if a in (0, 1) else math.ceil(-bits * math.log(2) / math.log(a)) for a in slowest.tolist()]
    return Prediction(steps, of="states", dims=("system",))


def _all_fade(cell: Sizes, given: dict) -> Prediction:
    return Prediction([1 for _ in FADING], of="fading", dims=("fade",))


CONTROLS = (
    control("matrices that turn", "their cycles are as short", measure="turning", finds=_turned),
    control("float64", "orbits come back at the same steps in float64", measure="in_double", finds=_in_double),
)

RIVALS = (
    off_by(1, of="longest_period"),
    off_by(-1, of="counted"),
    rival("bits are bits", _other_type, "types of as many bits come back at the same steps"),
    rival("precision alone", _precision, "an orbit comes back once a^n is below half a unit in the last place"),
    rival("signs fade", _all_fade, "every sign is lost to underflow"),
)
