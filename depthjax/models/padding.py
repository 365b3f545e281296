"""Polynomial networks padded with zeros: networks for groups of several sizes then share one compiled program."""

import dataclasses
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depthjax.models.polynomial import Recurrent, Tree, TwoLayer

Network = TypeVar("Network", TwoLayer, Recurrent, Tree)


def padded(
    weights: Network,
    codes: Float[np.ndarray, "letters features"],
    table: Int[np.ndarray, "letters letters"],
    *,
    order: int,
    width: int,
) -> tuple[Network, Float[Array, "order order"], Int[Array, "order order"]]:
    """Return weights, codes and Cayley table with zeros added: features, units and letters that change no output.

    Args:
        weights: A network that reads codes.
        codes: The codes of the letters, as many features as letters.
        table: The Cayley table.
        order: Number of letters and features afterwards.
        width: Number of units afterwards.

    Raises:
        ValueError: a size is smaller than it was.
    """
    rows = {name: width if name in ("mix", "join") else order for name in vars(weights)}
    wide = {name: _filled(block, rows[name], width) for name, block in vars(weights).items()}
    return dataclasses.replace(weights, **wide), _filled(codes, order, order), _filled(table, order, order)


def _filled(block: np.ndarray | jax.Array, rows: int, columns: int) -> jax.Array:
    more = [(0, 0)] * (block.ndim - 2) + [(0, rows - block.shape[-2]), (0, columns - block.shape[-1])]
    return jnp.asarray(np.pad(np.asarray(block), more))
