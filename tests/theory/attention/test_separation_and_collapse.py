"""Separation rank and collapse, exact sides: formulas against brute force, refusals."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy

from experiments.collapse.causal_collapse_halves import masks, uneven
from experiments.collapse.collapse_doubly_exponential import iterated
from theory import OutsideHypotheses, bounds
from theory.attention import expansion, remedies, separation
from theory.attention.linear_attention import LinearAttention, grid_tensor
from theory.exact import linear, modular


def rationals(seed, *shape):
    numbers = np.random.default_rng(seed).integers(-4, 5, shape)
    return np.vectorize(lambda x: Fraction(int(x), 4), otypes=[object])(numbers)


def templates(count, width, seed=0, tokens=None):
    return np.random.default_rng(seed).integers(0, modular.PRIMES[0], (2, count, tokens or width, width))


# ranks modulo a prime


@pytest.mark.parametrize(("rows", "columns", "rank"), [(5, 5, 0), (1, 1, 1), (40, 90, 17), (90, 40, 40), (200, 200, 131)])
def test_rank_modulo_is_the_planted_rank(rows, columns, rank):
    draw = np.random.default_rng(rows).integers
    left, right = draw(0, modular.PRIMES[0], (rows, rank)), draw(0, modular.PRIMES[0], (rank, columns))
    exact = (left.astype(object) @ right.astype(object)) % modular.PRIMES[0] if rank else np.zeros((rows, columns), object)
    assert modular.rank_modulo(exact) == rank


def test_rank_modulo_is_the_rational_rank_of_small_matrices_and_less_where_the_prime_divides():
    for seed in range(5):
        matrix = np.random.default_rng(seed).integers(-2, 3, (7, 6))
        matrix[3:] = matrix[:4]
        assert modular.rank_modulo(matrix) == linear.rank(matrix)
    assert modular.rank_modulo(np.diag([1, 5, 10]), 5) == 1


@pytest.mark.needs("flint")
def test_rank_modulo_agrees_with_flint():
    import flint

    matrix = np.random.default_rng(1).integers(0, 7, (60, 60)) // 5
    assert modular.rank_modulo(matrix, 7) == flint.nmod_mat(60, 60, matrix.ravel().tolist(), 7).rank()


@pytest.mark.parametrize(
    ("matrix", "prime", "message"),
    [(np.eye(2), 5, "integers"), (np.zeros(3, int), 5, "two axes"), (np.eye(2, dtype=int), 9, "prime"),
     (np.eye(2, dtype=int), 2**31 + 11, "2\\^31")],
)  # fmt: skip
def test_bad_matrices_are_refused(matrix, prime, message):
    with pytest.raises(ValueError, match=message):
        modular.rank_modulo(matrix, prime)


# separation rank


def by_tokens(network, left, right):
    """One pair of templates in Python integers, attention token by token."""
    tokens = [[int(x) for x in token] for token in (*left, *right)]
    apply = lambda matrix, x: [sum(int(m) * v for m, v in zip(row, x, strict=True)) for row in matrix]  # noqa: E731
    for query, key, value, output in zip(network.query, network.key, network.value, network.output, strict=True):
        moved = [[0] * len(tokens[0]) for _ in tokens]
        for q, k, v, o in zip(query, key, value, output, strict=True):
            for i, j in product(range(len(tokens)), repeat=2):
                score = sum(a * b for a, b in zip(apply(q, tokens[i]), apply(k, tokens[j]), strict=True))
                moved[i] = [m + score * x for m, x in zip(moved[i], apply(o, apply(v, tokens[j])), strict=True)]
        tokens = moved
    return sum(int(c) * x for c, x in zip(network.readout, tokens[0], strict=True))


@pytest.mark.parametrize(("width", "layers", "heads"), [(1, 2, 1), (2, 2, 2), (3, 1, 3), (2, 3, 1)])
def test_the_grid_is_attention_token_by_token(width, layers, heads):
    network = LinearAttention.random(width, layers, heads)
    left, right = templates(2, width, tokens=width + 1)
    expected = [[by_tokens(network, a, b) % modular.PRIMES[1] for b in right] for a in left]
    assert grid_tensor(network, left, right, modular.PRIMES[1]).tolist() == expected


@pytest.mark.parametrize(
    ("width", "layers", "heads"),
    [(1, 1, 1), (1, 3, 1), (2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 1, 2), (2, 2, 2), (3, 2, 3), (4, 2, 2), (4, 2, 4), (2, 3, 2),
     (5, 2, 5)],
)  # fmt: skip
def test_generic_networks_reach_the_formula(width, layers, heads):
    predicted = separation.separation_rank(width, layers, heads)
    network = LinearAttention.random(width, layers, heads, seed=5)
    found = {separation.grid_rank(network, *templates(predicted + 3, width, 2), prime) for prime in modular.PRIMES}
    assert found == {predicted}


def test_each_part_has_the_rank_of_its_degree():
    """The part of degree k in the other half's sums, by interpolation: f(S_A + t S_B) at n + 1 values of t."""
    for heads in (1, 2):
        network, prime = LinearAttention.random(2, 2, heads), modular.PRIMES[0]
        left, right = templates(12, 2)
        n = separation.degree(2)
        # scaling the tokens by t scales their sums by t^2
        values = [grid_tensor(network, left, right * t % prime).astype(object) for t in range(1, n + 2)]
        vandermonde = sympy.Matrix(n + 1, n + 1, lambda i, j: (i + 1) ** (2 * j)).inv_mod(prime)
        parts = [sum(int(vandermonde[k, t]) * values[t] for t in range(n + 1)) % prime for k in range(n + 1)]
        assert tuple(modular.rank_modulo(part) for part in parts) == separation.graded_ranks(2, 2, heads)


def test_the_staircase_is_the_largest_rank_of_its_zero_pattern():
    draw = np.random.default_rng(3).integers
    for width, layers, heads in ((2, 2, 2), (3, 2, 3), (2, 3, 2)):
        n, t, m = separation.degree(layers), separation.unseen_degree(layers), width * (width + 1) // 2
        seen = width * (width // heads)
        sizes = [[math.comb(seen + k - j - 1, k - j) * math.comb(m - seen + j - 1, j) if j <= k else 0 for j in range(t + 1)]
                 for k in range(n + 1)]  # fmt: skip
        for k, predicted in enumerate(separation.graded_ranks(width, layers, heads)):
            rows, columns = np.repeat(range(t + 1), sizes[k]), np.repeat(range(t + 1), np.array(sizes[n - k]) * width)
            pattern = (rows[:, None] + columns[None] <= t) * draw(1, modular.PRIMES[0], (len(rows), len(columns)))
            assert modular.rank_modulo(pattern) == predicted


def test_seen_variables_are_independent_for_generic_weights():
    for width, heads in ((2, 2), (4, 2), (6, 3), (6, 2)):
        network = LinearAttention.random(width, 1, heads)
        upper = np.triu_indices(width)
        forms = []
        for key, value in zip(network.key[0], network.value[0], strict=True):
            for v, k in product(value.astype(object), key.astype(object)):
                forms.append((np.outer(v, k) + np.outer(k, v))[upper] % modular.PRIMES[0])
        assert modular.rank_modulo(np.array(forms)) == width * width // heads


def test_laws_of_the_formula():
    for width in (1, 2, 4, 6):
        for heads in (h for h in (1, 2, 3, 4, 6) if width % h == 0):
            assert separation.separation_rank(width, 1, heads) == width + 1
        ranks = [separation.separation_rank(width, layers) for layers in (1, 2, 3, 4)]
        bounded = [(width + 1) ** separation.degree(layers) for layers in (1, 2, 3, 4)]
        assert all(rank <= bound for rank, bound in zip(ranks, bounded, strict=True))
    assert [separation.separation_rank(1, layers) for layers in range(1, 6)] == [(3**layers + 1) // 2 for layers in range(1, 6)]
    several = [separation.separation_rank(12, 2, heads) for heads in (1, 2, 3, 4, 6, 12)]
    assert several == sorted(several, reverse=True) and len(set(several)) == 6


def test_matching_width_is_the_least_and_the_floor_lies_below():
    for width, layers, shallower in ((2, 2, 1), (3, 2, 1), (2, 3, 2), (1, 5, 3), (4, 3, 2)):
        least = separation.matching_width(width, layers, shallower)
        wanted = separation.separation_rank(width, layers)
        assert separation.separation_rank(least, shallower) >= wanted > separation.separation_rank(least - 1, shallower)
    for width, layers in ((9, 2), (27, 3), (100, 4)):
        for shallower in range(2 if layers == 4 else 1, layers):
            floor = separation.width_floor(width, layers, shallower)
            assert 1 < floor <= separation.matching_width(width, layers, shallower)
            deep, few = (2 * (width + 1)) ** (separation.degree(layers) // 2), separation.degree(shallower)
            reached = [(w * (w + 1) // 2 + 1) ** few >= deep for w in (floor - 1, floor)]
            assert reached == [False, True]  # the least
    with pytest.raises(ValueError, match="where the floor is derived"):
        separation.width_floor(8, 2, 1)


def test_poor_templates_are_refused():
    network = LinearAttention.random(2, 2)
    with pytest.raises(ValueError, match=r"more than 18 on each side.*saturates"):
        separation.grid_rank(network, *templates(18, 2))
    with pytest.raises(ValueError, match="at least 2, the width"):
        separation.grid_rank(network, *templates(19, 2, tokens=1))
    # what the refusals protect from
    assert modular.rank_modulo(grid_tensor(network, *templates(10, 2))) == 10
    assert modular.rank_modulo(grid_tensor(network, *templates(30, 2, tokens=1))) < 18


@pytest.mark.parametrize("arguments", [(5, 2, 2), (0, 1), (2, 0), (2, 2, 0), (2.0, 1)])
def test_bad_networks_are_refused(arguments):
    with pytest.raises(ValueError, match=r"must be a multiple|expected an integer"):
        separation.separation_rank(*arguments)


def test_rank_bounds():
    assert bounds.rank(3, 3).at() == 3102 and bounds.rank(3, 3, heads=3).at() == 2441
    assert bounds.rank_width(3, 2, 1).at() == 48
    with pytest.raises(OutsideHypotheses, match="fits a float"):
        bounds.rank(81, 6).at()
    assert bounds.rank(81, 6).expr > 10**309
    with pytest.raises(ValueError, match="at most 8"):
        bounds.rank(2, 9)
    with pytest.raises(ValueError, match="Take a width of 6"):
        bounds.rank(5, 1, heads=2)


# rank collapse


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("shared", [0, 1])
def test_formulas_are_the_power_series(heads, shared):
    direction = expansion.centred(rationals(1, 4, 3))
    parts = shared * rationals(2, 3), direction, rationals(3, heads, 3, 3), rationals(4, heads, 3, 3)
    terms = expansion.residual_terms(*parts, scale=Fraction(1, 2), order=5)
    assert not (terms[0] != 0).any() and not (terms[1] != 0).any() and not (terms[2] != 0).any()
    assert (terms[3] == expansion.cubic(*parts[1:], scale=Fraction(1, 2))).all() and (terms[3] != 0).any()
    assert (terms[4] == expansion.quartic(*parts, scale=Fraction(1, 2))).all()
    assert (terms[5] == expansion.quintic(*parts[1:], scale=Fraction(1, 2))).all() is not bool(shared)


def test_the_series_is_the_layer():
    """Against softmax itself in symbols: one dimension, two tokens."""
    e, (a, w, b, r) = sympy.Symbol("e"), (Fraction(2, 3), Fraction(3), Fraction(1, 2), Fraction(1, 4))
    x = [sympy.Rational(b) + sign * e * sympy.Rational(r) for sign in (1, -1)]
    score = [[sympy.expand(sympy.Rational(a) * (x[i] * x[j] - x[i] * x[0])) for j in range(2)] for i in range(2)]
    out = [sum(sympy.exp(s) * v for s, v in zip(row, x, strict=True)) / sum(map(sympy.exp, row)) * 3 for row in score]
    series = sympy.Poly(sympy.series((out[0] - out[1]) / 2, e, 0, 6).removeO(), e)
    weight, tokens = np.array([[[a]], [[w]]], dtype=object), np.array([[r], [-r]], dtype=object)
    terms = expansion.residual_terms(np.array([b], dtype=object), tokens, weight[:1], weight[1:], Fraction(1), 5)
    assert [series.coeff_monomial(e**k) for k in range(6)] == [sympy.Rational(term[0, 0]) for term in terms]


def test_masked_means_have_the_eigenvalues_of_the_claim():
    mean = sympy.Matrix(masks.masked_mean(6, "causal").tolist())
    assert set(mean.eigenvals()) == {sympy.Rational(1, i) for i in range(1, 7)}
    line = sympy.Matrix([i - 1 for i in range(1, 7)])
    assert mean * line == line / 2
    window = sympy.Matrix(masks.masked_mean(5, "window").tolist())
    half = window - sympy.eye(5) / 2
    assert window.eigenvals() == {1: 1, sympy.Rational(1, 2): 4} and (half**4).rank() < (half**3).rank()
    with pytest.raises(ValueError, match="causal"):
        masks.masked_mean(3, "strict")


def test_directions_without_a_cubic_term_are_refused():
    zero = np.zeros((2, 1, 2, 2))
    with pytest.raises(ValueError, match="before layer 2 is zero"):
        iterated.log_residuals(np.array([[1.0, 0.0], [0.0, 1.0]]), zero, zero, 1.0, 0.0)
    with pytest.raises(ValueError, match="all features"):
        remedies.norm_jacobian(np.ones(3))


def test_norm_jacobian_is_the_derivative():
    def norm(row):
        row = row - row.mean()
        return row / np.sqrt((row**2).mean())

    row, step = np.array([0.3, -1.2, 0.7, 2.0]), 1e-6
    difference = [(norm(row + step * unit) - norm(row - step * unit)) / (2 * step) for unit in np.eye(4)]
    assert np.abs(np.array(difference) - remedies.norm_jacobian(row)).max() < 1e-9


def test_the_composite_size_has_no_triangle_inequality():
    size = lambda x: math.sqrt(np.abs(x).sum(0).max() * np.abs(x).sum(1).max())  # noqa: E731
    tall, wide = np.zeros((9, 9)), np.zeros((9, 9))
    tall[:, 0], wide[0] = 1, 1
    assert size(tall + wide) > size(tall) + size(wide) + 2


def test_collapse_bound_refuses_what_it_does_not_cover():
    inside = {"width": 16, "beta": 0.5, "residual": 0.5}
    assert bounds.collapse(2, **inside).at() == pytest.approx(0.125**4 * 0.5**9, rel=1e-12)
    assert bounds.collapse(3, **inside, decades=True).at() == pytest.approx(-math.log10(bounds.collapse(3, **inside).at()))
    assert bounds.collapse(2, **inside, gamma=2).at() == pytest.approx(4**4 * bounds.collapse(2, **inside).at())
    assert bounds.collapse(2, **inside, lipschitz=1.5).at() == pytest.approx(1.5**4 * bounds.collapse(2, **inside).at())
    with pytest.raises(OutsideHypotheses, match="lipschitz"):
        bounds.collapse(1, **inside, lipschitz=1e6).at()
    assert bounds.collapse(1, **inside, heads=3).at() == pytest.approx(3 * bounds.collapse(1, **inside).at())
    with pytest.raises(OutsideHypotheses, match="vacuous"):
        bounds.collapse(2, **(inside | {"residual": 4})).at()
    with pytest.raises(OutsideHypotheses, match="decades"):
        bounds.collapse(9, **inside).at()
    with pytest.raises(ValueError, match="nothing to bound"):
        bounds.collapse(2, **(inside | {"residual": 0}))


def test_the_constant_of_collapse_holds_for_any_logits():
    """Both sums of P - 1 p^T against their bounds, entry by entry, from small logits to large ones."""
    draw = np.random.default_rng(0)
    for tokens in (2, 5, 40):
        for size in (0.01, 1.0, 6.0):
            shared, logits = draw.normal(size=tokens) * 3, draw.normal(size=(tokens, tokens)) * size
            p = np.exp(shared) / np.exp(shared).sum()
            weights = p * np.exp(logits)
            change = np.abs(weights / weights.sum(axis=1, keepdims=True) - p)
            m, columns = np.abs(logits).max(), np.abs(logits).sum(axis=0).max()
            kappa = bounds.collapse(1, width=1, beta=m * 1e-9, residual=1, query_key=m).at() / (m * 1e-9)
            assert (change.sum(axis=1) <= 2 * np.tanh(np.abs(logits).max(axis=1) / 2) + 1e-12).all()
            assert change.sum(axis=0).max() <= kappa**2 * columns + 1e-12
            assert math.sqrt(change.sum(axis=0).max() * change.sum(axis=1).max()) <= kappa * columns
    # the sharp case: at small logits nothing less than 1/sqrt(2) will do
    m = 1e-4
    change = np.array([[math.tanh(m), -math.tanh(m)], [0, 0]]) / 2
    assert np.sqrt(np.abs(change).sum(axis=0).max() * np.abs(change).sum(axis=1).max()) / m == pytest.approx(0.5**0.5)


def test_settling_bounds_causal_attention_from_any_start():
    draw = np.random.default_rng(1)
    for tokens, layers in ((2, 40), (4, 300)):
        profile = draw.normal(size=(tokens, 3))
        profile[0], offset = 0, draw.normal(size=3)
        size = np.linalg.norm(profile, axis=1).max()
        profile *= 1.2 / size
        allowed = uneven.settling(profile, float(np.linalg.norm(offset)), 0.7, 0.5, layers)
        state, factor = profile, 0.0
        for _ in range(layers):
            a = draw.normal(size=(3, 3))
            logits = 0.5 * (offset + state) @ (0.7 * a / np.linalg.norm(a, 2)) @ state.T
            weights = np.tril(np.exp(logits - logits.max(axis=1, keepdims=True)))
            moved = weights / weights.sum(axis=1, keepdims=True) @ state
            factor, state = np.linalg.norm(moved) / np.linalg.norm(state), moved
        lengths = np.linalg.norm(state, axis=1) / np.linalg.norm(state)
        line = np.arange(tokens) / np.linalg.norm(np.arange(tokens))
        assert allowed < 1e-6 and abs(factor - 0.5) <= allowed + 1e-12 and np.abs(lengths - line).max() <= allowed + 1e-12


def test_skip_residuals_are_those_of_the_layer():
    eye, scale = np.eye(3), 0.4
    for sign in (1, -1):
        tokens, sizes = np.concatenate([eye, -eye]), []
        for _ in range(3):
            weights = np.exp(scale * tokens @ tokens.T)
            tokens = tokens + sign * weights / weights.sum(axis=1, keepdims=True) @ tokens
            sizes.append(np.linalg.norm(tokens))
        assert remedies.skip_residuals(3, scale, 3, sign) == pytest.approx(sizes)
    exponent, constant = remedies.skip_decay(3, scale)
    assert remedies.skip_residuals(3, scale, 4000, -1)[-1] == pytest.approx(constant * 4000**-exponent, rel=0.01)
