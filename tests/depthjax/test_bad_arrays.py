"""What the numerical functions refuse: wrong sizes, types and shapes, each by an error that says so."""

import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import TypeCheckError

from depthjax import log_signature
from depthjax.attention.heads import hard, softmax
from depthjax.constructions import hop_transformer
from depthjax.constructions.doubling.automaton import scan_automaton
from depthjax.constructions.doubling.looped import looped_automaton
from depthjax.cost import TooLarge
from depthjax.lie.lyndon import lyndon_basis, lyndon_words
from depthjax.models import sequence_model
from depthjax.scans.tables import prefix_products
from depthjax.training import Recipe

PATH = jnp.ones((3, 2))
SIGNATURES = TypeCheckError  # under test the signatures are read first, and speak of types
KINDS = (TypeError, ValueError)
MODEL = {"letters": 2, "width": 8, "max_depth": 1, "classes": 2}
HOP = {"hops": 2, "length": 8, "alphabet": 3}

# callable, positional, named, kinds of error, a word of the message
ROWS = [
    *(
        (log_signature, (PATH, order), {}, KINDS, "order")
        for order in (0, -1, 1.5, True, "2", None, float("nan"), b"2", np.float64(2))
    ),
    *((log_signature, (PATH, order), {}, (TooLarge,), "limit=") for order in (20, 40, 10**6, 10**400)),
    (log_signature, (jnp.ones((3, 300)), 4), {}, (TooLarge,), "limit="),
    *(
        (log_signature, (PATH, 2), {"limit": limit}, (ValueError,), "limit=")
        for limit in (0, -1, float("nan"), True, "4", None)
    ),
    (log_signature, (np.ones((3, 2), int), 2), {}, KINDS, "floating point"),
    (log_signature, (np.ones((3, 2), bool), 2), {}, KINDS, "floating point"),
    (log_signature, (np.ones((3, 2), complex), 2), {}, KINDS, "floating point"),
    (log_signature, (np.ones(3), 2), {}, KINDS, "axes"),
    (log_signature, (np.float64(3.0), 2), {}, KINDS, "axes"),
    (log_signature, (np.ones((0, 2)), 2), {}, KINDS, "length"),
    (log_signature, (np.ones((3, 0)), 2), {}, KINDS, "channels"),
    (lyndon_words, (2, 60), {}, (TooLarge,), "Lyndon words"),
    (lyndon_basis, (2, 60), {}, (TooLarge,), "Lyndon words"),
    *((lyndon_words, (letters, 3), {}, KINDS, "letters") for letters in (0, -1, 1.5, True, "2", None)),
    *((lyndon_words, (2, degree), {}, KINDS, "degree") for degree in (0, -1, 1.5, "2", None)),
    *((hop_transformer, (), {**HOP, "hops": hops}, KINDS, "hops") for hops in (0, -1, 1.5, True, "2", None, 9, 10**30)),
    *((hop_transformer, (), {**HOP, "length": length}, KINDS, "length") for length in (0, -1, 1.5, True, "8", None, 10**6)),
    *((hop_transformer, (), {**HOP, "alphabet": size}, KINDS, "alphabet") for size in (0, 1, -1, 1.5, True, "3", None)),
    *((hop_transformer, (), {**HOP, "mask": mask}, KINDS, "mask") for mask in ("", "nonsense", None, 3)),
    (hop_transformer, (), {**HOP, "dtype": "int32"}, KINDS, "floating point"),
    *(
        (hop_transformer, (), {**HOP, "sharpness": sharpness}, KINDS, "sharpness must be")
        for sharpness in (0, 0.0, -5, float("nan"), float("inf"), -float("inf"), "4", True, 1j)
    ),
    *(
        (call, (table, jnp.array([[0, 1, 1]])), {}, KINDS, "table")
        for call in (prefix_products, scan_automaton, lambda table, words: looped_automaton(table))
        for table in (np.array([[0, 1], [7, 0]]), np.array([[0, -1], [1, 0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    ),
    *((sequence_model, (kind,), MODEL, KINDS, "no model") for kind in ("", "nonsense", "RNN")),
    *((sequence_model, ("rnn",), {**MODEL, "letters": size}, KINDS, "letters") for size in (0, -1, 1.5, True, "2", None)),
    *((sequence_model, ("rnn",), {**MODEL, "width": size}, KINDS, "width") for size in (0, -1, 1.5, True, "2", None)),
    *((sequence_model, ("rnn",), {**MODEL, "max_depth": size}, KINDS, "max_depth") for size in (0, -1, 1.5, True, "2", None)),
    *((sequence_model, ("rnn",), {**MODEL, "classes": size}, KINDS, "classes") for size in (0, -1, 1.5, True, "2")),
    (sequence_model, ("rnn",), {**MODEL, "classes": None}, KINDS, "exactly one"),
    (sequence_model, ("rnn",), {**MODEL, "coordinates": 3}, KINDS, "exactly one"),
    (sequence_model, ("rnn",), {**MODEL, "dtype": "int32"}, KINDS, "int32"),
    (sequence_model, ("rnn",), {**MODEL, "nonsense": 1}, KINDS, "no switch"),
    (sequence_model, ("rnn",), {**MODEL, "heads": 2}, KINDS, "no switch"),
    (sequence_model, ("transformer",), {**MODEL, "heads": 3}, KINDS, "divisible"),
    (sequence_model, ("transformer",), {**MODEL, "heads": 0}, KINDS, "heads"),
    (sequence_model, ("transformer",), {**MODEL, "mask": "nonsense"}, KINDS, "mask"),
    (sequence_model, ("dense",), {**MODEL, "block": 3}, KINDS, "divisible"),
    *((Recipe, (), {"steps": steps}, KINDS, "steps") for steps in (0, -1)),
    *((Recipe, (), {"learning_rate": rate}, KINDS, "learning_rate") for rate in (0.0, -1.0, float("nan"), float("inf"))),
]


def test_every_bad_size_and_array_is_refused_and_told():
    wrong = []
    for call, positional, named, kinds, word in ROWS:
        try:
            call(*positional, **named)
            wrong.append((call.__name__, positional, named, "accepted"))
        except Exception as error:
            if not isinstance(error, (*kinds, SIGNATURES)) or not (word in str(error) or isinstance(error, SIGNATURES)):
                wrong.append((call.__name__, positional, named, type(error).__name__, str(error)[:300]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("weights", [hard, softmax, lambda scores, seen=None: hard(scores, seen, first=True)])
def test_a_score_that_is_no_number_spoils_its_row_alone(weights, kind):
    scores = jnp.array([[1.0, jnp.nan, 0.0], [1.0, 2.0, 0.0]]).astype(kind)
    found = weights(scores)
    assert jnp.isnan(found[0]).all() and found.dtype == kind and not jnp.isnan(found[1]).any()
    seen = weights(scores, jnp.array([True, False, True]))  # what is hidden spoils nothing
    assert not jnp.isnan(seen).any()
