"""Ranks of flattened tensors, against exact arithmetic."""

import jax
import numpy as np
import pytest
import sympy
from sympy.polys.matrices import DomainMatrix

from depthjax.instruments.flattening import centred, flattening_rank, loss_of_products
from depthjax.tasks.composition import CompositionTask
from theory.composition import least_two_layer_width
from theory.composition.encodings import generic_task
from theory.groups import group


def test_a_tensor_of_too_many_letters_is_refused():
    with pytest.raises(ValueError, match="9 axes"):
        loss_of_products(jax.random.key(0), np.zeros((1,) * 9), 1, 1, 1)


@pytest.mark.parametrize(("name", "length"), [("S3", 2), ("S3", 3), ("C4", 2), ("Q8", 2)])
def test_the_rank_of_the_target_is_that_of_the_table_of_products_less_one(name, length):
    """Over the integers: 1 where g_1 ... g_k = h. The trivial irrep adds the matrix of ones, orthogonal to the rest."""
    finite = group(name)
    answers = np.arange(finite.order)
    for _ in range(length - 1):
        answers = np.asarray(finite.table)[answers]
    delta = np.eye(finite.order, dtype=int)[answers]
    axes = [*range(0, delta.ndim, 2), *range(1, delta.ndim, 2)]
    matrix = delta.transpose(axes).reshape(int(np.prod(delta.shape[::2])), -1)
    rank = DomainMatrix(matrix.tolist(), matrix.shape, sympy.QQ).rank() - 1
    assert rank == least_two_layer_width(finite.irreps[1:], length)
    assert rank == flattening_rank(centred(CompositionTask(**generic_task(finite)).codes[answers]))


def test_the_part_of_every_letter_has_no_means():
    part = centred(np.random.default_rng(0).normal(size=(3, 4, 2)))
    assert max(np.abs(part.mean(axis=axis)).max() for axis in (0, 1)) < 1e-15 and np.abs(part).max() > 0.1
