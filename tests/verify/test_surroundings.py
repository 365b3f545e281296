"""What numbers depend on besides code, versions and device: set where it can be set, and sealed where it cannot."""

import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from depthjax import compiler
from depthjax.runs import programs
from depthjax.runs.provenance import compile_briefly, configure, environment, instructions, numerics, surroundings
from depthjax.runs.stored import keep, kept
from experiments.studies import states as _states

OPTIONS = ("jax_default_prng_impl", "jax_threefry_partitionable", "jax_random_seed_offset", "jax_disable_most_optimizations")
OPTIONS += ("jax_log_compiles", "jax_default_matmul_precision", "jax_compilation_cache_dir", "jax_disable_jit")
OPTIONS += ("jax_persistent_cache_min_compile_time_secs", "jax_enable_x64")


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Every test leaves JAX and the environment as they were."""
    before = {name: jax.config.values[name] for name in OPTIONS}
    for name in ("XLA_FLAGS", "NPROC"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)  # of these tests, and the first of three that count
    yield
    for name, value in before.items():
        jax.config.update(name, value)


@pytest.mark.parametrize(
    ("name", "other"),
    [("jax_default_prng_impl", "rbg"), ("jax_threefry_partitionable", False), ("jax_random_seed_offset", 5)],
)
def test_keys_become_the_same_numbers_whatever_the_environment_says(name, other):
    draw = lambda: np.asarray(jax.random.normal(jax.random.key(3), (7,)))  # noqa: E731
    configure("float64")
    numbers, place = draw(), surroundings()
    jax.config.update(name, other)
    assert not np.array_equal(draw(), numbers) and surroundings() != place
    configure("float64")
    assert np.array_equal(draw(), numbers) and surroundings() == place


SETS = {  # what changes numbers, and the field that says so
    "an option of JAX": (lambda monkeypatch: jax.config.update("jax_disable_most_optimizations", True), "jax_options"),
    "no compilation": (lambda monkeypatch: jax.config.update("jax_disable_jit", True), "jax_options"),
    "a flag of XLA": (
        lambda monkeypatch: monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=true"),
        "xla_flags",
    ),
    "threads of XLA": (lambda monkeypatch: monkeypatch.setenv("NPROC", "1"), "threads"),
    "threads of BLAS": (lambda monkeypatch: monkeypatch.setenv("OPENBLAS_NUM_THREADS", "61"), "threads"),
    "threads of OpenMP": (lambda monkeypatch: monkeypatch.setenv("OMP_NUM_THREADS", "61"), "threads"),
    "cores": (lambda monkeypatch: monkeypatch.setattr("depthjax.runs.provenance.cores", lambda: 61), "threads"),
    "kernels of BLAS": (lambda monkeypatch: monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott"), "instructions"),
    "another CPU": (
        lambda monkeypatch: monkeypatch.setattr("depthjax.runs.provenance.instructions", lambda: ()),
        "instructions",
    ),
}


@pytest.mark.parametrize("what", SETS)
def test_a_stored_cell_of_other_surroundings_is_named_and_not_used(tmp_path, monkeypatch, what):
    if what == "another CPU" and not instructions():
        pytest.skip("this system does not say what its CPU has")
    keep(tmp_path / "x.nc", xr.Dataset({"x": 1.0}), numerics() | {"source": "0"})
    act, field = SETS[what]
    act(monkeypatch)
    found, why = kept(tmp_path / "x.nc", numerics() | {"source": "0"})
    assert found is None and f"is of {field} " in why and "(now " in why
    assert environment(here=False)["surroundings"][field] == numerics()[field]


def test_a_level_of_optimisation_that_the_user_set_is_that_of_programs_that_train_as_well(monkeypatch):
    for level in (2, 0):
        monkeypatch.setenv("XLA_FLAGS", f"--xla_backend_optimization_level={level}")
        compile_briefly()
        options = compiler.lean_options("cpu")
        assert options is None or options["xla_backend_optimization_level"] == level
        assert os.environ["XLA_FLAGS"].endswith(f"={level}")  # the last counts


def test_an_option_that_a_variable_sets_is_named(monkeypatch):
    monkeypatch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    assert "JAX_DISABLE_MOST_OPTIMIZATIONS=1" in surroundings()["jax_options"]


def test_what_changes_no_number_is_not_sealed(monkeypatch, tmp_path):
    before = numerics()
    jax.config.update("jax_log_compiles", False)
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    monkeypatch.setenv("XLA_FLAGS", f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count=3")
    assert numerics() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"layout": "buckets"}, "layout auto (now buckets)"),
        ({"place": {**_states.placed(), "devices": "61"}}, f"devices {jax.device_count()} (now 61)"),
    ],
)
def test_cells_of_a_sweep_are_of_their_layout_and_their_devices(tmp_path, change, words):
    made = lambda said, **more: _states.Folder(tmp_path / "out", {"a": 1}, ["x"], said.append, **more)  # noqa: E731
    made([]).keep("x", xr.Dataset({"loss": ("seed", [1.0, 2.0])}))
    said = []
    assert list(made(said).found) == ["x"] and not said
    assert not made(said, **change).found and words in said[0] and "trained again" in said[0]


def test_programs_that_were_not_used_for_long_go_first(tmp_path):
    for number in range(8):
        (tmp_path / f"p{number}").write_bytes(bytes(100))
        os.utime(tmp_path / f"p{number}", (1000 + number, 1000))
    (tmp_path / "folder").mkdir()
    programs.prune(tmp_path, 800)
    assert len(list(tmp_path.glob("p*"))) == 8
    programs.prune(tmp_path, 799)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "p3", "p4", "p5", "p6", "p7"]
    programs.prune(tmp_path / "none", 1)


def test_a_cache_that_cannot_be_written_is_read_and_told_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    configure("float64", cache=True)
    assert jax.config.values["jax_persistent_cache_min_compile_time_secs"] == programs.LEAST_SECONDS and not programs.told()
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    configure("float64", cache=True)
    assert jax.config.values["jax_compilation_cache_dir"] == str(tmp_path / "depthjax" / "xla")
    assert jax.config.values["jax_persistent_cache_min_compile_time_secs"] == float("inf")
    assert f"{tmp_path / 'depthjax' / 'xla'} cannot be written" in programs.told()
    assert float(jnp.sum(jnp.ones(3))) == 3
