"""Settings of every test: programs compiled briefly, 64-bit numbers, no silent promotion, hypothesis without deadlines."""

import os
import sys
from pathlib import Path

import hypothesis
import jax
import jaxtyping
import pytest

ROOMS = Path(__file__).parents[1] / "experiments"
INSTRUMENTS = [  # shapes and types of what measures are checked at run time, in rooms as in depthjax
    ".".join(file.relative_to(ROOMS.parent).with_suffix("").parts)
    for file in ROOMS.glob("*/*/[a-z]*.py")
    if (file.parent / "claim.py").exists() and "jaxtyping" in file.read_text(encoding="utf-8")
]
jaxtyping.install_import_hook(INSTRUMENTS, "beartype.beartype").__enter__()

from depthjax.runs import places
from depthjax.runs.provenance import compile_briefly, widen_pool
from experiments import cli
from experiments.commands import verify

widen_pool()
compile_briefly()
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.register_profile("dev", deadline=None, max_examples=25)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

SETTINGS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
)


@pytest.fixture(autouse=True)
def settings_of_jax():
    """Give the next test the settings that this test found: a command that runs in this process changes them."""
    before = {name: getattr(jax.config, name) for name in SETTINGS}
    yield
    for name, value in before.items():
        if getattr(jax.config, name) != value:
            jax.config.update(name, value)


@pytest.fixture(autouse=True, scope="module")
def programs_of_jax():
    """Forget compiled programs after each file: thousands of them in one process have crashed the compiler."""
    yield
    jax.clear_caches()


@pytest.fixture
def key():
    return jax.random.key(20260305)


@pytest.fixture
def toys(monkeypatch):
    """Let the catalogue be that of the toy claims, here and in child processes, and trust them: they end no process."""
    monkeypatch.setattr(verify, "ours", lambda modules: True)
    folder = str(Path(__file__).parent / "verify")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "toys")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the command in an empty folder; returns code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(places._finder, "folders", {})

    def call(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    yield call
    for name in [name for name in sys.modules if name.partition(".")[0] in places.settled()]:
        del sys.modules[name]
