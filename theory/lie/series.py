"""Lie series: exact coefficients on the standard brackets of Lyndon words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import sympy

from theory.checks import fraction, integer, positive_integer
from theory.cost import refuse
from theory.exact.integers import widened
from theory.lie.cost import alphabet
from theory.lie.words import Word, is_lyndon, standard_factorization

__all__ = ["LieSeries", "checked"]

SHOWN = 8  # terms in the text of a series


@dataclass(frozen=True)
class LieSeries:
    r"""A Lie polynomial (or a truncated Lie series) in the Lyndon basis.

    Attributes:
        terms: Lyndon word -> non-zero coefficient of its standard bracketing, by degree and then lexicographically.
        letters: Number of generators.
        names: Names of the letters in expressions.
        basis: Always ``"lyndon"``; `theory.lie.bases` converts to other bases.

    >>> series = LieSeries({(0, 1): Fraction(1, 2)}, 2)
    >>> series.as_expr()
    [X,Y]/2
    >>> series.latex()
    '\\frac{1}{2} [X,Y]'
    """

    terms: Mapping[Word, Fraction]
    letters: int
    names: tuple[str, ...] = ()
    basis: str = "lyndon"

    def __post_init__(self) -> None:
        if type(self.letters) is not int or self.letters < 1:
            why = "the number of generators of the free Lie algebra"
            object.__setattr__(self, "letters", positive_integer("letters", self.letters, why))
        if not self.names:
            refuse(alphabet(self.letters))
            names = ("X", "Y") if self.letters == 2 else tuple(f"x{i}" for i in range(self.letters))
        else:
            names = tuple(self.names)
            if len(names) != self.letters or not all(isinstance(name, str) for name in names):
                raise ValueError(f"names = {self.names!r:.80}: expected {self.letters} texts, one for each letter.")
        object.__setattr__(self, "names", names)
        if not isinstance(self.terms, Mapping):
            raise TypeError(f"terms = {self.terms!r:.80}: expected a mapping, Lyndon word -> coefficient.")
        for word in self.terms:
            whole = isinstance(word, tuple) and all(isinstance(letter, (int, np.integer)) for letter in word)
            if not whole or not is_lyndon(word) or min(word) < 0 or max(word) >= self.letters:
                raise ValueError(
                    f"LieSeries was given the word {word!r:.80}: expected a Lyndon word in 0..{self.letters - 1}, because "
                    "only Lyndon words index the basis."
                )
        terms = {tuple(map(int, word)): fraction("a coefficient", c) for word, c in self.terms.items()}
        ordered = sorted(terms.items(), key=lambda item: (len(item[0]), item[0]))
        object.__setattr__(self, "terms", MappingProxyType({word: c for word, c in ordered if c}))

    def __getattr__(self, name: Literal["terms"]) -> Mapping[Word, Fraction]:
        if name != "terms" or "_make" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        return vars(self).setdefault("terms", MappingProxyType(vars(self)["_make"]()))

    @property
    def degrees(self) -> tuple[int, ...]:
        """Degrees with a non-zero coefficient, ascending."""
        return tuple(sorted({len(word) for word in self.terms}))

    def homogeneous(self, degree: int) -> LieSeries:
        """Return the part of this degree.

        Raises:
            ValueError: The degree is not an integer.
        """
        degree = integer("degree", degree, "the number of letters of a word")
        return self._with({word: c for word, c in self.terms.items() if len(word) == degree})

    def as_expr(self) -> sympy.Expr:
        """Return a sympy expression in nested commutators of non-commuting symbols; ``.doit()`` expands the commutators."""
        from sympy.physics.quantum import Commutator  # this import takes a fifth of a second, and only expressions need it

        symbols = [sympy.Symbol(name, commutative=False) for name in self.names]

        @cache
        def bracket(word: Word) -> Any:
            if len(word) == 1:
                return symbols[word[0]]
            left, right = standard_factorization(word)
            return Commutator(bracket(left), bracket(right))

        terms = [sympy.Rational(c.numerator, c.denominator) * bracket(word) for word, c in self.terms.items()]
        return sympy.Add(*terms)

    def latex(self) -> str:
        """Return the series in LaTeX, in the order of `terms`: each coefficient, then its standard bracket."""

        def number(size: Fraction) -> str:
            return f"{size} " if size.denominator == 1 else rf"\frac{{{size.numerator}}}{{{size.denominator}}} "

        return self._written(number, len(self.terms))

    def __str__(self) -> str:
        return self._written(lambda size: f"{size} ", SHOWN) + (" + ..." if len(self.terms) > SHOWN else "")

    def __repr__(self) -> str:
        return f"<LieSeries: {len(self.terms)} terms, {self}>" if len(self.terms) > SHOWN else f"<LieSeries: {self}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _written(self, number: Callable[[Fraction], str], most: int) -> str:
        """The first terms as text; `number` writes the size of a coefficient other than one."""

        def bracket(word: Word) -> str:
            if len(word) == 1:
                return self.names[word[0]]
            left, right = standard_factorization(word)
            return f"[{bracket(left)},{bracket(right)}]"

        text = ""
        for word, c in islice(self.terms.items(), most):
            sign = "-" if c < 0 else "+" if text else ""
            text += (f" {sign} " if text else sign) + ("" if abs(c) == 1 else number(abs(c))) + bracket(word)
        return text or "0"

    def evaluate(self, *matrices: Any) -> Any:
        """Return the value at square matrices, one for each letter: nested lists, or any arrays with ``@``, ``-`` and ``*``.

        Coefficients are floats for arrays of floating point or complex numbers, and exact otherwise: integer arrays of any
        width give Python integers and Fractions (dtype object).

        Cost: two matrix products for each Lyndon word that is a term or a factor of a term.

        Raises:
            ValueError: The number of matrices is not the number of letters.
        """
        if len(matrices) != self.letters:
            raise ValueError(
                f"evaluate was given {len(matrices)} matrices: expected one for each letter {', '.join(self.names)}."
            )
        matrices = tuple(np.array(matrix) if isinstance(matrix, (list, tuple)) else matrix for matrix in matrices)
        kinds = {getattr(getattr(matrix, "dtype", None), "kind", "O") for matrix in matrices}
        exact = kinds <= set("biuO")
        matrices = tuple(_widened(matrix, exact) for matrix in matrices)
        if any(hasattr(matrix, "free_symbols") for matrix in matrices):
            number: Any = lambda c: sympy.Rational(c.numerator, c.denominator)  # noqa: E731
        else:
            number = Fraction if exact or "O" in kinds else float
        known: dict[Word, Any] = {(letter,): matrix for letter, matrix in enumerate(matrices)}

        def bracket(word: Word) -> Any:
            if word not in known:
                left, right = (bracket(part) for part in standard_factorization(word))
                known[word] = left @ right - right @ left
            return known[word]

        total = matrices[0] * 0
        for word, c in self.terms.items():
            total = total + bracket(word) * number(c)
        return total

    def __reduce__(self) -> tuple:
        return LieSeries, (dict(self.terms), self.letters, self.names)  # a mapping proxy does not pickle

    def __add__(self, other: LieSeries) -> LieSeries:
        if not isinstance(other, LieSeries):
            return NotImplemented
        if self.letters != other.letters:
            raise ValueError(
                f"series in {self.letters} and {other.letters} letters cannot be added: expected the same free algebra."
            )
        terms = dict(self.terms)
        for word, c in other.terms.items():
            terms[word] = terms.get(word, Fraction(0)) + c
        return self._with(terms)

    def __neg__(self) -> LieSeries:
        return self * -1

    def __sub__(self, other: LieSeries) -> LieSeries:
        if not isinstance(other, LieSeries):
            return NotImplemented
        return self + -other

    def __mul__(self, number: int | Fraction) -> LieSeries:
        number = fraction("the factor of a series", number)
        return self._with({word: c * number for word, c in self.terms.items()})

    __rmul__ = __mul__

    def _with(self, terms: dict[Word, Fraction]) -> LieSeries:
        ordered = sorted(((word, c) for word, c in terms.items() if c), key=lambda item: (len(item[0]), item[0]))
        return _made(MappingProxyType(dict(ordered)), self.letters, self.names)


def checked(name: str, series: Any) -> LieSeries:
    """Return a series unchanged.

    Raises:
        TypeError: It is no series.
    """
    if not isinstance(series, LieSeries):
        raise TypeError(f"{name} was given {series!r:.60}: expected a LieSeries, such as bch(3).")
    return series


def _made(terms: Mapping[Word, Fraction], letters: int, names: tuple[str, ...]) -> LieSeries:
    """Return a series of terms that are in order and checked."""
    series = object.__new__(LieSeries)
    vars(series).update(terms=terms, letters=letters, names=names, basis="lyndon")
    return series


def made_later(make: Callable[[], dict[Word, Fraction]], letters: int) -> LieSeries:
    """Return a series whose `terms` are made when they are first read; ``make()`` gives them in their order, none zero."""
    series = LieSeries({}, letters)
    del vars(series)["terms"]
    vars(series)["_make"] = make
    return series


def _widened(matrix: Any, exact: bool) -> Any:
    """Return a matrix whose products cannot overflow: Python integers instead of a fixed width, or floats beside floats."""
    kind = getattr(getattr(matrix, "dtype", None), "kind", "")
    if kind and kind in "biu":
        return np.asarray(matrix).astype(object if exact else float)
    return widened(matrix) if isinstance(matrix, np.ndarray) and kind == "O" else matrix
