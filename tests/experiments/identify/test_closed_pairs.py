"""What a Dyck layer reads over closed pairs, against sums that are written out."""

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.directions.dyck import DyckAttention
from experiments.identify.dyck_imbalance_length.closed_pairs import FAMILIES, first_failure, latest_failure, read_right

OPENER, CLOSER, LONGEST, TOLERANCE = 3, 7, 12, 0.5
BEGUN = {"pairs": [0], "mixed": [0], "later": [1, 2, 6, 5, 0]}
REPEATED = {"pairs": [3, 7], "mixed": [2, 6, 3, 7], "later": [3, 7]}


def layer(scores):
    return DyckAttention(jnp.asarray(scores), jnp.ones(4), jnp.asarray(TOLERANCE), types=2)


def naive(scores, family, query):
    """Whether the sum of the weighted values of a word leaves the bracket of type 0 at depth 1 alone."""
    right = []
    for pairs in range(1, LONGEST + 1):
        total = np.zeros(4)
        for symbol in BEGUN[family] + REPEATED[family] * pairs:
            total[symbol % 4] += np.exp(scores[symbol, query]) * (1 if symbol < 4 else -1)
        read = np.abs(total) > TOLERANCE * np.abs(total).max()
        right.append(read.tolist() == [True, False, False, False])
    return right


@pytest.mark.parametrize("family", FAMILIES)
def test_brackets_are_read_as_the_sums_say(family):
    scores = np.zeros((8, 8))
    scores[OPENER, CLOSER], scores[2, 6] = 0.1, 0.2
    for query in (CLOSER, CLOSER - 1):
        found = read_right(layer(scores), LONGEST, family, query=query)
        assert found.tolist() == naive(scores, family, query)
    assert first_failure(read_right(layer(scores), LONGEST, family)) == 5  # 0.5 / (e^0.1 - 1) = 4.75...
    assert first_failure(read_right(layer(np.zeros((8, 8))), LONGEST, family)) == 0


def test_the_best_value_reads_as_many_pairs_as_both_queries_together():
    scores = np.zeros((8, 8))
    scores[OPENER, CLOSER] = 0.1
    assert latest_failure(layer(scores), LONGEST, 1.5) == 10
    assert latest_failure(layer(scores), 6, 1.5) == 7  # no failure within the words
