r"""RWKV-7's states forget errors as fast as memories; entries that a gain bends hold bits, against errors and weak letters.

Statement: The update S <- S (diag(w) - kappa^T (a kappa)) + v^T k of RWKV-7 has the same Jacobian at every state, with the
    eigenvalues x below. An error that is a share of the difference of two memories stays this share along every word, and a
    constant error d for each letter takes a memory z that does not decay in z / d letters. The update S <- f S + (1 - f)
    tanh(S W + u) of M2RNN with W = g I holds entries at z = tanh(g z) and shrinks small errors by r for each letter. A bit
    survives a constant error for ever if it is at most d*, and a letter u that is written against it for ever if it is at most
    u*, whatever f is; and else not. An entry that others at rest drive, by weights of W whose absolute values sum up to s,
    holds against all their patterns of signs if s is at most u* / z, and else not.
    $$ \sum_i \frac{a_i \kappa_i^2}{w_i - x} = 1, \qquad r = f + (1 - f)\, g\, (1 - z^2), \qquad
       u^* = \sqrt{g (g - 1)} - \operatorname{arcosh} \sqrt g, \qquad d^* = (1 - f)\, u^* / g $$
Hypotheses: w has no two entries alike, and 0 < a; g > 1.
Source: Peng et al., “RWKV-7 Goose”, arXiv 2503.14456, and “M2RNN”, arXiv 2603.14360, for the updates, as known from notes;
    rates, the largest error and letter are derived here, in `theory.lie.held_bits`, after Chung, Choi, Kim, arXiv 2605.07755.
Refuted by: other eigenvalues of the Jacobian, a share that moves, another state at the end of a word, another rate, or a bit
    that is lost or held beside d* or u*.
Cost: quick 4 s on one core, full about a minute.

The two states of the share read one word and start apart. Jacobians are those of the program that runs the update. The largest
survived error and letter are searched by halving, a bit counting as held if it is right after 4000 letters: beside the place of
rest that vanishes a bit passes in t letters if d - d* = pi^2 / (c t^2), c = (1 - f) g sqrt(1 - 1/g) being half of the
curvature; a letter u pushes (1 - f) / g times as much.
"""

import dataclasses
import itertools
import math

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, real, rival, scaled, whole
from theory.bounds import correctable_error
from theory.lie.held_bits import decay_rates, forgetting_rate, largest_letter, resting_place

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "survived"
SMALL = 1e-6  # the error whose share of itself is left after a letter; what is not linear in it is left out
LONG = 4000  # letters after which a bit counts as held for ever
LOW = 0.9  # a gain at which nothing is held
MOST = 8  # entries of a row at most, of which the last is driven and all patterns of the others are tried


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The gain and the share that is kept unbent are the axes; size of the state, letters of words, the error's share."""

    gain: float = axis(1.5, 2.0, 4.0)
    forget: float = axis(0.0, 0.5)
    size: int = 4
    length: int = 24
    letters: int = 5
    share: float = 0.3
    error: float = 0.013
    drawn: int = 0


DOMAIN = domain(
    gain=real(1.2, 6.0),
    forget=real(0.0, 0.9),
    size=whole(2, 6),
    length=whole(8, 48),
    share=real(0.05, 2.0),
    error=real(0.004, 0.05),
    drawn=whole(1, 2**20),
    where={"the memory 1 is no multiple of the error": lambda cell: abs(1 / cell.error - round(1 / cell.error)) > 0.01},
)
GRIDS = {
    "test": Sizes(gain=axis(2.0)),
    "quick": Sizes(),
    "full": Sizes(gain=axis(1.2, 1.5, 2.0, 3.0, 4.0, 6.0), forget=axis(0.0, 0.5, 0.9), length=48),
    "paper": Sizes(gain=axis(1.2, 1.5, 2.0, 3.0, 4.0, 6.0), forget=axis(0.0, 0.5, 0.9), size=16, length=96),
}


def objects(cell: Sizes) -> dict[str, np.ndarray]:
    """The decays, rates, unit keys and what is written, for each letter; two states; weights of the sum 1."""
    draw = np.random.default_rng([cell.drawn, cell.size])
    keys = draw.normal(size=(cell.letters, cell.size))
    drive = draw.normal(size=min(cell.size, MOST) - 1)
    return {
        "decay": draw.uniform(0.9, 1.0, (cell.letters, cell.size)),
        # above 1 the least eigenvalue may be negative
        "rate": draw.uniform(0.05, 2.0, (cell.letters, cell.size)),
        "key": keys / np.linalg.norm(keys, axis=1, keepdims=True),
        "written": draw.normal(size=(cell.letters, cell.size, cell.size)),
        "states": draw.normal(size=(2, cell.size, cell.size)),
        "drive": drive / np.abs(drive).sum(),
        "word": draw.integers(cell.letters, size=cell.length),
    }


def _after(state: np.ndarray, given: dict, letter: int) -> np.ndarray:
    """S (diag(w) - kappa^T (a kappa)) + v^T k, as the statement writes it."""
    decay, rate, key, written = (given[name][letter] for name in ("decay", "rate", "key", "written"))
    return state @ (np.diag(decay) - np.outer(key, rate * key)) + written


def _ends(cell: Sizes, given: dict) -> np.ndarray:
    """Where the word takes both states, and the state that is a share of the way from the first to the second."""
    one, other = given["states"]
    runs = [one, other, one + cell.share * (other - one)]
    for letter in given["word"].tolist():
        runs = [_after(state, given, letter) for state in runs]
    return np.array(runs)


def _bent_twice(cell: Sizes, given: dict) -> np.ndarray:
    """Where two letters take both states, and the state that is a share of the way, if the gain bends them."""
    one, other = given["states"]
    runs = np.array([one, other, one + cell.share * (other - one)])
    for _ in range(2):
        runs = cell.forget * runs + (1 - cell.forget) * np.tanh(cell.gain * runs)
    return runs


def _bent_share(cell: Sizes, given: dict) -> float:
    """The share of the way that is left after these letters."""
    one, other, between = _bent_twice(cell, given)
    return float(((between - one) * (other - one)).sum() / ((other - one) ** 2).sum())


def _slopes_apart(cell: Sizes, given: dict) -> float:
    """The largest difference between the slopes f + (1 - f) g (1 - tanh(g S)^2) of entries of two bent states."""
    one, other = np.tanh(cell.gain * given["states"]) ** 2
    return float((1 - cell.forget) * cell.gain * np.abs(one - other).max())


def _lost(cell: Sizes, given: dict) -> int:
    """How many patterns of signs, with weights of the sum 2 g, push by more than the largest letter."""
    pushes = [float(np.dot(signs, given["drive"])) for signs in itertools.product((-1, 1), repeat=len(given["drive"]))]
    least = largest_letter(cell.gain) / resting_place(cell.gain) / (2 * cell.gain)
    return sum(push < -least for push in pushes)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Eigenvalues between the decays, the same share, the rate, and the largest error."""
    rates = [decay_rates(*(given[name][x].tolist() for name in ("decay", "rate", "key"))) for x in range(cell.letters)]
    gap = min(float(np.diff(np.sort(row)).min()) for row in given["decay"])
    apart = Hypothesis("no two decays are alike", gap > 1e-6)
    most = float(correctable_error(cell.gain, cell.forget).at())
    curve = (1 - cell.forget) * cell.gain * math.sqrt(1 - 1 / cell.gain)
    rest = resting_place(cell.gain)
    letter, push = largest_letter(cell.gain), (1 - cell.forget) * curve / cell.gain
    return (
        Prediction(rates, of="eigenvalues", dims=("letter", "number"), hypotheses=(apart,), resolution=0.01),
        Prediction(
            [[_after(state, given, x)[0] for x in range(cell.letters)] for state in given["states"]],
            of="rows",
            dims=("state", "letter", "number"),
            resolution=0.01,
        ),
        Prediction(0.0, of="jacobian_moves", resolution=0.01),
        Prediction([cell.letters * cell.size**2, 2 * cell.size**2, cell.length], of="read", dims=("of",)),
        Prediction(_bent_twice(cell, given), of="bent", dims=("run", "row", "number"), resolution=0.01),
        Prediction(_bent_share(cell, given), of="share_bent", resolution=0.01),
        Prediction(_ends(cell, given), of="ends", dims=("run", "row", "number"), resolution=0.01),
        Prediction(_slopes_apart(cell, given), of="jacobian_moves_bent", resolution=0.01),
        Prediction(cell.forget + (1 - cell.forget) * LOW, of="left_low", truncation=SMALL, resolution=0.02 * (1 - cell.forget)),
        Prediction(2 * cell.gain, of="driven_along", resolution=cell.gain / 50, formula="2 g"),  # the largest sum that is tried
        Prediction(_lost(cell, given), of="lost"),
        Prediction([2 ** len(given["drive"]), 2 ** (len(given["drive"]) - 1)], of="held", dims=("among",)),
        Prediction(0.0, of="survived_low", resolution=1e-6),
        Prediction(0.0, of="written_low", resolution=1e-6),
        Prediction(cell.share, of="share", resolution=0.1 * cell.share),
        Prediction(1 + math.floor(1 / cell.error), of="letters_held"),
        Prediction(rest, of="rest", formula=r"z = \tanh(g z)"),
        Prediction(
            forgetting_rate(cell.gain, cell.forget),
            of="left",
            truncation=cell.gain**2 * SMALL,
            resolution=0.02,
            formula="f + (1 - f) g (1 - z^2)",
        ),
        Prediction(letter, of="written", truncation=2 * (math.pi / LONG) ** 2 / push, resolution=letter / 50, formula="u^*"),
        Prediction(
            letter / rest, of="driven", truncation=2 * (math.pi / LONG) ** 2 / push, resolution=letter / 50, formula="u^* / z"
        ),
        Prediction(most, of="survived", truncation=2 * (math.pi / LONG) ** 2 / curve, resolution=most / 50),
    )


def _as_the_gate(cell: Sizes, given: dict) -> Prediction:
    return Prediction(cell.forget, of="left", resolution=0.02)


def _unbent(cell: Sizes, given: dict) -> Prediction:
    return Prediction(cell.forget + (1 - cell.forget) * cell.gain, of="left", resolution=0.02)


def _decays(cell: Sizes, given: dict) -> Prediction:
    return Prediction(np.sort(given["decay"], axis=1), of="eigenvalues", dims=("letter", "number"), resolution=0.01)


def _half_way(cell: Sizes, given: dict) -> Prediction:
    """The error that the rate of small ones would correct within the distance to 0."""
    z = resting_place(cell.gain)
    return Prediction(z * (1 - forgetting_rate(cell.gain, cell.forget)), of="survived", resolution=0.01)


CONTROLS = (
    control("a state that is bent", "a share stays the same there too", instead={"share": "share_bent"}),
    control(
        "Jacobians of a bent state", "they are the same at every state too", instead={"jacobian_moves": "jacobian_moves_bent"}
    ),
    control(
        "a gain of 0.9",
        "it survives as large an error, and as strong a letter",
        instead={"survived": "survived_low", "written": "written_low"},
    ),
    control("others that agree", "it does not matter which signs the others have", instead={"driven": "driven_along"}),
)


def _behind_the_gate(cell: Sizes, given: dict) -> Prediction | None:
    """What a letter would need if the gate kept it out as it keeps errors out."""
    if cell.forget < 0.1:
        return None
    return Prediction((1 - cell.forget) * largest_letter(cell.gain), of="written", resolution=0.01)


def _as_letters(cell: Sizes, given: dict) -> Prediction | None:
    """The sum of weights if others rested at 1; for large gains they nearly do."""
    return Prediction(largest_letter(cell.gain), of="driven", resolution=0.01) if cell.gain < 3 else None


def _dominance(cell: Sizes, given: dict) -> Prediction:
    """The letter that turns the sign of what is in the bracket at rest."""
    return Prediction(cell.gain * resting_place(cell.gain), of="written", resolution=0.01)


RIVALS = (
    rival("as the gate", _as_the_gate, "errors are forgotten as fast as the gate forgets"),
    rival("at the origin", _unbent, "the rate is that at the origin, where nothing is bent"),
    rival("the decays alone", _decays, "the eigenvalues are the decays w"),
    rival("small errors tell", _half_way, "errors up to z (1 - r) are survived, as the rate of small ones says"),
    rival("behind the gate", _behind_the_gate, "a letter is let in by 1 - f, as an error is not"),
    rival("the sign of the bracket", _dominance, "a bit is held until a letter turns g z + u around"),
    scaled(1.1, of="survived"),
    scaled(1.03, of="written"),
    rival(
        "a letter", lambda cell, given: Prediction(largest_letter(cell.gain), of="driven", resolution=0.01), "others push by 1"
    ),
)
