"""What a verdict found, in words: the headline of its claim, or what refuted it."""

import pytest

from depthjax.card import CardError, parse_card
from depthjax.report.words import found

CARD = '"""Title.\n\nStatement: it is so. $$ x $$\nHypotheses: none.\nSource: this project.\nRefuted by: y.\nCost: none.\n"""\n'
FILE = CARD + "CLAIM = claim(Relation.EQUALS)\n"


def finding(quantity, predicted, measured, outcome="SUPPORTED", **more):
    told = {
        "label": quantity,
        "relation": "equals",
        "points": 1,
        "margin": 1.0,
        "tightness": None,
        "where": {},
        "resolved": True,
    }
    return told | {"quantity": quantity, "predicted": predicted, "measured": measured, "outcome": outcome} | more


def entry(*findings, headline="", outcome="SUPPORTED"):
    return {"findings": findings, "outcome": outcome, "reason": "why", "claim": {"headline": headline} if headline else {}}


WORDS, LAYERS = finding("words", 64, 64), finding("layers", 2, 2)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (entry(WORDS, LAYERS), "words: 64, predicted 64"),  # the largest number tells most, where nobody says what does
        (entry(WORDS, LAYERS, headline="layers"), "layers: 2, predicted 2"),
        (entry(WORDS, LAYERS, headline="elsewhere"), "words: 64, predicted 64"),
        (
            entry(finding("words", 64, 63, "REFUTED"), LAYERS, headline="layers", outcome="REFUTED"),
            "words: 63, predicted 64",
        ),
        (entry(WORDS | {"resolved": False}, headline="words"), "why"),
    ],
)
def test_the_headline_is_what_was_found_unless_something_was_refuted(one, said):
    assert found(one).startswith(said)


def test_a_card_names_its_headline_without_being_run():
    assert parse_card(FILE, "mine", "claim.py").headline == ""
    assert parse_card(FILE + 'HEADLINE = "layers"\n', "mine", "claim.py").headline == "layers"
    for wrong in ("3", "DEPTH", '"a" + name'):
        with pytest.raises(CardError, match="HEADLINE"):
            parse_card(FILE + f"HEADLINE = {wrong}\n", "mine", "claim.py")
