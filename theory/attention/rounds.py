r"""Rounds of massively parallel computation and layers of attention: each simulates the other at a known price.

There are q machines with memory for s words. In a round each machine computes anything, sends at most s words and receives at
most s words, which are its memory afterwards. N input words lie on the machines at the start.

*R rounds become R + 1 layers* of attention with q positions: one layer carries each input word to its machine, and one each
round. A position has s heads, one for each word that it may send. They carry the power sums of the words addressed to a
position, and s power sums determine s words.

*L layers become 2 L ceil(log_g N) rounds* of N^2 machines: with states of m numbers and partial results of c = values + 2
numbers, trees of fan-out g = min(floor(s / 2m), floor((s - m) / c)) spread states and merge results. With s = N^delta m this
is O(L / delta) rounds; with s >= N max(2m, c) + m it is 2 L. So depth and rounds agree up to a constant factor at memory
polynomial in N.

Three protocols, with the memory and the rounds that they take:

- *Prefix sums* of N words: memory g, ceil(log_g N) rounds. After r rounds each machine's sum covers g^r words. With a round
  fewer the sum of the last machine lacks a word.
- *Sorting* of q b words: memory 2 b, log2 q (log2 q + 1) / 2 rounds, one for each row of comparators of a bitonic network. With
  a row fewer the network does not sort.
- *Components* of disjoint cycles on N vertices: memory 3, ceil(log2(N + 1)) - 1 rounds. After r rounds and the input a vertex
  has seen 2^(r + 1) - 1 vertices. With a round fewer the vertex farthest from the least of the longest cycle has not seen it.

Source: Sanford, Hsu, Telgarsky, arXiv 2402.09268, Theorems 3.1 and 3.4; trees, power sums and protocols are derived here.
"""

from __future__ import annotations

from typing import Literal

import sympy
from sympy.logic.boolalg import Boolean

from theory.bound import Assumption, Bound, integral
from theory.checks import integer, positive_integer
from theory.registry import registered

__all__ = ["attention_rounds", "mpc", "protocol_memory", "protocol_rounds"]

Protocols = Literal["prefix sums", "sorting", "components"]
_SOURCE = "Sanford, Hsu, Telgarsky, arXiv 2402.09268, Theorem {}; the construction is derived (theory.attention.rounds)"


@registered
def mpc(rounds: int, memory: int, machines: int, inputs: int) -> Bound:
    """Return the layers of attention that simulate rounds of massively parallel computation.

    Args:
        rounds: Number of rounds R.
        memory: Words s that a machine holds, sends and receives, at least 1; also the number of heads.
        machines: Number of machines, the positions of the attention.
        inputs: Number of input words; they must fit the machines.

    Raises:
        ValueError: `rounds` is negative, or another number is not an integer >= 1.

    >>> mpc(rounds=3, memory=4, machines=4, inputs=8).at()
    4.0
    """
    r = sympy.Symbol("rounds", nonnegative=True)
    sizes = {"memory": memory, "machines": machines, "inputs": inputs}
    s, q, n = (positive_integer(name, number, "a size of the machines") for name, number in sizes.items())
    return Bound(
        expr=r + 1,
        quantity=f"the layers of attention, with {s} heads of {s} numbers each, that simulate the rounds",
        assumes=(
            integral(r, least=0),
            Assumption(f"the input of {n} words fits {q} machines with {s} words each", _truth(n <= q * s)),
            Assumption("no machine sends or receives more words in a round than its memory holds (taken as given)"),
            Assumption("feed-forward parts of any size; numbers exact to the power sums of s words (taken as given)"),
        ),
        source=_SOURCE.format("3.1"),
        values={r: sympy.Integer(integer("rounds", rounds, "the number of rounds", least=0))},
    )


@registered
def attention_rounds(layers: int, length: int, width: int, memory: int, values: int | None = None) -> Bound:
    """Return the rounds of massively parallel computation that simulate layers of attention.

    Args:
        layers: Number of layers L.
        length: Number of positions N, at least 2; there are N^2 machines.
        width: Numbers m in the state of a position.
        memory: Words s that a machine holds, sends and receives.
        values: Numbers that the heads of a layer retrieve together, each with its score and mass; by default `width`, one head.

    Raises:
        ValueError: A number is not a positive integer, or the length is 1.

    >>> attention_rounds(layers=4, length=64, width=8, memory=64).at()
    24.0
    """
    n = integer("length", length, "the number of positions", least=2)
    m = positive_integer("width", width, "the numbers in a state")
    c = positive_integer("values", m if values is None else values, "the numbers that a layer retrieves") + 2
    s = positive_integer("memory", memory, "the words that a machine holds")
    depth = sympy.Symbol("layers", positive=True)
    fan = min(s // (2 * m), (s - m) // c)
    grows = Assumption(
        f"{s} words hold two copies of two states, 4 * {m}, and a state and two partial results, {m} + 2 * {c}",
        _truth(fan >= 2),
    )
    steps = next(t for t in range(n) if max(fan, 2) ** t >= n)
    return Bound(
        expr=2 * steps * depth,
        quantity=f"the rounds that simulate layers of attention on {n} positions, with {n * n} machines and fan-out {fan}",
        assumes=(integral(depth), grows, Assumption("a word holds a number of the network (taken as given)")),
        source=_SOURCE.format("3.4"),
        values={depth: sympy.Integer(positive_integer("layers", layers, "the number of layers"))},
    )


def protocol_rounds(protocol: Protocols, machines: int, memory: int = 2) -> int:
    """Return the rounds of a protocol; `memory` is the fan-out of prefix sums.

    Raises:
        ValueError: An unknown protocol, a number that is not positive, a fan-out below 2, or a bitonic network whose number of
            machines is no power of two.

    >>> protocol_rounds("prefix sums", 9, 3), protocol_rounds("sorting", 8), protocol_rounds("components", 16)
    (2, 6, 4)
    """
    count = positive_integer("machines", machines, "the number of machines")
    if protocol == "prefix sums":
        fan = integer("memory", memory, "a machine keeps its sum and receives another", least=2)
        return next(t for t in range(count) if fan**t >= count)
    if protocol == "components":
        return count.bit_length() - 1
    if protocol != "sorting" or count < 2 or count & (count - 1):
        raise ValueError(
            f"protocol = {protocol!r} on {count} machines: expected 'prefix sums', 'components', or 'sorting' on a power of "
            "two above 1, because a bitonic network pairs machines by the bits of their numbers"
        )
    levels = count.bit_length() - 1
    return levels * (levels + 1) // 2


def protocol_memory(protocol: Protocols, share: int) -> int:
    """Return the memory that a protocol needs: the fan-out `share` of prefix sums, twice the numbers a machine sorts, or 3.

    Raises:
        ValueError: An unknown protocol.

    >>> protocol_memory("sorting", 4)
    8
    """
    needs = {"prefix sums": share, "sorting": 2 * share, "components": 3}
    if protocol not in needs:
        raise ValueError(f"protocol = {protocol!r}: expected one of {', '.join(needs)}")
    return needs[protocol]


def _truth(holds: bool) -> Boolean:
    return sympy.true if holds else sympy.false
