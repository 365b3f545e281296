r"""As many abelian layers as its derived length track a finite group exactly, and fewer do not.

Statement: A layer is a product of phases that are driven by the letter and by the layers below. k such layers track the
    running product in a finite group G exactly, over words of any length, if and only if G has a subnormal series of length
    k with abelian factors. The least k is the derived length. A group that is not solvable, such as A5 or S5, has none.
    $$ \min\{k : k \text{ abelian layers track } G\} = \min\{k : G^{(k)} = 1\} $$
Hypotheses: letters are the elements of the group, and the answer after each letter is the product so far.
Source: Shakerinava, Khavari, Ravanbakhsh, Chandar, “The Expressive Limits of Diagonal SSMs for State-Tracking”, arXiv
    2603.01959, tower and necessity derived here.
Refuted by: a wrong prefix product of the tower, or an iterated commutator that dies or survives at the wrong depth.
Cost: quick 15 s on one core, full about 2 min.

Sufficiency: take the derived series G = G_0 > ... > G_k = 1 and a section s of G -> G / G_(i-1). Stage i accumulates the
class of

    s(q) x s(q x)^(-1)  in  G_(i-1) / G_i,

where q is the coset before letter x. Necessity: layers in which inverse letters act inversely generate a group of derived
length at most k, so every k-fold iterated commutator leaves them where they were. In a group of larger derived length the
product of one of these commutators is not 1. (A letter's inverse can also be spelled as a power of the letter, because its
action on finitely many states has a finite order.)

Groups are drawn up to order 125, and their elements are renumbered, which changes the sections and phases that a tower is made
of. Judged are the right prefix products of the compiled tower, in both precisions, on random words that begin with an iterated
commutator; what all stages find at its end, and all but the last, which find 1 there and cosets everywhere; the bits that the
drifting phases take, which are all those of the precision; and, by random sampling in the Cayley table alone, the depths j at
which iterated commutators other than 1 survive. They survive for j below the derived length, and at every depth in A5 and S5.
"""

import dataclasses
from functools import reduce

import numpy as np
from sympy import factorint

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.groups import copied, groups
from experiments.lie.group_tower_exact.common import DTYPES
from theory.floats import MANTISSAS
from theory.groups.laws import iterated_commutator

CLAIM = claim(Relation.EQUALS)
HEADLINE = "right"


# tables are padded to these sizes where they are smaller, so that one program serves most groups
STAGES, COSETS, ORDER, RANK = 4, 25, 125, 3


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The group, whose elements are the letters, and how they are numbered; the words, and samples of commutators by depth."""

    group: str = axis(
        *("C2", "C12", "C2xC2xC2", "D3", "D4", "Q8", "A4", "S4", "SL2_3", "GL2_3", "H3_3", "H3_5", "A5", "S5"),
        "D61",  # phases of a large cyclic group are read to a part in a hundred
    )
    relabel: int = 0  # 0: as the group is given
    length: int = 100_000
    batch: int = 1
    depths: int = 5
    samples: int = 4096


DOMAIN = domain(
    group=groups(125, factors=3),
    relabel=whole(1, 2**16),
)
GRIDS = {
    "test": Sizes(group=axis("S4", "A5"), length=2000),
    "quick": Sizes(),
    "full": Sizes(batch=16, samples=2**16),
    "paper": Sizes(length=1_000_000, batch=16, samples=2**16),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table and, of a solvable group, its tower's arrays, a word that moves the last stage alone, and its cosets."""
    g = copied(cell.group, cell.relabel)
    table = {"table": np.pad(g.table, (0, ORDER - g.order)), "letters": g.order}
    if not g.is_solvable:
        return table
    tower = g.tower
    most = max(COSETS, *(len(stage.increments) for stage in tower.stages)), max(RANK, *(len(s.moduli) for s in tower.stages))
    moduli, increments = np.ones((STAGES, most[1]), int), np.zeros((STAGES, most[0], ORDER, most[1]), int)
    for i, stage in enumerate(tower.stages):
        cosets, letters, rank = stage.increments.shape
        moduli[i, :rank], increments[i, :cosets, :letters, :rank] = stage.moduli, stage.increments
    elements, word = np.pad(tower.elements, (0, ORDER - g.order)), np.array(iterated_commutator(g, tower.depth - 1))
    cosets = np.pad(g.table[:, g.derived_series[-2]].min(axis=1), (0, ORDER - g.order))  # of what the last stage tells
    return table | {"cosets": cosets, "moduli": moduli, "increments": increments, "elements": elements, "word": word}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """All products right, in all bits; commutators of depth j survive iff the derived length is larger than j.

    The word's product is read off the group's table here, and stages below the last one do not see it.
    """
    group = copied(cell.group, cell.relabel)
    length = group.derived_length
    survivors = _surviving(cell, cell.depths if length is None else length)
    if length is None:
        return (survivors,)
    product = reduce(lambda done, letter: int(group.table[done, letter]), given["word"].tolist(), 0)
    return (
        Prediction(cell.batch * cell.length, of="right"),
        Prediction(product, of="commutator_product"),
        Prediction(0, of="commutator_product_with_fewer"),
        Prediction(cell.batch * cell.length, of="right_cosets_with_fewer"),
        Prediction([MANTISSAS[name] for name in DTYPES], of="bits", dims=("dtype",)),
        survivors,
    )


def _surviving(cell: Sizes, length: int) -> Prediction:
    return Prediction((np.arange(cell.depths) < length).astype(int), of="survive", dims=("commutator",))


def _shorter(cell: Sizes, given: dict) -> Prediction | None:
    length = copied(cell.group, cell.relabel).derived_length
    return None if length is None else _surviving(cell, length - 1)


def _blind(cell: Sizes, given: dict) -> Prediction | None:
    """Where stages that see nothing end on the commutator, and how often they are right, by sums of integers."""
    if "moduli" not in given:
        return None
    word, product, right, number = given["word"].tolist(), 0, 0, 0
    sums = np.zeros(given["moduli"].shape, int)
    for letter in word:
        sums = (sums + given["increments"][:, 0, letter]) % given["moduli"]
        number = 0
        for coordinate, modulus in zip(sums.ravel().tolist(), given["moduli"].ravel().tolist(), strict=True):
            number = number * modulus + coordinate
        product = int(given["table"][product, letter])
        right += int(given["elements"][number] == product)
    return Prediction([int(given["elements"][number]), right], of="blind", dims=("of",))


CONTROLS = (
    control(
        "one stage fewer",
        "one stage fewer than the derived length tracks the group",
        instead={"commutator_product": "commutator_product_with_fewer"},
        where=lambda cell, given: "moduli" in given,
    ),
    control(
        "side by side",
        "stages that do not see those below track a group that is not abelian",
        measure="side_by_side",
        finds=_blind,
        where=lambda cell, given: (copied(cell.group, cell.relabel).derived_length or 0) > 1,
    ),
)


def _as_many_as_factors(cell: Sizes, given: dict) -> Prediction | None:
    """The composition length, which is the derived length of C2, S3 and other dihedral groups of prime degree."""
    g = copied(cell.group, cell.relabel)
    return _surviving(cell, sum(factorint(g.order).values())) if g.is_solvable else None


RIVALS = (
    rival("a derived length smaller by one", _shorter, "every iterated commutator is 1 one depth earlier"),
    rival(
        "the composition length",
        _as_many_as_factors,
        "a layer for each composition factor: iterated commutators survive as long",
        everywhere=False,
    ),
)
