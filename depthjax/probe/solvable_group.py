r"""Whether all words of invertible letters form a solvable group, where their algebra is not solvable.

The algebra of the letters may be too large: a permutation and a diagonal matrix generate gl(n), and their words form a group
with an abelian subgroup of finite index. So each block of the letters' shared form is asked in this order.

Monomial letters, one entry in each row and column (a permutation times a diagonal matrix): their words map onto the group of
the permutations, and the kernel is diagonal. The words are solvable if and only if the permutations are. The basis in which
letters are monomial may be hidden (`depthjax.probe.monomial`): that of the eigenvectors of a b is one for two reflections a, b.

Letters that generate a finite group up to positive multiples: the words are solvable if and only if this group is.

Eigenvalues: let words w generate a solvable group, and let no w have two eigenvalues whose ratio is a root of unity other than
1. Then all w are triangular in one basis. For this, look at an irreducible block, with the identity component G0 of the closure
of its group. G0 is a torus (Lie's and Clifford's theorems), and the words permute its weight spaces. A word that moves one has
eigenvalues that differ by a root of unity. A word that moves none is, on each weight space, an element of finite order up to a
multiple of 1, so a multiple of 1, or again two eigenvalues differ by a root of unity. Hence all w commute, and the block has
one row. So the letters are not solvable where such words are found that are not triangular in one basis.

Where neither holds, nothing is decided, as for letters of small finite order, or letters that forget.
"""

import dataclasses
import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import scipy.linalg
from jaxtyping import Float

from depthjax.probe import answers
from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.generated_algebra import of_norm_one
from depthjax.probe.generated_group import generated_group
from depthjax.probe.monomial import monomial
from depthjax.probe.pattern import Pattern, triangular_length
from depthjax.probe.spans import HIDDEN
from depthjax.probe.triangular import largest_trace, triangularisable

WORDS = 64  # words whose eigenvalues are looked at
LONGEST = 4  # letters of such a word
ORDERS = 1000  # roots of unity of these orders are looked for, where eigenvalues are known well enough
CHANCE = 0.05  # of a ratio without meaning to be near some of these roots
NO_TORSION = "no ratio of eigenvalues is a root of unity other than 1"
FEWEST = 24  # orders without which nothing is said of a ratio


def solvable_group(matrices: Float[np.ndarray, "letters size size"], pattern: Pattern, tolerance: float) -> Decision:
    """Return whether the words of letters form a solvable group, which is None for letters that have no inverse.

    Args:
        matrices: One for each letter.
        pattern: The block triangular form that they share by their exact zeros.
        tolerance: Relative error of the letters.

    Cost: the eigenvalues of `WORDS` words.
    """
    found = []
    for part, small in zip(pattern.parts, pattern.small, strict=True):
        if not small:
            found.append(_of_block(matrices[np.ix_(np.arange(len(matrices)), part, part)], tolerance))
    for value in (False, None):
        if decided := [one for one in found if one.value is value]:
            return decided[0]
    deepest = max(found, key=lambda one: one.value, default=Decision(1, "certain", "the letters are triangular"))
    most = triangular_length(pattern.path) - 1 + deepest.value
    return dataclasses.replace(deepest, value=True, why=f"{deepest.why}: at most {most} abelian layers are exact")


def _of_block(block: np.ndarray, tolerance: float) -> Decision:
    """False or None, or a bound of the derived length."""
    if (exactly := _permutations(_narrow(block))) is not None:
        closed = _of_permutations(exactly, "the letters are permutations times diagonal matrices")
        if closed is not None:
            return closed
    if (finite := _of_finite(block, tolerance)) is not None:
        return finite
    block, norms = of_norm_one(block)
    letters, noise = _scaled(list(block), np.ones(len(block)))
    known = triangularisable(letters, noise, tolerance)
    if known.value:
        return dataclasses.replace(known, value=triangular_length(block.shape[-1] - 1))
    hidden = monomial(_narrow(block), itertools.islice(_words(len(block)), WORDS), tolerance) if norms.all() else None
    if hidden is not None:
        closed = _of_permutations(hidden.permutations, "in one basis the letters are permutations times diagonal matrices")
        if closed is not None:
            return dataclasses.replace(closed, standing="numerical", kept=hidden.kept, dropped=hidden.dropped)
    words, errors = [], []
    for word in itertools.islice(_words(len(block)), WORDS):
        product = functools.reduce(np.matmul, block[list(word)])
        size = float(np.linalg.norm(product, 2))
        # a factor has the norm 1, so the product errs by one rounding for each
        if norms[list(word)].all() and size > 0 and not _has_torsion(product / size, len(word) * tolerance / size):
            words.append(product)
            errors.append(len(word))
        if len(words) == len(block) and len(word) == 1 and known.value is False:  # no letter is left out
            return dataclasses.replace(known, why=f"{known.why}, and {NO_TORSION}")
    if words:
        letters, noise = _scaled(words, np.asarray(errors, float))
        surely = noise * tolerance <= HIDDEN  # others are multiples of 1, or nearly so
        trace, bound = largest_trace(letters[surely], noise[surely] * tolerance) if surely.any() else (0.0, 1.0)
        if trace > LEAST_GAP * bound:
            why = f"a trace of a product with a commutator is {trace:.2g}, rounding explains {bound:.2g}, and {NO_TORSION}"
            return Decision(False, "numerical", why, trace, bound)
    why = (
        "cannot decide whether the words form a solvable group: their algebra is not solvable, but it may be larger than the "
        "group, because letters have no inverse, or eigenvalues whose ratio is, or may be, a root of unity"
    )
    return Decision(None, "numerical", why)


def _of_finite(block: np.ndarray, tolerance: float) -> Decision | None:
    """The same of letters that generate a finite group up to positive multiples, which commute with everything."""
    signs, logarithms = np.linalg.slogdet(block)
    if not signs.all():
        return None
    closed = generated_group(block * np.exp(-logarithms / block.shape[-1])[:, None, None], tolerance)
    if closed.generators is None:
        return None
    facts = answers.group_facts(closed.generators)
    why = f"up to positive multiples the letters generate a group {facts['name'] or f'of order {closed.order.value}'}"
    if facts["is_solvable"]:
        return dataclasses.replace(closed.order, value=max(facts["derived_length"], 1), why=f"{why}, which is solvable")
    return dataclasses.replace(closed.order, value=False, why=f"{why}, which is not solvable")


def _of_permutations(permutations: np.ndarray, what: str) -> Decision | None:
    """The same of monomial letters, from where they take the coordinates; None where these are too many to say."""
    closed = generated_group(np.eye(permutations.shape[1])[permutations].swapaxes(1, 2), np.finfo(float).eps)
    if closed.generators is None:
        return None
    facts = answers.group_facts(closed.generators)
    why = f"{what}, and the permutations generate a group {facts['name'] or f'of order {closed.order.value}'}"
    if facts["is_solvable"]:
        return Decision(1 + facts["derived_length"], "certain", f"{why}, which is solvable")
    return Decision(False, "certain", f"{why}, which is not solvable")


def _words(letters: int):
    for length in range(1, LONGEST + 1):
        yield from itertools.product(range(letters), repeat=length)


def _scaled(words: list[np.ndarray], errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words that are no multiple of 1, without theirs and of norm 1, and their errors in units of the tolerance."""
    size = words[0].shape[-1]
    stack = np.stack(words)
    centred = stack - (np.trace(stack, axis1=1, axis2=2) / size)[:, None, None] * np.eye(size)
    norms, own = np.linalg.norm(centred, axis=(1, 2)), np.linalg.norm(stack, axis=(1, 2))
    kept = norms > 0
    before = np.where(errors > 1, np.maximum(own, 1.0), own) * errors
    return centred[kept] / norms[kept, None, None], np.maximum(before[kept] / norms[kept], 1.0)


def _has_torsion(matrix: np.ndarray, error: float) -> bool:
    """Whether the ratio of two eigenvalues is a root of unity other than 1, or this cannot be excluded, or one of them is 0.

    An eigenvalue moves by the error over the cosine of its left and right vector, and never by more than a root of the error.
    """
    size = len(matrix)
    values, left, right = map(np.asarray, scipy.linalg.eig(matrix, left=True, right=True))
    cosines = np.abs(np.sum(left.conj() * right, axis=0))
    slack = np.minimum(error / np.maximum(cosines, 1e-300), size * error ** (1 / size))
    if (np.abs(values) <= LEAST_GAP * slack).any():
        return True
    relative = LEAST_GAP * slack / np.abs(values)
    for i, j in itertools.combinations(range(size), 2):
        ratio, apart = values[i] / values[j], float(relative[i] + relative[j])
        if (abs(ratio - 1) <= apart and abs(ratio - 1) < 0.1) or abs(abs(ratio) - 1) > apart:
            continue
        most = min(ORDERS, math.isqrt(int(CHANCE / apart)))
        turn = float(np.angle(ratio)) / math.tau
        if most < FEWEST or abs(turn - Fraction(turn).limit_denominator(most)) * math.tau <= apart:
            return True
    return False


def _narrow(block: np.ndarray) -> np.ndarray:
    """Complex matrices in place of their real forms of twice the size; others as they are."""
    size = block.shape[-1]
    half = size // 2
    orders = [np.arange(size).reshape(2, half), np.arange(size).reshape(half, 2).T] if size % 2 == 0 else []
    for real, imaginary in orders:
        own, turned = block[:, real[:, None], real], block[:, imaginary[:, None], real]
        same = (block[:, imaginary[:, None], imaginary] == own).all() and (block[:, real[:, None], imaginary] == -turned).all()
        if same:
            return own + 1j * turned
    return block


def _permutations(block: np.ndarray) -> np.ndarray | None:
    """Where each letter takes each coordinate, real or complex; None if some letter is no permutation times numbers."""
    full = block != 0
    if not ((full.sum(axis=1) == 1).all() and (full.sum(axis=2) == 1).all()):
        return None
    return full.argmax(axis=1)
