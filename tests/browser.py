"""A Chromium that opens pages, where there is one."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")


def browse(file: Path, *options: str, seconds: int = 2) -> tuple[str, str]:
    """Open a page for seconds of its own time; return what the browser writes and what it complains about."""
    data = f"--user-data-dir={file.parent / 'browser'}"
    command = [BROWSER, *OPTIONS, data, f"--virtual-time-budget={1000 * seconds}", *options, file.as_uri()]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
    with subprocess.Popen(command, start_new_session=True, **given) as process:
        try:
            return process.communicate(timeout=120)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # a browser is many processes
