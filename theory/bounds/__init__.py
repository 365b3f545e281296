"""Bounds with their domain and their source: each is a `Bound` that refuses to speak outside its hypotheses."""

from theory.bounds.algebra import AlgebraDepth, algebra
from theory.bounds.bound import Bound, Hypothesis
from theory.bounds.series import bch, magnus, magnus_classical
from theory.bounds.tower import tower
from theory.bounds.words import word, word_dimension

__all__ = [
    "AlgebraDepth",
    "Bound",
    "Hypothesis",
    "algebra",
    "bch",
    "magnus",
    "magnus_classical",
    "tower",
    "word",
    "word_dimension",
]
