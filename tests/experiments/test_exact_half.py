"""The exact half needs no JAX: `theory`, all bounds, lists of claims and questions run where six packages are installed."""

import importlib.metadata
import re
import subprocess
import sys

import pytest

NEEDED = ("numpy", "scipy", "sympy", "mpmath", "tyro", "rich")  # as docs/questions.md installs them

BLOCKED = """
import importlib.machinery, importlib.metadata, os, sys
ALLOWED = {allowed!r}
class Finder:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ALLOWED or top in sys.stdlib_module_names or top in ("depthjax", "theory", "experiments"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(top)
        if spec and "site-packages" in str(spec.origin or spec.submodule_search_locations):
            raise ModuleNotFoundError("No module named " + repr(name) + " in the exact half", name=name)
sys.meta_path.insert(0, Finder())
os.environ["DEPTHJAX_LAUNCHED"] = "1"
"""


def closure(packages) -> set[str]:
    """The modules of packages and of all that they require."""
    found, waiting = set(), [*packages]
    tops = importlib.metadata.packages_distributions()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        waiting += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in needed if "extra ==" not in line]
    return {top for top, owners in tops.items() if {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & found}


@pytest.fixture
def ran(tmp_path):
    """Return a function that runs a program in an empty folder, as one that has no other packages, and returns what it says."""

    def ran(code: str) -> str:
        text = BLOCKED.format(allowed=closure(NEEDED)) + code
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout + done.stderr

    return ran


def test_what_the_exact_half_needs_brings_no_arrays_on_devices():
    assert not {"jax", "jaxlib", "flax", "optax", "xarray", "matplotlib", "orbax"} & closure(NEEDED)


def test_all_of_theory_loads(ran):
    code = (
        "import importlib, pkgutil, theory\n"
        "names = [m.name for m in pkgutil.walk_packages(theory.__path__, 'theory.') if '.strategies' not in m.name]\n"
        "[importlib.import_module(name) for name in names]\n"
        "from theory import bounds\n"
        "print(len(names), len([getattr(bounds, name) for name in dir(bounds)]))\n"
    )
    files, names = map(int, ran(code).split())
    assert files > 100 and names > 30


@pytest.mark.parametrize(
    "commands",
    [
        ("list lie", "list --json", "show tower_error_order", "--version", "--help"),
        ("bound tower --letters 2 --layers 3", "bound bch --order 4", "bound --help", "bound layers --help"),
        (
            "bound layers --group S4",
            "bound layers --expression (ab)*",
            "bound automaton gridworld4",
            "bound layers --algebra se2",
        ),
    ],
    ids=("claims", "bounds", "objects"),
)
def test_questions_are_answered(ran, commands):
    code = (
        "from experiments.cli import main\n"
        f"for line in {commands!r}:\n"
        "    try:\n        code = main(line.split())\n"
        "    except SystemExit as error:\n        code = error.code or 0\n"
        "    assert not code, (line, code)\n"
    )
    assert ran(code)


def test_a_list_beside_runs_says_that_it_does_not_read_them(ran, tmp_path):
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "verdicts.jsonl").touch()
    said = ran("from experiments.cli import main\nassert not main(['list', 'lie'])")
    assert "tower_error_order" in said and "runs/ is not read, because ml_dtypes is not installed" in said
