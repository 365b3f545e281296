"""The claims of the Lie engine: special cases by another route."""

import dataclasses
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import depthjax
import theory
from depthjax.instruments.tails import Sequences, mass, random_sequences, tails, with_mass
from depthjax.lie.logarithm import logarithm_from_excess
from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.verify import Cell
from experiments.lie.lie_and_group_depth_differ.affine import commutator_defect, reached_maps
from experiments.lie.lie_and_group_depth_differ.counter import first_wrong_count
from experiments.lie.lie_and_group_depth_differ.dihedral_tracker import dihedral_tracker, tracked_maps, tracker_start
from experiments.lie.lie_and_group_depth_differ.significand import first_inexact_multiple
from experiments.lie.precision_horizon import claim as precision_horizon
from experiments.lie.solvable_tower_exact import claim as solvable_tower_exact
from experiments.lie.solvable_tower_exact.measure import measure
from experiments.lie.solvable_tower_exact.solvable_error import section_growth
from experiments.lie.solvable_tower_exact.solvable_tower import solvable_tower
from theory import bounds, lie


@pytest.mark.parametrize("scale", [1e-9, 0.1, 1.0])
def test_logarithm_is_scipys(scale):
    z = np.random.default_rng(0).standard_normal((4, 3, 3)) * scale / 3
    for matrix in z:
        excess = scipy.linalg.expm(matrix) - np.eye(3)
        assert np.abs(np.asarray(logarithm_from_excess(jnp.asarray(excess))) - matrix).max() < 1e-14


def test_tails_are_what_the_exact_series_leaves(key):
    sequences = with_mass(random_sequences(key, 1, 2, 2, 2), jnp.array([0.6]))._replace(increments=jnp.eye(2)[None])
    found = tails(sequences, 5)
    x, y = np.asarray(sequences.matrices[0])
    logarithm = scipy.linalg.logm(scipy.linalg.expm(x) @ scipy.linalg.expm(y))
    for order in (1, 2, 3, 4):
        gap = np.linalg.norm(logarithm - np.asarray(lie.bch(order).evaluate(x, y)), 2)
        assert abs(gap - float(found.series[0, order - 1])) < 1e-14
        term = np.linalg.norm(np.asarray(lie.bch(order + 1).homogeneous(order + 1).evaluate(x, y)), 2)
        assert abs(term - float(found.term[0, order - 1])) < 1e-14


def test_commuting_tokens_leave_nothing(key):
    diagonal = jnp.stack([jnp.diag(jnp.array([0.3, -0.1])), jnp.diag(jnp.array([0.05, 0.2]))])[None]
    found = tails(Sequences(jax.random.normal(key, (1, 4, 2)) / 4, diagonal), 4)
    assert float(jnp.abs(found.series).max()) < 1e-15


def test_nilpotent_series_terminates(key):
    basis = jnp.asarray(np.array(lie.named("heisenberg3").matrices[:2], float))
    found = tails(Sequences(jax.random.normal(key, (1, 4, 2)), basis[None]), 4)
    assert float(found.series[0, 0]) > 1e-3 and float(found.series[0, 1:].max()) < 1e-14


def test_high_order_log_signature_and_the_a_posteriori_tail_bracket_the_logarithm(key):
    sequences = with_mass(random_sequences(key, 1, 4, 2, 2), jnp.array([0.7]))
    found = tails(sequences, 8)
    norms = [float(x) for x in found.term[0, 1:]]
    assert abs(float(mass(sequences)[0]) - 0.7) < 1e-14
    assert float(found.series[0, 1]) <= bounds.a_posteriori(2, norms, mass=0.7).at() < bounds.magnus(2, mass=0.7).at()


@pytest.mark.parametrize("name", ["aff1", "heisenberg3", "se2", "upper4"])
def test_solvable_tower_is_the_product(name, key):
    tower = solvable_tower(tuple(np.asarray(b, float) for b in lie.named(name).derived_complements))
    assert tower.layers == bounds.algebra(name).bound.at()
    basis = jnp.asarray(np.concatenate(tower.complements))
    letters = jnp.einsum("tl,lij->tij", 0.5 * jax.random.normal(key, (6, len(basis))), basis)
    states = jax.jit(lambda x: tower.cascade().run(x, tower.start(1), chunk=1))(letters[:, None])
    expected = np.linalg.multi_dot([scipy.linalg.expm(x) for x in np.asarray(letters)])
    assert np.abs(np.asarray(tower.evaluate(states))[0] + np.eye(len(expected)) - expected).max() < 1e-12


def test_a_padded_tower_keeps_its_states(key):
    tower = solvable_tower(tuple(np.asarray(b, float) for b in lie.named("se2").derived_complements))
    wide = tower.padded((4, 2, 1), 4)
    letters = jnp.einsum("tl,lij->tij", jax.random.normal(key, (5, 3)), jnp.asarray(np.concatenate(tower.complements)))
    states = tower.cascade().run(letters[:, None], tower.start(1))
    padded = wide.cascade().run(jnp.pad(letters, ((0, 0), (0, 1), (0, 1)))[:, None], wide.start(1))
    for narrow, state, room in zip((*states, jnp.zeros((1, 0))), padded, (4, 2, 1), strict=True):
        assert jnp.allclose(jnp.pad(narrow, ((0, 0), (0, room - narrow.shape[1]))), state, atol=1e-14)
    with pytest.raises(ValueError, match="does not fit"):
        tower.padded((1, 1), 3)


def test_a_perfect_algebra_has_no_tower():
    with pytest.raises(ValueError, match="so3 is not solvable"):
        _ = lie.named("so3").derived_complements
    with pytest.raises(theory.OutsideHypotheses, match="so3 is solvable"):
        bounds.algebra("so3").bound.at()


@pytest.mark.parametrize(
    ("complements", "message"),
    [
        ((), "no number of layers"),
        ((np.zeros((0, 2, 2)),), "no number of layers"),
        ((np.stack([np.eye(2), np.eye(2)]),), "linearly dependent"),
        ((np.array(lie.named("aff1").matrices, float),), "derived series"),
        (tuple(np.asarray(b, float) for b in reversed(lie.named("aff1").derived_complements)), "derived series"),
    ],
)
def test_bad_complements_are_refused(complements, message):
    with pytest.raises(ValueError, match=message):
        solvable_tower(complements)


@pytest.mark.parametrize("name", ["so3", "heisenberg3", "aff1", "se2", "upper3", "strict4"])
def test_numerical_derived_series_is_the_exact_one(name):
    algebra = lie.named(name)
    series = algebra.derived_dimensions
    found = derived_dimensions(np.array(algebra.matrices, float), len(series) - 1)
    assert tuple(found.tolist()) == series


def test_affine_trap():
    pair = np.array([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]])
    assert derived_dimensions(pair, 2).tolist() == [2, 1, 0]
    assert derived_dimensions(pair[:, :1, :1], 1).tolist() == [1, 0]


@pytest.mark.parametrize("sides", [3, 5])
def test_tracker_is_the_composition_of_maps(sides):
    maps = [(s, j) for s in (1, -1) for j in range(sides)]
    for word in product(range(len(maps)), repeat=3):
        letters = jnp.array([[maps[x]] for x in word])
        state = dihedral_tracker().run(letters, tracker_start(1, letters.dtype))[0]
        images = []
        for point in range(sides):
            for x in word:
                point = (maps[x][0] * point + maps[x][1]) % sides
            images.append(point)
        reflected, shift = tracked_maps(state, sides)[0].tolist()
        assert images == [((-1) ** reflected * p + shift) % sides for p in range(sides)]
        if word[0] > 1:
            break


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_the_counter_fails_where_a_long_word_does(step):
    """Twin: one word of many letters, in a type of few bits."""
    sides, letters = step + 1, jnp.broadcast_to(jnp.array([1, step], jnp.bfloat16), (400, 1, 2))
    states = dihedral_tracker().run(letters, tracker_start(1, letters.dtype), stream=True)[0]
    wrong = np.asarray(tracked_maps(states, sides))[:, 0, 1] != np.arange(1, 401) * step % sides
    assert first_wrong_count(sides, step, "bfloat16") == 1 + np.argmax(wrong) == first_inexact_multiple(step, 8)
    assert first_wrong_count(sides, step, "float32", farthest=2**18) == 2**18 + 1


def test_the_counter_leaves_the_range_of_its_type():
    assert first_wrong_count(33, 32, "float16") == first_inexact_multiple(32, 11, 65504) == 2048


def test_reached_maps_counts_a_small_group():
    turn = jnp.array([[0, -1, 1], [1, 0, 0], [0, 0, 1]])
    shift = jnp.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
    word = jax.random.randint(jax.random.key(0), (100,), 0, 2)
    pairs = jnp.stack([jnp.stack([turn, turn @ turn]), jnp.stack([turn, shift])])
    found = np.asarray(reached_maps(pairs, word, most=16))
    assert found.tolist() == [4, 16]
    assert (np.asarray(commutator_defect(pairs)) > 0).tolist() == [False, True]


def test_theory_is_importable_by_parts():
    assert theory.lie.witt_dimension(2, 5) == 6 and theory.groups.group("D4").order == 8
    assert issubclass(theory.OutsideHypotheses, ValueError)
    with pytest.raises(AttributeError, match="no attribute"):
        theory.nothing  # noqa: B018


def test_log_signature_of_a_word_is_the_exact_magnus_expansion():
    word = (0, 1, 1, 0)
    exact = lie.magnus(word, 4)
    found = np.asarray(depthjax.log_signature(jax.nn.one_hot(jnp.array(word), 2, dtype=jnp.float64), 4))
    words = [w for degree in range(1, 5) for w in lie.lyndon_words(2, degree)]
    assert np.allclose(found, [float(exact.terms.get(w, 0)) for w in words], atol=1e-14)


def test_the_floor_of_a_tower_is_far_under_the_error_of_one_layer_fewer_for_every_word():
    """The factors of the floor are compared with scipy's exponentials and an inverse."""
    cell = dataclasses.replace(solvable_tower_exact.GRIDS["quick"], algebra="upper5", length=128, words=6, steps=2)
    found = measure(Cell.of(cell), jax.random.key(10), solvable_tower_exact.objects(cell))
    floor = found["error_floor"].to_numpy()
    assert np.isfinite(floor).all() and (found["error"].to_numpy() < floor).all()
    assert (found["error_fewer"].to_numpy() > 100 * floor).all()
    rng = np.random.default_rng(3)
    states, basis = rng.normal(size=(4, 2, 3)), np.triu(rng.normal(size=(3, 5, 5)), 1)
    grown = np.asarray(section_growth(jnp.asarray(states), basis))
    for letter, word in np.ndindex(4, 2):
        before = np.tensordot(states[letter - 1, word], basis, 1) if letter else np.zeros((5, 5))
        after = np.tensordot(states[letter, word], basis, 1)
        naive = np.linalg.norm(scipy.linalg.expm(before), 2) * np.linalg.norm(np.linalg.inv(scipy.linalg.expm(after)), 2)
        assert grown[letter, word] == pytest.approx(naive, rel=1e-9)


def test_a_listed_order_is_misread_between_two_multiples_of_its_guarantee_or_never():
    cells = {(cell.dtype, cell.order): cell for cell in precision_horizon.GRIDS["full"].cells()}
    assert {order for dtype, order in cells if dtype == "bfloat16"} == {*range(3, 65)}
    assert {(dtype, order) for dtype, order in cells if cells[dtype, order].walked} == {
        (dtype, order) for dtype, orders in precision_horizon.ORDERS.items() for order in orders
    }
    closed = {o for (dtype, o), cell in cells.items() if dtype == "bfloat16" and precision_horizon.predict(cell)[0].value == 0}
    assert closed == {3, 4, 6, 8, 12}
    least, most = precision_horizon.predict(cells["bfloat16", 16])
    assert (least.value, most.value) == (54, 120)
