r"""Machines that compute in rounds, with every word counted: protocols, and any attention stack.

*Attention in rounds.* Let a layer have N positions, m numbers in a state of the stream, and c = values + 2 numbers in a partial
result: largest score, mass and sum of its head. There are N^2 machines (i, j). With memory for s words and the fan-out

    g = min(floor(s / 2m), floor((s - m) / c)),          T = ceil(log_g N),

T rounds spread the state i along row i and along column i, from the diagonal: after t rounds g^t machines know it. Then machine
(i, j) knows both its states and computes its score and value. T rounds merge the partial results of a row back to the diagonal,
which holds the next state. So a layer takes 2 T rounds, and no machine sends or receives more than s words.

Source: Sanford, Hsu, Telgarsky, arXiv 2402.09268, Theorem 3.4 (O(L) rounds, N^2 machines); trees, constants derived here.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, Integer

from depthjax.attention import visible
from depthjax.checks import at_least
from depthjax.constructions.directions.layer import Heads, attended, fed
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights
from experiments.attention.mpc_two_way.round_protocols import Protocol

__all__ = ["AttentionRun", "Machines", "attention_in_rounds", "fan_out", "run_natively"]


class Machines:
    """Machines that exchange words; every round counts what each sends and receives.

    Attributes:
        count: Number of machines.
        rounds: Rounds that have passed.
        peak: Most words that a machine sent or received in a round so far.

    >>> machines = Machines(3)
    >>> machines.exchange(np.array([0, 1]), np.array([2, 2]), 1)
    >>> machines.rounds, machines.peak
    (1, 2)
    """

    def __init__(self, count: int) -> None:
        self.count, self.rounds, self.peak = count, 0, 0

    def exchange(self, source: np.ndarray, destination: np.ndarray, words: int | np.ndarray) -> None:
        """Count one round of messages, each with this number of words."""
        sizes = np.broadcast_to(words, np.shape(source))
        self.rounds += 1
        for ends in (source, destination):
            self.peak = max(self.peak, int(np.bincount(ends, sizes, self.count).max(initial=0)))


def run_natively(
    protocol: Protocol, words: Integer[np.ndarray, " inputs"]
) -> tuple[Int[np.ndarray, "depth machines width"], Machines]:
    """Return what the machines of a protocol put out after 0, 1, ... rounds, and the counts.

    Raises:
        ValueError: A machine received more words than its memory holds; the message names it.

    >>> from experiments.attention.mpc_two_way.round_protocols import sorting_rounds
    >>> outputs, machines = run_natively(sorting_rounds(2, 2, 8), np.array([7, 1, 3, 2]))
    >>> outputs[-1].ravel().tolist(), machines.rounds, machines.peak
    ([1, 2, 3, 7], 1, 4)
    """
    machines, ids = Machines(protocol.machines), jnp.arange(protocol.machines)
    local, read = (jax.jit(jax.vmap(part, in_axes=(None, 0, 0))) for part in (protocol.local, protocol.read))
    to, what = (np.asarray(part) for part in protocol.place(jnp.asarray(words)))
    held = _delivered(protocol, to, what)
    outputs = [np.asarray(read(jnp.asarray(0), ids, jnp.asarray(held)))]
    for r in range(protocol.rounds):
        to, what = (np.asarray(part) for part in local(jnp.asarray(r), ids, jnp.asarray(held)))
        source = np.repeat(np.arange(protocol.machines), protocol.memory)[to.ravel() >= 0]
        to, what = to[to >= 0], what[to >= 0]
        machines.exchange(source, to, 1)
        held = _delivered(protocol, to, what)
        outputs.append(np.asarray(read(jnp.asarray(r + 1), ids, jnp.asarray(held))))
    return np.stack(outputs), machines


def _delivered(protocol: Protocol, to: np.ndarray, what: np.ndarray) -> np.ndarray:
    held = np.full((protocol.machines, protocol.memory), -1)
    for machine in range(protocol.machines):
        words = np.sort(what[to == machine])[::-1]
        if len(words) > protocol.memory:
            raise ValueError(
                f"machine {machine} receives {len(words)} words, but its memory holds {protocol.memory}: give it more"
            )
        held[machine, : len(words)] = words
    return held


def fan_out(memory: int, width: int, values: int) -> int:
    """Return to how many machines one can pass its states on in a round.

    Raises:
        ValueError: It is fewer than two, and no tree grows.

    >>> fan_out(64, 8, 1)
    4
    """
    found = min(memory // (2 * width), (memory - width) // (values + 2))
    if found < 2:
        raise ValueError(
            f"memory must be at least {max(4 * width, width + 2 * (values + 2))} words for states of {width} numbers, got "
            f"{memory}: two copies of two states, or a state and two partial results, must fit"
        )
    return found


class AttentionRun(NamedTuple):
    """Logits after the last layer, (length, classes), rounds, and the most words that a machine sent or received in one."""

    logits: np.ndarray
    rounds: int
    peak: int


def attention_in_rounds(
    model: CompiledTransformer, weights: TransformerWeights, tokens: Integer[np.ndarray, " length"], memory: int
) -> AttentionRun:
    """Run the layers of a transformer on machines with memory for a number of words.

    Cost: 2 layers log_g(N) rounds of N^2 machines.

    Raises:
        ValueError: The memory is too small for a tree (see `fan_out`), or the word is empty or too long.

    >>> from experiments.attention.mpc_two_way.rounds import prefix_sums
    >>> run = attention_in_rounds(*prefix_sums(4, 3), np.array([1, 0, 2, 2]), memory=16)
    >>> run.logits[:, 0].round().tolist(), run.rounds, run.peak
    ([1.0, 1.0, 3.0, 5.0], 6, 16)
    """
    at_least("length", len(tokens), 1)
    if len(tokens) >= len(weights.positions):
        raise ValueError(f"the word has {len(tokens)} letters, but the model reads {model.length}: build a longer one")
    begin = len(weights.letters) - 1
    stream = weights.letters[jnp.concatenate([jnp.array([begin]), jnp.asarray(tokens)])] + weights.positions[: len(tokens) + 1]
    machines = Machines(len(stream) ** 2)
    for layer, mask in zip(weights.layers, model.masks, strict=True):
        retrieved = _layer_in_rounds(machines, np.asarray(stream), layer.heads, mask, memory)
        stream = attended(layer.heads, stream, jnp.asarray(retrieved, stream.dtype))
        stream = fed(layer.units, stream, model.round)
    logits = np.asarray(stream[1:] @ weights.unembedding + weights.bias[None, :])
    return AttentionRun(logits, machines.rounds, machines.peak)


def _layer_in_rounds(machines: Machines, stream: np.ndarray, heads: Heads, mask: str, memory: int) -> np.ndarray:
    """What the head retrieves at every position."""
    size, width = stream.shape
    query, key, value = (np.asarray(matrix) for matrix in (heads.query, heads.key, heads.value))
    fan = fan_out(memory, width, value.shape[1])
    row, column = np.divmod(np.arange(size * size), size)
    along, across = (column - row) % size, (row - column) % size  # distances from the diagonal, in the row and in the column
    reach = 1
    known = [np.where(distance == 0, at, -1) for distance, at in ((along, row), (across, column))]  # whose states are here
    while reach < size:
        messages = []
        for state, distance, moves in ((known[0], along, (0, 1)), (known[1], across, (1, 0))):
            holds = np.flatnonzero(distance < reach)
            for copy in range(fan):
                to = holds[distance[holds] + copy * reach < size]
                target = (row[to] + moves[0] * copy * reach) % size * size + (column[to] + moves[1] * copy * reach) % size
                messages.append((to, target, state))
        sources, targets = (np.concatenate([message[end] for message in messages]) for end in (0, 1))
        machines.exchange(sources, targets, width)
        for source, target, state in messages:
            state[target] = state[source]
        reach *= fan
    position = jnp.arange(size)
    seen = np.asarray(visible(position, position, mask) | (position[:, None] + position[None, :] == 0))
    scores = np.einsum("pd,pd->p", stream[known[0]] @ query, stream[known[1]] @ key)
    top = np.where(seen[known[0], known[1]], scores, -np.inf)
    mass, total = np.ones(len(top)), stream[known[1]] @ value
    while reach > 1:
        reach //= fan
        holds = np.flatnonzero(along < reach * fan)
        target = row[holds] * size + (row[holds] + along[holds] % reach) % size
        diagonal = np.flatnonzero(along == 0)
        machines.exchange(
            np.concatenate([holds, diagonal]),
            np.concatenate([target, diagonal]),
            np.repeat([value.shape[1] + 2, width], [len(holds), len(diagonal)]),
        )
        top, mass, total = _merged(target, top[holds], mass[holds], total[holds], len(top))
    diagonal = np.flatnonzero(along == 0)
    return total[diagonal] / mass[diagonal][:, None]


def _merged(target: np.ndarray, top: np.ndarray, mass: np.ndarray, total: np.ndarray, count: int) -> tuple:
    """The partial results with one target joined: the largest score, and mass and sum relative to it."""
    best = np.full(count, -np.inf)
    np.maximum.at(best, target, top)
    weight = np.exp(top - np.where(np.isneginf(best), 0, best)[target])
    masses, totals = np.zeros(count), np.zeros((count, total.shape[1]))
    np.add.at(masses, target, weight * mass)
    np.add.at(totals, target, weight[:, None] * total)
    return best, masses, totals
