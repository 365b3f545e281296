"""Networks whose surplus cancels by orthogonality: exact on every word, for every type of irrep."""

import importlib.util
import pathlib

import numpy as np
import pytest

from experiments.composition.bilinear_width.distances import distance_weights
from experiments.composition.cube_width.cubes import cube_weights
from theory import bounds
from theory.groups import group

_SPEC = importlib.util.spec_from_file_location("groups_by_hand", pathlib.Path(__file__).parents[2] / "groups_by_hand.py")
groups_by_hand = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(groups_by_hand)
CASES = {name: make() for name, make in groups_by_hand.CASES.items()}


def _encoding(order: int, kind: str) -> np.ndarray:
    entries = np.eye(order)[0] if kind == "one-hot" else np.random.default_rng(order).normal(size=order)
    return entries - entries.mean()


def _error(parts, codes: np.ndarray, table: np.ndarray, length: int) -> float:
    """The largest error over all words, by powers written out."""
    inputs, out = (np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in ("inputs", "out"))
    sums, answers = np.zeros(inputs.shape[-1]), np.zeros((), int)
    for block in inputs:
        sums = sums[..., None, :] + codes @ block
    for _ in range(length):
        answers = table[answers]
    return float(np.abs(sums**length @ out.T - codes[answers]).max())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["one-hot", "generic"])
def test_two_elements_by_squared_distances(name, kind):
    table, irreps = CASES[name]
    encoding = _encoding(len(table), kind)
    weights = distance_weights(encoding, irreps)
    assert _error([weights], encoding[table], table, 2) < 1e-10
    assert (np.asarray(weights.inputs) != 0).any(axis=(0, 1)).all()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["one-hot", "generic"])
def test_three_elements_by_a_cube_for_each_path(name, kind):
    table, irreps = CASES[name]
    encoding = _encoding(len(table), kind)
    parts = cube_weights(encoding, irreps, table)
    assert _error(parts, encoding[table], table, 3) < 1e-8
    read = [np.abs(np.asarray(part.inputs)).max(axis=1) > 0 for part in parts]
    assert (read[0].sum(axis=0) >= 2).all()
    assert (read[1].sum(axis=0) == 1).all()


def test_a_code_without_an_irrep_is_refused():
    table, irreps = CASES["D3"]
    sign = np.linalg.det(np.asarray(next(matrices for _, matrices in irreps if matrices.shape[1] == 2))).real.round()
    encoding = _encoding(len(table), "generic")
    with pytest.raises(ValueError, match="the codes span 4 dimensions: expected 5"):
        cube_weights(encoding - sign * (sign @ encoding) / len(table), irreps, table)


@pytest.mark.parametrize("name", ["S3", "C4", "Q8"])
def test_a_network_that_composes_two_is_a_recurrence(name):
    """The state holds the code of the prefix, which the next step reads with the weights of the first letter."""
    g = group(name)
    code = np.random.default_rng(0).normal(size=g.order)
    code -= code.mean()
    irreps = [(i.kind, i.matrices) for i in g.irreps[1:] if i.conjugate >= i.number]
    weights = distance_weights(code, irreps)
    (first, drive), out = np.asarray(weights.inputs), np.asarray(weights.out)
    codes = code[g.table]
    for word in np.random.default_rng(1).integers(g.order, size=(20, 9)):
        state, prefix = (codes[word[0]] @ first + codes[word[1]] @ drive) ** 2, g.table[word[0], word[1]]
        for letter in word[2:]:
            state, prefix = (state @ out.T @ first + codes[letter] @ drive) ** 2, g.table[prefix, letter]
        np.testing.assert_allclose(out @ state, codes[prefix], atol=1e-8)
    assert weights.width >= bounds.composition(name, 9, architecture="recurrent").at()
