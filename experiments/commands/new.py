"""``depthjax new``: writes a claim that runs as it is, alone or in a package of its own."""

import dataclasses
import keyword
import shlex
from pathlib import Path
from typing import Annotated

import tyro

from depthjax.card import SLUG
from depthjax.runs import catalogue, places
from experiments.terminal import UsageError, printable, usage

EXAMPLE = Path(__file__).with_name("first_claim")
PARTS = ("__init__.py", "claim.py", "measure.py")
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{package}"
version = "0.1.0"
description = "Claims of our own for depthjax."
requires-python = ">=3.11"
dependencies = ["depthjax"]

# depthjax finds the claims by this line once the package is installed
[project.entry-points."depthjax.claims"]
{package} = "{package}.claims"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""
TEST = '''\
"""Every claim of the package is supported at its smallest size."""

from depthjax.verify import Outcome, run


def test_the_claims_are_supported(tmp_path):
    found = run("{package}.claims", size="test", out=tmp_path / "run", jobs=1)
    assert found.outcome is Outcome.SUPPORTED, found
'''
MUTANTS = """\
# Programs with one wrong line of mathematics, which the claim must notice: python -m experiments.mutants run {slug}

[[mutants]]
kind = "exponent"
at = "{package}.claims.{slug}.claim.predict"
was = "Prediction(2"
wrong = "Prediction(3"
claims = ["{slug}"]

[[mutants]]
kind = "sign"
at = "{package}.claims.{slug}.claim.predict"
was = "x @ y - y @ x"
wrong = "x @ y + y @ x"
claims = ["{slug}"]

[[mutants]]
kind = "term"
at = "{package}.claims.{slug}.measure.measure"
was = "expm(x) @ expm(y)"
wrong = "expm(x + y)"
claims = ["{slug}"]
"""


@dataclasses.dataclass(frozen=True)
class New:
    """Write a claim that runs as it is, with comments that say what to put in its place.

    A claim is a folder with two files: claim.py states and predicts, measure.py measures.

    Examples:
      depthjax new my_claim                            the folder my_claim, for `depthjax verify ./my_claim`
      depthjax new my_claim --in claims
      depthjax new my_claim --package mypackage        a package to install around it, with a test and mutants
    """

    slug: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """The claim's name, which is that of its folder: small letters, digits and underscores."""
    folder: Annotated[Path, tyro.conf.arg(name="in", metavar="DIR")] = Path(".")
    """Where it is written; made if it is not there."""
    package: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Write an installable package of this name around the claim."""

    def run(self) -> int:
        """Write the files and print what to do next."""
        self._check()
        parts = {f"{self.slug}/{name}": (EXAMPLE / name).read_text(encoding="utf-8") for name in PARTS}
        if self.package is None:
            room = _write(self.folder, parts)[0].parent
            _say(f"wrote {room}; run it, then put your theorem in its place:", f"depthjax verify {_quoted(room)} --size test")
            return 0
        names = {"package": self.package, "slug": self.slug}
        inside = f"{self.package}/claims"
        files = {
            "pyproject.toml": PYPROJECT.format(**names),
            f"{self.package}/__init__.py": '"""Claims of our own."""\n',
            f"{inside}/__init__.py": '"""One folder a claim, with claim.py and measure.py."""\n',
            **{f"{inside}/{name}": text for name, text in parts.items()},
            f"{inside}/mutants/{self.slug}.toml": MUTANTS.format(**names),
            "tests/test_claims.py": TEST.format(**names),
        }
        root = self.folder / self.package
        _write(root, files)
        room = root / inside / self.slug
        _say(
            f"wrote the package {root}; run its claim as it is, or install it and run it by name:",
            f"depthjax verify {_quoted(room)} --size test",
            f"python -m pip install -e {_quoted(root)}",
            f"depthjax verify {self.slug} --size test",
            f"python -m experiments.mutants run {self.slug}",
        )
        return 0

    def _check(self) -> None:
        if not SLUG.fullmatch(self.slug) or keyword.iskeyword(self.slug):
            form = "expected small letters, digits and underscores, first a letter, such as my_claim"
            raise UsageError(f"{self.slug!r} is no name of a claim: {form}")
        with usage(catalogue.UnknownClaim):
            known = catalogue.modules()
        if self.slug in known:
            raise UsageError(f"{catalogue.file_of(known[self.slug])} is called {self.slug!r} already: choose another name")
        if self.package is None:
            return
        if not places.MODULE.fullmatch(self.package) or "." in self.package or keyword.iskeyword(self.package):
            raise UsageError(f"--package {self.package!r}: expected the name of a Python package, such as mypackage")
        root = (self.folder / self.package).resolve()
        spec = places.spec_of(self.package)
        if spec is not None and spec.origin is not None and not Path(spec.origin).is_relative_to(root):
            raise UsageError(f"--package {self.package}: {spec.origin} has this name already; choose another")


def _write(root: Path, files: dict[str, str]) -> list[Path]:
    """Write files below a folder, and none of them if one is there already."""
    paths = {root / name: text for name, text in files.items()}
    if there := [path for path in paths if path.exists() or path.is_symlink()]:
        raise UsageError(f"{there[0]} exists, and nothing is overwritten: choose another name, or another folder with --in")
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "x", encoding="utf-8") as stream:
                stream.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or root}: {error.strerror or error}") from error
    return list(paths)


def _quoted(path: Path) -> str:
    text = str(path)
    return shlex.quote(text if "/" in text else f"./{text}")


def _say(line: str, *commands: str) -> None:
    print(printable(line), *(f"  {printable(command)}" for command in commands), sep="\n")
