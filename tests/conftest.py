"""Settings of every test: programs compiled briefly, 64-bit numbers, no silent promotion, hypothesis without deadlines."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

# threads of small products wait for one another, busily; libraries read this when they load: here, in workers and in children
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)  # what a test reads is wrapped and coloured alike in every terminal

import hypothesis
import jax
import jaxtyping
import pytest
from beartype import BeartypeConf, BeartypeDecorPlace
from beartype.claw import beartype_packages

ROOMS = Path(__file__).parents[1] / "experiments"
INSTRUMENTS = [  # shapes and types of what measures are checked at run time, in rooms as in depthjax
    ".".join(file.relative_to(ROOMS.parent).with_suffix("").parts)
    for file in ROOMS.glob("*/*/[a-z]*.py")
    if (file.parent / "claim.py").exists() and "jaxtyping" in file.read_text(encoding="utf-8")
]
jaxtyping.install_import_hook(INSTRUMENTS, "beartype.beartype").__enter__()
# other files are checked by beartype alone: jaxtyping takes ten microseconds a call, and some are called a million times
# innermost, so that what jax.jit returns stays what it is
INSIDE = BeartypeConf(claw_is_pep526=False, violation_type=TypeError, claw_decor_place_func=BeartypeDecorPlace.FIRST)
beartype_packages(("depthjax",), conf=INSIDE)

from depthjax.compiler import lean_flags
from depthjax.runs import catalogue, places
from depthjax.runs.children import resident
from depthjax.runs.programs import forget_programs
from depthjax.runs.provenance import compile_briefly, widen_pool
from experiments import cli
from experiments.commands import verify
from experiments.mutants.choice import content, sample
from tests import toys as written

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has jobs in the background, and their children, ignore it
gc.set_threshold(20_000, 20, 20)  # hundreds of thousands of objects are imported and collected, and stay
widen_pool()
if lean_flags():  # most programs here run once
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"
compile_briefly()
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.register_profile("dev", deadline=None, max_examples=25)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

GROWTH = 400 * 2**20  # bytes; programs hold the arrays that they close over
SETTLED = [0.0]
PROGRAMS = "DEPTHJAX_TESTS_PROGRAMS"
SETTINGS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
)


def pytest_addoption(parser):
    parser.addoption(
        "--drawn", type=int, metavar="N", help="slow tests that every claim has: of N claims that the program draws"
    )


def pytest_collection_modifyitems(config, items):
    """With --drawn N, keep the slow tests that every claim has for N claims alone, which the content of the program draws."""
    if (count := config.getoption("drawn")) is None:
        return
    drawn = sample(sorted(catalogue.modules()), count, content())
    slow = [item for item in items if item.get_closest_marker("slow") and item.get_closest_marker("every_claim")]
    left = {item for item in slow if item.callspec.params["slug"] not in drawn}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_runtest_setup(item):
    """Skip a test whose optional packages are not here."""
    for marker in item.iter_markers("needs"):
        for package in marker.args:
            pytest.importorskip(package)


@pytest.fixture(autouse=True)
def settings_of_jax():
    """Give the next test the settings that this test found: a command that runs in this process changes them."""
    before = {name: getattr(jax.config, name) for name in SETTINGS}
    yield
    for name, value in before.items():
        if getattr(jax.config, name) != value:
            jax.config.update(name, value)
    if resident(os.getpid()) > SETTLED[0] + GROWTH:
        settle()


def pytest_configure(config):
    """Keep compiled programs and toy claims in folders that files of tests and their processes share."""
    if not hasattr(config, "workerinput"):
        for name in (PROGRAMS, written.PLACE):
            os.environ[name] = tempfile.mkdtemp(prefix="depthjax")
            config.add_cleanup(lambda name=name: shutil.rmtree(os.environ.pop(name), ignore_errors=True))
        written.write_toys(written.folder())
    jax.config.update("jax_compilation_cache_dir", os.environ[PROGRAMS])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def pytest_collection_finish():
    """Leave what was imported and collected out of every later search for garbage."""
    settle()


@pytest.fixture(autouse=True, scope="module")
def programs_of_jax():
    """Forget compiled programs after each file: thousands of them in one process have crashed the compiler."""
    yield
    settle()


def settle():
    """Forget compiled programs and what they hold, leave what stays out of later collections, and give memory back."""
    forget_programs()
    gc.freeze()
    SETTLED[0] = resident(os.getpid())


@pytest.fixture
def key():
    return jax.random.key(20260305)


@pytest.fixture
def toys(monkeypatch):
    """Let the catalogue be that of the toy claims, here and in child processes.

    They are trusted to end no process. Returns what makes the name of a module from topic and slug, "small.true_bound".
    """
    monkeypatch.setattr(verify, "ours", lambda modules: True)
    monkeypatch.syspath_prepend(str(written.folder()))
    monkeypatch.setenv("PYTHONPATH", str(written.folder()))
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "toys")
    return "toys.{}".format


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
