"""Estimates against true counts and true memory on small sizes, and the refusal of what is beyond the limit."""

import math
import sys
import tracemalloc

import pytest

from theory import automata, bounds, cost, groups, lie
from theory.automata import cost as automaton_cost
from theory.groups import cost as group_cost
from theory.groups.named import _named
from theory.lie import cost as lie_cost
from theory.lie.named import _FAMILIES

MEMORY = 12  # factor within which an estimate of memory must lie, either way
FOUND = 2**20  # bytes: below it fixed costs drown what is estimated


def peak(work):
    """Bytes that Python and numpy held at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", _FAMILIES)
@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_dimensions_of_families_are_those_of_their_algebras(name, size):
    if (name == "sp" and size % 2) or (name == "heisenberg" and size % 2 == 0):
        return
    g = lie.named(f"{name}{size}")
    dimension, rows = lie_cost._SIZES[name]
    assert (dimension(size), rows(size)) == (g.dimension, len(g.matrices[0]))


@pytest.mark.parametrize(
    "name", ["C1", "C12", "D3", "D7", "Q8", "Q20", "S1", "S4", "A2", "A5", "H3_3", "SL2_5", "GL2_3", "M11"]
)
def test_orders_are_told_from_names(name):
    assert group_cost.order_of_name(name)[0] == groups.group(name).order


@pytest.mark.parametrize("name", ["C2xC6", "C7:C3", "S3xC2xC2", "C5:C4xC2"])
def test_orders_of_products_are_told_from_names(name):
    assert group_cost.order_of_name(name)[0] == groups.group(name).order


@pytest.mark.parametrize(("letters", "nilpotency_class"), [(2, 6), (2, 8), (3, 4), (4, 3), (1, 5)])
def test_free_algebras_are_estimated_within_a_factor_of_two(letters, nilpotency_class):
    true = lie.free_nilpotent(letters, nilpotency_class).dimension
    told = lie_cost.free_algebra(letters, nilpotency_class).gib / lie_cost.structure(true).gib  # grows as the cube
    assert 1 / 2 <= told ** (1 / 3) <= 2


@pytest.mark.parametrize(
    ("estimate", "work"),
    [
        (lie_cost.lyndon(2, 19), lambda: lie.lyndon_words(2, 19)),
        (lie_cost.lyndon(5, 8), lambda: lie.lyndon_words(5, 8)),
        (lie_cost.series(15), lambda: lie.bch(15)),
        (lie_cost.product_series(2, 2, 12), lambda: lie.log_product([(0, 1), (1, 1)], 12)),
        (lie_cost.product_series(3, 3, 7), lambda: lie.log_product([(0, 1), (1, 1), (2, 1)], 7)),
        (lie_cost.law(9), lambda: lie.solvable_law(3, 9)),
        (lie_cost.family("abelian", 30), lambda: lie.named("abelian30")),
        (lie_cost.family("gl", 6), lambda: lie.named("gl6")),
        (lie_cost.family("heisenberg", 41), lambda: lie.named("heisenberg41")),
        (group_cost.table("C701"), lambda: groups.group("C701")),
        (group_cost.table("A7"), lambda: _named.__wrapped__("A7")),
        (group_cost.table("x".join(["C2"] * 11)), lambda: groups.group("x".join(["C2"] * 11))),
        (group_cost.structure(1024), lambda: bounds.group(groups.group("x".join(["C2"] * 10)))),
        (automaton_cost.subsets("k", 2**12, 2, 14), lambda: automata.regular("(a|b)*a(a|b){11}")),
        (automaton_cost.table("C2^14", 2**14, 15), lambda: automata.semiautomaton("C2^14")),
        (automaton_cost.monoid("S7", 5040, 7, 2), lambda: automata.semiautomaton("S7").transition_monoid()),
    ],
    ids=lambda value: value.work if isinstance(value, cost.Estimate) else "",
)
def test_memory_is_estimated_within_a_factor(estimate, work):
    told, true = estimate.gib * 2**30, peak(work)
    assert told <= MEMORY * max(true, FOUND) and true <= MEMORY * max(told, FOUND)


def test_what_is_refused_is_not_begun(monkeypatch):
    def begun(*arguments):
        raise AssertionError("work was begun")

    monkeypatch.setattr(lie.LieAlgebra, "from_matrices", begun)
    for module, name in (
        ("theory.lie.words", "_lyndon_words"),
        ("theory.lie.bch", "goldberg_numerators"),
        ("theory.groups.group", "permutation_elements"),
    ):
        monkeypatch.setattr(sys.modules[module], name, begun)
    for question in (
        lambda: bounds.algebra("gl60"),
        lambda: bounds.algebra("free2_30"),
        lambda: lie.lyndon_words(2, 50),
        lambda: lie.bch(40),
        lambda: bounds.group("S5000"),
        lambda: groups.group("C30000"),
    ):
        with pytest.raises(cost.TooExpensive):
            question()
    with cost.allow(math.inf), pytest.raises(AssertionError, match="begun"):
        lie.bch(40)


def test_the_error_names_work_estimate_limit_and_switch():
    with pytest.raises(cost.TooExpensive) as caught:
        bounds.algebra("strict50")
    error = caught.value
    assert error.estimate.work == "the structure of strict50 (dimension 1225)" and error.limit == 1
    assert error.needed >= error.estimate.factor > 1
    for part in ("strict50", "hours", "GiB", "the limit is 1 minute and 4 GiB", f"--limit {error.needed}"):
        assert part in str(error)


def test_the_limit_that_is_named_is_enough_and_one_less_is_not():
    estimate = cost.Estimate("work", seconds=600.0, gib=50.0)
    with pytest.raises(cost.TooExpensive) as caught:
        cost.refuse(estimate)
    needed = caught.value.needed
    with cost.allow(needed):
        cost.refuse(estimate)
    with cost.allow(needed - 1), pytest.raises(cost.TooExpensive):
        cost.refuse(estimate)


@pytest.mark.parametrize("name", ["gl8", "upper12", "so12", "free2_9", "free3_6", "abelian80", "sp8", "se8", "strict12"])
def test_algebras_of_everyday_size_are_within_the_limit(name):
    letters = name.removeprefix("free").split("_")
    family = name.rstrip("0123456789")
    told = lie_cost.free_algebra(*map(int, letters)) if "free" in name else lie_cost.family(family, int(name[len(family) :]))
    assert told.factor < 1
