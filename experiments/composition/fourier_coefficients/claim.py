r"""Read with an irrep, the code of a group element g is the matrix x^[rho] rho(g): Fourier coefficients, entry by entry.

Statement: The code of g in a finite group is x_g[h] = x[gh]. Read with the conjugate transpose of the irrep rho it is a matrix,
    the Fourier coefficient of x times rho(g). The convolution of two encodings has the product of their coefficients, in
    reverse order, and the square of an encoding is that of its coefficients (Plancherel).
    $$ \sum_h x[gh]\, \rho(h)^* = \hat x[\rho]\, \rho(g), \qquad \widehat{x * y}[\rho] = \hat y[\rho]\, \hat x[\rho], \qquad
       \sum_g |x[g]|^2 = \frac{1}{|G|} \sum_\rho n_\rho \|\hat x[\rho]\|_F^2 $$
Hypotheses: the irreps are unitary.
Source: Diaconis, “Group Representations in Probability and Statistics” (1988), chapter 2, where rho(g)
    stands in place of its conjugate transpose.
Refuted by: an element whose code is read as another matrix, a convolution with another value, or another square.
Cost: quick 2 s on one core, full about 5 s.

The other claims of this topic speak of norms and ranks of coefficients, which a transposed or conjugated transform leaves as
they are. Here every entry of every matrix is compared. Encodings are generic, so that no coefficient of dimension two or more
is symmetric. Complex encodings tell a transform from its conjugate for characters too.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, among, axis, claim, control, domain, rival
from experiments.composition.fourier_coefficients.common import entries
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes
from theory.groups import fourier, inverse_fourier

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "read"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups with irreps of every type, and whether encodings are complex."""

    group: str = axis("C7", "S3", "Q8", "A4", "C5:C4", "C7:C3", "SL2_3")
    complex: bool = axis(False, True)
    numbering: int = 0


DOMAIN = domain(group=groups(24), complex=among(False, True), numbering=NUMBERINGS)
GRIDS = {
    "test": Sizes(group=axis("S3", "Q8")),
    "quick": Sizes(),
    "full": Sizes(group=axis("C7", "C12", "S3", "D4", "Q8", "A4", "C5:C4", "C7:C3", "S4", "SL2_3")),
    "paper": Sizes(group=axis("C7", "C12", "S3", "D4", "Q8", "A4", "C5:C4", "C7:C3", "S4", "SL2_3")),
}


def objects(cell: Sizes, seed: int) -> dict:
    """The Cayley table, the matrices of all irreps, and two generic encodings."""
    finite, source = group_of(cell), np.random.default_rng(seed)
    first, second = source.normal(size=(2, finite.order)) + 1j * cell.complex * source.normal(size=(2, finite.order))
    irreps = tuple(np.asarray(irrep.matrices, complex) for irrep in finite.irreps)
    return {"table": np.asarray(finite.table), "irreps": irreps, "encodings": (first, second)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What is read of codes from both sides, and of the convolution; the convolution, the square; pairs that commute."""
    finite, (first, second) = group_of(cell), given["encodings"]
    one, other = fourier(finite, first), fourier(finite, second)
    products = [right @ left for left, right in zip(one, other, strict=True)]
    power = sum(len(c) * np.linalg.norm(c) ** 2 for c in one) / finite.order
    order, classes = order_and_classes(cell.group)
    return (
        _read(given, one, r"\hat x[\rho]\, \rho(g)"),
        _entries(products, "of_convolution", r"\hat y[\rho]\, \hat x[\rho]"),
        _entries([inverse_fourier(finite, products)], "convolution"),
        Prediction(float(power), of="square", formula=r"\frac{1}{|G|} \sum n_\rho \|\hat x[\rho]\|_F^2"),
        _entries([rho @ c for c, rho in zip(one, given["irreps"], strict=True)], "read_other_side", r"\rho(g)\, \hat x[\rho]"),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
        # both parts of all entries of all matrices, as many as there are pairs of elements
        Prediction(2 * order**2, of="compared", relation=Relation.AT_LEAST, resolution=UNSHARP),
        # matrices of unitary irreps keep the norms of coefficients
        Prediction(float(sum(finite.order * np.linalg.norm(c) ** 2 for c in one)), of="read_square"),
    )


def _read(given: dict, coefficients: list, formula: str = "") -> Prediction:
    """Each coefficient times all matrices of its irrep."""
    matrices = [c @ rho for c, rho in zip(coefficients, given["irreps"], strict=True)]
    return _entries(matrices, "read", formula)


def _entries(arrays: list, of: str, formula: str = "") -> Prediction:
    """All entries, told apart to a thousandth of the largest, because many are zero."""
    values = entries(arrays)
    return Prediction(values, of=of, dims=("entry",), resolution=float(np.abs(values).max()) / 1000, formula=formula)


def _changed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Sizes, dict], Prediction | None]:
    """What coefficients that are changed lead to, where they are others."""

    def predicted(cell: Sizes, given: dict) -> Prediction | None:
        own = fourier(group_of(cell), given["encodings"][0])
        others = [change(c) for c in own]
        same = all(np.allclose(c, other) for c, other in zip(own, others, strict=True))
        return None if same else _read(given, others)

    return predicted


def _in_order(cell: Sizes, given: dict) -> Prediction | None:
    if group_of(cell).is_abelian:
        return None
    one, other = (fourier(group_of(cell), encoding) for encoding in given["encodings"])
    products = [left @ right for left, right in zip(one, other, strict=True)]
    return _entries(products, "of_convolution")


def _unnormalised(cell: Sizes, given: dict) -> Prediction:
    square = predict(cell, given)[3]
    return dataclasses.replace(square, value=group_of(cell).order * square.value)  # type: ignore[operator]


def _of_moved(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What the theorem says of the encoding whose values moved by one place."""
    first, second = given["encodings"]
    return predict(cell, given | {"encodings": (first[np.arange(len(first)) - 1], second)})


CONTROLS = (
    control(
        "the other side",
        "codes x[hg] are read as the same matrices",
        instead={"read": "read_other_side"},
        where=lambda cell, given: not group_of(cell).is_abelian,
    ),
    control(
        "another encoding",
        "values that moved by one place have the same coefficients",
        measure="moved_encoding",
        finds=_of_moved,
    ),
)


RIVALS = (
    rival("transposed", _changed(np.transpose), "coefficients are transposed", everywhere=False),
    rival("conjugated", _changed(np.conj), "coefficients are conjugated", everywhere=False),
    rival("in order", _in_order, "the coefficients of a convolution multiply in its order", everywhere=False),
    rival("unnormalised", _unnormalised, "squares are the sum of n ||x^||^2"),
)
