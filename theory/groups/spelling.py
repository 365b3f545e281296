"""The usual spellings of groups, and the one name that this project uses for each.

>>> standard_name("C2^3"), standard_name("S3^2xZ4")
('C2xC2xC2', 'S3xS3xC4')
>>> [standard_name(text) for text in ("V4", "Z_5", "S_5", "PSL(2, 7)", "GL(2,3)", "SL_2(3)", "Alt(5)", "Z2 × Z3", "a5")]
['C2xC2', 'C5', 'S5', 'PSL2_7', 'GL2_3', 'SL2_3', 'A5', 'C2xC3', 'A5']
"""

from __future__ import annotations

import re

__all__ = ["standard_name"]

WORDS = {"V": "C2xC2", "V4": "C2xC2", "K4": "C2xC2", "KLEIN": "C2xC2", "TRIVIAL": "C1", "1": "C1"}
FAMILIES = {"Z": "C", "CYC": "C", "DIH": "D", "SYM": "S", "ALT": "A", "L": "PSL"}
RULES = (  # pattern of a factor without spaces and in capitals -> the name's parts
    (r"(P?SL|GL|L)\(2,(\d+)\)", "{0}2_{1}"),
    (r"(P?SL|GL|L)_?2\((\d+)\)", "{0}2_{1}"),
    (r"(P?SL|GL)2_(\d+)", "{0}2_{1}"),
    (r"(?:H3|HEIS|HEISENBERG)_(\d+)", "H3_{0}"),
    (r"(?:HEIS|HEISENBERG)\((\d+)\)", "H3_{0}"),
    (r"(C|Z|CYC|D|DIH|Q|S|SYM|A|ALT|M)_?(\d+)", "{0}{1}"),
    (r"(CYC|DIH|SYM|ALT)\((\d+)\)", "{0}{1}"),
)


def standard_name(text: str) -> str:
    """Return the name of a group as this project writes names; a spelling that no rule knows comes back as it is.

    Known are Z5, C_5 and Cyc(5) for cyclic groups, Sym(4), Alt(5), Dih(4), V4 and K4 for Klein's group, SL(2,3), SL_2(3),
    PSL(2,7), L2(7), GL(2,3), × for a direct product, C2^3 for one of equal factors (at most 999), and small letters for
    capitals.
    """
    factors = re.split(r"[x×*]", re.sub(r"\s", "", text))
    return "x".join(_powers(factor) for factor in factors)


def _powers(text: str) -> str:
    """A direct factor, and a power of one written out."""
    match = re.fullmatch(r"(.+)\^(\d{1,3})", text)
    if match and int(match[2]) > 0:
        return "x".join([_powers(match[1])] * int(match[2]))
    return ":".join(map(_factor, text.split(":")))


def _factor(text: str) -> str:
    capital = text.upper()
    if capital in WORDS:
        return WORDS[capital]
    for pattern, name in RULES:
        if match := re.fullmatch(pattern, capital):
            family, *rest = match.groups()
            return name.format(FAMILIES.get(family, family), *rest)
    return text
