r"""No counting formula of depth k + 1 with small inner coefficients tells u s s t t from u s t s t.

Statement: Let u have k + 1 = 2 or 3 blocks of the lengths below, s its last letter and t the other letter. All one-sided
    counting formulas of depth k + 1 with bounded inner coefficients agree on u s s t t and u s t s t, which have k + 2 and k +
    4 blocks. One depth more tells them apart, and for k = 2 blocks that merely grow do not suffice.
    $$ p > C,\ q \ge C(p+3) \;\Rightarrow\; \varphi(a^p b^q\,bbaa) = \varphi(a^p b^q\,baba)
       \quad (\mathrm{depth}\ \varphi \le 2) $$
Hypotheses: one-sided counts; inner coefficients and bounds of absolute value at most C.
Source: Yang, Cadilhac, Chiang, “Knee-Deep in C-RASP: A Transformer Depth Hierarchy”, arXiv 2506.16055, the pairs (their block
    lengths are derived here).
Refuted by: a class of positions that is more frequent in one of the two words, or a formula that tells them apart.
Cost: quick 5 s on a CPU, full 3 min.

The two words have equal length, letter counts and last letter. With S a bound on sums of coefficients in between, formulas of
depth k + 1 take the same value on both, whatever their outer coefficients are, for

    k = 1:  u = a^p b^q,      p > C,  q >= C (p + 3),
    k = 2:  u = a^p b^q a^r,  p > C,  r > S (p + C (p+1) + 1),  q > C (p+1) + S (r + p + C (p+1) + 3).

The derivation is in `theory.logic.counting`. For k = 1 it is tried by enumeration: a formula of depth 2 knows of a word how
often each class of positions occurs, by letter and by the results of all (2C + 1)^3 inner tests, and the class of its last
position. For k = 2 a sample of random formulas tries it. Blocks that merely grow, as in a^12 b^200 a^3000, do *not* fool depth
3: an explicit formula with all coefficients one tells that pair apart, although random formulas do not find it. Trained
networks have no bounded coefficients and are not spoken of.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import CompiledFormulas, compile_formulas
from depthjax.probe.counting import separating_classes
from depthjax.tasks.alternation import block_numbers
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured
from theory.logic.counting import blind_lengths, crossing, fooling_pair, recogniser
from theory.logic.program import program
from theory.logic.sampling import random_counting_formula

CLAIM = claim(Relation.EQUALS)

GROWING = (12, 200, 3000)  # enough for random formulas of depth 3, not for all
TERMS = 3  # counts in a random comparison
SHARED = 1024  # words are padded to a multiple of this length, so that cells share their programs


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The largest inner coefficient is the axis; so many random formulas of depth 2, and of depth 3."""

    size: int = axis(1, 2, 3)
    formulas: int = 40


FULL = Sizes(size=axis(1, 2, 3, 4, 5), formulas=4000)
GRIDS = {"test": Sizes(size=axis(1), formulas=8), "quick": Sizes(), "full": FULL, "paper": FULL}


def objects(cell: Sizes) -> dict:
    """Pairs of words; random formulas of depth 2, then of depth 3, and the recognisers of L_3 and L_4; the crossing formula."""
    rng = np.random.default_rng(cell.size)
    two, three = blind_lengths(cell.size), blind_lengths(cell.size, TERMS * cell.size)
    lengths = {"two": two, "three": three, "short": (two[0] - 1, two[1]), "equal": (20, 20), "growing": GROWING}
    random = [random_counting_formula(rng, "ab", depth, cell.size) for depth in (2, 3) for _ in range(cell.formulas)]
    formulas = [program(formula, "ab") for formula in (*random, recogniser(3), recogniser(4))]
    networks = {"formulas": compile_formulas(formulas), "crossing": compile_formulas([program(crossing(), "ab")])}
    return {name: np.stack(fooling_pair(blocks)) for name, blocks in lengths.items()} | networks


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Nothing tells the pairs apart, except one depth more, and the crossing formula where blocks merely grow."""
    p, q, c = *blind_lengths(cell.size), cell.size
    lengths = Hypothesis("p > C and q >= C (p + 3)", p > c and q >= c * (p + 3))
    return (
        Prediction(0, of="separating", hypotheses=(lengths,)),
        Prediction((3, 5, 4, 6), of="blocks", dims=("word",)),
        Prediction(0, of="separated_by_depth_two"),
        Prediction(0, of="separated_by_depth_three"),
        Prediction((1, 1), of="separated_by_recogniser", dims=("pair",)),
        Prediction(1, of="separated_by_crossing"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Classes that tell the pair apart, and how many formulas do."""
    by_pair = _separated(given["formulas"], given["two"], given["three"])  # pair, formula
    two, three = by_pair[0, : cell.formulas].sum(), by_pair[1, cell.formulas : -2].sum()
    blocks = np.concatenate([np.asarray(block_numbers(jnp.asarray(given[pair])))[:, -1] for pair in ("two", "three")])
    recognised, crossed = by_pair[[0, 1], [-2, -1]].astype(int), _separated(given["crossing"], given["growing"]).sum()
    return measured(
        separating=_separating(cell, given["two"]),
        blocks=Quantity(blocks, "word", label="blocks of the four words"),
        separated_by_depth_two=Quantity(two, label="random formulas of depth 2 that tell the pair apart"),
        separated_by_depth_three=Quantity(three, label="random formulas of depth 3 that tell the longer pair apart"),
        separated_by_recogniser=Quantity(recognised, "pair", label="recognisers one deeper that do"),
        separated_by_crossing=Quantity(crossed, label="growing blocks: the formula of depth 3 that does"),
    )


def _separating(cell: Sizes, pair: np.ndarray) -> Quantity:
    return Quantity(separating_classes(pair[0], pair[1], cell.size), label="classes of unequal frequency")


def _separated(network: CompiledFormulas, *pairs: np.ndarray) -> np.ndarray:
    """Which formulas differ at the last position of the two words of each pair: bool array (pairs, formulas)."""
    longest = -(-max(pair.shape[1] for pair in pairs) // SHARED) * SHARED
    words = np.concatenate([np.pad(pair, ((0, 0), (0, longest - pair.shape[1]))) for pair in pairs])
    lengths = np.repeat([pair.shape[1] for pair in pairs], 2)
    truth = np.asarray(network(words, lengths=lengths))
    ends = truth[:, np.arange(len(words)), lengths - 1].reshape(len(truth), len(pairs), 2)
    return (ends[..., 0] != ends[..., 1]).T


def _equal_blocks(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(separating=_separating(cell, given["equal"]))


def _short_block(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(separating=_separating(cell, given["short"]))


CONTROLS = (
    control("equal blocks", "u = a^20 b^20 fools depth 2 as well", measure=_equal_blocks),
    control("p one smaller", "p = C is long enough", measure=_short_block),
    control(
        "one depth more",
        "the recognisers of L_3 and L_4, of depth 3 and 4, take the same value on their pairs",
        instead={"separated_by_depth_two": "separated_by_recogniser"},
    ),
    control(
        "growing blocks",
        "u = a^12 b^200 a^3000 fools depth 3",
        instead={"separated_by_depth_three": "separated_by_crossing"},
    ),
)
