r"""A trained affine recurrence keeps every error at a fixed share of the distance of classes; with a tanh it corrects errors.

Statement: Networks with one affine map for each letter, and the same networks with a tanh, are trained on the products of S3,
    D4, C2xC2 or a cyclic group of order 3 to 5. In the affine ones a state that lies the share a of the way from one run to
    another lies there after every further word, whatever was trained: an error is corrected only as far as the classes are
    forgotten. Random kicks of the share a, one after each of t letters, have the mean square share t a^2. In both kinds the
    mean square of small noise is the trace
    that the Jacobians carry along. An affine network's first mistake on repetitions of a return word follows from the word's
    Jacobian and one reading. Both kinds learn words of the training length; on words of 10^4 letters the typical affine
    network makes mistakes, and the typical one with tanh makes none.
    $$ F_w(p + a (q - p)) - F_w(p) = a (F_w(q) - F_w(p)),\qquad E\,\mathrm{share}_t^2 = t a^2,\qquad
       E\|e_t\|^2 = \mathrm{tr}\,C_t,\ C_t = J_t C_{t-1} J_t^T + s^2 $$
Hypotheses: letters are uniform; the noise is independent, centred, of equal variance, and small.
Source: Chung, Choi, Kim, “Rethinking State Tracking in Recurrent Models Through Error Control Dynamics”, arXiv 2605.07755;
    shares, and the horizon of return words, are derived here.
Refuted by: another share or mean square, a first mistake that the Jacobian does not foretell, a typical network that does not
    learn its words, a typical affine one that reads 10^4 letters, or a typical one with tanh that does not.
Cost: quick 17 s of one core; full 12 min.

Derivation: an affine map keeps ratios on lines, which is the first formula. So a kick moves the share by a for good, and
independent signs add in mean square. A small error is carried by the Jacobian, and independent ones add their covariances. On a
return word w an affine network has the orbit c + sum_{j<k} J^j (F_w(c) - c), so two numbers of readings agree, both of which
are measured. With a tanh the Jacobian can contract where classes stay apart. `error_control` judges constructed maps on return
words, in a frame where they are orthogonal. Here maps are trained, words arbitrary, and one network has learned to correct.

Of 17 seeds of each kind 14 must agree. After 600 steps some networks with tanh err before the end of the words, so they
train for 1000. That is too few for Q8, of whose networks with tanh 4 of 17 read all words: Q8 is judged at `full` alone.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, off_by, real, rival, scaled, whole
from experiments.training.drift_of_trained_networks.common import KINDS
from theory import groups

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "share_affine"


SKEWNESS = 8**0.5  # of the square of a normal number; sums of such squares, and squares of sums of signs, are less skewed


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups; networks and their recipe; words, letters, random draws and the share of a kick."""

    group: str = axis("S3")
    seeds: int = 17
    width: int = 8
    length: int = 10
    batch: int = 16
    steps: int = 1000
    rate: float = 1e-2
    longest: int = 10_000
    words: int = 4
    powers: int = 3
    draws: int = 96
    kick: float = 0.25

    @property
    def times(self) -> tuple[int, ...]:
        """Letters after which errors are looked at: 4, 16, 64, ..."""
        return tuple(4**power for power in range(1, self.powers + 1))


LARGE = Sizes(group=axis("S3", "D4", "Q8"), seeds=24, width=12, length=12, batch=64, steps=3000, rate=5e-3, words=16)


DOMAIN = domain(
    group=among("S3", "D4", "C2xC2", "C3", "C4", "C5"),
    kick=real(0.05, 1.0),
    width=whole(8, 12),
    length=whole(8, 12),
    rate=real(8e-3, 1.5e-2),
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(seeds=12, steps=20, longest=64, powers=2, draws=32),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(LARGE, group=axis("S3", "D4", "Q8", "A4"), seeds=48, width=16, steps=20_000),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table."""
    return {"table": groups.group(cell.group).table}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The share of an error, mean squares, no difference of horizons, and who learns and who errs."""
    mean = {"mean": "sample", "skewness": SKEWNESS, "dims": ("time",)}
    carried = r"E\|e_t\|^2/\mathrm{tr}\,C_t"
    return (
        Prediction(cell.kick, of="share_affine", formula=r"a"),
        Prediction(np.array(cell.times), of="kicked_affine", formula=r"E\,\mathrm{share}_t^2 / a^2", **mean),
        *(Prediction(np.ones(len(cell.times)), of=f"noise_{kind}", formula=carried, **mean) for kind in KINDS),
        Prediction(1, of="added_up_affine", relation=Relation.TREND),
        Prediction(0, of="horizon_gap", formula=r"k - k_J"),
        *(Prediction(1, of=f"learned_{kind}", relation=Relation.TREND) for kind in KINDS),
        Prediction(0, of="reads_affine", relation=Relation.TREND),
        Prediction(1, of="reads_tanh", relation=Relation.TREND),
        *_trained(cell, len(given["table"])),
    )


def _trained(cell: Sizes, order: int) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average; a map, a shift and a reading for each letter, and a start."""
    weights = order * (cell.width**2 + 2 * cell.width + 1) + cell.width
    facts = {"steps": cell.steps, "travel": cell.steps * cell.rate / 2, "weights": weights, "parts": 5}
    return tuple(Prediction(value, of=name) for name, value in facts.items())


def _added(cell: Sizes, given: dict) -> Prediction:
    """With a tanh: errors are what they are at one letter, times the letters."""
    return Prediction(np.ones(len(cell.times)), of="added_tanh", mean="seed", skewness=SKEWNESS, dims=("time",))


CONTROLS = (
    control("a contracting network, one error", "the share stays with a tanh", instead={"share_affine": "share_tanh"}),
    control(
        "a contracting network, kicks",
        "kicks add up in the typical network with a tanh",
        instead={"added_up_affine": "added_up_tanh"},
    ),
    control("a tanh, untrained", "the share stays, and kicks add up, with a tanh", measure="untrained_with_tanh"),
    control("a contracting network, long words", "it errs as well", instead={"reads_affine": "reads_tanh"}),
    control("an affine network, long words", "it reads them as well", instead={"reads_tanh": "reads_affine"}),
    control("long words", "affine networks read them as they read short ones", instead={"learned_affine": "reads_affine"}),
    *(
        control(
            f"one wrong word, {words}",
            "networks are right if one of the words is asked for the products of another one",
            instead={of: instead},
        )
        for words, of, instead in (
            ("short ones", "learned_affine", "learned_wrong_affine"),
            ("long ones", "reads_tanh", "reads_wrong_tanh"),
        )
    ),
    control("errors add up", "Jacobians do not matter", predict=_added),
    control("readings add up", "the Jacobian does not matter", instead={"horizon_gap": "horizon_gap_added"}),
)


RIVALS = (
    scaled(0.5, of="share_affine", name="half is corrected"),
    rival("kicks are corrected", lambda cell, given: Prediction(1, of="kicked_affine", mean="sample"), "one is left"),
    scaled(2.0, of="kicked_affine", name="twice the mean square"),
    scaled(1.5, of="noise_affine", name="noise grows faster"),
    off_by(1, of="horizon_gap", name="one reading more"),
)
