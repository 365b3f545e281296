"""What the claim measures."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import lean_options
from depthjax.instruments.least_machine import least_machine
from depthjax.instruments.trained import Facts, watched
from depthjax.models import SequenceModel, sequence_model
from depthjax.probe.learning import disagreements
from depthjax.probe.machine import Machine
from depthjax.probe.teacher import OutOfQueries, Teacher
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import Batch, uniform_words
from depthjax.training import Fit, Learner, Recipe, Streams, trials
from depthjax.training.losses import cross_entropy
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Train networks on products, and on their cosets; learn the automaton of each from its answers."""
    table = given["table"]
    found = {
        "told": Quantity(_told(table), floor=0.0, label="letters of the words that tell one changed answer, for all answers")
    }
    tasks = {"": np.arange(len(table))} | ({"_of_cosets": given["cosets"]} if "cosets" in given else {})
    for number, (name, labels) in enumerate(tasks.items()):
        own = jax.random.fold_in(key, number)
        shared = jnp.asarray(table), jnp.asarray(labels)
        runs = trials(_network, cell, jax.random.split(own, cell.seeds), shared=shared, together=True)
        params, (facts, words) = runs.found
        found |= _automata(cell, own, table, params, name, runs.failed >= 0)
        found |= {
            f"{fact}{name}": Quantity(values, "seed", floor=floor, label=f"{label}{_said(name)}")
            for fact, (values, floor, label) in runs.finite(facts).named().items()
        }
        found[f"batch{name}"] = Quantity(words, "seed size", label=f"words and letters of a step{_said(name)}")
    return measured(**found)


def _said(name: str) -> str:
    """What the end of a quantity's name says, in words."""
    return name.replace("_", " ")


def untrained(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The automata of networks with the weights that training starts from, and how many of these are ones and zeros."""
    table = given["table"]
    params = jax.vmap(_model(cell, len(table)).init)(jax.random.split(key, cell.seeds))
    leaves = [np.asarray(leaf).reshape(cell.seeds, -1) for leaf in jax.tree.leaves(params)]
    counts = np.array([[(leaf == number).sum(axis=1) for number in (1, 0)] for leaf in leaves]).sum(axis=0).T
    return measured(
        **_automata(cell, key, table, params),
        plain=Quantity(counts, "seed number", label="weights that are one, and zero"),
    )


def _automata(
    cell: Cell, key: jax.Array, table: np.ndarray, params: Any, name: str = "", failed: Any = False
) -> dict[str, Quantity]:
    """States of the automata of all networks, and which are the Cayley machine."""
    table, apply = np.asarray(table), _apply(_model(cell, len(table)))
    cayley = Machine(table, table, [])
    networks = [jax.tree.map(lambda part, seed=seed: part[seed], params) for seed in range(cell.seeds)]
    draws = np.asarray(jax.random.randint(jax.random.fold_in(key, 2), (cell.seeds,), 0, 2**30))
    tried = [_extracted(cell, (apply, one), cayley, int(draw)) for one, draw in zip(networks, draws, strict=True)]
    states, same, compared = np.where(failed, np.nan, np.transpose(tried))
    return {
        f"states{name}": Quantity(np.median(states), floor=0.0, label=f"states of the typical automaton{_said(name)}"),
        f"is_cayley{name}": Quantity(same, "seed", label=f"the automaton is the Cayley machine{_said(name)}"),
        f"compared{name}": Quantity(np.median(compared), floor=0.0, label=f"letters at which both answer{_said(name)}"),
        f"states_by_seed{name}": Quantity(states, "seed", label=f"states of the automaton{_said(name)}"),
    }


def _told(table: np.ndarray) -> int:
    """Letters of the words that the comparison of automata finds where one answer of the Cayley machine is changed."""
    table = np.asarray(table)
    cayley, told = Machine(table, table, []), 0
    for place in np.ndindex(*table.shape):
        other = table.copy()
        other[place] = (other[place] + 1) % len(table)
        told += len(cayley.first_difference(cayley._replace(outputs=other)) or ())
    return told


def _extracted(cell: Cell, network: Any, cayley: Machine, draw: int) -> tuple[float, float, float]:
    """States of a network's automaton, and whether it is the Cayley machine and the network's own on words of the horizon.

    Beside them the number of letters of random words after which the network and its automaton were compared.
    """
    teacher = Teacher(network, cayley.table.shape[1], cell.horizon, cell.queries, draw)
    try:
        machine = least_machine(lambda words: teacher.ask(words)[:, words.shape[1] - 1], teacher.letters)
        before = teacher.words.size
        teacher.ask(teacher.random_words(cell.words))
    except OutOfQueries:  # more states than could be asked for
        return float(cell.queries), 0.0, 0.0
    same = machine.first_difference(cayley) is None and not disagreements(teacher, machine)
    return float(machine.states), float(same), float(teacher.words.size - before)


@cache
def _model(cell: Cell, order: int) -> SequenceModel:
    return sequence_model("dense", letters=order, classes=order, width=cell.width, max_depth=1)


@cache
def _apply(model: SequenceModel) -> Any:
    return jax.jit(model.apply, compiler_options=lean_options(jax.default_backend()))


def _network(cell: Cell, own: Streams, table: jax.Array, labels: jax.Array) -> Learner:
    order = len(table)
    model = _model(cell, order)
    recipe = Recipe(cell.steps, cell.rate, warmup=cell.steps // 20, clip=1.0, record_every=cell.steps)

    def sample(key: jax.Array) -> Batch:
        words = uniform_words(key, order, cell.batch, cell.length)
        return Batch(words, labels[prefix_products(table, words)], jnp.ones(words.shape, jnp.float32))

    def loss(params: Any, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
        return cross_entropy(model.apply(params, batch.tokens), batch)

    learner = watched(Learner(model.init(own.initial), loss, sample, recipe, lambda found: found.params), _layers)
    drawn = jnp.asarray(jax.eval_shape(sample, own.test).tokens.shape)

    def test(found: Fit) -> tuple[Any, tuple[Facts, jax.Array]]:
        params, facts = learner.test(found)
        return params, (facts, drawn)

    return learner._replace(test=test)


def _layers(params: Any) -> Any:
    return params["layers"]
