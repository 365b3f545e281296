"""Masked prediction, Dyck attention and noise contrast, by brute force in exact or plain arithmetic."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg

from theory import bounds
from theory.attention.dyck import ScoreTable
from theory.cost import TooExpensive
from theory.errors import OutsideHypotheses
from theory.exact.linear import nullspace
from theory.identify import (
    HiddenMarkov,
    allowed_turn,
    best_directions,
    cayley,
    contrast,
    freedom,
    joint,
    kruskal_rank,
    pair_freedom,
    rotated,
    sampling_variance,
    solutions,
    three_cycle,
    triples,
)


def enumerated(model):
    """P(x1, x2, x3) by summing over paths of states."""
    o, t, (d, k) = model.emission, model.transition, model.emission.shape
    law = np.full((d, d, d), Fraction(0))
    for a, b, c in product(range(k), repeat=3):
        for x, y, z in product(range(d), repeat=3):
            law[x, y, z] += Fraction(1, k) * o[x, a] * t[b, a] * o[y, b] * t[c, b] * o[z, c]
    return law


@pytest.mark.parametrize(("states", "symbols"), [(2, 2), (2, 3), (3, 3)])
def test_predictors_are_those_of_the_enumerated_law(states, symbols):
    model = HiddenMarkov.random(states, symbols, seed=5)
    law = enumerated(model)
    first, second, third = law.sum(axis=(1, 2)), law.sum(axis=(0, 2)), law.sum(axis=(0, 1))
    pairs, triplets = model.pairs, model.triplets
    assert (pairs["2|1"] == (law.sum(axis=2) / first[:, None]).T).all()
    assert (pairs["3|1"] == (law.sum(axis=1) / first[:, None]).T).all()
    assert (pairs["1|2"] == law.sum(axis=2) / second[None]).all()
    assert (pairs["1|3"] == law.sum(axis=1) / third[None]).all()
    assert (triplets["23|1"] == np.moveaxis(law / first[:, None, None], 0, 2)).all()
    assert (triplets["13|2"] == np.moveaxis(law / second[None, :, None], 1, 2)).all()
    assert (triplets["12|3"] == law / third[None, None]).all()
    assert (joint(model) == law).all()
    assert (triples.conditional(law, "3|12") * law.sum(axis=2)[:, :, None] == law).all()
    assert (triples.conditional(law, "12|3") == triplets["12|3"]).all()


@pytest.mark.parametrize("name", triples.SIX)
def test_the_equations_of_a_predictor_give_the_law_of_its_condition(name):
    law = enumerated(HiddenMarkov.random(2, 3, seed=1))
    assert solutions(law, name) == 1
    given = tuple(int(symbol) - 1 for symbol in name.partition("|")[2])
    condition = law.sum(axis=tuple(axis for axis in range(3) if axis not in given)).ravel()
    assert not (triples.balance(law, name) @ condition).any()
    if name == "2|13":
        assert len(nullspace(triples.balance(law, name))) >= 2  # stationarity alone leaves more
        sides = law.sum(axis=1)
        (found,) = nullspace(triples.frame(law, 1))
        ratios = sides[:, 1] / sides[:, 0]
        assert (found[4:] * ratios[0] == found[4] * ratios).all()


def test_the_middle_symbol_needs_a_spare_symbol():
    assert [solutions(joint(HiddenMarkov.random(3, symbols, seed=2)), "2|13") for symbols in (3, 4)] == [3, 1]
    with pytest.raises(ValueError, match=r"no predictor '4\|1'"):
        triples.conditional(joint(HiddenMarkov.random(2, 2, seed=2)), "4|1")


@pytest.mark.parametrize(("states", "symbols"), [(2, 3), (3, 3)])
def test_the_freedom_is_that_of_finite_differences(states, symbols):
    model = HiddenMarkov.random(states, symbols, seed=3)
    merged = model.emission.copy()
    merged[:, -1] = merged[:, 0]
    for emission in (model.emission, merged):
        one, step = HiddenMarkov(emission, model.transition), 1e-6
        o, t = one.emission.astype(float), one.transition.astype(float)

        def law(o, t):
            return np.einsum("xh,gh,yg,fg,zf->xyz", o, t, o, t, o).ravel() / len(t)

        symbol, state = (np.eye(size)[1:] - np.eye(size)[0] for size in (symbols, states))
        moves = [(np.outer(x, h), 0 * t) for h in np.eye(states) for x in symbol]
        moves += [(0 * o, np.outer(x, y)) for x in state for y in state]
        slopes = [(law(o + step * a, t + step * b) - law(o - step * a, t - step * b)) / (2 * step) for a, b in moves]
        values = np.linalg.svd(np.array(slopes), compute_uv=False)
        assert freedom(one) == len(moves) - (values > 1e-7).sum()


def test_a_rotation_that_fixes_the_ones_vector_is_invisible_to_pairs_only():
    model = HiddenMarkov.random(4, 5, seed=0)
    other = rotated(model, cayley(three_cycle(4, Fraction(1, 64))))
    assert (model.emission != other.emission).any()
    assert all((model.pairs[name] == other.pairs[name]).all() for name in model.pairs)
    assert all((model.triplets[name] != other.triplets[name]).any() for name in model.triplets)
    tilt = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0] * 4, [0] * 4]) * np.array(Fraction(1, 64))
    with pytest.raises(ValueError, match="columns of emission sum to"):
        rotated(model, cayley(tilt))
    with pytest.raises(ValueError, match="not skew"):
        cayley(np.eye(2, dtype=int))


def test_neighbours_alone_leave_all_matrices_with_unit_sums():
    model = HiddenMarkov.random(2, 3, seed=0)
    mixing = np.array([[19, 1], [1, 19]]) * np.array(Fraction(1, 20))
    inverse = np.array([[19, -1], [-1, 19]]) * np.array(Fraction(1, 18))
    other = HiddenMarkov(model.emission @ mixing, inverse @ model.transition @ inverse.T)
    assert all((model.pairs[name] == other.pairs[name]).all() for name in ("2|1", "1|2"))
    assert (model.pairs["3|1"] != other.pairs["3|1"]).any()
    assert pair_freedom(2, adjacent=True) == 1 and pair_freedom(2) == 0


def test_the_allowed_turn_is_where_an_entry_vanishes():
    model = HiddenMarkov.random(3, 4, seed=0)
    limit = float(allowed_turn(model))
    rotated(model, cayley(three_cycle(3, Fraction(limit * (1 - 1e-9)))))
    with pytest.raises(ValueError, match="non-negative"):
        rotated(model, cayley(three_cycle(3, Fraction(limit * (1 + 1e-9)))))


@pytest.mark.parametrize(
    ("first", "turn", "allowed", "refused"),
    [
        ((1, 0, 0), 0.0, [], ["1e-9", "1/2"]),  # entries 2 s^2 - 2 s are negative at once
        ((1, 1, 4), np.inf, ["1/6", "1/3", "1/2", "10"], []),  # (1 - 3 s)^2 vanishes at 1/3, and is negative nowhere
        ((1, 1, 5), (4 - 5**0.5) / 11, ["0.16"], ["0.161"]),  # 1 - 8 s + 11 s^2
    ],
)
def test_an_entry_may_vanish_without_turning_negative(first, turn, allowed, refused):
    a, b, c = (Fraction(entry, sum(first)) for entry in first)
    model = HiddenMarkov([[a, b, c], [c, a, b], [b, c, a]], np.full((3, 3), Fraction(1, 3)))
    assert float(allowed_turn(model)) == pytest.approx(turn)
    for amount in allowed:
        rotated(model, cayley(three_cycle(3, Fraction(amount))))
    for amount in refused:
        with pytest.raises(ValueError, match="non-negative"):
            rotated(model, cayley(three_cycle(3, Fraction(amount))))


def test_a_symbol_that_never_occurs_has_no_law_of_states():
    mixed = [[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 2), Fraction(3, 4)], [0, 0]]
    model = HiddenMarkov(mixed, HiddenMarkov.random(2, 3, seed=0).transition)
    with pytest.raises(OutsideHypotheses, match="every symbol occurs"):
        _ = model.pairs


def test_a_rank_deficient_emission_is_refused_with_the_hypothesis():
    mixed = np.array(
        [[Fraction(1, 2), Fraction(1, 4), Fraction(3, 8)], [Fraction(1, 2), Fraction(3, 4), Fraction(5, 8)], [0] * 3]
    )
    model = HiddenMarkov(mixed, HiddenMarkov.random(3, 3, seed=0).transition)
    with pytest.raises(OutsideHypotheses, match=r"full column rank \(rank 2 of 3\) \(fails\)"):
        model.identifiable()
    with pytest.raises(OutsideHypotheses, match="emission"):
        sampling_variance(model, ((0, 1, 2), (1, 1, 1)))
    with pytest.raises(ValueError, match="rows of transition sum to"):
        HiddenMarkov(np.eye(2, dtype=int), np.array([[1, 1], [0, 0]]))
    with pytest.raises(ValueError, match="Fractions"):
        HiddenMarkov(np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="at least 3"):
        three_cycle(2)


def test_kruskal_ranks():
    assert kruskal_rank(np.eye(60, dtype=int)) == 60  # independent columns need no sets
    with pytest.raises(TooExpensive, match="sets of columns"):
        kruskal_rank(np.vander(range(1, 61), 30, increasing=True).T)
    assert kruskal_rank(np.eye(3, dtype=int)) == 3
    assert kruskal_rank(np.array([[1, 2, 0], [1, 2, 1]])) == 1
    assert kruskal_rank(np.array([[1, 0, 1], [0, 1, 2]])) == 2


def test_sampling_variance_is_that_of_the_numerical_derivative():
    model = HiddenMarkov.random(3, 3, seed=2)
    directions = best_directions(model)
    u, v = np.array(directions, float)
    law = model.triplets["23|1"].astype(float)
    marginal = (model.emission.sum(axis=1) / 3).astype(float)

    def columns(joint):
        given = joint / joint.sum(axis=(0, 1), keepdims=True)
        values, vectors = np.linalg.eig((given @ u) @ np.linalg.inv(given @ v))
        vectors = vectors[:, np.argsort(values.real)].real
        return vectors / vectors.sum(axis=0)

    joint, step, total = law * marginal, 1e-6, 0.0
    for cell in product(range(3), repeat=3):
        one = np.zeros((3, 3, 3))
        one[cell] = 1
        change = (columns(joint + step * (one - joint)) - columns(joint - step * (one - joint))) / (2 * step)
        total += joint[cell] * (change**2).sum()
    assert float(sampling_variance(model, directions)) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("loss", contrast.LOSSES)
def test_condition_numbers_are_those_of_the_integrated_hessian(loss):
    radius = 3.0

    def weight(x):
        p, q = np.exp(-((x - radius) ** 2) / 2), np.exp(-(x**2) / 2)
        return p * q / (p + q) if loss == "nce" else np.sqrt(p * q) / 4

    moments = [scipy.integrate.quad(lambda x, m=m: weight(x) * x**m, -12, 15, epsabs=1e-14)[0] for m in range(3)]
    eigenvalues = np.linalg.eigvalsh(np.array([[moments[2], -moments[1]], [-moments[1], moments[0]]]))
    assert contrast.condition_number(radius, loss) == pytest.approx(eigenvalues[1] / eigenvalues[0], rel=1e-9)
    factor = 1 / (2 * np.sqrt(2 * np.pi)) if loss == "nce" else 2 / (2 * np.sqrt(2 * np.pi))
    assert contrast.flattest_curvature(radius, loss) == pytest.approx(factor * eigenvalues[0], rel=1e-9)
    assert contrast.largest_curvature(radius, 0.0, loss) >= factor * eigenvalues[1]
    assert bounds.contrastive(radius, loss).at() == pytest.approx(contrast.condition_number(radius, loss), rel=1e-9)


@pytest.mark.parametrize(
    ("radius", "reach"), [(0.5, 0.0), (3.0, 2.0), (1.0, 10.0), (1.0, 20.0), (6.0, 19.0), (8.0, 33.0), (20.0, 1.0)]
)
def test_the_largest_curvature_is_its_integral(radius, reach):
    """Where the reach is large, the integrand has its mass near the distance reach - radius / 2, by sums of its logarithm."""
    u = np.linspace(-60, 60, 1_200_001)
    log = -(u**2) / 2 - np.log(2 * np.pi) / 2 + reach * (1 + abs(u) + radius / 2) + np.log1p((u + radius / 2) ** 2)
    log -= np.logaddexp(radius * u / 2, -radius * u / 2)
    total = log.max() + np.log(np.exp(log - log.max()).sum() * (u[1] - u[0])) - radius**2 / 8 - np.log(2)
    assert np.log(contrast.largest_curvature(radius, reach)) == pytest.approx(total, abs=1e-6)


def test_the_growth_of_the_condition_number_has_two_terms():
    radius = 60.0
    order, factor = contrast.leading_condition("nce")
    ratio = contrast.condition_number(radius) / (factor * radius**order)
    assert abs(ratio - 1 - (8 + 2 * np.pi**2) / radius**2) < 200 / radius**3
    assert contrast.spread(5.0, "ence") == 1.0
    for question in (contrast.leading_condition, lambda loss: contrast.spread(2.0, loss)):
        with pytest.raises(ValueError, match="'nce' or 'ence'"):
            question("mle")
    with pytest.raises(ValueError, match="noise is the data"):
        contrast.condition_number(0.0)


def test_the_balanced_table_is_the_nearest_one():
    table = ScoreTable.random(2, 3, seed=4)
    nearest = table.balanced()
    assert nearest.imbalance == 0 and nearest.balanced().imbalance == 0
    assert (nearest.balanced().scores == nearest.scores).all()
    distance = ((nearest.scores - table.scores) ** 2).sum()
    for seed in range(3):
        other = ScoreTable.random(2, 3, seed=seed + 9).balanced()
        # the projection of a line inside the balanced tables is orthogonal to it
        assert ((nearest.scores - table.scores) * (other.scores - nearest.scores)).sum() == 0
        assert ((other.scores - table.scores) ** 2).sum() >= distance
    assert (nearest.scores[:, : table.pairs] == table.scores[:, : table.pairs]).all()


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match="symbols"):
        ScoreTable(2, 3, np.zeros((3, 3)))
    with pytest.raises(OutsideHypotheses, match="balanced"):
        ScoreTable.random(2, 2, seed=1).first_failure(Fraction(1, 8), 0.1)
    with pytest.raises(OutsideHypotheses, match="deviation > 0"):
        ScoreTable.uniform(2, 2).first_failure(Fraction(0), 0.5)


def test_masked_pairs_as_a_bound():
    assert bounds.masked_pairs(5).at() == 6
    with pytest.raises(OutsideHypotheses, match="as many symbols"):
        bounds.masked_pairs(3, 2).at()
