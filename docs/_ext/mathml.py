"""Formulas as MathML, which browsers draw themselves: the site needs no script and no font for mathematics."""

import html

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx.writers.html5 import HTML5Translator

from depthjax.report.fences import plain_fences

LOGGER = getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the renderer "mathml" for ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_typeset(node, "inline"))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{_typeset(node, "block")}</div>\n')
    raise nodes.SkipNode


def _typeset(node: nodes.Element, display: str) -> str:
    latex = node.astext().strip()
    try:
        return convert(plain_fences(latex), display=display)
    except Exception as error:  # the converter raises many kinds
        LOGGER.warning("this formula cannot be typeset (%r): %s", error, latex, location=node)
        return f"<code>{html.escape(latex)}</code>"
