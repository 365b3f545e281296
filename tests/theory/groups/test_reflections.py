"""Householder factors that letters need, by ranks of matrices, all sets of representations, and searched distances."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from theory.bounds import reflections
from theory.errors import OutsideHypotheses
from theory.groups import group
from theory.groups.reflections import nearest_factor, parts

GROUPS = ["C1", "C2", "C5", "C2xC2", "C2xC3", "C2xC2xC2", "S3", "D4", "D5", "Q8", "A4", "S4", "A5", "C7:C3", "S3xC2"]


def real(irrep):
    matrices = np.asarray(irrep.matrices)
    if irrep.kind == "real":
        return matrices.real
    return np.block([[matrices.real, -matrices.imag], [matrices.imag, matrices.real]])


def ranks(name):
    """The rank of A - I for every element and every irreducible real representation but the trivial one."""
    chosen = [irrep for irrep in group(name).irreps[1:] if irrep.conjugate >= irrep.number]
    return np.array([[np.linalg.matrix_rank(a - np.eye(len(a)), tol=1e-9) for a in real(irrep)] for irrep in chosen])


@pytest.mark.parametrize("name", GROUPS)
def test_codimensions_are_ranks(name):
    g = group(name)
    found = [[part.moved[c] for c in g.class_of] for part in parts(g)]
    assert np.array_equal(np.array(found).reshape(-1, g.order), ranks(name).reshape(-1, g.order))


@pytest.mark.parametrize("heads", ["several", "one"])
@pytest.mark.parametrize("letters", ["all", "generators"])
@pytest.mark.parametrize("name", [name for name in GROUPS if len(group(name).irreps) <= 10])
def test_the_number_is_the_least_over_all_sets_of_representations(name, letters, heads):
    g, moved = group(name), ranks(name)
    used = list(range(g.order) if letters == "all" else g.generators) or [0]
    least = 0 if g.order == 1 else 10**9
    for size in range(1, len(moved) + 1):
        for chosen in itertools.combinations(range(len(moved)), size):
            own = moved[list(chosen)]
            if (own.sum(axis=0)[1:] > 0).all():
                each = own[:, used].max(axis=0) if heads == "several" else own[:, used].sum(axis=0)
                least = min(least, int(each.max()))
    assert reflections(name, letters, heads).number == least


@pytest.mark.parametrize("name", ["S3", "A4", "Q8", "A5"])
def test_the_named_representation_is_faithful_and_needs_so_many(name):
    g, found = group(name), reflections(name)
    kernel = [x for x in range(g.order) if all(part.moved[g.class_of[x]] == 0 for part in found.parts)]
    assert kernel == [0] and max(max(part.moved) for part in found.parts) == found.number


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_factor_by_search(seed):
    rng = np.random.default_rng(seed)
    matrix = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cosine = np.linalg.eigvals(matrix).real.min()
    goals = [
        minimize(lambda z: np.square(matrix - np.eye(3) + z[3] * np.outer(z[:3], z[:3])).sum(), rng.normal(size=4)).fun
        for _ in range(12)
    ]
    assert nearest_factor(3, np.trace(matrix), cosine) == pytest.approx(min(goals), abs=1e-5)


def test_numbers_of_the_paper():
    assert [reflections(name).number for name in ("S3", "S4", "A5", "S5")] == [2, 2, 2, 4]
    assert all(reflections(f"D{n}").number == 2 for n in range(3, 12))


def test_a_letter_of_order_two_may_be_one_reflection():
    g = group("D5")
    mirrors = [x for x in range(g.order) if g.element_orders[x] == 2]
    assert reflections("D5", mirrors).number == 1 == reflections(g, [g.names[x] for x in mirrors[:2]]).number


@pytest.mark.parametrize(("name", "seed"), [("Q8", 0), ("S4", 1), ("C7:C3", 2), ("SL2_3", 3), ("D6", 4)])
def test_letters_are_asked_about_in_the_subgroup_that_they_generate(name, seed):
    g, rng = group(name), np.random.default_rng(seed)
    for letters in [[0], *([x] for x in range(1, g.order)), *rng.integers(0, g.order, (4, 2)).tolist()]:
        products, last = {0}, set()
        while products != last:
            last, products = products, products | {int(g.table[x, y]) for x in products for y in letters}
        elements = sorted(products)
        place = {x: n for n, x in enumerate(elements)}
        own = type(g).from_table([[place[int(g.table[x, y])] for y in elements] for x in elements])
        found = reflections(g, letters)
        assert found.number == reflections(own, [place[x] for x in letters]).number
        if len(letters) == 1:  # of a turn two, of a reflection one
            assert found.number == min(int(g.element_orders[letters[0]]) - 1, 2)
        assert (len(elements) < g.order) == ("subgroup" in found.name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "nonsense"}, "nonsense"),
        ({"target": "S3", "letters": "some"}, "'some' is no element"),
        ({"target": "S3", "letters": []}, "at least one"),
        ({"target": "S3", "letters": [6]}, "no element"),
        ({"target": "S3", "letters": [True]}, "no element"),
        ({"target": "S3", "heads": "two"}, "heads"),
        ({"target": "S3", "head_size": 0}, "head_size"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        reflections(**arguments)


def test_a_head_that_is_too_small():
    assert reflections("A5", head_size=3).bound.at() == 2
    with pytest.raises(OutsideHypotheses, match="dimension 3"):
        reflections("A5", head_size=2).bound.at()
