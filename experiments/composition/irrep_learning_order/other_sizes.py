"""Sizes of an irrep that are not its score: the nearest other laws for the order in which irreps are learned."""

from typing import Any

from theory.composition import Component


def _row(component: Component) -> int:
    """C n, the real dimension of a row of the irrep."""
    return component.dimension * (1 if component.kind == "real" else 2)


def _law(norm: Any, divisor: Any, degree: Any = 1, exponent: Any = 0.5) -> Any:
    """The size ||x^||^(k + degree) / divisor^(exponent (k - 1)) for choices of the norm and the divisor."""
    return lambda c, length: float(norm(c)) ** (length + degree) / float(divisor(c)) ** (exponent * (length - 1))


def _operator(component: Component) -> Any:
    return component.norm


def _frobenius(component: Component) -> float:
    return float(component.square_norm) ** 0.5  # type: ignore[arg-type]


# name, statement, size of a component at a length
OTHER_SIZES = (
    ("without C", "the type does not matter", _law(_operator, lambda c: c.dimension)),
    ("without n", "the dimension does not matter", _law(_operator, lambda c: _row(c) / c.dimension)),
    ("exponent k-1", "the exponent of C n is k - 1", _law(_operator, _row, exponent=1)),
    ("exponent (k-1)/4", "the exponent of C n is (k - 1) / 4", _law(_operator, _row, exponent=0.25)),
    ("degree k", "the exponent of the norm is k", _law(_operator, _row, degree=0)),
    ("norm alone", "irreps are learned by falling operator norm", _law(_operator, lambda c: 1)),
    ("Frobenius norm", "the norm is the Frobenius norm", _law(_frobenius, _row)),
    (
        "mean singular value",
        "the norm is the root mean square of the singular values",
        _law(lambda c: _frobenius(c) / c.dimension**0.5, _row),
    ),
    (
        "power",
        "irreps are learned by falling power n ||x^||_F^2, conjugates together",
        lambda c, length: (2 if c.kind == "complex" else 1) * c.dimension * c.square_norm,
    ),
)
