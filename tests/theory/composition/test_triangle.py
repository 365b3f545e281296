"""The four cubes of a triangle in exact numbers, the network of S3 that they make, and the groups whose planes it serves."""

from itertools import pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
import sympy

from theory import bounds
from theory.composition import counting_forms, cube_units, least_units, sufficient
from theory.composition.triangle import four_cubes, is_triangle, triangle_units
from theory.groups import group

PERMUTATIONS = list(permutations(range(3)))


def added_up(cubes, j, g, m):
    """The sum of the cubes, expanded."""
    letter = PERMUTATIONS.index(g)
    return sympy.expand(sum(w * (point[j] + read[letter] + end[m]) ** 3 for w, point, read, end in cubes))


def without_one_end(cubes):
    """What the cubes leave of [g(m) = j], less its value at j = 0, for every g, m and j."""
    left = {(j, g, m): added_up(cubes, j, g, m) - int(g[m] == j) for j, g, m in product(range(3), PERMUTATIONS, range(3))}
    return [sympy.expand(value - left[0, g, m]) for (_, g, m), value in left.items()]


def test_four_cubes_are_the_answer_but_for_a_function_of_two_letters():
    assert not any(without_one_end(four_cubes()))


def test_no_cube_is_idle_and_no_number_arbitrary():
    cubes = four_cubes()
    for number, cube in enumerate(cubes):
        others = cubes[:number] + cubes[number + 1 :]
        assert any(without_one_end(others))
        for place in range(3):
            point = tuple(value + (i == place) for i, value in enumerate(cube.point))
            assert any(without_one_end([*others, cube._replace(point=point)]))


def test_fewer_than_four_cubes_do_not_suffice():
    """Each cube adds one product to the part that depends on j, g and m, and this part has rank 4 with g as rows."""
    table = sympy.Matrix([[int(g[m] == j) - sympy.Rational(1, 3) for j in range(3) for m in range(3)] for g in PERMUTATIONS])
    assert table.rank() == 4
    values = np.array(table.tolist(), float).reshape(6, 3, 3)
    assert not any(np.abs(values.mean(axis=axis)).max() > 1e-12 for axis in range(3))


def plane_of_s3():
    """The plane, the three vectors that the group permutes, and how it does."""
    g = group("S3")
    rho = np.asarray(g.irreps[-1].matrices).real
    mirror = next(m for m in rho if np.linalg.det(m) < 0)
    first = np.linalg.svd(mirror - np.identity(2))[2][1]  # what the mirror leaves as it is
    orbit = [first]
    for matrix in rho:
        if not any(np.allclose(matrix @ first, known) for known in orbit):
            orbit.append(matrix @ first)
    frame = np.array(orbit)
    images = [tuple(int(np.argmax(frame @ (matrix @ p))) for p in frame) for matrix in rho]
    return g, rho, frame, images


def test_the_group_permutes_three_vectors_that_add_up_to_zero():
    _, rho, frame, images = plane_of_s3()
    np.testing.assert_allclose(frame.sum(axis=0), 0, atol=1e-12)
    assert sorted(images) == sorted(PERMUTATIONS)
    for matrix, image in zip(rho, images, strict=True):
        np.testing.assert_allclose(frame @ matrix.T, frame[list(image)], atol=1e-12)


def network():
    """One hidden layer of z^3 for S3, as what each unit reads, shape (3, units, 6 elements), and writes, (units, 5)."""
    g, rho, frame, images = plane_of_s3()
    inverse = [tuple(image.index(i) for i in range(3)) for image in images]
    dual = np.linalg.inv(frame[:2])  # the columns are dual to p_0 and p_1
    reads, writes = [], []
    for i, m in product(range(3), range(2)):
        for weight, point, letter, end in four_cubes():
            point, letter, end = (np.array(values, float) for values in (point, letter, end))
            reads.append(
                [
                    [point[back[i]] for back in inverse],
                    [letter[PERMUTATIONS.index(image)] for image in images],
                    [end[image[m]] for image in images],
                ]
            )
            writes.append([0, *(float(weight) * np.outer(frame[i], dual[:, m])).ravel()])
    return g, rho, np.array(reads), np.array(writes)


def outputs(reads, writes, words):
    """The network on words, shape (words, outputs)."""
    read = np.sum([reads[:, place, words[:, place]] for place in range(3)], axis=0)
    return (read**3).T @ writes


def test_twenty_seven_units_compose_all_words_of_three_letters():
    g, rho, reads, writes = network()
    sign = np.linalg.det(rho)
    words = np.array(list(product(range(6), repeat=3)))
    answers = g.table[g.table[words[:, 0], words[:, 1]], words[:, 2]]
    assert len(reads) == triangle_units(3)
    found = outputs(reads, writes, words)
    np.testing.assert_allclose(found[:, 1:], rho[answers].reshape(-1, 4), atol=1e-9)
    assert not found[:, 0].any()

    # the sign counts odd letters: three units read all letters alike
    signs = np.array([[np.where(sign < 0, b, a).astype(float)] * 3 for a, b in counting_forms("C2", 3)])
    weights = np.linalg.lstsq(outputs(signs, np.identity(3), words), sign[answers], rcond=None)[0]
    together = np.concatenate([reads, signs]), np.concatenate([writes, np.outer(weights, [1, 0, 0, 0, 0])])
    code = np.concatenate([sign[answers][:, None], rho[answers].reshape(-1, 4)], axis=1)
    assert len(together[0]) == 27 == min(sufficient(g, 3).values()) == bounds.composition("S3", 3).at()
    np.testing.assert_allclose(outputs(*together, words), code, atol=1e-9)
    for unit in range(27):
        rest = np.arange(27) != unit
        assert np.abs(outputs(together[0][rest], together[1][rest], words) - code).max() > 1e-3


def test_units_read_an_entry_of_the_plane_and_a_constant():
    _, rho, reads, _ = network()
    linear = np.concatenate([rho.reshape(6, 4), np.ones((6, 1))], axis=1)
    for read in reads.reshape(-1, 6):
        weights, *_ = np.linalg.lstsq(linear, read, rcond=None)
        np.testing.assert_allclose(linear @ weights, read, atol=1e-9)


@pytest.mark.parametrize("name", ["S3", "D4", "D5", "D6", "D9", "D12", "S4", "S3xC3", "S3xS3", "Q8", "A4", "SL2_3", "C3", "A5"])
def test_planes_of_a_triangle_are_those_with_six_matrices(name):
    irreps = group(name).irreps
    images = [len({tuple(np.round(m, 6).ravel() + 0.0) for m in np.asarray(i.matrices)}) for i in irreps if i.dimension == 2]
    assert sum(map(is_triangle, irreps)) == images.count(6)


@pytest.mark.parametrize(("name", "units"), [("S3", 27), ("D4", 34), ("D6", 58), ("S4", 239)])
def test_three_elements_take_fewer_units_where_a_plane_is_a_triangle(name, units):
    g = group(name)
    assert min(sufficient(g, 3).values()) == units
    assert least_units(g.irreps[1:], 3) <= units < cube_units(g.irreps[1:])
    assert bounds.composition(name, 3).at() == units


def signs_at(n):
    """1 at one of three points, and -1 elsewhere."""
    return np.where(np.arange(3) == n, 1.0, -1.0)


def both_ends(length):
    """Units between two free ends: the weight, the functions of both points, and those of the letters between."""
    _, rho, frame, _ = plane_of_s3()
    ends = {n: frame[n] - frame[0] for n in (1, 2)}
    for n, m in product((1, 2), repeat=2):
        if length == 4:
            for a in range(2):
                yield 1 / 144, signs_at(n), signs_at(m), [rho[:, :, a] @ ends[n], rho[:, a] @ ends[m]]
            continue
        inner = length - 2
        for path in product(range(2), repeat=inner - 1):
            bases = [ends[n], *np.identity(2)[list(path)], ends[m]]
            entries = [np.einsum("gij,i,j->g", rho, *pair) for pair in pairwise(bases)]
            for signs in product((1, -1), repeat=inner - 1):
                factor = length * (length - 1) * factorial(inner) * 2 ** (inner - 1)
                read = [sign * entry for sign, entry in zip((1, *signs), entries, strict=True)]
                yield np.prod(signs) / 6 / factor, signs_at(n), signs_at(m), read


C = sympy.CRootOf(3 * sympy.Symbol("c") ** 3 - 3 * sympy.Symbol("c") ** 2 + 12 * sympy.Symbol("c") - 2, 0)


def test_one_fourth_power_and_a_constant_are_a_product_of_two_functions_of_mean_zero():
    c, e, f = sympy.symbols("c e f")
    power = sympy.expand((e + f + c) ** 4).subs({e**4: 1, f**4: 1, e**3: e, f**3: f}).subs({e**2: 1, f**2: 1})
    rest = sympy.Poly(sympy.expand(power - (8 + 12 * c**2) * (e + sympy.Rational(1, 3)) * (f + sympy.Rational(1, 3))), e, f)
    assert {*rest.as_dict()} == {(1, 0), (0, 1), (0, 0)}
    assert all(sympy.expand(3 * rest.coeff_monomial(x) - 4 * (3 * c**3 - 3 * c**2 + 12 * c - 2)) == 0 for x in (e, f))


def products_of_ends(first, last, frame):
    """What four units and a constant write in place of -88 / 144 times e_0 e_0 at all ends."""
    c, found = float(C), np.zeros((len(first[0]), 2, 2))
    for i, m in product((1, 2), repeat=2):
        values = (signs_at(0)[first[i]] + signs_at(0)[last[m]] + c) ** 4
        ends = np.outer(frame[i] - frame[0], frame[m] - frame[0])
        constant = (16 + 24 * c**2 + c**4) / 2 + c**4 / 2 - (8 + 12 * c**2) / 9  # over the four pairs of signs
        found -= 88 / 144 / (8 + 12 * c**2) * (values - constant)[:, None, None] * ends
    return found


@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_both_ends_of_longer_words_are_free(length):
    g, rho, frame, images = plane_of_s3()
    units = list(both_ends(length))
    assert 9 * len(units) == {3: 36, 4: triangle_units(4) - 4}.get(length, triangle_units(length))
    drawn = np.random.default_rng(length).integers(6, size=(300, length))
    words = np.array(list(product(range(6), repeat=length))) if length < 5 else drawn
    answers = words[:, 0]
    for place in range(1, length):
        answers = g.table[answers, words[:, place]]
    found = np.zeros((len(words), 2, 2))
    for i, m in product(range(3), repeat=2):
        first = np.array([images[letter].index(i) for letter in words[:, 0]])
        last = np.array([images[letter][m] for letter in words[:, -1]])
        values = np.zeros(len(words))
        for weight, at_first, at_last, between in units:
            read = sum(letter[words[:, place]] for place, letter in enumerate(between, 1))
            values += weight * (at_first[first] + at_last[last] + read) ** length
        found += values[:, None, None] * np.outer(frame[i], frame[m])
    if length == 4:
        first = [np.array([images[letter].index(i) for letter in words[:, 0]]) for i in range(3)]
        found += products_of_ends(first, [np.array([images[letter][m] for letter in words[:, -1]]) for m in range(3)], frame)
    np.testing.assert_allclose(found / 1.5, rho[answers], atol=1e-9)


@pytest.mark.parametrize(("name", "length", "units"), [("S3", 4, 80), ("S3", 5, 581), ("D6", 4, 76 + 256 + 10), ("D4", 4, 266)])
def test_widths_of_longer_words(name, length, units):
    assert min(sufficient(group(name), length).values()) == units == bounds.composition(name, length).at()


@pytest.mark.parametrize("name", ["S3", "D6", "S4", "S3xC3", "S3xS3", "D9", "D4"])
def test_the_formula_of_the_length_is_the_least_that_suffices(name):
    for length in range(2, 9):
        assert bounds.composition(name, length).at() == min(sufficient(group(name), length).values())
