"""The group of all words of letters whose algebra is not solvable: monomial letters, reflections, letters that forget."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import probe

DRAWS = range(2)


def permutation_times_diagonal(draw, images, kind=float):
    """The letters of PD-SSM (Terzic et al.): h <- P (d * h)."""
    size = len(images[0])
    weights = np.exp(0.1 * draw.normal(size=(len(images), size)))
    if kind is complex:
        weights = weights * np.exp(2j * np.pi * draw.random(weights.shape))
    return np.stack([np.eye(size)[:, image] * weight for image, weight in zip(images, weights, strict=True)])


SOLVABLE = [((1, 0, 2), (1, 2, 0)), ((1, 2, 3, 0), (1, 0, 2, 3)), ((1, 2, 3, 4, 0), (0, 4, 3, 2, 1))]  # S3, S4, D5
NOT_SOLVABLE = [((1, 2, 3, 4, 0), (1, 0, 2, 3, 4)), ((1, 2, 3, 4, 0), (1, 2, 0, 3, 4))]  # S5, A5


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("dtype", [32, 64, "bfloat16", "float16"])
def test_permutations_times_diagonals_are_as_solvable_as_the_permutations(kind, dtype):
    for images in SOLVABLE + NOT_SOLVABLE:
        letters = permutation_times_diagonal(np.random.default_rng(0), images, kind)
        if isinstance(dtype, int):
            letters = letters.astype(f"complex{2 * dtype}" if kind is complex else f"float{dtype}")
        elif kind is complex:
            continue
        else:
            letters = jnp.asarray(letters).astype(dtype)
        report = probe.recurrence(letters)
        assert report.is_solvable is (images in SOLVABLE), report.decisions["solvable"].why
        assert report.decisions["solvable"].standing == "certain" and report.group is None
        assert report.derived_length is None


def test_drives_of_monomial_letters_change_no_solvability():
    draw = np.random.default_rng(0)
    for images in SOLVABLE + NOT_SOLVABLE:
        letters = permutation_times_diagonal(draw, images)
        report = probe.recurrence((letters, draw.normal(size=letters.shape[:2])))
        assert report.is_solvable is (images in SOLVABLE)


def turned(draw, *matrices):
    """In a hidden orthogonal basis."""
    basis = np.linalg.qr(draw.normal(size=matrices[0].shape))[0]
    return np.stack([basis @ matrix @ basis.T for matrix in matrices])


def reflection(vector):
    unit = vector / np.linalg.norm(vector)
    return np.eye(len(unit)) - 2 * np.outer(unit, unit)


def test_solvable_words_with_an_algebra_that_is_not_are_never_called_unsolvable():
    for seed in DRAWS:
        draw = np.random.default_rng(seed)
        plane = turned(draw, *(np.pad(reflection(draw.normal(size=2)), (0, 1)) + np.diag([0, 0, 1.0]) for _ in range(2)))
        hidden = [turned(draw, *permutation_times_diagonal(draw, images)) for images in SOLVABLE]
        for letters in (plane, *hidden):
            for dtype in ("float64", "float32", "bfloat16", "float16"):
                assert probe.recurrence(jnp.asarray(letters).astype(dtype)).is_solvable in (True, None)


def test_generic_reflections_rotations_and_deltas_are_not_solvable():
    for seed in DRAWS:
        draw = np.random.default_rng(seed)
        reflections = np.stack([reflection(draw.normal(size=3)) for _ in range(3)])
        rotations = np.stack([reflection(draw.normal(size=3)) @ reflection(draw.normal(size=3)) for _ in range(2)])
        unitary = [np.linalg.qr(draw.normal(size=(3, 3)) + 1j * draw.normal(size=(3, 3)))[0] for _ in range(2)]
        deltas = np.stack([(np.eye(4) + reflection(draw.normal(size=4))) / 2 + 0.2 * np.eye(4) for _ in range(2)])
        for letters in (reflections, rotations, np.stack(unitary), deltas):
            report = probe.recurrence(letters)
            assert report.is_solvable is False and report.decisions["solvable"].standing == "numerical"
            assert report.decisions["abelian layers"].value == "never"


def test_letters_that_forget_generate_no_group_that_is_called_unsolvable():
    projections = np.array([[[1.0, 0], [0, 0]], [[0.5, 0.5], [0.5, 0.5]]])
    report = probe.recurrence(projections)
    assert report.is_solvable is None and "no inverse" in report.decisions["solvable"].why
    cycle, swap = np.eye(3)[[1, 2, 0]], np.eye(3)[[1, 0, 2]]
    assert probe.recurrence(np.stack([cycle, swap, np.eye(3)[[0, 0, 0]]])).is_solvable is None
    assert probe.recurrence(cycle[None] * 0.9).is_solvable is True


def test_badly_known_letters_are_not_called_solvable_because_they_come_near():
    for seed in range(20):
        for size in (2, 3):
            letters = np.random.default_rng(seed).normal(size=(2, size, size)) * 0.3 + np.eye(size)
            for dtype in ("float16", "bfloat16"):
                assert probe.recurrence(jnp.asarray(letters).astype(dtype)).is_solvable is not True


def test_equal_letters_commute_in_every_type():
    matrix = np.random.default_rng(0).normal(size=(3, 3))
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        report = probe.recurrence(jnp.asarray(np.stack([matrix] * 3)).astype(dtype))
        assert report.is_order_blind is True and report.is_solvable is True and report.derived_length in (1, None)
