"""Cells that are drawn from the domain of a claim: which ones, how they are judged, and what a run keeps of them."""

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depthjax.verify import (
    Cell,
    Grid,
    Prediction,
    Quantity,
    Relation,
    among,
    axis,
    claim,
    domain,
    drawn,
    judge,
    listed,
    measured,
    real,
    whole,
)
from depthjax.verify.domain import SIZES


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    order: int = axis(3, 4)
    width: int = 2

    def allows(self):
        return self.order != 7


ORDERS = domain(order=whole(3, 64, quick=9), width=among(2, 5))


@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from(SIZES))
def test_drawn_cells_lie_in_the_domain_are_new_and_follow_from_the_seed(seed, size):
    grid = Sizes()
    found = ORDERS.cells(grid, size, f"{seed} claim")
    assert len(found) == ORDERS.counts[size]
    every = [(cell.order, cell.width) for cell in (*grid.cells(), *found)]
    assert len(set(every)) == len(every)
    assert all(3 <= cell.order <= (9 if size in ("test", "quick") else 64) and cell.order != 7 for cell in found)
    assert all(cell.is_drawn and cell.name == f"order={cell.order},width={cell.width}" for cell in found)
    assert found == ORDERS.cells(grid, size, f"{seed} claim")


def test_a_cell_keeps_its_name_without_the_class_and_does_not_tell_that_it_was_drawn():
    chosen, (cell, *_) = Sizes().cells()[0], ORDERS.cells(Sizes(), "quick", "0")
    assert chosen.name == Cell.of(chosen).name == "order=3" and not chosen.is_drawn
    assert Cell.of(cell).name == cell.name
    assert "is_drawn" not in dir(Cell.of(cell))


def test_an_exhausted_domain_gives_what_it_has():
    assert ORDERS.cells(Sizes(order=axis(3)), "full", "0") != ()
    few = domain(order=whole(3, 5))
    assert [cell.order for cell in few.cells(Sizes(), "full", "0")] == [5]
    assert few.cells(Sizes(order=axis(3, 4, 5)), "full", "0") == ()
    odd = domain(order=whole(3, 64), where={"the order is 3 or 4": lambda cell: cell.order < 5})
    assert all(odd.cells(Sizes(), "full", str(seed)) == () for seed in range(20))  # most draws lie outside, the rest is taken
    assert listed("these alone").cells(Sizes(), "full", "0") == ()


@pytest.mark.parametrize(
    "values", [whole(-3, 9, step=3), real(0.5, 2.0), among("S3", "D4"), drawn(lambda s: s.getrandbits(9), "x")]
)
def test_values_are_plain_and_vary(values):
    source = random.Random(0)
    found = [values.draw(source) for _ in range(64)]
    assert len(set(found)) > 1 and {type(one) for one in found} <= {int, float, str}
    assert [values.draw(random.Random(1)) for _ in range(3)] == [values.draw(random.Random(1)) for _ in range(3)]


MISTAKES = {
    "no field": (lambda: domain(), TypeError, "no field of the domain varies"),
    "an empty range": (lambda: whole(3, 2), ValueError, "no whole number from 3 to 2"),
    "an empty range at one size": (lambda: whole(3, 9, quick=2), ValueError, "from 3 to 2 .quick"),
    "no such size": (lambda: whole(3, 9, large=4), ValueError, "no size 'large'"),
    "no such size of counts": (lambda: domain(order=whole(3, 9), counts={"huge": 4}), ValueError, "no size 'huge'"),
    "no values": (lambda: among(), ValueError, "at least one value"),
    "a strange field": (
        lambda: domain(ordre=whole(3, 9)).cells(Sizes(), "quick", "0"),
        TypeError,
        "'ordre', which is no field",
    ),
    "a condition that nothing meets": (
        lambda: domain(order=whole(3, 9), where={"the order is huge": lambda cell: cell.order > 99}).cells(
            Sizes(), "quick", "0"
        ),
        ValueError,
        "a cell where the order is huge",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(name):
    make, kind, words = MISTAKES[name]
    with pytest.raises(kind, match=words):
        make()


def test_the_judge_takes_cells_whose_axes_differ():
    chosen = measured(count=Quantity([1, 2], "letter")).expand_dims("cell")
    other = measured(count=Quantity([1, 2, 3], "letter")).assign_attrs(cell_name="letters=3")
    said = [Prediction([1, 2], of="count", dims=("letter",)), Prediction([1, 2, 4], of="count", dims=("letter",))]
    verdict = judge(claim(Relation.EQUALS), said, chosen, other)
    assert [finding.cell for finding in verdict.findings if finding.outcome.value == "REFUTED"] == [1]
    with pytest.raises(ValueError, match="1 cells were measured and 2 predicted"):
        judge(claim(Relation.EQUALS), said, chosen)
