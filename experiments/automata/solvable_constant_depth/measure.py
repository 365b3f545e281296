"""Wrong states of cascades on words up to the longest length, and with each layer switched off; iterated commutators."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import lean_options
from depthjax.constructions.compiled.automaton import CompiledAutomaton, compile_cascade
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.automata._records import record

LENGTHS = (10, 100, 1_000)  # prefixes of one word, beside the whole


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong states among the first 10, 100, ... letters of random words, by every route; the layers that are missed."""
    cascade = record(given["cascade"])
    words = uniform_words(key, given["table"].shape[1], cell.samples, cell.longest)
    expected = prefix_products(jnp.asarray(given["table"]), words)
    lengths = [*(length for length in LENGTHS if length < cell.longest), cell.longest]
    routes = cell.routes.split(",")
    right = []
    for route in routes:
        found = _states(compile_cascade(cascade, to=route))(words, jnp.asarray(-1))
        right.append([int((found == expected)[:, :length].sum()) for length in lengths])
    return measured(
        right_states=Quantity(right, "route length", label="states read rightly"),
        asked=_asked(words),
        **_by_layer(cell, jax.random.fold_in(key, 1), given, given["known"], given["table"].shape[1]),
        layers=Quantity("|".join(compile_cascade(cascade).layers), label="what each layer does, lowest first"),
        built=Quantity(compile_cascade(cascade).depth, label="layers of the cascade"),
        perfect_order=_surviving(cell, key, given["perfect"]),
        solvable_order=_surviving(cell, key, given["solvable"]),
        products=Quantity(_products(given["table"]), "all", label="maps of the states that words are; their own inverses"),
        length=lengths,
        route=routes,
    )


def _by_layer(cell: Cell, key: jax.Array, given: dict, known: np.ndarray, letters: int) -> dict[str, Quantity]:
    """Wrong states on shorter words of the first letters, with all layers and with each of them switched off.

    They are words of which it is known how many of their states are wrong without a layer, and random ones.
    """
    compiled = compile_cascade(record(given["cascade"]))
    words = uniform_words(key, letters, cell.words, cell.short).at[: len(known)].set(jnp.asarray(known) % letters)
    expected, run = prefix_products(jnp.asarray(given["table"]), words), _states(compiled)
    wrong = [np.asarray(run(words, jnp.asarray(off)) != expected) for off in range(-1, compiled.depth)]
    full, *without = [int(one.sum()) for one in wrong]
    of_known = [int(one[: len(known)].sum()) for one in wrong[1:]]
    read = run(words, jnp.asarray(-1))
    return {
        "asked_short": _asked(words),
        "right_short": Quantity(int((read == expected).sum()), label=f"states read rightly, words of {cell.short} letters"),
        "states_short": Quantity(int(read.sum()), label="their sum"),
        "wrong_short": Quantity(full, label=f"states read wrongly, words of {cell.short} letters"),
        "wrong_with_fewer": Quantity(of_known[-1], label="the same of known words, the last layer switched off"),
        "wrong_with_each": Quantity(sum(of_known), label="the same with each layer switched off, one at a time"),
        "needed": Quantity(sum(wrong > 0 for wrong in without), label="layers without which states are wrong"),
    }


def _asked(words: jax.Array) -> Quantity:
    """How many different letters and words are read, and how long they are."""
    counts = [len(np.unique(words)), len(np.unique(words, axis=0)), words.shape[1]]
    return Quantity(counts, "counted", label="different letters, different words, their length")


def _states(compiled: CompiledAutomaton):
    # an attention layer sees the whole word; the other two may go through it in pieces
    chunk = None if compiled.to == "attention" else 25
    options = lean_options(jax.default_backend(), once=True)
    return jax.jit(lambda words, off: compiled(words, chunk=chunk, off=off), compiler_options=options)


def _surviving(cell: Cell, key: jax.Array, tables: list[np.ndarray]) -> Quantity:
    """How many elements of each group are random commutators of commutators of ... of its elements."""
    values = [iterated_commutators(key, jnp.asarray(t), len(t), cell.draws, cell.commutators + 1)[-1] for t in tables]
    return Quantity([len(np.unique(found)) for found in values], "group", label="elements that are iterated commutators")


def _products(table: np.ndarray) -> list[int]:
    """How many maps of the states the words are, the empty one included, and how many of them are their own inverses."""
    letters, identity = table.T, tuple(range(len(table)))
    found, new = {identity}, {identity}
    while new:
        new = {tuple(letter[list(word)].tolist()) for word in new for letter in letters} - found
        found |= new
    return [len(found), sum(tuple(word[state] for state in word) == identity for word in found)]


def one_letter(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Words of the first letter alone, in place of words of all letters."""
    found = _by_layer(cell, key, given, given["known"], 1)
    return measured(**{name: found[name] for name in ("needed", "asked_short", "right_short", "states_short")})


def state_out_of_reach(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The automaton with another state, to which no word leads."""
    another = given["another"]
    found = _by_layer(cell, key, another, given["known"], another["table"].shape[1])
    sizes = Quantity([compile_cascade(record(another["cascade"])).depth, len(another["table"])], "size")
    return measured(**{name: found[name] for name in ("needed", "asked_short", "right_short")}, layers_and_states=sizes)
