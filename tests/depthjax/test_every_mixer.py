"""Every kind of sequence model: two forms, depth and seeds as data, causality, types, eigenvalue ranges, what is refused."""

from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.models import Mixer, sequence_model
from depthjax.models.kinds import DTYPES, KINDS
from depthjax.models.mixer import Linear
from depthjax.testing import parallel_matches_stepwise, traced_at_most


class Leaky(Mixer):
    """A layer of a user, with both forms."""

    leak: float = 0.5

    def prepare(self):
        self.drive = Linear(self.width, self.dtype)

    def parallel(self, x):
        return jax.lax.scan(self.advance_one, jnp.zeros(x.shape[1:], x.dtype), self.drive(x))[1]

    def advance_one(self, state, x):
        state = self.leak * state + x
        return state, state

    def start(self, batch, length):
        return jnp.zeros((batch, self.width), self.dtype)

    def advance(self, state, x):
        return self.advance_one(state, self.drive(x))


SMALL = {"mamba": {"state": 3}, "signed_mamba": {"state": 3}, "aussm": {"state": 3}, "dense": {"block": 2}}
SMALL |= {"permutation_diagonal": {"state": 3, "dictionary": 4}}
MODELS = {kind: (kind, SMALL.get(kind, {})) for kind in KINDS} | {
    "hard": ("transformer", {"attention": "hard", "mask": "strict", "positions": "none"}),
    "average": ("transformer", {"attention": "average", "positions": "learned", "max_length": 16}),
    "chunked gla": ("gla", {"scan": "chunked"}),
    "chunked delta": ("delta_product", {"scan": "chunked"}),
    "associative mamba": ("mamba", {"scan": "associative", "state": 2}),
    "convolved gla": ("gla", {"convolution": True, "gate": False}),
    "bare mamba": ("mamba", {"convolution": False, "gate": False, "expand": 1, "state": 2}),
    "three reflections": ("delta_product", {"num_householder": 3, "head_size": 5, "scan": "sequential", "gate": False}),
    "rotating blocks": ("dense", {"block": 4, "transition": "orthogonal", "scan": "associative"}),
    "gated lstm": ("lstm", {"convolution": True, "gate": True}),
    "a layer of a user": (Leaky, {"leak": 0.25}),
}


def model_of(name, depth=1, **more):
    kind, switches = MODELS[name]
    sizes = {"letters": 5, "classes": 3, "width": 8, "max_depth": depth, "dtype": "float64", "mlp": False}
    return sequence_model(kind, **sizes | switches | more)


def drawn(model, seed):
    """Normal parameters of the model's shapes, without compiling its own initialisation."""
    rng = np.random.default_rng(seed)
    shapes = jax.eval_shape(model.init, jax.random.key(0))
    return jax.tree.map(lambda part: jnp.asarray(rng.normal(size=part.shape), part.dtype), shapes)


@pytest.mark.parametrize("name", MODELS)
def test_the_parallel_form_equals_the_step_by_step_form(name):
    model = model_of(name)
    for seed in range(3):
        words = jnp.asarray(np.random.default_rng(seed).integers(0, 5, (2, 16)))
        parallel = parallel_matches_stepwise(model, drawn(model, seed), words, rtol=1e-9, atol=1e-10)
        assert parallel.shape == (2, 16, 3) and np.ptp(parallel) > 1e-3


@pytest.mark.parametrize("name", MODELS)
def test_one_program_serves_every_depth_and_seed_and_sees_nothing_later(name):
    model = model_of(name, depth=2, mlp=name in ("transformer", "a layer of a user"))
    tokens = jnp.asarray(np.random.default_rng(0).integers(0, 5, (2, 16)))
    later = tokens.at[:, -1].set((tokens[:, -1] + 1) % 5).at[1].set(0)
    params = [drawn(model, seed) for seed in range(2)]

    def run(params, tokens, depth):
        def loss(params):
            return (jnp.sin(logits := model.apply(params, tokens, depth)).sum(), logits)

        slopes, logits = jax.grad(loss, has_aux=True)(params)
        return logits, slopes

    masked = traced_at_most(1, run)
    cells = {(seed, depth): masked(params[seed], tokens, jnp.asarray(depth)) for seed in (0, 1) for depth in (1, 2)}
    assert not np.allclose(cells[0, 1][0], cells[0, 2][0], atol=1e-3)
    layers = jax.tree.leaves(cells[0, 1][1]["layers"])  # layers beyond the depth have no gradient, and the others have one
    assert all((part[1] == 0).all() and jnp.isfinite(part).all() for part in layers)
    assert sum(bool((part[0] != 0).any()) for part in layers) >= len(layers) - 1  # a softmax does not see a bias of its keys
    # the last letter of word 0, and all of word 1, are others: word 0 answers as before up to its last letter
    moved = masked(params[0], later, jnp.asarray(2))[0]
    np.testing.assert_array_equal(moved[0, :-1], cells[0, 2][0][0, :-1])
    assert (moved[0, -1] != cells[0, 2][0][0, -1]).any()
    if name not in KINDS:
        return
    # programs of one depth each, and all depths and seeds side by side
    fixed = jax.jit(lambda params: [model.apply(params, tokens, depth) for depth in (1, 2)])(params[0])
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *params)
    over = jax.vmap(jax.vmap(lambda params, depth: model.apply(params, tokens, depth), (None, 0)), (0, None))
    beside = jax.jit(over)(stacked, jnp.array([1, 2]))
    for (seed, depth), (logits, _) in cells.items():
        np.testing.assert_allclose(beside[seed, depth - 1], logits, rtol=1e-9, atol=1e-9)
        if seed == 0:
            np.testing.assert_allclose(fixed[depth - 1], logits, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("dtype", "precision"), [*((dtype, None) for dtype in DTYPES), ("bfloat16", "float32")])
@pytest.mark.parametrize("name", [*KINDS, "a layer of a user"])
def test_types_and_shapes_are_those_that_were_asked_for(name, dtype, precision):
    model = model_of(name, depth=2, dtype=dtype, precision=precision, classes=None, coordinates=4)
    params = jax.eval_shape(model.init, jax.random.key(0))
    assert {part.dtype for part in jax.tree.leaves(params)} == {jnp.dtype(dtype)} and model.real
    assert all(part.shape[0] == 2 for part in jax.tree.leaves(params["layers"]))
    state = jax.eval_shape(lambda: model.initial(3, 16))
    out = jax.eval_shape(model.apply, params, jnp.zeros((3, 16), int))
    after, step = jax.eval_shape(model.step, params, state, jnp.zeros(3, int))
    assert out.shape == (3, 16, 4) and step.shape == (3, 4) and out.dtype == step.dtype == jnp.dtype(dtype)
    kinds = lambda tree: jax.tree.map(lambda part: (part.shape, part.dtype), tree)  # noqa: E731
    assert kinds(after) == kinds(state)
    carry = jnp.dtype(precision or dtype)
    wide = jnp.dtype("complex128" if carry == jnp.float64 else "complex64")
    carried = dict.fromkeys(("aussm", "permutation_diagonal"), wide)
    carried = carried | {"transformer": jnp.dtype(dtype), "Leaky": jnp.dtype(dtype)}
    carried = carried.get(model.kind, carry)
    kept = {part.dtype for part in jax.tree.leaves(state) if jnp.issubdtype(part.dtype, jnp.inexact)}
    assert carried in kept and kept <= {carried, jnp.dtype(dtype)}  # a convolution keeps inputs


@pytest.mark.parametrize("name", [*KINDS, "rotating blocks", "convolved gla"])
def test_narrow_types_round_what_wide_ones_compute(name):
    words = jnp.asarray(np.random.default_rng(0).integers(0, 5, (2, 16)))
    kinds = ("float32", "bfloat16", "float16")
    models = {kind: model_of(name, dtype=kind) for kind in kinds}
    # every type holds these numbers, and none overflows
    params = jax.tree.map(lambda part: part * jnp.asarray(0.25, part.dtype), drawn(models["bfloat16"], 0))
    cast = lambda kind: jax.tree.map(lambda part: part.astype(kind), params)  # noqa: E731
    wide = np.asarray(jax.jit(model_of(name).apply)(cast("float64"), words))
    for kind, found in jax.jit(lambda each: {k: models[k].apply(each[k], words) for k in kinds})(
        {kind: cast(kind) for kind in kinds}
    ).items():
        off = np.abs(np.asarray(found.astype("float64")) - wide)
        assert np.median(off) <= 30 * float(jnp.finfo(kind).eps) * np.abs(wide).max(), (kind, np.median(off))


def test_a_shallower_model_from_the_same_key_is_the_deeper_one_cut():
    shapes = dict(letters=5, classes=3, width=4, dtype="float64")
    key = jax.random.key(0)
    deep, flat = (jax.jit(sequence_model("transformer", max_depth=depth, **shapes).init)(key) for depth in (3, 2))
    chex.assert_trees_all_equal(flat["layers"], jax.tree.map(lambda part: part[:2], deep["layers"]))
    chex.assert_trees_all_equal(*({**tree, "layers": ()} for tree in (flat, deep)))


def test_many_letters_are_looked_up_as_few_are():
    few, many = (sequence_model("rnn", letters=n, classes=2, width=4, max_depth=1, dtype="float64") for n in (64, 65))
    params, words = drawn(many, 0), jnp.asarray(np.random.default_rng(0).integers(0, 64, (2, 6)))
    cut = {**params, "embedding": params["embedding"][:64]}
    np.testing.assert_allclose(few.apply(cut, words), many.apply(params, words), rtol=1e-12)
    for model, weights in ((few, cut), (many, params)):
        found = jax.jit(model.apply)(weights, words.at[0, 3].set(model.letters))
        assert jnp.isnan(found[0, 3:]).all() and jnp.isfinite(found[1]).all()


def core_of(kind, **switches):
    core = model_of(kind, **switches).layer.mixer
    rng = np.random.default_rng(1)
    shapes = jax.eval_shape(core.init, jax.random.key(1), jnp.ones((16, 1, 8)))
    return core, jax.tree.map(lambda part: jnp.asarray(0.2 * rng.normal(size=part.shape)), shapes)


def test_eigenvalues_lie_in_the_open_ranges():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(40, 16)))
    for kind, low in (("gla", 0), ("mamba", 0), ("signed_mamba", -1)):
        core, params = core_of(kind)
        decay = jax.jit(partial(core.apply, method="decay"))(params, x[:, : core.inner_width])
        assert (low < decay).all() and (decay < 1).all()
    core, params = core_of("aussm", state=2)
    np.testing.assert_allclose(jnp.abs(jax.jit(partial(core.apply, method="decay"))(params, x[:, :8])), 1, rtol=1e-15)
    core, params = core_of("permutation_diagonal", state=3)
    hard = jax.jit(partial(core.apply, method="columns"))(params, x[:, :8])
    assert (hard.sum(axis=-2) == 1).all() and set(np.unique(hard)) == {0, 1}
    turn = jax.jit(partial(core.apply, method="transitions"))(params, x[:, :8])
    assert (np.abs(turn).sum(axis=-2) > 0).all() and (np.abs(turn).sum(axis=-2) < 1).all()
    core, params = core_of("delta_product", heads=2)
    key, strength = map(np.asarray, jax.jit(partial(core.apply, method="factors"))(params, x[:, :8]))
    assert (0 < strength).all() and (strength < 2).all()
    factor = np.eye(4) - strength[..., None, None] * key[..., :, None] * key[..., None, :]
    assert (np.linalg.norm(factor, ord=2, axis=(-2, -1)) < 1 + 1e-12).all()
    core, params = core_of("dense", transition="orthogonal", block=4)
    turn = np.asarray(jax.jit(partial(core.apply, method="matrices"))(params, x[:, :8]))
    np.testing.assert_allclose(turn @ np.swapaxes(turn, -1, -2), np.broadcast_to(np.eye(4), turn.shape), atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(turn), 1, rtol=1e-12)


def test_the_closure_of_the_ranges_is_reached_by_saturation():
    """The limits 0, 1 and -1 are met in floating point only: step sizes of 0 and of thousands, a strength of exactly 2."""
    for kind, at_rest, far in (("mamba", 1, 0), ("signed_mamba", 1, -1)):
        core, params = core_of(kind)
        for bias, expected in ((-1e6, at_rest), (1e6, far)):
            changed = {"params": {**params["params"], "dt_bias": jnp.full(16, bias)}}
            decay = core.apply(changed, jnp.ones((1, 16)), method="decay")
            assert (decay == expected).all()
    core, params = core_of("delta_product")
    changed = jax.tree.map(jnp.ones_like, params)
    changed["params"]["strengths"]["kernel"] = jnp.full_like(params["params"]["strengths"]["kernel"], 1e3)
    assert (core.apply(changed, jnp.ones((1, 8)), method="factors")[1] == 2).all()


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
        ("rnn", {"precision": "int8"}, ValueError, "precision int8"),
        ("rnn", {"coordinates": 3}, ValueError, "exactly one of classes"),
        ("rnn", {"width": 0}, ValueError, "width must be at least 1"),
        ("delta_product", {"num_householder": 0}, ValueError, "num_householder must be at least 1"),
        ("delta_product", {"head_size": 0}, ValueError, "head_size must be at least 1"),
        ("aussm", {"state": 0}, ValueError, "state must be at least 1"),
        ("permutation_diagonal", {"state": 0}, ValueError, "state must be at least 1"),
        ("permutation_diagonal", {"dictionary": 0}, ValueError, "dictionary must be at least 1"),
        ("permutation_diagonal", {"heads": 2}, TypeError, "no switch 'heads'"),
        ("mamba", {"expand": 0}, ValueError, "expand must be at least 1"),
        ("gla", {"scan": "associative"}, ValueError, "it is one of auto, chunked, sequential"),
        ("delta_product", {"scan": "associative"}, ValueError, "it is one of auto, chunked, sequential"),
    ],
)
def test_what_cannot_be_built(kind, switches, error, words):
    with pytest.raises(error, match=words):
        sequence_model(kind, **{**SIZES, **switches})


def test_inputs_that_are_refused():
    model = sequence_model("rnn", **SIZES)
    params = drawn(model, 0)
    with pytest.raises(TypeError, match="tokens"):
        model.apply(params, jnp.zeros((1, 2)))
    with pytest.raises((TypeError, ValueError), match=r"batch,? length"):  # the annotation speaks first where it is checked
        model.apply(params, jnp.zeros(2, int))
    words = jnp.zeros((1, 4), int)
    for depth in (0, -1, 2, jnp.asarray(0), jnp.asarray(2)):
        with pytest.raises(ValueError, match="depth"):
            model.apply(params, words, depth)
    run = jax.jit(lambda depth: model.apply(params, words, depth))
    assert jnp.isnan(run(0)).all() and jnp.isnan(run(2)).all() and jnp.isfinite(run(1)).all()
    longer = model_of("average")
    with pytest.raises(ValueError, match="17 positions, but max_length = 16 were learned"):
        longer.apply(drawn(longer, 0), jnp.zeros((1, 17), int))
