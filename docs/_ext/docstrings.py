"""Docstrings are plain text with `code` in backticks; this module makes reStructuredText of them before it is parsed.

``|G|`` is an order there, not a substitution; ``x_`` is a name, not a link; an asterisk is a product; single backticks mark
code. Emphasised words, doctests, literal blocks and roles such as :func:`f` stay as they are.
"""

import re
from typing import Any

from sphinx.application import Sphinx

WORDS = r"(?<![^\s(])(?:\*\w(?:[^*`|]*\S)?\*|\*\*\w(?:[^*`|]*\S)?\*\*)(?![^\s.,;:)])"  # emphasised ones
CODE = re.compile(rf"(:[\w:]+:`[^`]+`|``.+?``|`[^`]+`|{WORDS})")  # and roles, literals, and code in single backticks
SPECIAL = re.compile(r"[\\|*]|(?<=\w)_(?!\w)")
BULLET = re.compile(r"^(\s*)\\\*(?= )", re.MULTILINE)  # an asterisk that was escaped though it starts a list's entry
PROMPT = re.compile(r"\s*>>> ")


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen before napoleon does."""
    app.connect("autodoc-process-docstring", _process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = restructured(lines)
    if what in ("property", "attribute"):
        lines.insert(0, "\\")  # shows nothing; napoleon takes what stands before a colon in the first line for a type


def restructured(lines: list[str]) -> list[str]:
    r"""The lines of a docstring as reStructuredText.

    >>> restructured(["The order |G| of `group`,", "", "    >>> 2 * 3 | 1", "    7"])
    ['The order \\|G\\| of ``group``,', '', '    >>> 2 * 3 | 1', '    7']
    >>> restructured(["**Two products** of (*Lie Algebras*, 2000): a*b, and c * d."])
    ['**Two products** of (*Lie Algebras*, 2000): a\\*b, and c \\* d.']
    """
    text, verbatim = "\n".join(lines), None
    found: list[str] = []
    for part in re.split(r"(\n[^\S\n]*\n)", text):  # paragraphs and what stands between them
        indent = _indent(part)
        if verbatim is not None and part.strip() and indent <= verbatim:
            verbatim = None
        if not part.strip() or verbatim is not None or PROMPT.match(part):
            found.append(part)
            continue
        head, prompt, doctest = _before_doctest(part)
        found.append(_prose(head) + prompt + doctest)
        if head.rstrip().endswith("::"):
            verbatim = _indent(head.rstrip().rpartition("\n")[2])
    return "".join(found).split("\n")


def _before_doctest(paragraph: str) -> tuple[str, str, str]:
    """A paragraph, split where a doctest starts in it, as after the line ``Example:``."""
    start = re.search(r"\n(?=\s*>>> )", paragraph)
    return (paragraph, "", "") if start is None else (paragraph[: start.start()], "\n", paragraph[start.end() :])


def _prose(paragraph: str) -> str:
    parts = CODE.split(paragraph)
    for index, part in enumerate(parts):
        if not index % 2:
            parts[index] = SPECIAL.sub(r"\\\g<0>", part)
        elif part[0] == "`" and part[1] != "`":
            parts[index] = f"`{part}`"
    return BULLET.sub(r"\1*", "".join(parts))


def _indent(text: str) -> int:
    text = text.lstrip("\n")
    return len(text) - len(text.lstrip(" "))
