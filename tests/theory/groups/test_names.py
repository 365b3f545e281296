"""Elements of groups have names that multiply as the elements do, and classes are labelled by them."""

import numpy as np
import pytest

from theory.groups import group
from theory.groups.names import cycles

NAMED = ("C1", "C6", "S3", "D4", "Q8", "A5", "C2xC3", "C7:C3", "SL2_3", "H3_3")


@pytest.mark.parametrize("name", NAMED)
def test_names_are_different_and_the_identity_comes_first(name):
    g = group(name)
    assert len(set(g.names)) == g.order
    assert set(g.names[0]) <= set("(e, )")


def test_cycles_say_what_the_permutation_does():
    g = group("A5")
    for permutation, name in zip(g.permutations, g.names, strict=True):
        image = list(range(5))
        for cycle in name.strip("()").split(")(") if name != "e" else []:
            points = [int(point) - 1 for point in cycle.split()]
            for here, there in zip(points, points[1:] + points[:1], strict=True):
                image[here] = there
        assert tuple(image) == permutation
    assert cycles((0, 1, 2)) == "e"


@pytest.mark.parametrize("name", ["C6", "Q8", "C7:C3", "SL2_3"])
def test_words_multiply_to_their_elements(name):
    g = group(name)
    letters = {letter: g.names.index(letter) for letter in "abcd" if letter in g.names}
    for element, word in enumerate(g.names):
        product = 0
        for factor in word.replace("e", "").split():
            letter, _, power = factor.partition("^")
            for _ in range(int(power or 1)):
                product = int(g.table[product, letters[letter]])
        assert product == element


def test_a_character_table_is_labelled_by_its_classes():
    g = group("S4")
    shown = str(g.characters).splitlines()
    assert len(shown) == 2 + len(g.conjugacy_classes) and all(label in shown[0] for label in g.characters.labels)
    assert [g.names.index(label) in members for label, members in zip(g.characters.labels, g.conjugacy_classes, strict=True)]
    assert g.characters._repr_latex_().count(r"\chi") == 5 and np.sum(g.characters.sizes) == 24
