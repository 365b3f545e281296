r"""k alternating blocks take counting of depth k to recognise and of depth k - 2 to predict, by explicit formulas.

Statement: L_1 = a+, L_{k+1} = L_k b+ or L_k a+ in turn. With A_1 = a, A_{m+1} = s and #[A_m] >= 1 (s in turn b, a, ...) and
B_m the same with the letters exchanged,

    w in L_k  iff  #[A_k] >= 1 and #[B_k] = 0 at its last letter                                          (depth k),
    a prefix of a word of L_k is in L_k  iff  its last letter is that of L_k and #[B_{k-2}] >= 1        (depth k - 2, k >= 3).

Uniform attention counts: one layer repeated `depth` times gives the truth at every position. The derivation is in
`theory.logic.counting`; word counts are C(n - 1, k - 1). Parity of the ones takes depth 2 with counts of both sides.

Hypotheses: counts are exact (float32 here); for prediction, the prefix is one of a word of L_k. That less depth is not enough
for *any* formula is a theorem of the source; here less depth of the same family is wrong (control), and the layers that these
programs need are measured.

Source: Yang, Cadilhac, Chiang, arXiv 2506.16055 (hierarchy); the formulas are derived here. Refuted by: one wrong prefix.
Cost: 10 s on a CPU at quick size.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import compile_formulas
from depthjax.tasks.alternation import block_numbers, may_end
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from theory import bounds
from theory.logic.counting import block_counts, parity, predictor, recogniser
from theory.logic.program import LogicProgram, program

CLAIM = Claim(
    slug="alternation_depth_exact",
    title="k alternating blocks take counting attention of depth k to recognise and of depth k - 2 to predict",
    statement=(
        "Explicit one-sided counting formulas of depth k recognise L_k, words of k alternating blocks, and of depth k - 2 "
        "predict at every prefix whether it may end; uniform attention computes them in as many layers."
    ),
    latex=r"w \in L_k \iff \#[A_k] \ge 1 \wedge \#[B_k] = 0,"
    r" \qquad w_{\le j} \in L_k \iff w_j = s_k \wedge \#[B_{k-2}]_j \ge 1",
    relation=Relation.EQUALS,
    source=Source(
        "Yang, Cadilhac, Chiang",
        "Knee-Deep in C-RASP: A Transformer Depth Hierarchy",
        "arXiv 2506.16055",
        "the depths; the formulas are derived here",
    ),
    assumes=("counts are exact", "for prediction: every prefix is one of a word of L_k"),
    refuted_by="a wrong prefix of any word up to the stated length, or more layers needed",
    cost="10 s on a CPU at quick size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of blocks is the axis; all words over two letters up to a length, which are the prefixes of the longest."""

    k: int = axis(1, 2, 3, 4, 5, 6)
    length: int = 12


GRIDS = {"quick": Sizes(), "full": Sizes(k=axis(1, 2, 3, 4, 5, 6, 7, 8), length=18), "paper": Sizes(length=18)}


class Programs(NamedTuple):
    """The two formulas and parity, with shallower members of the families and the one-sided parity for the controls."""

    recognise: LogicProgram
    predict: LogicProgram
    parity: LogicProgram
    shallow_recognise: LogicProgram
    shallow_predict: LogicProgram
    one_sided: LogicProgram


def setting(cell: Sizes) -> Programs:
    """The formulas as plain arrays."""
    return Programs(
        program(recogniser(cell.k), "ab"),
        program(predictor(cell.k), "ab"),
        program(parity(), "01"),
        program(recogniser(cell.k, max(cell.k - 1, 1)), "ab"),
        program(predictor(cell.k, max(cell.k - 3, 0)), "ab"),
        program(parity(two_sided=False), "01"),
    )


def predict(cell: Sizes, given: Programs) -> tuple[Prediction, ...]:
    """No wrong prefix, the depths as layers, and binomial word counts."""
    return (
        Prediction(0, of="wrong_recognised"),
        Prediction(0, of="wrong_predicted"),
        Prediction(block_counts(cell.k, cell.length)[1:], of="accepted", dims=("letters",)),
        Prediction(int(bounds.alternation(cell.k).at()), of="layers_to_recognise"),
        Prediction(int(bounds.alternation(cell.k, "predict").at()), of="layers_to_predict"),
        Prediction(0, of="wrong_parity"),
    )


def measure(cell: Sizes, key: jax.Array, given: Programs) -> xr.Dataset:
    """Wrong prefixes of all words, of all promised words, and the fewest layers without a wrong one."""
    tried = _Tried(cell)
    recognise, foresee = given.recognise, given.predict
    return xr.Dataset(
        {
            "wrong_recognised": ((), tried.wrong(recognise, tried.every), {"long_name": "wrong prefixes, recognised"}),
            "wrong_predicted": ((), tried.wrong(foresee, tried.promised), {"long_name": "wrong prefixes, predicted"}),
            "accepted": ("letters", tried.accepted(recognise), {"long_name": f"words of a length in L_k, up to {cell.length}"}),
            "layers_to_recognise": ((), tried.layers(recognise, tried.every), {"long_name": "layers needed to recognise"}),
            "layers_to_predict": ((), tried.layers(foresee, tried.promised), {"long_name": "layers needed to predict"}),
            "wrong_parity": ((), _wrong_parity(given.parity), {"long_name": "words whose parity is wrong"}),
        },
        coords={"letters": np.arange(1, cell.length + 1)},
    )


class _Tried:
    """All words of a length, which prefixes of them may end, and which are promised to be prefixes of words of L_k."""

    def __init__(self, cell: Sizes) -> None:
        self.words = _words(cell.length)
        words = jnp.asarray(self.words)
        self.truth = np.asarray(may_end(words, cell.k))
        self.every = np.ones(self.words.shape, bool)
        self.promised = (self.words[:, :1] == 0) & np.asarray(block_numbers(words) <= cell.k)
        self.known: dict[tuple[int, int], np.ndarray] = {}

    def answers(self, found: Any, layers: int) -> np.ndarray:
        """A program's output at every position of every word after so many layers, computed once."""
        asked = id(found), layers
        if asked not in self.known:
            self.known[asked] = np.asarray(compile_formulas([found])(self.words, layers))[0]
        return self.known[asked]

    def wrong(self, found: Any, asked: np.ndarray, layers: int | None = None) -> int:
        """How many of the prefixes that are asked a program gets wrong."""
        answers = self.answers(found, found.depth if layers is None else layers)
        return int(((answers != self.truth) & asked).sum())

    def accepted(self, found: Any) -> np.ndarray:
        """How many words of each length are accepted: a prefix of n letters begins 2^(length - n) words."""
        ends = self.answers(found, found.depth).sum(axis=0)
        return ends // 2 ** np.arange(self.words.shape[1] - 1, -1, -1)

    def layers(self, found: Any, asked: np.ndarray) -> int:
        """The fewest layers without a wrong prefix; one more than there are if there is always one."""
        needed = found.depth + 1
        while needed and not self.wrong(found, asked, needed - 1):
            needed -= 1
        return needed


def _words(length: int) -> np.ndarray:
    """All words over two letters, without a compilation for each length."""
    return np.indices((2,) * length, np.int32).reshape(length, -1).T


def _wrong_parity(found: Any, longest: int = 10) -> int:
    """Words of length 1, 2, ... whose parity is wrong at the last position; counts ahead, so each length by itself."""
    model = compile_formulas([found])
    words = np.concatenate([np.pad(_words(n), ((0, 0), (0, longest - n))) for n in range(1, longest + 1)])
    lengths = np.repeat(np.arange(1, longest + 1), [2**n for n in range(1, longest + 1)])
    truth = np.asarray(model(words, lengths=jnp.asarray(lengths)))[0][np.arange(len(words)), lengths - 1]
    return int((truth != (words.sum(axis=1) % 2 == 1)).sum())


def _shallow_recognised(cell: Sizes, key: jax.Array, given: Programs) -> xr.Dataset:
    tried = _Tried(cell)
    return xr.Dataset({"wrong_recognised": ((), tried.wrong(given.shallow_recognise, tried.every))})


def _shallow_predicted(cell: Sizes, key: jax.Array, given: Programs) -> xr.Dataset:
    tried = _Tried(cell)
    return xr.Dataset({"wrong_predicted": ((), tried.wrong(given.shallow_predict, tried.promised))})


def _one_sided(cell: Sizes, key: jax.Array, given: Programs) -> xr.Dataset:
    return xr.Dataset({"wrong_parity": ((), _wrong_parity(given.one_sided))})


CONTROLS = (
    Control(
        "patterns of k - 1",
        "the recogniser of the same family with patterns one shorter is right",
        lambda cell, given: Prediction(0, of="wrong_recognised") if cell.k >= 2 else None,
        _shallow_recognised,
    ),
    Control(
        "a pattern of k - 3",
        "the predictor of the same family with a pattern one shorter is right",
        lambda cell, given: Prediction(0, of="wrong_predicted") if cell.k >= 3 else None,
        _shallow_predicted,
    ),
    Control(
        "parity from one side",
        "the formula for parity is right when both counts look back",
        lambda cell, given: Prediction(0, of="wrong_parity"),
        _one_sided,
    ),
)
