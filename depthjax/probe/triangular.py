r"""Whether matrices that are known up to rounding are triangular in one complex basis, by two certificates.

By Lie's theorem matrices generate a solvable Lie algebra if and only if some complex basis makes all of them triangular, and by
McCoy's this holds if and only if tr(w [u, v]) = 0 for all u, v and w in the algebra of products that they generate.

No: random u, v and products w are tried. The trace changes by at most sum_x |dt/dX_x| |dX_x| when the letters change, to first
order, so a trace far above this bound is no rounding, whatever the letters are within it.

Yes: a common eigenvector is sought by Gauss-Newton steps, then one of what is left modulo it, and so on. The unitary basis that
comes out is judged by what the letters have below the diagonal: if this is within their rounding, letters within it are
triangular. How the basis was found does not matter.

Where neither holds, nothing is decided.

Source: N. McCoy, Bull. Amer. Math. Soc. 42 (1936).
"""

import math

import numpy as np
from jaxtyping import Complex, Float

from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.spans import HIDDEN

LONGEST = 24  # factors of the products that are tried
TRIES = 8  # products of each length
STEPS = 40  # of Gauss-Newton from each start


def triangularisable(
    letters: Float[np.ndarray, "letters size size"],
    noise: Float[np.ndarray, " letters"],
    tolerance: float,
    *,
    search: bool = True,
) -> Decision:
    """Return whether letters of norm 1 (or 0) are triangular in one complex basis, up to their errors noise * tolerance.

    Without `search` no basis is looked for, and the answer is no or undecided.

    Cost: some hundred products of size^3, and up to size^2 Gauss-Newton steps of size^3 for a basis.
    """
    known = noise * tolerance <= 1 / LEAST_GAP
    trace, bound = largest_trace(letters, noise * tolerance)
    if trace > LEAST_GAP * bound and known.all():
        why = f"a trace of a product with a commutator is {trace:.2g}, and rounding explains {bound:.2g}"
        return Decision(False, "numerical", why, trace, bound)
    if not search:
        why = f"cannot decide: no trace says no, and a common basis of {letters.shape[-1]} rows was not looked for"
        return Decision(None, "numerical", why, trace, bound)
    below = float((below_diagonal(letters, common_basis(letters, noise)) / noise).max(initial=0.0))
    # one letter leaves finitely many flags, and each other one comes near them by chance in n (n - 1) / 2 entries
    size, unsure = letters.shape[-1], np.sort(noise * tolerance)[1:]
    by_chance = float(np.prod(unsure) ** (size * (size - 1) / 2)) if len(unsure) else 0.0
    if below <= tolerance and known.all() and by_chance <= HIDDEN:
        return Decision(True, "numerical", f"triangular in one basis up to {below:.2g}, within rounding", math.inf, below)
    hidden = "" if known.all() else "; a letter is a multiple of 1 up to rounding, so nothing is known of its direction"
    if below <= tolerance and known.all():
        hidden = f"; letters that are known so badly come so near by chance, about {by_chance:.2g} of all"
    why = f"cannot decide: the nearest triangular letters found are {below:.2g} away, rounding explains {tolerance:.2g}{hidden}"
    return Decision(None, "numerical", why, below, tolerance)


def largest_trace(
    letters: Float[np.ndarray, "letters size size"], errors: Float[np.ndarray, " letters"]
) -> tuple[float, float]:
    """Return the trace of a random product with a commutator, and what errors of the letters explain, at the largest ratio.

    The roundings of the trace itself are added to the first-order bound: one for every product and entry.
    """
    count, size, _ = letters.shape
    draw, best = np.random.default_rng(0), (0.0, 1.0)
    one = np.eye(size)
    for length in range(1, min(2 * size, LONGEST) + 1):
        # u, v and the factors of w, as combinations of the letters and, in w, of 1
        mixed = draw.normal(size=(TRIES, length + 2, count))
        plain = np.where(np.arange(length + 2) < 2, 0.0, draw.normal(size=(TRIES, length + 2)))
        factors = np.einsum("bmx,xij->bmij", mixed, letters) + plain[..., None, None] * one
        norms = np.linalg.norm(factors, axis=(2, 3))
        factors, mixed = factors / norms[..., None, None], mixed / norms[..., None]
        u, v, parts = factors[:, 0], factors[:, 1], factors[:, 2:]
        commutator = u @ v - v @ u
        before = [np.broadcast_to(one, u.shape)]
        after = [np.broadcast_to(one, u.shape)]
        for k in range(length):
            before.append(before[-1] @ parts[:, k])
            after.append(parts[:, length - 1 - k] @ after[-1])
        w = before[-1]
        around = [v @ w - w @ v, w @ u - u @ w, *(after[length - 1 - k] @ commutator @ before[k] for k in range(length))]
        slopes = np.einsum("bmx,bmij->bxij", mixed, np.stack(around, axis=1))
        traces = np.abs(np.einsum("bij,bji->b", w, commutator))
        own = np.finfo(float).tiny + (length + 2) * size * np.finfo(float).eps * np.linalg.norm(w, axis=(1, 2))
        bounds = np.linalg.norm(slopes, axis=(2, 3)) @ errors + own
        row = int((traces / bounds).argmax())
        if traces[row] * best[1] > best[0] * bounds[row]:
            best = float(traces[row]), float(bounds[row])
    return best


def common_basis(
    letters: Float[np.ndarray, "letters size size"], noise: Float[np.ndarray, " letters"]
) -> Complex[np.ndarray, "size size"]:
    """Return a unitary basis in which letters are as nearly upper triangular as was found."""
    size = letters.shape[-1]
    weighted = letters / noise[:, None, None]
    weighted = weighted.astype(complex) / (np.linalg.norm(weighted) or 1.0)
    basis, draw = np.eye(size, dtype=complex), np.random.default_rng(0)
    for done in range(size - 1):
        rest = weighted[:, done:, done:]
        vector = _common_eigenvector(rest, draw)
        turn = np.linalg.qr(vector[:, None], mode="complete")[0]
        basis[:, done:] = basis[:, done:] @ turn
        weighted[:, :, done:] = weighted[:, :, done:] @ turn
        weighted[:, done:] = turn.conj().T @ weighted[:, done:]
    return basis


def below_diagonal(
    letters: Float[np.ndarray, "letters size size"], basis: Complex[np.ndarray, "size size"]
) -> Float[np.ndarray, " letters"]:
    """Return the norm of what each letter has below the diagonal in a unitary basis."""
    return np.linalg.norm(np.tril(basis.conj().T @ letters @ basis, -1), axis=(1, 2))


def _common_eigenvector(letters: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """The unit vector with the smallest residual of (X - l) v over all letters that was found."""
    count, size, _ = letters.shape
    mixed = np.tensordot(draw.normal(size=count), letters, 1)
    starts = list(np.linalg.eig(mixed)[1].T)
    # where all eigenvalues of a letter agree, their mean is known best
    means = np.trace(letters, axis1=1, axis2=2) / size
    starts.append(np.linalg.svd((letters - means[:, None, None] * np.eye(size)).reshape(-1, size))[2][-1].conj())
    found = sorted((_refined(letters, start, 0) for start in starts), key=lambda pair: pair[0])
    enough = 2.0**-50 * np.linalg.norm(letters)
    best = found[0]
    for _, start in found:
        if best[0] <= enough:
            break
        best = min(best, _refined(letters, start, STEPS), key=lambda pair: pair[0])
    return best[1]


def _refined(letters: np.ndarray, vector: np.ndarray, steps: int) -> tuple[float, np.ndarray]:
    """Gauss-Newton for (X_x - l_x) v = 0 with |v| = 1, until the residual stops falling."""
    count, size, _ = letters.shape
    vector = vector / np.linalg.norm(vector)
    best = math.inf, vector
    for _ in range(steps + 1):
        images = letters @ vector
        values = images @ vector.conj()
        rest = images - values[:, None] * vector
        residual = float(np.linalg.norm(rest))
        if not residual < 0.9 * best[0]:
            break
        best = residual, vector
        rows = np.zeros((count * size + 1, size + count), complex)
        rows[:-1, :size] = (letters - values[:, None, None] * np.eye(size)).reshape(-1, size)
        for letter in range(count):
            rows[letter * size : (letter + 1) * size, size + letter] = -vector
        rows[-1, :size] = vector.conj()
        step = np.linalg.lstsq(rows, np.append(-rest.ravel(), 0.0), rcond=1e-12)[0][:size]
        vector = (vector + step) / np.linalg.norm(vector + step)
    return best
