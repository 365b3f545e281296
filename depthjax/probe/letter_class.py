r"""The smallest class of layers, of those that have a name, to which given transitions belong.

A class says what the transitions of one layer may be (`theory.automata.limits`). Zeros, signs and sizes of the entries decide
it, in the coordinates in which the letters were given:

* diagonal, real or complex, with entries in the unit disc; one diagonal for all letters is time_invariant;
* pd: one entry that is not zero in each column, of modulus 1 at most;
* delta_net: symmetric with eigenvalues in [0, 1]. Such a matrix is the product of the factors 1 - (1 - l) k k^T over its
  eigenvectors k;
* delta_product: of spectral norm 1 at most. With the singular values U S V^T it is (U V^T)(V S V^T), so the product of n
  reflections at most and of n factors 1 - (1 - s) v v^T;
* dense otherwise.

Only the letters that were given are looked at. A layer whose other letters are like them has the limits of the class.
"""

import numpy as np
from jaxtyping import Float

from depthjax.probe.decision import Decision
from depthjax.probe.pattern import Pattern, shared_pattern
from depthjax.probe.transitions import Transitions

FINE = 1e-4  # tolerance up to which letters that are nearly symmetric count as symmetric


def letter_class(read: Transitions, tolerance: float) -> Decision:
    """Return the class as a decision: certain where exact zeros and entries decide, numerical where rounding is allowed for.

    Args:
        read: The transitions of a recurrence, not the generators of a flow.
        tolerance: Relative error of a letter.

    Cost: the singular values of each letter.

    >>> decays = np.array([[[0.5, 0.0], [0.0, 0.9]], [[0.2, 0.0], [0.0, 1.0]]])
    >>> letter_class(Transitions(decays, ("0", "1"), False, False, 2.0**-52), 1e-15)
    <positive: certain>
    """
    if read.sampled:
        why = "the step was linearised at some states, and its limits are not those of a class of affine layers"
        return Decision("nonlinear", "sampled", why)
    own = read.matrices[:, :-1, :-1] if read.affine else read.matrices
    pattern = shared_pattern(own)
    if pattern.is_diagonal:
        return _diagonal(own, pattern, tolerance)
    entries = np.abs(_complex(own))
    if (entries != 0).sum(axis=1).max() <= 1 and entries.max() <= 1 + tolerance:
        why = f"each column of a letter has one entry that is not zero at most, of modulus up to {entries.max():.6g}"
        return Decision("pd", _standing(entries.max()), why)
    largest = float(np.linalg.norm(own, 2, axis=(1, 2)).max())
    if largest > 1 + tolerance:
        return Decision("dense", "numerical", f"not diagonal, and the largest spectral norm is {largest:.6g}, above 1")
    apart = float(np.abs(own - np.swapaxes(own, 1, 2)).max())
    if apart == 0 or apart <= tolerance <= FINE:  # coarse numbers are symmetric only where they are exactly so
        least = float(np.linalg.eigvalsh((own + np.swapaxes(own, 1, 2)) / 2).min())
        if least >= -tolerance:
            return Decision("delta_net", "numerical", f"symmetric with eigenvalues from {least:.3g} to {largest:.6g}")
    why = f"of spectral norm {largest:.6g} at most: products of {2 * own.shape[-1]} factors 1 - b k k^T at most, b in [0, 2]"
    return Decision("delta_product", "numerical", why)


def _diagonal(own: Float[np.ndarray, "letters n n"], pattern: Pattern, tolerance: float) -> Decision:
    """The class of letters that are diagonal by their exact zeros."""
    first = np.array([part[0] for part in pattern.parts])
    last = np.array([part[-1] for part in pattern.parts])
    turned = first != last  # two rows are one complex number
    entries = own[:, first, first] + 1j * np.where(turned, own[:, last, first], 0.0)
    largest = float(np.abs(entries).max(initial=0.0))
    if largest > 1 + tolerance:
        return Decision("dense", "certain", f"diagonal, but an entry has modulus {largest:.6g}, and the classes end at 1")
    kind = "complex" if turned.any() else "real"
    if len(own) > 1 and (entries == entries[0]).all():
        return Decision(
            "time_invariant", _standing(largest), f"one {kind} diagonal for all letters, of modulus up to {largest:.6g}"
        )
    if turned.any():
        return Decision("complex", _standing(largest), f"complex diagonals of modulus up to {largest:.6g}")
    least = float(entries.real.min(initial=0.0 if not entries.size else np.inf))
    name = "positive" if least >= 0 else "signed"
    return Decision(name, _standing(largest), f"diagonals with entries from {least:.3g} to {entries.real.max():.6g}")


def _standing(largest: float) -> str:
    return "certain" if largest <= 1 else "numerical"


def _complex(own: Float[np.ndarray, "letters n n"]) -> np.ndarray:
    """The letters with complex entries where real ones of twice the size write them, else as they are."""
    half, odd = divmod(own.shape[-1], 2)
    if odd or not half:
        return own
    real, turned = own[:, :half, :half], own[:, half:, :half]
    written = (own[:, half:, half:] == real).all() and (own[:, :half, half:] == -turned).all()
    return real + 1j * turned if written and turned.any() else own
