"""The probe on layers as people write them, on the kinds of `depthjax.models`, and words that classes must answer alike."""

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax import probe
from depthjax.models.kinds import sequence_model
from depthjax.probe.adversaries import UNFORCED, _pairs
from theory.automata.classes import CLASSES, DEPTHS

WIDTH = 4
SWITCHES = {"mamba": {"expand": 1, "state": 1}, "signed_mamba": {"expand": 1, "state": 1}, "aussm": {"state": 1}}


def transitions(kind, letters=2):
    """The transition matrices of the first layer of a kind on random inputs, one for each letter."""
    model = sequence_model(
        kind, letters=letters, classes=2, width=WIDTH, max_depth=1, dtype="float64", **SWITCHES.get(kind, {})
    )
    mixer = model.layer.mixer
    inputs = jax.random.normal(jax.random.key(1), (letters, WIDTH), jnp.float64)
    variables = mixer.init(jax.random.key(0), jnp.zeros((16, 1, WIDTH), jnp.float64))

    def matrices(bound):
        if kind == "delta_product":
            keys, strengths = (np.asarray(part)[:, 0] for part in bound.factors(inputs))
            return [reflections(k, b) for k, b in zip(keys, strengths, strict=True)]
        if kind == "dense":
            return list(np.asarray(bound.matrices(inputs))[:, 0])
        return [np.diag(row) for row in np.asarray(bound.decay(inputs)).reshape(letters, -1)]

    return np.stack(matrices(mixer.bind(variables)))


def reflections(keys, strengths):
    product = np.eye(keys.shape[-1])
    for key, strength in zip(keys, strengths, strict=True):
        product = (np.eye(len(key)) - strength * np.outer(key, key)) @ product
    return product


@pytest.mark.parametrize("kind", ["gla", "mamba", "signed_mamba", "aussm", "delta_product", "dense"])
def test_diagonal_kinds_are_order_blind_and_the_others_are_not_solvable(kind):
    report = probe.recurrence(transitions(kind))
    diagonal = kind not in ("delta_product", "dense")
    assert report.is_order_blind is diagonal and report.is_solvable is diagonal


def test_a_plain_layer_of_a_stranger():
    gates = jax.random.normal(jax.random.key(0), (3, 4), jnp.float64)

    def step(h, letter):  # a gated recurrence whose gates depend on the letter alone
        keep = jax.nn.sigmoid(gates[letter])
        return keep * h + (1 - keep) * gates[letter]

    report = probe.recurrence(step, letters=3, states=4)
    assert report.derived_dimensions[-1] == 0 and report.derived_length == 2 and report.error_order(2) == float("inf")


def test_a_layer_in_flax_nnx():
    from flax import nnx

    class Rotation(nnx.Module):
        def __init__(self, rngs):
            self.embed = nnx.Embed(2, 3, rngs=rngs)

        def __call__(self, letter):
            x, y, z = self.embed(jnp.array(letter))
            return jax.scipy.linalg.expm(jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))

    report = probe.recurrence(Rotation(nnx.Rngs(0)), letters=2)
    assert report.derived_dimensions == (3, 3) and report.levi_dimension == 3


def test_a_layer_in_equinox():
    class Scaled(eqx.Module):
        rates: jax.Array

        def __call__(self, letter):
            return jnp.diag(jnp.exp(self.rates[letter]))

    assert probe.recurrence(Scaled(jnp.arange(6.0).reshape(2, 3)), letters=2).is_order_blind


def counter(tokens):
    """A network of one abelian layer: how often each letter occurred."""
    return jnp.cumsum(jax.nn.one_hot(tokens, 4, dtype=jnp.float64), axis=1)


def last_two(tokens):
    """A network with a window of one earlier letter."""
    before = jnp.pad(tokens, ((0, 0), (1, 0)))[:, :-1]
    return jax.nn.one_hot(4 * before + tokens, 16, dtype=jnp.float64)


def rotated(tokens):
    """A network that turns a vector by quarter turns about two axes; letters 0, 1 and 2, 3 undo each other."""
    turns = jnp.array([[[1, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]], jnp.float64)
    letters = jnp.stack([turns[0], turns[0].T, turns[1], turns[1].T])

    def one(word):
        return jax.lax.scan(lambda v, letter: (letters[letter] @ v,) * 2, jnp.array([1.0, 2, 4]), word)[1]

    return jax.vmap(one)(tokens)


INVERSES = (1, 0, 3, 2)


def test_words_of_a_class_are_answered_alike_by_its_members_and_not_by_others():
    assert probe.adversary(counter, "abelian", 1, alphabet=4).outside.value is None
    assert probe.adversary(last_two, "abelian", 1, alphabet=4).outside.value
    assert probe.adversary(last_two, "window", 1, alphabet=4, reach=1).outside.value is None
    assert probe.adversary(counter, "window", 1, alphabet=4, reach=1).outside.value


def test_laws_tell_how_deep_a_group_is():
    # quarter turns about two axes generate S4, of derived length 3
    outside = [probe.adversary(rotated, "abelian", k, alphabet=4, inverses=INVERSES).outside.value for k in (1, 2, 3)]
    assert outside[0] and outside[1] and outside[2] is None
    assert probe.adversary(rotated, "complex", 1, alphabet=4, inverses=INVERSES).outside.value


def test_words_of_a_group_are_wrong_somewhere():
    report = probe.adversary(lambda tokens: jnp.zeros((*tokens.shape, 24)), "abelian", 2, group="S4")
    assert report[0].must_fail and report[0].is_wrong and len(report) == 1
    assert json.loads(json.dumps(report.as_dict(), allow_nan=False))["pairs"][0]["is_wrong"]


def test_counting_formulas_are_fooled_by_known_lengths():
    # a network that counts changes of letter is no bounded counting formula
    report = probe.adversary(
        lambda t: jnp.cumsum(t[:, 1:] != t[:, :-1], axis=1)[
            :,
            -1:,
        ].astype(jnp.float64),
        "counting",
        2,
    )
    assert report.outside.value and report[0].words[0][:4] == (0, 0, 1, 1)


BAD = [
    (lambda: probe.adversary(lambda tokens: tokens.astype(float)[:, 1:], "abelian", 1), "one number of classes"),
    (lambda: probe.adversary(lambda tokens: -tokens, "abelian", 1), "expected classes 0, 1"),
    (lambda: probe.adversary(counter, "attention", 2), "conditional"),
    (lambda: probe.adversary(counter, "abelain", 1), "did you mean 'abelian'"),
    (lambda: probe.adversary(counter, "resnet", 2), "the classes are abelian"),
    (lambda: probe.adversary(counter, "abelian", 2), "records the whole word"),
    (lambda: probe.adversary(counter, "abelian", 2, alphabet=4, inverses=(1, 2, 3, 0)), "the inverse of 0 is 1"),
    (lambda: probe.adversary(counter, "abelian", 2, alphabet=2, inverses=(5, 1)), "does not exist"),
    (lambda: probe.adversary(counter, "abelian", 2, alphabet=2, inverses=(1, 0)), "two letters"),
    (lambda: probe.adversary(counter, "abelian", 3, group="S4"), "derived length 3"),
    (lambda: probe.adversary(counter, "window", 1), "reach"),
    (lambda: probe.adversary(counter, "counting", 4), "depth 2 and 3"),
    (lambda: probe.adversary(lambda t: counter(t)[:, ::-1], "abelian", 1), "not causal"),
    (lambda: probe.adversary(lambda t: counter(t) * jnp.nan, "abelian", 1), "NaN"),
    (lambda: probe.adversary(lambda t: counter(t)[0], "abelian", 1), "expected"),
    (lambda: probe.adversary(lambda t: jnp.eye(2)[t], "abelian", 1, group="S3"), "letter 2, 3 of the alphabet has no answers"),
    (lambda: probe.adversary(lambda t: counter(t)[..., 0].astype(float), "abelian", 1, threshold=np.inf), "a finite number"),
]


@pytest.mark.parametrize(("call", "word"), BAD)
def test_what_is_not_proved_or_not_a_network_is_refused(call, word):
    with pytest.raises(ValueError, match=word):
        call()


def test_labels_may_be_any_numbers():
    report = probe.adversary(lambda tokens: (jnp.cumsum(tokens, axis=1) % 2) * 10**9, "abelian", 1)
    assert [pair.answers for pair in report] == [(10**9, 10**9), (0, 0)] and report.outside.value is None
    told = probe.adversary(lambda tokens: tokens[:, ::-1].cumsum(1)[:, ::-1] * 0 + tokens[:, :1] * 10**9, "abelian", 1)
    assert told.outside.value and {pair.difference for pair in told} == {1.0}


def test_integer_answers_are_classes():
    parity = probe.adversary(lambda tokens: jnp.cumsum(tokens, axis=1) % 2, "abelian", 1)
    assert parity.outside.value is None and [pair.answers for pair in parity] == [(1, 1), (0, 0)]
    assert probe.adversary(lambda tokens: tokens[:, 0], "abelian", 1).outside.value
    labels = [probe.adversary(lambda tokens, kind=kind: tokens.astype(kind), "abelian", 1) for kind in (int, float)]
    assert [pair.answers for pair in labels[0]] == [pair.answers for pair in labels[1]] == [(0, 0), (1, 1)]


def test_every_class_has_words_or_a_reason_why_it_has_none():
    for cls in CLASSES:
        if cls in UNFORCED:
            with pytest.raises(ValueError, match="no words are known"):
                probe.adversary(counter, cls, 2)
        else:
            assert _pairs(cls, 2, 4, inverses=INVERSES, group=None, reach=1, coefficient=1)
    assert set(UNFORCED) <= set(CLASSES) and set(DEPTHS) | {"counting"} == set(CLASSES)
