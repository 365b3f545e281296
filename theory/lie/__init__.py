"""Lie algebras, exactly: free Lie algebras, the BCH and Magnus series, structure theory, and bounds on depth."""

from theory.lie.algebra import LieAlgebra
from theory.lie.bases import from_tree, hall_basis, hall_terms, right_normed, right_normed_terms
from theory.lie.bch import bch
from theory.lie.commutator import commutator, inverse, leading_bracket, solvable_law
from theory.lie.derived import derived_ideal_degree, derived_ideal_dimension
from theory.lie.free import bracket, from_words, structure_constants, substitute, to_words
from theory.lie.graded import tower_error_series
from theory.lie.matrices import affine_matrix
from theory.lie.named import free_nilpotent, named
from theory.lie.products import log_product, magnus
from theory.lie.series import LieSeries
from theory.lie.tower import ladder, tower_remainder
from theory.lie.words import (
    is_lyndon,
    lyndon_words,
    multigraded_witt_dimension,
    standard_factorization,
    witt_dimension,
)

__all__ = [
    "LieAlgebra",
    "LieSeries",
    "affine_matrix",
    "bch",
    "bracket",
    "commutator",
    "derived_ideal_degree",
    "derived_ideal_dimension",
    "free_nilpotent",
    "from_tree",
    "from_words",
    "hall_basis",
    "hall_terms",
    "inverse",
    "is_lyndon",
    "ladder",
    "leading_bracket",
    "log_product",
    "lyndon_words",
    "magnus",
    "multigraded_witt_dimension",
    "named",
    "right_normed",
    "right_normed_terms",
    "solvable_law",
    "standard_factorization",
    "structure_constants",
    "substitute",
    "to_words",
    "tower_error_series",
    "tower_remainder",
    "witt_dimension",
]
