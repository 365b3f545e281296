"""Sequence models: both forms of every mixer, eigenvalue ranges, the depth mask, and what is refused."""

from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax.models import sequence_model
from depthjax.models.kinds import KINDS
from depthjax.testing import parallel_matches_stepwise, traced_at_most

SMALL = {"mamba": {"state": 3}, "signed_mamba": {"state": 3}, "aussm": {"state": 3}, "dense": {"block": 2}}
VARIANTS = {
    "hard": ("transformer", {"attention": "hard", "mask": "strict", "positions": "none"}),
    "average": ("transformer", {"attention": "average", "positions": "learned", "max_length": 16}),
    "chunked gla": ("gla", {"scan": "chunked"}),
    "chunked delta": ("delta_product", {"scan": "chunked"}),
    "convolved gla": ("gla", {"convolution": True, "gate": False}),
    "bare mamba": ("mamba", {"convolution": False, "gate": False, "expand": 1, "state": 2}),
    "three reflections": ("delta_product", {"num_householder": 3, "head_size": 5, "scan": "sequential", "gate": False}),
    "rotating blocks": ("dense", {"block": 4, "transition": "orthogonal", "scan": "associative"}),
}


def drawn(model, seed):
    """Normal parameters of the model's shapes, without compiling its own initialisation."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda part: jnp.asarray(rng.normal(size=part.shape)), jax.eval_shape(model.init, jax.random.key(0)))


@pytest.mark.parametrize("name", [*KINDS, *VARIANTS])
def test_the_parallel_form_equals_the_step_by_step_form(name):
    kind, switches = VARIANTS.get(name, (name, SMALL.get(name, {})))
    model = sequence_model(kind, letters=5, classes=3, width=8, max_depth=1, dtype="float64", mlp=False, **switches)

    @settings(max_examples=4)
    @given(st.integers(0, 2**16))
    def equal(seed):
        words = jnp.asarray(np.random.default_rng(seed).integers(0, 5, (2, 16)))
        parallel = parallel_matches_stepwise(model, drawn(model, seed), words, rtol=1e-9, atol=1e-10)
        assert np.ptp(parallel) > 1e-3

    equal()


def mixer(kind, **switches):
    model = sequence_model(kind, letters=5, classes=3, width=8, max_depth=1, dtype="float64", mlp=False, **switches)
    core = model.layer.mixer
    rng = np.random.default_rng(1)
    shapes = jax.eval_shape(core.init, jax.random.key(1), jnp.ones((16, 1, 8)))
    return core, jax.tree.map(lambda part: jnp.asarray(0.2 * rng.normal(size=part.shape)), shapes)


def test_eigenvalues_lie_in_the_open_ranges():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(40, 16)))
    for kind, low in (("gla", 0), ("mamba", 0), ("signed_mamba", -1)):
        core, params = mixer(kind)
        decay = jax.jit(partial(core.apply, method="decay"))(params, x[:, : core.inner_width])
        assert (low < decay).all() and (decay < 1).all()
    core, params = mixer("aussm", state=2)
    np.testing.assert_allclose(jnp.abs(jax.jit(partial(core.apply, method="decay"))(params, x[:, :8])), 1, rtol=1e-15)
    core, params = mixer("delta_product", heads=2)
    key, strength = map(np.asarray, jax.jit(partial(core.apply, method="factors"))(params, x[:, :8]))
    assert (0 < strength).all() and (strength < 2).all()
    factor = np.eye(4) - strength[..., None, None] * key[..., :, None] * key[..., None, :]
    assert (np.linalg.norm(factor, ord=2, axis=(-2, -1)) < 1 + 1e-12).all()
    core, params = mixer("dense", transition="orthogonal")
    turn = np.asarray(jax.jit(partial(core.apply, method="matrices"))(params, x[:, :8]))
    np.testing.assert_allclose(turn @ np.swapaxes(turn, -1, -2), np.broadcast_to(np.eye(4), turn.shape), atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(turn), 1, rtol=1e-12)


def test_the_closure_of_the_ranges_is_reached_by_saturation():
    """The limits 0, 1 and -1 are met in floating point only: step sizes of 0 and of thousands, a strength of exactly 2."""
    for kind, at_rest, far in (("mamba", 1, 0), ("signed_mamba", 1, -1)):
        core, params = mixer(kind)
        for bias, expected in ((-1e6, at_rest), (1e6, far)):
            changed = {"params": {**params["params"], "dt_bias": jnp.full(16, bias)}}
            decay = core.apply(changed, jnp.ones((1, 16)), method="decay")
            assert (decay == expected).all()
    core, params = mixer("delta_product")
    changed = jax.tree.map(jnp.ones_like, params)
    changed["params"]["strengths"]["kernel"] = jnp.full_like(params["params"]["strengths"]["kernel"], 1e3)
    assert (core.apply(changed, jnp.ones((1, 8)), method="factors")[1] == 2).all()


def test_one_program_for_every_depth_and_seed():
    model = sequence_model("rnn", letters=5, classes=3, width=4, max_depth=3, dtype="float64")
    tokens = jnp.asarray(np.random.default_rng(0).integers(0, 5, (2, 4)))

    masked = traced_at_most(1, lambda params, depth: model.apply(params, tokens, depth))
    for seed in range(2):
        params = drawn(model, seed)
        for depth in (1, 2, 3):
            np.testing.assert_allclose(masked(params, jnp.asarray(depth)), model.apply(params, tokens, depth), atol=1e-13)
    assert not np.allclose(masked(params, jnp.asarray(2)), masked(params, jnp.asarray(3)), atol=1e-3)


def test_a_shallower_model_from_the_same_key_is_the_deeper_one_cut():
    shapes = dict(letters=5, classes=3, width=4, dtype="float64")
    key = jax.random.key(0)
    deep, flat = (jax.jit(sequence_model("transformer", max_depth=depth, **shapes).init)(key) for depth in (3, 2))
    chex.assert_trees_all_equal(flat["layers"], jax.tree.map(lambda part: part[:2], deep["layers"]))
    chex.assert_trees_all_equal(*({**tree, "layers": ()} for tree in (flat, deep)))


def test_layers_beyond_the_depth_have_no_gradient():
    model = sequence_model("rnn", letters=5, classes=3, width=4, max_depth=3, dtype="float64")
    params, tokens = drawn(model, 0), jnp.zeros((1, 3), int)
    slope = jax.grad(lambda p: (model.apply(p, tokens, jnp.asarray(2)) ** 2).sum())(params)["layers"]
    for part in jax.tree.leaves(slope):
        assert (part[2] == 0).all()
    assert all((part[1] != 0).any() for part in jax.tree.leaves(slope))


def test_half_precision_carries_the_recurrence_as_told():
    tokens = jnp.zeros((1, 3), int)
    sizes = dict(letters=5, coordinates=3, width=8, max_depth=1, dtype="bfloat16", state=2)
    outputs = {}
    for precision in (None, "float32"):
        model = sequence_model("mamba", precision=precision, **sizes)
        state = model.initial(1, 3)[1][1]
        assert state.dtype == (jnp.bfloat16 if precision is None else jnp.float32)
        outputs[precision] = model.apply(model.init(jax.random.key(0)), tokens)
        assert outputs[precision].dtype == jnp.bfloat16 and model.real
    assert sequence_model("aussm", **sizes).initial(1, 3)[1][1].dtype == jnp.complex64


SIZES = {"letters": 5, "classes": 3, "width": 12, "max_depth": 1}


@pytest.mark.parametrize(
    ("kind", "switches", "error", "words"),
    [
        ("mambo", {}, ValueError, "did you mean 'mamba'"),
        ("mamba", {"stat": 3}, TypeError, "no switch 'stat' .did you mean 'state'"),
        ("mamba", {"heads": 3}, TypeError, "no switch 'heads'"),
        ("gla", {"heads": 5}, ValueError, "width 12 is not divisible by 5 heads"),
        ("transformer", {"heads": 4}, ValueError, "head size 3 .* is odd"),
        ("transformer", {"mask": "casual"}, ValueError, "did you mean 'causal'"),
        ("transformer", {"positions": "learned"}, ValueError, "max_length must be at least 1"),
        ("dense", {"block": 5}, ValueError, "blocks of 5"),
        ("dense", {"scan": "quick"}, ValueError, "it is one of auto"),
        ("rnn", {"dtype": "int32"}, ValueError, "dtype int32"),
        ("rnn", {"coordinates": 3}, ValueError, "exactly one of classes"),
        ("rnn", {"width": 0}, ValueError, "width must be at least 1"),
        ("delta_product", {"num_householder": 0}, ValueError, "num_householder must be at least 1"),
    ],
)
def test_what_cannot_be_built(kind, switches, error, words):
    with pytest.raises(error, match=words):
        sequence_model(kind, **{**SIZES, **switches})


def test_inputs_that_are_refused():
    model = sequence_model("rnn", **SIZES)
    params = model.init(jax.random.key(0))
    with pytest.raises(TypeError, match="tokens"):
        model.apply(params, jnp.zeros((1, 2)))
    with pytest.raises((TypeError, ValueError), match=r"batch,? length"):  # the annotation speaks first where it is checked
        model.apply(params, jnp.zeros(2, int))
    with pytest.raises(ValueError, match="max_depth = 1"):
        model.apply(params, jnp.zeros((1, 2), int), 2)
