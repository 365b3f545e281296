"""What a recurrence's transitions generate, on algebras and groups whose answers are known."""

import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import probe
from depthjax.probe.generated_algebra import generated_algebra
from depthjax.probe.generated_group import generated_group
from theory import groups, lie
from theory.groups.recognition import recognised


def basis(name):
    return np.array(lie.named(name).matrices, float)


def permutation(*image):
    return np.eye(len(image))[:, list(image)]


@pytest.mark.parametrize("name", ["so3", "sl2", "heisenberg3", "aff1", "se2", "upper3", "gl2", "gl3"])
def test_named_algebras_have_their_series_in_any_basis(name):
    exact, draw = lie.named(name), np.random.default_rng(len(name))
    mixed = np.tensordot(draw.normal(size=(exact.dimension, exact.dimension)), basis(name), 1)
    report = probe.recurrence(mixed, time="continuous")
    levi, _ = exact.levi_decomposition
    assert report.algebra_dimension == exact.dimension
    assert report.derived_dimensions == exact.derived_dimensions
    assert report.lower_central_dimensions == exact.lower_central_dimensions
    assert (report.is_solvable, report.is_nilpotent, report.levi_dimension) == (
        exact.is_solvable,
        exact.is_nilpotent,
        len(levi),
    )
    assert report.derived_length == exact.derived_length and min(report.gaps.values()) > 1e6


def test_two_random_matrices_generate_all_matrices_and_diagonal_ones_commute():
    draw = np.random.default_rng(0)
    assert probe.recurrence(draw.normal(size=(2, 4, 4))).derived_dimensions == (16, 15, 15)
    commuting = probe.recurrence(np.stack([np.diag(row) for row in draw.uniform(0.5, 2, (3, 5))]))
    assert commuting.is_order_blind and commuting.derived_dimensions == (3, 0) and commuting.error_order(1) == math.inf


def test_the_closure_agrees_with_a_naive_twin():
    def twin(matrices):
        """All brackets of everything found so far, until the rank stays."""
        rows = list(matrices)
        while True:
            more = rows + [a @ b - b @ a for a in rows for b in rows]
            _, values, vectors = np.linalg.svd(np.array(more).reshape(len(more), -1), full_matrices=False)
            rank = int((values > 1e-9 * values[0]).sum())
            if rank == len(rows):
                return rank
            rows = list(vectors[:rank].reshape(-1, *matrices.shape[1:]))

    draw = np.random.default_rng(3)
    for sparsity in (0.2, 0.3, 0.5):
        matrices = draw.normal(size=(3, 4, 4)) * (draw.random((3, 4, 4)) < sparsity)
        assert generated_algebra(matrices, 1e-11).dimension.value == twin(matrices)


def test_logarithms_are_taken_where_letters_have_them():
    rotations = np.asarray(jax.scipy.linalg.expm(jnp.asarray(basis("so3"))))
    turned = probe.recurrence(rotations)
    assert turned.algebra_dimension == 3 and "principal logarithms" in turned.generated_by
    assert probe.recurrence(permutation(1, 0)[None]).generated_by.startswith(
        "the matrices themselves: letter 0 has the eigenvalue"
    )
    assert probe.recurrence(np.eye(3)[None]).algebra_dimension == 0


def test_the_finite_group_is_found_and_named():
    s3 = probe.recurrence(np.stack([permutation(1, 2, 0), permutation(1, 0, 2)]))
    assert (s3.group["name"], s3.group["order"], s3.group["derived_length"]) == ("S3", 6, 2)
    a5 = probe.recurrence(np.stack([permutation(1, 2, 3, 4, 0), permutation(1, 2, 0, 3, 4)]))
    assert (a5.group["name"], a5.group["order"], a5.group["is_solvable"]) == ("A5", 60, False)
    half_turn = np.array([[[0.0, -1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, -1.0]]])
    assert probe.recurrence(half_turn).group["name"] == "D4"
    rotation = np.array([[[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]]])
    endless = generated_group(rotation, 1e-9, largest=50)
    assert endless.generators is None and endless.order.standing == "sampled"
    assert "no inverse" in generated_group(np.zeros((1, 2, 2)), 1e-9).order.why


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_resets_generate_no_group_in_any_type(size, dtype):
    resets = np.stack([np.outer(np.eye(size)[state], np.ones(size)) for state in range(size)])
    report = probe.recurrence(resets.astype(jnp.dtype(dtype)))
    assert report.group is None and report.decisions["order of the group"].value in ("none", None)
    assert report.is_solvable is not False


@pytest.mark.parametrize("name", ["C6", "C2xC2", "S3", "D4", "Q8", "A4", "SL2_3", "A4xC2", "H3_3"])
def test_a_relabelled_group_is_recognised(name):
    group = groups.group(name)
    order = np.concatenate([[0], 1 + np.random.default_rng(1).permutation(group.order - 1)])
    table = np.argsort(order)[group.table[order][:, order]]
    assert groups.group(recognised(groups.FiniteGroup.from_table(table))).order == group.order
    assert recognised(groups.FiniteGroup.from_table(table)) == ("C6" if name == "C6" else name)


def test_a_group_without_a_known_name_has_none():
    # a^4 = b^2 = c^2 = 1, c a = a b c, and b commutes with both: neither a direct nor a semidirect product of cyclic groups
    i, j, k = np.unravel_index(np.arange(16), (4, 2, 2))
    product = (i[:, None] + i) % 4, (j[:, None] + j + k[:, None] * i) % 2, (k[:, None] + k) % 2
    assert recognised(groups.FiniteGroup.from_table(np.ravel_multi_index(product, (4, 2, 2)))) is None


def test_the_order_of_the_error_is_that_of_free_letters_until_the_series_ends():
    so3 = probe.recurrence(basis("so3")[:2], time="continuous")
    assert [so3.error_order(layers) for layers in (1, 2, 3)] == [lie.derived_ideal_degree(2, layers) for layers in (1, 2, 3)]
    assert so3.order_decision(6).standing == "at least" and so3.error_order(6) == 84
    heisenberg = probe.recurrence(basis("heisenberg3")[:2], time="continuous")
    assert [heisenberg.error_order(layers) for layers in (1, 2, 3)] == [2, math.inf, math.inf]


def test_the_leading_constant_is_measured_by_small_steps():
    a, b = basis("so3")[:2]
    report, step = probe.recurrence(np.stack([a, b]), time="continuous"), 1e-3
    product, tower = (jax.scipy.linalg.expm(step * b) @ jax.scipy.linalg.expm(step * a), jax.scipy.linalg.expm(step * (a + b)))
    measured = np.linalg.norm(product - tower, 2) / step**2
    assert report.leading_constant((0, 1), 1) == pytest.approx(measured, rel=1e-2)
    assert report.leading_constant((0, 0), 1) == 0


def test_a_tolerance_inside_a_cluster_of_singular_values_decides_nothing():
    near = np.stack([np.diag([1.0, 2, 3]), np.diag([1.0, 2, 3 + 1e-6]), np.diag([1.0, 2 + 2e-6, 3])])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    values = probe.recurrence(turn @ near @ turn.T, time="continuous").algebra.found
    report = probe.recurrence(turn @ near @ turn.T, tolerance=float(np.sqrt(values[1] * values[2])), time="continuous")
    assert report.algebra_dimension is None
    assert "cannot decide between dimension" in report.decisions["dimension"].why and "gap" in report.decisions["dimension"].why
    values = probe.recurrence(near, time="continuous").algebra.found
    report = probe.recurrence(near, tolerance=float(np.sqrt(values[1] * values[2])), time="continuous")
    # diagonal letters commute, whatever the numbers are, and only the dimension depends on them
    assert report.algebra_dimension is None and report.is_solvable and report.error_order(1) == math.inf
    assert report.decisions["solvable"].standing == "certain"


def test_affine_pairs_complex_numbers_and_functions_are_read():
    draw = np.random.default_rng(0)
    a, b = np.exp(-draw.random((2, 3))), draw.normal(size=(2, 3))
    pair = np.stack([np.diag(row) for row in a]), b
    report = probe.recurrence(pair)
    assert report.derived_dimensions[-1] == 0 and report.derived_length == 2 and not report.is_order_blind
    same = probe.recurrence(lambda letter: (pair[0][letter], pair[1][letter]), letters=2)
    assert same.as_dict() == report.as_dict()
    assert probe.recurrence(np.exp(1j * draw.random((2, 3)))[:, :, None] * np.eye(3)).is_order_blind
    assert probe.recurrence(pair, letters=[1]).algebra_dimension == 1


def test_a_step_is_checked_to_be_affine_or_linearised():
    matrices = jnp.array(np.random.default_rng(1).normal(size=(2, 2, 2)) * 0.3 + np.eye(2))
    affine = probe.recurrence(lambda h, letter: matrices[letter] @ h + 1.0, letters=2, states=2)
    assert affine.transitions.affine and affine.decisions["dimension"].standing == "numerical"
    again = probe.recurrence(lambda h, letter: matrices[letter] @ h + 1.0, letters=jnp.arange(2), states=np.int64(2))
    assert np.array_equal(again.transitions.matrices, affine.transitions.matrices)
    bent = probe.recurrence(lambda h, letter: jnp.tanh(matrices[letter] @ h), letters=2, states=np.eye(2))
    assert bent.decisions["dimension"].standing == "sampled" and len(bent.generators) == 4
    with pytest.raises(ValueError, match="not affine in the state"):
        probe.recurrence(lambda h, letter: jnp.tanh(matrices[letter] @ h), letters=2, states=2)


def test_letters_that_forget_everything_need_a_layer():
    """A network without layers is the identity, which they are not."""
    for zeros in (np.zeros((2, 1, 1)), np.zeros((2, 3, 3))):
        assert probe.recurrence(zeros).derived_length == 1
        assert probe.recurrence(np.eye(zeros.shape[-1]) + zeros).derived_length == 0
        assert probe.recurrence(zeros, time="continuous").derived_length == 0


@pytest.mark.parametrize(("order", "solvable", "most"), [(4, True, 2), (5, False, None)])
def test_finite_groups_decide_up_to_multiples_and_in_blocks(order, solvable, most):
    """Rotations of a tetrahedron are solvable, those of an icosahedron are not, with multiples and with drives beside them."""
    half, third = np.diag([1.0, -1.0, -1.0]), permutation(1, 2, 0).astype(float)
    golden = (1 + 5**0.5) / 2
    fifth = np.array([[golden - 1, -golden, 1], [golden, 1, golden - 1], [-1, golden - 1, golden]]) / 2
    assert np.allclose(np.linalg.matrix_power(fifth, 5), np.eye(3))
    letters = np.stack([half, third] if order == 4 else [half, third, fifth])
    scaled = letters * np.linspace(0.7, 1.3, len(letters))[:, None, None]
    base = np.random.default_rng(0).normal(size=(3, 3))
    for given, layers in (
        (scaled, most),
        (np.linalg.solve(base, scaled @ base), most),
        ((letters, np.eye(3)[: len(letters)]), 3),
    ):
        found = probe.recurrence(given).decisions["solvable"]
        assert found.value is solvable
        assert not solvable or f"at most {layers} abelian layers" in found.why


BAD = [
    (lambda: probe.recurrence(np.ones((2, 3, 4))), ValueError, "square"),
    (lambda: probe.recurrence(np.ones((3, 3))), ValueError, "square"),
    (lambda: probe.recurrence(np.full((1, 2, 2), np.nan)), ValueError, "NaN"),
    (lambda: probe.recurrence(np.ones((2, 2, 2)), letters=[0, 5]), ValueError, "letter 5 does not exist"),
    (lambda: probe.recurrence({0: np.eye(2)}.__getitem__, letters=2), ValueError, "letter 1 does not exist"),
    (lambda: probe.recurrence(lambda letter: np.eye(2 + letter), letters=2), ValueError, "one size"),
    (lambda: probe.recurrence(lambda letter: np.eye(2)), ValueError, "letters="),
    (lambda: probe.recurrence((np.ones((2, 2, 2)), np.ones((2, 3)))), ValueError, "vectors"),
    (lambda: probe.recurrence("so3"), (TypeError, ValueError), "transitions"),
    (lambda: probe.recurrence(lambda h, letter: h, letters=2, states=[]), ValueError, "states of shape"),
    (lambda: probe.recurrence(lambda h, letter: h, letters=2, states=np.zeros((0, 3))), ValueError, "states of shape"),
    (lambda: probe.recurrence(np.ones((1, 2, 2)), tolerance=2.0), ValueError, "tolerance"),
    (lambda: probe.recurrence(np.ones((1, 2, 2)), time="sideways"), Exception, "discrete"),
    (lambda: probe.recurrence(np.ones((1, 2, 2))).leading_constant((3,), 1), ValueError, "letter 3 does not exist"),
]


@pytest.mark.parametrize(("call", "kind", "word"), BAD)
def test_bad_input_is_refused_in_words(call, kind, word):
    with pytest.raises(kind, match=word):
        call()


def test_an_algebra_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("depthjax.probe.generated_algebra.LARGEST", 8)
    with pytest.raises(ValueError, match="more than 8 dimensions"):
        probe.recurrence(np.random.default_rng(0).normal(size=(2, 3, 3)))


def test_a_report_shows_itself_and_writes_an_inert_page(tmp_path):
    report = probe.recurrence(np.stack([permutation(1, 2, 0), permutation(1, 0, 2)]))
    assert "group S3 of order 6" in repr(report) and "\n" not in repr(report)
    assert report._repr_html_().startswith("<table")
    assert json.loads(json.dumps(report.as_dict(), allow_nan=False))["group"]["name"] == "S3"
    page = report.page(tmp_path / "layer.html").read_text()
    assert "<svg" in page and "<script" not in page and "default-src" in page


def test_unknown_names_are_named():
    with pytest.raises(AttributeError, match="no attribute 'nothing'; it has adversary"):
        _ = probe.nothing
