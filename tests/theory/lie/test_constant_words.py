"""Orbits of constant words by exact fractions, the types' own arithmetic, and the theorem on their cycles."""

import itertools
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from theory.bounds import count_horizon
from theory.errors import OutsideHypotheses
from theory.lie.constant_words import FORMATS, Orbit, orbit, rounded

SMALL = ("float8_e4m3fn", "float8_e5m2")


def kind(dtype):
    return np.dtype(getattr(ml_dtypes, dtype, dtype))


def numbers(dtype):
    """All finite numbers of a type of eight bits, in order."""
    found = np.arange(256, dtype=np.uint8).view(kind(dtype)).astype(np.float64)
    return np.unique(found[np.isfinite(found)])


@pytest.mark.parametrize("dtype", FORMATS)
def test_rounding_is_that_of_the_type(dtype):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=300) * 2.0 ** rng.integers(-12, 4, 300), 2.0 ** np.arange(-30, 5), [0.0]])
    x = x.astype(np.float32).astype(np.float64)  # so that no type rounds twice
    assert [rounded(float(one), dtype) for one in x] == x.astype(kind(dtype)).astype(np.float64).tolist()


@pytest.mark.parametrize("dtype", SMALL)
def test_rounding_by_search_among_all_numbers(dtype):
    every, rng = numbers(dtype), np.random.default_rng(1)
    for x in rng.uniform(-3, 3, 200):
        found = rounded(float(x), dtype)
        assert abs(Fraction(found) - Fraction(float(x))) == min(abs(Fraction(y) - Fraction(float(x))) for y in every)
    for low, high in itertools.pairwise(every[len(every) // 2 : len(every) // 2 + 60]):  # halfway between: the even one
        even = low if round(low / (high - low)) % 2 == 0 else high
        assert rounded((low + high) / 2, dtype) == even


@pytest.mark.parametrize("dtype", SMALL)
def test_every_map_of_a_small_type_obeys_the_theorem(dtype):
    every = numbers(dtype)
    for a in every[np.abs(every) <= 1][::5]:
        for b in every[np.abs(every) <= 2][::9]:
            found = orbit([[float(a)]], [float(b)], [1.0], dtype)
            assert found.period == 1 or (found.period == 2 and a < 0), (a, b)


@pytest.mark.parametrize("seed", range(30))
def test_triangular_matrices_obey_the_theorem(seed):
    rng, dtype = np.random.default_rng(seed), list(FORMATS)[1 + seed % 4]
    matrix = np.tril(rng.uniform(-1, 1, (3, 3))) / 2
    if seed % 3 == 0:
        matrix[range(3), range(3)] = np.abs(np.diagonal(matrix))
    matrix, shift, start = (
        [[rounded(x, dtype) for x in row] for row in rows.tolist()] for rows in (matrix, *rng.uniform(-1, 1, (2, 1, 3)))
    )
    found = orbit(matrix, shift[0], start[0], dtype)
    assert found.period <= (1 if seed % 3 == 0 else 2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", *SMALL])
@pytest.mark.parametrize("eigenvalue", [0.0, 0.3, 0.5, 0.9, -0.3, -0.6, -1.0, 1.0])
def test_orbits_in_the_types_own_arithmetic(eigenvalue, dtype):
    a, b, h = (np.array(x).astype(kind(dtype)) for x in (eigenvalue, 0.125, 0.75))
    seen = []
    while float(h) not in seen and len(seen) < 5000:
        seen.append(float(h))
        h = a * h + b
    found = orbit([[float(a)]], [float(b)], [seen[0]], dtype)
    assert found == Orbit(len(seen), len(seen) - seen.index(float(h)))


@pytest.mark.parametrize("dtype", FORMATS)
def test_signs_are_kept_for_ever_above_one_half(dtype):
    for eigenvalue in (-0.25, -0.5, -0.625, -0.75, -1):
        bound = count_horizon(eigenvalue, dtype)
        if eigenvalue < -0.5:
            with pytest.raises(OutsideHypotheses, match="kept for ever"):
                bound.at()
        else:
            assert bound.at() > 4
        assert count_horizon(eigenvalue, dtype, modulus=3).at() >= 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"eigenvalue": 0.5, "dtype": "int8"}, "expected one of"),
        ({"eigenvalue": 0.5, "dtype": "float16", "modulus": 0}, "modulus"),
        ({"eigenvalue": float("nan"), "dtype": "float16"}, "eigenvalue"),
        ({"eigenvalue": "0.5", "dtype": "float16"}, "eigenvalue"),
        ({"eigenvalue": True, "dtype": "float16"}, "eigenvalue"),
        ({"eigenvalue": 0.5, "dtype": "float16", "shift": 1e9}, "shift"),
        ({"eigenvalue": 0.5j, "dtype": "float16"}, "eigenvalue"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        count_horizon(**arguments)
