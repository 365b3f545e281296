"""The layer that loses least of its residual against the layer run as it is; ranks of templates against the exact ones."""

import jax
import jax.numpy as jnp
import pytest

from depthjax.instruments import template_rank
from depthjax.instruments.collapse import attend, composite
from depthjax.instruments.separation import LinearWeights
from experiments.collapse.collapse_doubly_exponential.worst_collapse import most_kept, sized
from theory.attention.separation import LinearAttention, separation_rank
from theory.attention.templates import generic_network

PRIME = 2147483629


def test_the_layer_that_keeps_most_is_one_of_the_sizes_it_was_given(key):
    logits, scale = jnp.array([0.01]), jnp.asarray(0.5)
    most, found = most_kept(key, logits, scale, jnp.asarray(0.0), heads=2, tokens=2, starts=4)
    layer, start = sized(jax.tree.map(lambda part: part[0], found), 3.0, 2.0, 0.01, 0.5)
    assert jnp.abs(layer.query_key).sum(axis=1).max(axis=1) == pytest.approx(3.0)
    tokens = jnp.exp(start.log_size) * start.direction
    assert float(composite(tokens)) == pytest.approx(0.01)
    # what the layer takes off its tokens is a row that all share: attention's rows for the part of the logits that all share
    shared = jax.nn.softmax(0.5 * jnp.einsum("d,hde,je->hj", start.common, layer.query_key, tokens), axis=-1)
    row = jnp.einsum("hj,jd,hde->e", shared, start.common[None] + tokens, layer.value)
    after = attend(start.common[None] + tokens, layer, 0.5) - row[None]
    assert float(composite(after)) / (2 * 3 * 2 * 0.5 * 0.01**3) == pytest.approx(float(most.attention[0]), rel=1e-3)
    assert 0.6 < most.attention[0] < 0.71 and most.mapped[0] < 0.71


@pytest.mark.parametrize(("width", "layers", "templates"), [(2, 2, 30), (2, 2, 18), (2, 2, 10), (4, 2, 130)])
def test_templates_show_the_rank_or_their_number(width, layers, templates):
    """110 is beyond the 64 templates that are tried first; ten templates cannot show a rank of 18."""
    given = generic_network(width, layers, 1, templates)
    network = LinearWeights(**given["network"])
    found = template_rank.residue_rank(network, given["left"], given["right"], PRIME)
    assert found == min(separation_rank(width, layers), templates)


def test_a_normal_network_has_the_generic_rank(key):
    network = LinearWeights(**vars(LinearAttention.random(2, 2)))
    rank, gap = template_rank.normal_rank(key, network, 40)
    assert rank == separation_rank(2, 2) and gap > 6
