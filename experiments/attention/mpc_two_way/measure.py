"""Protocols run by machines and by attention, and a network run by machines with several memories."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import hop_transformer
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from depthjax.instruments.layers_needed import fewest_layers
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.mpc_two_way import parallel
from experiments.attention.mpc_two_way.parallel_machines import attention_in_rounds, run_natively
from experiments.attention.mpc_two_way.round_protocols import (
    Protocol,
    by_attention,
    cycle_components,
    prefix_sum_rounds,
    sorting_rounds,
)
from experiments.attention.mpc_two_way.rounds import prefix_sums, sort

HOPS = 3  # of the network for components


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Run the protocol natively and by attention, and the network on machines with several memories."""
    protocol, words, right = _posed(cell, given)
    native, machines = run_natively(protocol, words[0])
    by_sample = _wrong(protocol, words, right, protocol.memory)
    whole = by_sample.sum(axis=0)
    alone = (native != right[0]).sum(axis=(1, 2))
    model, weights = _network(cell)
    tokens = given["word"]
    expected = _answers(np.asarray(model.apply(weights, jnp.asarray(tokens)[None]))[0])
    runs = [attention_in_rounds(model, weights, tokens, s * model.width) for s in (*cell.memories, 2 * cell.memories[-1])]
    right_back = [int((_answers(run.logits) == expected).sum()) for run in runs]
    return measured(
        memory=np.array(cell.memories),
        layers=Quantity(_layers(whole), label="layers needed"),
        words=Quantity(machines.peak, label="most words sent or received"),
        wrong=Quantity(int(whole[-1] + alone[-1]), label="wrong outputs of attention and machines"),
        wrong_before=Quantity(int(whole[-2] + alone[-2]), label="the same a round before"),
        wrong_by_attention=Quantity(by_sample[:, 1:].sum(axis=1), "sample", label="wrong outputs of attention, all rounds"),
        wrong_of_machines=Quantity(alone.sum(), label="wrong outputs of machines, all rounds of the first sample"),
        right_outputs=Quantity(right.sum(axis=(1, 2)), "sample", label="sum of the right outputs"),
        rounds=Quantity([run.rounds for run in runs[:-1]], "memory", label="rounds of the network"),
        peak=Quantity([run.peak for run in runs[:-1]], "memory", label="most words sent or received", unit="words"),
        sent=Quantity([run.peak for run in runs[:-1]], "memory", label="the same, of which the number is known", unit="words"),
        peak_of_double=Quantity([run.peak for run in runs[1:]], "memory", label="the same, planned for twice the memory"),
        right_back=Quantity(right_back[:-1], "memory", label="right answers of the network on machines"),
        answers=Quantity(
            int((1 + np.arange(cell.length)) @ expected), label="answers of the network, each times its place, summed"
        ),
    )


def _layers(errors: np.ndarray) -> int:
    return fewest_layers(lambda layers: int(errors[layers]), len(errors) - 1)


def _answers(logits: np.ndarray) -> np.ndarray:
    """The whole numbers that a network answers: its one output, or its largest logit."""
    return np.round(logits[:, 0]) if logits.shape[1] == 1 else logits.argmax(axis=1)


def _network(cell: Cell) -> tuple[CompiledTransformer, TransformerWeights]:
    """A network that solves a problem of the same kind."""
    match cell.problem:
        case "prefix sums":
            return prefix_sums(cell.length, cell.alphabet, jnp.float64)
        case "sorting":
            return sort(cell.length, cell.alphabet, jnp.float64)
        case _:  # components
            return hop_transformer(HOPS, cell.length, cell.alphabet, dtype=jnp.float64)


def _posed(cell: Cell, given: dict) -> tuple[Protocol, np.ndarray, np.ndarray]:
    """The protocol, the inputs (samples, inputs), and what the machines should put out, (samples, machines, width)."""
    words = given["words"]
    protocol = _protocol(cell.problem, cell.machines, cell.share, cell.letters)
    match cell.problem:
        case "prefix sums":
            return protocol, words, parallel.prefix_sums(words)
        case "sorting":
            return protocol, words, parallel.sorted_shares(words, cell.machines)
        case _:  # components
            return protocol, words, parallel.cycle_minima(words)


@cache
def _protocol(problem: str, machines: int, share: int, letters: int) -> Protocol:
    """The protocol; one object for the claim and its control, which then run one program."""
    match problem:
        case "prefix sums":
            return prefix_sum_rounds(machines, share, letters)
        case "sorting":
            return sorting_rounds(machines, share, letters)
        case _:  # components
            return cycle_components(machines)


def half_the_memory(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Layers of attention if half as many power sums carry the words of a round; one more than all if it stays wrong."""
    protocol, words, right = _posed(cell, given)
    return measured(
        layers=Quantity(_layers(_wrong(protocol, words, right, protocol.memory // 2).sum(axis=0)), label="layers needed")
    )


def _wrong(protocol: Protocol, words: np.ndarray, right: np.ndarray, powers: int) -> np.ndarray:
    """Wrong outputs of attention in each sample after every layer."""
    return (by_attention(protocol, jnp.asarray(words), powers=powers) != right[:, None]).sum(axis=(2, 3))
