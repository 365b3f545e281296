"""The finite group that matrices generate, numerically: its elements, found breadth first, and its generators."""

import dataclasses
import math

import numpy as np
from jaxtyping import Float, Int

from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.pattern import shared_pattern

LARGEST = 2000  # elements up to which a group is closed


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
    scale = math.sqrt(size)
    elements, growth = np.eye(size)[None], 1.0
    images: list[np.ndarray] = []
    largest_same, nearest, start = 0.0, math.inf, 0
    while start < len(elements):
        generation, begun = elements[start:], len(elements)
        products = np.einsum("gij,ejk->egik", matrices, generation).reshape(-1, size, size)
        growth = max(growth, float(np.linalg.norm(products, axis=(1, 2)).max()) / scale)
        noise = 0.0 if exact else (len(images) + 1) * tolerance * growth**2
        same = noise if images else 0.0  # of a letter that is nearly the identity, or nearly another one, nothing is known
        image = np.empty(len(products), int)
        for row, product in enumerate(products):
            distance = np.linalg.norm(elements - product, axis=(1, 2)) / scale
            place = int(distance.argmin())
            if distance[place] <= same:
                largest_same = max(largest_same, float(distance[place]))
                image[row] = place
                others = np.delete(distance, place)
                nearest = min(nearest, float(others.min(initial=math.inf)))
            else:
                nearest = min(nearest, float(distance[place]))
                image[row] = len(elements)
                elements = np.concatenate([elements, product[None]])
            if nearest <= LEAST_GAP * noise:
                why = (
                    f"cannot decide which elements are equal: two are {nearest:.3g} apart, and after {len(images) + 1} letters "
                    f"rounding explains {noise:.2g}"
                )
                return GeneratedGroup(Decision(None, "numerical", why, nearest, noise), None)
            if len(elements) > largest:
                why = f"more than {largest} elements, with words of up to {len(images) + 1} letters: infinite, or a large group"
                return GeneratedGroup(Decision(None, "sampled", why, nearest, largest_same), None)
        images.append(image.reshape(-1, letters))
        start = begun
    order, standing = len(elements), "certain" if exact else "numerical"
    why = f"{order} element{'s' * (order != 1)}" + (
        ", products of matrices of integers" if exact else f": the nearest two are {nearest:.2g} apart, equal ones at most {largest_same:.2g}"
    )
    return GeneratedGroup(Decision(order, standing, why, nearest, largest_same), np.concatenate(images).T)


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
