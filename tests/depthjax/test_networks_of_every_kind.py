"""Laws and probes read the networks of every library and every head that people train, in one way; what is none is refused."""

from functools import partial

import equinox
import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from depthjax import dtypes, probe, testing
from depthjax.adapters import adapted, training_parts
from depthjax.adapters.answers import one_array
from depthjax.adapters.letters import unknown_letters
from depthjax.adapters.network import compiled
from depthjax.models import sequence_model
from depthjax.readout import head_of
from theory.groups import group

PARITY = np.array([[0, 1], [1, 0]])
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def parity(tokens):
    return jnp.cumsum(tokens, axis=1) % 2


def scores(tokens):
    return 8.0 * (2 * jax.nn.one_hot(parity(tokens), 2) - 1)


# libraries: a network that computes the parity of its letters, with two scores at every position


class Linen(flax.linen.Module):
    """With a Dropout that is switched off."""

    @flax.linen.compact
    def __call__(self, tokens):
        scale = self.param("scale", flax.linen.initializers.ones, (), float)
        return flax.linen.Dropout(0.5, deterministic=True)(scores(tokens) * scale)


class Nnx(nnx.Module):
    """With a Dropout, whose generator is state, and a BatchNorm."""

    def __init__(self):
        self.scale, self.dropout = nnx.Param(jnp.ones((), jnp.float32)), nnx.Dropout(0.5, rngs=nnx.Rngs(0))
        self.norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))

    def __call__(self, tokens):
        return self.norm(self.dropout(scores(tokens).astype(jnp.float32) * self.scale[...]))


class Equinox(equinox.Module):
    scale: jax.Array
    act: object = jax.nn.relu

    def __call__(self, tokens):
        return self.act(scores(tokens)) * self.scale - 1


class Unhashable:
    __hash__ = None

    def __call__(self, tokens):
        return scores(tokens)


def of_nnx(training):
    module = Nnx()
    (module.train if training else module.eval)()
    return module


LINEN = Linen()
VARIABLES = LINEN.init(jax.random.key(0), jnp.zeros((2, 3), int))
LIBRARIES = {
    "a function": lambda: scores,
    "a partial function": lambda: partial(lambda scale, tokens: scale * scores(tokens), 2.0),
    "jax.jit": lambda: jax.jit(scores),
    "a pair": lambda: (lambda params, tokens: params * scores(tokens), jnp.ones(())),
    "a pair with a dictionary": lambda: (lambda params, tokens: params["scale"] * scores(tokens), {"scale": jnp.ones(())}),
    "equinox": lambda: Equinox(jnp.ones(())),
    "a pair with an equinox module": lambda: (lambda module, tokens: module(tokens), Equinox(jnp.ones(()))),
    "jax.vmap of an equinox module": lambda: jax.vmap(lambda word: Equinox(jnp.ones(()))(word[None])[0]),
    "flax.nnx with state, evaluating": lambda: of_nnx(training=False),
    "a method of flax.nnx": lambda: of_nnx(training=False).__call__,
    "flax.linen, bound": lambda: Linen().bind(VARIABLES),
    "flax.linen, a pair": lambda: (Linen().apply, VARIABLES),
    "flax.linen, a partial application": lambda: partial(Linen().apply, VARIABLES),
    "flax.linen, partly told more": lambda: partial(Linen().apply, VARIABLES, mutable=False),
    "lists of numbers": lambda: lambda tokens: (np.cumsum(np.asarray(tokens), axis=1) % 2).tolist(),
    "an object that has no hash": Unhashable,
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_network_of_every_library_is_read_by_laws_and_probes(library):
    network = LIBRARIES[library]()
    assert testing.simulates(network, PARITY, 4) == "all 16 words of length 4"
    testing.causal(network, 2, 4)
    report = probe.network(network, 2, 4, 200)
    assert report.first_difference(PARITY) is None and report.standing == "certain"
    tried = probe.adversary(network, "abelian", 1)
    assert [pair.answers for pair in tried] == [(1, 1), (0, 0)] and not tried.outside.value


@pytest.mark.parametrize("library", ["flax.linen", "flax.nnx"])
def test_parameters_are_data_so_one_compilation_serves_all(library):
    def network(scale):
        if library == "flax.linen":
            return LINEN.apply, jax.tree.map(lambda part: part * scale, VARIABLES)
        module = of_nnx(training=False)
        module.scale[...] = jnp.float32(scale)
        return module

    testing.causal(network(1.0), 2, 4)
    testing.traces_once(network(1.0), (jnp.zeros((2, 4), int),), (jnp.ones((2, 4), int),))
    before = compiled._cache_size()
    for scale in (2.0, 3.0):
        testing.causal(network(scale), 2, 4)
    assert compiled._cache_size() == before


def test_numpy_is_asked_as_it_is():
    by_numpy = lambda tokens: np.cumsum(np.asarray(tokens), axis=1) % 2  # noqa: E731
    assert probe.network(by_numpy, 2, 4, 200).first_difference(PARITY) is None
    assert not probe.adversary(by_numpy, "abelian", 1).outside.value
    testing.causal(by_numpy, 2, 4)
    with pytest.raises(TypeError, match="needs concrete numbers, so nothing of it is compiled"):
        testing.traces_once(by_numpy, (np.ones((1, 2)),), (np.ones((1, 2)),))


def test_a_compiled_program_is_called_as_it_is():
    program = jax.jit(scores).lower(jnp.zeros((256, 4), jnp.int32)).compile()
    assert testing.simulates(program, PARITY, 4) == "all 16 words of length 4"


NO_NETWORKS = {
    "a number": (lambda: 3, "expected a function apply"),
    "three parts": (lambda: (scores, 1, 2), "expected a function apply"),
    "haiku's pair": (lambda: (jnp.zeros, scores), "two functions: expected a pair .*return .init, apply.: initialise first"),
    "parameters first": (lambda: ({"scale": 1.0}, lambda params, tokens: scores(tokens)), "expected the function first"),
    "a method of flax.linen without variables": (lambda: partial(Linen().apply), "has no variables"),
    "flax.linen without variables": (Linen, "has no variables: expected module.bind"),
    "logits and state": (lambda: lambda tokens: (scores(tokens), 0), r"returns a tuple \(2 parts\).*answer=0"),
    "a dictionary": (lambda: lambda tokens: {"logits": scores(tokens)}, r"returns a dict \('logits'\).*answer='logits'"),
    "a list": (lambda: lambda tokens: [scores(tokens), tokens], "returns a list"),
    "nothing": (lambda: lambda tokens: None, "returns None: expected one array"),
    "complex": (lambda: lambda tokens: scores(tokens).astype(complex), "expected logits"),
}
ASK = {
    "simulates": lambda network: testing.simulates(network, PARITY, 3),
    "network": lambda network: probe.network(network, 2, 3, 100),
    "adversary": lambda network: probe.adversary(network, "abelian", 1),
}


@pytest.mark.parametrize("ask", ASK)
@pytest.mark.parametrize("case", NO_NETWORKS)
def test_what_is_no_network_is_refused_in_words(case, ask):
    make, words = NO_NETWORKS[case]
    with pytest.raises(TypeError, match=words):
        ASK[ask](make())


# heads: what people train to answer, and how it is read


def logit(tokens):
    return 6.0 * parity(tokens).astype(float) - 2.5


HEADS = {  # the answer at every position; what is given of it
    "two scores": scores,
    "k scores": lambda t: jnp.concatenate([scores(t), jnp.full((*t.shape, 3), -jnp.inf)], axis=-1),
    "one-hot integers": lambda t: jax.nn.one_hot(parity(t), 2, dtype=int),
    "one-hot truth values": lambda t: jax.nn.one_hot(parity(t), 2) > 0,
    "one logit with an axis": lambda t: logit(t)[..., None],
    "one logit": logit,
    "one logit of tanh": lambda t: jnp.tanh(logit(t)),
    "labels": parity,
    "labels with an axis": lambda t: parity(t)[..., None],
    "truth values": lambda t: parity(t) == 1,
    "truth values with an axis": lambda t: (parity(t) == 1)[..., None],
    "labels as floats": lambda t: parity(t).astype(float),
    "bytes": lambda t: parity(t).astype(jnp.uint8),
}


@pytest.mark.parametrize("whole", [False, True], ids=["at each position", "at the end"])
@pytest.mark.parametrize("head", HEADS)
def test_every_head_is_read_rightly(head, whole):
    network = (lambda tokens: HEADS[head](tokens)[:, -1]) if whole else HEADS[head]
    testing.simulates(network, PARITY, 4)
    report = probe.network(network, 2, 4, 400)
    assert report.first_difference(PARITY) is None and report.standing == "certain"
    assert [pair.answers for pair in probe.adversary(network, "abelian", 1)] == [(1, 1), (0, 0)]
    with pytest.raises(AssertionError, match=r"first wrong word is \(1,\): after it comes 1, expected 0"):
        testing.simulates(network, np.zeros((2, 2), int), 4)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("head", ["two scores", "one logit", "one logit with an axis"])
def test_every_head_is_read_in_every_type(head, kind):
    network = lambda tokens: HEADS[head](tokens).astype(kind)  # noqa: E731
    testing.simulates(network, PARITY, 4)
    testing.causal(network, 2, 4)
    assert probe.network(network, 2, 4, 400).first_difference(PARITY) is None
    assert [pair.answers for pair in probe.adversary(network, "abelian", 1)] == [(1, 1), (0, 0)]


@pytest.mark.parametrize("axis", [True, False])
def test_one_number_for_the_word_with_positions_of_one(axis):
    last = lambda tokens: logit(tokens)[:, -1:, None] if axis else logit(tokens)[:, -1:]  # noqa: E731
    testing.simulates(last, PARITY, 4)
    assert probe.network(last, 2, 4, 400).first_difference(PARITY) is None


def test_scores_of_as_many_classes_as_letters_are_told_from_logits_of_positions():
    tokens = np.array([[0, 1, 1], [1, 0, 1]])
    assert head_of(lambda t: np.cumsum(t, 1) - 0.5, tokens).reads == "logit"
    assert head_of(lambda t: np.eye(3)[t.sum(axis=1) % 3] - 0.5, tokens).whole
    with pytest.raises(ValueError, match="expected one number of classes, or one number for each letter"):
        head_of(lambda t: np.zeros((2, 3)) if t.shape[1] == 3 else np.zeros((2, 7)), tokens)


UNREADABLE = {
    "probabilities": (lambda t: jax.nn.sigmoid(logit(t))[..., None], "between 0 and 1 .* as probabilities are"),
    "bits of labels": (lambda t: jnp.stack([t, t], axis=-1), "of which no one is the largest"),
    "no classes": (lambda t: jnp.zeros((*t.shape, 0)), r"shape \(\d+, \d+, 0\)"),
    "four axes": (lambda t: jnp.zeros((*t.shape, 2, 2)), "expected logits"),
    "too few positions": (lambda t: scores(t)[:, :0], "expected logits"),
}


@pytest.mark.parametrize("ask", ASK)
@pytest.mark.parametrize("case", UNREADABLE)
def test_what_can_be_read_in_two_ways_is_refused(case, ask):
    network, words = UNREADABLE[case]
    with pytest.raises(ValueError, match=words):
        ASK[ask](network)


def test_probabilities_are_read_by_their_threshold():
    network = UNREADABLE["probabilities"][0]
    testing.simulates(network, PARITY, 4, threshold=0.5)
    assert probe.network(network, 2, 4, 400, threshold=0.5).first_difference(PARITY) is None
    assert [pair.answers for pair in probe.adversary(network, "abelian", 1, threshold=0.5)] == [(1, 1), (0, 0)]
    assert probe.network(network, 2, 4, 400, threshold=0).automaton.states == 1


def test_one_logit_cannot_name_three_states():
    with pytest.raises(ValueError, match="one logit tells 2 answers apart, and there are 3"):
        testing.simulates(logit, np.zeros((3, 2), int), 3)


def test_one_state_may_have_an_axis_of_one_class():
    testing.simulates(lambda tokens: jnp.ones((*tokens.shape, 1)), group("C1"), 3)


# what a law says of a network that is none


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("size", [0.0, 30.0])
def test_a_leak_of_thirty_roundings_is_caught_in_every_type(kind, size):
    def leaks(tokens):
        return scores(tokens).astype(kind) + jnp.asarray(size * dtypes.eps(kind) * 8, kind) * tokens[:, -1:, None].astype(kind)

    if size:
        with pytest.raises(AssertionError, match="not causal"):
            testing.causal(leaks, 2, 6)
    else:
        testing.causal(leaks, 2, 6)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_convolution_by_transforms_is_causal(kind):
    def convolved(tokens):
        kernel = jnp.cos(jnp.arange(tokens.shape[1])).astype(kind)
        size = 2 * tokens.shape[1]
        transform = jnp.fft.rfft(tokens.astype(kind), size) * jnp.fft.rfft(kernel, size)[None]
        return jnp.fft.irfft(transform, size)[:, : tokens.shape[1]]

    testing.causal(convolved, 3, 64)


def of_batch_norm(tokens):
    x = scores(tokens)
    return (x - x.mean(axis=0, keepdims=True)) / (1 + x.std(axis=0, keepdims=True))


def counts_the_batch(tokens):
    return (parity(tokens) + tokens.sum(dtype=int).astype(tokens.dtype)) % 2


def sized_by_the_batch(tokens):
    return (parity(tokens) + int(len(tokens) < 256)) % 2


@pytest.mark.parametrize("network", [of_batch_norm, counts_the_batch, lambda t: of_nnx(training=True)(t)])
def test_answers_that_depend_on_the_batch_are_named(network):
    for law in (lambda: testing.causal(network, 2, 4), lambda: testing.simulates(network, PARITY, 4)):
        with pytest.raises(AssertionError, match=r"not a function of the word: .* in another batch"):
            law()


@pytest.mark.parametrize("network", [counts_the_batch, sized_by_the_batch])
def test_the_probe_asks_again_in_another_batch(network):
    with pytest.raises(ValueError, match="not a function of the word"):
        probe.network(network, 2, 4, 400)


def test_a_module_that_trains_is_named():
    module = of_nnx(training=True)
    assert training_parts(module) == ("BatchNorm (use_running_average=False)", "Dropout (deterministic=False)")
    assert not training_parts(of_nnx(training=False)) and training_parts(module.__call__)
    assert training_parts(equinox.nn.Dropout(0.5)) == ("Dropout (inference=False)",)
    for ask in (lambda: testing.causal(module, 2, 4), lambda: probe.network(module, 2, 4, 400)):
        with pytest.raises(ValueError, match=r"in training mode: .*Dropout \(deterministic=False\)"):
            ask()


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_none_is_said_to_be_none(kind, bad):
    right = lambda tokens: jnp.stack([scores(tokens)[..., 0], jnp.full(tokens.shape, bad)], axis=-1).astype(kind)  # noqa: E731
    for law in (lambda: testing.simulates(right, PARITY, 3), lambda: testing.causal(right, 2, 3)):
        with pytest.raises(AssertionError, match=f"the network answers {bad} to the word"):
            law()


TABLE = jnp.array([[0, 1], [1, 0]], jnp.int32)


def by_table(tokens):  # rows for two letters: JAX reads a third one as the second
    step = lambda state, letter: (TABLE[state, letter],) * 2  # noqa: E731
    return jax.vmap(lambda word: jax.lax.scan(step, jnp.int32(0), word)[1])(tokens)


CLAMPING = {
    "a table": by_table,
    "an embedding": lambda tokens: scores(jnp.array([0, 1])[tokens]),
    "equinox": lambda tokens: (
        jnp.cumsum(jax.vmap(jax.vmap(equinox.nn.Embedding(weight=jnp.array([[0.0], [1.0]]))))(tokens)[..., 0], 1) % 2
    ),
    "one_hot": lambda tokens: scores(jax.nn.one_hot(tokens, 2, dtype=int) @ jnp.array([0, 1])),
    "a pair": (lambda params, tokens: scores(params[tokens]), jnp.array([0, 1])),
    "take": lambda tokens: jnp.cumsum(jnp.take(jnp.array([0.0, 1.0]), tokens), 1) % 2,
    "a model": None,
}


def clamping(case):
    """A model is drawn by its test, not while tests are collected."""
    model = sequence_model("rnn", letters=2, classes=2, width=4, max_depth=1)
    return CLAMPING[case] or (model.apply, model.init(jax.random.key(0)))


@pytest.mark.parametrize("case", CLAMPING)
def test_letters_that_a_network_was_not_built_for_are_refused(case):
    network = clamping(case)
    three = np.array([[0, 1, 1], [1, 0, 0]])  # the third letter acts as the second: clamped, it would look right
    for ask in (lambda: testing.simulates(network, three, 3), lambda: testing.causal(network, 3, 3)):
        with pytest.raises((ValueError, AssertionError), match=r"reads 2 letters|answers nan"):
            ask()
    with pytest.raises(ValueError, match="letter 2 of the alphabet"):
        probe.network(network, 3, 3, 200)
    if case != "a model":
        testing.simulates(network, PARITY, 3)


def test_letters_are_known_where_nothing_is_looked_up():
    assert unknown_letters(parity, range(9), (4, 3)) == []
    assert unknown_letters(lambda t: scores(t % 2), range(9), (4, 3)) == []
    assert unknown_letters(CLAMPING["one_hot"], [0, 4, 2, 3], (4, 3)) == [2, 3, 4]
    assert unknown_letters(lambda t: jnp.eye(3)[jnp.arange(t.shape[1])][None] + t[..., None], range(5), (4, 3)) == []
    assert unknown_letters(CLAMPING["a table"], range(10**9), (4, 3))[0] == 2


def test_beyond_all_words_a_law_draws_some_and_says_so():
    wrong_from_eleven = lambda tokens: jnp.where(jnp.arange(tokens.shape[1]) < 10, parity(tokens), 0)  # noqa: E731
    assert testing.simulates(wrong_from_eleven, PARITY, 8) == "all 256 words of length 8"
    assert testing.simulates(parity, PARITY, 40) == "4096 drawn words of the about 2^40 of length 40"
    with pytest.raises(AssertionError, match=r"Of 4096 drawn words of the about 2\^40 of length 40, .* go wrong"):
        testing.simulates(wrong_from_eleven, PARITY, 40)


@pytest.mark.parametrize("kind", ["complex64", "complex128", "float32", "float16", "bfloat16"])
def test_a_homomorphism_is_held_to_its_roundings(kind):
    turns = np.exp(2j * np.pi * np.arange(8) / 8)
    matrices = (
        turns[:, None, None] if kind.startswith("c") else np.stack([[[z.real, -z.imag], [z.imag, z.real]] for z in turns])
    )
    images, table = matrices.astype(kind), np.add.outer(np.arange(8), np.arange(8)) % 8
    testing.homomorphism(images, table)
    images[3, 0, 0] += np.asarray(200 * dtypes.eps(kind), images.dtype)
    with pytest.raises(AssertionError, match="not a homomorphism"):
        testing.homomorphism(images, table)


def test_an_array_is_an_array():
    assert one_array(np.zeros(2)).shape == (2,) and one_array([0, 1]) == [0, 1]
    network = adapted((lambda params, tokens: params * tokens, 3))
    assert network.function(network.data, 2) == 6 and adapted(parity)(jnp.ones((1, 2), int)).tolist() == [[1, 0]]
