import pickle
import random
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
import sympy
from hypothesis import given

from tests import twins
from theory import strategies
from theory.cost import TooExpensive, allow
from theory.lie import (
    LieSeries,
    bch,
    bracket,
    derived_ideal_degree,
    direct_sum,
    from_words,
    ladder,
    leading_bracket,
    log_product,
    lyndon_words,
    magnus,
    solvable_law,
    structure_constants,
    substitute,
    to_words,
    tower_remainder,
)
from theory.lie.cost import brackets

elements = strategies.lie_series(3, max_terms=3, max_denominator=4)


def test_structure_constants_equal_commutators_of_words():
    words = [word for degree in range(1, 6) for word in lyndon_words(2, degree)]
    for u in words:
        for v in words:
            if len(u) + len(v) <= 8:
                commutator = twins.commutator(twins.standard_bracket(u), twins.standard_bracket(v))
                assert dict(structure_constants(u, v)) == twins.lyndon_terms(commutator)


@given(elements, elements, elements)
def test_bracket_is_a_lie_bracket(a, b, c):
    assert bracket(a, b).terms == (-bracket(b, a)).terms
    jacobi = bracket(bracket(a, b), c, 9) + bracket(bracket(b, c), a, 9) + bracket(bracket(c, a), b, 9)
    assert not jacobi.terms


@given(elements)
def test_words_and_brackets_convert_both_ways(a):
    assert to_words(a) == twins.expand(a.terms)
    assert from_words(to_words(a), 3).terms == a.terms


def test_what_is_not_lie_is_refused():
    for polynomial in ({(0, 1): 1}, {(0, 0): 1}, {(): 1}, {(5,): 1}):
        with pytest.raises(ValueError, match="expected"):
            from_words(polynomial, 2)
    with pytest.raises(ValueError, match="Lyndon word"):
        LieSeries({(1, 0): Fraction(1)}, 2)
    for operation in (bracket, lambda a, b: a + b):
        with pytest.raises(ValueError, match="same free"):
            operation(LieSeries({}, 2), LieSeries({}, 3))


def test_series_compare_and_pickle():
    series = bch(3)
    assert pickle.loads(pickle.dumps(series)) == series != bch(2)
    assert series.latex().startswith(r"X + Y + \frac{1}{2} [X,Y]")
    x, y = sympy.symbols("X Y", commutative=False)
    assert sympy.expand(bch(2).as_expr().doit()) == x + y + x * y / 2 - y * x / 2


def test_log_product_is_bch_by_another_route():
    assert log_product([(0, 1), (1, 1)], 12).terms == bch(12).terms


def test_log_product_in_words():
    factors = [(0, Fraction(1, 3)), (1, Fraction(-2)), (2, Fraction(1, 2)), (0, 1)]
    product = {(): Fraction(1)}
    for letter, c in factors:
        product = twins.multiply(product, twins.exponential({(letter,): Fraction(c)}, 5), 5)
    assert twins.expand(log_product(factors, 5).terms) == twins.logarithm(product, 5)


def test_associativity():
    """bch(bch(X, Y), Z) = bch(X, bch(Y, Z)) = log(e^X e^Y e^Z) to order 6."""
    from theory.lie import substitute

    x, y, z = (LieSeries({(i,): Fraction(1)}, 3) for i in range(3))
    left = substitute(bch(6), (substitute(bch(6), (x, y), 6), z), 6)
    right = substitute(bch(6), (x, substitute(bch(6), (y, z), 6)), 6)
    assert left.terms == right.terms == log_product([(0, 1), (1, 1), (2, 1)], 6).terms


def test_splittings():
    def strang(weight=Fraction(1)):
        return [(0, weight / 2), (1, weight), (0, weight / 2)]

    def suzuki(p):
        return [*strang(p) * 2, *strang(1 - 4 * p), *strang(p) * 2]

    assert log_product(strang(), 9).degrees == (1, 3, 5, 7, 9)
    assert log_product([(0, Fraction(1, 3)), (1, Fraction(1, 3))] * 3, 2).homogeneous(2).terms == {(0, 1): Fraction(1, 6)}
    p = Fraction(2, 5)
    scale = 4 * p**3 + (1 - 4 * p) ** 3
    assert log_product(suzuki(p), 4).homogeneous(3).terms == (log_product(strang(), 3).homogeneous(3) * scale).terms
    assert 4 not in log_product(suzuki(p), 4).degrees


@pytest.mark.parametrize(
    ("factors", "order", "letters"), [([], 2, None), ([(0, 1)], 0, None), ([(2, 1)], 2, 2), ([(-1, 1)], 2, None)]
)
def test_log_product_refuses(factors, order, letters):
    with pytest.raises(ValueError, match=r"expected|outside"):
        log_product(factors, order, letters)


def test_magnus_of_a_word():
    series = magnus((0, 1, 0, 0, 1), 6)
    product = {(): Fraction(1)}
    for letter in (0, 1, 0, 0, 1):
        product = twins.multiply(product, twins.exponential({(letter,): Fraction(1)}, 6), 6)
    assert twins.expand(series.terms) == twins.logarithm(product, 6)


def _tower(word, layers, order):
    """The product, and the tower that stands for it, in words."""
    product, states = {(): Fraction(1)}, [{} for _ in range(layers)]
    for letter in word:
        increment = {(letter,): Fraction(1)}
        product = twins.multiply(product, twins.exponential(increment, order), order)
        for j, state in enumerate(states):
            states[j] = twins.add(state, increment)
            factors = [twins.exponential(p, order) for p in (state, increment, {w: -c for w, c in states[j].items()})]
            three = twins.multiply(twins.multiply(factors[0], factors[1], order), factors[2], order)
            increment = twins.logarithm(three, order)
    tower = {(): Fraction(1)}
    for state in states:
        tower = twins.multiply(twins.exponential(state, order), tower, order)
    return product, tower


@pytest.mark.parametrize(("letters", "layers", "length"), [(2, 1, 5), (2, 2, 4), (3, 1, 5), (3, 2, 4), (3, 2, 6)])
def test_tower_remainder_in_words(letters, layers, length):
    word = tuple(random.Random(length).choices(range(letters), k=length))
    order = derived_ideal_degree(letters, layers)
    product, tower = _tower(word, layers, order)
    assert twins.expand(tower_remainder(word, letters, layers).terms) == twins.add(product, tower, -1)


def test_tower_remainder_is_the_slope_of_matrices():
    """At eps A the gap is eps^10 times the remainder, to first order: float check of three layers on two letters."""
    word = (0, 1, 1, 0, 0, 0, 1, 1)
    remainder = tower_remainder(word, 2, 3)
    assert remainder.degrees == (10,)
    assert ladder(2).terms == {(0, 1): Fraction(1, 2)}
    with pytest.raises(ValueError, match="outside"):
        tower_remainder((0, 2), 2, 1)


@pytest.mark.parametrize(("letters", "k"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 2)])
def test_solvable_laws_lead_in_the_lowest_degree(letters, k):
    law = solvable_law(letters, k)
    assert len(law) == 4**k
    assert leading_bracket(law).degrees == (derived_ideal_degree(letters, k),)


def test_law_of_class_four_leads_in_degree_21():
    """Modulo 2^64: not zero there is not zero."""
    degree = 21
    parts = [np.zeros(2**n, np.int64) for n in range(degree + 1)]
    parts[0][0] = 1
    for letter, sign in solvable_law(2, 4):
        for n in range(degree, 0, -1) if sign == 1 else range(1, degree + 1):
            parts[n][letter::2] += sign * parts[n - 1]
    assert [n for n in range(1, degree + 1) if parts[n].any()] == [21]


@pytest.mark.parametrize(("size", "k"), [(2, 2), (3, 3), (4, 3)])
def test_laws_hold_in_triangular_groups(size, k):
    """Invertible upper triangular matrices of size n form a group of derived length 1 + ceil(log2 n)."""
    rng = np.random.default_rng(size)
    prime = 10007
    generators = [(np.triu(rng.integers(0, prime, (size, size)), 1) + np.diag(rng.integers(1, prime, size))) for _ in range(2)]

    def inverse(a):
        return np.array(sympy.Matrix(a).inv_mod(prime).tolist(), dtype=np.int64)

    tables = {(i, 1): g for i, g in enumerate(generators)} | {(i, -1): inverse(g) for i, g in enumerate(generators)}

    def value(law):
        total = np.eye(size, dtype=np.int64)
        for letter in law:
            total = total @ tables[letter] % prime
        return total

    assert np.array_equal(value(solvable_law(2, k)), np.eye(size, dtype=np.int64))
    assert not np.array_equal(value(solvable_law(2, k - 1)), np.eye(size, dtype=np.int64))


def test_leading_bracket_refuses():
    with pytest.raises(ValueError, match="trivial through degree"):
        leading_bracket(((0, 1), (0, -1)))
    with pytest.raises(ValueError, match="expected a non-empty tuple"):
        leading_bracket(())


@pytest.mark.parametrize(
    "ask",
    [
        lambda: to_words(bch(18)),
        lambda: bracket(bch(13), bch(13)),
        lambda: bracket(bch(18), bch(18), 25),
        lambda: structure_constants((0,) * 1500 + (1,), (1,)),
    ],
)
def test_expansions_whose_cost_explodes_are_refused_before_they_begin(ask):
    with pytest.raises(TooExpensive, match=r"would take about .* but the limit is 1 minute"):
        ask()


@pytest.mark.parametrize("ask", [lambda a: bracket(a, a), to_words, lambda a: substitute(a, (a, a), 6)])
def test_the_guards_of_expansions_are_those_of_the_limit(ask):
    with allow(1e-9), pytest.raises(TooExpensive, match="--limit"):
        ask(bch(6))


def test_a_degree_leaves_pairs_out_of_the_work_and_of_its_estimate():
    low = bch(4)
    assert bracket(bch(18), low, 5).terms == bracket(bch(5), low, 5).terms
    counts = {1: 2, 2: 1, 5: 9}
    assert brackets(counts, counts, 2).seconds == pytest.approx(brackets({1: 2}, {1: 2}).seconds)
    assert "9 pairs" in brackets({1: 3}, {2: 3}).work and "1 pair " in brackets({1: 1}, {1: 1}).work


def test_terms_in_any_order_have_the_same_bracket():
    terms = {(0, 0, 1): Fraction(1), (0,): Fraction(2), (0, 1): Fraction(3)}
    unordered = LieSeries(MappingProxyType(terms), 2)
    terms[(1,)] = Fraction(5)  # a proxy of a dictionary that changes later
    assert list(unordered.terms) == [(0,), (0, 1), (0, 0, 1)]
    for degree in (None, 2, 3, 4):
        found = bracket(bch(4), unordered, degree)
        parts = [bracket(bch(4), LieSeries({word: c}, 2), degree) for word, c in unordered.terms.items()]
        assert found.terms == sum(parts[1:], parts[0]).terms


X_ALONE = LieSeries({(0,): Fraction(1)}, 2)


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda: LieSeries(MappingProxyType({(1, 0): Fraction(1)}), 2), "Lyndon word"),
        (lambda: LieSeries(bch(2).terms, 1), "Lyndon word"),
        (lambda: LieSeries({"ab": 1}, 2), "Lyndon word"),
        (lambda: LieSeries({(0, 0.5): 1}, 2), "Lyndon word"),
        (lambda: LieSeries([(0, 1)], 2), "mapping"),
        (lambda: LieSeries({(0,): 1}, 2, ("X",)), "2 texts"),
        (lambda: LieSeries({(0,): 1}, 2, (0, 1)), "2 texts"),
        (lambda: bracket(X_ALONE, X_ALONE, 1.5), "degree"),
        (lambda: bracket(X_ALONE, X_ALONE, True), "degree"),
        (lambda: bracket(X_ALONE, "X"), "LieSeries"),
        (lambda: bracket(X_ALONE, None), "LieSeries"),
        (lambda: substitute(X_ALONE, (X_ALONE, 1), 2), "LieSeries"),
        (lambda: substitute(X_ALONE, (X_ALONE, X_ALONE), "2"), "degree"),
        (lambda: to_words("X"), "LieSeries"),
        (lambda: X_ALONE.homogeneous("1"), "degree"),
        (lambda: X_ALONE + 1, "unsupported"),
        (lambda: X_ALONE - "X", "unsupported"),
        (lambda: ladder(True), "order"),
        (lambda: ladder([2]), "order"),
        (lambda: from_words([(0, 1)], 2), "mapping"),
        (lambda: from_words({(0, 1): 1}, "2"), "letters"),
        (lambda: log_product([(0, 1, 2)], 3), "pair"),
        (lambda: log_product([0, 1], 3), "pair"),
        (lambda: structure_constants("ab", (0,)), "words"),
        (lambda: tower_remainder("ab", 2, 1), "letter"),
        (lambda: tower_remainder((0, 0.5), 2, 1), "letter"),
        (lambda: direct_sum(X_ALONE, X_ALONE), "Lie algebras"),
    ],
)
def test_what_is_no_series_or_degree_is_refused(ask, match):
    with pytest.raises((TypeError, ValueError), match=match):
        ask()


def test_numbers_of_numpy_are_letters_and_degrees():
    assert LieSeries({(np.int64(0), np.int8(1)): np.int32(2)}, np.int16(2)).terms == {(0, 1): 2}
    assert bracket(bch(3), bch(2), np.int8(3)).terms == bracket(bch(3), bch(2), 3).terms
    assert bch(3).homogeneous(np.int64(3)).terms == bch(3).homogeneous(3).terms and ladder(np.int8(3)) == ladder(3)
