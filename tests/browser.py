"""A Chromium that opens pages, where there is one."""

import contextlib
import html
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

TOO_WIDE = """<script>onload = () => setTimeout(() => {
  const wide = [...document.querySelectorAll("iframe")].filter(frame => {
    const page = frame.contentDocument.scrollingElement
    return page.scrollWidth > page.clientWidth + 1
  })
  document.body.innerHTML = "<pre id=found></pre>"
  document.querySelector("pre").textContent = JSON.stringify(wide.map(frame => frame.src))
}, 1500)</script>"""

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


def too_wide(pages: list[Path], width: int, folder: Path, together: int = 12) -> list[str]:
    """Which pages a window of this width shows with a scroll bar from left to right."""
    found = []
    for first in range(0, len(pages), together):
        frames = [
            f'<iframe src="{page.as_uri()}" width={width} height=900></iframe>' for page in pages[first : first + together]
        ]
        (folder / "frames.html").write_text(f"<body>{''.join(frames)}{TOO_WIDE}", "utf-8")
        text, said = browse(folder / "frames.html", "--allow-file-access-from-files", "--dump-dom", seconds=8)
        answer = re.search(r'<pre id="found">(.*?)</pre>', text)
        assert answer, said[-1000:]
        found += [Path(source).stem for source in json.loads(html.unescape(answer[1]))]
    return found
