"""Training runs: batches from their own keys, ends by masking, and the same numbers however a run is cut, spread or killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.experimental.compilation_cache import compilation_cache

from depthjax.training import (
    CheckpointError,
    Checkpoints,
    Recipe,
    chosen_lanes,
    chosen_layout,
    configuration_hash,
    fit,
    streams,
)
from tests.depthjax import ensemble_runs as runs

SCRIPT = Path(__file__).with_name("ensemble_runs.py")

CACHE = {"jax_persistent_cache_min_compile_time_secs": 0.0, "jax_persistent_cache_min_entry_size_bytes": -1}
TRUE = jnp.arange(3, dtype=jnp.float32)
START = jnp.zeros(3, jnp.float32)
RECIPE = Recipe(steps=120, learning_rate=0.1, warmup=10, clip=1.0, record_every=20)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Programs that several tests run, here and in their children, are compiled once."""
    settings = CACHE | {"jax_compilation_cache_dir": str(tmp_path_factory.mktemp("xla"))}
    before = {name: jax.config.values[name] for name in settings}
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
    yield {name.upper(): str(value) for name, value in settings.items()}
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def sample(key):
    x = jax.random.normal(key, (8, 3), jnp.float32)
    return x, x @ TRUE


def loss(params, batch):
    x, y = batch
    error = ((x @ params - y) ** 2).mean()
    return error, {"score": 1 - error}


def test_fit_is_the_plain_loop(key):
    """Twin: a Python loop over optax, batch by batch."""
    found = jax.jit(lambda k: fit(k, START, loss, sample, RECIPE))(key)
    optimiser, params, losses = RECIPE.optimiser(), START, []
    moments = optimiser.init(params)
    with jax.numpy_dtype_promotion("standard"):
        update = jax.jit(optimiser.update)
        for step in range(RECIPE.steps):
            batch = sample(jax.random.fold_in(streams(key).training, step))
            (value, _), slope = jax.value_and_grad(loss, has_aux=True)(params, batch)
            updates, moments = update(slope, moments, params)
            params = optax.apply_updates(params, updates)
            losses.append(float(value))
    np.testing.assert_allclose(found.params, params, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.losses, np.reshape(losses, (6, 20)).mean(axis=1), rtol=1e-3, atol=1e-5)
    assert found.steps == RECIPE.steps and found.finite


def test_runs_end_by_masking_and_the_others_go_on(key):
    """One run reaches its metric, one meets a loss that is not finite: both stay as they are, the third is not disturbed."""
    recipe = Recipe(steps=120, learning_rate=0.1, record_every=20, schedule="constant", stop_metric="score", stop_at=0.9)

    def hurt(params, batch, kind):
        value, metrics = loss(params, batch)
        value = jnp.where((kind == 1) & (jnp.abs(params[2]) > 1), jnp.nan, value)
        return value, {"score": jnp.where(kind == 2, -1.0, metrics["score"])}

    one = lambda kind: fit(key, START, lambda p, b: hurt(p, b, kind), sample, recipe)  # noqa: E731
    found = jax.jit(jax.vmap(one))(jnp.arange(3))
    assert found.steps[0] < 120 and found.failed[0] == -1 and found.metrics["score"][0, -1] >= 0.9
    ended = int(found.steps[0]) // 20
    assert (found.losses[0, ended:] == found.losses[0, ended - 1]).all()
    assert 0 < found.failed[1] == found.steps[1] < 120
    assert np.isfinite(found.params[1]).all() and abs(found.params[1, 2]) > 1 and np.isnan(found.losses[1, -1])
    assert found.steps[2] == 120
    alone = jax.jit(one)(jnp.asarray(2))
    np.testing.assert_allclose(found.params[2], alone.params, rtol=1e-5)


def test_streams_share_no_draw(key):
    keys = [streams(key)._asdict(), streams(jax.random.fold_in(key, 1))._asdict()]
    draws = {tuple(np.asarray(jax.random.key_data(k)).tolist()) for group in keys for k in group.values()}
    assert len(draws) == 8


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": 0}, "steps = 0, expected at least 1"),
        ({"record_every": 7}, "record_every = 7, expected a divisor of steps = 1000"),
        ({"clip": 0.0, "learning_rate": -1.0}, r"learning_rate = -1.0.*clip = 0.0"),
        ({"betas": (0.9, 1.0)}, r"betas = \(0.9, 1.0\)"),
        ({"warmup": 1000}, "warmup = 1000"),
    ],
)
def test_bad_recipes_are_refused(fields, words):
    with pytest.raises(ValueError, match=words):
        Recipe(**fields)


def test_a_metric_that_is_not_there(key):
    with pytest.raises(ValueError, match=r"stops at 'accuracy', but the loss returns \['score'\]"):
        fit(key, START, loss, sample, Recipe(stop_metric="accuracy"))


@pytest.mark.parametrize("lanes", [1, 4, 6])
def test_layouts_agree_and_the_masked_one_compiles_once(lanes, unbroken):
    """Six runs: one after the other; four side by side, which is two rounds of three; all side by side."""
    chex.clear_trace_counter()
    # traced for shapes, for the gradient and for validation; not once more for any depth, seed, lane or segment
    once = chex.assert_max_traces(n=3)(runs.loss)
    masked = runs.train(loss=once, lanes=lanes)
    assert masked.layout == "masked" and masked.lanes == {1: 1, 4: 3, 6: 6}[lanes]
    np.testing.assert_allclose(runs.flat(masked), unbroken, rtol=1e-3, atol=1e-5)
    assert masked.fit.losses.shape == (2, 3, 6) and masked.test["error"].shape == (2, 3)
    assert len(np.unique(masked.test["error"])) == 6  # no two runs share their numbers


@pytest.mark.parametrize("lanes", [1, 2])
def test_buckets_agree_with_one_program(lanes, unbroken):
    """Three runs of each depth, in three rounds or in two, where the second repeats one."""
    buckets = runs.train(layout="buckets", segments=1, lanes=lanes)
    assert buckets.layout == "buckets" and buckets.lanes == lanes
    np.testing.assert_allclose(runs.flat(buckets), unbroken, rtol=1e-3, atol=1e-5)


@pytest.fixture(scope="module")
def unbroken(cache):
    return runs.flat(runs.train())


FLAGS = os.environ.get("XLA_FLAGS", "")  # of the tests: children compile as they do


def start(cache, directory, results, linger=0.0, **variables):
    environment = os.environ | cache | {"JAX_ENABLE_X64": "1", "PYTHONPATH": str(Path(__file__).parents[2])} | variables
    command = [sys.executable, str(SCRIPT), str(directory), str(results), str(linger)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_a_killed_run_goes_on_with_the_same_numbers(tmp_path, unbroken, cache):
    """Killed by SIGKILL after its first segment, then taken up by this process."""
    child = start(cache, tmp_path / "states", tmp_path / "none.npy", linger=60.0)
    assert child.stdout is not None and child.stdout.readline() == "20\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    seen = []
    found = runs.train(checkpoints=Checkpoints(tmp_path / "states", runs.CONFIGURATION), watch=seen.append)
    assert [segment.step for segment in seen] == [40, 60]
    np.testing.assert_array_equal(runs.flat(found), unbroken)
    again = runs.train(checkpoints=Checkpoints(tmp_path / "states", runs.CONFIGURATION), watch=seen.append)
    assert len(seen) == 2  # nothing was left to do
    np.testing.assert_array_equal(runs.flat(again), unbroken)


def test_four_devices_give_the_numbers_of_one(tmp_path, unbroken, cache):
    """Six runs over four devices: two rows are padding."""
    child = start(
        cache, tmp_path / "states", tmp_path / "found.npy", XLA_FLAGS=f"{FLAGS} --xla_force_host_platform_device_count=4"
    )
    assert child.communicate()[0].split() == ["20", "40", "60"] and child.returncode == 0
    np.testing.assert_allclose(np.load(tmp_path / "found.npy"), unbroken, rtol=1e-5)


def test_another_configuration_overwrites_nothing(tmp_path):
    Checkpoints(tmp_path / "a", {"width": 4, "recipe": {"steps": 60}})
    with pytest.raises(CheckpointError, match=r"another configuration: recipe.steps was 60, now 80; nothing was changed"):
        Checkpoints(tmp_path / "a", {"width": 4, "recipe": {"steps": 80}})
    Checkpoints(tmp_path / "a", {"recipe": {"steps": 60}, "width": 4})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "notes.txt").write_text("mine")
    with pytest.raises(CheckpointError, match=r"is not empty and holds no configuration.json"):
        Checkpoints(tmp_path / "b", {})
    assert configuration_hash({"a": 1, "b": (2,)}) == configuration_hash({"b": [2], "a": 1}) != configuration_hash({"a": 1})


@pytest.mark.parametrize("stored", ["[1, 2]", "null", "7", "{", "[" * 100_000, '{"width": 5}'])
def test_a_configuration_that_is_none_or_another_is_refused(tmp_path, stored):
    (tmp_path / "configuration.json").write_text(stored)
    with pytest.raises(CheckpointError, match=r"cannot use|another configuration|configuration\.json is damaged"):
        Checkpoints(tmp_path, {"width": 4})
    assert (tmp_path / "configuration.json").read_text() == stored


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"devices": 64}, "64 devices were asked for, but JAX sees"),
        ({"depths": (1, 1)}, "each may appear once"),
        ({"depths": ()}, "number of depths must be at least 1"),
        ({"depths": (0, 1)}, "each depth must be at least 1, got 0"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"lanes": 0}, "lanes must be at least 1"),
        ({"segments": 0}, "segments must be at least 1"),
    ],
)
def test_bad_ensembles_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        runs.train(**options)


def test_the_layout_follows_the_backend_and_the_size():
    small, large, short, long = 10**4, 10**9, 10, 10**6
    assert [chosen_layout(backend, (1, 2), large, long) for backend in ("cpu", "gpu", "tpu")] == ["buckets", "masked", "masked"]
    assert chosen_layout("cpu", (1, 2), large, short) == "masked"  # compiling a second program would take longer
    assert chosen_layout("cpu", (3,), large, long) == "masked"
    assert chosen_lanes("cpu", large) == 1 < min(chosen_lanes("cpu", small), chosen_lanes("gpu", large))


@pytest.mark.parametrize(
    ("like", "words"),
    [
        ({"params": np.zeros((5, 5)), "loss": np.zeros(3)}, r"params of shape \(1000, 100\) .*\(5, 5\)"),
        ({"params": np.zeros((1000, 100))}, "loss, and none is expected"),
        ({"params": np.zeros((1000, 100)), "loss": np.zeros(3), "more": np.zeros(2)}, "no more, and one is expected"),
        ({"params": np.zeros((1000, 100)), "loss": np.zeros(3, np.float32)}, "loss of shape .* and type float64"),
    ],
)
def test_a_checkpoint_of_another_tree_is_refused(tmp_path, like, words):
    stored = {"params": np.ones((1000, 100)), "loss": np.ones(3)}
    checkpoints = Checkpoints(tmp_path / "run", {})
    checkpoints.save("group", 7, stored)
    assert checkpoints.latest("group", stored)[0] == 7
    with pytest.raises(CheckpointError, match=words):
        checkpoints.latest("group", like)


KINDS = ["float32", "float64", "bfloat16", "float8_e4m3fn", "complex64", "complex128", "int32", "uint8", "bool", "int4", ">f4"]


@pytest.mark.parametrize("kind", KINDS)
def test_states_of_every_type_and_shape_come_back(tmp_path, kind):
    draw, checkpoints = np.random.default_rng(0), Checkpoints(tmp_path / "run", {})
    shapes = {"table": (3, 4), "one": (1,), "number": (), "none": (0, 4)}
    tree = {name: np.asarray(draw.integers(0, 2, shape)).astype(np.dtype(kind)) for name, shape in shapes.items()}
    tree["turned"] = tree["table"].T
    checkpoints.save("group", 1, tree)
    _, found = checkpoints.latest("group", tree)
    for name, array in tree.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape and (found[name] == array).all()
        assert found[name].flags.writeable


def test_two_states_are_kept_and_what_a_killed_process_left_goes(tmp_path):
    checkpoints, tree = Checkpoints(tmp_path / "run", {}), {"a": np.arange(3.0)}
    for records in (8, 9, 10, 11):
        checkpoints.save("group", records, {"a": tree["a"] + records})
        (tmp_path / "run" / "group" / ".12.safetensors.0f.partial").write_bytes(b"half")
    names = {file.name for file in (tmp_path / "run" / "group").iterdir()}
    assert names == {"10.safetensors", "11.safetensors", ".12.safetensors.0f.partial"}
    records, found = checkpoints.latest("group", tree)
    assert records == 11 and found["a"].tolist() == [11.0, 12.0, 13.0]


def _edited(**told):
    """The file of a state whose header says otherwise of its array."""

    def act(content):
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        text = json.dumps(told | {"a": header["a"] | told.get("a", {})}).encode()
        return len(text).to_bytes(8, "little") + text + content[8 + length :]

    return act


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda content: b"", "cut off"),
        (lambda content: content[:-1], "cut off"),
        (lambda content: content[:8] + b"!" + content[9:], "header cannot be read"),
        (lambda content: (2**60).to_bytes(8, "little") + content[8:], "cut off"),
        (_edited(a={"shape": [10**12]}), "takes 8000000000000 bytes"),
        (_edited(a={"dtype": ["F64"]}), "are not known"),
        (_edited(__metadata__={"a": "complex128"}), "of shape .3,. and type complex128, and .3,., float64 are expected"),
        (_edited(__metadata__=[1]), "expected texts by name"),
        (_edited(a={"dtype": "U8", "shape": [24]}), "type uint8"),
    ],
)
def test_a_damaged_checkpoint_is_refused_by_name(tmp_path, act, words):
    checkpoints, tree = Checkpoints(tmp_path / "run", {}), {"a": np.arange(3.0)}
    checkpoints.save("group", 3, tree)
    file = tmp_path / "run" / "group" / "3.safetensors"
    file.write_bytes(act(file.read_bytes()))
    with pytest.raises(CheckpointError, match=words) as raised:
        checkpoints.latest("group", tree)
    assert str(file) in str(raised.value) and "delete it to go on from the one before" in str(raised.value)


def test_a_state_of_an_earlier_release_is_named(tmp_path):
    checkpoints = Checkpoints(tmp_path / "run", {})
    (tmp_path / "run" / "group" / "3").mkdir(parents=True)
    with pytest.raises(CheckpointError, match=r"group/3 is a state of an earlier release.*delete it"):
        checkpoints.latest("group", {})
