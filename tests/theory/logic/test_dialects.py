"""What other tools write is refused with the way to write it here, and that way says what it says there."""

import itertools

import pytest

from experiments import cli
from tests.theory.logic.test_formulas import holds
from theory import bounds
from theory.errors import ParseError
from theory.logic import parse
from theory.logic.dialects import HINTS, WORDS
from theory.logic.formula import Atom
from theory.logic.operators import reading

# a text, the position where it is refused, and a part of the hint
SPELLINGS = [
    ("a && b", 3, "write &"),
    ("a || b", 3, "write |"),
    ("a /\\ b", 3, "write &"),
    ("a \\/ b", 3, "write |"),
    ("a ∧ b", 3, "write &"),
    ("a ∨ b", 3, "write |"),
    ("a => b", 3, "write ->"),
    ("a ==> b", 3, "write ->"),
    ("a --> b", 3, "write ->"),
    ("a → b", 3, "write ->"),
    ("a i-> b", 3, "write ->"),
    ("a <=> b", 3, "write <->"),
    ("a <--> b", 3, "write <->"),
    ("a ↔ b", 3, "write <->"),
    ("a == b", 3, "write <->"),
    ("a = b", 3, "write <->"),
    ("a != b", 3, "write !(f <-> g)"),
    ("a ^ b", 3, "write !(f <-> g)"),
    ("a ⊕ b", 3, "write !(f <-> g)"),
    ("a xor b", 3, "write !(f <-> g)"),
    ("~a", 1, "write !"),
    ("¬a", 1, "write !"),
    ("[] a", 1, "f & G f"),
    ("[]<> a", 1, "f & G f"),
    ("<> a", 1, "f | F f"),
    ("□a", 1, "f & G f"),
    ("◇ a", 1, "f | F f"),
    ("○ a", 1, "write X"),
    ("a W b", 3, "weak until"),
    ("a R b", 3, "release"),
    ("a V b", 3, "release"),
    ("a M b", 3, "strong release"),
    ("a T b", 3, "trigger"),
    ("a B b", 3, "weak since"),
    ("O a", 1, "f | P f"),
    ("G (a -> O b)", 9, "f | P f"),
    ("N a", 1, "!X !f"),
    ("Z a", 1, "!Y !f"),
    ("WX a", 1, "weak next"),
    ("wX a", 1, "weak next"),
    ("Xw a", 1, "weak next"),
    ("WY a", 1, "weak yesterday"),
    ("X[!] a", 1, "X is strong here"),
    ("X! a", 1, "X is strong here"),
    ("a U[!] b", 3, "strong until"),
    ("a U! b", 3, "strong until"),
    ("F[0,3] a", 1, "intervals"),
    ("G [1:2] a", 1, "intervals"),
    ("X[2] a", 1, "intervals"),
    ("a U[1,2] b", 3, "intervals"),
    ("F_{<3} a", 1, "intervals"),
    ("True", 1, "write true"),
    ("a & FALSE", 5, "write false"),
    ("⊤", 1, "write true"),
    ("tt", 1, "write true"),
    ("ff", 1, "write false"),
    ("F (a & last)", 8, "!X true"),
    ("A G a", 1, "do not branch"),
    ("E F a", 1, "do not branch"),
    ('"a" U b', 1, "single quotes"),
    ("{a;b}", 1, "one letter holds"),
    ("Req & a", 1, "stands in quotes, 'Req'"),
    ("Q", 1, "stands in quotes, 'Q'"),
    ("a until b", 3, "g | (f & (f U g))"),
    ("not a", 1, "write !"),
    ("a and b", 3, "write &"),
    ("a or b", 3, "write |"),
    ("a implies b", 3, "write ->"),
    ("next a", 1, "X is strong here"),
    ("always a", 1, "f & G f"),
    ("eventually a", 1, "f | F f"),
    ("once a", 1, "f | P f"),
    ("historically a", 1, "f & H f"),
    ("a since b", 3, "g | (f & (f S g))"),
]


@pytest.mark.parametrize(("text", "position", "way"), SPELLINGS, ids=[text for text, _, _ in SPELLINGS])
def test_spellings_of_other_tools_are_refused_with_the_way_to_write_them(text, position, way, capsys):
    with pytest.raises(ParseError) as error:
        parse(text)
    assert error.value.position == position and way in error.value.hint
    assert cli.main(["bound", "logic", text]) == 2 and error.value.hint.split(";")[0] in " ".join(
        capsys.readouterr().err.split()
    )


def elsewhere(operator, f, g, i):
    """An operator of other tools by its definition, which takes in the position i; f and g by position."""
    n, at = len(f), {"f": f, "g": g}

    def until(left, right):
        return any(right[j] and all(left[k] for k in range(i, j)) for j in range(i, n))

    def since(left, right):
        return any(right[j] and all(left[k] for k in range(j + 1, i + 1)) for j in range(i + 1))

    negated = {name: [not value for value in values] for name, values in at.items()}
    return {
        "W": lambda: until(at["f"], at["g"]) or all(at["f"][i:]),
        "R": lambda: not until(negated["f"], negated["g"]),
        "V": lambda: not until(negated["f"], negated["g"]),
        "M": lambda: until(at["g"], [x and y for x, y in zip(at["f"], at["g"], strict=True)]),
        "T": lambda: not since(negated["f"], negated["g"]),
        "B": lambda: since(at["f"], at["g"]) or all(at["f"][: i + 1]),
        "O": lambda: any(at["f"][: i + 1]),
        "N": lambda: i == n - 1 or at["f"][i + 1],
        "Z": lambda: i == 0 or at["f"][i - 1],
        "until": lambda: until(at["f"], at["g"]),
        "since": lambda: since(at["f"], at["g"]),
        "release": lambda: not until(negated["f"], negated["g"]),
        "eventually": lambda: any(at["f"][i:]),
        "finally": lambda: any(at["f"][i:]),
        "globally": lambda: all(at["f"][i:]),
        "always": lambda: all(at["f"][i:]),
        "once": lambda: any(at["f"][: i + 1]),
        "historically": lambda: all(at["f"][: i + 1]),
        "last": lambda: i == n - 1,
        "yesterday": lambda: i > 0 and at["f"][i - 1],
        "previous": lambda: i > 0 and at["f"][i - 1],
        "next": lambda: i < n - 1 and at["f"][i + 1],
    }[operator]()


WAYS = HINTS | {word: way.removeprefix("write ").split(";")[0].split(" for ")[0] for word, way in WORDS.items()}
WAYS |= {"yesterday": "Y f", "previous": "Y f", "next": "X f"}
PLAIN = {"and", "or", "not", "xor", "implies", "iff", "tt", "ff"}


@pytest.mark.parametrize("operator", [operator for operator in WAYS if operator not in PLAIN])
def test_the_ways_say_what_the_operators_say(operator):
    # f and g may hold together elsewhere, so they stand for "a or b" and "b or c" here
    spelled = WAYS[operator].replace("f", "(a | b)").replace("g", "(b | c)")
    formula = parse(spelled)
    for length in (1, 2, 3, 4):
        for word in itertools.product("abcd", repeat=length):
            f, g = [x in "ab" for x in word], [x in "bc" for x in word]
            assert [holds(formula, word, i) for i in range(length)] == [elsewhere(operator, f, g, i) for i in range(length)]


def test_words_of_operators_are_letters_in_quotes():
    for word in WORDS:
        assert parse(f"'{word}'") == Atom(word) and parse(str(Atom(word) & ~Atom("a"))) == Atom(word) & ~Atom("a")


@pytest.mark.parametrize("text", ["X!a", "a U!b", "GFa", "F1", "0 S 1", "G!a", "X (!a)", "open U shut", "#[a] - #>[b] >= -1"])
def test_what_this_grammar_has_is_no_dialect(text):
    assert parse(str(parse(text))) == parse(text)


def test_the_answer_says_how_a_formula_is_read():
    assert "strict" in reading(parse("F a")) and "strict" not in reading(parse("a | b"))
    assert "next or previous" in reading(parse("X a")) and "counts take in" in reading(parse("#[a] >= 1"))
    for said in (bounds.logic("F a").quantity, bounds.layers(formula="F a").statement, repr(bounds.logic("a S b"))):
        assert "F, H, G are strict" in said and "one letter holds at each position" in said
    assert "at whose last position it holds" in bounds.logic("F a").quantity


def test_the_commands_say_how_a_formula_is_read(capsys):
    for line in (["bound", "logic", "F a"], ["bound", "layers", "--formula", "F a"], ["trace", "aba", "--formula", "F a"]):
        assert cli.main(line) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "are strict: they leave out the position where they stand" in out and "every position" in out
