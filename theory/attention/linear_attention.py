"""Linearised attention over a prime field: its weights, and its exact outputs on all pairs of templates.

The network is that of `theory.attention.separation`: ``y_i = sum_h sum_j <Q_h x_i, K_h x_j> O_h V_h x_j`` in each layer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theory.checks import integer
from theory.cost import Estimate, power, refuse
from theory.exact.modular import PRIMES, checked_prime, residues

__all__ = ["LinearAttention", "grid_tensor", "head_size"]

_ENTRIES = 1 << 20  # number of matrix entries that are evaluated at a time; they take a few dozen megabytes


@dataclass(frozen=True)
class LinearAttention:
    """The weights of linearised attention: residues modulo a prime, or integers that will be reduced.

    Attributes:
        query: The matrices Q_h, shape ``(layers, heads, size, width)``.
        key: The matrices K_h, of the same shape.
        value: The matrices V_h, of the same shape.
        output: The matrices O_h, shape ``(layers, heads, width, size)``.
        readout: The vector c that reads the last layer, shape ``(width,)``.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    output: np.ndarray
    readout: np.ndarray

    @classmethod
    def random(cls, width: int, layers: int, heads: int = 1, seed: int = 0, prime: int = PRIMES[0]) -> LinearAttention:
        """Draw uniform residues, which are generic for every purpose here; errors as for `head_size`, or it is too large."""
        size, draw = head_size(width, heads), np.random.default_rng(seed).integers
        shape = (integer("layers", layers, "because it counts layers", least=1), heads, size, width)
        entries = 4 * math.prod(power(number, 1) for number in shape)
        refuse(Estimate(f"a network of linearised attention of {entries:.6g} entries", 2e-8 * entries, 1e-8 * entries))
        query, key, value = (draw(0, prime, shape) for _ in range(3))
        return cls(query, key, value, draw(0, prime, (layers, heads, width, size)), draw(0, prime, width))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Width, layers and heads."""
        layers, heads, _, width = self.query.shape
        return width, layers, heads


def head_size(width: int, heads: int) -> int:
    """Return ``width / heads``.

    Raises:
        ValueError: The width does not split into the heads, or an argument is not an integer >= 1.
    """
    width, heads = (integer(name, n, f"because it counts {name}", least=1) for name, n in (("width", width), ("heads", heads)))
    if width % heads:
        raise ValueError(
            f"width = {width}, heads = {heads}: the width must be a multiple of the heads, because each head gets width/heads "
            f"coordinates. Take a width of {width - width % heads + heads}, or a number of heads that divides {width}."
        )
    return width // heads


def grid_tensor(network: LinearAttention, left: np.ndarray, right: np.ndarray, prime: int = PRIMES[0]) -> np.ndarray:
    """Return ``f(a, b)`` modulo a prime, shape ``(left templates, right templates)``; arguments as for `grid_rank`.

    >>> one = np.ones((1, 1, 1), int)  # x_i = 1 and S = 2: one layer of width one with weights 1 returns 2
    >>> grid_tensor(LinearAttention(*np.ones((4, 1, 1, 1, 1), int), np.ones(1, int)), one, one).item()
    2
    """
    prime = checked_prime(prime)

    def reduced_to(array: np.ndarray) -> np.ndarray:
        return residues(array, prime).astype(np.uint64)

    reduced = [reduced_to(w) for w in (network.query, network.key, network.value, network.output)]
    readout = reduced_to(network.readout)[None]
    sides = [reduced_to(side) for side in (left, right)]
    # the axes of matrices come first and the pairs last, so that every operation runs along memory
    sums = [_product(side.transpose(2, 1, 0), side.transpose(1, 2, 0), prime) for side in sides]
    rows = max(1, _ENTRIES // (len(right) * len(sums[0]) ** 2))
    parts = []
    for start in range(0, len(left), rows):
        total = (sums[0][:, :, start : start + rows, None] + sums[1][:, :, None, :]) % np.uint64(prime)
        stream = np.broadcast_to(sides[0][start : start + rows, 0].T[:, None, :, None], (total.shape[0], 1, *total.shape[2:]))
        parts.append(_forward(reduced, readout, stream, total, prime))
    return np.concatenate(parts).astype(np.int64)


def _forward(weights: list[np.ndarray], readout: np.ndarray, stream: np.ndarray, total: np.ndarray, prime: int) -> np.ndarray:
    layers = len(weights[0])
    flat = (total.shape[0], total.shape[1], -1)
    pairs = total.shape[2:]
    total, stream = total.reshape(flat), stream.reshape(total.shape[0], 1, -1)
    for index, parts in enumerate(zip(*weights, strict=True)):
        gains = []
        for query, key, value, output in zip(*parts, strict=True):
            block = _product(_product(value[..., None], total, prime), key.T[..., None], prime)
            if index == layers - 1:
                read = _product(_product(readout, output, prime)[..., None], block, prime)
                gains.append(_product(read, _product(query[..., None], stream, prime), prime))
            else:
                gains.append(_product(_product(output[..., None], block, prime), query[..., None], prime))
        gain = sum(gains[1:], gains[0]) % np.uint64(prime)
        if index < layers - 1:
            stream = _product(gain, stream, prime)
            total = _product(_product(gain, total, prime), gain.transpose(1, 0, 2), prime)
    return gain[0, 0].reshape(pairs)


def _product(left: np.ndarray, right: np.ndarray, prime: int) -> np.ndarray:
    """Return products of matrices of residues, batched over trailing axes; four products of 62 bits fit 64 bits."""
    modulus = np.uint64(prime)
    result: np.ndarray | None = None
    for start in range(0, left.shape[1], 4):
        terms = [left[:, j, None] * right[None, j] for j in range(start, min(start + 4, left.shape[1]))]
        part = terms[0]
        for term in terms[1:]:
            part = part + term
        result = part % modulus if result is None else (result + part % modulus) % modulus
    assert result is not None
    return result
