"""Regular expressions against Python's: one language, or a refusal that says how to write it here."""

import itertools
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import cli, networks
from theory import bounds, cost
from theory.automata import named_or_loaded, regular, semiautomaton
from theory.automata.expression import Either, Letter, Product, Repeat, parse_expression
from theory.errors import ParseError

PIECES = [
    *"abA1-^$.*+?{}()[]|\\~#=!,:<>/'&é _",
    *["{2}", "{1,2}", "{,2}", "{2,}", "{0}", "a{2", "{2 }", "*?", "+?", "*+", "??", "{2}?", "{2}{2}"],
    *[
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\b",
        r"\B",
        r"\A",
        r"\Z",
        r"\z",
        r"\1",
        r"\0",
        r"\07",
        r"\e",
        r"\p{L}",
        r"\Qa\E",
    ],
    *[r"\n", r"\t", r"\r", r"\f", r"\v", r"\a", r"\x61", r"\x6", r"\u0061", r"\U00000061", r"\N{DIGIT ONE}", r"\k<x>", r"\G"],
    *[r"\-", r"\.", r"\\", r"\_", r"\/", r"\é", r"\<", r"\ ", r"\*", r"\(", r"\]"],
    *[
        "[ab]",
        "[^ab]",
        "[a-c]",
        "[[:alpha:]]",
        "[]a]",
        "[a-]",
        "[-a]",
        "[.]",
        "[a^]",
        "[^-]",
        "[+--]",
        r"[a\-c]",
        r"[\]]",
        r"[\b]",
    ],
    *[
        r"[\d]",
        r"[\ ]",
        "[a b]",
        "[a&&b]",
        "[a||b]",
        "[a--b]",
        "[a|b]",
        "[(*)]",
        "[^^]",
        "[^a-b]",
        r"[\x61-c]",
        "[c-a]",
        "[]",
        "[^]",
    ],
    *["(?:a)", "(?i)", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?P<x>a)", "(?P=x)", "(?>a)", "(?#a)", "(?(1)a|b)", "()", "(a|)"],
]


def python(text):
    """What Python reads, or None; blanks outside classes are skipped here, as under its flag VERBOSE."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # of classes inside classes, which Python means to read otherwise
        try:
            return re.compile(re.sub(r"(\\.)|[ \t\n\r\v\f]", r"\1", text, flags=re.DOTALL))
        except (re.error, OverflowError, FutureWarning):
            return None


def letters_of(part):
    match part:
        case Letter(of):
            return set(of)
        case Repeat(of):
            return letters_of(of)
        case Product(parts) | Either(parts):
            return set().union(*map(letters_of, parts))


def same_language(text):
    """None if one of the two refuses; else whether all words to length 5 (3 over many letters) get one answer."""
    try:
        named = letters_of(parse_expression(text))
    except ParseError:
        return None
    alphabet = tuple(sorted(named))[:5] if len(named) > 3 else tuple(sorted(named | set("ab\n")))
    twin = python(text)
    if twin is None or not named <= set(alphabet):
        return None
    dfa = regular(text, alphabet)
    return all(
        bool(dfa.accepts(word)) == bool(twin.fullmatch(word))
        for length in range(6 if len(alphabet) < 5 else 4)
        for word in map("".join, itertools.product(alphabet, repeat=length))
    )


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
@settings(max_examples=600, deadline=None)
def test_what_both_read_is_one_language(text):
    with cost.allow(0.05):
        assert same_language(text) is not False


def test_the_twin_has_teeth():
    read = [text for text in map("".join, itertools.product(PIECES[:24], ["a", "b", "[^ab]", r"\n"])) if same_language(text)]
    assert len(read) > 40  # both read a fair part of what is tried
    assert same_language("a.") and same_language(r".\n") and same_language(r"[^a]\x62")


FOREIGN = [
    (r"\d", 1, "[0-9]"),
    (r"a\w", 2, "[A-Za-z0-9_]"),
    (r"\s+", 1, r"\t"),
    (r"\D", 1, "[^0-9]"),
    (r"\W", 1, "[^A-Za-z0-9_]"),
    (r"\S", 1, "[^"),
    (r"[\d]", 2, "[0-9]"),
    (r"\bab\b", 1, "boundaries"),
    (r"\Aab", 1, "anchors"),
    (r"ab\Z", 3, "anchors"),
    (r"(a)\1", 4, "need not be regular"),
    (r"\k<x>", 1, "need not be regular"),
    (r"\p{Lu}", 1, "[a-z]"),
    (r"\Qa.b\E", 1, "backslash"),
    (r"\0", 1, r"\x00"),
    (r"\x6", 1, r"\x41"),
    (r"\u61", 1, r"\u0041"),
    (r"\N{DIGIT ONE}", 1, "code"),
    (r"\q", 1, "leave the backslash out"),
    ("^ab$", 1, "anchors"),
    ("ab$", 3, "anchors"),
    ("a+?", 3, "lazy"),
    ("a*+", 3, "possessive"),
    ("a{2}?", 5, "lazy"),
    ("(?:ab)*", 2, "plain brackets"),
    ("(?P<x>a)", 2, "no names"),
    ("(?<x>a)", 2, "no names"),
    ("(?P=x)", 2, "need not be regular"),
    ("(?i)a", 2, "[aA]"),
    ("(?i:a)", 2, "[aA]"),
    ("a(?=b)", 3, "lookaround"),
    ("a(?!b)", 3, "lookaround"),
    ("(?<=a)b", 2, "lookaround"),
    ("(?<!a)b", 2, "lookaround"),
    ("(?>a)", 2, "atomic"),
    ("(?#a)", 2, "comments"),
    ("(?(1)a|b)", 2, "conditions"),
    ("(?R)", 2, "recursion"),
    ("[[:alpha:]]", 2, "[a-z]"),
    ("[a&&b]", 3, "list their letters"),
    ("[a--b]", 3, "list their letters"),
    ("[a b]", 3, "backslash"),
    ("[]a]", 2, "backslash"),
    ("a&b", 2, "backslash"),
    ("a\u00a0b", 2, "backslash"),
    ("a{1 2}", 4, ""),
    ("a{ 2}", 3, ""),
    ("a{,}", 3, ""),
]


@pytest.mark.parametrize(("text", "position", "way"), FOREIGN)
def test_what_other_dialects_read_is_refused_with_the_way_to_write_it(text, position, way):
    for entry in (regular, lambda given: semiautomaton(f"regex:{given}"), lambda given: bounds.layers(expression=given)):
        with pytest.raises(ParseError) as error:
            entry(text)
        assert error.value.position == position and way in error.value.hint and way in str(error.value)
    assert cli.main(["bound", "layers", "--expression", text]) == 2


@pytest.mark.parametrize(
    ("ours", "elsewhere"),
    [
        ("[0-9]", r"\d"),
        ("[A-Za-z0-9_]", r"\w"),
        (r"[\ \t\n\r\f\v]", r"\s"),
        ("(a|b)c", "(?:a|b)c"),
        ("a+", "a+?"),
        ("[aA]b", "(?s:[aA]b)"),
    ],
)
def test_the_ways_that_refusals_name_are_right(ours, elsewhere):
    dfa, twin = regular(ours), re.compile(elsewhere, re.ASCII)
    for word in [*dfa.letters, *map("".join, itertools.product(dfa.letters[:3], repeat=2))]:
        assert bool(dfa.accepts(word)) == bool(twin.fullmatch(word))


def test_letters_by_their_codes():
    assert regular(r"\x41\u0042\U00000043\t\n").letters == ("\t", "\n", "A", "B", "C")
    assert repr(regular(r"\n|a")).endswith(r"letters '\n', a>")


def test_a_blank_is_skipped_unless_it_is_a_letter():
    assert regular("a b").letters == ("a", "b") and regular(r"a\ b").letters == (" ", "a", "b")
    with pytest.raises(ParseError, match="blanks are skipped"):
        regular("a b", "ab ")
    assert regular(r"a\ b", "ab ").accepts("a b")


def test_the_alphabet_changes_the_language_is_said_and_can_be_given(tmp_path, capsys):
    assert [bounds.layers(expression="(aa)*", letters=letters).number for letters in (None, "ab")] == [1, 2]
    assert "(letters a)" in bounds.layers(expression="(aa)*").statement
    assert "(letters a, b)" in repr(bounds.layers(expression="(aa)*", letters="ab"))
    assert "(letters a, b)" in bounds.automaton("regex:(aa)*", letters="ab").statement
    assert "letters a, b" in bounds.logic("(ab)*", expression=True).quantity
    assert named_or_loaded("regex:(aa)*", "ab").letters == ("a", "b") == networks.automaton("regex:(aa)*", letters="ab").letters
    for line in (
        ["bound", "layers", "--expression", "(aa)*"],
        ["bound", "automaton", "regex:(aa)*"],
        ["bound", "layers", "--automaton", "regex:(aa)*"],
        ["bound", "logic", "a*", "--expression"],
    ):
        for letters, said in (((), "letters a)"), (("--letters", "ab"), "letters a, b)")):
            assert cli.main([*line, *letters]) == 0
            assert said in " ".join(capsys.readouterr().out.split())
    assert cli.main(["trace", "aab", "--automaton", "regex:(aa)*", "--letters", "ab"]) == 0
    assert cli.main(["trace", "aab", "--automaton", "regex:(aa)*"]) == 2
    assert "--letters" in capsys.readouterr().err
    path = tmp_path / "two.json"
    path.write_text('{"regex": "(aa)*", "letters": "ab"}')
    assert bounds.automaton(str(path)).automaton.letters == ("a", "b")


@pytest.mark.parametrize("line", [["layers", "--group", "S4"], ["layers", "--algebra", "so3"], ["automaton", "D4"]])
def test_an_alphabet_that_belongs_to_nothing_is_refused(line, capsys):
    assert cli.main(["bound", *line, "--letters", "ab"]) == 2
    assert "letters" in capsys.readouterr().err
    assert cli.main(["trace", "abab", "--hops", "1", "--letters", "ab"]) == 2


@pytest.mark.parametrize("length", [30, 60])
def test_hopeless_automata_are_refused_before_they_are_searched(length, monkeypatch):
    seen = []
    original = cost.refuse
    monkeypatch.setattr("theory.automata.dfa.refuse", lambda estimate: (seen.append(estimate), original(estimate))[1])
    with pytest.raises(cost.TooExpensive):
        regular(f"(a|b)*a(a|b){{{length}}}")
    assert len(seen) < 8400  # few states were searched; random words promised the rest


def test_large_automata_that_are_affordable_are_not_refused():
    assert regular("(a|b)*a(a|b){13}").num_states == 2**14
    assert regular("(a{9000})*").num_states == 9000  # random words of one length end in one state here


def test_a_class_of_many_letters_is_one_letter_among_many():
    dfa = regular(r"[\x01-\u7fff]*b")
    assert len(dfa.letters) == 0x7FFF and dfa.num_states == 2 and dfa.accepts("ab") and not dfa.accepts("ba")
