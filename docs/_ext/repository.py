"""Links to files of the repository become links to the pages that show these files."""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r"\]\((?P<path>[^()\s:#]+\.md)\)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Read the option ``repository_pages``: page -> file that it shows, from the root of the repository."""
    app.add_config_value("repository_pages", {}, "env", dict)
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    here = Path(app.env.doc2path(page)).parent
    root = Path(app.srcdir).parent
    shown = {root / file: Path(app.srcdir, f"{name}.md") for name, file in app.config.repository_pages.items()}

    def linked(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(here / link["path"]))
        return f"]({os.path.relpath(shown[target], here)})" if target in shown else link[0]

    source[0] = LINK.sub(linked, source[0])
