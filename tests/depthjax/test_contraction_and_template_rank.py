"""One layer's contraction against the layer run as it is; ranks over growing sets of templates against the exact ones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.probe import template_rank
from depthjax.probe.collapse import Weights, attend, centred, composite, separated
from depthjax.probe.contraction import Perceptron, contraction
from depthjax.probe.separation import LinearWeights
from theory.attention.separation import LinearAttention, separation_rank
from theory.attention.templates import generic_network

PRIME = 2147483629


@pytest.mark.parametrize("size", [1e-3, 0.3])
def test_the_contraction_is_that_of_a_layer_run_as_it_is(size):
    draw = np.random.default_rng(0).standard_normal
    layer = Weights(jnp.asarray(draw((2, 3, 3))), jnp.asarray(draw((2, 3, 3))))
    common, direction = jnp.asarray(draw(3)), centred(jnp.asarray(draw((5, 3))))
    perceptron = Perceptron(jnp.asarray(draw((3, 4))), jnp.asarray(draw((4, 3))), jnp.asarray(draw(4)))
    tokens = common[None] + size / composite(direction) * direction
    found = contraction(layer, separated(tokens, common), jnp.array([size]), 0.5, perceptron)
    # what the layer takes off its tokens is a row that all share: attention's rows for the part of the logits that all share
    scores = 0.5 * jnp.einsum("d,hde,je->hj", common, layer.query_key, tokens - common[None])
    shared = jnp.einsum("hj,jd,hde->e", jax.nn.softmax(scores, axis=-1), tokens, layer.value)
    after = attend(tokens, layer, 0.5)
    assert found.attention[0] == pytest.approx(float(composite(after - shared[None])) / size, rel=1e-9)
    moved = perceptron(after) - perceptron(shared[None])
    assert found.perceptron[0] == pytest.approx(float(composite(moved)) / size, rel=1e-9)
    assert found.subtracted[0] * size == pytest.approx(float(jnp.abs(perceptron(after)).sum()))


@pytest.mark.parametrize(("width", "layers", "templates"), [(2, 2, 30), (2, 2, 18), (2, 2, 10), (4, 2, 130)])
def test_templates_show_the_rank_or_their_number(width, layers, templates):
    """110 is beyond the 64 templates that are tried first; ten templates cannot show a rank of 18."""
    given = generic_network(width, layers, 1, templates)
    network = LinearWeights(**vars(given["network"]))
    found = template_rank.residue_rank(network, given["left"], given["right"], PRIME)
    assert found == min(separation_rank(width, layers), templates)


def test_a_normal_network_has_the_generic_rank(key):
    network = LinearWeights(**vars(LinearAttention.random(2, 2)))
    rank, gap = template_rank.normal_rank(key, network, 40)
    assert rank == separation_rank(2, 2) and gap > 6
