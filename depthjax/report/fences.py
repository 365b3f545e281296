r"""Fences of a given size, such as \Bigl\|, as the converter to MathML reads them."""

import re

FENCES: dict[str, str] = dict(zip("| Vert vert lfloor rfloor lceil rceil langle rangle".split(), "‖‖|⌊⌋⌈⌉⟨⟩", strict=True))
_SIZED = re.compile(r"(\\[bB]igg?[lrm]?)\s*\\(\||[A-Za-z]+)")


def plain_fences(latex: str) -> str:
    r"""Return the formula with characters in place of commands after \big and its kin: latex2mathml shows a command as it is.

    >>> plain_fences(r"\Bigl\| x \Bigr\|^2 + \bigl( \|y\| \bigr)")
    '\\Bigl‖ x \\Bigr‖^2 + \\bigl( \\|y\\| \\bigr)'
    """
    return _SIZED.sub(lambda found: found[1] + FENCES.get(found[2], "\\" + found[2]), latex)
