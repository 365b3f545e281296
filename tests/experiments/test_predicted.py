"""What a sweep expects of a layer of one's own: what its declared class can do, and nothing without one."""

import pytest

from depthjax.models import Mixer, of_class, register
from depthjax.models.declared import DECLARED, declared_class
from depthjax.models.kinds import KINDS
from experiments.studies.predicted import succeeds
from theory.automata.limits import LIMITS
from theory.groups import group
from theory.groups.depth import expressible


@pytest.fixture
def own():
    """A function that registers a layer of a class, for one test."""
    kinds, declared = dict(KINDS), dict(DECLARED)

    def make(name):
        layer = type("Own", (Mixer,), {"__module__": __name__})
        KINDS.pop("own", None)
        return register("own")(layer if name is None else of_class(name)(layer))

    yield make
    for table, before in ((KINDS, kinds), (DECLARED, declared)):
        table.clear()
        table.update(before)


EXPECTED = {  # at depths 1, 2, 3
    ("positive", "C2"): [False, False, False],
    ("signed", "C2"): [True, True, True],
    ("signed", "D4"): [False, True, True],
    ("complex", "S4"): [False, False, True],
    ("time_invariant", "C2"): [False, False, False],
    ("delta_net", "C3"): [False, False, False],
    ("delta_product", "A5"): [True, True, True],
    ("rank_one", "C2"): [False, False, False],
    ("pd", "A5"): [True, True, True],
}


@pytest.mark.parametrize(("name", "target"), EXPECTED)
def test_a_declared_class_predicts(own, name, target):
    own(name)
    assert [succeeds("own", target, depth) for depth in (1, 2, 3)] == EXPECTED[name, target]
    assert declared_class("own") == name and name in LIMITS


def test_declared_kinds_agree_with_the_published_ones(own):
    for name, kind in {"positive": "mamba", "signed": "signed_mamba", "complex": "aussm", "dense": "rnn"}.items():
        own(name)
        for target in ("C1", "C2", "C3", "S3", "D4", "Q8", "A4"):
            for depth in (1, 2, 3):
                assert succeeds("own", target, depth) in (None, expressible(kind, group(target), depth)), (name, target, depth)


def test_without_a_class_nothing_is_predicted(own):
    own(None)
    assert succeeds("own", "S3", 2) is None and declared_class("own") is None and declared_class("two_layer") is None


def test_a_subclass_declares_its_own(own):
    layer = own("positive")
    assert type("Child", (layer,), {"__module__": __name__}) not in DECLARED


def test_a_class_that_does_not_exist_is_refused_before_training(own):
    own("postive")
    with pytest.raises(ValueError, match="did you mean 'positive'"):
        succeeds("own", "S3", 2)
    with pytest.raises(TypeError, match=r"is no layer|Type-check"):
        of_class("positive")(dict)
