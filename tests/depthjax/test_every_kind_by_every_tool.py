"""Every kind of network by every tool that takes one, and what each tool says of a network that it cannot ask."""

import subprocess
import sys

import equinox
import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax import export

from depthjax import probe, testing
from depthjax.adapters import adapted
from depthjax.adapters.letters import unknown_letters
from depthjax.arrays import array_of
from depthjax.tasks.words import Batch
from depthjax.training import Recipe, ensemble, trainable
from depthjax.verify import judge_equal

PARITY = np.array([[0, 1], [1, 0]])
WORDS = np.array([[0, 1, 1, 0], [1, 0, 0, 0]], np.int32)
RIGHT = np.cumsum(WORDS, axis=1) % 2
ROWS = np.array([[0.0], [1.0]], np.float32)  # an embedding of two letters


def scored(sums, scale=1.0):
    return scale * 8.0 * (2 * jax.nn.one_hot(sums % 2, 2, dtype=jnp.float32) - 1)


class Linen(flax.linen.Module):
    trains: bool = False
    averages: bool = True

    @flax.linen.compact
    def __call__(self, tokens):
        sums = jnp.cumsum(flax.linen.Embed(2, 1, embedding_init=lambda *_: jnp.asarray(ROWS))(tokens)[..., 0], axis=-1)
        found = flax.linen.Dropout(0.5, deterministic=not self.trains)(scored(jnp.round(sums).astype(int)))
        return found if self.averages else flax.linen.BatchNorm(use_running_average=False)(found)

    def both(self, tokens):
        return {"state": tokens, "logits": self(tokens)}


class Nnx(nnx.Module):
    """With tied parts, random counters that move at every call, and layers that train."""

    def __init__(self, rngs):
        self.embed, self.cell = nnx.Embed(2, 1, rngs=rngs), nnx.RNN(nnx.GRUCell(1, 1, rngs=rngs))
        self.embed.embedding[...] = jnp.asarray(ROWS)
        self.drop, self.norm, self.tied = nnx.Dropout(0.5, rngs=rngs), nnx.BatchNorm(2, rngs=rngs), self.embed

    def __call__(self, tokens):
        letters = self.tied(tokens)
        return self.norm(self.drop(scored(jnp.round(jnp.cumsum(letters[..., 0], axis=-1)).astype(int)))) + 0 * self.cell(
            letters
        )

    def both(self, tokens):
        return self(tokens), tokens


class Word(equinox.Module):
    """Of one word."""

    embed: equinox.nn.Embedding
    drop: equinox.nn.Dropout

    def __call__(self, word):
        sums = jnp.cumsum(jax.vmap(self.embed)(word)[..., 0])
        return self.drop(scored(jnp.round(sums).astype(int)))


class Several(equinox.Module):
    """Of a batch of words, which it may not read as one."""

    scale: jax.Array

    def __call__(self, tokens):
        return scored(jnp.cumsum(tokens, axis=1), self.scale)


class Both(equinox.Module):
    """Of a word, though a batch of words passes through it as well."""

    scale: jax.Array

    def __call__(self, word):
        return scored(jnp.cumsum(word, axis=0), self.scale)


def nnx_module(trains=False):
    module = Nnx(nnx.Rngs(0))
    (module.train if trains else module.eval)()
    return module


def word_module(trains=False):
    return Word(equinox.nn.Embedding(weight=jnp.asarray(ROWS)), equinox.nn.Dropout(0.5, inference=not trains))


TOKENS = jnp.zeros((2, 3), jnp.int32)
VARIABLES = Linen().init(jax.random.key(0), TOKENS)
BY_NUMPY = lambda tokens: 8.0 * (2 * np.eye(2)[np.cumsum(np.asarray(tokens), axis=1) % 2] - 1)  # noqa: E731
PAIR = (lambda params, tokens: scored(jnp.cumsum(params["rows"][tokens], axis=1).astype(int)), {"rows": jnp.array([0.0, 1.0])})


def of_haiku(state=False, rng=True):
    import haiku as hk

    def run(tokens):
        rows = hk.get_parameter("rows", (2, 1), init=lambda *_: jnp.asarray(ROWS))
        if state:
            hk.set_state("calls", hk.get_state("calls", (), init=jnp.zeros) + 1)
        return scored(jnp.cumsum(rows[tokens][..., 0], axis=1).astype(int))

    transformed = (hk.transform_with_state if state else hk.transform)(run)
    transformed = transformed if rng else hk.without_apply_rng(transformed)
    return transformed, transformed.init(jax.random.key(0), TOKENS)


def of_torch(trains=False, dtype="float32"):
    import torch

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding.from_pretrained(torch.tensor(ROWS), freeze=False)
            self.drop = torch.nn.Dropout(0.5)

        def forward(self, tokens):
            sums = torch.cumsum(self.embed(tokens)[..., 0], 1).round().long() % 2
            return self.drop(8.0 * (2 * torch.nn.functional.one_hot(sums, 2) - 1) + 0 * self.embed.weight.sum())

    return Network().train(trains).to(getattr(torch, dtype))


def exported_torch():
    import torch

    shapes = ({0: torch.export.Dim("batch"), 1: torch.export.Dim("length")},)
    return torch.export.export(of_torch(), (torch.zeros(4, 3, dtype=torch.long),), dynamic_shapes=shapes)


def exported(batch, length, pair=False):
    shape = export.symbolic_shape(f"{batch}, {length}")
    tokens = jax.ShapeDtypeStruct(shape, jnp.int32)
    if pair:
        return export.export(jax.jit(PAIR[0]))(jax.tree.map(jax.typeof, PAIR[1]), tokens), PAIR[1]
    return export.export(jax.jit(lambda tokens: scored(jnp.cumsum(tokens, axis=1))))(tokens)


KINDS = {
    "a function": lambda: lambda tokens: scored(jnp.cumsum(tokens, axis=1)),
    "a pair": lambda: PAIR,
    "flax.linen, bound": lambda: Linen().bind(VARIABLES),
    "flax.linen, with variables": lambda: (Linen(), VARIABLES),
    "flax.linen, apply": lambda: (Linen().apply, VARIABLES),
    "flax.nnx": nnx_module,
    "flax.nnx in a pair": lambda: (lambda module, tokens: module(tokens), nnx_module()),
    "equinox, of a word": word_module,
    "equinox, of a batch": lambda: Several(jnp.float32(1)),
    "equinox, a method": lambda: word_module().__call__,
    "equinox, filter_jit": lambda: equinox.filter_jit(word_module()),
    "equinox, filter_vmap": lambda: equinox.filter_vmap(Both(jnp.float32(1))),
    "haiku": of_haiku,
    "haiku, apply": lambda: (of_haiku()[0].apply, of_haiku()[1]),
    "haiku, apply without random numbers": lambda: (of_haiku(rng=False)[0].apply, of_haiku()[1]),
    "haiku with state": lambda: of_haiku(state=True),
    "numpy": lambda: BY_NUMPY,
    "PyTorch": of_torch,
    "PyTorch, bfloat16": lambda: of_torch(dtype="bfloat16"),
    "PyTorch, forward": lambda: of_torch().forward,
    "PyTorch, exported": exported_torch,
    "PyTorch, a function": lambda: (lambda module: lambda tokens: (module(tokens), tokens)[0])(of_torch()),
    "PyTorch, a function of tensors": lambda: (lambda module: lambda tokens: module(tokens.long()))(of_torch()),
    "an exported program": lambda: exported("batch", "length"),
    "an exported program of eight words": lambda: exported(8, "length"),
    "an exported program with parameters": lambda: exported("batch", "length", pair=True),
}
OF_A_WORD = ("equinox, of a word", "equinox, a method", "equinox, filter_jit")
HOST = {"numpy", *(kind for kind in KINDS if kind.startswith("PyTorch"))}


def needed(names):
    marks = {"haiku": pytest.mark.needs("haiku"), "PyTorch": pytest.mark.needs("torch")}
    return [pytest.param(name, marks=[mark for word, mark in marks.items() if name.startswith(word)]) for name in names]


def traces(network, kind):
    one, other = (words[0] if kind in OF_A_WORD else words for words in (WORDS, 1 - WORDS))  # taken as it is
    if kind not in HOST:
        return testing.traces_once(network, (one,), (other,)) is None
    with pytest.raises(TypeError, match="nothing of it is compiled"):
        testing.traces_once(network, (one,), (other,))
    return True


TOOLS = {
    "simulates": lambda network, kind: testing.simulates(network, PARITY, 4).startswith("all 16 words of length 4"),
    "computes": lambda network, kind: testing.computes(network, Odd(), 3).startswith("all 8 words of length 3"),
    "causal": lambda network, kind: testing.causal(network, 2, 4).startswith("all 16 words"),
    "traces_once": traces,
    "probe.network": lambda network, kind: probe.network(network, 2, 4, 100).first_difference(PARITY) is None,
    "probe.adversary": lambda network, kind: [p.answers for p in probe.adversary(network, "abelian", 1)] == [(1, 1), (0, 0)],
    "judge_equal": lambda network, kind: (
        judge_equal(array_of(adapted(network)(WORDS)).argmax(-1), RIGHT).outcome.value == "SUPPORTED"
    ),
}


class Odd:
    letters = "ab"

    def evaluate(self, words, letters):
        return np.cumsum(words, axis=1) % 2 == 1


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("kind", needed(KINDS))
def test_every_kind_by_every_tool(kind, tool):
    assert TOOLS[tool](KINDS[kind](), kind)


@pytest.mark.parametrize("kind", needed(["equinox, of a word", "flax.nnx", "PyTorch", "haiku with state"]))
def test_a_falsehood_is_refuted_in_every_kind(kind):
    with pytest.raises(AssertionError, match=r"first wrong word is \(1,\): after it comes 1, expected 0"):
        testing.simulates(KINDS[kind](), np.zeros((2, 2), int), 3)


def test_a_module_of_nnx_stays_as_it_was():
    module = nnx_module()
    before = [np.asarray(leaf) for leaf in jax.tree.leaves(nnx.state(module, nnx.Not(nnx.RngKey)))]
    testing.causal(module, 2, 4)
    after = [np.asarray(leaf) for leaf in jax.tree.leaves(nnx.state(module, nnx.Not(nnx.RngKey)))]
    assert all((one == other).all() for one, other in zip(before, after, strict=True))


@pytest.mark.needs("torch")
def test_what_is_called_through_numpy_is_said():
    assert testing.simulates(of_torch(), PARITY, 3).endswith("; a module of PyTorch, called through numpy: slow")
    report = probe.network(of_torch(), 2, 3, 100)
    assert report.note == "a module of PyTorch, called through numpy: slow" and report.as_dict()["note"] == report.note
    assert ("network", report.note, "certain", "") in report.rows()


@pytest.mark.needs("torch")
def test_numbers_of_other_libraries_are_judged():
    import torch

    numbers = torch.tensor([1.0, 2.0], requires_grad=True)
    assert judge_equal(numbers, [1.0, 2.0], floor=0.0).outcome.value == "SUPPORTED"
    assert judge_equal(nnx.Param(jnp.array([1, 2])), [1, 2]).outcome.value == "SUPPORTED"
    assert array_of(numbers.to(torch.bfloat16)).dtype == jnp.bfloat16
    testing.within(type("Two", (), {"at": lambda self: 2.0})(), numbers)


def test_no_library_is_imported_for_a_function():
    asked = "from depthjax import adapters, testing; adapters.adapted(lambda t: t); testing.causal(lambda t: t, 2, 2)"
    loaded = "import sys; print([m for m in ('torch', 'haiku', 'equinox', 'flax.nnx', 'flax.linen') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{asked}\n{loaded}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# training


def sample(key):
    tokens = jax.random.bernoulli(key, shape=(4, 3)).astype(jnp.int32)
    return Batch(tokens, jnp.cumsum(tokens, axis=1) % 2, jnp.ones((4, 3), jnp.float32))


def nnx_of(key):
    module = Nnx(nnx.Rngs(key))
    module.eval()
    return module


class Rows(equinox.Module):
    rows: jax.Array
    count: jax.Array

    def __call__(self, word):
        return self.rows[word]


TRAINED = {
    "a pair": lambda key: (lambda params, tokens: params[tokens], jax.random.normal(key, (2, 2))),
    "flax.linen": lambda key: (Linen(), Linen().init(key, TOKENS)),
    "flax.nnx": nnx_of,
    "equinox": lambda key: Rows(jax.random.normal(key, (2, 2)), jnp.array(3)),
    "haiku": lambda key: (of_haiku()[0], of_haiku()[0].init(key, TOKENS)),
}


@pytest.mark.parametrize("kind", needed(TRAINED))
def test_every_kind_is_trained_and_asked_again(kind):
    model = trainable(TRAINED[kind], TOKENS)
    recipe = Recipe(steps=2, record_every=1)
    runs = ensemble(jax.random.key(0), model.init, model.loss, sample, recipe, depths=[1], seeds=2)
    assert np.isfinite(runs.fit.losses).all() and runs.fit.losses.shape == (1, 2, 2)
    params = jax.tree.map(lambda leaf: leaf[0, 0], runs.fit.params)
    testing.causal((model.apply, params), 2, 3)


NOT_TRAINED = {
    "numpy": (lambda key: BY_NUMPY, TypeError, "gives JAX no gradients"),
    "an exported program": (lambda key: exported("batch", "length"), TypeError, "gives JAX no gradients"),
    "a function": (lambda key: KINDS["a function"](), ValueError, "without parameters of rounded numbers"),
    "PyTorch": (lambda key: of_torch(), TypeError, "gives JAX no gradients"),
    "a number": (3, TypeError, "expected a function of a key"),
}


@pytest.mark.parametrize("kind", needed(NOT_TRAINED))
def test_what_cannot_be_trained_is_refused(kind):
    make, error, words = NOT_TRAINED[kind]
    with pytest.raises(error, match=words):
        trainable(make, TOKENS)


# which part of the outputs is the answer


class Outputs(flax.struct.PyTreeNode):
    logits: jax.Array
    state: jax.Array


def right(tokens):
    return scored(jnp.cumsum(tokens, axis=1))


ANSWERS = {
    "the first of two": (lambda tokens: (right(tokens), tokens), 0, "answer=0"),
    "the last of two": (lambda tokens: [tokens, right(tokens)], -1, "answer=0"),
    "a key": (lambda tokens: {"logits": right(tokens), "state": tokens}, "logits", "answer='logits'"),
    "an attribute": (lambda tokens: Outputs(right(tokens), tokens), "logits", "answer='logits'"),
    "a part of a part": (lambda tokens: {"out": (tokens, right(tokens))}, ("out", 1), "answer='out'"),
    "a function": (lambda t: {"a": right(t) / 2, "b": right(t) / 2}, lambda out: out["a"] + out["b"], "answer='a'"),
    "a method of nnx": (nnx_module().both, 0, "answer=0"),
    "a method of linen": ((Linen().both, VARIABLES), "logits", "answer='(state|logits)'"),
    "numpy": (lambda tokens: {"logits": BY_NUMPY(tokens)}, "logits", "answer='logits'"),
}
ASK = {
    "simulates": lambda network, answer: testing.simulates(network, PARITY, 3, answer=answer),
    "causal": lambda network, answer: testing.causal(network, 2, 3, answer=answer),
    "network": lambda network, answer: probe.network(network, 2, 3, 50, answer=answer),
    "adversary": lambda network, answer: probe.adversary(network, "abelian", 1, answer=answer),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_answer_is_chosen_and_the_refusal_shows_how(case):
    network, answer, shown = ANSWERS[case]
    for ask in ASK.values():
        ask(network, answer)
        with pytest.raises(TypeError, match=f"expected one array, the answers; say which part they are, {shown}"):
            ask(network, None)


HEADS = {
    "two logits": lambda sums: scored(sums),
    "k logits": lambda sums: jnp.concatenate([scored(sums), jnp.full((*sums.shape, 2), -9.0, jnp.float32)], axis=-1),
    "one logit": lambda sums: 8.0 * (sums % 2).astype(float) - 4.5,
    "one logit with an axis": lambda sums: (8.0 * (sums % 2).astype(float) - 4.5)[..., None],
    "labels": lambda sums: sums % 2,
}


@pytest.mark.parametrize("whole", [False, True], ids=["at each position", "at the end"])
@pytest.mark.parametrize("head", HEADS)
def test_every_head_is_read_inside_a_dictionary(head, whole):
    def network(tokens):
        found = HEADS[head](jnp.cumsum(tokens, axis=1))
        return {"y": found[:, -1] if whole else found}

    testing.simulates(network, PARITY, 3, answer="y")
    assert probe.network(network, 2, 3, 200, answer="y").first_difference(PARITY) is None


# what cannot be asked

FIT = "look whether its parameters fit"
BAD_ROWS = {"params": {"Embed_0": {"embedding": jnp.zeros((3, 1))}}}


def wrong_nnx():
    module = nnx_module()
    module.norm = nnx.Linear(5, 5, rngs=nnx.Rngs(0))
    return module


def of_numbers():
    import torch

    return torch.nn.Linear(3, 2)


KEY, BATCHED = jax.random.key(0), Linen(averages=False)
MUST_RAISE = {
    "linen, parameters of another shape": (lambda: (Linen(), BAD_ROWS), ValueError, FIT),
    "linen, no parameters": (lambda: (Linen(), {}), ValueError, "pass all variables"),
    "linen, without variables": (Linen, TypeError, "has no variables"),
    "linen, Dropout trains": (lambda: (Linen(trains=True), VARIABLES), ValueError, "in training mode"),
    "linen, BatchNorm trains": (lambda: (BATCHED, BATCHED.init(KEY, TOKENS)), ValueError, "in training mode"),
    "nnx, trains": (lambda: nnx_module(trains=True), ValueError, r"training mode: BatchNorm .*, Dropout \(deterministic=False"),
    "nnx, parts that do not fit": (wrong_nnx, TypeError, FIT),
    "nnx inside a function": (lambda: (lambda module: lambda t: module(t))(nnx_module()), TypeError, "pass the module itself"),
    "nnx with variables": (lambda: (nnx_module(), {}), TypeError, "pass it alone"),
    "equinox, trains": (lambda: word_module(trains=True), ValueError, r"training mode: Dropout \(inference=False\)"),
    "equinox, parameters of another shape": (lambda: equinox.nn.MLP(9, 2, 4, 1, key=KEY), (TypeError, ValueError), FIT),
    "equinox, a word or a batch": (lambda: Both(jnp.float32(1)), TypeError, "say which it is for, by jax.vmap"),
    "haiku, alone": (lambda: of_haiku()[0], TypeError, "initialise first, params = transformed.init"),
    "haiku, parameters of another shape": (lambda: (of_haiku()[0], {"~": {"rows": jnp.zeros((5, 1))}}), ValueError, FIT),
    "haiku with state, without it": (
        lambda: (of_haiku(True)[0], of_haiku(True)[1][0]),
        TypeError,
        "pass .transformed, .params",
    ),
    "PyTorch, trains": (lambda: of_torch(trains=True), ValueError, r"training mode: Dropout \(training=True\)"),
    "PyTorch, of numbers": (of_numbers, ValueError, "integer tokens"),
    "an exported program of numbers": (
        lambda: export.export(jax.jit(jnp.sin))(jax.ShapeDtypeStruct((3, 4), jnp.float32)),
        TypeError,
        "expected integer tokens",
    ),
    "an exported program of another length": (lambda: exported("batch", 7), ValueError, "reads words of 7 letters"),
    "a class": (lambda: Nnx, TypeError, "is a class: expected a module that it makes"),
    "no such key": (lambda: adapted(lambda t: {"a": t}, "b"), ValueError, r"dict .'a'., which has no part 'b'; say answer='a'"),
    "an answer of one array": (lambda: adapted(right, 0), ValueError, "returns one array, which has no part 0"),
    "no numbers": (lambda: lambda tokens: (right(tokens) > 0).astype(complex), TypeError, "expected logits"),
    "an object": (lambda: lambda tokens: object(), TypeError, "expected one array"),
    "NaN": (lambda: lambda tokens: right(tokens) * jnp.nan, (ValueError, AssertionError), "nan|NaN"),
    "NaN of numpy": (lambda: lambda tokens: BY_NUMPY(tokens) * np.nan, (ValueError, AssertionError), "nan|NaN"),
}
LAX = {("no numbers", "causal")}  # causality is asked of any numbers


@pytest.mark.parametrize("case", needed(MUST_RAISE))
def test_what_cannot_be_asked_is_refused_by_every_tool(case):
    make, error, words = MUST_RAISE[case]
    for tool, ask in ASK.items():
        if (case, tool) not in LAX:
            with pytest.raises(error, match=words):
                ask(make(), None)


@pytest.mark.parametrize("kind", needed(["equinox, of a word", "flax.nnx", "flax.linen, bound", "haiku", "PyTorch"]))
def test_letters_out_of_range_are_refused_in_every_kind(kind):
    network, three = KINDS[kind](), np.array([[0, 1, 1], [1, 0, 0]])
    assert list(unknown_letters(network, range(5), (2, 4))) == [2, 3, 4]
    with pytest.raises(ValueError, match="reads 2 letters"):
        testing.simulates(network, three, 3)
    with pytest.raises(ValueError, match="letter 2 of the alphabet"):
        probe.network(network, 3, 3, 100)


@pytest.mark.parametrize("answer", [True, 1.5, (), ("a", None)])
def test_an_answer_that_chooses_nothing_is_refused(answer):
    with pytest.raises(TypeError, match="expected which part of the outputs is the answer"):
        adapted(right, answer)
