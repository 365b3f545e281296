"""Networks whose surplus cancels by orthogonality: exact on every word, for every type of irrep."""

import importlib.util
import pathlib

import numpy as np
import pytest

from depthjax.constructions.composition.bases import standard_form
from depthjax.constructions.composition.bilinear import bilinear_weights
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


def _readings(weights, codes, word):
    """The state's readings after every letter but the first."""
    (first, drive), out = np.asarray(weights.inputs), np.asarray(weights.out)
    read = codes[word[0]]
    for letter in word[1:]:
        read = out @ (read @ first + codes[letter] @ drive) ** 2
        yield read


@pytest.mark.parametrize("element", range(6))
def test_rounding_grows_in_the_recurrence_of_squared_distances_and_not_in_that_of_products(element):
    """While the unit is read, an error in row i of a matrix grows by 1 + s_i, with the sum of the row, and the sign's by 1 - s.

    The derivative of (|x + y|^2 - 2 s^2) / 2 by x is y + x, where that of a product is y alone.
    """
    g = group("S3")
    code = np.random.default_rng(0).normal(size=6)
    code -= code.mean()
    codes, irreps = code[g.table], [(i.kind, i.matrices) for i in g.irreps[1:]]
    weights = distance_weights(code, irreps)
    assert weights.width == bounds.composition("S3", 2, "recurrent").at() == 10
    (first, drive), out = np.asarray(weights.inputs), np.asarray(weights.out)
    derivative = out @ (2 * (codes[element] @ first + codes[0] @ drive)[:, None] * first.T)
    grows = np.abs(np.linalg.eigvals(derivative)).max()
    sign, rows = np.asarray(irreps[0][1])[element].real.item(), standard_form(irreps[1][1], "real")[element].real.sum(axis=1)
    assert grows == pytest.approx(max(1 + rows.max(), 1 - sign), abs=1e-6)
    assert grows > 1.3
    word = [element] + [0] * 300
    with np.errstate(over="ignore", invalid="ignore"):  # errors are squared in the end
        errors, stable = (
            [np.abs(read - codes[element]).max() for read in _readings(network, codes, word)]
            for network in (weights, bilinear_weights(code, irreps))
        )
    assert any(not error < 0.1 for error in errors), "the word is misread"
    assert max(stable) < 1e-10
