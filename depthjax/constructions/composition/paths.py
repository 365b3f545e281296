r"""Explicit weights that compose k elements of any finite group: one layer of z^k, a quadratic recurrence, a quadratic tree.

**Reading.** With x^[rho] = sum_g x[g] rho(g)^dagger invertible, u_ij[h] = (x^[rho]^{-1} rho(h)^dagger)_ij reads a matrix
entry off a
code: <u_ij, x_g> = rho(g)_ij. **Writing.** x_{g_1..g_k}[h] = sum_rho sum_paths rho(g_1)_{i_0 i_1} ... rho(g_k)_{i_{k-1} i_k}
V[h]_{i_k i_0}, V[h] = (n/|G|) rho(h) x^[rho]. Irreps with x^[rho] = 0 take no part.

**Types.** In a real basis every path is a real monomial. A complex irrep stands for its conjugate too (V doubled); a
quaternionic one has its paths in equal halves, conjugate to each other (i_0 in the upper half, V doubled). Complex
monomials become real ones by phases: with phi_s = pi s / (k+1), s = 0 .. k,

    sum_s Re(c e^{-i k phi_s}) prod_j Re(e^{i phi_s} z_j) = (k+1) 2^{-k} Re(c z_1 ... z_k).

**Products from powers.** k! 2^{k-1} a_1 ... a_k = sum over signs with e_1 = 1 of (prod_j e_j) (sum_j e_j a_j)^k.

Source: derived here, from the task of Marchetti et al. (arXiv 2602.03655). Widths, over the irreps that take part, with c =
1 for real type and otherwise (k+1)/2: 2^{k-1} sum c n^{k+1} for one layer; the recurrence and a node of the tree have that
of k = 2. None is claimed minimal.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Inexact
from scipy.linalg import block_diag

from depthjax.checks import at_least
from depthjax.constructions.composition.bases import standard_form
from depthjax.models.polynomial import Recurrent, Tree, TwoLayer

Irreps = Sequence[tuple[str, Inexact[np.ndarray, "order _ _"]]]  # (kind, unitary matrices), inequivalent


def two_layer_weights(encoding: Float[np.ndarray, " order"], irreps: Irreps, length: int) -> TwoLayer:
    """Return one hidden layer of z^length that maps every word of that length to the code of its product.

    Args:
        encoding: The real encoding x. Weights are computed in float64 and returned in its dtype.
        irreps: Kind ("real", "complex", "quaternionic") and matrices of every irrep whose coefficient is not zero. One member
            of a complex pair is enough; both are allowed.
        length: Length k of the words, at least 1.

    Raises:
        ValueError: A Fourier coefficient is neither zero nor invertible, or the given irreps do not span the encoding.
    """
    at_least("length", length, 1, "a word has a letter")
    signs = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=length - 1)])
    blocks, outs = [], []
    for part in irrep_parts(encoding, irreps):
        paths = np.indices((part.rows, *(part.size,) * length)).reshape(length + 1, -1)
        phases = part.phases(length + 1)
        turns = np.exp(1j * phases)[:, None, None]
        read = [np.real(turns * part.read[paths[j], paths[j + 1]]) for j in range(length)]
        write = np.real(turns**-length * part.write[paths[length], paths[0]]) * (
            1 if part.kind == "real" else 2**length / len(phases)
        )
        # axes: sign pattern, phase, path, feature
        block = signs.T[:, :, None, None, None] * np.stack(read)[:, None]
        out = signs.prod(axis=1)[:, None, None, None] * write[None] / (math.factorial(length) * 2 ** (length - 1))
        blocks.append(block.reshape(length, -1, len(encoding)))
        outs.append(out.reshape(-1, len(encoding)))
    inputs, out = np.concatenate(blocks, axis=1).swapaxes(1, 2), np.concatenate(outs).T
    return TwoLayer(jnp.asarray(inputs, encoding.dtype), jnp.asarray(out, encoding.dtype))


def recurrent_weights(encoding: Float[np.ndarray, " order"], irreps: Irreps) -> Recurrent:
    """Return a quadratic recurrence that composes words of any length; arguments as for `two_layer_weights`.

    Unit (a, c, b, phi, s) of an irrep holds (Re e^{i phi} R_ac + s Re e^{i phi} S_cb)^2, with R the matrix of the prefix
    and S that of the next letter; the new prefix is R'_ab = (4/3) sum_{c, phi, s} (s/4) e^{-2 i phi} h over phi = 0, pi/3,
    2 pi/3, and without phases and 4/3 for real type.
    """
    whole = tree_weights(encoding, irreps)
    return Recurrent(whole.first, whole.drive, whole.mix, whole.out)


def tree_weights(encoding: Float[np.ndarray, " order"], irreps: Irreps) -> Tree:
    """Return a quadratic tree for words of lengths 2, 4, 8, ...; units and arguments as for `recurrent_weights`."""
    first, drive, mix, join, out = [], [], [], [], []
    for part in irrep_parts(encoding, irreps):
        decoder = part.decoder()
        first.append(part.prefix_rows(part.read[: part.rows]))
        drive.append(part.letter_rows(part.read))
        mix.append(part.prefix_rows(decoder[: part.rows]))
        join.append(part.letter_rows(decoder))
        out.append(np.einsum("bah,abu->uh", part.write[:, : part.rows], decoder[: part.rows]).real)
    arrays = np.concatenate(first), np.concatenate(drive), block_diag(*mix), block_diag(*join), np.concatenate(out)
    return Tree(*(jnp.asarray(array.T, encoding.dtype) for array in arrays))


@dataclass(frozen=True)
class Part:
    """One irrep of the target: the vectors that read its matrix entries off a code, and those that write them.

    Attributes:
        kind: "real", "complex" or "quaternionic".
        read: The vectors u_ij, shape (n, n, order).
        write: The vectors V_ij, shape (n, n, order); doubled where the irrep stands for its conjugate.
    """

    kind: str
    read: np.ndarray
    write: np.ndarray

    @property
    def size(self) -> int:
        """Dimension n of the irrep."""
        return self.read.shape[0]

    @property
    def rows(self) -> int:
        """Number of rows that determine a matrix of this kind."""
        return self.size // 2 if self.kind == "quaternionic" else self.size

    def phases(self, count: int) -> np.ndarray:
        """Return the angles whose real parts make real monomials of a complex one; 0 alone for real type."""
        return np.zeros(1) if self.kind == "real" else np.pi * np.arange(count) / count

    def decoder(self) -> np.ndarray:
        """Return the linear map from the units (a, c, b, phase, sign) to the matrix that they hold; shape (n, n, units)."""
        phases, n = self.phases(3), self.size
        weight = np.exp(-2j * phases) * (1 if self.kind == "real" else 4 / 3)
        parts = np.eye(self.rows), np.eye(n), np.ones(n), weight, np.array([0.25, -0.25])
        upper = np.einsum("aA,bB,c,p,s->abAcBps", *parts).reshape(self.rows, n, -1)
        if self.kind != "quaternionic":
            return upper
        # the lower rows of [[a, b], [-conj b, conj a]]
        return np.concatenate([upper, np.concatenate([-upper[:, self.rows :].conj(), upper[:, : self.rows].conj()], axis=1)])

    def prefix_rows(self, entries: np.ndarray) -> np.ndarray:
        """Return the part of the units linear in the prefix: Re e^{i phi} R_ac, R a linear map, shape (rows, n, inputs)."""
        turned = np.real(np.exp(1j * self.phases(3))[:, None] * entries[:, :, None])
        shape = (*entries.shape[:2], self.size, *turned.shape[2:3], 2, entries.shape[-1])
        return np.broadcast_to(turned[:, :, None, :, None], shape).reshape(-1, entries.shape[-1])

    def letter_rows(self, entries: np.ndarray) -> np.ndarray:
        """Return the part that is linear in the next letter: s Re e^{i phi} S_cb, S a linear map, shape (n, n, inputs)."""
        turned = np.real(np.exp(1j * self.phases(3))[:, None] * entries[:, :, None])
        signed = turned[:, :, :, None] * np.array([1, -1])[:, None]
        return np.broadcast_to(signed, (self.rows, *signed.shape)).reshape(-1, entries.shape[-1])


def irrep_parts(encoding: np.ndarray, irreps: Irreps) -> list[Part]:
    """The irreps that take part, one of every complex pair, with the vectors that read and write them."""
    encoding = np.asarray(encoding, float)
    order, scale = len(encoding), float(np.linalg.norm(encoding))
    # rounding of a coefficient; below it, it is zero
    small = 1e-12 * scale * math.sqrt(order)
    parts, seen, explained = [], [], 0.0
    for kind, matrices in irreps:
        character = np.trace(matrices, axis1=1, axis2=2)
        if kind == "complex" and any(np.abs(character.conj() - other).max() < 1e-6 for other in seen):
            continue
        seen.append(character)
        form = standard_form(matrices, kind)
        coefficient = np.einsum("g,gji->ij", encoding, form.conj())
        values = np.linalg.svd(coefficient, compute_uv=False)
        if values[0] <= small:
            continue
        if values[-1] <= 1e-10 * values[0]:
            raise ValueError(
                f"the Fourier coefficient of the {kind} irrep of dimension {len(values)} has singular values from "
                f"{values[-1]:.3g} to {values[0]:.3g}: it is neither zero nor invertible, so no linear map reads the "
                "irrep off a code; choose another encoding"
            )
        double = 1 if kind == "real" else 2
        inverse = np.linalg.inv(coefficient)
        explained += len(values) * (2 if kind == "complex" else 1) * float(values @ values) / order
        parts.append(
            Part(
                kind,
                np.einsum("ik,hjk->ijh", inverse, form.conj()),
                double * len(values) / order * np.einsum("hik,kj->ijh", form, coefficient),
            )
        )
    if abs(explained - scale**2) > 1e-9 * scale**2:
        raise ValueError(
            f"the irreps given carry {explained:.6g} of the encoding's squared norm {scale**2:.6g}: the rest could not"
            " be written; give every irrep whose coefficient is not zero"
        )
    return parts
