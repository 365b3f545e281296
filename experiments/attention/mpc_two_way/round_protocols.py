r"""Massively parallel computation in rounds, and its R + 1 layers of attention.

There are q machines with memory for s words. In a round each machine computes anything from the words in its memory, and
sends at most s words. What a machine receives, at most s words in no order, is its memory afterwards; it keeps a word by
sending it to itself. A word is a whole number below W. At the start, the machines hold the input.

There are three protocols:

- *Prefix sums*: N machines with memory g take ceil(log_g N) rounds. In round r each machine sends its sum to the machines
  g^r, 2 g^r, ... places ahead.
- *Sorting*: q machines with memory 2 b, which sort b numbers each, take log2 q (log2 q + 1) / 2 rounds. They are the steps of a
  bitonic network whose comparators merge two shares and split them.
- *Components* of disjoint cycles: N machines with memory 3 take ceil(log2(N + 1)) - 1 rounds. Pointers to both sides double.

*By attention.* Positions are machines. Layer 1 carries each letter to its machine, and each further layer is a round: first the
feed-forward part computes, then s heads, one for each word that a machine may send, carry the words. The heads of one position
cannot tell several words apart that are addressed to it, but they can add them, as in `rounds`. So they
carry the powers w, w^2, ..., w^s of w = word + 1, and

    s numbers are determined by their first s power sums (Newton), a missing one being 0:

the feed-forward part finds them as the roots of a polynomial. Sums are exact while s W^s roundings stay below 1/8.

Source: Sanford, Hsu, Telgarsky, arXiv 2402.09268, Theorem 3.1 (R + 1 layers); the power sums are derived here.
"""

import dataclasses
import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer

from depthjax.checks import at_least
from depthjax.constructions.directions.layer import Heads, attended, retrieve
from depthjax.constructions.directions.stream import Stream, addressed

__all__ = ["Protocol", "by_attention", "cycle_components", "prefix_sum_rounds", "sorting_rounds"]


@dataclasses.dataclass(frozen=True)
class Protocol:
    """A computation in rounds.

    Attributes:
        machines: Number q of machines.
        memory: Number s of words that a machine holds, sends and receives.
        rounds: Number of rounds.
        largest: W, one more than the largest word.
        inputs: Number of input words.
        place: Input words -> the machine that holds each at the start, and the word there.
        local: Round (from 0), machine and its memory (words in descending order, -1 where there is none) -> destination (-1 for
            none) and word of each message, two arrays of `memory` numbers.
        read: Rounds that have passed, machine and its memory -> its output, an array.
    """

    machines: int
    memory: int
    rounds: int
    largest: int
    inputs: int
    place: Callable[[Array], tuple[Array, Array]]
    local: Callable[[Array, Array, Array], tuple[Array, Array]]
    read: Callable[[Array, Array, Array], Array]


def prefix_sum_rounds(machines: int, memory: int, letters: int) -> Protocol:
    """Return the protocol after which machine i holds the sum of the letters 0 ... i.

    Raises:
        ValueError: There is no machine, fewer than two words of memory, or fewer than two letters.

    >>> prefix_sum_rounds(9, 3, 2).rounds
    2
    """
    at_least("machines", machines, 1)
    at_least("memory", memory, 2, "a machine keeps its sum and receives another")
    at_least("letters", letters, 2)
    rounds = next(r for r in range(machines) if memory**r >= machines)

    def local(r: Array, machine: Array, held: Array) -> tuple[Array, Array]:
        ahead = machine + jnp.arange(memory) * jnp.asarray(memory) ** r
        return jnp.where(ahead < machines, ahead, -1), jnp.full(memory, _sum(held))

    return Protocol(
        machines,
        memory,
        rounds,
        largest=machines * (letters - 1) + 1,
        inputs=machines,
        place=lambda word: (jnp.arange(machines), word),
        local=local,
        read=lambda r, machine, held: _sum(held)[None],
    )


def _sum(held: Array) -> Array:
    return jnp.where(held >= 0, held, 0).sum()


def sorting_rounds(machines: int, share: int, letters: int) -> Protocol:
    """Return the protocol that sorts machines * share letters, `share` in each machine.

    Raises:
        ValueError: The number of machines is no power of two above 1, the share is below 1, or there is one letter.

    >>> sorting_rounds(4, 2, 8).rounds
    3
    """
    at_least("share", share, 1)
    at_least("letters", letters, 2)
    levels = machines.bit_length() - 1
    if machines != 1 << levels or levels < 1:
        raise ValueError(f"machines must be a power of two above 1, got {machines}: the bitonic network pairs them by bits")
    steps = [(level, bit) for level in range(1, levels + 1) for bit in reversed(range(level))]
    at = np.arange(machines)
    partner = jnp.asarray(np.stack([at ^ (1 << bit) for _, bit in steps]))
    keeps_less = jnp.asarray(np.stack([(at >> bit & 1) == (at >> level & 1) for level, bit in steps]))

    def kept(r: Array, machine: Array, held: Array) -> Array:
        less = (r > 0) & keeps_less[jnp.maximum(r - 1, 0), machine]
        return jnp.where(less, held[share:], held[:share])

    def local(r: Array, machine: Array, held: Array) -> tuple[Array, Array]:
        words = kept(r, machine, held)
        return jnp.repeat(jnp.stack([machine, partner[r, machine]]), share), jnp.concatenate([words, words])

    return Protocol(
        machines,
        2 * share,
        len(steps),
        largest=letters,
        inputs=machines * share,
        place=lambda word: (jnp.arange(machines * share) // share, word),
        local=local,
        read=lambda r, machine, held: kept(r, machine, held)[::-1],
    )


def cycle_components(vertices: int) -> Protocol:
    """Return the protocol after which each vertex of disjoint cycles holds the least vertex of its cycle.

    Letter i is left * vertices + right for the neighbours of vertex i.

    Raises:
        ValueError: There is no vertex.

    >>> cycle_components(16).rounds, cycle_components(15).rounds
    (4, 3)
    """
    square = at_least("vertices", vertices, 1) ** 2

    def known(r: Array, machine: Array, held: Array) -> tuple[Array, Array, Array]:
        kind, pointer, label = held // square, held // vertices % vertices, held % vertices
        found = [jnp.where(kind == side, pointer, 0).sum() for side in (1, 2)]
        least = jnp.where(held >= 0, label, vertices).min()
        first = held[0]
        start = (first // vertices, first % vertices, machine)
        return tuple(jnp.where(r == 0, a, b) for a, b in zip(start, (*found, least), strict=True))  # type: ignore[return-value]

    def local(r: Array, machine: Array, held: Array) -> tuple[Array, Array]:
        left, right, label = known(r, machine, held)
        words = jnp.stack([label, 2 * square + right * vertices + label, square + left * vertices + label])
        return jnp.stack([machine, left, right]), words

    return Protocol(
        vertices,
        3,
        vertices.bit_length() - 1,  # 2^(rounds + 1) - 1 vertices are seen, those of the longest cycle
        largest=3 * square,
        inputs=vertices,
        place=lambda word: (jnp.arange(vertices), word),
        local=local,
        read=lambda r, machine, held: known(r, machine, held)[2][None],
    )


def by_attention(
    protocol: Protocol, words: Integer[Array, "batch inputs"], *, powers: int | None = None
) -> Int[np.ndarray, "batch depth machines width"]:
    """Return what the machines put out after 0, 1, ..., rounds + 1 layers of softmax attention.

    Args:
        protocol: The protocol.
        words: Its inputs.
        powers: Number of power sums that the heads carry, 0 in place of the others (default: the memory, as many as it takes).

    Cost: (rounds + 1) * memory heads * machines * max(machines, inputs) scores a word.

    Raises:
        ValueError: The shape of `words` is wrong, `powers` is below 1, float64 is off, or it does not hold the power sums.

    >>> with jax.enable_x64(True):
    ...     by_attention(prefix_sum_rounds(4, 2, 2), jnp.array([[1, 0, 1, 1]]))[0, -1, :, 0].tolist()
    [1, 1, 2, 3]
    """
    powers = protocol.memory if powers is None else at_least("powers", powers, 1)
    words = jnp.asarray(words)
    if words.shape[-1] != protocol.inputs:
        raise ValueError(f"words have {words.shape[-1]} letters; the protocol reads {protocol.inputs}: give one for each input")
    if not jax.config.read("jax_enable_x64"):
        raise ValueError("float64 is switched off in JAX: call jax.config.update('jax_enable_x64', True) first")
    positions = max(protocol.machines, protocol.inputs)
    top = protocol.memory * protocol.largest**protocol.memory
    if top * (positions + 64) * float(np.finfo(float).eps) > 1 / 8:
        raise ValueError(
            f"power sums up to {top:,} at {positions} positions round to more than 1/8 in float64: use less memory or words"
        )
    return np.asarray(_attended(protocol, words, jnp.asarray(powers)))


@partial(jax.jit, static_argnums=0)
def _attended(protocol: Protocol, words: Array, powers: Array) -> Array:
    machine = jnp.arange(protocol.machines)
    directions, heads = _heads(protocol)

    def one(word: Array) -> Array:
        def carried(to: Array, what: Array) -> Array:
            """The memories, in descending order, after one layer of attention."""
            stream = _stream(protocol, to, what, powers)
            stream = attended(heads, stream, retrieve(heads, stream, "full"))
            sums = jnp.round(stream[1 : 1 + protocol.machines, directions.rows("read")]).astype(int)
            return jax.vmap(partial(_numbers, largest=protocol.largest))(sums) - 1

        def layer(held: Array, r: Array) -> tuple[Array, Array]:
            held = carried(*jax.vmap(partial(protocol.local, r))(machine, held))
            return held, read(r + 1, held)

        def read(r: Array, held: Array) -> Array:
            return jax.vmap(partial(protocol.read, r))(machine, held)

        to, what = protocol.place(word)
        held = carried(to[:, None], what[:, None])
        zero = jnp.zeros((), machine.dtype)
        nothing = read(zero, jnp.full_like(held, -1))
        later = jax.lax.scan(layer, held, jnp.arange(protocol.rounds))[1]
        return jnp.concatenate([nothing[None], read(zero, held)[None], later])

    return jax.lax.map(one, words)


def _heads(protocol: Protocol) -> tuple[Stream, Heads]:
    """A head for each message of a machine, which adds its power sums to those that the addressed machine reads."""
    memory, bits = protocol.memory, protocol.machines.bit_length()
    stream = Stream({"begin": 1, "one": 1, "name": bits, "to": memory * bits, "word": memory**2, "read": memory})
    top = memory * protocol.largest**memory
    sink, gap = math.log(8.0 * memory * top), math.log(8.0 * max(protocol.machines, protocol.inputs) * memory * top)
    names, codes, words = (stream.directions(name) for name in ("name", "to", "word"))
    heads = [
        stream.heads(
            *addressed(sink, gap, names, codes[h * bits : (h + 1) * bits]),
            {("read", k): {words[h * memory + k]: math.exp(sink)} for k in range(memory)},
        )
        for h in range(memory)
    ]
    return stream, jax.tree.map(lambda *matrices: jnp.stack(matrices), *heads)


def _stream(protocol: Protocol, to: Array, what: Array, powers: Array) -> Array:
    """The beginning, and the machines with the addresses and power sums of their messages; fields as in `_heads`."""
    memory, bits, positions = protocol.memory, protocol.machines.bit_length(), max(protocol.machines, protocol.inputs)
    room = ((0, positions - len(to)), (0, memory - to.shape[1]))
    to = jnp.pad(jnp.where(to < 0, protocol.machines, to), room, constant_values=protocol.machines)  # a name of no machine
    exponents = jnp.arange(1, memory + 1)[None, None, :]
    sums = jnp.where(exponents <= powers, (jnp.pad(what, room, constant_values=-1) + 1)[..., None] ** exponents, 0)
    one, nothing = jnp.ones((positions, 1)), jnp.zeros((positions, memory))
    fields = [0 * one, one, _signs(jnp.arange(positions), bits), _signs(to, bits), sums, nothing]
    stream = jnp.concatenate([field.reshape(positions, -1).astype(float) for field in fields], axis=1)
    return jnp.pad(stream, ((1, 0), (0, 0))).at[0, :2].set(1)


def _signs(names: Array, bits: int) -> Array:
    """The binary digits of names of machines as +-1, in a last axis."""
    digits = names[..., None] >> jnp.arange(bits).reshape((1,) * names.ndim + (bits,)) & 1
    return jnp.where(digits == 1, 1.0, -1.0)


def _numbers(sums: Array, largest: int) -> Array:
    """The numbers 0 ... largest with these power sums, as many as there are sums, in descending order."""
    count = len(sums)
    symmetric = [jnp.ones((), sums.dtype)]
    for k in range(1, count + 1):
        terms = [(-1) ** (i - 1) * symmetric[k - i] * sums[i - 1] for i in range(1, k + 1)]
        symmetric.append(sum(terms, jnp.zeros((), sums.dtype)) // k)
    polynomial = jnp.stack([(-1) ** k * e for k, e in enumerate(symmetric)])
    candidates = jnp.arange(largest + 1)[::-1]
    roots = []
    for _ in range(count):
        root = candidates[jnp.argmax(_horner(polynomial, candidates)[-1] == 0)]
        roots.append(root)
        polynomial = _horner(polynomial, root[None])[:-1, 0]
    return jnp.stack(roots)


def _horner(polynomial: Array, at: Array) -> Array:
    """The rows of Horner's scheme at some numbers: the coefficients of the quotient, and in the last row the value."""
    rows = [jnp.full_like(at, polynomial[0])]
    for coefficient in polynomial[1:]:
        rows.append(rows[-1] * at + coefficient)
    return jnp.stack(rows)
