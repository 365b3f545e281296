"""What a kind of published layer is: names of parameters, and the transitions that they give to letters.

A file of this package holds one kind. Its parameters have the names of a public implementation, and further spellings where
others are common. Numbers are computed in float64 from the parameters as they are, whatever their type.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Complex, Float, Inexact, Shaped

CLEAR = 1e-2  # of the largest: directions of a basis have at least this share
ROUNDED = 1e-12  # of the largest: what is left of vectors that depend on others
Spelling = tuple[str, ...]
"""Names of one parameter, each with the path inside the block; any of them will do."""


@dataclasses.dataclass(frozen=True)
class Diagonal:
    """Coordinates that each letter multiplies by exp(log) and adds a drive to.

    Attributes:
        logs: Logarithms of the weights, (letters, n); complex for a complex state.
        drives: What is added, (letters, n).
        blur: How much larger than usual the relative errors of drives may be.
    """

    logs: Inexact[np.ndarray, "letters n"]
    drives: Inexact[np.ndarray, "letters n"]
    blur: float = 1.0

    @property
    def weights(self) -> Inexact[np.ndarray, "letters n"]:
        """What coordinates are multiplied by."""
        return np.exp(self.logs)


@dataclasses.dataclass(frozen=True)
class LayerHead:
    """A state S of n rows and m columns that each letter maps to A S + K.

    Attributes:
        matrices: A, (letters, n, n).
        drives: K, (letters, n, m).
    """

    matrices: Inexact[np.ndarray, "letters n n"]
    drives: Inexact[np.ndarray, "letters n m"]


@dataclasses.dataclass(frozen=True)
class NonlinearStep:
    """A head whose step is not affine in the state.

    Attributes:
        linearised: state (n,) -> next states (letters, n) and their derivatives (letters, n, n).
        size: n, the numbers of the state.
    """

    linearised: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    size: int


@dataclasses.dataclass(frozen=True)
class LayerKind:
    """A kind of published layer.

    Attributes:
        name: Its name here.
        what: The layer and its update.
        source: The public implementation whose names these are, and the paper.
        needs: Parameters that decide the transitions.
        also: Parameters that decide them where they are there.
        ignored: Ends of names of a block that do not: readouts, norms of the output, skips.
        width: (parameters) -> numbers of a letter.
        reach: (parameters) -> positions that a transition looks at, by a convolution or a shift.
        blocks: (parameters, inputs (letters, reach, width), switches) -> the coordinates together, or one head after the other.
        cls: (parameters, switches) -> the class, a name of `theory.automata.limits.LIMITS`.
        why: Why it is of this class.
        switches: What parameters do not say, with what holds if nobody says it; attributes of a module say it.
        fits: (parameters) -> whether shapes are of this kind, where names are shared.
    """

    name: str
    what: str
    source: str
    needs: Mapping[str, Spelling]
    width: Callable[[Mapping[str, np.ndarray]], int]
    blocks: Callable[[Mapping[str, np.ndarray], Float[np.ndarray, "letters reach width"], Mapping[str, Any]], tuple[Any, ...]]
    cls: Callable[[Mapping[str, np.ndarray], Mapping[str, Any]], str]
    why: str
    also: Mapping[str, Spelling] = dataclasses.field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    reach: Callable[[Mapping[str, np.ndarray]], int] = lambda found: 1
    switches: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    fits: Callable[[Mapping[str, np.ndarray]], bool] = lambda found: True


def linear(found: Mapping[str, np.ndarray], name: str, x: Float[np.ndarray, "... inputs"]) -> Float[np.ndarray, "... outputs"]:
    """Return W x, and plus b where the block has one; W is ``name.weight``."""
    bias = found.get(f"{name}.bias")
    y = x @ np.swapaxes(found[f"{name}.weight"], -1, -2)
    return y if bias is None else y + bias


def convolved(
    found: Mapping[str, np.ndarray], name: str, x: Float[np.ndarray, "letters reach channels"]
) -> Float[np.ndarray, "letters channels"]:
    """Return silu of the causal convolution at the last position; without one, silu of the last input."""
    taps = found.get(f"{name}.weight")
    if taps is None:
        return silu(x[:, -1])
    taps = taps.reshape(len(taps), -1)
    y = np.einsum("ltc,ct->lc", x[:, -taps.shape[1] :], taps)
    return silu(y + np.reshape(found.get(f"{name}.bias", 0.0), -1))  # equinox has a bias (channels, 1)


def taps_of(found: Mapping[str, np.ndarray], *names: str) -> int:
    """Return the most taps of some convolutions, 1 without any."""
    return max([1, *(found[f"{name}.weight"].shape[-1] for name in names if f"{name}.weight" in found)])


def sigmoid(x: Shaped[np.ndarray, "..."]) -> np.ndarray:
    """Return 1 / (1 + exp(-x)), without overflow."""
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: Shaped[np.ndarray, "..."]) -> np.ndarray:
    """Return log(1 / (1 + exp(-x))), to its relative precision."""
    return -np.logaddexp(0.0, -x)


def softplus(x: Shaped[np.ndarray, "..."]) -> np.ndarray:
    """Return log(1 + exp(x)), to its relative precision."""
    return np.logaddexp(0.0, x)


def silu(x: Shaped[np.ndarray, "..."]) -> np.ndarray:
    """Return x / (1 + exp(-x))."""
    return x * sigmoid(x)


def unit(x: Float[np.ndarray, "... size"], eps: float) -> Float[np.ndarray, "... size"]:
    """Return x / sqrt(|x|^2 + eps)."""
    return x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + eps)


def held(logs: Complex[np.ndarray, "..."]) -> Complex[np.ndarray, "..."]:
    """Return (exp(z) - 1) / z, the weight of an input that is held for one step; 1 at 0."""
    return np.divide(np.expm1(logs), logs, out=np.ones_like(logs), where=logs != 0)


def principal(logs: Complex[np.ndarray, "..."]) -> Complex[np.ndarray, "..."]:
    """Return logarithms with the imaginary part in [-pi, pi)."""
    turns = np.round(np.imag(logs) / (2 * np.pi))
    return np.real(logs) + 1j * (np.imag(logs) - 2 * np.pi * turns)


def columns(
    keys: Float[np.ndarray, "letters ... n"], values: Float[np.ndarray, "letters ... m"]
) -> tuple[np.ndarray, np.ndarray]:
    """Return keys and values with the values written in an orthonormal basis of all of them, if they are fewer than m.

    States are matrices whose columns are driven along the values alone, so nothing is lost.
    """
    inside = coordinates(values.reshape(-1, values.shape[-1]))
    return keys, values if inside is None else inside.reshape(*values.shape[:-1], -1)


def coordinates(rows: Float[np.ndarray, "count n"]) -> Float[np.ndarray, "count rank"] | None:
    """Return vectors in an orthonormal basis of their span; None if that is no smaller, or rounding makes it unclear.

    Every direction of the basis has at least `CLEAR` of the largest vector's size, so that coordinates are known well.
    """
    triangle, order = map(np.asarray, scipy.linalg.qr(rows.T, mode="r", pivoting=True))
    sizes = np.abs(np.diagonal(triangle))
    rank = int((sizes >= CLEAR * sizes.max(initial=0.0)).sum()) if sizes.any() else 0
    if rank >= rows.shape[1] or (sizes[rank:] > ROUNDED * sizes.max(initial=0.0)).any():
        return None
    found = np.zeros((len(rows), max(rank, 1)))
    found[order, :rank] = triangle[:rank].T
    return found
