"""Statements in Lean 4: their text is balanced, every name is bound or one of mathlib's, and no proof is claimed."""

import json
import re
from pathlib import Path

import pytest

from experiments import cli

ROOMS = Path(__file__).parents[2] / "experiments"
FILES = sorted(ROOMS.glob("*/*/statement.lean"))
MATHLIB = set((Path(__file__).parent / "mathlib_names.txt").read_text(encoding="utf-8").split())
PAIRS = {"(": ")", "{": "}", "[": "]", "⟨": "⟩", "⁅": "⁆"}
WORDS = {"import", "Mathlib", "namespace", "end", "Depthjax", "variable", "def", "theorem", "inductive", "by", "sorry"}
WORDS |= {"fun", "if", "then", "else", "Type", "_", "ℕ", "ℝ", "ℂ"}
DECLARED = re.compile(r"^(?:def|theorem|inductive)\s+([\w.']+)", re.M)
CONSTRUCTOR = re.compile(r"^  \| (\w+)[^\n]* : [^\n]*$", re.M)
PATTERN = re.compile(r"^  \| ([^\n]*?) =>", re.M)
BINDER = re.compile(r"[(\[{]((?:[\w'σ]+ )+): ")
QUANTIFIED = re.compile(r"(?:∀|∃|∑|∏|fun)\s+((?:[\w']+[ ,]*?)+?)(?:\s*:|,|\s*=>)")


def names(text):
    """The identifiers of a text without its comments; of `x.field` the field alone, where x is no namespace."""
    text = re.sub(r"/-.*?-/|--[^\n]*|ᶜ", " ", text, flags=re.S)
    bound = set(DECLARED.findall(text)) | set(CONSTRUCTOR.findall(text))
    for found in [*BINDER.findall(text), *QUANTIFIED.findall(text), *PATTERN.findall(text)]:
        bound |= set(re.findall(r"[^\W\d][\w']*", found))
    used = set()
    for word in re.findall(r"(?<![\w.'])[^\W\d][\w'.]*[\w']|(?<=\))\.\w+|(?<![\w.'])[^\W\d](?![\w.'])", text):
        head, _, field = word.partition(".")
        used.add(field if field and (head == "" or head in bound) else word)
    return used, bound


def test_ten_claims_are_stated():
    assert len(FILES) >= 10
    assert {"tower_error_order", "scan_depth", "one_layer_bottleneck", "hop_depth_strict"} <= {f.parent.name for f in FILES}
    assert {"star_free_iff_aperiodic", "width_dichotomy"} <= {f.parent.name for f in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_statement_is_balanced(file):
    text, open_ = file.read_text(encoding="utf-8"), []
    assert text.count("/-") == text.count("-/")
    for place, sign in enumerate(re.sub(r"/-.*?-/", "", text, flags=re.S)):
        if sign in PAIRS:
            open_.append(PAIRS[sign])
        elif sign in PAIRS.values():
            assert open_.pop() == sign, place
    assert not open_
    assert text.startswith("import Mathlib\n") and text.endswith("end Depthjax\n") and max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_every_name_is_bound_or_one_of_mathlib(file):
    used, bound = names(file.read_text(encoding="utf-8"))
    assert used - bound - WORDS <= MATHLIB, used - bound - WORDS - MATHLIB


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_no_proof_is_claimed(file):
    text = file.read_text(encoding="utf-8")
    theorems = re.split(r"^theorem ", text, flags=re.M)[1:]
    assert theorems and all(theorem.count(":= by\n  sorry\n") == 1 for theorem in theorems)


def test_a_name_of_nobody_is_seen():
    used, bound = names("theorem x (n : ℕ) (L : Language n) : L.IsRegluar ∧ Nat.cloog 2 n = m := by\n  sorry\n")
    assert used - bound - WORDS - MATHLIB == {"IsRegluar", "Nat.cloog", "m"}


def test_every_committed_name_is_used():
    used = set().union(*(names(file.read_text(encoding="utf-8"))[0] for file in FILES))
    assert MATHLIB <= used, MATHLIB - used


def test_the_command_prints_the_statement(capsys):
    assert cli.main(["show", "scan_depth", "--lean"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("-- scan_depth: ") and "Not proved here" in text and "Nat.clog 2 T" in text
    assert cli.main(["show", "scan_depth", "--lean", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"version": 1, "slug": "scan_depth", "lean": text}


def test_a_claim_without_one_names_those_that_have_one(capsys):
    assert cli.main(["show", "truncation_order", "--lean"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "truncation_order has no statement in Lean" in told and "scan_depth" in told
