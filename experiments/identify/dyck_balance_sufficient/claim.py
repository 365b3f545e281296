r"""Any balanced attention table solves a bounded Dyck language at all lengths, the uniform one included.

Statement: If the scores of an opener and of its closer differ by the same number lambda for all closer queries, two attention
    layers read the stack after every closer of a word of a bounded Dyck language, at every length, and know which bracket may
    close next after every letter. If they do for opener queries too, the layers read the stack of every prefix. The values are
    +e for an opener and -exp(lambda) e for its closer.
    $$ \bigl(e(\tau_{2i-1,d})-e(\tau_{2i,d-1})\bigr)^{\!\top} W_K^\top W_Q\,\bigl(e(q)-e(q')\bigr) = 0 $$
Hypotheses: the table is balanced, checked in exact arithmetic; the first layer leaves type, side and depth of each bracket;
    up to six types, two to six deep (at `paper` eight and ten); before projection the scores are multiples of 1/64 in [-1, 1].
Source: Wen, Li, Liu, Risteski, “(Un)interpretability of transformers: a case study with bounded Dyck grammars”, arXiv
    2312.01429, the balance condition; constructions are derived here.
Refuted by: a prefix whose open brackets the two layers misread.
Cost: quick 9 s on one core, full about 4 min.

Derivation: `theory.attention.dyck`. What was closed cancels, whatever the length. The zero table (uniform attention) is
balanced, and any table becomes balanced by projection.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, whole
from experiments.identify.dyck_balance_sufficient.misread import misread_stacks
from theory.attention.dyck import ScoreTable

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "wrong_depths"


STACKS = ("wrong_short", "wrong_long", "wrong_openers")


READ_OUT = "the read-out is part of the construction: below this share of the largest entry nothing is read"


DEFINITIONS = {"closers.tolerance": READ_OUT, "all.tolerance": READ_OUT}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Table 0 is uniform attention, the others are random tables, projected."""

    table: int = axis(0, 1)
    types: int = axis(2, 3)
    depth: int = 3
    exhaustive: int = 9
    length: int = 256
    words: int = 32


DOMAIN = domain(
    table=whole(1, 9999),
    types=whole(1, 6, quick=4),
    depth=whole(2, 6, quick=4),
    exhaustive=among(5),
    length=whole(16, 1024, quick=256),
    counts={"quick": 1},
)
GRIDS = {
    "test": Sizes(types=axis(3), exhaustive=7, length=64, words=8),
    "quick": Sizes(types=axis(3)),
    "full": Sizes(table=axis(0, 1, 2, 3, 4, 5, 6, 7), exhaustive=10, length=1024, words=64),
    "paper": Sizes(table=axis(0, 1, 2, 3), types=8, depth=10, exhaustive=5, length=1024, words=64),
}


def objects(cell: Sizes) -> dict:
    """The balanced table; the table that is balanced for all queries."""
    return {"closers": _arrays(_table(cell).balanced()), "all": _for_all(cell)}


def _for_all(cell: Sizes) -> dict:
    table = _table(cell).balanced(slice(None))
    return _arrays(table) | {"tolerance": table.tolerance(slice(None))}


def _table(cell: Sizes) -> ScoreTable:
    """The table before it is projected."""
    return ScoreTable.random(cell.types, cell.depth, cell.table) if cell.table else ScoreTable.uniform(cell.types, cell.depth)


def _arrays(table: ScoreTable) -> dict:
    """Scores, ratios of the values of closers and openers, and the tolerance of the read-out."""
    ratios = np.exp(table.log_ratios.astype(float))
    return {"scores": table.scores.astype(float), "ratios": ratios, "tolerance": table.tolerance()}


def predict(cell: Sizes, tables: dict) -> tuple[Prediction, ...]:
    """Nothing is wrong, because the tables are balanced; as many brackets are read as there are."""
    closers, every = _table(cell).balanced(), _table(cell).balanced(slice(None))
    same = all(len(set(row)) == 1 for row in every.differences(slice(None)))
    met = (
        Hypothesis("the scores of every pair differ by one number for all closers", closers.imbalance == 0),
        Hypothesis("the scores of every pair differ by one number for all queries of the second table", same),
    )
    wrong = (Prediction(0, of=name, hypotheses=met) for name in ("wrong_depths", *STACKS))
    return (
        *wrong,
        Prediction(_open_brackets(cell), of="open_read", hypotheses=met),
        *_counts(cell),
    )


def _open_brackets(cell: Sizes) -> int:
    """Open brackets after every closer of every short word, summed."""
    return sum(d * words for d, words in enumerate(_closers(cell)))


def _counts(cell: Sizes) -> tuple[Prediction, ...]:
    """How many prefixes are looked at, and how many are wrong in the controls whose errors are known."""
    to, _ = _ways(cell.types, cell.depth, cell.exhaustive)
    nested = min(cell.exhaustive, 8)
    to_deeper, on_from = _ways(cell.types, cell.depth + 1, nested)
    openers = (cell.types * to_deeper[t][cell.depth] * on_from[nested - 1 - t][cell.depth + 1] for t in range(nested))
    by_depth = [sum(letters) for letters in zip([*_closers(cell), 0], _openers(cell), strict=True)]
    counts = [
        Prediction(cell.exhaustive * sum(to[-1]) + cell.length * cell.words, of="prefixes"),
        Prediction([cell.exhaustive * sum(to[-1]), cell.length * cell.words], of="wrong_late", dims=("length",)),
        *_late_openers(cell),
        Prediction(sum(openers), of="wrong_deeper"),
        # the scores of openers as queries are as drawn, and values and read-out are made for closers
        Prediction(_misread(cell, _table(cell).closers, balanced=True, after_openers=True), of="short_openers_by_closers"),
        Prediction([sum(by_depth[1:]), sum(by_depth[: cell.depth])], of="wrong_if_told", dims=("told",)),
    ]
    if cell.types > 1:
        counts += [
            Prediction(_exchanged_types(cell, _closers(cell)), of="wrong_exchanged"),
            Prediction(_exchanged_types(cell, _openers(cell)), of="wrong_openers_exchanged"),
        ]
    return tuple(counts)


def _late_openers(cell: Sizes) -> tuple[Prediction, ...]:
    """All openers change the stack. A long word has as many of them as closers, and up to `depth` more."""
    short, least = sum(_openers(cell)), (cell.length + 1) // 2
    most = (cell.length + cell.depth) // 2
    bounds = ((Relation.AT_LEAST, short + cell.words * least), (Relation.AT_MOST, short + cell.words * most))
    return tuple(Prediction(value, of="openers_late", relation=side) for side, value in bounds)


def _exchanged_types(cell: Sizes, by_depth: list[int]) -> int:
    """How many of these stacks hold one of the first two types. All stacks of one depth are equally frequent."""
    k = cell.types
    return int(sum(words * (1 - Fraction(k - 2, k) ** d) for d, words in enumerate(by_depth)))


def _closers(cell: Sizes) -> list[int]:
    """Closers of all short words, by the depth that they leave: ways to it times ways on from it."""
    to, on = _ways(cell.types, cell.depth, cell.exhaustive)
    pairs = list(zip(to, reversed(on[:-1]), strict=False))
    return [sum(before[d + 1] * after[d] for before, after in pairs) for d in range(cell.depth)]


def _openers(cell: Sizes) -> list[int]:
    """Openers of all short words, by the depth that they open to."""
    to, on = _ways(cell.types, cell.depth, cell.exhaustive)
    pairs = list(zip(to, reversed(on[:-1]), strict=False))
    return [0] + [sum(cell.types * before[d] * after[d + 1] for before, after in pairs) for d in range(cell.depth)]


def _ways(types: int, depth: int, length: int) -> tuple[list[list[int]], list[list[int]]]:
    """Numbers of words of 0, 1, ..., `length` letters that lead from nothing open to each depth, and that go on from it."""

    def step(ways: list[int], backwards: bool = False) -> list[int]:
        """Numbers of words by depth, with one more letter: an opener of any type, or the one closer."""
        up, down = (1, types) if backwards else (types, 1)
        padded = [0, *ways, 0]
        return [up * padded[d] + down * padded[d + 2] for d in range(len(ways))]

    to, on = [[1] + [0] * depth], [[1] * (depth + 1)]
    for _ in range(length):
        to, on = [*to, step(to[-1])], [*on, step(on[-1], backwards=True)]
    return to, on


def _after_closers(cell: Sizes, given: dict) -> tuple[Prediction, ...] | None:
    """No stack is wrong after closers; nothing is said of the uniform table, nor of one closer query: balanced as they are."""
    told_apart = cell.table and cell.types * (cell.depth - 1) > 1
    return tuple(Prediction(0, of=name) for name in ("wrong_short", "wrong_long")) if told_apart else None


def _raw(cell: Sizes) -> dict:
    return dict.fromkeys(("closers", "all"), _arrays(_table(cell)))


def _for_openers(cell: Sizes) -> dict:
    """Balanced for opener queries, for which the values and the read-out are made, where closers count."""
    table = _table(cell).balanced(_table(cell).openers)
    ratios = np.exp(np.array([row[0] for row in table.differences(table.openers)], dtype=float))
    arrays = _arrays(table) | {"ratios": ratios, "tolerance": table.tolerance(table.openers)}
    return dict.fromkeys(("closers", "all"), arrays)


def _misread_as_drawn(cell: Sizes, given: dict) -> Prediction:
    """Stacks that the table misreads as it was drawn. Its values fit the mean over closers that leave something open."""
    return Prediction(_misread(cell, _table(cell).closers, balanced=False), of="wrong_short")


def _misread_for_openers(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No stack is wrong after openers. After closers, whose scores are as drawn, values that fit openers do not fit."""
    wrong = _misread(cell, _table(cell).openers, balanced=True)
    return Prediction(wrong, of="wrong_short"), Prediction(0, of="wrong_openers")


def _misread(cell: Sizes, queries: slice, balanced: bool, after_openers: bool = False) -> int:
    """Stacks that are misread with scores as drawn, values and read-out being made for these queries.

    Each row of a pair loses half of the deviation from the pair's mean if the table is balanced for these queries.
    """
    scores, pairs = _table(cell).scores.astype(float), cell.types * cell.depth
    apart = (scores[:pairs] - scores[pairs:])[:, queries]
    mean = apart.mean(axis=1, keepdims=True)
    openers = scores[:pairs, queries] - balanced * (apart - mean) / 2
    tolerance = np.exp((openers.min(axis=0) - openers.max(axis=0)).min()) / 2
    on = _ways(cell.types, cell.depth, cell.exhaustive)[1]
    return misread_stacks(scores, np.exp(mean[:, 0]), float(tolerance), cell.types, on, after_openers=after_openers)


CONTROLS = (
    control(
        "not projected",
        "the random table itself reads every stack",
        objects=_raw,
        predict=_after_closers,
        finds=_misread_as_drawn,
    ),
    control(
        "opener queries",
        "balance for opener queries is enough after closers",
        objects=_for_openers,
        predict=_after_closers,
        finds=_misread_for_openers,
    ),
    control(
        "closer queries",
        "balance for closer queries is enough after openers",
        instead={"wrong_openers": "wrong_openers_by_closers"},
        where=lambda cell, _: cell.table > 0,
    ),
    control(
        "one deeper",
        "layers for depth D read the depths of words that nest D + 1 deep",
        instead={"wrong_depths": "wrong_deeper"},
        where=lambda cell, _: cell.depth < cell.exhaustive,  # elsewhere no short word nests one deeper
    ),
    control(
        "types exchanged",
        "the stacks that are read do not tell the first two types apart",
        instead={"wrong_short": "wrong_exchanged", "wrong_openers": "wrong_openers_exchanged"},
        where=lambda cell, _: cell.types > 1,
    ),
)
