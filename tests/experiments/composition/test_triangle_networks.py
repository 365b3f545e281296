"""Networks that read points of a triangle, against words one by one, and the frame of a plane in any basis."""

import itertools

import numpy as np
import pytest

from depthjax.tasks.composition import CompositionTask
from experiments.composition.triangle_width import claim
from experiments.composition.triangle_width.measure import _task
from experiments.composition.triangle_width.points import Cubes, frame, triangle_weights
from theory.composition.triangle import is_triangle, triangle_units
from theory.groups import group


def given(name: str, length: int) -> tuple[CompositionTask, Cubes, np.ndarray]:
    """What the measurement is given, with the irreps that are kept."""
    objects = claim.objects(claim.Sizes(group=name, length=length))
    return _task(objects["task"]), Cubes(*(objects[part] for part in Cubes._fields)), objects["signs"]


@pytest.mark.parametrize(("name", "length"), [("S3", 3), ("S3", 4), ("D6", 3), ("Q12", 3)])
def test_every_word_by_powers_written_out(name, length):
    task, cubes, signs = given(name, length)
    networks = triangle_weights(task, cubes, signs)
    assert networks.planes.width == triangle_units(length)
    assert networks.constant.width == 1
    inputs, out = (np.concatenate([getattr(one, side) for one in networks], axis=-1) for side in ("inputs", "out"))
    read = np.einsum("gf,lfu->lgu", task.codes, inputs)
    for word in itertools.product(range(len(task.table)), repeat=length):
        answer = 0
        for letter in word:
            answer = task.table[answer, letter]
        found = out @ sum(read[place, letter] for place, letter in enumerate(word)) ** length
        np.testing.assert_allclose(found, task.codes[answer], atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0])
@pytest.mark.parametrize("name", ["S3", "S4"])
def test_the_frame_is_permuted_in_every_basis(name, angle):
    plane = next(irrep for irrep in group(name).irreps if is_triangle(irrep))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrices = turn @ np.real(plane.matrices) @ turn.T
    found = frame(matrices)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found @ found.T, 1.5 * np.eye(3) - 0.5, atol=1e-12)
    for matrix in matrices:
        assert np.sum((found @ matrix.T) @ found.T > 1 - 1e-9) == 3
