"""Axioms of finite groups, one check each, over groups of every family: definitions beside what theory says."""

import functools
import itertools
import math
from functools import partial

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.testing import fourier_laws
from theory import bounds
from theory.errors import OutsideHypotheses
from theory.exact.cyclotomic import reduced
from theory.groups import FiniteGroup, fourier, group, inverse_fourier, semidirect_product
from theory.groups import cost as group_cost
from theory.groups.abelian import abelian_basis
from theory.groups.laws import iterated_commutator
from theory.groups.names import cycles
from theory.groups.recognition import isomorphism, recognised
from theory.groups.subgroups import composition_series, generated, quotient, restricted
from theory.groups.unitary import CERTIFIED

ORDERS = {  # the families, at their smallest sizes and beyond
    "C1": 1, "C2": 2, "C3": 3, "C5": 5, "C6": 6, "C7": 7, "C8": 8, "C9": 9, "C10": 10, "C12": 12, "C15": 15, "C2xC2": 4,
    "C2xC2xC2": 8, "C2xC2xC4": 16, "C2xC3": 6, "C3xC3": 9, "C4xC3": 12, "C4xC6": 24,  "S1": 1, "S2": 2, "S3": 6,
    "S4": 24, "S5": 120, "A1": 1, "A3": 3, "A4": 12, "A5": 60, "D3": 6, "D4": 8, "D5": 10, "D6": 12, "D8": 16, "D12": 24,
    "Q8": 8, "Q12": 12, "Q16": 16, "Q20": 20, "Q24": 24, "H3_2": 8, "H3_3": 27, "H3_4": 64, "SL2_2": 6, "SL2_3": 24,
    "GL2_2": 6, "GL2_3": 48, "PSL2_2": 6, "PSL2_3": 12, "PSL2_7": 168, "C5:C4": 20, "C7:C3": 21, "C8:C2": 16, "C3xS3": 18,
    "D3xC3": 18, "D3xD3": 36, "Q8xC3": 24, "D4xQ8": 64,
}  # fmt: skip
TURNED = [[i * pow(2, k, 5) % 5 for i in range(5)] for k in range(4)]
GIVEN = {  # by generators, by tables, by products
    "permutations": lambda: group([(1, 2, 3, 0, 4), (1, 0, 2, 3, 4)]),
    "matrices": lambda: FiniteGroup.from_matrices([[[1, 1], [0, 1]], [[2, 0], [0, 1]]], 5),
    "table": lambda: FiniteGroup.from_table(group("Q8").table.astype(np.int8)),
    "semidirect": lambda: semidirect_product(group("C5"), group("C4"), np.array(TURNED)),
    "renumbered": lambda: renumbered(group("A4"), 0),
}
NAMES = [*ORDERS, *GIVEN]
LARGE = 60
MANY = 16  # classes; exact sums of more radicals are slow


@functools.cache
def named(name):
    return GIVEN[name]() if name in GIVEN else group(name)


def renumbered(given, seed):
    """The group with other numbers for its elements, but for the identity."""
    order = np.r_[0, 1 + np.random.default_rng(seed).permutation(given.order - 1)]
    back = np.argsort(order)
    return FiniteGroup.from_table(order[given.table[np.ix_(back, back)]])


def product(g, word):
    return functools.reduce(lambda a, b: int(g.table[a, b]), word, 0)


def check_table(g, name):
    """A Latin square that associates, with identity 0; orders of elements divide that of the group (Lagrange)."""
    assert ORDERS.get(name, g.order) == g.order == FiniteGroup.from_table(g.table).order
    if name in ORDERS:
        assert group_cost.order_of_name(name)[0] == g.order
    elements = np.arange(g.order)
    assert (np.sort(g.table, axis=0) == elements[:, None]).all() and (np.sort(g.table, axis=1) == elements).all()
    assert (g.table[elements, g.inverses] == 0).all() and (g.table[0] == elements).all()
    assert [next(n for n in range(1, g.order + 1) if product(g, [x] * n) == 0) for x in elements] == g.element_orders.tolist()
    assert g.order % g.exponent == 0 and g.exponent == math.lcm(*g.element_orders.tolist())
    assert g.is_abelian == all(g.table[x, y] == g.table[y, x] for x in elements for y in elements)
    assert len(generated(g, g.generators)) == g.order >= 2 ** len(g.generators)


def check_classes(g, name):
    """Classes are orbits of conjugation, sorted by order, size and first element; their sizes divide the order."""
    orbits = {tuple(sorted({int(g.table[g.table[y, x], g.inverses[y]]) for y in range(g.order)})) for x in range(g.order)}
    expected = sorted(orbits, key=lambda orbit: (orbit != (0,), g.element_orders[orbit[0]], len(orbit), orbit[0]))
    assert [tuple(members.tolist()) for members in g.conjugacy_classes] == expected
    assert all(g.order % len(orbit) == 0 for orbit in orbits) and sum(map(len, orbits)) == g.order
    assert all(g.class_of[x] == number for number, orbit in enumerate(expected) for x in orbit)


def commutators(g, first, second):
    """The subgroup that the commutators of two sets generate, closed one product at a time."""
    found = {product(g, (g.inverses[x], g.inverses[y], x, y)) for x in first for y in second} | {0}
    while larger := {int(g.table[x, y]) for x in found for y in found} - found:
        found |= larger
    return found


def check_series(g, name):
    """Derived and lower central series by closing commutators; factors of the composition series are simple."""
    for found, left, solves in (
        (g.derived_series, lambda last: last, g.is_solvable),
        (g.lower_central_series, lambda last: range(g.order), g.is_nilpotent),
    ):
        series = [set(range(g.order))]
        while len(after := commutators(g, left(series[-1]), series[-1])) < len(series[-1]):
            series.append(after)
        assert [set(term.tolist()) for term in found] == series and solves == (series[-1] == {0})
    assert g.derived_length == (len(g.derived_series) - 1 if g.is_solvable else None)
    assert len(g.composition_series[0]) == g.order and len(g.composition_series[-1]) == 1
    for upper, lower in itertools.pairwise(g.composition_series):
        factor, _ = quotient(restricted(g, upper), np.searchsorted(upper, lower))
        assert len(composition_series(factor)) == 2


def check_tower(g, name):
    """The abelian stages follow every product, and are as many as the derived length; or the perfect subgroup is named."""
    report = bounds.group(g)
    if not g.is_solvable:
        with pytest.raises(OutsideHypotheses, match=f"perfect subgroup of order {len(g.derived_series[-1])}"):
            _ = g.tower
        with pytest.raises(OutsideHypotheses, match=f"{g.name} is solvable"):
            report.at()
        assert iterated_commutator(g, 4) is not None
        return
    assert g.tower.depth == g.derived_length == report.at() == len(report.stages)
    assert math.prod(g.tower.moduli) == g.order and sorted(g.tower.elements) == list(range(g.order))
    rng = np.random.default_rng(0)
    for length in (0, 1, 2, *[12] * 12):
        word = rng.integers(0, g.order, length)
        assert g.tower.run(word) == product(g, word)
    for depth in range(g.derived_length):  # words that fewer stages do not tell from the empty one
        word = iterated_commutator(g, depth)
        assert word is not None and len(word) == 4**depth and product(g, word) != 0
    assert iterated_commutator(g, g.derived_length) is None


def check_basis(g, name):
    """An abelian group is the product of cyclic ones whose orders divide each other; no other group has a basis."""
    if not g.is_abelian:
        with pytest.raises(ValueError, match="not abelian"):
            abelian_basis(g)
        return
    basis, orders = abelian_basis(g)
    assert math.prod(orders) == g.order == len(generated(g, basis)) and 1 not in orders
    assert all(a % b == 0 for a, b in itertools.pairwise(orders))
    assert [g.element_orders[b] for b in basis] == list(orders)


def check_characters(g, name):
    """Orthogonal by rows and columns; degrees divide the order; indicators count square roots of the identity."""
    table = g.characters
    values, sizes = table.values, table.sizes
    assert np.abs((values * sizes) @ values.conj().T / g.order - np.eye(len(sizes))).max() < 1e-11
    assert np.abs(values.conj().T @ values - np.diag(g.order / sizes)).max() < 1e-9
    assert (g.order % table.degrees == 0).all() and (table.degrees**2).sum() == g.order
    assert (table.degrees == 1).sum() == g.order // len(g.derived_series[1] if len(g.derived_series) > 1 else range(g.order))
    assert (table.indicators * table.degrees).sum() == (np.diagonal(g.table) == 0).sum()
    assert np.abs(values[table.conjugates] - values.conj()).max() < 1e-11
    prime, root, exponent = table.field
    for c, powers in enumerate(table.powers):
        turns, step = np.arange(len(powers)), pow(root, exponent // len(powers), prime)
        for i, degree in enumerate(table.degrees):
            counts = table.multiplicities(i, c)
            assert counts.min() >= 0 and counts.sum() == degree
            spoken = np.exp(2j * np.pi * np.outer(turns, turns) / len(turns)) @ counts
            np.testing.assert_allclose(spoken, values[i, powers], atol=1e-9)
            modular = [sum(int(m) * pow(step, k * n, prime) for k, m in enumerate(counts)) % prime for n in range(len(powers))]
            assert modular == table.residues[i, powers].tolist()
    text = str(table).splitlines()
    assert len(text) == 2 + len(sizes) and all(label in text[0] for label in table.labels)
    assert all(g.names.index(label) in orbit for label, orbit in zip(table.labels, g.conjugacy_classes, strict=True))
    assert table.latex().count(r"\chi") == len(sizes)


def check_exact_characters(g, name):
    """The exact table is orthogonal to 25 digits, and rounds to the rounded one."""
    if g.order > LARGE or len(g.conjugacy_classes) > MANY:
        return
    table, sizes = g.character_table, sympy.diag(*map(len, g.conjugacy_classes))
    gram = (table * sizes * table.H / g.order).evalf(30)
    assert max(abs(x) for x in gram - sympy.eye(len(g.conjugacy_classes))) < 1e-25
    assert np.abs(np.array(table.evalf(20).tolist(), complex) - g.characters.values).max() < 1e-12


def check_representations(g, name):
    """Unitary homomorphisms with the right trace, of the kind that they say, whose entries are orthogonal (Schur)."""
    assert [r.dimension for r in g.irreps] == g.characters.degrees.tolist() and len(g.irreps) == len(g.conjugacy_classes)
    entries = [np.sqrt(r.dimension / g.order) * r.matrices.reshape(g.order, -1) for r in g.irreps]
    whole = np.concatenate(entries, axis=1)
    assert np.abs(whole.conj().T @ whole - np.eye(g.order)).max() < 1e-11
    for r in g.irreps:
        m = r.matrices
        assert m.shape == (g.order, r.dimension, r.dimension)
        assert max(np.abs(m[x] @ m - m[g.table[x]]).max() for x in range(g.order)) <= CERTIFIED
        assert np.abs(m.conj().transpose(0, 2, 1) @ m - np.eye(r.dimension)).max() <= CERTIFIED
        traces = np.trace(m, axis1=1, axis2=2)
        assert np.abs(traces - g.characters.values[r.number][g.class_of]).max() < 1e-11
        indicator = np.trace(m @ m, axis1=1, axis2=2).sum().real / g.order
        assert round(indicator) == {"real": 1, "complex": 0, "quaternionic": -1}[r.kind]
        if r.kind == "real":
            assert not m.imag.any()
        if r.kind == "quaternionic":
            half = r.dimension // 2
            j = np.block([[np.zeros((half, half)), np.eye(half)], [-np.eye(half), np.zeros((half, half))]])
            assert np.abs(m - j @ m.conj() @ np.linalg.inv(j)).max() <= CERTIFIED
        if r.kind == "complex":
            assert np.abs(m.conj() - g.irreps[r.conjugate].matrices).max() <= CERTIFIED


def check_closed_forms(g, name):
    """Exact matrices are unitary homomorphisms with the right trace, and multiply exactly."""
    if g.order > LARGE or len(g.conjugacy_classes) > MANY:
        return
    for r in g.irreps:
        exact = r.exact
        m = np.array([np.array(x.evalf(20).tolist(), dtype=complex) for x in exact])
        assert max(np.abs(m[x] @ m - m[g.table[x]]).max() for x in range(g.order)) < 1e-13
        assert np.abs(m.conj().transpose(0, 2, 1) @ m - np.eye(r.dimension)).max() < 1e-13
        assert np.abs(np.trace(m, axis1=1, axis2=2) - np.trace(r.matrices, axis1=1, axis2=2)).max() < 1e-12
        for x, y in itertools.product(range(0, g.order, 1 + g.order // 9), range(0, g.order, 1 + g.order // 12)):
            assert (exact[x] * exact[y] - exact[g.table[x, y]]).applyfunc(reduced).is_zero_matrix


def check_fourier(g, name):
    """The transform is the sum it says, is inverted, keeps norms, turns convolutions into products, in any type."""
    fourier_laws(partial(fourier, g), partial(inverse_fourier, g), g)
    draw = np.random.default_rng(0)
    f, h = draw.normal(size=(2, g.order)) + 1j * draw.normal(size=(2, g.order))
    for r, coefficient in zip(g.irreps, fourier(g, f), strict=True):
        assert np.allclose(np.einsum("x,xij->ij", f, r.matrices.conj().transpose(0, 2, 1)), coefficient)
    norms = [r.dimension * np.linalg.norm(c) ** 2 for r, c in zip(g.irreps, fourier(g, f), strict=True)]
    assert sum(norms) == pytest.approx(g.order * np.linalg.norm(f) ** 2)
    convolved = [sum(f[y] * h[g.table[g.inverses[y], x]] for y in range(g.order)) for x in range(g.order)]
    for a, b, both in zip(fourier(g, f), fourier(g, h), fourier(g, np.array(convolved)), strict=True):
        assert np.allclose(b @ a, both)
    numbers = draw.integers(0, 100, g.order)
    for kind in (np.int8, np.uint8, np.float32, complex, list):
        values = numbers.tolist() if kind is list else numbers.astype(kind)
        for one, other in zip(fourier(g, values), fourier(g, numbers.astype(float)), strict=True):
            assert np.allclose(one, other)
    assert [c.shape[:-2] for c in fourier(g, np.zeros((2, 0, g.order)))] == [(2, 0)] * len(g.irreps)


def check_exact_fourier(g, name):
    """Integers come back as equal expressions, with the norms of the rounded transform (bases may differ), and Plancherel."""
    if g.order > 27:
        return
    values = np.random.default_rng(7).integers(-9, 10, g.order).astype(object)
    coefficients = fourier(g, values)
    assert inverse_fourier(g, coefficients) == [sympy.Integer(x) for x in values]
    for number, coefficient in zip(fourier(g, values.astype(float)), coefficients, strict=True):
        here = np.array(coefficient.evalf(), complex)
        assert np.allclose(np.linalg.svd(here)[1], np.linalg.svd(number)[1], atol=1e-9)
        assert np.trace(here) == pytest.approx(np.trace(number), abs=1e-9)
    powers = sympy.Add(*(c.rows * sympy.Add(*(x * sympy.conjugate(x) for x in c)) for c in coefficients))
    assert reduced(powers / g.order) == sum(x**2 for x in values)


def check_names(g, name):
    """Elements have different names, the identity comes first, and words in generators multiply to their elements."""
    assert len(set(g.names)) == g.order and set(g.names[0]) <= set("(e, )")
    letters = {letter: g.names.index(letter) for letter in "abcd" if letter in g.names}
    for element, word in enumerate(g.names if letters else ()):
        factors = [factor.partition("^") for factor in word.replace("e", "").split()]
        assert product(g, [letters[letter] for letter, _, power in factors for _ in range(int(power or 1))]) == element
    for permutation, spelled in zip(g.permutations, g.names if g.permutations else (), strict=True) if not letters else ():
        image = list(range(len(permutation)))
        for cycle in spelled.strip("()").split(")(") if spelled != "e" else []:
            points = [int(point) - 1 for point in cycle.split()]
            for here, there in zip(points, points[1:] + points[:1], strict=True):
                image[here] = there
        assert tuple(image) == permutation


def check_recognised(g, name):
    """Whatever its elements are called, the group is isomorphic to itself, and has the name of one that it is isomorphic to."""
    for seed in (0, 1):
        other = renumbered(g, seed)
        image = isomorphism(other, g)
        if image is None:
            assert g.order > LARGE
            continue
        assert (image[other.table] == g.table[np.ix_(image, image)]).all() and sorted(image) == list(range(g.order))
        called = recognised(other)
        assert called == recognised(g)
        assert called is None or isomorphism(group(called), g) is not None


CHECKS = [check_table, check_classes, check_series, check_tower, check_basis, check_characters, check_exact_characters]
CHECKS += [check_representations, check_closed_forms, check_fourier, check_exact_fourier, check_names, check_recognised]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", NAMES)
def test_axioms(name, check):
    check(named(name), name)


def holomorph_part(n, ratio, copies):
    """C_n with a cyclic group that acts by x -> r x, faithfully or twice over: abelian, dihedral, Frobenius groups and more."""
    ratio = next(r for r in range(ratio, 2 * n + ratio) if np.gcd(r, n) == 1)
    acting = copies * next(m for m in range(1, n) if pow(ratio, m, n) == 1)
    action = [[i * pow(ratio, k, n) % n for i in range(n)] for k in range(acting)]
    return semidirect_product(group(f"C{n}"), group(f"C{acting}"), np.array(action))


def small_groups():
    """Products of named groups, semidirect products and groups generated by two random permutations of five points."""
    names = st.sampled_from(["C2", "C3", "C4", "C5", "D3", "D4", "Q8", "A4"])
    products = st.tuples(names, names).map("x".join)
    semidirect = st.builds(holomorph_part, st.sampled_from([5, 7, 8, 9, 12, 13, 15]), st.integers(2, 14), st.integers(1, 2))
    permuted = st.lists(st.permutations(range(5)).map(tuple), min_size=1, max_size=2)
    return st.one_of(products, semidirect, permuted).map(group)


@settings(max_examples=10, deadline=None)
@given(small_groups())
def test_axioms_of_random_groups(g):
    for check in (check_classes, check_series, check_tower, check_characters, check_representations, check_fourier):
        check(g, "")


def test_what_is_known_of_a_few():
    assert sorted(group("Q8").element_orders) == [1, 2, 4, 4, 4, 4, 4, 4]
    assert all((group(name).element_orders == 2).sum() == 1 for name in ("Q8", "Q12", "Q16", "Q20"))
    assert {name: group(name).derived_length for name in ("C12", "D4", "S4", "GL2_3", "A5")} == {
        "C12": 1, "D4": 2, "S4": 3, "GL2_3": 4, "A5": None,
    }  # fmt: skip
    assert group("S5").derived_series[1].size == 60 and bounds.group("S5").derived_orders == (120, 60)
    assert cycles((0, 1, 2)) == "e"
    known = ["C1", "C6", "C2xC2", "C2xC2xC2", "S3", "D4", "Q8", "D6", "A4", "S4", "SL2_3", "C7:C3", "H3_3", "D4xC3", "A5"]
    assert [recognised(renumbered(group(name), seed)) for name in known for seed in (0, 1)] == [
        n for n in known for _ in (0, 1)
    ]
