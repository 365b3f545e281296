"""What letters generate is right or undecided where numbers are hard: bases, sizes, small letters, types."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax import probe
from depthjax.probe.decision import Decision
from depthjax.probe.generated_algebra import generated_algebra, of_norm_one, usual_tolerance
from depthjax.probe.pattern import allowed, shared_pattern, triangular_length
from depthjax.probe.triangular import below_diagonal, common_basis, largest_trace, triangularisable
from theory import groups, lie
from theory.automata.classes import DEPTHS

EPS = float(np.finfo(float).eps)


def rotated(draw, size):
    return np.linalg.qr(draw.normal(size=(size, size)))[0]


def exponentials(matrices, *scales):
    return np.stack([scipy.linalg.expm(scale * matrix) for scale, matrix in zip(scales, matrices, strict=True)])


def triangular(kind, draw, size):
    """Letters triangular in one random orthogonal basis, and whether they are steps."""
    upper, turn = np.triu(draw.normal(size=(2, size, size))), rotated(draw, size)
    if kind == "equal scales":
        upper *= math.sqrt(size) / np.linalg.norm(upper, axis=(1, 2), keepdims=True)
    if kind == "unipotent":
        upper = np.triu(upper, 1) + np.eye(size)
    if kind == "few eigenvalues":
        upper[:, range(size), range(size)] = draw.choice([1.0, 2.0], size=(2, size))
    letters = turn @ upper @ turn.T
    small = {"steps": 1.0, "a hundredth": 0.01, "a ten thousandth": 1e-4}.get(kind)
    return (letters, "continuous") if small is None else (exponentials(letters, small, 1.0), "discrete")


# of two generic triangular matrices: two diagonals and all above; the last terms lose the corners
GENERIC = {3: (5, 3, 1, 0), 4: (8, 6, 3, 0), 5: (12, 10, 6, 1, 0), 6: (17, 15, 10, 3, 0), 8: (30, 28, 21, 10, 0)}
KINDS = ["normal", "equal scales", "unipotent", "few eigenvalues", "steps", "a hundredth", "a ten thousandth"]


@pytest.mark.parametrize("draws", [4, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_letters_that_are_triangular_in_a_hidden_basis_are_solvable(kind, draws):
    for size in GENERIC:
        for seed in range(draws if size < 8 else draws // 4):
            letters, time = triangular(kind, np.random.default_rng(seed), size)
            report = probe.recurrence(letters, time=time)
            assert report.is_solvable is True and report.is_order_blind is False and report.levi_dimension == 0
            if kind not in ("unipotent", "few eigenvalues"):
                found = zip(report.derived_dimensions, GENERIC[size], strict=size < 8)
                assert all(one in ((right,) if size < 8 else (None, right)) for one, right in found)
                assert report.error_order(4) == math.inf and report.error_order(1) == 2
            if seed < 3:
                narrow = probe.recurrence(letters.astype(np.float32), time=time)
                assert narrow.is_solvable is True and narrow.is_order_blind in (False, None)
                assert kind in ("unipotent", "few eigenvalues") or all(
                    found in (None, right) for found, right in zip(narrow.derived_dimensions, GENERIC[size], strict=False)
                )


def test_unipotent_letters_have_the_algebra_of_exact_copies():
    draw = np.random.default_rng(5)
    for size in (3, 4, 5):
        upper = np.triu(draw.integers(-3, 4, (2, size, size)), 1)
        exact = lie.LieAlgebra.generated_by(upper.tolist())
        turn = rotated(draw, size)
        report = probe.recurrence(turn @ upper @ turn.T, time="continuous")
        assert report.derived_dimensions == exact.derived_dimensions and report.is_nilpotent


@pytest.mark.parametrize("small", [1e-2, 1e-4, 1e-6, 1e-8])
def test_commuting_rotations_of_very_different_angles_commute(small):
    for size in (4, 6):
        for seed in range(5):
            draw = np.random.default_rng(seed)
            turn, angles = rotated(draw, size), draw.uniform(0.1, 2, (2, size // 2)) * [[1], [small]]
            planes = [scipy.linalg.block_diag(*([[0, -a], [a, 0]] for a in row)) for row in angles]
            letters = turn @ exponentials(planes, 1, 1) @ turn.T
            report = probe.recurrence(letters)
            assert report.is_order_blind is True and report.derived_dimensions == (2, 0) and report.derived_length == 1
            narrow = probe.recurrence(letters.astype(np.float32))
            assert narrow.is_order_blind in (True, None) and narrow.is_solvable in (True, None)


@pytest.mark.parametrize("angles", [(1e-4, 1.0), (1e-8, 1.0), (3e-4, 3e-4), (1e-4, 1e-4), (1e-6, 1e-6, 1.0)])
def test_two_axes_turn_space_however_small_the_angles(angles):
    axes = np.array(lie.named("so3").matrices, float)[: len(angles)]
    for seed in range(3):
        turn = rotated(np.random.default_rng(seed), 3)
        letters = turn @ exponentials(axes, *angles) @ turn.T
        report = probe.recurrence(letters)
        assert report.derived_dimensions == (3, 3) and report.is_solvable is False and report.group is None
        narrow = probe.recurrence(letters.astype(np.float32))
        # a letter within its own rounding of the identity says nothing, and never that it is the identity
        assert narrow.is_solvable in (False, None) and narrow.group is None and narrow.algebra_dimension in (3, None)
        if min(angles) >= 1e-4:
            assert narrow.is_solvable is False


@pytest.mark.parametrize("power", [-300, -200, -150, 150, 200, 300])
def test_the_size_of_all_letters_changes_only_the_multiples_of_one(power):
    swaps = np.stack([np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]]) * 10.0**power
    assert probe.recurrence(swaps).derived_dimensions == (5, 3, 3) and probe.recurrence(swaps).group is None
    rotations = exponentials(np.array(lie.named("so3").matrices, float)[:2], 1, 1) * 10.0**power
    assert probe.recurrence(rotations).derived_dimensions == (4, 3, 3)


def test_three_letters_complex_ones_skew_bases_and_mixed_blocks():
    draw = np.random.default_rng(2)
    turn = rotated(draw, 4)
    assert probe.recurrence(turn @ np.triu(draw.normal(size=(3, 4, 4))) @ turn.T).derived_dimensions == (9, 6, 3, 0)
    unitary = np.linalg.qr(draw.normal(size=(3, 3)) + 1j * draw.normal(size=(3, 3)))[0]
    upper = np.triu(draw.normal(size=(2, 3, 3)) + 1j * draw.normal(size=(2, 3, 3)))
    assert probe.recurrence(unitary @ upper @ unitary.conj().T, time="continuous").derived_dimensions == (8, 6, 2, 0)
    skew = draw.normal(size=(4, 4))
    assert probe.recurrence(skew @ np.triu(draw.normal(size=(2, 4, 4))) @ np.linalg.inv(skew), time="continuous").is_solvable
    turn, half = rotated(draw, 6), draw.normal(size=(2, 3, 3))
    blocks = [scipy.linalg.block_diag(m - m.T, np.triu(draw.normal(size=(3, 3)))) for m in half]
    mixed = probe.recurrence(turn @ np.stack(blocks) @ turn.T, time="continuous")
    assert mixed.derived_dimensions == (8, 6, 4, 3, 3) and mixed.levi_dimension == 3 and mixed.is_solvable is False


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(2, 3), st.integers(0, 2**20), st.integers(-8, 0), st.booleans())
def test_no_letters_are_called_what_they_are_not(size, letters, seed, exponent, is_triangular):
    """Random letters, triangular in a hidden basis or not, the first of any size; truth by construction."""
    draw = np.random.default_rng(seed)
    turn, matrices = rotated(draw, size), draw.normal(size=(letters, size, size))
    matrices[0] *= 10.0**exponent
    matrices = turn @ (np.triu(matrices) if is_triangular else matrices) @ turn.T
    for kind in (np.float64, np.float32):
        report = probe.recurrence(matrices.astype(kind), time="continuous")
        assert report.is_solvable in (is_triangular, None) and report.is_order_blind in (False, None)
        assert kind is np.float32 or report.is_solvable is is_triangular


def test_the_trace_and_the_basis_never_both_certify():
    draw = np.random.default_rng(0)
    for size in (2, 3, 5):
        turn = rotated(draw, size)
        for matrices, solvable in (
            (draw.normal(size=(2, size, size)), False),
            (turn @ np.triu(draw.normal(size=(2, size, size))) @ turn.T, True),
        ):
            scaled, tolerance = of_norm_one(matrices)[0], usual_tolerance(size, EPS)
            trace, bound = largest_trace(scaled, np.full(2, tolerance))
            below = below_diagonal(scaled, common_basis(scaled, np.ones(2))).max()
            assert bool(trace > 10 * bound) is not solvable and bool(below <= tolerance) is solvable
            assert triangularisable(scaled, np.ones(2), tolerance).value is solvable
            # letters that are moved by a hundred roundings are no triangular ones any more
            moved = of_norm_one(scaled + 100 * tolerance * draw.normal(size=scaled.shape))[0]
            assert size == 2 or triangularisable(moved, np.ones(2), tolerance).value is not True


def test_noise_is_carried_into_later_brackets():
    # the second letter is the first one but for a small part, so the direction it adds is known to few digits
    x, y = np.array([[1.0, 0], [0, -1]]), np.array([[0.0, 1], [0, 0]])
    for small, dimension in ((1e-1, 2), (1e-4, None), (5e-6, None)):
        assert generated_algebra(np.stack([x, x + small * y]), 1e-6).dimension.value == dimension
    assert generated_algebra(np.stack([x, y * 1e-30]), 1e-6).dimension.value == 2  # a scale is no noise


def test_the_pattern_decides_whatever_the_numbers_are():
    draw = np.random.default_rng(0)
    order = draw.permutation(6)
    hidden = np.triu(draw.normal(size=(3, 6, 6)) * 10.0 ** draw.integers(-12, 12, (3, 6, 6)))[:, order][:, :, order]
    report = probe.recurrence(hidden.astype(np.float32), time="continuous")
    assert report.is_solvable and report.decisions["solvable"].standing == "certain"
    assert report.error_order(4) == math.inf and report.order_decision(4).standing == "certain"
    assert shared_pattern(hidden).path == 5 and triangular_length(5) == 4
    assert allowed(shared_pattern(hidden), 6).sum() == 21
    angles = np.exp(1j * draw.random((2, 3))) * 0.99
    assert probe.recurrence(angles[:, :, None] * np.eye(3)).decisions["order-blind"].standing == "certain"


def test_the_bounds_of_patterns_are_reached():
    for size in (2, 3, 4, 5):
        whole = lie.LieAlgebra.from_matrices(
            [np.outer(a, b).tolist() for i, a in enumerate(np.eye(size, dtype=int)) for b in np.eye(size, dtype=int)[i:]]
        )
        assert whole.derived_length == triangular_length(size - 1)


def test_sums_and_decays_are_told_apart():
    draw = np.random.default_rng(0)
    sums = np.stack([np.eye(3)] * 2), draw.normal(size=(2, 3))
    assert probe.recurrence(sums).is_order_blind and probe.recurrence(sums).decisions["order-blind"].standing == "certain"
    decays = np.stack([0.5 * np.eye(3)] * 2), draw.normal(size=(2, 3))
    assert probe.recurrence(decays).is_order_blind is False and probe.recurrence(decays).derived_dimensions == (2, 1, 0)
    # in bfloat16 a decay of 0.999 is 1 or its neighbour: rounding hides whether letters commute
    near = np.stack([np.diag([0.996, 1.0]), np.eye(2)]).astype(jnp.bfloat16), draw.normal(size=(2, 2)).astype(jnp.bfloat16)
    assert probe.recurrence(near).is_order_blind is None and probe.recurrence(near).is_solvable


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_every_floating_type_is_read_with_its_own_rounding(kind):
    letters = np.stack([np.diag([0.5, 0.25]), np.array([[0.5, 0.25], [0, 0.75]])]).astype(jnp.dtype(kind))
    report = probe.recurrence(letters)
    assert report.transitions.epsilon == float(jnp.finfo(jnp.dtype(kind)).eps) and report.is_solvable
    assert probe.recurrence(jnp.asarray(letters)).is_solvable
    assert probe.recurrence(lambda letter: jnp.asarray(letters)[letter], letters=2).is_solvable
    shift = np.ones((2, 2), jnp.dtype(kind))
    assert probe.recurrence((letters, shift)).is_solvable
    step = probe.recurrence(lambda h, letter: jnp.asarray(letters)[letter] @ h.astype(letters.dtype), letters=2, states=2)
    assert step.is_solvable


def test_two_routes_that_differ_decide_nothing(monkeypatch):
    draw = np.random.default_rng(0)
    turn = rotated(draw, 3)
    letters = turn @ np.triu(draw.normal(size=(2, 3, 3))) @ turn.T
    lie_of_it = Decision(False, "numerical", "planted")
    monkeypatch.setattr("depthjax.probe.generated.triangularisable", lambda *_, **__: lie_of_it)
    report = probe.recurrence(letters, time="continuous")
    assert report.is_solvable is None and report.algebra_dimension is None and report.derived_length is None
    assert "do not agree" in report.decisions["solvable"].why


@pytest.mark.parametrize(("name", "length"), [("S3", 2), ("D4", 2), ("Q8", 2), ("C4", 1), ("A5", None)])
def test_a_finite_group_decides_the_headline(name, length):
    group = groups.group(name)
    images = [(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)] if name == "A5" else group.table  # of five points, or of all elements
    letters = np.stack([np.eye(len(image))[:, list(image)] for image in images]).astype(np.float32)
    report = probe.recurrence(letters)
    assert report.group["name"] == name and report.is_solvable is (length is not None) is report.group["is_solvable"]
    assert report.derived_length == length == report.group["derived_length"]
    assert next(iter(report.decisions)) == "abelian layers" and report.rows()[0][1] == (
        "never" if length is None else str(length)
    )
    assert report.decisions["abelian layers"].standing == "certain"
    said = "no number of abelian layers" if length is None else f"followed by {length} abelian layer"
    assert said in repr(report) and said in report._repr_html_() and said in report.as_dict()["is"]
    assert report.layers("abelian").layers == length
    for cls in DEPTHS:
        assert report.layers(cls).kind == cls
    assert any(name.startswith("error order") for name, *_ in report.rows()) is report.is_flow


def test_reflections_have_no_order_in_eps():
    report = probe.recurrence(np.stack([np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]]))
    assert not report.is_flow and report.error_order(1) is None and "no exponentials" in report.order_decision(1).why
    assert report.as_dict()["error_orders"] == {}


def test_layers_of_classes_need_a_finite_group():
    with pytest.raises(ValueError, match="no finite group"):
        probe.recurrence(np.stack([np.diag([0.5, 0.25]), np.diag([0.75, 0.5])])).layers("abelian")
    with pytest.raises(ValueError, match="no finite group"):
        probe.recurrence(np.array(lie.named("so3").matrices, float), time="continuous").layers("abelian")


def test_every_answer_says_how_sure_it_is():
    draw = np.random.default_rng(0)
    for report in (
        probe.recurrence(draw.normal(size=(2, 3, 3))),
        probe.recurrence((np.stack([np.diag([0.5, 0.9])] * 2), draw.normal(size=(2, 2)))),
        probe.recurrence(np.stack([np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]])),
    ):
        for name, answer, standing, why in report.rows():
            assert standing in ("certain", "numerical", "sampled", "at least") and why, name
            assert standing != "numerical" or any(c.isdigit() for c in why), (name, answer, why)
