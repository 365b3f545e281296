"""Sequential composition in finite groups: what networks learn first, what it costs, and how wide they must be."""

from theory.composition.bilinear import least_products, matrix_products, products
from theory.composition.counts import counting_forms, counting_weights
from theory.composition.hypotheses import hypotheses
from theory.composition.narrow import flattening_squares, least_loss
from theory.composition.orthogonal import cube_units, distance_units, mixed_cube_units
from theory.composition.paths import path_losses, split
from theory.composition.spectrum import Component, invertible, spectrum
from theory.composition.sufficient import sufficient
from theory.composition.utility import activation_time, learning_order, linear_loss, plateau_levels, score, utility_maximum
from theory.composition.widths import (
    counting_width,
    least_two_layer_width,
    least_units,
    recurrent_width,
    tree_widths,
    two_layer_width,
    two_layer_width_expr,
)

__all__ = [
    "Component",
    "activation_time",
    "counting_forms",
    "counting_weights",
    "counting_width",
    "cube_units",
    "distance_units",
    "flattening_squares",
    "hypotheses",
    "invertible",
    "learning_order",
    "least_loss",
    "least_products",
    "least_two_layer_width",
    "least_units",
    "linear_loss",
    "matrix_products",
    "mixed_cube_units",
    "path_losses",
    "plateau_levels",
    "products",
    "recurrent_width",
    "score",
    "spectrum",
    "split",
    "sufficient",
    "tree_widths",
    "two_layer_width",
    "two_layer_width_expr",
    "utility_maximum",
]
