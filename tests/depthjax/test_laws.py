"""The laws of `depthjax.testing`: true programs pass, a falsehood planted in one place is named by its smallest case."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depthjax import log_signature, testing
from depthjax.models import sequence_model
from depthjax.scans import sum_stream
from theory import bounds, strategies
from theory.groups import fourier, group, inverse_fourier
from theory.lie import LieAlgebra, named
from theory.logic import parse

few = settings(max_examples=25)
PARITY = np.array([[0, 1], [1, 0]])


def parity(tokens):
    return jnp.cumsum(tokens, axis=1) % 2


def run_table(table, tokens):
    """Any automaton of one size: the table is data."""
    step = lambda state, letter: (table[state, letter],) * 2  # noqa: E731
    return jax.vmap(lambda word: jax.lax.scan(step, jnp.int32(0), word)[1])(tokens)


def multiplied(x, y):
    return (x @ y) - (y @ x)


def scaled_sum(x):
    return jnp.cumsum(x) * jnp.where(jnp.arange(len(x)) == 3, 1.5, 1.0)


ROTATIONS = jnp.stack([jnp.roll(jnp.eye(4), shift, axis=0) for shift in range(4)])
S3, MODEL = group("S3"), sequence_model("rnn", letters=3, classes=2, width=4, max_depth=2, dtype="float64")
INIT = jax.jit(MODEL.init)
PARAMS = cache(lambda: INIT(jax.random.key(0)))  # drawn by a test, not while tests are collected
MATRICES = np.real(S3.irreps[2].matrices)


def wrong_at(array, place, change=0.5):
    array = np.array(array)
    array[place] += change
    return array


def scaled(x, depth):
    return x * jnp.asarray(depth, x.dtype)


def depth_in_python(x, depth):
    return sum([x] * depth)


def depth_off_by_one(x, depth):
    return x * (float(depth) if isinstance(depth, int) else jnp.where(depth == 2, 3.0, depth.astype(float)))


class Off:
    """A model whose steps are wrong from the third on."""

    letters = 3

    def apply(self, params, tokens):
        return jnp.cumsum(tokens, axis=1)[..., None].astype(float)

    def initial(self, batch, length):
        return jnp.zeros(batch), jnp.int32(0)

    def step(self, params, state, tokens):
        total, at = state
        total = total + tokens.astype(float) * jnp.where(at == 2, 2.0, 1.0)
        return (total, at + 1), total[:, None]


LAWS = {
    "simulates": (
        lambda run: testing.simulates(run, PARITY, 4),
        parity,
        lambda t: jnp.where(jnp.cumsum(t, axis=1) < 2, parity(t), 1),
        r"first wrong word is \(1, 1\): after it comes 1, expected 0.*Of the 16 words of length 4",
    ),
    "simulates by scores": (
        lambda run: testing.simulates(run, PARITY, 3),
        lambda t: jax.nn.one_hot(parity(t), 2),
        lambda t: jax.nn.one_hot(1 - parity(t), 2),
        r"first wrong word is \(0,\): after it comes 1",
    ),
    "computes": (
        lambda run: testing.computes(run, parse("P b"), 4, letters="ab"),
        lambda t: jnp.cumsum(t, 1) - t > 0,
        lambda t: jnp.cumsum(t, 1) > 0,
        r"first wrong word is \(1,\): its truth comes as 1, expected 0",
    ),
    "computes ahead": (
        lambda run: testing.computes(run, parse("X b"), 3, letters="ab"),
        lambda t: jnp.concatenate([t[:, 1:], 0 * t[:, :1]], axis=1),
        lambda t: t,
        r"first wrong word is \(1,\): its truth comes as 1, expected 0. Of the 2 words of length 1",
    ),
    "causal": (
        lambda run: testing.causal(run, 2, 4),
        parity,
        lambda t: jnp.flip(t, axis=1),
        r"not causal: on \(0, 0, 0, 0\) the answer at position 0 is 0, and 1 when the letter at position 3 becomes 1",
    ),
    "scan": (
        lambda scan: testing.scan_matches_recurrence(scan, lambda s, x: s + x, 0.0, jnp.arange(6.0)),
        jnp.cumsum,
        scaled_sum,
        "leaves the recurrence at position 3 of 6: the scan's state is 9, the recurrence's 6.*first 4 letters suffice",
    ),
    "stepwise": (
        lambda model: testing.parallel_matches_stepwise(model, PARAMS()),
        MODEL,
        Off(),
        r"leaves the stepwise form after \(\d, \d, [12]\): it gives",
    ),
    "depth": (
        lambda net: testing.depth_is_data(net, 3, jnp.ones(2)),
        scaled,
        depth_off_by_one,
        r"at depth 2 the form with a traced depth gives 3 at \(0,\), and the program of 2 layers 2",
    ),
    "depth in Python": (
        lambda net: testing.depth_is_data(net, 3, jnp.ones(2)),
        scaled,
        depth_in_python,
        "needs a Python number.*Skip layers with jax.lax.cond",
    ),
    "traces": (
        lambda arrays: testing.traces_once(jnp.sum, *((a,) for a in arrays)),
        [jnp.ones(3), jnp.zeros(3)],
        [jnp.ones(3), jnp.zeros(3), jnp.ones(4)],
        r"call 2 is compiled anew: argument leaf 0 is .*\[4\], and was .*\[3\]",
    ),
    "equivariant": (
        lambda f: testing.equivariant(f, jnp.matmul, jnp.matmul, ROTATIONS, jnp.eye(4) * 2),
        jnp.abs,
        lambda x: x * jnp.array([1.0, 1.0, 1.0, 3.0]),
        "element 1, .* moves input 2",
    ),
    "homomorphism": (
        lambda images: testing.homomorphism(images, S3),
        MATRICES,
        wrong_at(MATRICES, (4, 0, 0)),
        r"the images of 1 and [1-5] multiply to",
    ),
    "fourier": (
        lambda pair: testing.fourier_laws(*pair, S3),
        (lambda f: fourier(S3, f), lambda c: inverse_fourier(S3, c)),
        (lambda f: fourier(S3, f), lambda c: inverse_fourier(S3, [*c[:-1], 2 * np.asarray(c[-1])])),
        "inversion: the function that is 1 at element 0 comes back as",
    ),
    "lie": (
        lambda bracket: testing.lie_algebra(bracket, np.stack(named("so3").matrices).astype(float)),
        multiplied,
        lambda x, y: multiplied(x, y) + x[0, 1] * y - y[0, 1] * x,
        "the Jacobi identity fails for e_0, e_1, e_2: the cyclic sum",
    ),
    "chen": (
        lambda s: testing.chen(s, jnp.matmul, jnp.arange(6.0).reshape(3, 2) / 9),
        lambda x: jax.lax.scan(
            lambda m, dx: (m @ jax.scipy.linalg.expm(jnp.diag(dx[:1], 1) + jnp.diag(dx[1:], -1)), None), jnp.eye(2), x
        )[0],
        lambda x: jax.scipy.linalg.expm(jnp.diag(x.sum(0)[:1], 1) + jnp.diag(x.sum(0)[1:], -1)),
        "fails for the cut after 1 of 3 increments: the path's signature has",
    ),
    "within": (
        lambda measured: testing.within(bounds.magnus(3), measured, mass=np.array([0.25, 0.5])),
        [1e-6, 1e-5],
        [1e-6, 1e9],
        r"measured 1e\+09 at index \(1,\), mass=0.5, but the bound from above is",
    ),
    "order": (
        lambda error: testing.order(error, 3, 0.5 ** np.arange(3, 9)),
        lambda h: h**3,
        lambda h: h**2,
        "order 2, predicted 3.*three smallest steps",
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_and_names_the_smallest_case_of_a_planted_falsehood(name):
    law, true, false, words = LAWS[name]
    law(true)
    with pytest.raises(AssertionError, match=f"(?s){words}"):
        law(false)


def test_a_law_that_accepts_a_falsehood_is_found_out():
    law = lambda run: testing.simulates(run, PARITY, 1)  # noqa: E731
    assert "first wrong word is (0,)" in testing.falsehood_refuted(law, lambda t: 1 - parity(t))[0]
    with pytest.raises(AssertionError, match=r"accepts falsehood 1, .*cannot notice"):
        testing.falsehood_refuted(law, lambda t: 1 - parity(t), lambda t: t)  # one letter does not tell them apart


def test_exact_brackets_are_tried_exactly():
    algebra = named("sl2")
    testing.lie_algebra(algebra.bracket, np.eye(3, dtype=object))
    broken = wrong_at(algebra.constants.astype(object), (0, 1, 0), 1)
    with pytest.raises(AssertionError, match=r"not alternating: \[e_0, e_1\]"):
        testing.lie_algebra(LieAlgebra(broken).bracket, np.eye(3, dtype=object))


def test_a_signature_keeps_chen_in_the_first_degree():
    testing.chen(lambda x: log_signature(x, 1), jnp.add, jnp.arange(8.0).reshape(4, 2))


def test_a_supported_claim_passes_and_an_unknown_one_is_named():
    testing.claim("pairwise_masking_blind")
    with pytest.raises(ValueError, match="did you mean pairwise"):
        testing.claim("pairwise_masking_blond")
    with pytest.raises(ValueError, match=r"there is no file or folder .*nowhere.py"):
        testing.claim("nowhere.py")


def test_a_claim_has_float64_in_a_process_that_has_not_and_leaves_it_as_it_was():
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", False)
    try:
        testing.claim("pairwise_masking_blind")  # needs float64
        with pytest.raises(ValueError, match="did you mean pairwise"):
            testing.claim("pairwise_masking_blond")
        assert jax.config.read("jax_enable_x64") is False
    finally:
        jax.config.update("jax_enable_x64", before)


@few
@given(strategies.semiautomata(max_states=5))
def test_padded_automata_share_one_program(automaton):
    table = testing.padded(automaton, states=5, letters=3)
    testing.simulates((run_table, jnp.asarray(table)), automaton, 4)


@pytest.mark.slow
@settings(max_examples=10)
@given(strategies.words(3, min_length=6, max_length=6), st.integers(0, 3))
def test_a_model_keeps_its_laws_whatever_its_parameters(word, seed):
    params = INIT(jax.random.key(seed))
    testing.parallel_matches_stepwise(MODEL, params, jnp.asarray([word]))
    testing.causal((MODEL.apply, params), 3, 3)
    testing.depth_is_data((MODEL.apply, params), 2, jnp.asarray([word]))


REFUSED = [
    (lambda: testing.simulates(3, PARITY, 2), TypeError, r"expected a function apply\(tokens\), or a pair"),
    (lambda: testing.simulates(parity, [0, 1], 2), ValueError, r"integers of shape \(states, letters\)"),
    (lambda: testing.simulates(parity, [[0, 2]], 2), ValueError, "expected states 0 .. 0"),
    (lambda: testing.simulates(parity, PARITY, 10**9), ValueError, "length must be smaller, got 1000000000"),
    (lambda: testing.simulates(parity, PARITY, 2, state=2), ValueError, "expected a state of the automaton, 0 .. 1"),
    (lambda: testing.simulates(lambda t: t[1:], PARITY, 2), ValueError, "expected an answer for each position"),
    (
        lambda: testing.simulates(lambda t: jnp.zeros((*t.shape, 2)), np.zeros((3, 1), int), 2),
        ValueError,
        "2 scores .* 3 answers",
    ),
    (lambda: testing.causal(lambda t: t[:, 0], 2, 3), ValueError, "one answer for the whole word has no later letters"),
    (lambda: testing.causal(parity, 2, 10**9), ValueError, r"3.73e\+09 GiB, and a law reads at most"),
    (
        lambda: testing.scan_matches_recurrence(lambda x: x if x.sum() else -x, jnp.add, 0.0, jnp.ones(2)),
        TypeError,
        "needs concrete numbers",
    ),
    (
        lambda: testing.simulates((MODEL.apply, PARAMS()), np.zeros((2, 4), int), 2),
        ValueError,
        "reads 3 letters, .* spelled with 4",
    ),
    (lambda: testing.computes(parity, "P b", 2), TypeError, r"a method evaluate\(words, letters\).*parse a text first"),
    (lambda: testing.computes(parity, parse("P c"), 2, letters="ab"), ValueError, "speaks of the letter 'c'"),
    (lambda: testing.causal(parity, 2, 1), ValueError, "at least 2 of both"),
    (lambda: testing.scan_matches_recurrence(jnp.cumsum, 3, 0, jnp.ones(3)), TypeError, "expected a function step"),
    (
        lambda: testing.scan_matches_recurrence(lambda x: x[1:], jnp.add, 0.0, jnp.ones(3)),
        ValueError,
        r"states of shape \(2,\)",
    ),
    (lambda: testing.parallel_matches_stepwise(parity, ()), TypeError, "has no apply, initial, step: expected"),
    (lambda: testing.depth_is_data(parity, 0, jnp.ones(2)), ValueError, "depths = 0: expected at least 1"),
    (lambda: testing.traces_once(jnp.sum, (1.0,)), ValueError, "expected at least two"),
    (lambda: testing.traces_once(jnp.sum, 1.0, 2.0), TypeError, "arguments of each call as tuples"),
    (lambda: testing.equivariant(jnp.abs, 3, jnp.matmul, ROTATIONS, jnp.eye(4)), TypeError, "before = 3: expected a function"),
    (
        lambda: testing.equivariant(jnp.sum, jnp.matmul, lambda g, y: g @ (y * jnp.ones(4)), ROTATIONS, jnp.eye(4)),
        ValueError,
        "look at `after`",
    ),
    (lambda: testing.homomorphism(np.ones((5, 1, 1)), S3), ValueError, "one for each of the 6 elements"),
    (lambda: testing.homomorphism(np.zeros((6, 1, 1)), S3), AssertionError, "the image of the identity"),
    (lambda: testing.homomorphism(np.ones((2, 1, 1)), [[0, 1]]), ValueError, "square Cayley table"),
    (lambda: testing.homomorphism([[0, 1], [2, 0]], PARITY), ValueError, "the image of 1 is .* expected a permutation"),
    (lambda: testing.homomorphism([[0, 1], [-1, 0]], PARITY), ValueError, "the image of 1 is .* expected a permutation"),
    (lambda: testing.homomorphism(np.array([[[1]], [[127]]], "int8"), PARITY), AssertionError, "images of 1 and 1"),
    (lambda: testing.homomorphism(np.array([[[1]], [[255]]], "uint8"), PARITY), AssertionError, "images of 1 and 1"),
    (lambda: testing.scan_matches_recurrence(sum_stream, jnp.add, 0, jnp.arange(3)), ValueError, "gives 2 arrays .* chunks="),
    (lambda: testing.fourier_laws(lambda f: [f], np.asarray, S3), ValueError, "add up to the order 6"),
    (lambda: testing.fourier_laws(3, 3, S3), TypeError, "takes two functions"),
    (lambda: testing.lie_algebra(3, np.eye(3)), TypeError, "expected a function bracket"),
    (lambda: testing.lie_algebra(jnp.dot, np.eye(3)), ValueError, r"has shape \(\): expected the same"),
    (lambda: testing.chen(jnp.sum, jnp.add, jnp.ones(3)), ValueError, r"expected \(length, channels\)"),
    (lambda: testing.chen(jnp.sum, 3, jnp.ones((3, 1))), TypeError, "takes two functions"),
    (lambda: testing.within(3, 1.0), TypeError, r"expected an object with at\(\*\*numbers\)"),
    (lambda: testing.within(bounds.magnus(3), [1.0, 2.0, 3.0], mass=[0.1, 0.2]), ValueError, "expected shapes that broadcast"),
    (lambda: testing.order([1.0], 2, [0.5, 0.25]), ValueError, "expected one error for each step"),
    (lambda: testing.claim("pairwise_masking_blind", size="huge"), ValueError, "expected one of test, quick"),
    (lambda: testing.falsehood_refuted(3, 1), TypeError, "expected a function of one implementation"),
    (lambda: testing.falsehood_refuted(lambda x: None), ValueError, "expected at least one wrong implementation"),
    (lambda: testing.padded(PARITY, 1, 2), ValueError, "at most 1 and 2; pad"),
    (lambda: testing.lie_algebra(jnp.cross, np.zeros((0, 3))), ValueError, r"one or more along the first axis.*\(0, 3\)"),
    (lambda: testing.equivariant(jnp.abs, jnp.matmul, jnp.matmul, ROTATIONS, np.zeros((0, 4))), ValueError, "inputs: expected"),
    (lambda: testing.equivariant(jnp.abs, jnp.matmul, jnp.matmul, [], jnp.eye(4)), ValueError, "elements: expected one or"),
    (lambda: testing.scan_matches_recurrence(jnp.cumsum, jnp.add, 0, [1, 2]), ValueError, "pass numbers as an array"),
    (lambda: testing.within(bounds.magnus(3), 1j, mass=0.1), TypeError, "measured = 1j: expected real numbers"),
    (lambda: testing.within(bounds.magnus(3), "a", mass=0.1), TypeError, "measured = 'a': expected real numbers"),
    (lambda: testing.order(lambda h: [h, h], 2, [0.5, 0.25]), TypeError, "expected one number; take a norm"),
    (lambda: testing.order(lambda h: None, 2, [0.5, 0.25]), TypeError, r"error\(0.5\) = None: expected one number"),
    (lambda: testing.order([1.0, 0.5], 2, "ab"), TypeError, "steps = 'ab': expected real numbers"),
]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "bool", "float16", "bfloat16", "complex64"])
def test_permutation_matrices_of_every_type_are_a_homomorphism(kind):
    regular = np.eye(6)[group("S3").table].swapaxes(1, 2)
    testing.homomorphism(np.asarray(jnp.asarray(regular).astype(kind)), group("S3"))


def test_brackets_of_numpy_and_lists_are_tried_too():
    testing.lie_algebra(np.cross, np.eye(3, dtype=int).tolist())
    with pytest.raises(AssertionError, match="not alternating"):
        testing.lie_algebra(lambda x, y: np.cross(x, y) + np.asarray(x), np.eye(3))
    move = lambda order, x: x[order]  # noqa: E731
    testing.equivariant(jnp.abs, move, move, [[0, 1], [1, 0]], [[1.0, -2.0]])


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_a_law_cannot_be_asked_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
