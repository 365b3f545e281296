"""Cells joined into the dataset of a run: what a label says where cells label one quantity differently."""

import dataclasses

import numpy as np
import pytest

from depthjax.runs.datasets import over_cells
from depthjax.verify import Quantity, measured


@dataclasses.dataclass(frozen=True)
class Degree:
    degree: int


def joined(*labels: str):
    cells = [Degree(n) for n in range(len(labels))]
    datasets = [measured(tail=Quantity(np.zeros(2), "sum", label=label, unit="norm")).as_numpy() for label in labels]
    return over_cells(datasets, cells, ("degree",))["tail"].attrs


@pytest.mark.parametrize(
    "labels, shared",
    [
        (("series beyond degree 1", "series beyond degree 4"), "series beyond degree …"),
        (("mean of 2 words", "mean of 3 words"), "mean of … words"),
        (("wrong words", "wrong words"), "wrong words"),
        (("solved", "solved, by 3 layers"), ""),  # nothing that both say
        (("all words", "all words of 8 letters"), "all words …"),
    ],
)
def test_a_label_keeps_the_words_that_all_cells_share(labels, shared):
    assert joined(*labels).get("long_name", "") == shared


def test_other_attributes_are_kept_where_no_cell_contradicts():
    assert joined("a", "b")["units"] == "norm"
