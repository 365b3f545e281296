r"""At three elements one cube for each path is enough, up to lower powers of n: 18 <= H <= 32 for S3.

Statement: One hidden layer of z^3 that composes three elements has at least sum n^4 units, and one more if the group has a sign
    or a complex irrep. With real irreps sum n^4 units suffice together with fewer than 4 n^2 + 2 n for each irrep, where signs
    of paths take 4 sum n^4. So the leading term of the bound is sharp.
    $$ \sum_\rho n_\rho^4 + [\text{a sign or a complex irrep}] \;\le\; H \;\le\;
       1 + \sum_\rho \big( n_\rho^4 + 4 (n_\rho - 1)^2 + 2 n_\rho + 3 \big) $$
Hypotheses: each non-trivial Fourier coefficient is invertible, and the trivial one is zero; c, below, is not additive.
Source: this project, for the task of Marchetti, Kunin, Myers, Acosta, Miolane, arXiv 2602.03655.
Refuted by: a word that these weights compose wrongly, a network of another width, an exact network below the lower bound, or
    a group with another number of pairs that commute than the one of its name.
Cost: quick 2 s on one core, full about 30 s.

Derivation. An entry of rho(g_1) rho(g_2) rho(g_3) is the sum of x_a Y_ab z_b over n^2 paths. The sum of (x_a + Y_ab + z_b)^3 is
six times this sum and a surplus. Rows and columns of an orthogonal matrix have norm 1. So most of the surplus depends on one
letter, and what depends on two is a combination of (n - 1)^2 products x_ra^2 m_a and as many at the other end, at two units
each. A function f of one letter is one cube, u^3 = f + c: the mean of the cube root of f + c rises with c from below 0 to
above, and where it is 0, u has mean zero and is linear in the code. The functions of one letter are n for the rows of
rho(g_1), n for the columns of rho(g_3), and 3 of g_2 (1 where n = 1). One more cube makes up for the constants, because c is
not additive. A complex pair is orthogonal of size d = 2 n with d^4 / 2 paths, and a quaternionic irrep of size 2 n with
d^4 / 4. The lower bound is `theory.composition.least_units`; at k = 2 the same idea gives `bilinear_width`.

What is open: the least width of S3, from 18 to 32, or to 27 where units read a constant (`triangle_width`). The explicit 32
units are not the fewest. Leaving out a unit and starting Levenberg-Marquardt from the rest found 31, 30 and 29 units at once,
to a residual of 1e-20 (a sum of squares over all words, 1080 for the target). None of 10 such starts found 28 (best residual
4e-6). From random weights 40 and 32 units were not solved in two starts each (best residuals 6e-4 and 2e-2 after 150 steps).
There are 1080 equations, and a unit has 19 parameters, so that counting says 57.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival
from experiments.composition.cube_width.idle import missing_pair, missing_singles
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes, other_irreps
from theory.composition import cube_units, invertible, least_units, mixed_cube_units, spectrum, two_layer_width
from theory.composition.encodings import generic_task, last_share

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "width"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups."""

    group: str = axis("C2xC2", "S3", "D4", "D5", "Q8", "A4", "C7:C3")
    numbering: int = 0


DOMAIN = domain(group=groups(12, quick=12), numbering=NUMBERINGS)
GRIDS = {
    "test": Sizes(group=axis("S3")),
    "quick": Sizes(),
    "full": Sizes(group=axis("C2xC2", "S3", "D4", "D5", "Q8", "A4", "D6", "C7:C3", "S4")),
    "paper": Sizes(group=axis("C2xC2", "S3", "D4", "D5", "Q8", "A4", "D6", "S3xC3", "C7:C3", "S4", "SL2_3")),
}


def objects(cell: Sizes) -> dict:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group_of(cell))


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """No error; the units of several letters, and of all; the bound; and pairs that commute in the group of this name."""
    components = spectrum(group_of(cell), task["encoding"])[1:]
    met = (
        Hypothesis("each non-trivial coefficient is zero or invertible", invertible(components)),
        Hypothesis("none of them is zero", all(component.norm != 0 for component in components)),
    )
    irreps = group_of(cell).irreps[1:]
    least = least_units(irreps, 3)
    order, classes = order_and_classes(cell.group)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(mixed_cube_units(irreps), of="mixed", formula=r"\sum n^4 + 4 (n - 1)^2"),
        Prediction(cube_units(irreps), of="width", formula=r"1 + \sum n^4 + 4 (n - 1)^2 + 2 n + 3 - 2 [n = 1]"),
        Prediction(mixed_cube_units(irreps) - 1, of="mixed_of_fewer"),
        Prediction(mixed_cube_units(irreps), of="width_of_mixed"),
        Prediction([mixed_cube_units(irreps), mixed_cube_units(irreps) - 1], of="idle", dims=("fewer",)),
        *_words(cell, task, order, met),
        *_idle(cell, task, met),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
        # abc = cba says that c^-1 a and bc commute: any c, and each pair that does
        Prediction(order**2 * classes, of="right_backwards", hypotheses=met, formula=r"|G|^2\, k(G)"),
        Prediction(least, of="sufficient", relation=Relation.AT_LEAST, resolution=UNSHARP, formula=r"\sum n^4 + [\ldots]"),
    )


def _words(cell: Sizes, task: dict, order: int, met: tuple[Hypothesis, ...]) -> tuple[Prediction, ...]:
    """All words of three letters are tried and right; fewer by a wrong entry of the table, and by codes without an irrep."""
    # l l = l in place of another, for the last letter l: wrong are l l c, but for c = l where l l = 1, and a b l with a b = l
    lost = 2 * order - (task["table"][-1, -1] == 0)
    return (
        Prediction(order**3, of="tried", formula="|G|^3"),
        Prediction(order**3, of="right", hypotheses=met, formula="|G|^3"),
        Prediction(order**3 - int(lost), of="right_by_wrong_product", hypotheses=met),
        Prediction(_apart(task), of="error_of_wrong_product", hypotheses=met),
        Prediction(two_layer_width(other_irreps(cell), 3), of="units_without_last"),
    )


def _idle(cell: Sizes, task: dict, met: tuple[Hypothesis, ...]) -> tuple[Prediction, ...]:
    """What the units of one letter bring, and what the last one of several letters does, where the matrices say it."""
    brought = {"error_of_mixed": missing_singles, "error_of_singles": missing_pair}
    found = {name: share(group_of(cell), task["encoding"]) for name, share in brought.items()}
    return tuple(Prediction(error, of=name, hypotheses=met) for name, error in found.items() if error is not None)


def _apart(task: dict) -> float:
    """How far the codes of products are apart that this entry of the table exchanges."""
    encoding, table, last = task["encoding"], task["table"], len(task["table"]) - 1
    # l l c is l c, but for c = l, where it is l; and a b l is l for a b = l, as l l e
    right, wrong = table[table[last, last]], np.append(table[last, :last], last)
    return float(np.abs(encoding[table[right]] - encoding[table[wrong]]).max() / np.abs(encoding).max())


def _paths(cell: Sizes, task: dict) -> Prediction | None:
    """What the sum over signs takes for each path, where it is another number."""
    irreps = group_of(cell).irreps[1:]
    width = two_layer_width(irreps, 3)
    return None if width == cube_units(irreps) else Prediction(width, of="width")


def _signs_are_best(cell: Sizes, task: dict) -> Prediction:
    """No fewer units than four for each path."""
    least = two_layer_width(group_of(cell).irreps[1:], 3)
    return Prediction(least, of="sufficient", relation=Relation.AT_LEAST, resolution=UNSHARP)


def _no_pairs(cell: Sizes, task: dict) -> Prediction | None:
    """One cube for each path of real irreps, and nothing for the functions of two letters."""
    irreps = group_of(cell).irreps[1:]
    if max(irrep.dimension for irrep in irreps) == 1 or any(irrep.kind != "real" for irrep in irreps):
        return None
    return Prediction(sum(irrep.dimension**4 for irrep in irreps), of="mixed")


def _without_last(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The units of the other irreps, and the part of the last one that is missing of each code."""
    return (
        Prediction(two_layer_width(other_irreps(cell), 3), of="sufficient"),
        Prediction(last_share(group_of(cell), task["encoding"]), of="error"),
    )


CONTROLS = (
    control(
        "no singles",
        "the units of one letter are idle",
        instead={"error": "error_of_mixed", "width": "width_of_mixed"},
    ),
    control(
        "a pair fewer",
        "the last unit of several letters is idle",
        instead={"error": "error_of_singles", "mixed": "mixed_of_fewer"},
    ),
    control(
        "one wrong product",
        "the last letter by itself may have another product",
        instead={"error": "error_of_wrong_product", "right": "right_by_wrong_product"},
    ),
    control(
        "an irrep fewer",
        "networks without an irrep need as many units",
        measure="without_last_irrep",
        instead={"sufficient": "sufficient"},
        finds=_without_last,
        where=lambda cell, task: len(other_irreps(cell)) > 0,
        everywhere=False,  # where the last irrep is small, signs of the paths of the others take more units than the bound says
    ),
    control(
        "an irrep left out",
        "networks of the other irreps compose the whole code",
        measure="without_last_irrep",
        instead={"error": "error"},
        finds=_without_last,
        where=lambda cell, task: len(other_irreps(cell)) > 0,
    ),
)


RIVALS = (
    rival("signs of paths", _paths, "a path takes four cubes"),
    rival("signs are best", _signs_are_best, "no network is narrower than four cubes a path", everywhere=False),
    rival("paths alone", _no_pairs, "functions of two letters cost nothing", everywhere=False),
)
