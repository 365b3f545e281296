"""Free Lie algebras, BCH and Magnus series, structure theory: exact."""

from theory.lie.bch import bch
from theory.lie.derived import derived_ideal_degree, derived_ideal_dimension
from theory.lie.series import LieSeries
from theory.lie.words import (
    is_lyndon,
    lyndon_words,
    multigraded_witt_dimension,
    standard_factorization,
    witt_dimension,
)

__all__ = [
    "LieSeries",
    "bch",
    "derived_ideal_degree",
    "derived_ideal_dimension",
    "is_lyndon",
    "lyndon_words",
    "multigraded_witt_dimension",
    "standard_factorization",
    "witt_dimension",
]
