"""Groups and unitary irreps written down by hand, for tests that should not lean on `theory.groups`."""

import itertools

import numpy as np

Case = tuple[np.ndarray, list[tuple[str, np.ndarray]]]


def cyclic(n: int) -> Case:
    """Addition modulo n and its characters."""
    g = np.arange(n)
    irreps = []
    for frequency in range(n):
        kind = "real" if 2 * frequency % n == 0 else "complex"
        irreps.append((kind, np.exp(2j * np.pi * frequency * g / n)[:, None, None]))
    return (g[:, None] + g) % n, irreps


def _closed(generators: list[np.ndarray]) -> Case:
    """The group that matrices generate, and those matrices."""
    elements = [np.eye(len(generators[0]), dtype=complex)]
    for element in elements:
        for generator in generators:
            product = element @ generator
            if not any(np.allclose(product, other) for other in elements):
                elements.append(product)
    stack = np.stack(elements)
    distance = np.abs(stack[:, None, None] - (stack[:, None] @ stack[None])[None]).max(axis=(-2, -1))
    return distance.argmin(axis=0), [("", stack)]


def triangle() -> Case:
    """D3, order 6: trivial, sign, and the plane."""
    c, s = -0.5, 3**0.5 / 2
    table, [(_, plane)] = _closed([np.array([[c, -s], [s, c]]), np.diag([1.0, -1.0])])
    sign = np.linalg.det(plane)[:, None, None]
    return table, [("real", np.ones_like(sign)), ("real", sign), ("real", plane)]


def quaternions() -> Case:
    """Q8: four real characters and the two-dimensional quaternionic irrep."""
    i, j = np.array([[1j, 0], [0, -1j]]), np.array([[0, 1], [-1, 0]], dtype=complex)
    table, [(_, two)] = _closed([i, j])
    characters = [np.ones(8)]
    for matrix in (i, j, i @ j):  # +1 on the subgroup it generates, -1 elsewhere
        inside = [np.linalg.matrix_power(matrix, p) for p in range(4)]
        characters.append(np.array([1.0 if any(np.allclose(g, h) for h in inside) else -1.0 for g in two]))
    return table, [*(("real", c.astype(complex)[:, None, None]) for c in characters), ("quaternionic", two)]


def product(left: Case, right: Case) -> Case:
    """The direct product; kinds multiply like the signs 1, 0, -1."""
    (a, first), (b, second) = left, right
    n, m = len(a), len(b)
    table = (a[:, None, :, None] * m + b[None, :, None, :]).reshape(n * m, n * m)
    sign = {"real": 1, "complex": 0, "quaternionic": -1}
    kind = {number: name for name, number in sign.items()}
    irreps = []
    for (s, p), (t, q) in itertools.product(first, second):
        matrices = np.einsum("gij,hkl->ghikjl", p, q).reshape(n * m, p.shape[1] * q.shape[1], -1)
        irreps.append((kind[sign[s] * sign[t]], matrices))
    return table, irreps


CASES = {
    "C7": lambda: cyclic(7),
    "C10": lambda: cyclic(10),
    "D3": triangle,
    "Q8": quaternions,
    "D3xC3": lambda: product(triangle(), cyclic(3)),
}
