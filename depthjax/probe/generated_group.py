"""The finite group that matrices generate, numerically: its elements, found breadth first, and its generators."""

import dataclasses
import math

import numpy as np
from jaxtyping import Float, Int

from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.pattern import shared_pattern

LARGEST = 2000  # elements up to which a group is closed
ROUNDED = 1e-12  # of a key, for each unit of the weights and of the matrices


@dataclasses.dataclass(frozen=True)
class GeneratedGroup:
    """A finite group of matrices.

    Attributes:
        order: Its order, with the distance of the nearest two elements (`kept`) and the largest distance of two products that
            count as one element (`dropped`), both relative to the size of the matrices. "infinite" if some letter has no finite
            order, "none" if it has no inverse, None if no finite group was found.
        generators: Each generator as the permutation of the elements that multiplication by it from the left is.
    """

    order: Decision
    generators: Int[np.ndarray, "letters order"] | None


def generated_group(
    matrices: Float[np.ndarray, "letters size size"], tolerance: float, largest: int = LARGEST
) -> GeneratedGroup:
    """Return the group that matrices generate, if it is finite and has at most `largest` elements.

    The product of L letters is known up to L * tolerance * M^2 relative to the identity, if M bounds the norms of the elements,
    because every element is a product on both sides of every letter. Products that differ by no more count as one element, and
    what differs by less than `LEAST_GAP` times as much decides nothing. Matrices of integers are compared exactly.

    Args:
        matrices: One for each letter.
        tolerance: Relative error of a letter.
        largest: Elements up to which the group is closed.

    Cost: order * letters products, each compared with every element.
    """
    letters, size, _ = matrices.shape
    if reason := _infinite(matrices, tolerance):
        return GeneratedGroup(reason, None)
    exact = bool((matrices == np.round(matrices)).all())
    scale, most = math.sqrt(size), max(largest, 1) + 1
    elements, growth, order, start = np.zeros((most, size * size)), 1.0, 1, 0
    elements[0] = np.eye(size).ravel()
    # matrices that are near each other have near keys; integers make the keys of integers exact
    weights = np.random.default_rng(0).integers(-1000, 1001, size * size).astype(float)
    reach, keys = float(np.linalg.norm(weights)), np.zeros(most)
    keys[0] = elements[0] @ weights
    images: list[np.ndarray] = []
    largest_same = 0.0
    while start < order:
        generation, begun = elements[start:order].reshape(-1, size, size), order
        products = np.einsum("gij,ejk->egik", matrices, generation).reshape(-1, size * size)
        growth = max(growth, float(np.linalg.norm(products, axis=1).max()) / scale)
        noise = 0.0 if exact else (len(images) + 1) * tolerance * growth**2
        same = noise if images else 0.0  # of a letter that is nearly the identity, or nearly another one, nothing is known
        window = reach * scale * (LEAST_GAP * noise + ROUNDED * growth)
        image = np.empty(len(products), int)
        for row, (product, key) in enumerate(zip(products, products @ weights, strict=True)):
            near = np.flatnonzero(np.abs(keys[:order] - key) <= window)
            distances = np.linalg.norm(elements[near] - product, axis=1) / scale
            close = np.flatnonzero(distances <= LEAST_GAP * noise)
            if len(close) > 1 or (distances[close] > same).any():
                why = (
                    f"cannot decide which elements are equal: two are {distances[close].max():.3g} apart, and after "
                    f"{len(images) + 1} letters rounding explains {noise:.2g}"
                )
                return GeneratedGroup(Decision(None, "numerical", why, float(distances[close].max()), noise), None)
            if len(close):
                largest_same, image[row] = max(largest_same, float(distances[close[0]])), near[close[0]]
                continue
            if order == most - 1:
                why = f"more than {largest} elements, with words of up to {len(images) + 1} letters: infinite, or a large group"
                return GeneratedGroup(Decision(None, "sampled", why), None)
            image[row], elements[order], keys[order], order = order, product, key, order + 1
        images.append(image.reshape(-1, letters))
        start = begun
    generators = np.concatenate(images).T
    if (np.sort(generators, axis=1) != np.arange(order)).any():  # rounding hid from the eigenvalues that a letter forgets
        letter = int((np.sort(generators, axis=1) != np.arange(order)).any(axis=1).argmax())
        why = f"letter {letter} takes two elements to one: it has no inverse, and generates no finite group"
        return GeneratedGroup(Decision("none", "numerical", why), None)
    standing, why = "certain", f"{order} element{'s' * (order != 1)}, products of matrices of integers"
    nearest = _nearest(elements[:order]) / scale
    if not exact:
        standing = "numerical"
        why = f"{order} element{'s' * (order != 1)}: the nearest two are {nearest:.2g} apart, equal ones {largest_same:.2g}"
    return GeneratedGroup(Decision(order, standing, why, nearest, largest_same), generators)


def _nearest(elements: np.ndarray) -> float:
    """The smallest distance of two elements; infinite for one."""
    squares = np.sum(elements**2, axis=1)
    apart = squares[:, None] + squares - 2 * elements @ elements.T
    np.fill_diagonal(apart, math.inf)
    return math.sqrt(max(float(apart.min()), 0.0))


def _infinite(matrices: np.ndarray, tolerance: float) -> Decision | None:
    """Why no finite group can be generated: an element of one has eigenvalues of modulus 1 and can be diagonalised."""
    parts = shared_pattern(matrices).parts
    for letter, matrix in enumerate(matrices):
        for part in parts:
            moduli = np.abs(np.linalg.eigvals(matrix[np.ix_(part, part)]))
            # a defective eigenvalue 1 moves by the root of the rounding
            slack = LEAST_GAP * tolerance ** (1 / len(part))
            worst = moduli[np.abs(moduli - 1).argmax()]
            if abs(worst - 1) > slack:
                value, what = ("none", "no inverse") if worst <= slack else ("infinite", "no finite order")
                why = f"letter {letter} has an eigenvalue of modulus {worst:.3g}: it has {what}, and generates no finite group"
                return Decision(value, "numerical", why, float(abs(worst - 1)), slack / LEAST_GAP)
    return None
