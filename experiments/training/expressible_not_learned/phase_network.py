r"""The abelian tower of a group as a trainable network of phases; the exact tower is one choice of its weights.

Stage i holds phases z_j = exp(i sum_t theta_j(x_t, below)), whose increments are linear in the characters of the stages below
*before* the letter,

    theta_j(x, q) = Re sum_a conj(W_j[x, a]) chi_a(q),      logits_g = scale * Re sum_a conj(R[g, a]) chi_a(z_1, ..., z_r),

where chi_a runs over all products of powers of the phases. A function on a finite abelian group is a combination of characters,
so some W and R make the network the tower (`exact`); then every prefix product is right, up to rounding. W and R are trained
like any weights, and no MLP is needed.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import in_alphabet, marked, strange
from depthjax.constructions.towers.group import AbelianTable
from depthjax.scans import prefix_sum

Weights = dict[str, Array]


def initial(key: Key[Array, ""], stages: Sequence[AbelianTable], letters: int, order: int) -> Weights:
    """Return random weights: increments of about a radian, a readout of about unit logits."""
    keys = iter(jax.random.split(key, len(stages) + 1))
    weights = {}
    for number, (stage, cosets) in enumerate(zip(stages, _sizes(stages), strict=False)):
        shape = (2, len(stage.moduli), letters, cosets)
        weights[f"stage_{number}"] = jax.random.normal(next(keys), shape, jnp.float32) * (2 * cosets) ** -0.5
    weights["readout"] = jax.random.normal(next(keys), (2, order, _sizes(stages)[-1]), jnp.float32) * order**-0.5
    return weights


def exact(stages: Sequence[AbelianTable], elements: Int[np.ndarray, " order"], scale: float) -> Weights:
    """Return the weights of the tower: the right logit is `scale`, all others are zero.

    Args:
        stages: Stages of the tower, lowest first.
        elements: Group element with each number; numbers count the coordinates lexicographically.
        scale: Value of the right logit.
    """
    moduli = [int(m) for stage in stages for m in stage.moduli]
    weights, below = {}, 0
    for number, stage in enumerate(stages):
        turns = 2 * np.pi * np.asarray(stage.increments) / np.asarray(stage.moduli)  # (cosets, letters, rank)
        # turns are defined modulo 2 pi: take the one nearest to zero
        turns = (turns + np.pi) % (2 * np.pi) - np.pi
        weights[f"stage_{number}"] = _parts(np.einsum("ac,cxj->jxa", _table(moduli[:below]), turns))
        below += len(stage.moduli)
    spikes = np.zeros((len(elements), len(elements)))
    spikes[np.arange(len(elements)), elements] = scale  # number -> element
    weights["readout"] = _parts(np.einsum("ac,cg->ga", _table(moduli), spikes))
    return {name: jnp.asarray(values, jnp.float32) for name, values in weights.items()}


def logits(
    weights: Weights, stages: Sequence[AbelianTable], words: Integer[Array, "batch length"]
) -> Float[Array, "batch length order"]:
    """Return the logits of every prefix product, by one prefix sum for each stage.

    Raises:
        ValueError: A letter is out of range (under jit: NaN at every position of that word).
    """
    words = in_alphabet("words", words, weights["stage_0"].shape[2])
    orders: list[int] = []
    phases: list[Array] = []  # angles of all stages below, (length, batch) each
    for number, stage in enumerate(stages):
        before = [_shifted(angle) for angle in phases]
        real, imaginary = _characters(before, orders, words.T.shape)
        table = weights[f"stage_{number}"][:, :, words.T]  # (2, rank, length, batch, characters)
        turns = (table[0] * real[None]).sum(axis=-1) + (table[1] * imaginary[None]).sum(axis=-1)
        phases += [prefix_sum(turn) for turn in turns]
        orders += [int(m) for m in stage.moduli]
    real, imaginary = _characters(phases, orders, words.T.shape)
    readout = weights["readout"]
    found = jnp.einsum("tba,ga->btg", real, readout[0]) + jnp.einsum("tba,ga->btg", imaginary, readout[1])
    return marked(found, strange(words))


def _characters(angles: Sequence[Array], orders: Sequence[int], shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Real and imaginary parts of all products of powers of the phases, the last axis lexicographic in the powers."""
    total = jnp.zeros((*shape, 1), jnp.float32)
    for angle, order in zip(angles, orders, strict=True):
        powers = jnp.arange(order, dtype=jnp.float32).reshape((1,) * (len(shape) + 1) + (-1,))
        total = (total[..., None] + angle[..., None, None] * powers).reshape(*shape, -1)
    return jnp.cos(total), jnp.sin(total)


def _table(orders: Sequence[int]) -> np.ndarray:
    """Characters of a product of cyclic groups over its size: entry [a, c] is conj(chi_a(c)) / size."""
    table = np.ones((1, 1), complex)
    for order in orders:
        powers = np.arange(order)
        table = np.kron(table, np.exp(-2j * np.pi * np.outer(powers, powers) / order) / order)
    return table


def _parts(coefficients: np.ndarray) -> np.ndarray:
    """Weights of cosines and sines, with Re sum c chi = Re(c) cos - Im(c) sin."""
    return np.stack([np.real(coefficients), -np.imag(coefficients)])


def _shifted(angle: Array) -> Array:
    return jnp.concatenate([jnp.zeros_like(angle[:1]), angle[:-1]])


def _sizes(stages: Sequence[AbelianTable]) -> list[int]:
    """Cosets below every stage, and the order of the group at the end."""
    return [1, *np.cumprod([int(np.prod(np.asarray(stage.moduli))) for stage in stages]).tolist()]
