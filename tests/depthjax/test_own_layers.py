"""Layers, optimisers and checkpoints of one's own: registered or passed, trained by sweeps, and stored under names."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from depthjax.models import Mixer, register, sequence_model
from depthjax.models.kinds import KINDS
from depthjax.models.mixer import Linear
from depthjax.runs import places
from depthjax.safetensors import read_safetensors
from depthjax.training import Checkpoints, Recipe, ensemble, named_optimiser
from depthjax.training.named import factories
from experiments import cli

SIZES = {"letters": 3, "width": 4, "max_depth": 2, "classes": 2}
LAYER = """
import jax
import jax.numpy as jnp

from depthjax.models import Mixer, register
from depthjax.models.mixer import Linear


@register("leaky")
class Leaky(Mixer):
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
"""


class Mean(Mixer):
    """The mean of all inputs so far."""

    def prepare(self):
        self.drive = Linear(self.width, self.dtype)

    def parallel(self, x):
        counts = jnp.arange(1, x.shape[0] + 1, dtype=x.dtype)
        return jnp.cumsum(self.drive(x), axis=0) / counts[:, None, None]


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    monkeypatch.setattr(places._finder, "folders", {})
    before = dict(KINDS)
    yield
    KINDS.clear()
    KINDS.update(before)


def test_a_layer_is_passed_or_registered(key):
    passed = sequence_model(Mean, **SIZES)
    assert passed.kind == "Mean" and not passed.layer.mlp
    assert register("mean", mlp=True)(Mean) is Mean
    named = sequence_model("mean", **SIZES)
    assert named == sequence_model(Mean, **SIZES) and named.layer.mlp and named.kind == "mean"
    tokens = jnp.zeros((1, 5), int)
    logits = named.apply(named.init(key), tokens)
    assert logits.shape == (1, 5, 2) and bool(jnp.isfinite(logits).all())
    with pytest.raises(TypeError, match="mean has no switch 'leek'"):
        sequence_model("mean", **SIZES, leek=1)


@pytest.mark.parametrize(
    ("name", "layer", "error", "words"),
    [
        ("rnn", Mean, ValueError, r"two layers are called 'rnn': .*recurrent.RNN and .*Mean; rename one"),
        ("my layer", Mean, ValueError, "expected a name such as"),
        ("mine", dict, TypeError, "expected a subclass of depthjax.models.mixer.Mixer|Type-check"),  # or of the tests' own
        ("mine", "rnn", TypeError, "expected a subclass|Type-check"),
    ],
)
def test_what_cannot_be_registered(name, layer, error, words):
    before = dict(KINDS)
    with pytest.raises(error, match=words):
        register(name)(layer)
    assert before == KINDS


def sample(key):
    x = jax.random.normal(key, (4, 2))
    return x, x.sum(axis=1)


def loss(params, batch, depth):
    return jnp.mean((batch[0] @ params["layers"]["weights"] - batch[1]) ** 2) * depth, {}


def begin(key):
    return {"layers": {"weights": jax.random.normal(key, (2,))}}


def test_any_optax_transformation_trains_an_ensemble(key):
    options = {"depths": (1,), "seeds": 2, "layout": "masked"}
    recipe = Recipe(steps=40, record_every=10)
    still = ensemble(key, begin, loss, sample, recipe, optimiser=optax.set_to_zero(), **options)
    lion = optax.chain(optax.clip_by_global_norm(1.0), optax.lion(0.05))
    moved = ensemble(key, begin, loss, sample, recipe, optimiser=lion, **options)
    assert (still.fit.params["layers"]["weights"] == np.stack([_first(key, seed) for seed in range(2)])[None]).all()
    assert (moved.fit.losses[..., -1] < still.fit.losses[..., -1]).all()


def test_a_named_optimiser_is_that_of_optax_under_the_recipe():
    params = {"kernel": jnp.arange(6.0).reshape(2, 3), "bias": jnp.ones(3)}
    slope = jax.tree.map(lambda leaf: leaf + 3.0, params)
    for schedule, warmup in (("constant", 0), ("cosine", 2)):
        recipe = Recipe(steps=10, learning_rate=0.1, schedule=schedule, warmup=warmup, clip=0.5)
        found = named_optimiser("lion", recipe, {"b1": 0.8, "weight_decay": 0.01})
        plain = optax.chain(optax.clip_by_global_norm(0.5), optax.lion(recipe.rate(), b1=0.8, weight_decay=0.01))
        state, expected = found.init(params), plain.init(params)
        for _ in range(3):
            with jax.numpy_dtype_promotion("standard"):
                (step, state), (right, expected) = (
                    each.update(slope, s, params) for each, s in ((found, state), (plain, expected))
                )
            assert all((step[name] == right[name]).all() for name in params)


def test_factories_are_public_and_unknown_names_are_near_others():
    assert {"adam", "lion", "sgd", "contrib.muon"} <= set(factories()) and not any("scale_by" in name for name in factories())
    for name, numbers, words in (
        ("lino", {}, "did you mean 'lion'"),
        ("lion.__globals__", {}, "no optimiser"),
        ("lion", {"weight_decai": 0.5}, "did you mean 'weight_decay'"),
        ("lion", {"learning_rate": 0.5}, "leave it out"),
        ("rprop", {}, 'needs schedule = "constant"'),
        ("lbfgs", {}, "value_fn"),
    ):
        with pytest.raises(ValueError, match=words):
            named_optimiser(name, Recipe(), numbers)
    assert named_optimiser("rprop", Recipe(schedule="constant"))


def _first(key, seed):
    own = jax.random.fold_in(jax.random.fold_in(key, 1), seed)
    return np.asarray(begin(jax.random.fold_in(own, 0))["layers"]["weights"])


def test_leaves_of_a_checkpoint_have_names_and_go_on(key, tmp_path):
    options = {"depths": (1,), "seeds": 2, "layout": "masked", "optimiser": optax.adam(0.01)}
    recipe = Recipe(steps=20, record_every=10)
    whole = ensemble(key, begin, loss, sample, recipe, **options)
    store = Checkpoints(tmp_path / "states", {"a": 1})

    class Stop(Exception):
        pass

    def stop(segment):
        raise Stop

    with pytest.raises(Stop):
        ensemble(key, begin, loss, sample, recipe, segments=2, checkpoints=store, watch=stop, **options)
    found = read_safetensors(tmp_path / "states" / "depth-1" / "1.safetensors")
    assert found["state.params.layers.weights"].shape == (2, 2) and found["curves.loss"].shape == (2, 2)
    assert any(name.startswith("state.optimiser.") for name in found)
    again = ensemble(key, begin, loss, sample, recipe, segments=2, checkpoints=store, **options)
    for one, other in zip(jax.tree.leaves(whole.fit), jax.tree.leaves(again.fit), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_sweep_trains_a_layer_of_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("layers.py").write_text(LAYER)
    lists = (
        'groups = ["C2"]\nmodels = ["leaky"]\nwidths = [4]\nbatches = [8]\ndepths = [1]\nseeds = 2\nlength = 3\ntests = 50\n'
    )
    Path("mine.toml").write_text(lists + "[recipe]\nsteps = 20\n[switches.leaky]\nleak = 0.25\n")
    command = ["sweep", "mine.toml", "--out", "out", "--unjudged", "--json"]
    assert cli.main(command) == 2 and "models = 'leaky'" in capsys.readouterr().err
    assert cli.main([*command, "--layers", "nowhere.py"]) == 2 and "no file or folder" in capsys.readouterr().err
    Path("broken.py").write_text("1 / 0")
    assert cli.main([*command, "--layers", "broken.py"]) == 2 and "ZeroDivisionError" in capsys.readouterr().err
    Path("bare.py").write_text("from depthjax.models import Mixer, register\n@register('bare')\nclass Bare(Mixer):\n    pass\n")
    Path("bare.toml").write_text(Path(command[1]).read_text().replace("models = [", "models = ['bare', "))
    assert cli.main(["sweep", "bare.toml", *command[2:], "--layers", "bare.py", "layers.py"]) == 2
    KINDS.pop("bare")  # which other tests would try
    assert "models = 'bare': the layer fails (NotImplementedError" in " ".join(capsys.readouterr().err.split())
    assert cli.main([*command, "--layers", "layers.py"]) == 3
    (line,) = json.loads(capsys.readouterr().out)["cells"]
    assert line["cell"].startswith("group=C2,model=leaky") and line["predicted"] is None
