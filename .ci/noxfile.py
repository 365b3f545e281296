"""The versions that are promised, at both ends: ``nox -f .ci/noxfile.py`` tries those that this machine has.

``oldest`` installs the lowest version that pyproject.toml allows of everything, ``newest`` the newest of everything.
"""

import os
from pathlib import Path

import nox

ROOT = Path(__file__).parents[1]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
# an installation, what a user meets first, files of runs, one claim of every kind of number, and laws of layers
TESTS = ["tests/test_installed.py", "tests/test_public.py", "tests/verify/test_records.py", "tests/verify/test_schema.py"]

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
# a machine behind a proxy trusts what its system trusts
os.environ.setdefault("UV_SYSTEM_CERTS", "1")
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The lowest versions, with the oldest Python."""
    _try(session, "--resolution", "lowest-direct")


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest versions, with every Python that is here."""
    _try(session, "--upgrade")


def _try(session: nox.Session, *how: str) -> None:
    session.chdir(ROOT)
    session.install(*how, "-e", ".[test]")
    # an old library may call names that a new one below it is about to drop; that is not ours to mend
    session.run("python", "-m", "pytest", "-n", "0", "-q", "-m", "", "-W", "default::DeprecationWarning", *TESTS)
