"""Which pairs of words some counting formula tells apart, by enumeration, and what explicit formulas say of them."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled
from experiments.logic.alternation_pairs_blind.counting import told_apart_by_depth_three, told_apart_by_depth_two

FAR_TWO, FAR_THREE = (4, 7, 10), ((4, 4), (6, 6))  # C, and C with S, of the pairs beyond the cells
SHARED = 2048  # words are padded to a multiple of this length, so that cells share their programs


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether a formula tells each pair apart, coefficients up to C and to C + 1; what explicit formulas say of the words."""
    size, total = cell.size, cell.total
    far_two = [_by_depth_two(pairs, far) for pairs, far in zip(given["far_two"], FAR_TWO, strict=True)]
    far_three = [_by_depth_three(pairs, *far) for pairs, far in zip(given["far_three"], FAR_THREE, strict=True)]
    told = {2: "told apart by some formula of depth 2", 3: "told apart by some formula of depth 3"}
    return measured(
        by_depth_two=Quantity(_by_depth_two(given["two"], size), "pair", label=told[2]),
        by_depth_three=Quantity(_by_depth_three(given["three"], size, total), "triple", label=told[3]),
        far_by_depth_two=Quantity(far_two, "far_two pair", label=told[2]),
        far_by_depth_three=Quantity(far_three, "far_three triple", label=told[3]),
        larger_by_depth_two=Quantity(_by_depth_two(given["two"], size + 1), "pair", label=told[2]),
        larger_by_depth_three=Quantity(_by_depth_three(given["three"], size + 1, total + 1), "triple", label=told[3]),
        growing=Quantity(_by_depth_three(given["growing"], size, total), "grown", label=told[3]),
        recognised=_recognised(given, slice(0, 3)),
        recognised_by_shallow=_recognised(given, slice(3, 6)),
    )


def _by_depth_two(pairs: list, size: int) -> list[int]:
    return [int(told_apart_by_depth_two(first, second, size)) for first, second in pairs]


def _by_depth_three(pairs: list, size: int, total: int) -> list[int]:
    return [int(told_apart_by_depth_three(first, second, size, total)) for first, second in pairs]


def _recognised(given: dict, formulas: slice) -> Quantity:
    """The first formula on the first pair, the second on the first triple, the third where blocks grow: last positions."""
    words = [word for pair in (given["two"][0], given["three"][0], given["growing"][0]) for word in pair]
    lengths = np.array([len(word) for word in words])
    longest = -(-lengths.max() // SHARED) * SHARED
    padded = np.stack([np.pad(word, (0, longest - len(word))) for word in words])
    truth = np.asarray(compiled(given["formulas"])(padded, lengths=lengths))[formulas]
    ends = truth[:, np.arange(len(words)), lengths - 1].reshape(-1, 3, 2)[np.arange(3), np.arange(3)]
    return Quantity(ends.astype(int), "formula word", label="truth at the end of a word")
