"""Text in a page: templates escape everything that is put into them, so no caller can forget to."""

import html
import re
from collections.abc import Iterable
from typing import Any

# codes that move a cursor, and those that turn the direction of the text around them, so that a line reads as another
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Html(str):
    """Text that is HTML already. Made by :func:`fill` and by what builds trees from lists of what is allowed."""

    __slots__ = ()


def escaped(value: Any) -> Html:
    """The value as HTML text, for between tags and for quoted attributes; codes that nobody can see are shown as �."""
    return value if isinstance(value, Html) else Html(html.escape(UNSEEN.sub("\ufffd", str(value))))


def fill(template: str, **parts: Any) -> Html:
    """A template of this project with its ``{names}`` replaced by the escaped parts."""
    return Html(template.format_map({name: escaped(part) for name, part in parts.items()}))


def joined(parts: Iterable[Any], between: str = "") -> Html:
    """The parts one after the other, each escaped; what stands between them is HTML."""
    return Html(between.join(escaped(part) for part in parts))
