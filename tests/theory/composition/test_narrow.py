"""Both sides of the width of a composition, beside singular values and products counted another way."""

import numpy as np
import pytest

from theory import bounds
from theory.composition import (
    crossed_units,
    cube_units,
    distance_units,
    flattening_squares,
    least_loss,
    least_products,
    least_two_layer_width,
    least_units,
    mixed_cube_units,
    products,
)
from theory.errors import OutsideHypotheses
from theory.groups import group


@pytest.mark.parametrize(("name", "length"), [("C2", 3), ("C5", 2), ("S3", 2), ("S3", 3), ("Q8", 2)])
def test_singular_values_of_the_target_itself(name, length):
    g = group(name)
    code = np.identity(g.order)[:, 0] - 1 / g.order
    answers = np.arange(g.order)
    for _ in range(length - 1):
        answers = g.table[answers]
    target = code[g.table][answers]
    axes = [*range(0, length + 1, 2), *range(1, length + 1, 2)]
    matrix = np.transpose(target, axes).reshape(g.order ** (length // 2 + 1), -1)
    found = np.sort(np.linalg.svd(matrix, compute_uv=False) ** 2 / target.size)[::-1]
    squares = flattening_squares([(i.dimension, [1] * i.dimension) for i in g.irreps[1:]], g.order, length)
    exact = np.concatenate([np.full(times, float(value)) for value, times in squares])
    np.testing.assert_allclose(found[: len(exact)], exact, atol=1e-12)
    assert found[len(exact) :].max(initial=0) < 1e-12
    assert len(exact) == least_two_layer_width(g.irreps[1:], length)
    units = len(exact) // 2
    assert float(least_loss(squares, units)) == pytest.approx(found[units:].sum())


@pytest.mark.parametrize("name", ["C2", "C7", "S3", "D4", "Q8", "A4", "S3xC3", "SL2_3", "A5"])
def test_the_sides_of_bilinear_width_are_in_order(name):
    irreps = group(name).irreps[1:]
    assert group(name).order - 1 <= least_products(irreps) <= products(irreps)


@pytest.mark.parametrize("name", ["C2", "C2xC2", "C5", "S3", "D4", "Q8", "A4", "S3xC3", "SL2_3", "A5"])
def test_the_sides_of_width_are_in_order(name):
    irreps = group(name).irreps[1:]
    assert max(least_products(irreps), least_two_layer_width(irreps, 2)) <= least_units(irreps, 2) <= distance_units(irreps)
    assert least_two_layer_width(irreps, 3) <= least_units(irreps, 3) <= cube_units(irreps)
    more = any(irrep.kind == "complex" or (irrep.kind == "real" and irrep.dimension == 1) for irrep in irreps)
    assert least_units(irreps, 4) == max(least_two_layer_width(irreps, 4) + more, crossed_units(irreps, 4))


@pytest.mark.parametrize("name", ["C2xC2", "C5", "S3", "Q8", "A4", "S3xC3", "SL2_3"])
def test_units_are_the_terms_of_real_matrices(name):
    squares = mixed = 0
    rows = []
    for irrep in group(name).irreps[1:]:
        if irrep.conjugate < irrep.number:
            continue
        entries = np.asarray(irrep.matrices).reshape(group(name).order, -1)
        numbers = np.linalg.matrix_rank(np.concatenate([entries.real, entries.imag], axis=1))
        size = irrep.dimension if irrep.kind == "real" else 2 * irrep.dimension
        rows.append(size)
        squares += len([(entry, k) for entry in range(numbers) for k in range(size)])
        paths = [(entry, a, b) for entry in range(numbers) for a in range(size) for b in range(size)]
        columns = numbers // size
        ends = [(r, a, s) for r in range(size - 1) for a in range(size - 1) for s in (1, -1)]
        others = [(c, b, s) for c in range(columns - (columns == size)) for b in range(size - 1) for s in (1, -1)]
        mixed += len(paths) + len(ends) + len(others)
    irreps = group(name).irreps[1:]
    assert distance_units(irreps) == squares + min(rows)
    assert mixed_cube_units(irreps) == mixed


def test_bounds_refuse():
    with pytest.raises(OutsideHypotheses, match="tokens"):
        bounds.width_dichotomy("S3", 1).at()
    with pytest.raises(OutsideHypotheses, match="tokens"):
        bounds.narrow_loss("S3", 1, 1).at()
    for arguments in (("S3", 0), ("S3", 2000), ("nobody", 2), ("S3", 2.5)):
        with pytest.raises(ValueError):
            bounds.width_dichotomy(*arguments)
    with pytest.raises(ValueError, match="units"):
        bounds.narrow_loss("S3", 2, -1)


def test_a_question_about_two_elements_of_order_two_does_not_speak_of_exponentials():
    assert bounds.composition("C2", 8).at() == 8
    assert bounds.width_dichotomy("C2", 8).at() == 2
