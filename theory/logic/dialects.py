r"""What other tools write in temporal formulas, and how to write it here.

Nothing of this is read: the operators of most tools look at the position where they stand, those of this project do not, so a
text that was pasted might say something else in silence. `HINTS` turns every operator into one of the grammar of
`theory.logic.syntax`, with f and g for its parts.
"""

from __future__ import annotations

import re

__all__ = ["FOREIGN", "HINTS", "WORDS", "hint"]

_STRICT = "; U, F, G, S, P and H are strict here"
HINTS: dict[str, str] = {
    "W": "g | (f & ((f U g) | G f))",
    "R": "g & (f | !(!f U !g))",
    "V": "g & (f | !(!f U !g))",
    "M": "(f & g) | (g & (g U (f & g)))",
    "T": "g & (f | !(!f S !g))",
    "B": "g | (f & ((f S g) | H f))",
    "O": "f | P f",
    "N": "!X !f",
    "Z": "!Y !f",
}
"""Operators of other tools in one capital letter, read as they are there, by formulas that are read here."""
_MEANINGS = {
    "W": "weak until, f W g",
    "R": "release, f R g",
    "V": "release, f V g",
    "M": "strong release, f M g",
    "T": "trigger, f T g, the release of the past",
    "B": "weak since, f B g",
    "O": "once, O f",
    "N": "weak next, N f",
    "Z": "weak yesterday, Z f",
}
_NEXT = "X is strong here: it needs a next position, and weak next is !X !f"
_SPELLINGS = (  # patterns that no formula of this grammar has, and what to write
    (r"<-->|<==>|<=>|[↔⇔≡]", "write <->"),
    (r"-->|==>|=>|[→⇒⊃]|i->", "write ->"),
    (r"&&|/\\|[∧⋀]", "write &"),
    (r"\|\||\\/|[∨⋁]", "write |"),
    (r"!=|\^|[⊕≠]", "write !(f <-> g)"),
    (r"==", "write <->"),
    (r"~|[¬−]", "write !"),
    (r"\[\]|[□◻]", f"write f & G f for 'always from here on'{_STRICT}"),
    (r"<>|[◇♢◊]", f"write f | F f for 'some time from here on'{_STRICT}"),
    (r"[○◯]", "write X"),
    (r"⊤", "write true"),
    (r"⊥", "write false"),
    (r"WX|wX|Xw|WNext", f"write !X !f for weak next; {_NEXT}"),
    (r"WY|wY|Yw", "write !Y !f for weak yesterday; Y is strong here"),
    (r"[XN](\[!\]|!(?=\s))", f"write X; {_NEXT}"),
    (r"U(\[!\]|!(?=\s))", f"write g | (f & (f U g)) for the strong until{_STRICT}"),
    (r"[XYFGPHUSRWNO]\s*_?[\[{]", "intervals are not read: write each step out with X or Y"),
    (r"True|TRUE", "write true"),
    (r"False|FALSE", "write false"),
    (r'"', "put a name into single quotes, as in 'Open'"),
    (r"\{", "sequences and sets of propositions are not read: one letter holds at each position"),
)
WORDS = {
    "and": "write &",
    "or": "write |",
    "not": "write !",
    "xor": "write !(f <-> g)",
    "implies": "write ->",
    "iff": "write <->",
    "next": f"write X; {_NEXT}",
    "yesterday": "write Y",
    "previous": "write Y",
    "until": f"write g | (f & (f U g)){_STRICT}",
    "since": f"write g | (f & (f S g)){_STRICT}",
    "release": f"write {HINTS['R']}{_STRICT}",
    "eventually": f"write f | F f{_STRICT}",
    "finally": f"write f | F f{_STRICT}",
    "globally": f"write f & G f{_STRICT}",
    "always": f"write f & G f{_STRICT}",
    "once": f"write f | P f{_STRICT}",
    "historically": f"write f & H f{_STRICT}",
    "last": "write !X true for the last position",
    "tt": "write true",
    "ff": "write false",
}
"""Words that are operators or constants elsewhere; a letter that is called so stands in single quotes."""
FOREIGN = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _SPELLINGS))
"""A spelling of another tool."""


def hint(text: str, word: str = "") -> str:
    """How to write here what a token means elsewhere; "" if nothing is known of it. `word` is the word that it begins.

    >>> hint("&&"), hint("last")
    ('write &', "write !X true for the last position; a letter of this name stands in quotes, 'last'")
    >>> hint("W")
    'weak until, f W g, is g | (f & ((f U g) | G f)) here; U, F, G, S, P and H are strict here'
    """
    if text in WORDS:
        return f"{WORDS[text]}; a letter of this name stands in quotes, '{text}'"
    if re.fullmatch("[A-Z]", text) and len(word) > 2:
        return f"letters are words in lower case or digits; another name stands in quotes, '{word}'"
    if text in HINTS:
        return f"{_MEANINGS[text]}, is {HINTS[text]} here{_STRICT}"
    if text in ("A", "E"):
        return "words do not branch, so there are no quantifiers of paths: leave it out"
    if text == "=":
        return "write <-> between formulas"
    if re.fullmatch("[A-Z]", text):
        return f"letters are words in lower case or digits; another name stands in quotes, '{text}'"
    return next((words for pattern, words in _SPELLINGS if re.match(pattern, f"{text} ")), "")
