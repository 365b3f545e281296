"""The versions that are promised, at both ends: ``nox -f .ci/noxfile.py`` tries those that this machine has.

``oldest`` installs the lowest version that pyproject.toml allows of everything, ``newest`` the newest of everything.
"""

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
# an installation, what a user meets first, files of runs, one claim of every kind of number, and laws of layers
TESTS = ["tests/test_installed.py", "tests/test_public.py", "tests/verify/test_records.py", "tests/verify/test_schema.py"]

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The lowest versions, with the oldest Python."""
    session.install("--resolution", "lowest-direct", "-e", ".[test]")
    _try(session)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest versions, with every Python that is here."""
    session.install("--upgrade", "-e", ".[test]")
    _try(session)


def _try(session: nox.Session) -> None:
    session.chdir(session.invoked_from)
    session.run("python", "-m", "pytest", "-n", "0", "-q", "-m", "", *TESTS)
