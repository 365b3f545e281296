"""A figure as a small file of its own: what browsers, sites and screen readers need of it, and nothing else."""

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from depthjax.report.inert import SVG, Drawn
from depthjax.report.markup import fill

__all__ = ["made_from", "standalone"]

LOOK = 'font-family="DejaVu Sans, Verdana, sans-serif" stroke-linejoin="round" stroke-linecap="butt"'  # said once for all parts
METADATA = re.compile(r"<metadata>(.*?)</metadata>", re.DOTALL)


def standalone(drawn: Drawn, title: str, origin: Mapping[str, Any]) -> str:
    """Return a figure that was taken apart as an SVG file, some three times smaller than matplotlib writes it.

    Args:
        drawn: The shapes and the caption, which becomes the description of the file.
        title: The name of the figure, which screen readers say first.
        origin: What it was made from, as `made_from` reads it again.

    >>> from depthjax.report.inert import figure
    >>> drawn = figure(b'<svg xmlns="http://www.w3.org/2000/svg"><desc>A line.</desc><path d="M 0 0 L 1 1"/></svg>', "p", {})
    >>> file = standalone(drawn, "A title", {"seed": 0})
    >>> made_from(file), figure(file.encode(), "p", {}).caption  # it reads what it wrote
    ({'seed': 0}, 'A line.')
    """
    head, rest = drawn.shapes.split(">", 1)
    words = fill(
        "<title>{title}</title><desc>{caption}</desc><metadata>{origin}</metadata>",
        title=title,
        caption=drawn.caption,
        origin=json.dumps(dict(origin)),
    )
    return head.replace("<svg", f'<svg xmlns="{SVG}" {LOOK}', 1) + f">{words}{rest}\n"


def made_from(file: str) -> dict[str, Any]:
    """Return what a standalone figure was made from; empty where it does not say."""
    found = METADATA.search(file)
    return json.loads(html.unescape(found[1])) if found else {}
